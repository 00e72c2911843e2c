/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_cands.c - who may be a victim, and R10 steps 1 to 4 among them
 *
 * A cross-share candidate holds GPUs beyond its share's capacity (R7); which
 * jobs these are follows from R4's order, read from its tail. An in-share
 * candidate has a strictly lower priority (R8). Nobody is a candidate who is
 * protected (R13), displaced this very job before (R14), or holds nothing that
 * is in service (R10a).
 */
#include "plan_fetch.h"
#include "plan_state.h"

#include <stdlib.h>
#include <string.h>

static bool is_protected(const struct qs_state *state, const struct qs_job *job)
{
	if (state->ignore_protection || job->share < 0)
		return false;
	return state->snap->now - job->start <
	       state->policy->shares[job->share].min_runtime_sec;
}

/*
 * R10a: would anybody get GPUs from it? A place is found on nodes that the
 * claimant may use only (plan_nodes.c); for a debt of quota it is enough that
 * they are in service: what the claimant takes elsewhere has to be free there.
 */
static bool is_in_service(const struct qs_state *state,
			  const struct qs_job *victim)
{
	const struct qs_snapshot *snap = state->snap;
	const struct qs_placed *p = qs_snapshot_placed(snap, victim);

	if (!snap->has_nodes)
		return true;
	for (uint32_t i = 0; i < victim->nplaced; i++) {
		if (snap->nodes[p[i].node].state == QS_NODE_UP)
			return true;
	}
	return false;
}

/* What it holds of the types that the claimant wants. */
static uint32_t wanted_gpus(const struct qs_state *state,
			    const struct qs_job *job, uint32_t index)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t sum = 0;

	for (uint32_t k = 0; k < job->ndemands; k++)
		sum += qs_order_gpus(state, index, d[k].type);
	return sum;
}

/* Any of the candidates may be picked, and all may sit on one node. */
static bool room_for_one(struct qs_state *state)
{
	uint32_t max = state->cands_max ? state->cands_max * 2 : 64;
	struct qs_candidate *cands;
	uint32_t *picked, *on_node;

	if (state->ncands < state->cands_max)
		return true;
	cands = realloc(state->cands, max * sizeof(*cands));
	if (cands)
		state->cands = cands;
	picked = realloc(state->picked, max * sizeof(*picked));
	if (picked)
		state->picked = picked;
	on_node = realloc(state->on_node, max * sizeof(*on_node));
	if (on_node)
		state->on_node = on_node;
	if (!cands || !picked || !on_node) {
		state->no_memory = true;
		return false;
	}
	state->cands_max = max;
	return true;
}

/* The candidate of a job, made at first sight; NULL if it may not be one. */
static struct qs_candidate *candidate(struct qs_state *state,
				      const struct qs_job *job, uint32_t index)
{
	const struct qs_job *victim = &state->snap->jobs[index];

	if (state->cand_of[index])
		return &state->cands[state->cand_of[index] - 1];
	if (state->started[index] ||
	    (job->displaced_by && job->displaced_by == victim->id) ||
	    !is_in_service(state, victim))
		return NULL;
	if (is_protected(state, victim)) {
		state->saw_protected = true;
		return NULL;
	}
	if (!room_for_one(state))
		return NULL;
	state->cands[state->ncands] = (struct qs_candidate){
		.job = index,
		.id = victim->id,
		.sid = qs_state_sid(state, victim),
		.priority = victim->priority,
		.start = victim->start,
		.gpus = wanted_gpus(state, job, index),
	};
	state->cand_of[index] = ++state->ncands;
	return &state->cands[state->ncands - 1];
}

static void collect_beyond(struct qs_state *state, const struct qs_job *job,
			   uint32_t sid, uint32_t type, bool first)
{
	struct qs_cell *cell = qs_state_cell(state, sid, type);
	int64_t left = qs_cell_held(cell, QS_VIEW_ENDED) - cell->capacity;
	int64_t over = 0;

	if (left > 0)
		qs_order_sort(state, cell);

	if (cell->limit != INT64_MAX)
		over = left + cell->capacity - cell->limit;
	for (uint32_t i = cell->n; i > 0 && left > 0; i--) {
		uint32_t index = cell->order[i - 1];
		uint32_t gpus = qs_order_gpus(state, index, type);
		struct qs_candidate *cand;

		if (state->gone[index])
			continue;
		cand = first || state->cand_of[index] ?
			       candidate(state, job, index) :
			       NULL;
		if (cand) {
			cand->beyond += left < gpus ? (uint32_t)left : gpus;
			cand->over_limit |= over > 0;
		}
		left -= gpus;
		over -= gpus;
	}
}

static bool any_lower(const struct qs_cell *cell, const struct qs_job *job)
{
	return cell->n && cell->lowest < job->priority;
}

bool qs_cands_any_lower(const struct qs_state *state, const struct qs_job *job)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	bool any = false;

	for (uint32_t k = 0; k < job->ndemands; k++)
		any |= any_lower(qs_state_cell(state, qs_state_sid(state, job),
					       d[k].type),
				 job);
	return any;
}

