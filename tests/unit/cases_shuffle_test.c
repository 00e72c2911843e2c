/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cases_shuffle_test.c - law 4: any order of the input gives the same bytes
 *
 * Every file of tests/cases, with its lists, the lines of its policy and the
 * keys of its objects in many random orders (the seed is in the message).
 */
#include <check.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/scenario.h"
#include "engine/plan.h"

#include "cases.h"
#include "suite.h"

#define SEEDS 40

static uint64_t state;

static size_t pick(size_t n)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (size_t)(state >> 33) % n;
}

static void shuffle(void **items, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = pick(i);
		void *item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}

static struct json_object *shuffled(struct json_object *json);

static struct json_object *shuffled_array(struct json_object *json)
{
	struct json_object *copy = json_object_new_array();
	size_t n = json_object_array_length(json);
	void **items = calloc(n + 1, sizeof(*items));

	ck_assert_ptr_nonnull(items);
	for (size_t i = 0; i < n; i++)
		items[i] = json_object_array_get_idx(json, i);
	shuffle(items, n);
	for (size_t i = 0; i < n; i++)
		json_object_array_add(copy, shuffled(items[i]));
	free(items);
	return copy;
}

static struct json_object *shuffled_object(struct json_object *json)
{
	struct json_object *copy = json_object_new_object();
	size_t n = 0;
	void **items = calloc((size_t)json_object_object_length(json) + 1,
			      sizeof(*items));

	ck_assert_ptr_nonnull(items);
	json_object_object_foreach(json, name, item)
	{
		(void)item;
		items[n++] = name;
	}
	shuffle(items, n);
	for (size_t i = 0; i < n; i++) {
		struct json_object *value;

		json_object_object_get_ex(json, items[i], &value);
		/* an account and its parents: nearest first */
		if (!strcmp(items[i], "account"))
			value = json_object_get(value);
		else
			value = shuffled(value);
		json_object_object_add(copy, items[i], value);
	}
	free(items);
	return copy;
}

/* A new object with everything in another order. */
static struct json_object *shuffled(struct json_object *json)
{
	if (json_object_is_type(json, json_type_object))
		return shuffled_object(json);
	if (json_object_is_type(json, json_type_array))
		return shuffled_array(json);
	return json_object_get(json);
}

static char *answer(const char *file, const char *text)
{
	struct qs_error err;
	struct qs_scenario *scenario;
	struct qs_plan *plan;
	char *printed;

	scenario = qs_scenario_read_text(file, cases_folder(), text,
					 strlen(text), &err);
	ck_assert_msg(scenario != NULL, "%s\n%s", err.text, text);
	plan = qs_plan_make(scenario->snap);
	ck_assert_ptr_nonnull(plan);
	printed = qs_scenario_print(scenario->snap, plan);
	ck_assert_ptr_nonnull(printed);
	qs_plan_free(plan);
	qs_scenario_free(scenario);
	return printed;
}

START_TEST(any_order_gives_the_same_bytes)
{
	struct json_object *json, *other;
	char *first, *again;

	json = json_object_from_file(cases_path(_i));
	ck_assert_ptr_nonnull(json);
	/* a policy's lists of accounts and the like stay as they are */
	first = answer(cases_name(_i), json_object_to_json_string(json));
	for (int seed = 0; seed < SEEDS; seed++) {
		const char *text;

		state = (uint64_t)seed * 7919 + 1;
		other = shuffled(json);
		text = json_object_to_json_string(other);
		again = answer(cases_name(_i), text);
		ck_assert_msg(!strcmp(first, again),
			      "%s: seed %d:\n%s\ngives\n%sbut should\n%s",
			      cases_name(_i), seed, text, again, first);
		free(again);
		json_object_put(other);
	}
	free(first);
	json_object_put(json);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cases, shuffled");
	TCase *laws = tcase_create("laws");

	tcase_set_timeout(laws, 60);
	tcase_add_loop_test(laws, any_order_gives_the_same_bytes, 0,
			    cases_find(laws));
	suite_add_tcase(suite, laws);
	return suite_run(suite);
}
