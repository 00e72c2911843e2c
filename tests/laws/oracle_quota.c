/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_quota.c - R5, R6 and the sums of R7 for one job
 */
#include <string.h>

#include "oracle_judge.h"

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

bool law_will_be_own(const struct state *st, const struct law_job *job,
		     enum when when)
{
	if (job->share < 0)
		return false;
	for (int t = 0; t < st->w->ntypes; t++) {
		const struct law_share *share = &st->w->shares[job->share];

		if (job->gpus[t] &&
		    state_used(st, job->share, t, when) + job->gpus[t] >
			    share->capacity[t])
			return false;
	}
	return true;
}

bool law_entitled(const struct state *st, const struct law_job *job)
{
	return law_will_be_own(st, job, NOW);
}

/* What the start adds to the debt; *before is taken with nobody gone. */
int64_t law_owed(struct state *st, const struct law_job *job, int t,
		 enum when when)
{
	uint32_t less[LAW_SHARES][LAW_TYPES];
	bool gone[LAW_HOLDERS];
	int64_t before, after;

	memcpy(gone, st->gone, sizeof(gone));
	memcpy(less, st->less, sizeof(less));
	memset(st->gone, 0, sizeof(st->gone));
	memset(st->less, 0, sizeof(st->less));
	before = state_excess(st, t, when);
	/* A claimant is not asked for what others owed before it claimed, as far
	 * as that is still owed when all is gone that ends. */
	if (job->claim) {
		int64_t claimed;

		state_add(st, job, -1);
		claimed = state_excess(st, t, ENDED);
		st->nholders--;
		if (claimed > job->claim_owed)
			claimed = job->claim_owed;
		before = most(before, claimed);
	}
	memcpy(st->gone, gone, sizeof(gone));
	memcpy(st->less, less, sizeof(less));
	/* Nor for what is owed because GPUs leave service with the victims. */
	before = most(before, state_excess(st, t, when));
	state_add(st, job, -1);
	after = state_excess(st, t, when);
	st->nholders--;
	return after - before;
}

/* R6: sum over the other lending shares, less all loans. */
static int64_t lendable(const struct state *st, int share, int t,
			enum when when)
{
	int64_t sum =
		-state_out_of_service(st, t, when) - state_loans(st, t, when);

	for (int o = 0; o < st->w->nshares; o++) {
		int64_t idle, lends = law_lends(st->w, o, t);

		if (o == share || st->w->shares[o].queue != st->queue)
			continue;
		idle = st->w->shares[o].capacity[t] -
		       state_used(st, o, t, when);
		if (st->owners_first)
			idle -= st->wanted[o][t];
		idle = most(0, idle);
		sum += idle < lends ? idle : lends;
	}
	return sum;
}

bool law_own_is_kept(const struct state *st, const struct law_job *job, int t)
{
	for (int i = 0; i < st->nholders && !job->claim; i++) {
		const struct holder *h = &st->holders[i];

		if (h->own && h->share == job->share && h->gpus[t])
			return true;
	}
	return false;
}

bool law_own_or_borrow_type(struct state *st, const struct law_job *job, int t,
			    enum when when)
{
	int64_t used = state_used(st, job->share, t, when);
	int64_t capacity = st->w->shares[job->share].capacity[t];
	int64_t after = used + job->gpus[t];

	/* An owner starts when nothing is owed of what is really held at this
	 * instant, nor when all has ended that ends: nobody uses what is not
	 * lent, not even for a moment (R6). */
	if (after <= capacity && when == NOW && law_entitled(st, job))
		return law_owed(st, job, t, REAL) <= 0 &&
		       law_owed(st, job, t, ENDED) <= 0;
	if (after <= capacity)
		return law_owed(st, job, t, when) <= 0;
	if (after > law_limit(st->w, job->share, t))
		return false;
	if (!st->w->queues[st->queue].non_requeue_borrow && !job->requeue)
		return false;
	if (law_own_is_kept(st, job, t))
		return false;
	return after - most(used, capacity) <=
	       lendable(st, job->share, t, when);
}

bool law_own_or_borrow(struct state *st, const struct law_job *job,
		       enum when when)
{
	for (int t = 0; t < st->w->ntypes; t++) {
		if (job->gpus[t] && !law_own_or_borrow_type(st, job, t, when))
			return false;
	}
	return true;
}

bool law_suffices(struct state *st, const struct law_job *job, enum qs_how how)
{
	if (how == QS_HOW_IN_SHARE) {
		bool starts;

		/* R6, R8: nobody is stopped to borrow what owners wait for. */
		st->owners_first = true;
		starts = law_own_or_borrow(st, job, ENDED);
		st->owners_first = false;
		if (!starts)
			return false;
	} else {
		for (int t = 0; t < st->w->ntypes; t++) {
			if (job->gpus[t] && law_owed(st, job, t, ENDED) > 0)
				return false;
		}
	}
	return state_places(st, job, ENDED);
}
