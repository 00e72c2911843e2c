/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_order.c - R6a to R6c and R9: whose turn it is
 */
#include "oracle_run.h"

static bool share_a_type(const struct law_job *a, const struct law_job *b)
{
	for (int t = 0; t < LAW_TYPES; t++) {
		if (a->gpus[t] && b->gpus[t])
			return true;
	}
	return false;
}

/* R6a: does a rank before b inside their share? What comes free for a claimant
 * is nobody else's (R9). */
static bool ranks_before(const struct law_job *a, const struct law_job *b)
{
	if (a->claim != b->claim)
		return a->claim;
	if (a->claim && a->claimed != b->claimed)
		return a->claimed < b->claimed;
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->eligible != b->eligible)
		return a->eligible < b->eligible;
	return a->id < b->id;
}

/* What is settled without looking at anybody else: R6b, R15, R16, holds. */
uint32_t run_settled(const struct law_world *w, const struct law_job *job,
		     bool *never)
{
	const struct law_share *share;
	uint32_t codes = 0;
	bool unknown = job->unknown_type, queue = false, limit = false;
	bool lendable = false;

	*never = false;
	if (job->share < 0)
		return CODE(SHARE_REMOVED) | (job->held ? CODE(HELD) : 0);
	share = &w->shares[job->share];
	for (int t = 0; t < w->ntypes; t++) {
		int64_t lends = 0;

		if (!job->gpus[t])
			continue;
		for (int s = 0; s < w->nshares; s++) {
			if (s != job->share &&
			    w->shares[s].queue == share->queue)
				lends += law_lends(w, s, t);
		}
		unknown |= !share->listed[t];
		queue |= job->gpus[t] > law_pool(w, share->queue, t);
		limit |= job->gpus[t] > law_limit(w, job->share, t);
		lendable |= job->gpus[t] > share->capacity[t] + lends;
	}
	*never = unknown || queue || limit || lendable;
	if (unknown)
		codes |= CODE(UNKNOWN_TYPE);
	else if (queue)
		codes |= CODE(OVER_QUEUE);
	else if (limit)
		codes |= share->strategy == QS_STRATEGY_LEND_AND_BORROW ?
				 CODE(OVER_BORROW_LIMIT) :
				 CODE(OVER_LIMIT);
	else if (lendable)
		codes |= CODE(OVER_LENDABLE);
	if (job->held)
		codes |= CODE(HELD);
	/* It was let go and no node took it: it stops and holds up nobody. */
	if (job->unplaceable)
		codes |= CODE(PLACEMENT);
	if (job->submitting &&
	    (!share->enabled || !w->queues[share->queue].enabled))
		codes |= CODE(SHARE_DISABLED);
	return codes;
}

bool run_undecided(const struct run *run, int j)
{
	const struct law_job *job = &run->st.w->jobs[j];

	return job->state == QS_JOB_PENDING && job->queue == run->st.queue &&
	       run->left[j] > 0;
}

bool run_claims(const struct run *run, int job)
{
	const struct law_job *j = &run->st.w->jobs[job];

	/* As many tasks of an array as others were stopped for. */
	return j->claim && j->copies - run->wants[job] <
				   (j->claim_tasks ? j->claim_tasks : 1);
}

/* Under BEST_EFFORT these are not behind who is neither. */
static bool goes_first(const struct run *run, int job)
{
	return run_claims(run, job) ||
	       law_entitled(&run->st, &run->st.w->jobs[job]);
}

/* R6a: is somebody of the share to be decided before this one? */
static bool behind(const struct run *run, int j)
{
	const struct law_world *w = run->st.w;
	bool strict = w->queues[run->st.queue].strict;

	for (int k = 0; k < w->njobs; k++) {
		const struct law_job *a = &w->jobs[k], *b = &w->jobs[j];

		if (k == j || a->share != b->share || !ranks_before(a, b) ||
		    !share_a_type(a, b) || !run_undecided(run, k))
			continue;
		if (strict || !goes_first(run, j) || goes_first(run, k))
			return true;
	}
	return false;
}

bool run_held_up(const struct run *run, int j)
{
	const struct law_world *w = run->st.w;

	for (int k = 0; k < w->njobs; k++) {
		const struct law_job *a = &w->jobs[k], *b = &w->jobs[j];

		if (k != j && run->waits[k] && a->share == b->share &&
		    ranks_before(a, b) && share_a_type(a, b) &&
		    w->queues[run->st.queue].strict)
			return true;
	}
	return false;
}

/* FAIR: borrowed/capacity of a share, the largest over the job's types, as a
 * fraction; 1/0 where something is borrowed and nothing owned. */
static void fairness(const struct run *run, const struct law_job *job,
		     int64_t *borrowed, int64_t *capacity)
{
	*borrowed = 0;
	*capacity = 1;
	for (int t = 0; t < run->st.w->ntypes; t++) {
		int64_t c = run->st.w->shares[job->share].capacity[t];
		int64_t b = state_used(&run->st, job->share, t, NOW) - c;

		if (!job->gpus[t] || b <= 0)
			continue;
		if (b * *capacity > *borrowed * c) {
			*borrowed = b;
			*capacity = c;
		}
	}
}

