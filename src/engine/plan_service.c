/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_service.c - what was promised and is not in service, and loans on it
 *
 * Called once when the planner's tables are built; linear in nodes and, only
 * where a node is not up, in the jobs beyond their share's capacity. What of the
 * loans is stuck is counted anew when who is beyond may have changed.
 */
#include "plan_state.h"

/*
 * GPUs in service: those in nodes that are up, and what jobs hold of others.
 * Hardware that no share owns stands in first for what is missing; see
 * doc/design.md, "Out of service".
 */
static void count_nodes(struct qs_state *state, int32_t queue, uint32_t type)
{
	const struct qs_snapshot *snap = state->snap;
	size_t to = (size_t)queue * state->ntypes + type;

	for (uint32_t n = 0; n < snap->nnodes; n++) {
		const struct qs_slot *slot = qs_state_slot(state, n, type);
		size_t at = (size_t)n * state->ntypes + type;

		if (snap->nodes[n].queue != queue)
			continue;
		state->spare[to] += (int64_t)snap->node_gpus[at] -
				    snap->node_gpus_other[at];
		if (snap->nodes[n].state == QS_NODE_UP)
			continue;
		if (slot->now > 0)
			state->spare[to] -= slot->now;
		state->leaving[to] += qs_slot_leaving(slot);
	}
}

void qs_service_count(struct qs_state *state)
{
	uint32_t T = state->ntypes;

	for (int q = 0; q < state->policy->nqueues; q++) {
		for (uint32_t t = 0; t < T; t++) {
			int64_t *spare = &state->spare[(size_t)q * T + t];

			*spare = -qs_policy_promised(state->policy, q, (int)t);
			if (state->snap->has_nodes)
				count_nodes(state, q, t);
			else
				*spare += qs_policy_pool(state->policy, q,
							 (int)t);
		}
	}
}

/* GPUs of a type that a job holds on nodes that are not up. */
static int64_t held_stuck(const struct qs_state *state, uint32_t index,
			  uint32_t type)
{
	const struct qs_snapshot *snap = state->snap;
	const struct qs_job *job = &snap->jobs[index];
	const struct qs_placed *p = qs_snapshot_placed(snap, job);
	int64_t sum = 0;

	for (uint32_t i = 0; i < job->nplaced; i++) {
		if (p[i].type == type &&
		    snap->nodes[p[i].node].state != QS_NODE_UP)
			sum += p[i].gpus;
	}
	return sum;
}

/* Of what the share holds beyond its capacity, read from the end of R4's
 * order, as long as there is anything beyond. */
void qs_service_restick(struct qs_state *state, uint32_t sid, uint32_t type)
{
	struct qs_cell *cell = qs_state_cell(state, sid, type);
	int64_t left = qs_cell_held(cell, QS_VIEW_ENDED) - cell->capacity;
	int64_t sum = 0;

	if (!cell->may_stick)
		return;
	if (left > 0)
		qs_order_sort(state, cell);
	for (uint32_t i = cell->n; i > 0 && left > 0; i--) {
		uint32_t job = cell->order[i - 1];
		int64_t stuck;

		if (state->gone[job])
			continue;
		stuck = held_stuck(state, job, type);
		sum += stuck < left ? stuck : left;
		left -= qs_order_gpus(state, job, type);
	}
	state->stuck[(size_t)qs_state_sid_queue(state, sid) * state->ntypes +
		     type] += sum - cell->stuck;
	cell->stuck = sum;
}

/* Loans that would give nobody anything if they came back: what jobs hold
 * beyond their share's capacity, by R4's order, on nodes that are not up. */
void qs_service_stuck(struct qs_state *state)
{
	const struct qs_snapshot *snap = state->snap;
	bool down = !state->all_up;

	for (uint32_t i = 0; down && i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];
		const struct qs_placed *p = qs_snapshot_placed(snap, job);
		uint32_t sid = qs_state_sid(state, job);

		for (uint32_t k = 0; k < job->nplaced; k++) {
			if (snap->nodes[p[k].node].state != QS_NODE_UP)
				qs_state_cell(state, sid, p[k].type)
					->may_stick = true;
		}
	}
	for (uint32_t c = 0; down && c < state->nsids * state->ntypes; c++)
		qs_service_restick(state, c / state->ntypes, c % state->ntypes);
}
