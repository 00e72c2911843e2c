/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_usable.c - which nodes may a job use at all
 *
 * The nodes of its queue, its partitions and its node list that are up. Jobs of
 * one kind ask for the same nodes one after the other, so for each type the
 * list that was asked for last is kept: what it depends on does not change
 * while a plan is made.
 */
#include "plan_state.h"

#include <stdlib.h>

#include "array.h"

static bool is_in_set(const struct qs_snapshot *snap, int64_t set,
		      uint32_t node)
{
	return snap->nodesets[set][node / 8] >> (node % 8) & 1;
}

bool qs_place_may_use(const struct qs_state *state, const struct qs_job *job,
		      uint32_t node, bool down)
{
	const struct qs_snapshot *snap = state->snap;
	int32_t queue = qs_state_queue(state, job);

	if (!snap->has_nodes)
		return (int32_t)node == queue;
	if (snap->nodes[node].queue != queue ||
	    (snap->nodes[node].state != QS_NODE_UP && !down))
		return false;
	if (job->partitions && snap->nodes[node].partitions &&
	    !(job->partitions & snap->nodes[node].partitions))
		return false;
	if (state->where_claimed &&
	    !is_in_set(snap, (int64_t)job->claimed_on - 1, node))
		return false;
	return job->nodeset < 0 || is_in_set(snap, job->nodeset, node);
}

/* A type of which each node must give some, so that nodes without it need not
 * be looked at; ntypes: there is none. */
static uint32_t sieve(const struct qs_state *state, const struct qs_job *job)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t nodes = qs_place_nodes(state, job);

	if (nodes == QS_NODES_ANY)
		return job->ndemands == 1 ? d[0].type : state->ntypes;
	for (uint32_t k = 0; k < job->ndemands; k++) {
		if (d[k].gpus >= nodes)
			return d[k].type;
	}
	return state->ntypes;
}

static bool has_type(const struct qs_state *state, uint32_t node, uint32_t type)
{
	return type == state->ntypes || !state->snap->has_nodes ||
	       state->snap->node_gpus[(size_t)node * state->ntypes + type];
}

static uint32_t claimed_on(const struct qs_state *state,
			   const struct qs_job *job)
{
	return state->where_claimed ? job->claimed_on : 0;
}

static bool same_kind(const struct qs_state *state,
		      const struct qs_usable *usable, const struct qs_job *job,
		      int32_t queue)
{
	return usable->made && usable->queue == queue &&
	       usable->claimed_on == claimed_on(state, job) &&
	       usable->nodeset == job->nodeset &&
	       usable->partitions == job->partitions;
}

const uint32_t *qs_place_usable(struct qs_state *state,
				const struct qs_job *job, bool down,
				uint32_t *n)
{
	uint32_t type = sieve(state, job);
	struct qs_usable *usable = &state->usable[2 * type + down];
	int32_t queue = qs_state_queue(state, job);

	if (same_kind(state, usable, job, queue))
		goto out;
	usable->n = 0;
	for (uint32_t node = 0; node < state->nnodes; node++) {
		if (!has_type(state, node, type) ||
		    !qs_place_may_use(state, job, node, down))
			continue;
		if (!qs_array_room((void **)&usable->nodes, &usable->max,
				   (uint64_t)usable->n + 1,
				   sizeof(*usable->nodes))) {
			state->no_memory = true;
			goto out;
		}
		usable->nodes[usable->n++] = node;
	}
	usable->made = true;
	usable->queue = queue;
	usable->nodeset = job->nodeset;
	usable->claimed_on = claimed_on(state, job);
	usable->partitions = job->partitions;
out:
	*n = usable->n;
	return usable->nodes;
}

void qs_place_free_usable(struct qs_state *state)
{
	for (uint32_t i = 0; state->usable && i < 2 * (state->ntypes + 1); i++)
		free(state->usable[i].nodes);
	free(state->usable);
}
