/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_kueue_test.c - a policy as objects of Kueue
 *
 * What each strategy becomes, that limits of 0 are there and absent limits are
 * not (law 11), names, and that differences are told.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/kueue.h"
#include "aws_help.h"
#include "suite.h"

static const char base[] =
	"Queue=train Partitions=gpu DefaultShare=Pool InShareOrder=BEST_EFFORT "
	"Capacity=h100:40\n"
	"Share=Pool Strategy=LEND InSharePreemption=NO Capacity=h100:8 "
	"LendLimit=h100:2 State=DISABLED\n"
	"Share=Team_A Accounts=A,b_c Strategy=LEND_AND_BORROW BorrowLimit=50 "
	"InSharePreemption=YES Capacity=h100:8,A100.80gb:5 "
	"BorrowGpus=h100:3 Owner=\"Team A\" MinRuntime=60\n"
	"Share=closed Strategy=RESERVE InSharePreemption=NO Capacity=h100:4 "
	"Accounts=closed\n"
	"Share=free Strategy=LEND_AND_BORROW InSharePreemption=NO "
	"Capacity=h100:2 Accounts=free\n"
	"Share=none Strategy=LEND_AND_BORROW BorrowLimit=0 "
	"InSharePreemption=NO Capacity=h100:2 Accounts=none\n"
	"Share=minus Strategy=LEND_AND_BORROW BorrowLimit=-1 "
	"InSharePreemption=NO Capacity=h100:2 Accounts=minus\n";

static struct json_object *get(struct json_object *json, const char *path)
{
	struct json_object *value = NULL;

	json_pointer_get(json, path, &value);
	return value;
}

static const char *text(struct json_object *json, const char *path)
{
	struct json_object *value = get(json, path);

	return value ? json_object_get_string(value) : "(absent)";
}

static struct json_object *find_item(struct json_object *list, const char *kind,
				     const char *name)
{
	struct json_object *items = get(list, "/items");

	for (size_t i = 0; i < json_object_array_length(items); i++) {
		struct json_object *one = json_object_array_get_idx(items, i);

		if (!strcmp(text(one, "/kind"), kind) &&
		    !strcmp(text(one, "/metadata/name"), name))
			return one;
	}
	return NULL;
}

static struct json_object *export(const char *conf, struct qs_notes *notes)
{
	struct qs_policy *policy = policy_of(conf);
	struct json_object *list;
	struct qs_error err;

	*notes = (struct qs_notes){ 0 };
	list = qs_kueue_export(policy, "policy", NULL, notes, &err);
	ck_assert_msg(list != NULL, "%s", err.text);
	qs_policy_free(policy);
	return list;
}

#define H100 "/spec/resourceGroups/0/flavors/0/resources/0/"

static const struct {
	const char *share, *path, *value;
} values[] = {
	{ "pool", H100 "nominalQuota", "8" },
	{ "pool", H100 "borrowingLimit", "0" },
	{ "pool", H100 "lendingLimit", "2" },
	{ "pool", "/spec/stopPolicy", "Hold" },
	{ "pool", "/spec/namespaceSelector", "{ }" },
	{ "pool", "/spec/preemption/withinClusterQueue", "Never" },
	{ "team-a", "/spec/resourceGroups/0/flavors/0/name", "a100.80gb" },
	{ "team-a", H100 "nominalQuota", "5" },
	{ "team-a", H100 "borrowingLimit", "2" },
	{ "team-a", H100 "lendingLimit", "(absent)" },
	{ "team-a",
	  "/spec/resourceGroups/0/flavors/1/resources/0/borrowingLimit", "3" },
	{ "team-a", "/spec/cohortName", "train" },
	{ "team-a", "/spec/queueingStrategy", "BestEffortFIFO" },
	{ "team-a", "/spec/stopPolicy", "None" },
	{ "team-a", "/spec/preemption/reclaimWithinCohort", "Any" },
	{ "team-a", "/spec/preemption/borrowWithinCohort/policy", "Never" },
	{ "team-a", "/spec/preemption/withinClusterQueue", "LowerPriority" },
	{ "team-a", "/spec/namespaceSelector/matchExpressions/0/values",
	  "[ \"a\", \"b-c\" ]" },
	{ "team-a", "/metadata/annotations/quota-share~1owner", "Team A" },
	{ "closed", H100 "borrowingLimit", "0" },
	{ "closed", H100 "lendingLimit", "0" },
	{ "free", H100 "borrowingLimit", "(absent)" },
	{ "free", H100 "lendingLimit", "(absent)" },
	{ "none", H100 "borrowingLimit", "0" },
	{ "minus", H100 "borrowingLimit", "(absent)" },
};

