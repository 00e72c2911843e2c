/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_export_test.c - what does not fit into AWS
 *
 * An error, or with force less of it and a note; and a property over random
 * policies that fit nowhere: what is forced is within AWS's limits, never more
 * than there was, and told of whatever it is less in.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws_help.h"
#include "suite.h"

#define TYPES                                    \
	"GpuType=h100 Instance=ml.p5.48xlarge\n" \
	"GpuType=a10g Instance=ml.g5.xlarge\n"   \
	"GpuType=a10x Instance=ml.g5.xlarge\n"   \
	"GpuType=none\n"                         \
	"GpuType=t4 Instance=ml.g99.xlarge\n"
#define SHARE(capacity, more)                                            \
	"Share=A Queue=q Strategy=LEND_AND_BORROW InSharePreemption=NO " \
	"Capacity=" capacity " " more "\n"

struct odd_row {
	const char *name, *queue, *shares;
	const char *says; /* the error */
	/* with force: key and share of the note; NULL share: the queue's */
	const char *key, *share;
	int64_t left; /* GPUs of the share's first type then; -1: no share */
};

static const struct odd_row odd[] = {
	{ "no whole number", "", SHARE("h100:20", ""),
	  "policy:7: Capacity=h100:20: 20 GPUs are no whole number of "
	  "ml.p5.48xlarge, which has 8; expected a multiple of 8, or --force",
	  "Capacity", "A", 16 },
	{ "the pool no whole number", "Capacity=h100:20", SHARE("h100:16", ""),
	  "policy:6: Capacity=h100:20: 20 GPUs", "Capacity", NULL, 16 },
	{ "less than one", "", SHARE("h100:7,a10g:1", ""), "Capacity=h100:7",
	  "Capacity", "A", 1 },
	{ "the pool less than one", "Capacity=h100:7",
	  SHARE("h100:8,a10g:1", ""),
	  "policy:6: Capacity=h100:7: less than one ml.p5.48xlarge of 8",
	  "Capacity", NULL, 1 },
	{ "nothing owned", "", SHARE("a10g:2,h100:0", "BorrowGpus=h100:4"),
	  "Capacity=h100:0: a share of AWS cannot use what it does not own",
	  "Capacity", "A", 2 },
	{ "no instance", "", SHARE("a10g:1,none:1", ""),
	  "GpuType=none: the type has no Instance", "GpuType", NULL, 1 },
	{ "an unknown instance", "", SHARE("a10g:1,t4:1", ""),
	  "Instance=ml.g99.xlarge", "Instance", NULL, 1 },
	{ "an instance of two types", "", SHARE("a10g:1,a10x:2", ""),
	  "Instance=ml.g5.xlarge: GpuTypes a10g and a10x have the same",
	  "Instance", NULL, 1 },
};

static char *text_of(const struct odd_row *row)
{
	static char text[2000];

	snprintf(text, sizeof(text), TYPES "Queue=q %s\n%s", row->queue,
		 row->shares);
	return text;
}

START_TEST(what_does_not_fit_is_an_error)
{
	const struct odd_row *row = &odd[_i];
	struct qs_policy *policy = policy_of(text_of(row));
	struct qs_export_options options = plain_export();
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	struct qs_error err = { .text = "" };

	ck_assert_msg(qs_export(policy, instance_table(), &options, &setup,
				&notes, &err) == -1,
		      "%s: it was exported", row->name);
	ck_assert_msg(strstr(err.text, row->says), "%s: %s", row->name,
		      err.text);
	ck_assert_msg(strstr(err.text, "--force"), "%s: %s", row->name,
		      err.text);
	qs_notes_clear(&notes);
	qs_setup_clear(&setup);
	qs_policy_free(policy);
}
END_TEST

