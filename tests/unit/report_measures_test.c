/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_measures_test.c - measures by hand, and against a second-by-second
 * count that knows nothing of the sweep
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "report/measures.h"

#include "suite.h"

#define NONE QS_TIME_NONE

static const char *const first_policy[] = {
	"Queue=q Partitions=gpu",
	"Queue=r Partitions=big",
	"Share=A Queue=q Accounts=a Capacity=h100:4,a10g:2 Strategy=LEND"
	" InSharePreemption=NO",
	"Share=B Queue=q Accounts=b Capacity=h100:3 Strategy=LEND_AND_BORROW"
	" BorrowLimit=50 InSharePreemption=NO",
	"Share=C Queue=q Accounts=c Capacity=h100:4 Strategy=LEND_AND_BORROW"
	" LendLimit=h100:1 InSharePreemption=NO",
	"Share=R Queue=r Accounts=r Capacity=h100:2 Strategy=RESERVE"
	" InSharePreemption=NO",
};

/* B is gone, A is smaller, D is new and owns another type. */
static const char *const second_policy[] = {
	"Queue=q Partitions=gpu",
	"Queue=r Partitions=big",
	"Share=D Queue=q Accounts=d Capacity=b200:2,h100:0 Strategy=LEND_AND_BORROW"
	" BorrowGpus=h100:2 InSharePreemption=NO",
	"Share=A Queue=q Accounts=a Capacity=h100:1,a10g:2 Strategy=LEND"
	" InSharePreemption=NO",
	"Share=C Queue=q Accounts=c Capacity=h100:4 Strategy=LEND_AND_BORROW"
	" InSharePreemption=NO",
	"Share=R Queue=r Accounts=r Capacity=h100:2 Strategy=RESERVE"
	" InSharePreemption=NO",
};

static struct qs_policy *read_policy(const char *const *lines, size_t n)
{
	struct qs_error err = { 0 };
	struct qs_policy *policy =
		qs_conf_read_lines("test", NULL, lines, n, NULL, &err);

	ck_assert_msg(policy != NULL, "%s", err.text);
	return policy;
}

struct world {
	struct qs_policy *policies[2];
	struct qs_quota_history history;
	struct qs_runs runs;
	struct qs_measures m;
};

static void world_make(struct world *w, int64_t second)
{
	memset(w, 0, sizeof(*w));
	w->policies[0] = read_policy(first_policy, ARRAY_LEN(first_policy));
	w->policies[1] = read_policy(second_policy, ARRAY_LEN(second_policy));
	ck_assert_int_eq(qs_quota_history_add(&w->history, 50, w->policies[0]),
			 0);
	if (second != NONE)
		ck_assert_int_eq(qs_quota_history_add(&w->history, second,
						      w->policies[1]),
				 0);
}

static void world_free(struct world *w)
{
	qs_measures_free(&w->m);
	qs_runs_free(&w->runs);
	qs_quota_history_free(&w->history);
	qs_policy_free(w->policies[0]);
	qs_policy_free(w->policies[1]);
}

static struct qs_run *add(struct world *w, struct qs_run run, const char *share,
			  const char *type, uint32_t gpus)
{
	struct qs_demand demand = { .gpus = gpus };
	struct qs_run *added;

	run.share = share ? qs_quota_history_share(&w->history, share) :
			    QS_RUN_NO_SHARE;
	run.eligible = run.submit;
	run.repeat_sec = NONE;
	if (!run.claimed)
		run.claimed = NONE;
	if (gpus)
		demand.type =
			(uint16_t)qs_quota_history_type(&w->history, type);
	added = qs_runs_add(&w->runs, &run, &demand, gpus ? 1 : 0);
	ck_assert_ptr_nonnull(added);
	return added;
}

