/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_state.c - build and change the planner's working tables
 *
 * Called once per plan; linear in jobs and nodes but for the sorts. Where the
 * order of the input could show, names and ids decide (law 4).
 */
#include "plan_state.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define NO_CPU_LIMIT (INT64_MAX / 4)

static void *table(struct qs_state *state, size_t n, size_t size)
{
	void *mem = calloc(n ? n : 1, size);

	if (!mem)
		state->no_memory = true;
	return mem;
}

static bool alloc_tables(struct qs_state *state)
{
	const struct qs_snapshot *snap = state->snap;
	size_t T = state->ntypes, N = state->nnodes;

	state->cells = table(state, state->nsids * T, sizeof(*state->cells));
	state->spare = table(state, (size_t)state->policy->nqueues * T,
			     sizeof(*state->spare));
	state->leaving = table(state, (size_t)state->policy->nqueues * T,
			       sizeof(*state->leaving));
	state->stuck = table(state, (size_t)state->policy->nqueues * T,
			     sizeof(*state->stuck));
	state->sums =
		table(state, (size_t)state->policy->nqueues * T * QS_VIEWS,
		      sizeof(*state->sums));
	state->cands_from = table(state, state->nsids, sizeof(uint32_t));
	state->cands_to = table(state, state->nsids, sizeof(uint32_t));
	state->share_rank = table(state, state->nsids, sizeof(uint32_t));
	state->slots = table(state, N * T, sizeof(*state->slots));
	state->cpus = table(state, N, sizeof(*state->cpus));
	state->usable = table(state, 2 * (T + 1), sizeof(*state->usable));
	state->vain = table(state, T * QS_VIEWS * 2, sizeof(*state->vain));
	state->node_rank = table(state, N, sizeof(uint32_t));
	state->seat_of = table(state, N, sizeof(uint32_t));
	state->gone = table(state, snap->njobs, sizeof(bool));
	state->started = table(state, snap->njobs, sizeof(uint32_t));
	state->stamp = table(state, N, sizeof(uint32_t));
	state->keys = table(state, N, sizeof(*state->keys));
	state->cand_of = table(state, snap->njobs, sizeof(uint32_t));
	return !state->no_memory;
}

