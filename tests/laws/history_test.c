/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history_test.c - random histories keep the laws of time
 *
 * By hand: QS_LAWS_N=10000 ./history_test
 */
#include <check.h>
#include <inttypes.h>

#include "../unit/suite.h"
#include "history.h"
#include "seeds.h"

#define HISTORIES 250

enum {
	PLAIN,
	MANY,
	TYPES,
	POLICIES,
	NODES,
	NODES_TYPES,
	NODES_NEWS,
};

struct kind {
	const char *name;
	struct law_history_kind kind;
};

static const struct kind kinds[] = {
	[PLAIN] = { "history", { .taste = { .many = false } } },
	[MANY] = { "history-many", { .taste = { .many = true } } },
	[TYPES] = { "history-types", { .taste = { .types = true } } },
	[POLICIES] = { "history-policies",
		       { .taste = { .many = false }, .policies = true } },
	[NODES] = { "history-nodes", { .taste = { .nodes = true } } },
	[NODES_TYPES] = { "history-nodes-types",
			  { .taste = { .nodes = true, .types = true } } },
	[NODES_NEWS] = { "history-nodes-news",
			 { .taste = { .nodes = true },
			   .policies = true,
			   .node_news = true } },
};

static void must_keep(uint64_t seed, const void *arg)
{
	const struct kind *k = arg;
	struct law_world world;
	struct law_history_cut cut;
	char why[LAW_WHY_MAX] = "";
	int left = 0;

	if (law_history_run(&k->kind, seed, NULL, &world, why, sizeof(why)))
		return;
	law_history_shrink(&k->kind, seed, &cut, &world, why, sizeof(why));
	for (int i = 0; i < LAW_SUBMISSIONS; i++)
		left += !cut.without[i];
	ck_abort_msg("%s: seed %" PRIu64 ": %s; also with %d submissions; "
		     "before that plan: %s",
		     k->name, seed, why, left,
		     law_hunt_save(k->name, seed, &world));
}

START_TEST(test_history)
{
	const struct law_history_stats *s = &law_history_stats;

	law_seeds_try(kinds[_i].name, "histories", HISTORIES, must_keep,
		      &kinds[_i]);
	printf("  %" PRIu64 " steps, %" PRIu64 " starts (%" PRIu64
	       " borrowed), %" PRIu64 " stopped, %" PRIu64 " requeued, %" PRIu64
	       " looks at a claim, rest after %" PRIu64 " steps\n",
	       s->steps, s->starts, s->borrows, s->stops, s->requeued,
	       s->claims_kept, s->settled_in / s->histories);
	/* Histories in which nothing happens would prove nothing. */
	if (s->histories < 100)
		return;
	ck_assert_uint_gt(s->stops, s->histories / 4 * 3);
	ck_assert_uint_gt(s->claims_kept, s->histories / 10);
}
END_TEST

/* Found once, after many others: tried each time. */
static const struct {
	const char *what;
	int kind;
	uint64_t seed;
} found[] = {
	{ "R14 outlives the policy: an owner starves", POLICIES, 5902017707 },
	{ "R8 borrows what an owner gets when its job has ended", POLICIES,
	  9365028096 },
	{ "R8 borrows what an owner waits for a node for", NODES_TYPES,
	  8000101 },
	{ "a claimant is forgiven what is owed to owners who came since",
	  NODES_TYPES, 913154009475 },
	{ "a claimant takes what was freed for one who claimed later", NODES,
	  1683005050 },
	{ "a claimant takes a part of what is freed for another", NODES,
	  3431010294 },
	{ "two claims of one node", NODES_TYPES, 2841008524 },
	{ "a claimant spreads to another's node", NODES_TYPES, 1436004341 },
	{ "a claimant of two nodes takes all of one", NODES_NEWS, 25000108 },
	{ "an owner's own share borrows past its claim", NODES_TYPES,
	  7619022890 },
};

START_TEST(test_found)
{
	must_keep(found[_i].seed, &kinds[found[_i].kind]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("history");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 0);
	tcase_add_loop_test(core, test_history, 0, ARRAY_LEN(kinds));
	tcase_add_loop_test(core, test_found, 0, ARRAY_LEN(found));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