static void measure(struct world *w, int64_t begin, int64_t end, int64_t now,
		    uint32_t slices)
{
	const struct qs_measures_wish wish = { .begin = begin,
					       .end = end,
					       .now = now,
					       .slices = slices,
					       .per_run = true };

	ck_assert_int_eq(qs_runs_seal(&w->runs), 0);
	ck_assert_int_eq(qs_measures_make(&w->history, &w->runs, &wish, &w->m),
			 0);
}

static const struct qs_use *use(const struct world *w, const char *share,
				const char *type)
{
	return qs_measures_use(
		&w->m,
		share ? qs_quota_history_share(&w->history, share) :
			w->m.nshares,
		qs_quota_history_type(&w->history, type));
}

static const struct qs_use *slice_of(const struct world *w, int32_t slice,
				     const char *share, const char *type)
{
	int32_t row = slice * (w->m.nshares + 1) +
		      qs_quota_history_share(&w->history, share);

	return &w->m.timeline[row * w->m.ntypes +
			      qs_quota_history_type(&w->history, type)];
}

#define RUN(j, s, b, e, how)                                         \
	(struct qs_run)                                              \
	{                                                            \
		.job = (j), .submit = (s), .start = (b), .end = (e), \
		.ended = (how)                                       \
	}

/* B owns 3, holds 4 for 50 s and then 2; C lends first: most idle own. */
START_TEST(a_loan_by_hand)
{
	struct world w;
	const struct qs_outcome *b;

	world_make(&w, NONE);
	add(&w, RUN(1, 90, 100, 200, QS_RUN_COMPLETED), "B", "h100", 2);
	add(&w, RUN(2, 95, 100, 150, QS_RUN_PREEMPTED), "B", "h100", 2);
	measure(&w, 100, 300, 300, 4);
	ck_assert_int_eq(use(&w, "B", "h100")->used, 300);
	ck_assert_int_eq(use(&w, "B", "h100")->own, 250);
	ck_assert_int_eq(use(&w, "B", "h100")->borrowed, 50);
	ck_assert_int_eq(use(&w, "B", "h100")->idle, 600 - 250);
	ck_assert_int_eq(use(&w, "A", "h100")->lent, 50);
	ck_assert_int_eq(use(&w, "A", "h100")->idle, 750);
	b = &w.m.outcome[qs_quota_history_share(&w.history, "B")];
	ck_assert_uint_eq(b->wait_own.n, 1);
	ck_assert_int_eq(b->wait_own.median, 10);
	ck_assert_uint_eq(b->wait_borrowing.n, 1);
	ck_assert_int_eq(b->wait_borrowing.median, 5);
	ck_assert_uint_eq(b->ended[QS_RUN_PREEMPTED], 1);
	ck_assert_int_eq(b->repeated, 100);
	ck_assert_int_eq(b->completed_gpu_sec, 200);
	ck_assert_int_eq(b->turnaround.median, 110);
	/* The first slice of 50 seconds has the loan. */
	ck_assert_int_eq(slice_of(&w, 0, "B", "h100")->borrowed, 50);
	ck_assert_int_eq(slice_of(&w, 1, "B", "h100")->borrowed, 0);
	world_free(&w);
}
END_TEST