static void collect_lower(struct qs_state *state, const struct qs_job *job,
			  uint32_t sid, uint32_t type)
{
	struct qs_cell *cell = qs_state_cell(state, sid, type);

	if (!any_lower(cell, job))
		return;
	qs_order_sort(state, cell);
	for (uint32_t i = cell->n; i > 0; i--) {
		uint32_t index = cell->order[i - 1];
		struct qs_candidate *cand;

		if (i > 2 * QS_AHEAD)
			qs_fetch_job(state, cell->order[i - 1 - 2 * QS_AHEAD]);
		if (i > QS_AHEAD)
			qs_fetch_held(state, cell->order[i - 1 - QS_AHEAD]);
		/* R4's order is by priority: nobody before is lower. */
		if (state->snap->jobs[index].priority >= job->priority)
			break;
		if (state->gone[index])
			continue;
		cand = candidate(state, job, index);
		if (!cand)
			continue;
		cand->beyond = cand->gpus; /* whole jobs are counted (R8) */
	}
}

/* The candidates of one share. */
static void collect_share(struct qs_state *state, const struct qs_job *job,
			  uint32_t sid)
{
	const struct qs_demand *d = qs_state_demands(state, job);

	state->cands_from[sid] = state->ncands;
	for (uint32_t k = 0; k < job->ndemands; k++) {
		if (state->kind == QS_KIND_IN_SHARE)
			collect_lower(state, job, sid, d[k].type);
		else
			collect_beyond(state, job, sid, d[k].type, true);
	}
	state->cands_to[sid] = state->ncands;
}

bool qs_cands_collect(struct qs_state *state, const struct qs_job *job,
		      enum qs_kind kind)
{
	uint32_t own = qs_state_sid(state, job);
	int32_t queue = qs_state_queue(state, job);

	for (uint32_t i = 0; i < state->ncands; i++)
		state->cand_of[state->cands[i].job] = 0;
	state->ncands = 0;
	state->npicked = 0;
	state->seated = false;
	state->kind = kind;
	state->needed = UINT64_MAX;
	for (uint32_t sid = 0; sid < state->nsids; sid++) {
		state->cands_from[sid] = state->cands_to[sid] = state->ncands;
		if ((sid == own) == (kind == QS_KIND_IN_SHARE) &&
		    qs_state_sid_queue(state, sid) == queue)
			collect_share(state, job, sid);
	}
	return state->ncands > 0;
}

void qs_cands_refresh(struct qs_state *state, const struct qs_job *job,
		      uint32_t sid)
{
	const struct qs_demand *d = qs_state_demands(state, job);

	if (state->kind == QS_KIND_IN_SHARE ||
	    state->cands_from[sid] == state->cands_to[sid])
		return; /* whole jobs count, whoever else is there */
	for (uint32_t i = state->cands_from[sid]; i < state->cands_to[sid]; i++)
		state->cands[i].beyond = 0;
	for (uint32_t k = 0; k < job->ndemands; k++) {
		if (state->needed >> k & 1)
			collect_beyond(state, job, sid, d[k].type, false);
	}
}

void qs_cands_need(struct qs_state *state, const struct qs_job *job,
		   uint64_t needed)
{
	if (job->ndemands == 1 || needed == state->needed)
		return;
	state->needed = needed;
	for (uint32_t sid = 0; sid < state->nsids; sid++) {
		if (qs_state_sid_queue(state, sid) ==
		    qs_state_queue(state, job))
			qs_cands_refresh(state, job, sid);
	}
}

bool qs_cands_share_first(const struct qs_state *state, struct qs_ratio x,
			  uint32_t a, struct qs_ratio y, uint32_t b)
{
	int order = qs_ratio_compare(x, y);

	if (order)
		return order > 0;
	return state->share_rank[a] < state->share_rank[b];
}

static int compare_fit(const struct qs_candidate *a,
		       const struct qs_candidate *b, int64_t need, bool on_node)
{
	int64_t x = on_node ? a->here : a->beyond;
	int64_t y = on_node ? b->here : b->beyond;

	if ((x >= need) != (y >= need))
		return x >= need ? -1 : 1;
	if (x >= need) {
		/* as a whole least above what is needed */
		if (a->gpus != b->gpus)
			return a->gpus < b->gpus ? -1 : 1;
		return 0;
	}
	if (x != y)
		return x > y ? -1 : 1;
	return 0;
}

/* R10 steps 2 to 4 and the job id: below 0 if a goes first; step tells which
 * of them decided. */
