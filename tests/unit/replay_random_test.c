/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_random_test.c - what must hold for any trace under any policy
 *
 * By hand: QS_LAWS_N=10000 ./replay_random_test tries so many random traces,
 * from QS_LAWS_SEED on.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>

#include "replay/baseline.h"
#include "../laws/random.h"
#include "../laws/seeds.h"
#include "../laws/watch.h"

#include "replay_help.h"
#include "suite.h"

/* Numbers are drawn one after the other: what an argument or an initializer
 * does is done in any order. */
static struct qs_policy *random_policy(struct law_random *r)
{
	static const char *const strategies[] = { "RESERVE", "LEND",
						  "LEND_AND_BORROW",
						  "LEND_AND_BORROW" };
	uint32_t grace = law_random_below(r, 60),
		 strict = law_random_below(r, 2), fifo = law_random_below(r, 2);
	char text[2048];
	size_t n;

	n = (size_t)snprintf(text, sizeof(text),
			     "Queue=q Partitions=p GraceTime=%u "
			     "InShareOrder=%s IdleResourceAssignment=%s\n",
			     grace, strict ? "STRICT" : "BEST_EFFORT",
			     fifo ? "FIFO" : "FAIR");
	for (int s = 0; s < 4; s++) {
		uint32_t capacity = 4 + 4 * law_random_below(r, 5);
		const char *strategy = strategies[law_random_below(r, 4)];
		uint32_t in_share = law_random_below(r, 2);
		uint32_t min_runtime =
			law_random_below(r, 3) ? 0 : law_random_below(r, 90);

		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"Share=%c Queue=q Accounts=%c Capacity=gpu:%u "
			"Strategy=%s InSharePreemption=%s MinRuntime=%u\n",
			'a' + s, 'a' + s, capacity, strategy,
			in_share ? "YES" : "NO", min_runtime);
	}
	return policy_of(text);
}

static struct qs_trace *random_trace(struct law_random *r, bool priorities,
				     uint32_t gap)
{
	static const uint32_t sizes[] = { 1, 1, 1, 2, 4, 8, 3, 12 };
	struct qs_trace *trace = qs_trace_new();
	int64_t at = 0;

	ck_assert_ptr_nonnull(trace);
	for (uint32_t i = 0; i < 300; i++) {
		struct qs_trace_job job = { .line = i + 2 };
		char share;

		at += law_random_below(r, gap);
		job.submit = at;
		job.run_sec = law_random_below(r, 400);
		job.gpus = sizes[law_random_below(r, 8)];
		job.priority = priorities ? law_random_below(r, 3) : 0;
		share = (char)('a' + law_random_below(r, 4));
		ck_assert_int_eq(qs_trace_add(trace, &job, &share, 1, "gpu", 3),
				 0);
	}
	ck_assert_int_eq(qs_trace_seal(trace), 0);
	return trace;
}

static void same_runs(const struct qs_runs *a, const struct qs_runs *b,
		      const char *what, uint64_t seed)
{
	ck_assert_msg(a->n == b->n, "%s: seed %" PRIu64 ": %u and %u runs",
		      what, seed, a->n, b->n);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct qs_run *x = &a->items[i], *y = &b->items[i];

		ck_assert_msg(x->job == y->job && x->start == y->start &&
				      x->end == y->end && x->by == y->by &&
				      x->ended == y->ended &&
				      x->repeat_sec == y->repeat_sec,
			      "%s: seed %" PRIu64 ": job %" PRIu64 ": %" PRId64
			      "-%" PRId64 " and %" PRId64 "-%" PRId64,
			      what, seed, x->job, x->start, x->end, y->start,
			      y->end);
	}
}

/* The laws of time, held against every plan of a replay (tests/laws/watch.h). */
struct watched {
	struct law_watch watch;
	const struct qs_policy *policy; /* that the last plan was made for */
	char why[256];                  /* "": no law was broken so far */
};

static void watch_plan(void *arg, const struct qs_snapshot *snap,
		       const struct qs_plan *plan)
{
	struct watched *w = arg;
	bool kept = !w->why[0];

	if (w->policy && w->policy != snap->policy)
		law_watch_news(&w->watch);
	w->policy = snap->policy;
	kept = kept && law_watch_plan(&w->watch, snap, w->why, sizeof(w->why));
	for (uint32_t i = 0; i < plan->ndecisions && kept; i++)
		kept = law_watch_decision(
			&w->watch, snap, plan, &plan->decisions[i],
			plan->decisions[i].id, w->why, sizeof(w->why));
}