START_TEST(an_interrupted_job_is_one_job)
{
	struct world w;
	const struct qs_outcome *c;
	struct qs_run *run;

	world_make(&w, NONE);
	/* In no order: sealing sorts. */
	add(&w, RUN(7, 160, 190, 220, QS_RUN_COMPLETED), "C", "h100", 2);
	run = add(&w, RUN(7, 100, 110, 160, QS_RUN_PREEMPTED), "C", "h100", 2);
	run->requeued = true;
	run->cause = QS_CAUSE_QUOTA;
	run->by = 9;
	run = add(&w, RUN(9, 130, 165, 250, QS_RUN_COMPLETED), "A", "h100", 4);
	run->claimed = 140;
	measure(&w, 100, 300, 300, 0);
	c = &w.m.outcome[qs_quota_history_share(&w.history, "C")];
	ck_assert_uint_eq(w.runs.items[0].attempt, 1);
	ck_assert_uint_eq(w.runs.items[1].attempt, 2);
	ck_assert_uint_eq(c->submitted, 1);
	ck_assert_uint_eq(c->started, 2);
	ck_assert_uint_eq(c->requeued, 1);
	ck_assert_uint_eq(c->wait_again.n, 1);
	ck_assert_int_eq(c->wait_again.median, 30);
	ck_assert_uint_eq(c->wait_own.n, 1);
	ck_assert_int_eq(c->repeated_preempted, 100);
	ck_assert_int_eq(c->completed_gpu_sec, 60);
	ck_assert_int_eq(c->turnaround.median, 120);
	ck_assert_int_eq(c->run_time.median, 80);
	ck_assert_uint_eq(c->preempted[QS_CAUSE_QUOTA], 1);
	ck_assert_uint_eq(
		w.m.preemptions[qs_quota_history_share(&w.history, "A") *
					(w.m.nshares + 1) +
				qs_quota_history_share(&w.history, "C")],
		1);
	ck_assert_int_eq(w.m.outcome[qs_quota_history_share(&w.history, "A")]
				 .reclaim.median,
			 25);
	world_free(&w);
}
END_TEST

START_TEST(what_runs_and_waits_when_the_window_ends)
{
	struct world w;
	const struct qs_outcome *a;

	world_make(&w, NONE);
	add(&w, RUN(1, 90, 100, NONE, QS_RUN_RUNNING), "A", "h100", 1);
	add(&w, RUN(2, 90, NONE, NONE, QS_RUN_WAITING), "A", "h100", 0);
	add(&w, RUN(3, 90, NONE, 120, QS_RUN_WITHDRAWN), "A", "h100", 0);
	add(&w, RUN(4, 90, 250, 260, QS_RUN_COMPLETED), "A", "h100", 1);
	/* A clock that was set back, and a wait that began after its end. */
	add(&w, RUN(5, 110, 120, 115, QS_RUN_COMPLETED), "A", "h100", 1);
	add(&w, RUN(6, 140, 130, 131, QS_RUN_COMPLETED), "A", "h100", 1);
	measure(&w, 100, 200, 150, 0);
	a = &w.m.outcome[qs_quota_history_share(&w.history, "A")];
	ck_assert_uint_eq(a->running, 1);
	ck_assert_uint_eq(a->waiting, 2);
	ck_assert_uint_eq(a->ended[QS_RUN_WITHDRAWN], 1);
	ck_assert_uint_eq(w.m.end_before_start, 1);
	ck_assert_uint_eq(w.m.start_before_submit, 1);
	/* Until now, not until the end of the window. */
	ck_assert_int_eq(use(&w, "A", "h100")->used, 51);
	ck_assert_int_eq(use(&w, "A", "h100")->capacity, 4 * 50);
	world_free(&w);
}
END_TEST

START_TEST(spreads)
{
	int64_t values[] = { 9, 1, 10, 2, 8, 3, 7, 4, 6, 5 };
	struct qs_spread spread = qs_spread_of(values, 10);

	ck_assert_int_eq(spread.median, 5);
	ck_assert_int_eq(spread.p90, 9);
	ck_assert_int_eq(spread.max, 10);
	ck_assert_int_eq(spread.sum, 55);
	spread = qs_spread_of(values, 1);
	ck_assert_int_eq(spread.median, 1);
	ck_assert_int_eq(spread.p90, 1);
	spread = qs_spread_of(values, 0);
	ck_assert_int_eq(spread.median, 0);
}
END_TEST