/* qsort has no context argument in C11: sort pairs that carry the name. */
struct named {
	const char *name;
	uint32_t index;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool rank_by_name(struct qs_state *state, struct named *list, uint32_t n,
			 uint32_t *rank)
{
	qsort(list, n, sizeof(*list), by_name);
	for (uint32_t i = 0; i < n; i++)
		rank[list[i].index] = i;
	free(list);
	return !state->no_memory;
}

static bool rank_nodes(struct qs_state *state)
{
	const struct qs_snapshot *snap = state->snap;
	struct named *list;

	/* Without nodes all names are the same. */
	if (!snap->has_nodes || !snap->shuffled) {
		for (uint32_t i = 0; i < state->nnodes; i++)
			state->node_rank[i] = i;
		return true;
	}
	list = table(state, state->nnodes, sizeof(*list));
	if (!list)
		return false;
	for (uint32_t i = 0; i < state->nnodes; i++)
		list[i] = (struct named){ snap->nodes[i].name, i };
	return rank_by_name(state, list, state->nnodes, state->node_rank);
}

static bool rank_names(struct qs_state *state)
{
	struct named *list = table(state, state->nsids, sizeof(*list));

	if (!list)
		return false;
	for (uint32_t i = 0; i < state->nsids; i++) {
		bool real = i < (uint32_t)state->policy->nshares;

		list[i].name = real ? state->policy->shares[i].name : "";
		list[i].index = i;
	}
	return rank_by_name(state, list, state->nsids, state->share_rank) &&
	       rank_nodes(state);
}

static void fill_cells(struct qs_state *state)
{
	const struct qs_policy *policy = state->policy;

	for (uint32_t sid = 0; sid < state->nsids; sid++) {
		bool real = sid < (uint32_t)policy->nshares;

		for (uint32_t t = 0; t < state->ntypes; t++) {
			struct qs_cell *cell = qs_state_cell(state, sid, t);
			int s = (int)sid, type = (int)t;

			cell->queue = qs_state_sid_queue(state, sid);
			cell->limit = INT64_MAX;
			if (!real)
				continue;
			cell->capacity =
				qs_policy_quota(policy, s, type)->capacity;
			cell->lends = qs_policy_lends(policy, s, type);
			cell->limit = qs_policy_limit(policy, s, type);
		}
	}
}

static void fill_nodes(struct qs_state *state)
{
	const struct qs_snapshot *snap = state->snap;
	uint32_t T = state->ntypes;

	state->all_up = true;
	for (uint32_t n = 0; n < state->nnodes; n++) {
		if (snap->has_nodes && snap->nodes[n].state != QS_NODE_UP)
			state->all_up = false;
		for (uint32_t t = 0; t < T; t++) {
			size_t at = (size_t)n * T + t;

			if (snap->has_nodes)
				state->slots[at].now =
					(int32_t)snap->node_gpus[at] -
					(int32_t)snap->node_gpus_other[at];
			else
				state->slots[at].now = (int32_t)qs_policy_pool(
					state->policy, (int)n, (int)t);
		}
		state->cpus[n].now = NO_CPU_LIMIT;
		if (snap->has_nodes && snap->nodes[n].cpus)
			state->cpus[n].now = (int64_t)snap->nodes[n].cpus -
					     snap->nodes[n].cpus_busy;
	}
}

/* CPUs that a job holds on each node of its places: an even spread. */
static int64_t cpus_each(const struct qs_job *job, const struct qs_placed *p,
			 uint32_t n)
{
	uint32_t nodes = 0;

	if (!job->cpus)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		nodes += !i || p[i].node != p[i - 1].node;
	return nodes ? (job->cpus + nodes - 1) / nodes : 0;
}

/* Somebody becomes a victim, or is none any more, on a node that is not up. */
static void leave(struct qs_state *state, const struct qs_placed *p,
		  int64_t was)
{
	const struct qs_node *node = &state->snap->nodes[p->node];

	if (node->state != QS_NODE_UP)
		state->leaving[(size_t)node->queue * state->ntypes + p->type] +=
			qs_slot_leaving(
				qs_state_slot(state, p->node, p->type)) -
			was;
}

/* Add what a running job holds on its nodes, so many times, to what is free
 * and to what is ending there. */
static void spread(struct qs_state *state, uint32_t index, int free_times,
		   int ending_times)
{
	const struct qs_snapshot *snap = state->snap;
	const struct qs_job *job = &snap->jobs[index];
	const struct qs_placed *p = qs_snapshot_placed(snap, job);
	int64_t each = cpus_each(job, p, job->nplaced);

	if (!snap->has_nodes) {
		const struct qs_demand *d = qs_state_demands(state, job);
		uint32_t node = (uint32_t)qs_state_queue(state, job);

		for (uint32_t i = 0; i < job->ndemands; i++) {
			struct qs_slot *slot =
				qs_state_slot(state, node, d[i].type);

			slot->now += free_times * (int32_t)d[i].gpus;
			slot->ending += ending_times * (int32_t)d[i].gpus;
		}
		return;
	}
	for (uint32_t i = 0; i < job->nplaced; i++) {
		struct qs_slot *slot =
			qs_state_slot(state, p[i].node, p[i].type);
		struct qs_cpus *cpus = &state->cpus[p[i].node];
		bool leaves = !state->all_up && !free_times;
		int64_t was = leaves ? qs_slot_leaving(slot) : 0;

		slot->now += free_times * (int32_t)p[i].gpus;
		slot->ending += ending_times * (int32_t)p[i].gpus;
		/* At first they are counted when all jobs are charged. */
		if (leaves)
			leave(state, &p[i], was);
		if (each && (!i || p[i].node != p[i - 1].node)) {
			cpus->now += free_times * each;
			cpus->ending += ending_times * each;
		}
	}
}

static bool add_pending(struct qs_state *state, uint32_t job)
{
	if (!qs_array_room((void **)&state->pending, &state->pending_max,
			   (uint64_t)state->npending + 1,
			   sizeof(*state->pending))) {
		state->no_memory = true;
		return false;
	}
	state->pending[state->npending++] = job;
	return true;
}

static bool charge_jobs(struct qs_state *state)
{
	const struct qs_snapshot *snap = state->snap;

	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];
		const struct qs_demand *d = qs_state_demands(state, job);
		uint32_t sid = qs_state_sid(state, job);

		if (job->state == QS_JOB_PENDING) {
			if (!add_pending(state, i))
				return false;
			continue;
		}
		state->gone[i] = job->ends || job->state == QS_JOB_COMPLETING;
		spread(state, i, -1, state->gone[i] ? 1 : 0);
		for (uint32_t k = 0; k < job->ndemands; k++) {
			struct qs_cell *cell =
				qs_state_cell(state, sid, d[k].type);

			cell->held += d[k].gpus;
			if (state->gone[i])
				cell->ending += d[k].gpus;
			else if (!qs_order_append(state, cell, i))
				return false;
		}
	}
	return true;
}