static int fair(const struct run *run, const struct law_job *a,
		const struct law_job *b)
{
	int64_t ba, ca, bb, cb;

	fairness(run, a, &ba, &ca);
	fairness(run, b, &bb, &cb);
	if (!ca || !cb)
		return !ca && !cb ? 0 : ca ? -1 : 1;
	return ba * cb < bb * ca ? -1 : ba * cb > bb * ca;
}

/* R6c: entitled, then who has a claim, then by IdleResourceAssignment. */
static bool served_before(const struct run *run, int j, int k)
{
	const struct law_job *a = &run->st.w->jobs[j], *b = &run->st.w->jobs[k];
	bool ea = law_entitled(&run->st, a), eb = law_entitled(&run->st, b);

	if (ea != eb)
		return ea;
	if (run_claims(run, j) != run_claims(run, k))
		return run_claims(run, j);
	if (!ea && run->st.w->queues[run->st.queue].fair) {
		int d = fair(run, a, b);

		if (d)
			return d < 0;
	}
	if (a->eligible != b->eligible)
		return a->eligible < b->eligible;
	return a->id < b->id;
}

/* R9: the claimant whose turn it is; each has one turn before all others. */
int run_next_claimant(struct run *run)
{
	const struct law_world *w = run->st.w;
	int best = -1;

	for (int j = 0; j < w->njobs; j++) {
		const struct law_job *a = &w->jobs[j];
		const struct law_job *b = best < 0 ? a : &w->jobs[best];

		if (!a->claim || run->claim_tried[j] ||
		    !run_undecided(run, j) || run_held_up(run, j))
			continue;
		if (best < 0 || a->claimed < b->claimed ||
		    (a->claimed == b->claimed && a->id < b->id))
			best = j;
	}
	if (best >= 0)
		run->claim_tried[best] = true;
	return best;
}

/*
 * R9: has another claimant, that is still to be served, a place on some of these
 * nodes? Then one that could start at once may wait for the place it claimed, or
 * go elsewhere, to leave the other what was freed for it. Which place that is
 * the plan does not say.
 */
bool run_others_claim(const struct run *run, int j, uint32_t nodes)
{
	const struct law_world *w = run->st.w;

	for (int k = 0; k < w->njobs; k++) {
		struct law_job there = w->jobs[k];

		there.only = there.only ? there.only & there.claim_on :
					  there.claim_on;
		if (k != j && run_undecided(run, k) && run_claims(run, k) &&
		    (there.only & nodes) &&
		    state_places(&run->st, &there, ENDED))
			return true;
	}
	return false;
}

/* R6c. */
int run_next_job(struct run *run)
{
	const struct law_world *w = run->st.w;
	int best = -1;

	for (int j = 0; j < w->njobs; j++) {
		if (!run_undecided(run, j) || run_held_up(run, j) ||
		    behind(run, j))
			continue;
		if (best < 0 || served_before(run, j, best))
			best = j;
	}
	return best;
}
/* What the waiting jobs of a share could take as own, one after the other in
 * their order, out of what is idle. */
static int64_t could_take(const struct run *run, int share, int t, int64_t idle)
{
	const struct law_world *w = run->st.w;
	bool seen[LAW_JOBS] = { false };
	int64_t sum = 0;

	for (;;) {
		int best = -1;

		for (int k = 0; k < w->njobs; k++) {
			if (w->jobs[k].share == share && !seen[k] &&
			    run->wants[k] && w->jobs[k].gpus[t] &&
			    (best < 0 ||
			     ranks_before(&w->jobs[k], &w->jobs[best])))
				best = k;
		}
		if (best < 0)
			return sum;
		seen[best] = true;
		for (uint32_t n = 0; n < run->wants[best] &&
				     sum + w->jobs[best].gpus[t] <= idle;
		     n++)
			sum += w->jobs[best].gpus[t];
	}
}

void run_owners_want(struct run *run)
{
	const struct law_world *w = run->st.w;

	for (int s = 0; s < w->nshares; s++) {
		for (int t = 0; t < w->ntypes; t++)
			run->st.wanted[s][t] = could_take(
				run, s, t,
				w->shares[s].capacity[t] -
					state_used(&run->st, s, t, ENDED));
	}
}

/*
 * A claimant that will borrow is served before the others only as far as
 * owners who wait leave it what it borrows: else it would start to be stopped.
 */
bool run_leaves_owners_theirs(const struct run *run, int j)
{
	const struct law_world *w = run->st.w;
	const struct law_job *job = &w->jobs[j];

	for (int t = 0; t < w->ntypes; t++) {
		int64_t used = state_used(&run->st, job->share, t, ENDED);
		int64_t capacity = w->shares[job->share].capacity[t];
		int64_t part = used + job->gpus[t] -
			       (used > capacity ? used : capacity);
		int64_t left = -state_loans(&run->st, t, ENDED) -
			       state_out_of_service(&run->st, t, ENDED);

		for (int s = 0; s < w->nshares; s++) {
			int64_t idle = w->shares[s].capacity[t] -
				       state_used(&run->st, s, t, ENDED);

			if (s == job->share ||
			    w->shares[s].queue != run->st.queue)
				continue;
			idle -= could_take(run, s, t, idle);
			if (idle > law_lends(w, s, t))
				idle = law_lends(w, s, t);
			left += idle > 0 ? idle : 0;
		}
		if (job->gpus[t] && part > 0 && part > left)
			return false;
	}
	return true;
}