START_TEST(with_force_it_is_less_and_told)
{
	const struct odd_row *row = &odd[_i];
	struct qs_policy *policy = policy_of(text_of(row));
	struct qs_export_options options = plain_export();
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	const struct qs_note *note;
	struct qs_error err;

	options.force = true;
	ck_assert_msg(!qs_export(policy, instance_table(), &options, &setup,
				 &notes, &err),
		      "%s: %s", row->name, err.text);
	note = find_note(&notes, QS_NOTE_ROUNDED, row->share, row->key);
	ck_assert_msg(note && (row->share || !note->share), "%s: no note",
		      row->name);
	ck_assert_uint_eq(setup.nshares, 1);
	ck_assert_int_eq(
		setup.shares[0].limits.items[0].max *
			qs_instances_find(instance_table(),
					  setup.shares[0].limits.items[0].unit)
				->gpus,
		row->left);
	qs_notes_clear(&notes);
	qs_setup_clear(&setup);
	qs_policy_free(policy);
}
END_TEST

/* A queue of n shares, or of one share with n types. */
static struct qs_policy *many(int shares, int types)
{
	static const char *const units[] = { "ml.p3.2xlarge", "ml.g4dn.xlarge",
					     "ml.g5.xlarge",  "ml.g6.xlarge",
					     "ml.g6e.xlarge", "ml.p5.4xlarge",
					     "ml.g7.2xlarge" };
	char text[8000] = "Queue=q\n";
	size_t n = strlen(text);

	for (int t = 0; t < types; t++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "GpuType=t%d Instance=%s\n", t, units[t]);
	for (int s = 0; s < shares; s++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "Share=s%02d Strategy=LEND "
				      "InSharePreemption=NO Capacity=",
				      s);
		for (int t = 0; t < types; t++)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%st%d:%d", t ? "," : "", t,
					      10 - t);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\n");
	}
	return policy_of(text);
}

static int try(const struct qs_policy *policy, bool force,
	       struct qs_setup *setup, struct qs_notes *notes,
	       struct qs_error *err)
{
	struct qs_export_options options = plain_export();

	options.force = force;
	*setup = (struct qs_setup){ 0 };
	*notes = (struct qs_notes){ 0 };
	return qs_export(policy, instance_table(), &options, setup, notes, err);
}

START_TEST(twenty_shares_are_the_most)
{
	struct qs_setup setup;
	struct qs_notes notes;
	struct qs_error err;

	for (int n = 20; n <= 22; n++) {
		struct qs_policy *policy = many(n, 1);

		ck_assert_int_eq(try(policy, false, &setup, &notes, &err),
				 n == 20 ? 0 : -1);
		if (n > 20)
			ck_assert_ptr_nonnull(strstr(err.text, "at most 20"));
		qs_setup_clear(&setup);
		qs_notes_clear(&notes);
		ck_assert_int_eq(try(policy, true, &setup, &notes, &err), 0);
		ck_assert_uint_eq(setup.nshares, 20);
		for (int s = 20; s < n; s++) {
			char name[16];

			snprintf(name, sizeof(name), "s%02d", s);
			ck_assert_ptr_nonnull(find_note(&notes, QS_NOTE_ROUNDED,
							name, "Share"));
			ck_assert_ptr_null(
				qs_setup_find_share(&setup, "q", name));
		}
		qs_setup_clear(&setup);
		qs_notes_clear(&notes);
		qs_policy_free(policy);
	}
}
END_TEST

START_TEST(five_types_are_the_most)
{
	struct qs_setup setup;
	struct qs_notes notes;
	struct qs_error err;

	for (int n = 5; n <= 7; n++) {
		struct qs_policy *policy = many(2, n);

		ck_assert_int_eq(try(policy, false, &setup, &notes, &err),
				 n == 5 ? 0 : -1);
		if (n > 5)
			ck_assert_ptr_nonnull(strstr(err.text, "at most 5"));
		qs_setup_clear(&setup);
		qs_notes_clear(&notes);
		ck_assert_int_eq(try(policy, true, &setup, &notes, &err), 0);
		ck_assert_uint_eq(setup.environments[0].limits.n, 5);
		ck_assert_uint_eq(setup.shares[1].limits.n, 5);
		/* the smallest pools go */
		ck_assert_ptr_null(
			qs_aws_limits_find(&setup.environments[0].limits,
					   n > 5 ? "ml.p5.4xlarge" : "none"));
		qs_setup_clear(&setup);
		qs_notes_clear(&notes);
		qs_policy_free(policy);
	}
}
END_TEST