START_TEST(shares_become_cluster_queues)
{
	struct qs_notes notes;
	struct json_object *list = export(base, &notes), *one;

	one = find_item(list, "ClusterQueue", values[_i].share);
	ck_assert_msg(one != NULL, "no %s", values[_i].share);
	ck_assert_str_eq(text(one, "/apiVersion"), "kueue.x-k8s.io/v1beta2");
	ck_assert_msg(!strcmp(text(one, values[_i].path), values[_i].value),
		      "%s: %s is %s", values[_i].share, values[_i].path,
		      text(one, values[_i].path));
	json_object_put(list);
	qs_notes_clear(&notes);
}
END_TEST

START_TEST(everything_that_is_named_is_there)
{
	struct qs_notes notes;
	struct json_object *list = export(base, &notes);

	ck_assert_str_eq(text(list, "/kind"), "List");
	ck_assert_ptr_nonnull(find_item(list, "ResourceFlavor", "h100"));
	ck_assert_ptr_nonnull(find_item(list, "ResourceFlavor", "a100.80gb"));
	ck_assert_ptr_nonnull(find_item(list, "Cohort", "train"));
	/* unowned GPUs are not lent, so the Cohort has none of its own */
	ck_assert_ptr_null(get(find_item(list, "Cohort", "train"), "/spec"));
	json_object_put(list);
	qs_notes_clear(&notes);
}
END_TEST

START_TEST(differences_are_told)
{
	static const struct {
		enum qs_note_kind kind;
		const char *share, *key;
	} told[] = {
		{ QS_NOTE_LOST, NULL, "Partitions" },
		{ QS_NOTE_LOST, NULL, "Capacity" },
		{ QS_NOTE_REMARK, NULL, "DefaultShare" },
		{ QS_NOTE_REMARK, "Team_A", "BorrowLimit" },
		{ QS_NOTE_LOST, "Team_A", "MinRuntime" },
		{ QS_NOTE_REMARK, "Pool", "State" },
		{ QS_NOTE_REMARK, NULL, "GpuType" },
	};
	struct qs_notes notes;
	struct json_object *list = export(base, &notes);

	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		ck_assert_msg(find_note(&notes, told[i].kind, told[i].share,
					told[i].key) != NULL,
			      "%s is not told", told[i].key);
	json_object_put(list);
	qs_notes_clear(&notes);
}
END_TEST

static const struct {
	const char *from, *to;
} names[] = {
	{ "abc", "abc" },
	{ "Team_A", "team-a" },
	{ "A100.80gb", "a100.80gb" },
	{ "_x_", "x" },
	{ "a..b", "a--b" },
	{ "a.-b", "a--b" },
	{ "-", "x" },
	{ "a.", "a" },
	{ "\xc3\xa4", "x" },
	{ "nvidia_h100%80gb", "nvidia-h100-80gb" },
};

START_TEST(names_are_those_of_kubernetes)
{
	char to[QS_KUEUE_NAME_MAX + 1], long_name[400];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		qs_kueue_name(to, sizeof(to), names[i].from);
		ck_assert_str_eq(to, names[i].to);
	}
	memset(long_name, 'a', sizeof(long_name));
	long_name[399] = '\0';
	qs_kueue_name(to, sizeof(to), long_name);
	ck_assert_uint_eq(strlen(to), QS_KUEUE_NAME_MAX);
}
END_TEST

START_TEST(names_that_would_be_one_are_refused)
{
	struct qs_policy *policy = policy_of(
		"Queue=q\n"
		"Share=a-b Strategy=LEND InSharePreemption=NO Capacity=t:1\n"
		"Share=A_b Strategy=LEND InSharePreemption=NO Capacity=t:1\n");
	struct qs_notes notes = { 0 };
	struct qs_error err;

	ck_assert_ptr_null(
		qs_kueue_export(policy, "policy", NULL, &notes, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "the same in Kubernetes"));
	ck_assert_ptr_null(
		qs_kueue_export(policy, "policy", "p", &notes, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "there is no such queue"));
	qs_notes_clear(&notes);
	qs_policy_free(policy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aws kueue");
	TCase *core = tcase_create("core");

	tcase_add_loop_test(core, shares_become_cluster_queues, 0,
			    ARRAY_LEN(values));
	tcase_add_test(core, everything_that_is_named_is_there);
	tcase_add_test(core, differences_are_told);
	tcase_add_test(core, names_are_those_of_kubernetes);
	tcase_add_test(core, names_that_would_be_one_are_refused);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