bool qs_state_init(struct qs_state *state, const struct qs_snapshot *snap)
{
	const struct qs_policy *policy = snap->policy;

	memset(state, 0, sizeof(*state));
	state->snap = snap;
	state->policy = policy;
	state->ntypes = (uint32_t)policy->ntypes;
	state->nsids = (uint32_t)(policy->nshares + policy->nqueues);
	state->nnodes =
		snap->has_nodes ? snap->nnodes : (uint32_t)policy->nqueues;
	if (!alloc_tables(state) || !rank_names(state))
		return false;
	fill_cells(state);
	fill_nodes(state);
	if (!charge_jobs(state))
		return false;
	qs_service_count(state);
	qs_service_stuck(state);
	return true;
}

void qs_state_free(struct qs_state *state)
{
	if (state->cells) {
		for (uint32_t c = 0; c < state->nsids * state->ntypes; c++)
			free(state->cells[c].order);
	}
	free(state->cells);
	free(state->spare);
	free(state->leaving);
	free(state->stuck);
	free(state->sums);
	free(state->cands_from);
	free(state->cands_to);
	free(state->share_rank);
	free(state->slots);
	free(state->cpus);
	qs_place_free_usable(state);
	free(state->vain);
	free(state->node_rank);
	free(state->seat_of);
	free(state->seats);
	free(state->pending);
	free(state->gone);
	free(state->started);
	free(state->stamp);
	free(state->places);
	free(state->keys);
	free(state->cands);
	free(state->cand_of);
	free(state->picked);
	free(state->on_node);
}

void qs_state_set_gone(struct qs_state *state, uint32_t index, bool gone)
{
	const struct qs_job *job = &state->snap->jobs[index];
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t sid = qs_state_sid(state, job);
	int sign = gone ? 1 : -1;

	if (state->gone[index] == gone)
		return;
	state->gone[index] = gone;
	qs_state_touch(state);
	for (uint32_t i = 0; i < job->ndemands; i++) {
		qs_state_cell(state, sid, d[i].type)->ending +=
			sign * (int64_t)d[i].gpus;
		/* What it held on nodes that are not up goes with it, and
		 * others may be own now. */
		qs_service_restick(state, sid, d[i].type);
	}
	spread(state, index, 0, sign);
}

void qs_state_hold(struct qs_state *state, uint32_t index,
		   const struct qs_placed *places, uint32_t n, int sign)
{
	int64_t each = cpus_each(&state->snap->jobs[index], places, n);

	qs_state_touch(state);
	for (uint32_t i = 0; i < n; i++) {
		const struct qs_placed *p = &places[i];
		struct qs_slot *slot = qs_state_slot(state, p->node, p->type);
		int32_t gpus = sign * (int32_t)p->gpus;

		slot->now -= gpus;
		slot->waiting += gpus;
		slot->reserved += gpus;
		if (!i || p->node != p[-1].node)
			state->cpus[p->node].now -= sign * each;
	}
}

void qs_state_start(struct qs_state *state, uint32_t index, enum qs_start how)
{
	const struct qs_job *job = &state->snap->jobs[index];
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t sid = qs_state_sid(state, job);
	int64_t each = cpus_each(job, state->places, state->nplaces);
	/* Asked before it is charged, with its victims gone. */
	bool claims_own =
		(how == QS_START_LATER ||
		 (how == QS_START_KEPT && qs_state_claims(state, job))) &&
		qs_quota_entitled(state, job, QS_VIEW_ENDED);

	state->version++;
	qs_state_touch(state);
	state->started[index]++;
	for (uint32_t i = 0; i < job->ndemands; i++) {
		struct qs_cell *cell = qs_state_cell(state, sid, d[i].type);

		cell->held += d[i].gpus;
		if (how == QS_START_KEPT)
			cell->reserved += d[i].gpus;
		if (how != QS_START_NOW)
			cell->waiting += d[i].gpus;
		if (claims_own)
			cell->own_for = job->id;
		qs_order_insert(state, cell, index);
		qs_service_restick(state, sid, d[i].type);
	}
	for (uint32_t i = 0; i < state->nplaces; i++) {
		const struct qs_placed *p = &state->places[i];
		struct qs_slot *slot = qs_state_slot(state, p->node, p->type);

		slot->now -= (int32_t)p->gpus;
		if (how != QS_START_NOW)
			slot->waiting += (int32_t)p->gpus;
		if (how == QS_START_KEPT)
			slot->reserved += (int32_t)p->gpus;
		if (!i || p->node != p[-1].node)
			state->cpus[p->node].now -= each;
	}
	if (how == QS_START_KEPT && !state->claimant)
		state->claimant = job->id;
}