START_TEST(nothing_at_all_is_an_error_even_with_force)
{
	struct qs_policy *policy =
		policy_of(TYPES "Queue=q\n" SHARE("none:1", ""));
	struct qs_setup setup;
	struct qs_notes notes;
	struct qs_error err;

	ck_assert_int_eq(try(policy, true, &setup, &notes, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "nothing of it can go to AWS"));
	qs_setup_clear(&setup);
	qs_notes_clear(&notes);
	qs_policy_free(policy);
}
END_TEST

START_TEST(an_unknown_queue_is_an_error)
{
	struct qs_policy *policy =
		policy_of(TYPES "Queue=train\n"
				"Share=A Strategy=LEND InSharePreemption=NO "
				"Capacity=a10g:1\n");
	struct qs_export_options options = plain_export();
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	struct qs_error err;

	options.queue = "trian";
	ck_assert_int_eq(qs_export(policy, instance_table(), &options, &setup,
				   &notes, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.text, "did you mean train?"));
	qs_setup_clear(&setup);
	qs_notes_clear(&notes);
	qs_policy_free(policy);
}
END_TEST

/* AWS counts a percentage of instances: that is told where it matters. */
START_TEST(a_percentage_of_instances_is_told)
{
	static const struct {
		const char *share;
		bool told;
	} rows[] = {
		{ SHARE("h100:16", "BorrowLimit=25"), true },
		{ SHARE("h100:16", "BorrowLimit=50"), false },
		{ SHARE("h100:16", "BorrowLimit=0"), false },
		{ SHARE("h100:16", "BorrowLimit=-1"), false },
		{ SHARE("h100:16", ""), false },
		{ SHARE("a10g:16", "BorrowLimit=25"), false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[1000];
		struct qs_policy *policy;
		struct qs_setup setup;
		struct qs_notes notes;
		struct qs_error err;

		snprintf(text, sizeof(text), TYPES "Queue=q\n%s",
			 rows[i].share);
		policy = policy_of(text);
		ck_assert_int_eq(try(policy, false, &setup, &notes, &err), 0);
		ck_assert_msg(!!find_note(&notes, QS_NOTE_REMARK, "A",
					  "BorrowLimit") == rows[i].told,
			      "%s", rows[i].share);
		qs_setup_clear(&setup);
		qs_notes_clear(&notes);
		qs_policy_free(policy);
	}
}
END_TEST

/* Types without instances among those with; counts that do not divide. */
static struct qs_policy *random_policy(struct random *r)
{
	static const char *const units[] = { "ml.p3.16xlarge",
					     "ml.g4dn.12xlarge",
					     "ml.g5.48xlarge",
					     "ml.g6.xlarge",
					     NULL,
					     "ml.p5.48xlarge",
					     "ml.g7.12xlarge",
					     "ml.unknown" };
	char text[16000] = "Queue=q ";
	unsigned shares = 1 + pick(r, 24), types = 1 + pick(r, 8);
	size_t n = strlen(text);

#define ADD(...) n += (size_t)snprintf(text + n, sizeof(text) - n, __VA_ARGS__)
	for (unsigned t = 0, first = 1; t < types; t++)
		if (!pick(r, 3)) {
			ADD("%st%u:%u", first ? "Capacity=" : ",", t,
			    pick(r, 100));
			first = 0;
		}
	ADD("\n");
	for (unsigned t = 0; t < types; t++)
		if (units[t])
			ADD("GpuType=t%u Instance=%s\n", t, units[t]);
	for (unsigned s = 0; s < shares; s++) {
		unsigned mask = 1 + pick(r, (1u << types) - 1), first = 1;

		ADD("Share=s%02u Strategy=LEND_AND_BORROW "
		    "InSharePreemption=YES Capacity=",
		    s);
		for (unsigned t = 0; t < types; t++)
			if (mask & 1u << t) {
				ADD("%st%u:%u", first ? "" : ",", t,
				    1 + pick(r, 40));
				first = 0;
			}
		ADD("\n");
	}
#undef ADD
	return policy_of(text);
}

/* GPUs of a type that a share has in AWS. */
static int64_t gpus_left(const struct qs_setup *setup,
			 const struct qs_policy *policy, int s, int t)
{
	const struct qs_aws_share *share =
		qs_setup_find_share(setup, "q", policy->shares[s].name);
	const char *unit = policy->types[t].instance;
	const struct qs_aws_limit *limit =
		share && unit ? qs_aws_limits_find(&share->limits, unit) : NULL;

	return limit ? limit->max *
			       qs_instances_find(instance_table(), unit)->gpus :
		       0;
}

static bool is_told(const struct qs_notes *notes, const char *share,
		    const char *type)
{
	for (size_t i = 0; i < notes->n; i++) {
		const struct qs_note *note = &notes->items[i];
		const char *at;

		if (note->kind != QS_NOTE_ROUNDED)
			continue;
		if (note->share && strcmp(note->share, share))
			continue;
		if (note->share && !strcmp(note->key, "Share"))
			return true;
		at = strstr(note->text, type);
		if (at && (at == note->text || at[-1] == ' ') &&
		    !strchr("0123456789", at[strlen(type)]))
			return true;
	}
	return false;
}

static void check_forced(const struct qs_policy *policy, int seed)
{
	struct qs_setup setup, strict;
	struct qs_notes notes, strict_notes;
	struct qs_error err;
	bool rounded = false;
	int rc = try(policy, true, &setup, &notes, &err);

	for (size_t i = 0; i < notes.n; i++)
		rounded = rounded || notes.items[i].kind == QS_NOTE_ROUNDED;
	/* Without force: an error if and only if there is something to round */
	ck_assert_msg(!!try(policy, false, &strict, &strict_notes, &err) ==
			      (rounded || rc),
		      "seed %d", seed);
	qs_setup_clear(&strict);
	qs_notes_clear(&strict_notes);
	ck_assert_uint_le(setup.nshares, 20);
	for (size_t s = 0; s < setup.nshares; s++) {
		ck_assert_uint_ge(setup.shares[s].limits.n, 1);
		ck_assert_uint_le(setup.shares[s].limits.n, 5);
	}
	if (!rc)
		ck_assert_uint_le(setup.environments[0].limits.n, 5);
	for (int s = 0; !rc && s < policy->nshares; s++)
		for (int t = 0; t < policy->ntypes; t++) {
			const struct qs_quota *quota =
				qs_policy_quota(policy, s, t);
			int64_t left = gpus_left(&setup, policy, s, t);

			ck_assert_int_le(left, quota->capacity);
			ck_assert_msg(
				left == quota->capacity ||
					is_told(&notes, policy->shares[s].name,
						policy->types[t].name),
				"seed %d: share %s has %d of %d %s, and "
				"nobody told",
				seed, policy->shares[s].name, (int)left,
				(int)quota->capacity, policy->types[t].name);
		}
	qs_setup_clear(&setup);
	qs_notes_clear(&notes);
}

START_TEST(what_is_forced_fits_and_is_told)
{
	for (int i = 0; i < 100; i++) {
		struct random r = { (uint64_t)(_i * 100 + i) * 7919 + 3 };
		struct qs_policy *policy = random_policy(&r);

		check_forced(policy, _i * 100 + i);
		qs_policy_free(policy);
	}
}
END_TEST

/* Calls in the order in which AWS can make them, each document named once. */
START_TEST(the_script_calls_in_order)
{
	static const char *const steps[] = { "create-scheduling-policy",
					     "scheduling-policy-q.json",
					     "create-service-environment",
					     "service-environment-q.json",
					     "describe-service-environments",
					     "create-job-queue",
					     "job-queue-q.json",
					     "--scheduling-policy-arn \"$arn\"",
					     "describe-job-queues",
					     "quota-share-s00.json",
					     "quota-share-s01.json" };
	struct qs_policy *policy = many(2, 1);
	struct qs_setup setup;
	struct qs_notes notes;
	struct qs_error err;
	char *text;
	const char *at;

	ck_assert_int_eq(try(policy, false, &setup, &notes, &err), 0);
	text = qs_export_script(&setup);
	at = strstr(text, "# job queue q");
	ck_assert_ptr_nonnull(at);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		at = strstr(at, steps[i]);
		ck_assert_msg(at != NULL, "no %s in its place in\n%s", steps[i],
			      text);
		at++;
	}
	free(text);
	qs_setup_clear(&setup);
	qs_notes_clear(&notes);
	qs_policy_free(policy);
}
END_TEST

