/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict_test.c - the answer to what-if, for who may see others' jobs and not
 *
 * On the scenario files of tests/cases: each job that waits there.
 */
#include <check.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "conf/scenario.h"
#include "conf/verdict.h"
#include "cases.h"
#include "suite.h"

static int ncases;

struct count {
	int jobs, victims, named;
};

static struct json_object *field(struct json_object *from, const char *key)
{
	struct json_object *value;

	ck_assert_msg(json_object_object_get_ex(from, key, &value),
		      "no %s in %s", key, json_object_to_json_string(from));
	return value;
}

static int64_t number(struct json_object *from, const char *key)
{
	return json_object_get_int64(field(from, key));
}

/* What both have in common is the same. */
static void compare_rest(struct json_object *whole,
			 struct json_object *nameless)
{
	json_object_object_foreach(whole, key, value)
	{
		struct json_object *other = field(nameless, key);

		if (!strcmp(key, "victims") || !strcmp(key, "text"))
			continue;
		ck_assert_str_eq(json_object_to_json_string(value),
				 json_object_to_json_string(other));
	}
	ck_assert_int_eq(json_object_object_length(whole),
			 json_object_object_length(nameless));
}

static void compare(struct json_object *whole, struct json_object *nameless,
		    struct count *count)
{
	struct json_object *victims = field(whole, "victims");
	struct json_object *total = field(nameless, "victims_total");
	const char *open = json_object_get_string(field(whole, "text"));
	const char *text = json_object_get_string(field(nameless, "text"));
	size_t n = json_object_array_length(victims);
	int64_t gpus = 0;

	for (size_t i = 0; i < n; i++)
		gpus += number(json_object_array_get_idx(victims, i), "gpus");
	ck_assert_int_eq(number(total, "jobs"), (int64_t)n);
	ck_assert_int_eq(number(total, "gpus"), gpus);
	ck_assert_ptr_null(field(nameless, "victims"));
	ck_assert_msg(!strstr(text, "JobId"), "%s", text);
	if (!strstr(open, "JobId"))
		ck_assert_str_eq(open, text);
	compare_rest(whole, nameless);
	count->jobs++;
	count->victims += n > 0;
	count->named += !n && strstr(open, "JobId");
}

static void try_case(const char *path, struct count *count)
{
	struct qs_error err;
	struct qs_scenario *scenario = qs_scenario_read_file(path, &err);
	struct qs_plan *plan;

	ck_assert_msg(scenario, "%s", err.text);
	plan = qs_plan_make(scenario->snap);
	ck_assert_ptr_nonnull(plan);
	for (uint32_t i = 0; i < scenario->snap->njobs; i++) {
		struct json_object *whole, *nameless;

		whole = qs_verdict_json(scenario->snap, plan, i, true);
		nameless = qs_verdict_json(scenario->snap, plan, i, false);
		ck_assert_int_eq(!whole, !nameless);
		if (whole)
			compare(whole, nameless, count);
		json_object_put(whole);
		json_object_put(nameless);
	}
	qs_plan_free(plan);
	qs_scenario_free(scenario);
}

START_TEST(test_names)
{
	struct count count = { 0 };

	for (int i = 0; i < ncases; i++)
		try_case(cases_path(i), &count);
	/* Those with victims, and those that wait for a job with a name. */
	ck_assert_int_gt(count.jobs, ncases);
	ck_assert_int_gt(count.victims, 0);
	ck_assert_int_gt(count.named, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("verdict");
	TCase *core = tcase_create("core");

	ncases = cases_find(core);
	tcase_add_test(core, test_names);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