START_TEST(history)
{
	struct world w;

	world_make(&w, 100);
	/* One index for the whole time, whatever the policies' own are. */
	ck_assert_int_ge(qs_quota_history_share(&w.history, "B"), 0);
	ck_assert_int_ge(qs_quota_history_share(&w.history, "D"), 0);
	ck_assert_int_eq(
		w.history.periods[1]
			.share_of[qs_quota_history_share(&w.history, "B")],
		-1);
	ck_assert_int_eq(
		w.history.periods[0]
			.share_of[qs_quota_history_share(&w.history, "D")],
		-1);
	ck_assert_int_eq(
		w.history.periods[0]
			.type_of[qs_quota_history_type(&w.history, "b200")],
		-1);
	ck_assert_ptr_eq(qs_quota_history_at(&w.history, 0),
			 &w.history.periods[0]);
	ck_assert_ptr_eq(qs_quota_history_at(&w.history, 99),
			 &w.history.periods[0]);
	ck_assert_ptr_eq(qs_quota_history_at(&w.history, 100),
			 &w.history.periods[1]);
	ck_assert_int_eq(qs_quota_history_add(&w.history, 99, w.policies[0]),
			 -1);
	world_free(&w);
}
END_TEST

START_TEST(out_of_service)
{
	struct world w;

	world_make(&w, NONE);
	ck_assert_int_eq(qs_quota_history_service(&w.history, 90, 0, 0, 2), 0);
	ck_assert_int_eq(qs_quota_history_service(&w.history, 120, 0, 0, 1), 0);
	ck_assert_int_eq(qs_quota_history_service(&w.history, 150, 0, 0, 0), 0);
	measure(&w, 100, 200, 200, 0);
	ck_assert_int_eq(w.m.out_of_service[0], 2 * 20 + 30);
	world_free(&w);
}
END_TEST

/* ---- the second opinion ---- */

struct cell {
	int64_t used, own, lent, idle;
};

static int older(const struct world *w, uint32_t x, uint32_t y)
{
	const struct qs_run *a = &w->runs.items[x], *b = &w->runs.items[y];

	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->start != b->start)
		return a->start < b->start;
	return a->job < b->job;
}

static bool runs_at(const struct qs_run *run, int64_t t)
{
	return run->start != NONE && run->start <= t &&
	       (run->end == NONE || run->end > t);
}

/* R4 in the plainest way: the next oldest again and again. */
static void split(const struct world *w, int64_t t, int32_t share, int type,
		  int64_t capacity, struct qs_run_use *runs, bool *began)
{
	bool done[64] = { false };

	for (;;) {
		int64_t best = -1, own;
		const struct qs_run *run;
		uint32_t gpus;

		for (uint32_t i = 0; i < w->runs.n; i++) {
			run = &w->runs.items[i];
			if (done[i] || run->share != share ||
			    !runs_at(run, t) ||
			    w->runs.demands[run->demands].type != type)
				continue;
			if (best < 0 || older(w, i, (uint32_t)best))
				best = i;
		}
		if (best < 0)
			return;
		done[best] = true;
		run = &w->runs.items[best];
		gpus = w->runs.demands[run->demands].gpus;
		own = capacity < gpus ? capacity : gpus;
		capacity -= own;
		runs[run->demands].own += own;
		runs[run->demands].borrowed += gpus - own;
		if (run->start == t && own < gpus)
			began[best] = true;
	}
}

static int64_t lends(const struct qs_policy *policy, int share, int type)
{
	const struct qs_quota *quota = qs_policy_quota(policy, share, type);

	if (policy->shares[share].strategy == QS_STRATEGY_RESERVE)
		return 0;
	return quota->lend_limit.set ? quota->lend_limit.value : 1000;
}

/* R4a GPU by GPU. */
static int64_t lend(const struct world *w, const struct qs_policy *policy,
		    const char *queue, int type, int64_t loans,
		    struct cell *cells)
{
	while (loans) {
		int best = -1;

		for (int s = 0; s < policy->nshares; s++) {
			int at = qs_quota_history_share(&w->history,
							policy->shares[s].name);
			struct cell *c = &cells[at];

			if (strcmp(policy->queues[policy->shares[s].queue].name,
				   queue) ||
			    !c->idle || c->lent >= lends(policy, s, type))
				continue;
			if (best < 0 || c->idle > cells[best].idle ||
			    (c->idle == cells[best].idle &&
			     strcmp(w->history.shares[at],
				    w->history.shares[best]) < 0))
				best = at;
		}
		if (best < 0)
			return loans;
		cells[best].idle--;
		cells[best].lent++;
		loans--;
	}
	return 0;
}

