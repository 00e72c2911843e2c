/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle.c - goes through a plan and says what should have been decided
 *
 * R6, R6a to R6c: who is next is worked out here, judged by oracle_judge.c,
 * and held against the plan. Where a job starts, the plan's places are taken
 * over after they were checked, since the rules leave the choice of nodes
 * open; victims that nodes decide are checked to be allowed, enough and none
 * too many. Once a need is kept on nodes that a plan does not name, only what
 * agrees is followed.
 */
#include "oracle.h"

#include <stdarg.h>
#include <string.h>

#include "oracle_judge.h"

struct law_oracle_stats law_oracle_stats;

struct run {
	struct state st;
	const struct law_view *view;
	const struct qs_plan *plan;
	uint32_t left[LAW_JOBS];     /* tasks of the record not decided */
	uint32_t wants[LAW_JOBS];    /* tasks that were not started */
	bool claim_tried[LAW_JOBS];  /* had its turn among claimants */
	bool waits[LAW_JOBS];        /* decided, and holds up others */
	uint32_t decision[LAW_JOBS]; /* next decision of the job's to look at */
	uint32_t served;             /* how far the order was followed */
	char *why;
	size_t size;
};

static bool no(struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(run->why, run->size, format, args);
	va_end(args);
	return false;
}

static bool share_a_type(const struct law_job *a, const struct law_job *b)
{
	for (int t = 0; t < LAW_TYPES; t++) {
		if (a->gpus[t] && b->gpus[t])
			return true;
	}
	return false;
}

/* R6a: does a rank before b inside their share? */
static bool ranks_before(const struct law_job *a, const struct law_job *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->eligible != b->eligible)
		return a->eligible < b->eligible;
	return a->id < b->id;
}

