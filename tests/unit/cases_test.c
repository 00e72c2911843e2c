/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cases_test.c - every file of tests/cases through the real qshare plan
 *
 * "expect" maps a pending job's id to the fields of its decision that are
 * checked, or to a list of them where an array job has several decisions;
 * "expect_shares" has rows of the share table, found by share and type;
 * "expect_order" the ids in the order in which they must be served.
 */
#include <check.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "run.h"
#include "suite.h"

static struct json_object *get(struct json_object *json, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(json, key, &value);
	return value;
}

static const char *text(struct json_object *json)
{
	return json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN);
}

/* Every field of want must be in got, and equal. */
static void compare(const char *what, struct json_object *want,
		    struct json_object *got)
{
	json_object_object_foreach(want, key, value)
	{
		struct json_object *is = NULL;

		ck_assert_msg(json_object_object_get_ex(got, key, &is),
			      "%s has no %s: %s", what, key, text(got));
		ck_assert_msg(json_object_equal(value, is),
			      "%s: %s is not as expected:\n  %s\n  %s", what,
			      key, text(value), text(got));
	}
}

/* The nth decision of a job, NULL. */
static struct json_object *decision(struct json_object *plan, int64_t id,
				    size_t nth)
{
	struct json_object *list = get(plan, "decisions");

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *d = json_object_array_get_idx(list, i);

		if (json_object_get_int64(get(d, "job")) == id && !nth--)
			return d;
	}
	return NULL;
}

static void check_expect(struct json_object *scenario, struct json_object *plan)
{
	struct json_object *expect = get(scenario, "expect");
	char what[64];

	json_object_object_foreach(expect, id, want)
	{
		bool list = json_object_is_type(want, json_type_array);
		size_t n = list ? json_object_array_length(want) : 1;

		for (size_t i = 0; i < n; i++) {
			struct json_object *got = decision(plan, atoll(id), i);

			snprintf(what, sizeof(what), "job %s", id);
			ck_assert_msg(got != NULL, "no decision %zu for %s", i,
				      what);
			compare(what,
				list ? json_object_array_get_idx(want, i) :
				       want,
				got);
		}
		ck_assert_msg(!decision(plan, atoll(id), n),
			      "more decisions for job %s", id);
	}
}

static void check_shares(struct json_object *scenario, struct json_object *plan)
{
	struct json_object *rows = get(scenario, "expect_shares");
	struct json_object *shares = get(plan, "shares");
	size_t n = rows ? json_object_array_length(rows) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *want = json_object_array_get_idx(rows, i);
		bool found = false;

		for (size_t s = 0; s < json_object_array_length(shares); s++) {
			struct json_object *row =
				json_object_array_get_idx(shares, s);

			if (!json_object_equal(get(want, "share"),
					       get(row, "share")) ||
			    !json_object_equal(get(want, "type"),
					       get(row, "type")))
				continue;
			compare("the share row", want, row);
			found = true;
		}
		ck_assert_msg(found, "no row like %s", text(want));
	}
}

static void check_order(struct json_object *scenario, struct json_object *plan)
{
	struct json_object *want = get(scenario, "expect_order");
	struct json_object *list = get(plan, "decisions");

	if (!want)
		return;
	ck_assert_uint_eq(json_object_array_length(want),
			  json_object_array_length(list));
	for (size_t i = 0; i < json_object_array_length(want); i++)
		ck_assert_msg(
			json_object_equal(
				json_object_array_get_idx(want, i),
				get(json_object_array_get_idx(list, i), "job")),
			"order is not as expected: %s", text(list));
}

/* A decision for each pending job, none for others. */
static void check_complete(struct json_object *scenario,
			   struct json_object *plan)
{
	struct json_object *jobs = get(scenario, "jobs");

	for (size_t i = 0; i < json_object_array_length(jobs); i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);
		const char *state = json_object_get_string(get(job, "state"));
		int64_t id = json_object_get_int64(get(job, "id"));

		ck_assert_msg(!decision(plan, id, 0) ==
				      !!strcmp(state, "PENDING"),
			      "job %d", (int)id);
	}
}

START_TEST(a_case)
{
	const char *path = cases_path(_i);
	struct json_object *scenario, *plan;
	struct run run;

	scenario = json_object_from_file(path);
	ck_assert_msg(scenario != NULL, "%s: %s", path,
		      json_util_get_last_err());
	ck_assert_msg(get(scenario, "expect") || get(scenario, "expect_shares"),
		      "%s expects nothing", path);
	run_qshare(&run, NULL, "plan", path, NULL);
	ck_assert_msg(run.code == 0, "%s: exit code %d: %s", cases_name(_i),
		      run.code, run.err);
	ck_assert_str_eq(run.err, "");
	plan = json_tokener_parse(run.out);
	ck_assert_msg(plan != NULL, "%s: no JSON:\n%s", cases_name(_i),
		      run.out);
	printf("%s: %s\n", cases_name(_i),
	       json_object_get_string(get(scenario, "name")));
	check_complete(scenario, plan);
	if (get(scenario, "expect"))
		check_expect(scenario, plan);
	check_shares(scenario, plan);
	check_order(scenario, plan);
	json_object_put(scenario);
	json_object_put(plan);
	run_clear(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cases");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 90);
	tcase_add_loop_test(core, a_case, 0, cases_find(core));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