/* Plays a trace once more, all that wait being shown to the planner and to the
 * laws. No job may be left waiting when all others have gone. */
static void keeps_the_laws(const struct qs_trace *trace,
			   const struct qs_sim_policy *policies, uint32_t n,
			   const struct qs_sim_wish *wish, uint64_t seed,
			   struct watched *all)
{
	struct qs_sim_wish whole = *wish;
	struct watched w = { .policy = NULL };
	struct qs_sim_result result;
	struct qs_sim *sim;

	whole.whole_queue = true;
	sim = qs_sim_new(trace, policies, n, &whole);
	ck_assert_ptr_nonnull(sim);
	qs_sim_observe(sim, watch_plan, &w);
	while (qs_sim_step(sim, 1000) > 0)
		;
	ck_assert_int_eq(qs_sim_finish(sim, &result), 0);
	ck_assert_msg(!w.why[0], "seed %" PRIu64 ": %s", seed, w.why);
	for (uint32_t i = 0; i < result.runs.n && n == 1; i++)
		ck_assert_msg(qs_run_started(&result.runs.items[i]),
			      "seed %" PRIu64 ": job %" PRIu64 " starves", seed,
			      result.runs.items[i].job);
	all->watch.stops += w.watch.stops;
	all->watch.claims_kept += w.watch.claims_kept;
	law_watch_free(&w.watch);
	qs_sim_result_free(&result);
	qs_sim_free(sim);
}

/* No second of work is lost or made up. */
static void conserved(const struct qs_trace *trace,
		      const struct qs_sim_result *result,
		      const struct qs_sim_wish *wish, uint64_t seed)
{
	const struct qs_runs *runs = &result->runs;
	int64_t restarts = 0, work = 0;
	uint32_t jobs = 0;

	for (uint32_t i = 0; i < runs->n; i++) {
		const struct qs_run *r = &runs->items[i];
		const struct qs_trace_job *job = &trace->jobs[r->job - 1];

		if (qs_runs_first(runs, i))
			work = 0;
		jobs += qs_runs_last(runs, i);
		if (!qs_run_started(r))
			continue;
		ck_assert_int_ge(r->start, r->submit);
		if (!qs_runs_first(runs, i))
			ck_assert_int_eq(r->submit, r[-1].end);
		work += r->end - r->start;
		if (r->ended == QS_RUN_PREEMPTED) {
			work -= r->repeat_sec;
			continue;
		}
		if (r->attempt > 1) {
			work -= wish->restart_sec;
			restarts += wish->restart_sec * job->gpus;
		}
		ck_assert_msg(work == job->run_sec,
			      "seed %" PRIu64 ": job %" PRIu64 " worked "
			      "%" PRId64 " of %" PRId64,
			      seed, r->job, work, job->run_sec);
	}
	ck_assert_int_eq(restarts, result->restart_gpu_sec);
	ck_assert_uint_eq(jobs + result->nrefused, trace->njobs);
}

/* At no instant are more GPUs held than there are. */
static void never_too_many(const struct qs_runs *runs, int64_t most,
			   uint64_t seed)
{
	for (uint32_t i = 0; i < runs->n; i++) {
		const struct qs_run *r = &runs->items[i];
		int64_t held = 0;

		for (uint32_t k = 0; k < runs->n && qs_run_started(r); k++) {
			const struct qs_run *o = &runs->items[k];

			if (qs_run_started(o) && o->start <= r->start &&
			    o->end > r->start)
				held += qs_runs_demands(runs, o)->gpus;
		}
		ck_assert_msg(held <= most,
			      "seed %" PRIu64 ": %" PRId64 " GPUs held", seed,
			      held);
	}
}

static int64_t pool_of(const struct qs_policy *policy)
{
	return qs_policy_pool(policy, 0, 0);
}

#define SEEDS 60

/* Simulates a random trace under a random policy three times; returns how
 * often somebody was preempted. */