/* What is settled without looking at anybody else: R6b, R15, R16, holds. */
static uint32_t settled(const struct law_world *w, const struct law_job *job,
			bool *never)
{
	const struct law_share *share = &w->shares[job->share];
	uint32_t codes = 0;
	bool unknown = job->unknown_type, queue = false, limit = false;
	bool lendable = false;

	*never = false;
	if (job->share < 0)
		return CODE(SHARE_REMOVED) | (job->held ? CODE(HELD) : 0);
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

static bool undecided(const struct run *run, int j)
{
	const struct law_job *job = &run->st.w->jobs[j];

	return job->state == QS_JOB_PENDING && job->queue == run->st.queue &&
	       run->left[j] > 0;
}

/* Under BEST_EFFORT these are not behind who is neither. */
static bool goes_first(const struct run *run, const struct law_job *job)
{
	return job->claim || law_entitled(&run->st, job);
}

/* R6a: is somebody of the share to be decided before this one? */
static bool behind(const struct run *run, int j)
{
	const struct law_world *w = run->st.w;
	bool strict = w->queues[run->st.queue].strict;

	for (int k = 0; k < w->njobs; k++) {
		const struct law_job *a = &w->jobs[k], *b = &w->jobs[j];

		if (k == j || a->share != b->share || !ranks_before(a, b) ||
		    !share_a_type(a, b) || !undecided(run, k))
			continue;
		if (strict || !goes_first(run, b) || goes_first(run, a))
			return true;
	}
	return false;
}

static bool held_up(const struct run *run, int j)
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
static bool served_before(const struct run *run, const struct law_job *a,
			  const struct law_job *b)
{
	bool ea = law_entitled(&run->st, a), eb = law_entitled(&run->st, b);

	if (ea != eb)
		return ea;
	if (a->claim != b->claim)
		return a->claim;
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
static int next_claimant(struct run *run)
{
	const struct law_world *w = run->st.w;
	int best = -1;

	for (int j = 0; j < w->njobs; j++) {
		const struct law_job *a = &w->jobs[j];
		const struct law_job *b = best < 0 ? a : &w->jobs[best];

		if (!a->claim || run->claim_tried[j] || !undecided(run, j) ||
		    held_up(run, j))
			continue;
		if (best < 0 || a->claimed < b->claimed ||
		    (a->claimed == b->claimed && a->id < b->id))
			best = j;
	}
	if (best >= 0)
		run->claim_tried[best] = true;
	return best;
}

/* R6c. */
static int next_job(struct run *run)
{
	const struct law_world *w = run->st.w;
	int best = -1;

	for (int j = 0; j < w->njobs; j++) {
		if (!undecided(run, j) || held_up(run, j) || behind(run, j))
			continue;
		if (best < 0 || served_before(run, &w->jobs[j], &w->jobs[best]))
			best = j;
	}
	return best;
}

static const struct qs_decision *decision_of(struct run *run, int j)
{
	const struct qs_plan *plan = run->plan;

	for (uint32_t i = run->decision[j]; i < plan->ndecisions; i++) {
		if (run->view->job_of[plan->decisions[i].job] == j) {
			run->decision[j] = i + 1;
			return &plan->decisions[i];
		}
	}
	return NULL;
}

static bool check_places(struct run *run, const struct law_job *job,
			 const struct qs_decision *d, struct holder *h,
			 enum when when)
{
	const struct law_world *w = run->st.w;
	uint32_t sum[LAW_TYPES] = { 0 }, nodes = 0;

	for (uint32_t i = 0; i < d->nplaces; i++) {
		const struct qs_placed *p = &run->plan->places[d->places + i];
		int n = run->view->node_of[p->node];

		if (!law_node_suits(w, job, n))
			return no(run, "job %u: node %s does not suit it",
				  job->id, w->nodes[n].name);
		h->on[n][p->type] += p->gpus;
		sum[p->type] += p->gpus;
		nodes |= 1u << n;
	}
	for (int t = 0; t < w->ntypes; t++) {
		if (sum[t] != job->gpus[t])
			return no(run, "job %u: placed %u of %u GPUs", job->id,
				  sum[t], job->gpus[t]);
	}
	if (job->need_nodes &&
	    (uint32_t)__builtin_popcount(nodes) != job->need_nodes)
		return no(run, "job %u: on %d nodes, wants %u", job->id,
			  __builtin_popcount(nodes), job->need_nodes);
	for (int n = 0; n < w->nnodes; n++) {
		for (int t = 0; t < w->ntypes; t++) {
			uint32_t each = job->need_nodes ?
						job->gpus[t] / job->need_nodes :
						0;

			if (h->on[n][t] > 0 &&
			    state_free(&run->st, n, t, when) < h->on[n][t])
				return no(
					run, "job %u: node %s has not %u free",
					job->id, w->nodes[n].name, h->on[n][t]);
			if (job->need_nodes && nodes >> n & 1 &&
			    (h->on[n][t] < each || h->on[n][t] > each + 1))
				return no(run, "job %u: not even", job->id);
		}
		if (nodes >> n & 1) {
			uint32_t k = (uint32_t)__builtin_popcount(nodes);

			h->cpus_on[n] = (job->cpus + k - 1) / k;
			if (state_free_cpus(&run->st, n, when) < h->cpus_on[n])
				return no(run, "job %u: CPUs of %s", job->id,
					  w->nodes[n].name);
		}
	}
	return true;
}

static int holder_of(const struct run *run, uint32_t snap_job)
{
	for (int i = 0; i < run->st.nholders; i++) {
		if (!run->st.holders[i].decided &&
		    run->st.holders[i].job == run->view->job_of[snap_job])
			return i;
	}
	return -1;
}

static bool differing_sets(struct run *run, const struct law_job *job,
			   const struct qs_decision *d,
			   const struct judgement *judged)
{
	const struct qs_victim *v = run->plan->victims + d->victims;
	char plan[128] = "", rules[128] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < d->nvictims && n < sizeof(plan) - 12; i++)
		n += (size_t)snprintf(plan + n, sizeof(plan) - n, " %u",
				      v[i].id);
	n = 0;
	for (uint32_t i = 0; i < judged->nvictims && n < sizeof(rules) - 12;
	     i++)
		n += (size_t)snprintf(rules + n, sizeof(rules) - n, " %u",
				      run->st.holders[judged->victims[i]].id);
	return no(run, "job %u: victims%s, by R10%s", job->id, plan, rules);
}

/* Laws 2 and 3: allowed, enough, and none too many. */
static bool check_victims(struct run *run, const struct law_job *job,
			  const struct qs_decision *d,
			  const struct judgement *judged)
{
	const struct qs_victim *v = run->plan->victims + d->victims;
	struct state *st = &run->st;
	int who[LAW_HOLDERS];

	for (uint32_t i = 0; i < d->nvictims; i++) {
		who[i] = holder_of(run, v[i].job);
		if (who[i] < 0)
			return no(run, "job %u: victim %u holds nothing",
				  job->id, v[i].id);
		if (!law_may_take(st, job, who[i], judged->how, false))
			return no(run, "job %u: victim %u is not allowed",
				  job->id, v[i].id);
	}
	for (uint32_t i = 0; i < d->nvictims; i++)
		st->gone[who[i]] = true;
	if (!law_suffices(st, job, judged->how))
		return no(run, "job %u does not start without its victims",
			  job->id);
	if (!law_all_may_go(st, job, judged->how, false, false))
		return no(run, "job %u: takes a job that is own by then",
			  job->id);
	for (uint32_t i = 0; i < d->nvictims; i++) {
		st->gone[who[i]] = false;
		if (law_suffices(st, job, judged->how))
			return no(run, "job %u starts without victim %u",
				  job->id, v[i].id);
		st->gone[who[i]] = true;
	}
	memset(st->gone, 0, sizeof(st->gone));
	if (judged->exact) {
		law_oracle_stats.exact_sets++;
		for (uint32_t i = 0; i < judged->nvictims; i++) {
			bool there = false;

			for (uint32_t k = 0; k < d->nvictims; k++)
				there |= who[k] == (int)judged->victims[i];
			if (!there)
				return differing_sets(run, job, d, judged);
		}
	} else {
		law_oracle_stats.searched_sets++;
	}
	for (uint32_t i = 0; i < d->nvictims; i++)
		st->holders[who[i]].ends = true;
	return true;
}

static bool follow(struct run *run, int j, const struct qs_decision *d,
		   const struct judgement *judged)
{
	const struct law_job *job = &run->st.w->jobs[j];
	struct holder *h;
	int i;

	if (d->verdict == QS_VERDICT_START) {
		enum when when = d->nvictims ? ENDED : NOW;
		struct holder place = { 0 };

		if (d->nvictims && !check_victims(run, job, d, judged))
			return false;
		if (run->st.w->has_nodes &&
		    !check_places(run, job, d, &place, when))
			return false;
		i = state_add(&run->st, job, j);
		h = &run->st.holders[i];
		memcpy(h->on, place.on, sizeof(h->on));
		memcpy(h->cpus_on, place.cpus_on, sizeof(h->cpus_on));
		h->after = d->nvictims > 0;
		run->left[j]--;
		run->wants[j]--;
		return true;
	}
	if (d->copies != run->left[j])
		return no(run, "job %u: %u tasks wait, not %u", job->id,
			  run->left[j], d->copies);
	run->left[j] = 0;
	/* What is on its way out for it is kept: it does not hold up, else N
	 * owed jobs would cost N grace times (law 15). */
	run->waits[j] =
		!(1u << d->code & (CODE(PLACEMENT) | CODE(NODES_DOWN))) &&
		!(d->code == QS_CODE_ENDING && d->reserves);
	if (d->reserves) {
		h = &run->st.holders[state_add(&run->st, job, j)];
		h->kept = true;
		h->after = true;
		h->placed = d->code != QS_CODE_CLAIMED;
		run->st.vague = run->st.w->has_nodes;
	}
	return true;
}

static void count(const struct qs_decision *d)
{
	struct law_oracle_stats *s = &law_oracle_stats;

	s->decisions++;
	s->codes[d->code]++;
	s->starts += d->verdict == QS_VERDICT_START;
	s->waits += d->verdict == QS_VERDICT_WAIT;
	s->never += d->verdict == QS_VERDICT_NEVER;
	s->borrows += d->how == QS_HOW_BORROW;
	s->reclaims += d->how == QS_HOW_RECLAIM;
	s->in_share += d->how == QS_HOW_IN_SHARE;
	s->placements +=
		d->how == QS_HOW_RECLAIM && d->code == QS_CODE_PLACEMENT;
}

enum step {
	AGREES,
	DIFFERS,
	ENOUGH
};

static enum step compare(struct run *run, int j)
{
	const struct law_job *job = &run->st.w->jobs[j];
	const struct qs_decision *d = decision_of(run, j);
	struct judgement judged;
	struct law_job task;

	if (!d) {
		no(run, "job %u has no decision", job->id);
		return DIFFERS;
	}
	task = *job;
	/* A claim is for one task of an array. */
	task.claim &= run->wants[j] == job->copies;
	law_judge(&run->st, &task, &judged);
	if (d->verdict != judged.verdict || d->how != judged.how ||
	    !(judged.codes >> d->code & 1) ||
	    d->reserves != (judged.reserve_codes >> d->code & 1)) {
		if (run->st.vague || judged.either)
			return ENOUGH;
		no(run, "job %u: %s %s %s%s, by the rules %s %s codes %#x%s",
		   job->id, qs_verdict_name(d->verdict), qs_how_name(d->how),
		   qs_code_name(d->code), d->reserves ? " (reserves)" : "",
		   qs_verdict_name(judged.verdict), qs_how_name(judged.how),
		   judged.codes,
		   judged.reserve_codes & judged.codes ? " (reserves)" : "");
		return DIFFERS;
	}
	if (d->nvictims && run->st.vague)
		return ENOUGH;
	/* The order in which they were served. */
	for (; run->served < d - run->plan->decisions; run->served++) {
		const struct qs_decision *other =
			&run->plan->decisions[run->served];
		int k = run->view->job_of[other->job];

		if (run->st.w->jobs[k].queue == run->st.queue &&
		    run->served >= run->decision[k] &&
		    other->code != QS_CODE_ORDER) {
			no(run, "job %u is served before %u", other->id,
			   job->id);
			return DIFFERS;
		}
	}
	count(d);
	return follow(run, j, d, &judged) ? AGREES : DIFFERS;
}

static bool settle_all(struct run *run)
{
	const struct law_world *w = run->st.w;

	for (int j = 0; j < w->njobs; j++) {
		const struct qs_decision *d;
		uint32_t codes;
		bool never;

		if (!undecided(run, j))
			continue;
		codes = settled(w, &w->jobs[j], &never);
		if (!codes)
			continue;
		d = decision_of(run, j);
		if (!d)
			return no(run, "job %u has no decision", w->jobs[j].id);
		if (!(codes >> d->code & 1))
			return no(run, "job %u: %s, by the rules codes %#x",
				  w->jobs[j].id, qs_code_name(d->code), codes);
		if ((d->code >= QS_CODE_UNKNOWN_TYPE) !=
			    (d->verdict == QS_VERDICT_NEVER) ||
		    d->verdict == QS_VERDICT_START)
			return no(run, "job %u: %s with %s", w->jobs[j].id,
				  qs_verdict_name(d->verdict),
				  qs_code_name(d->code));
		count(d);
		run->left[j] = 0;
	}
	return true;
}

/* All that are left are behind somebody: R6a. */
static bool check_behind(struct run *run)
{
	const struct law_world *w = run->st.w;

	for (int j = 0; j < w->njobs; j++) {
		const struct qs_decision *d;

		if (!undecided(run, j))
			continue;
		d = decision_of(run, j);
		if (!d || d->code != QS_CODE_ORDER || d->reserves)
			return no(run, "job %u: %s, by the rules ORDER",
				  w->jobs[j].id,
				  d ? qs_code_name(d->code) : "nothing");
		count(d);
		run->left[j] = 0;
	}
	return true;
}

/* ORDER is passed on: who is behind one that waits behind another waits. */
static void pass_on_order(struct run *run)
{
	for (int j = 0; j < run->st.w->njobs; j++) {
		if (undecided(run, j) && held_up(run, j))
			run->waits[j] = true;
	}
}

/*
 * A claimant that will borrow is served before the others only as far as
 * owners who wait leave it what it borrows: else it would start to be stopped.
 */
static bool leaves_owners_theirs(const struct run *run, int j)
{
	const struct law_world *w = run->st.w;
	const struct law_job *job = &w->jobs[j];

	for (int t = 0; t < w->ntypes; t++) {
		int64_t used = state_used(&run->st, job->share, t, ENDED);
		int64_t capacity = w->shares[job->share].capacity[t];
		int64_t part = used + job->gpus[t] -
			       (used > capacity ? used : capacity);
		int64_t left = -state_loans(&run->st, t, ENDED) -
			       state_out_of_service(&run->st, t);

		for (int s = 0; s < w->nshares; s++) {
			int64_t idle = w->shares[s].capacity[t] -
				       state_used(&run->st, s, t, ENDED);

			if (s == job->share ||
			    w->shares[s].queue != run->st.queue)
				continue;
			for (int k = 0; k < w->njobs; k++) {
				if (w->jobs[k].share == s)
					idle -= (int64_t)w->jobs[k].gpus[t] *
						run->wants[k];
			}
			if (idle > law_lends(w, s, t))
				idle = law_lends(w, s, t);
			left += idle > 0 ? idle : 0;
		}
		if (job->gpus[t] && part > 0 && part > left)
			return false;
	}
	return true;
}

static bool agrees_queue(struct run *run)
{
	bool claims = true;

	for (;;) {
		int j = claims ? next_claimant(run) : next_job(run);

		if (j < 0 && !claims)
			return check_behind(run);
		if (j < 0) {
			claims = false;
			continue;
		}
		if (claims && !leaves_owners_theirs(run, j))
			continue;
		switch (compare(run, j)) {
		case DIFFERS:
			return false;
		case ENOUGH:
			return true;
		case AGREES:
			break;
		}
		pass_on_order(run);
	}
}

bool law_oracle_agrees(const struct law_world *world,
		       const struct law_view *view, const struct qs_plan *plan,
		       char *why, size_t size)
{
	law_oracle_stats.worlds++;
	for (int q = 0; q < world->nqueues; q++) {
		struct run run = {
			.view = view, .plan = plan, .why = why, .size = size
		};

		state_init(&run.st, world, q);
		for (int j = 0; j < world->njobs; j++)
			run.left[j] = world->jobs[j].copies;
		memcpy(run.wants, run.left, sizeof(run.wants));
		for (int j = 0; j < world->njobs; j++) {
			bool never;

			if (world->jobs[j].state != QS_JOB_PENDING ||
			    settled(world, &world->jobs[j], &never))
				run.wants[j] = 0;
		}
		if (!settle_all(&run) || !agrees_queue(&run))
			return false;
	}
	return true;
}