static int compare_cands(const struct qs_queue *queue,
			 const struct qs_candidate *a,
			 const struct qs_candidate *b, int64_t need,
			 bool on_node, enum qs_chosen *step)
{
	for (int i = 0; i < QS_VICTIM_STEPS; i++) {
		int order = 0;

		switch (queue->victim_order[i]) {
		case QS_VICTIM_PRIORITY:
			*step = QS_CHOSEN_PRIORITY;
			order = a->priority < b->priority ?
					-1 :
					a->priority > b->priority;
			break;
		case QS_VICTIM_FIT:
			*step = QS_CHOSEN_FIT;
			order = compare_fit(a, b, need, on_node);
			break;
		case QS_VICTIM_DURATION:
		case QS_VICTIM_STEPS:
			*step = QS_CHOSEN_DURATION;
			order = a->start > b->start ? -1 : a->start < b->start;
			break;
		}
		if (order)
			return order;
	}
	*step = QS_CHOSEN_JOB_ID;
	return a->id > b->id ? -1 : 1;
}

static bool may_pick(const struct qs_state *state,
		     const struct qs_candidate *cand)
{
	return !cand->out && cand->beyond && !state->gone[cand->job];
}

/* Candidates of one share that stand together in a list. */
struct run {
	uint32_t from, to, sid;
};

static uint32_t at(const uint32_t *list, uint32_t i)
{
	return list ? list[i] : i;
}

static struct run run_from(const struct qs_state *state, const uint32_t *list,
			   uint32_t n, uint32_t from)
{
	struct run run = { .from = from, .to = from + 1 };

	run.sid = state->cands[at(list, from)].sid;
	if (!list)
		run.to = state->cands_to[run.sid];
	while (run.to < n && state->cands[at(list, run.to)].sid == run.sid)
		run.to++;
	return run;
}

static bool any_to_pick(const struct qs_state *state, const uint32_t *list,
			const struct run *run)
{
	for (uint32_t i = run->from; i < run->to; i++) {
		if (may_pick(state, &state->cands[at(list, i)]))
			return true;
	}
	return false;
}

/* R10 step 1: the share of the list that pays; others: there are more. Each
 * share is weighed once. False: nobody is left. */
static bool paying_share(const struct qs_state *state, const struct qs_job *job,
			 const uint32_t *list, uint32_t n, struct run *pays,
			 bool *others)
{
	struct qs_ratio most = { 0, 1 };
	bool found = false;
	struct run run;

	*others = false;
	for (uint32_t i = 0; i < n; i = run.to) {
		struct qs_ratio ratio;

		run = run_from(state, list, n, i);
		ratio = qs_quota_ratio(state, job, run.sid, QS_VIEW_ENDED);
		/* Who would not pay is only asked for until there is one. */
		if (found && !qs_cands_share_first(state, ratio, run.sid, most,
						   pays->sid)) {
			*others = *others || any_to_pick(state, list, &run);
			continue;
		}
		if (!any_to_pick(state, list, &run))
			continue;
		*others = found;
		found = true;
		*pays = run;
		most = ratio;
	}
	return found;
}

int64_t qs_cands_best(struct qs_state *state, const struct qs_job *job,
		      const uint32_t *list, uint32_t n, int64_t need,
		      bool on_node)
{
	const struct qs_queue *queue =
		&state->policy->queues[qs_state_queue(state, job)];
	struct qs_candidate *best = NULL, *second = NULL;
	enum qs_chosen step = QS_CHOSEN_ONLY, by;
	struct run pays;
	bool others;

	if (!paying_share(state, job, list, n, &pays, &others))
		return -1;
	for (uint32_t i = pays.from; i < pays.to; i++) {
		struct qs_candidate *cand = &state->cands[at(list, i)];

		if (!may_pick(state, cand))
			continue;
		if (!best ||
		    compare_cands(queue, cand, best, need, on_node, &by) < 0) {
			second = best;
			best = cand;
		} else if (!second || compare_cands(queue, cand, second, need,
						    on_node, &by) < 0) {
			second = cand;
		}
	}
	if (second)
		compare_cands(queue, best, second, need, on_node, &step);
	else if (others)
		step = QS_CHOSEN_SHARE;
	best->chosen = (uint8_t)step;
	return best - state->cands;
}

void qs_cands_pick(struct qs_state *state, const struct qs_job *job,
		   uint32_t cand)
{
	struct qs_candidate *c = &state->cands[cand];

	c->had = c->beyond;
	qs_state_set_gone(state, c->job, true);
	state->picked[state->npicked++] = cand;
	/* What was its own becomes others' own: they may be beyond no more. */
	c->shifts = c->gpus != c->beyond;
	if (c->shifts)
		qs_cands_refresh(state, job, c->sid);
}

void qs_cands_unpick(struct qs_state *state, const struct qs_job *job,
		     uint32_t cand)
{
	struct qs_candidate *c = &state->cands[cand];

	qs_state_set_gone(state, c->job, false);
	for (uint32_t i = state->npicked; i > 0; i--) {
		if (state->picked[i - 1] != cand)
			continue;
		memmove(&state->picked[i - 1], &state->picked[i],
			(state->npicked - i) * sizeof(*state->picked));
		state->npicked--;
		break;
	}
	/* beyond is 0 when others were counted anew while it was away. */
	if (c->shifts || !c->beyond)
		qs_cands_refresh(state, job, c->sid);
}