static uint32_t try_any(uint64_t seed)
{
	static const int64_t checkpoints[] = { QS_CHECKPOINT_NONE,
					       QS_CHECKPOINT_SIGNAL, 60 };
	struct law_random r = { seed * 7919 };
	struct qs_policy *policy = random_policy(&r);
	uint32_t gap = 10 + law_random_below(&r, 50);
	bool priorities = law_random_below(&r, 2);
	struct qs_trace *trace = random_trace(&r, priorities, gap);
	struct qs_sim_policy one = { 0, policy };
	uint32_t nodes = (uint32_t)(pool_of(policy) + 7) / 8, preempted;
	struct qs_sim_nodes kind = { "gpu", nodes, 8 };
	struct qs_sim_wish wish = { .nodes = &kind };
	struct qs_sim_result cut, whole, again;

	wish.nnodes = nodes && law_random_below(&r, 3) ? 1 : 0;
	wish.leave_sec =
		law_random_below(&r, 2) ? -1 : (int)law_random_below(&r, 30);
	wish.checkpoint_sec = checkpoints[law_random_below(&r, 3)];
	wish.restart_sec = law_random_below(&r, 40);
	wish.spread = law_random_below(&r, 2);
	simulate(trace, &one, 1, &wish, &cut);
	simulate(trace, &one, 1, &wish, &again);
	same_runs(&cut.runs, &again.runs, "twice", seed);
	wish.whole_queue = true;
	simulate(trace, &one, 1, &wish, &whole);
	same_runs(&cut.runs, &whole.runs, "whole queue", seed);
	conserved(trace, &cut, &wish, seed);
	never_too_many(&cut.runs, wish.nnodes ? nodes * 8 : pool_of(policy),
		       seed);
	preempted = cut.runs.n - (trace->njobs - cut.nrefused);
	qs_sim_result_free(&cut);
	qs_sim_result_free(&whole);
	qs_sim_result_free(&again);
	qs_trace_free(trace);
	qs_policy_free(policy);
	return preempted;
}

START_TEST(any_trace)
{
	uint64_t n = law_seeds_number(SEEDS), preempted = 0;

	for (uint64_t i = 0; i < n; i++)
		preempted += try_any(law_seeds_first() + i);
	/* It would be no test if nobody had to go. */
	if (n >= SEEDS)
		ck_assert_uint_gt(preempted, n * 8);
}
END_TEST

/* Under one policy or two, in nodes or not. */
static void hold_laws(uint64_t seed, struct watched *all)
{
	struct law_random r = { seed * 15485863 };
	struct qs_policy *policies[] = { random_policy(&r), random_policy(&r) };
	uint32_t gap = 10 + law_random_below(&r, 50),
		 two = law_random_below(&r, 4) == 0;
	bool priorities = law_random_below(&r, 2);
	struct qs_trace *trace = random_trace(&r, priorities, gap);
	struct qs_sim_policy both[] = { { 0, policies[0] },
					{ 150 * gap, policies[1] } };
	struct qs_sim_nodes kind = { "gpu", 0, 8 };
	struct qs_sim_wish wish = NONE;

	kind.count = (uint32_t)(pool_of(policies[0]) + 7) / 8;
	wish.nodes = &kind;
	wish.nnodes = law_random_below(&r, 2);
	wish.leave_sec =
		law_random_below(&r, 2) ? -1 : (int)law_random_below(&r, 30);
	wish.spread = law_random_below(&r, 2);
	keeps_the_laws(trace, both, 1 + two, &wish, seed, all);
	qs_trace_free(trace);
	qs_policy_free(policies[0]);
	qs_policy_free(policies[1]);
}

START_TEST(the_laws_hold_in_a_replay)
{
	struct watched all = { .policy = NULL };
	uint64_t n = law_seeds_number(SEEDS);

	for (uint64_t i = 0; i < n; i++)
		hold_laws(law_seeds_first() + i, &all);
	printf("%" PRIu64 " stopped, %" PRIu64 " looks at a claim\n",
	       all.watch.stops, all.watch.claims_kept);
	if (n < SEEDS)
		return;
	ck_assert_uint_gt(all.watch.stops, n * 8);
	ck_assert_uint_gt(all.watch.claims_kept, n * 8);
}
END_TEST

/* Found among thousands of traces: tried each time. */
static const struct {
	const char *what;
	uint64_t seed;
} found[] = {
	{ "claims of one second are served by job id", 2893 },
	{ "a claim of one second takes the place of one made before", 3389 },
	{ "a claim that is made anew is as old as the one that was lost",
	  3395 },
	{ "an owner's own share borrows past its claim", 2698 },
	{ "its own share borrows past a claim in the same plan", 2220 },
	{ "a claimant's share borrows while its victim goes", 3014 },
	{ "in its turn other owners have filled what it would borrow", 1629 },
};