struct sums {
	struct qs_use use[8][4];
	int64_t unowned[4];
	struct qs_run_use runs[64];
	bool began[64];
};

static void one_second(const struct world *w, int64_t t, int type,
		       struct sums *sums)
{
	const struct qs_policy *policy =
		qs_quota_history_at(&w->history, t)->policy;
	int pt = qs_policy_find_type(policy, w->history.types[type]);
	struct cell cells[8] = { 0 };

	for (int32_t s = 0; s <= w->m.nshares; s++) {
		int ps = s < w->m.nshares ?
				 qs_policy_find_share(policy,
						      w->history.shares[s]) :
				 -1;
		int64_t capacity =
			ps >= 0 && pt >= 0 ?
				qs_policy_quota(policy, ps, pt)->capacity :
				0;
		int32_t share = s < w->m.nshares ? s : QS_RUN_NO_SHARE;
		struct qs_use *u = &sums->use[s][type];

		for (uint32_t i = 0; i < w->runs.n; i++) {
			const struct qs_run *run = &w->runs.items[i];

			if (run->share == share && runs_at(run, t) &&
			    w->runs.demands[run->demands].type == type)
				cells[s].used +=
					w->runs.demands[run->demands].gpus;
		}
		cells[s].own =
			cells[s].used < capacity ? cells[s].used : capacity;
		cells[s].idle = capacity - cells[s].own;
		u->capacity += capacity;
		u->used += cells[s].used;
		u->own += cells[s].own;
		u->borrowed += cells[s].used - cells[s].own;
		split(w, t, share, type, capacity, sums->runs, sums->began);
	}
	for (int q = 0; q < policy->nqueues; q++) {
		const char *name = policy->queues[q].name;
		int64_t loans = 0;

		for (int32_t s = 0; s < w->m.nshares; s++)
			if (!strcmp(w->history
					    .queues[w->history.share_queue[s]],
				    name))
				loans += cells[s].used - cells[s].own;
		if (pt >= 0)
			loans = lend(w, policy, name, pt, loans, cells);
		sums->unowned[type] += loans;
	}
	sums->unowned[type] += cells[w->m.nshares].used;
	for (int32_t s = 0; s < w->m.nshares; s++) {
		sums->use[s][type].lent += cells[s].lent;
		sums->use[s][type].idle += cells[s].idle;
	}
}

static void random_runs(struct world *w)
{
	static const char *const shares[] = { "A", "B", "C", "D", "R", NULL };
	static const char *const types[] = { "h100", "h100", "h100", "a10g",
					     "b200" };
	int n = rand() % 40;

	for (int i = 0; i < n; i++) {
		int64_t start = 80 + rand() % 100;
		struct qs_run run =
			RUN(1 + (uint64_t)(rand() % 30), start - 5, start,
			    start + rand() % 40, QS_RUN_COMPLETED);

		run.priority = (uint32_t)(rand() % 3);
		if (rand() % 8 == 0) {
			run.end = NONE;
			run.ended = QS_RUN_RUNNING;
		}
		add(w, run, shares[rand() % 6],
		    types[rand() % (w->history.nperiods > 1 ? 5 : 4)],
		    1 + (uint32_t)(rand() % 4));
	}
}

