/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine_turns_test.c - how safe a running job is (R4, R10, R13)
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/scenario.h"
#include "engine/turns.h"

#include "suite.h"

#define POLICY                                                           \
	"\"policy\":[\"Queue=q Partitions=p\","                          \
	"\"Share=A Accounts=a Capacity=h100:4 Strategy=LEND "            \
	"InSharePreemption=NO\","                                        \
	"\"Share=B Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW " \
	"InSharePreemption=NO\","                                        \
	"\"Share=C Accounts=c Capacity=h100:2 Strategy=LEND_AND_BORROW " \
	"InSharePreemption=NO MinRuntime=%d\"],\"now\":1000,"
#define RUNS(id, share, gpus, priority, start)               \
	"{\"id\":" #id ",\"share\":\"" #share                \
	"\",\"state\":\"RUNNING\",\"gpus\":{\"h100\":" #gpus \
	"},\"priority\":" #priority ",\"eligible\":1,\"start\":" #start "}"

/* B: 11 own, 12 partly, 13 borrowed; C: 21 own, 22 borrowed. On loan: 3 of B
 * on 2 owned, 1 of C on 2: B pays first. */
static const char jobs[] = RUNS(11, B, 1, 9, 10) "," RUNS(12, B, 2, 5, 20) //
	"," RUNS(13, B, 2, 1, 30) "," RUNS(21, C, 2, 0, 10)                //
	"," RUNS(22, C, 1, 0, 995);

static struct qs_scenario *read_scenario(int min_runtime, const char *more)
{
	struct qs_scenario *scenario;
	struct qs_error err = { 0 };
	char text[4096];
	int n;

	n = snprintf(text, sizeof(text), "{" POLICY "\"jobs\":[%s%s]}",
		     min_runtime, jobs, more);
	ck_assert_int_lt(n, (int)sizeof(text));
	scenario =
		qs_scenario_read_text("test", NULL, text, strlen(text), &err);
	ck_assert_msg(scenario != NULL, "%s", err.text);
	return scenario;
}

static const struct qs_turn *of(const struct qs_snapshot *snap,
				const struct qs_turn *turns, uint32_t n,
				uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (snap->jobs[turns[i].job].id == id)
			return &turns[i];
	ck_abort_msg("no turn of job %u", id);
	return NULL;
}

/* After 13, B has 1 of 2 on loan, as C has: the tie is the name (R10). */
static const struct {
	uint32_t id, own, beyond, turn;
} expected[] = {
	{ 11, 1, 0, 0 }, { 12, 1, 1, 2 }, { 13, 0, 2, 1 },
	{ 21, 2, 0, 0 }, { 22, 0, 1, 3 },
};

START_TEST(own_and_order)
{
	struct qs_scenario *scenario = read_scenario(0, "");
	struct qs_turn *turns;
	uint32_t n;

	ck_assert_int_eq(qs_turns_make(scenario->snap, &turns, &n), 0);
	ck_assert_uint_eq(n, 5);
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		const struct qs_turn *turn =
			of(scenario->snap, turns, n, expected[i].id);

		ck_assert_msg(turn->own == expected[i].own &&
				      turn->beyond == expected[i].beyond &&
				      turn->turn == expected[i].turn,
			      "job %u: own %u, beyond %u, turn %u",
			      expected[i].id, turn->own, turn->beyond,
			      turn->turn);
	}
	free(turns);
	qs_scenario_free(scenario);
}
END_TEST

/* What the event log needs in each round: the same but for who goes when. */
START_TEST(split_without_order)
{
	struct qs_scenario *scenario = read_scenario(0, "");
	struct qs_turn *turns;
	uint32_t n;

	ck_assert_int_eq(qs_turns_split(scenario->snap, &turns, &n), 0);
	ck_assert_uint_eq(n, 5);
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		const struct qs_turn *turn =
			of(scenario->snap, turns, n, expected[i].id);

		ck_assert_uint_eq(turn->own, expected[i].own);
		ck_assert_uint_eq(turn->beyond, expected[i].beyond);
		ck_assert_uint_eq(turn->turn, 0);
	}
	free(turns);
	qs_scenario_free(scenario);
}
END_TEST

START_TEST(protected_jobs_have_no_turn)
{
	struct qs_scenario *scenario = read_scenario(60, "");
	const struct qs_turn *turn;
	struct qs_turn *turns;
	uint32_t n;

	ck_assert_int_eq(qs_turns_make(scenario->snap, &turns, &n), 0);
	turn = of(scenario->snap, turns, n, 22);
	ck_assert_uint_eq(turn->turn, 0);
	ck_assert_int_eq(turn->protected_until, 1055);
	/* own: not in danger, so not protected either */
	ck_assert_int_eq(of(scenario->snap, turns, n, 21)->protected_until, 0);
	free(turns);
	qs_scenario_free(scenario);
}
END_TEST

/* R23: the first in turn is whom the planner takes for one GPU. */
START_TEST(first_turn_is_the_planners_victim)
{
	struct qs_scenario *scenario = read_scenario(
		0, ",{\"id\":99,\"share\":\"A\",\"state\":\"PENDING\","
		   "\"gpus\":{\"h100\":1},\"eligible\":900}");
	struct qs_plan *plan = qs_plan_make(scenario->snap);
	const struct qs_decision *d;
	struct qs_turn *turns;
	uint32_t n;

	ck_assert_ptr_nonnull(plan);
	d = qs_plan_find(plan, 99);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(d->nvictims, 1);
	ck_assert_int_eq(qs_turns_make(scenario->snap, &turns, &n), 0);
	ck_assert_uint_eq(
		of(scenario->snap, turns, n, plan->victims[d->victims].id)
			->turn,
		1);
	free(turns);
	qs_plan_free(plan);
	qs_scenario_free(scenario);
}
END_TEST

START_TEST(nobody_runs)
{
	static const char text[] =
		"{\"policy\":[\"Queue=q Partitions=p\",\"Share=A Accounts=a Capacity=h100:4 "
		"Strategy=LEND InSharePreemption=NO\"],\"now\":1,"
		"\"jobs\":[]}";
	struct qs_error err = { 0 };
	struct qs_scenario *scenario =
		qs_scenario_read_text("test", NULL, text, strlen(text), &err);
	struct qs_turn *turns;
	uint32_t n;

	ck_assert_msg(scenario != NULL, "%s", err.text);
	ck_assert_int_eq(qs_turns_make(scenario->snap, &turns, &n), 0);
	ck_assert_uint_eq(n, 0);
	free(turns);
	qs_scenario_free(scenario);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("turns");
	TCase *core = tcase_create("core");

	tcase_add_test(core, own_and_order);
	tcase_add_test(core, split_without_order);
	tcase_add_test(core, protected_jobs_have_no_turn);
	tcase_add_test(core, first_turn_is_the_planners_victim);
	tcase_add_test(core, nobody_runs);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