START_TEST(found_once)
{
	struct watched all = { .policy = NULL };

	hold_laws(found[_i].seed, &all);
	ck_assert_uint_gt(all.watch.stops, 0);
}
END_TEST

/* A claimant that goes beyond its share's capacity by now leaves owners what
 * their waiting jobs can fill (R9): of these, too few were offered. */
START_TEST(owners_are_counted_for_who_claims_a_loan)
{
	ck_assert_uint_gt(try_any(2088), 0);
}
END_TEST

START_TEST(all_reserve_is_the_rigid_baseline)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct law_random r = { seed * 104729 }, kept;
		struct qs_policy *reserve, *rigid;
		struct qs_sim_policy a, b;
		struct qs_trace *trace;
		struct qs_sim_wish wish = NONE;
		struct qs_sim_result x, y;

		kept = r;
		reserve = random_policy(&r);
		rigid = random_policy(&kept);
		for (int s = 0; s < reserve->nshares; s++)
			reserve->shares[s].strategy = QS_STRATEGY_RESERVE;
		qs_baseline_rigid(rigid);
		trace = random_trace(&r, true, 30);
		a = (struct qs_sim_policy){ 0, reserve };
		b = (struct qs_sim_policy){ 0, rigid };
		simulate(trace, &a, 1, &wish, &x);
		simulate(trace, &b, 1, &wish, &y);
		same_runs(&x.runs, &y.runs, "rigid", seed);
		qs_sim_result_free(&x);
		qs_sim_result_free(&y);
		qs_trace_free(trace);
		qs_policy_free(reserve);
		qs_policy_free(rigid);
	}
}
END_TEST

START_TEST(figures_add_up)
{
	struct law_random r = { 4711 };
	struct qs_policy *policy = policy_of(QUEUE LENDER BORROWER(""));
	struct qs_policy *pool = policy_of(QUEUE LENDER BORROWER(""));
	struct qs_sim_policy given = { 0, policy }, plain = { 0, pool };
	struct qs_trace *trace = random_trace(&r, false, 150);
	struct qs_replay_wish wish = {
		.sim = NONE,
		.policies = &given,
		.owners = &given,
		.npolicies = 1,
		.begin = QS_TIME_NONE,
		.end = QS_TIME_NONE,
	};
	struct qs_replay shared, one;
	int64_t work = 0, held[2] = { 0, 0 };

	qs_baseline_pool(pool, QS_ORDER_STRICT);
	ck_assert_int_eq(pool->quotas[0].capacity + pool->quotas[1].capacity,
			 8);
	ck_assert_int_eq(qs_replay_make(trace, &wish, &shared), 0);
	wish.kind = QS_REPLAY_POOL;
	wish.policies = &plain;
	ck_assert_int_eq(qs_replay_make(trace, &wish, &one), 0);
	for (int s = 0; s < 3; s++) {
		held[0] += shared.m.use[s].used;
		held[1] += one.m.use[s].used;
	}
	/* shares c and d are of no policy, 12 GPUs of no pool */
	for (uint32_t i = 0; i < trace->njobs; i++) {
		const char *share = trace->shares.items[trace->jobs[i].share];

		if (*share <= 'b' && trace->jobs[i].gpus <= 8 &&
		    !(*share == 'a' && trace->jobs[i].gpus > 4))
			work += trace->jobs[i].run_sec * trace->jobs[i].gpus;
	}
	ck_assert_int_eq(held[0], work + shared.m.outcome[3].repeated);
	ck_assert_int_gt(shared.m.outcome[3].repeated, 0);
	/* In one pool a may use more than 4, and nothing is done twice. */
	ck_assert_int_gt(held[1], work);
	ck_assert_int_eq(one.m.outcome[3].repeated, 0);
	ck_assert_uint_eq(shared.wait[3].n,
			  shared.wait[0].n + shared.wait[1].n);
	qs_replay_free(&shared);
	qs_replay_free(&one);
	qs_trace_free(trace);
	qs_policy_free(policy);
	qs_policy_free(pool);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay of random traces");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, law_seeds_number(SEEDS) > SEEDS ? 0 : 120);
	tcase_add_test(core, any_trace);
	tcase_add_test(core, owners_are_counted_for_who_claims_a_loan);
	tcase_add_test(core, the_laws_hold_in_a_replay);
	tcase_add_loop_test(core, found_once, 0, ARRAY_LEN(found));
	tcase_add_test(core, all_reserve_is_the_rigid_baseline);
	tcase_add_test(core, figures_add_up);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