static void same_use(const struct qs_use *got, const struct qs_use *want)
{
	ck_assert_int_eq(got->capacity, want->capacity);
	ck_assert_int_eq(got->used, want->used);
	ck_assert_int_eq(got->own, want->own);
	ck_assert_int_eq(got->borrowed, want->borrowed);
	ck_assert_int_eq(got->lent, want->lent);
	ck_assert_int_eq(got->idle, want->idle);
	ck_assert_int_eq(got->used, got->own + got->borrowed);
	ck_assert_int_eq(got->capacity, got->own + got->lent + got->idle);
}

static void same_timeline(const struct world *w, int32_t share, int32_t type)
{
	struct qs_use sum = { 0 };

	for (uint32_t i = 0; i < w->m.slices; i++) {
		const struct qs_use *u =
			&w->m.timeline[(i * (w->m.nshares + 1) + share) *
					       w->m.ntypes +
				       type];

		sum.capacity += u->capacity;
		sum.used += u->used;
		sum.own += u->own;
		sum.borrowed += u->borrowed;
		sum.lent += u->lent;
		sum.idle += u->idle;
	}
	same_use(&sum, qs_measures_use(&w->m, share, type));
}

static void same_matrix(const struct world *w)
{
	int32_t width = w->m.nshares + 1;

	for (int32_t s = 0; s < width; s++) {
		double lent = 0, borrowed = 0, want_lent = 0, want_borrowed = 0;

		for (int32_t k = 0; k < width; k++) {
			lent += w->m.matrix[s * width + k];
			borrowed += w->m.matrix[k * width + s];
		}
		for (int32_t t = 0; t < w->m.ntypes; t++) {
			const struct qs_use *u = qs_measures_use(&w->m, s, t);

			want_borrowed += (double)u->borrowed;
			want_lent += s < w->m.nshares ? (double)u->lent :
							(double)w->m.unowned[t];
		}
		ck_assert_double_eq_tol(lent, want_lent, 1e-6);
		ck_assert_double_eq_tol(borrowed, want_borrowed, 1e-6);
	}
}

START_TEST(as_counted_second_by_second)
{
	struct world w;
	struct sums sums = { 0 };
	int64_t now = 150 + _i % 40;

	srand((unsigned)_i + 1);
	world_make(&w, _i % 2 ? 90 + _i % 70 : NONE);
	random_runs(&w);
	measure(&w, 100, 180, now, 1 + (uint32_t)(_i % 9));
	ck_assert_uint_le(w.runs.n, ARRAY_LEN(sums.runs));
	for (int64_t t = 100; t < 180 && t < now; t++)
		for (int type = 0; type < w.m.ntypes; type++)
			one_second(&w, t, type, &sums);
	for (int32_t t = 0; t < w.m.ntypes; t++) {
		ck_assert_int_eq(w.m.unowned[t], sums.unowned[t]);
		for (int32_t s = 0; s <= w.m.nshares; s++) {
			same_use(qs_measures_use(&w.m, s, t), &sums.use[s][t]);
			same_timeline(&w, s, t);
		}
	}
	for (uint32_t i = 0; i < w.runs.n; i++) {
		const struct qs_run *run = &w.runs.items[i];

		ck_assert_int_eq(w.m.run_use[run->demands].own,
				 sums.runs[run->demands].own);
		ck_assert_int_eq(w.m.run_use[run->demands].borrowed,
				 sums.runs[run->demands].borrowed);
		if (run->start >= 100)
			ck_assert_int_eq(w.m.run_borrowed[i], sums.began[i]);
	}
	same_matrix(&w);
	world_free(&w);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_measures");
	TCase *core = tcase_create("core");
	TCase *property = tcase_create("property");

	tcase_add_test(core, a_loan_by_hand);
	tcase_add_test(core, an_interrupted_job_is_one_job);
	tcase_add_test(core, what_runs_and_waits_when_the_window_ends);
	tcase_add_test(core, spreads);
	tcase_add_test(core, history);
	tcase_add_test(core, out_of_service);
	tcase_add_loop_test(property, as_counted_second_by_second, 0, 200);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, property);
	return suite_run(suite);
}
