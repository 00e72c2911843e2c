/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_test.c - the planner against a second opinion
 *
 * By hand: QS_LAWS_N=100000 ./oracle_test
 */
#include <check.h>

#include "../unit/suite.h"
#include "oracle.h"

/* About ten seconds together. */
#define WORLDS 4000

static bool agrees(const struct law_world *world, char *why, size_t size)
{
	struct law_view view;
	struct qs_plan *plan;
	bool same;

	law_view_make(&view, world, 0);
	plan = qs_plan_make(view.snap);
	ck_assert_ptr_nonnull(plan);
	same = law_oracle_agrees(world, &view, plan, why, size);
	qs_plan_free(plan);
	law_view_free(&view);
	return same;
}

enum {
	ONE_TYPE,
	TYPES,
	EXTRAS,
	CLAIMS,
	MANY,
	NODES,
	NODES_TYPES,
	NODES_CLAIMS,
	NODES_EXTRAS,
	NODES_MANY,
};

static const struct {
	const char *name;
	struct law_taste taste;
} tastes[] = {
	[ONE_TYPE] = { "oracle-one-type", { .types = false } },
	[TYPES] = { "oracle-types", { .types = true } },
	[EXTRAS] = { "oracle-extras", { .extras = true } },
	[CLAIMS] = { "oracle-claims", { .claims = true } },
	[MANY] = { "oracle-many",
		   { .types = true,
		     .many = true,
		     .claims = true,
		     .extras = true } },
	[NODES] = { "oracle-nodes", { .nodes = true } },
	[NODES_TYPES] = { "oracle-nodes-types",
			  { .nodes = true, .types = true } },
	[NODES_CLAIMS] = { "oracle-nodes-claims",
			   { .nodes = true, .claims = true } },
	[NODES_EXTRAS] = { "oracle-nodes-extras",
			   { .nodes = true, .extras = true } },
	[NODES_MANY] = { "oracle-nodes-many",
			 { .nodes = true,
			   .types = true,
			   .many = true,
			   .claims = true,
			   .extras = true } },
};

START_TEST(test_agrees)
{
	const struct law_oracle_stats *s = &law_oracle_stats;

	law_hunt(tastes[_i].name, agrees, &tastes[_i].taste, WORLDS);
	printf("  %lu decisions: %lu start (%lu borrow, %lu reclaim, %lu in "
	       "the share), %lu wait, %lu never; victims: %lu exact, %lu by "
	       "the rules\n",
	       (unsigned long)s->decisions, (unsigned long)s->starts,
	       (unsigned long)s->borrows, (unsigned long)s->reclaims,
	       (unsigned long)s->in_share, (unsigned long)s->waits,
	       (unsigned long)s->never, (unsigned long)s->exact_sets,
	       (unsigned long)s->searched_sets);
	/* Worlds in which nothing happens would prove nothing. */
	if (s->worlds < 1000)
		return;
	ck_assert_uint_gt(s->borrows, s->worlds / 100);
	ck_assert_uint_gt(s->reclaims, s->worlds / 100);
	ck_assert_uint_gt(s->in_share, s->worlds / 200);
	ck_assert_uint_gt(s->codes[QS_CODE_ENDING], s->worlds / 200);
	ck_assert_uint_gt(s->codes[QS_CODE_ORDER], s->worlds / 200);
	ck_assert_uint_gt(s->codes[QS_CODE_PROTECTED], s->worlds / 1000);
}
END_TEST

/* Found once, after many others: tried each time. */
static const struct {
	const char *what;
	int taste;
	uint64_t seed;
} found[] = {
	{ "a partly own victim makes others own", NODES, 88578265735 },
	{ "a stuck loan becomes own", NODES_EXTRAS, 505634016903 },
	{ "who wants no CPU fits where all are promised", NODES_EXTRAS,
	  1422279066868 },
	{ "a need kept on nodes that nobody names is before a claim's",
	  NODES_MANY, 1216369049130 },
};

START_TEST(test_found)
{
	law_hunt_one(tastes[found[_i].taste].name, agrees,
		     &tastes[found[_i].taste].taste, found[_i].seed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("oracle");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 0);
	tcase_add_loop_test(core, test_agrees, 0, ARRAY_LEN(tastes));
	tcase_add_loop_test(core, test_found, 0, ARRAY_LEN(found));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