/* Without region and account placeholders stand in the ARN, and are read as
 * unknown; a region decides the partition. */
START_TEST(arns_name_region_and_account)
{
	static const struct {
		const char *region, *account, *arn;
	} rows[] = {
		{ NULL, NULL,
		  "arn:aws:batch:REGION:ACCOUNT:scheduling-policy/q" },
		{ "eu-west-1", NULL,
		  "arn:aws:batch:eu-west-1:ACCOUNT:scheduling-policy/q" },
		{ "cn-north-1", "123456789012",
		  "arn:aws-cn:batch:cn-north-1:123456789012:"
		  "scheduling-policy/q" },
		{ "us-gov-west-1", "123456789012",
		  "arn:aws-us-gov:batch:us-gov-west-1:123456789012:"
		  "scheduling-policy/q" },
	};
	struct qs_policy *policy = many(1, 1);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct qs_export_options options = plain_export();
		struct qs_setup setup = { 0 };
		struct qs_notes notes = { 0 };
		struct json_object *document, *arn;
		struct qs_error err;

		options.region = rows[i].region;
		options.account = rows[i].account;
		ck_assert_int_eq(qs_export(policy, instance_table(), &options,
					   &setup, &notes, &err),
				 0);
		document = qs_document_queue(&setup, &setup.queues[0]);
		ck_assert(json_object_object_get_ex(
			document, "schedulingPolicyArn", &arn));
		ck_assert_str_eq(json_object_get_string(arn), rows[i].arn);
		json_object_put(document);
		qs_setup_clear(&setup);
		qs_notes_clear(&notes);
	}
	qs_policy_free(policy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aws export");
	TCase *core = tcase_create("core");
	TCase *limits = tcase_create("limits");

	tcase_add_test(core, an_unknown_queue_is_an_error);
	tcase_add_test(core, a_percentage_of_instances_is_told);
	tcase_add_test(core, the_script_calls_in_order);
	tcase_add_test(core, arns_name_region_and_account);
	tcase_add_loop_test(limits, what_does_not_fit_is_an_error, 0,
			    ARRAY_LEN(odd));
	tcase_add_loop_test(limits, with_force_it_is_less_and_told, 0,
			    ARRAY_LEN(odd));
	tcase_add_test(limits, twenty_shares_are_the_most);
	tcase_add_test(limits, five_types_are_the_most);
	tcase_add_test(limits, nothing_at_all_is_an_error_even_with_force);
	tcase_add_loop_test(limits, what_is_forced_fits_and_is_told, 0, 5);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, limits);
	return suite_run(suite);
}
