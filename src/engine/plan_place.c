/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_place.c - can the nodes take the job, and where
 *
 * A job that names a number of nodes gets its GPUs spread evenly over exactly
 * that many; one that does not gets as few nodes as hold it, one if one node
 * can. Nodes are taken where the least is left over, ties by name; a claimant
 * gets the nodes of its claim, if they will do (R9, law 6). Without
 * nodes the queue's pool is a single node without a limit of CPUs.
 *
 * Linear in nodes, but for a sort when several are wanted. Allocates only to
 * grow the list of places.
 */
#include "plan_state.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

void qs_place_need(const struct qs_state *state, const struct qs_job *job,
		   uint32_t nodes, uint32_t at, struct qs_need *need,
		   uint32_t *n)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t end = nodes;

	need->cpus =
		state->snap->has_nodes ? (job->cpus + nodes - 1) / nodes : 0;
	for (uint32_t i = 0; i < job->ndemands; i++) {
		uint32_t rest = d[i].gpus % nodes;

		need->gpus[i] = d[i].gpus / nodes + (at < rest);
		if (at < rest && rest < end)
			end = rest;
	}
	*n = end - at;
}

static bool add_place(struct qs_state *state, uint32_t node, uint16_t type,
		      uint32_t gpus)
{
	if (!gpus)
		return true;
	if (!qs_array_room((void **)&state->places, &state->places_max,
			   (uint64_t)state->nplaces + 1,
			   sizeof(*state->places))) {
		state->no_memory = true;
		return false;
	}
	state->places[state->nplaces++] =
		(struct qs_placed){ node, gpus, type };
	return true;
}

/* What is left of the wanted types if the node gives the need; -1: it cannot.
 * Asked of each node again and again: most jobs want one type. */
static inline int64_t left_over(const struct qs_state *state,
				const struct qs_job *job,
				const struct qs_demand *d, uint32_t node,
				const struct qs_need *need, enum qs_view view)
{
	int64_t left = 0;

	if (need->cpus && qs_place_cpus(state, node, view) < need->cpus)
		return -1;
	for (uint32_t i = 0; i < job->ndemands; i++) {
		int64_t rest = qs_place_free(state, node, d[i].type, view) -
			       need->gpus[i];

		if (rest < 0)
			return -1;
		left += rest;
	}
	return left;
}

static int by_key(const void *a, const void *b)
{
	const struct qs_rank_key *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* A key that sorts by the amount, then by the node's name. */
static int64_t key_of(const struct qs_state *state, int64_t amount,
		      uint32_t node)
{
	return amount * ((int64_t)state->nnodes + 1) +
	       (int64_t)state->node_rank[node];
}

/* The n nodes that fit the need best, of those not taken yet. */
static bool take_best(struct qs_state *state, const struct qs_job *job,
		      const struct qs_need *need, uint32_t n, enum qs_view view,
		      bool down)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t found = 0, usable;
	const uint32_t *nodes = qs_place_usable(state, job, down, &usable);

	for (uint32_t i = 0; i < usable; i++) {
		uint32_t node = nodes[i];
		int64_t left;

		if (state->stamp[node] == state->stamp_now)
			continue;
		left = left_over(state, job, d, node, need, view);
		if (left >= 0)
			state->keys[found++] =
				(struct qs_rank_key){ key_of(state, left, node),
						      node };
	}
	if (found < n)
		return false;
	if (n == 1) {
		for (uint32_t i = 1; i < found; i++) {
			if (state->keys[i].key < state->keys[0].key)
				state->keys[0] = state->keys[i];
		}
	} else {
		qsort(state->keys, found, sizeof(*state->keys), by_key);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = state->keys[i].node;

		state->stamp[node] = state->stamp_now;
		for (uint32_t k = 0; k < job->ndemands; k++) {
			if (!add_place(state, node, d[k].type, need->gpus[k]))
				return false;
		}
	}
	return true;
}

static bool find_even(struct qs_state *state, const struct qs_job *job,
		      uint32_t nodes, enum qs_view view, bool down)
{
	struct qs_need need;
	uint32_t n;

	state->nplaces = 0;
	state->stamp_now++;
	for (uint32_t at = 0; at < nodes; at += n) {
		qs_place_need(state, job, nodes, at, &need, &n);
		if (!take_best(state, job, &need, n, view, down))
			return false;
	}
	return true;
}

/* GPUs of a demand that a node can give, as far as its CPUs go. */
static int64_t can_give(const struct qs_state *state, const struct qs_job *job,
			uint32_t node, uint32_t demand, uint32_t want,
			enum qs_view view)
{
	const struct qs_demand *d = qs_state_demands(state, job) + demand;
	int64_t gpus = qs_place_free(state, node, d->type, view);

	if (job->cpus && state->snap->has_nodes) {
		int64_t by_cpus = qs_place_cpus(state, node, view) *
				  (int64_t)d->gpus / job->cpus;

		if (by_cpus < gpus)
			gpus = by_cpus;
	}
	if (gpus > want)
		gpus = want;
	return gpus > 0 ? gpus : 0;
}

/* Nodes with the most to give first, until the demand is met. */
static bool find_any(struct qs_state *state, const struct qs_job *job,
		     enum qs_view view, bool down)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	struct qs_need want = { .cpus = 0 };
	uint64_t missing = 0;
	uint32_t found = 0, usable;
	const uint32_t *nodes;

	if (find_even(state, job, 1, view, down))
		return true;
	state->nplaces = 0;
	for (uint32_t i = 0; i < job->ndemands; i++) {
		want.gpus[i] = d[i].gpus;
		missing += d[i].gpus;
	}
	nodes = qs_place_usable(state, job, down, &usable);
	for (uint32_t k = 0; k < usable; k++) {
		uint32_t node = nodes[k];
		int64_t give = 0;

		for (uint32_t i = 0; i < job->ndemands; i++)
			give += can_give(state, job, node, i, d[i].gpus, view);
		if (give)
			state->keys[found++] = (struct qs_rank_key){
				key_of(state, -give, node), node
			};
	}
	qsort(state->keys, found, sizeof(*state->keys), by_key);
	for (uint32_t k = 0; k < found && missing; k++) {
		for (uint32_t i = 0; i < job->ndemands; i++) {
			uint32_t gpus = (uint32_t)can_give(
				state, job, state->keys[k].node, i,
				want.gpus[i], view);

			if (!add_place(state, state->keys[k].node, d[i].type,
				       gpus))
				return false;
			want.gpus[i] -= gpus;
			missing -= gpus;
		}
	}
	return !missing;
}

/* Each node that fits a need fits the smaller ones that follow. So it does not
 * matter which nodes the larger ones get: it is enough to count. */
static bool even_exists(struct qs_state *state, const struct qs_job *job,
			uint32_t nodes, enum qs_view view, bool down)
{
	uint32_t usable, n;
	const uint32_t *list = qs_place_usable(state, job, down, &usable);
	const struct qs_demand *d = qs_state_demands(state, job);
	struct qs_need need;

	for (uint32_t at = 0; at < nodes; at += n) {
		uint32_t fit = 0;

		qs_place_need(state, job, nodes, at, &need, &n);
		for (uint32_t i = 0; i < usable && fit < at + n; i++)
			fit += left_over(state, job, d, list[i], &need, view) >=
			       0;
		if (fit < at + n)
			return false;
	}
	return true;
}

/* find_any() takes what every node can give, so sums tell. */
static bool any_exists(struct qs_state *state, const struct qs_job *job,
		       enum qs_view view, bool down)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t usable;
	const uint32_t *list;

	if (even_exists(state, job, 1, view, down))
		return true;
	list = qs_place_usable(state, job, down, &usable);
	for (uint32_t k = 0; k < job->ndemands; k++) {
		int64_t missing = d[k].gpus;

		for (uint32_t i = 0; i < usable && missing > 0; i++)
			missing -= can_give(state, job, list[i], k, d[k].gpus,
					    view);
		if (missing > 0)
			return false;
	}
	return true;
}

/* The search as it would be kept; false: of several types none is. */
static bool search_of(const struct qs_state *state, const struct qs_job *job,
		      struct qs_vain *search)
{
	if (job->ndemands != 1)
		return false;
	*search = (struct qs_vain){
		.at = state->touched + 1,
		.queue = qs_state_queue(state, job),
		.nodeset = job->nodeset,
		.claimed_on = state->where_claimed ? job->claimed_on : 0,
		.partitions = job->partitions,
		.nodes = qs_place_nodes(state, job),
		.gpus = qs_state_demands(state, job)->gpus,
		.cpus = job->cpus,
	};
	return true;
}

/* No node gave so much: will none give this either? On a number of nodes more
 * GPUs need more of each. On any number CPUs go with the GPUs, so that only
 * without them more is more. */
static bool is_in_vain(const struct qs_vain *vain, const struct qs_vain *search)
{
	return vain->at == search->at && vain->queue == search->queue &&
	       vain->nodeset == search->nodeset &&
	       vain->claimed_on == search->claimed_on &&
	       vain->partitions == search->partitions &&
	       vain->nodes == search->nodes && vain->gpus <= search->gpus &&
	       (vain->nodes == QS_NODES_ANY ? !vain->cpus && !search->cpus :
					      vain->cpus <= search->cpus);
}

static bool exists(struct qs_state *state, const struct qs_job *job,
		   enum qs_view view, bool down)
{
	uint32_t nodes = qs_place_nodes(state, job);

	if (nodes == QS_NODES_ANY)
		return any_exists(state, job, view, down);
	return nodes <= state->nnodes &&
	       even_exists(state, job, nodes, view, down);
}

static bool find(struct qs_state *state, const struct qs_job *job,
		 enum qs_view view, bool down)
{
	uint32_t nodes = qs_place_nodes(state, job);

	if (nodes == QS_NODES_ANY)
		return find_any(state, job, view, down);
	if (nodes > state->nnodes)
		return false;
	return find_even(state, job, nodes, view, down);
}

typedef bool search_fn(struct qs_state *state, const struct qs_job *job,
		       enum qs_view view, bool down);

static bool search_unless_vain(struct qs_state *state, const struct qs_job *job,
			       enum qs_view view, bool down, search_fn *fn)
{
	struct qs_vain search, *vain;

	if (!search_of(state, job, &search))
		return fn(state, job, view, down);
	vain = &state->vain[(qs_state_demands(state, job)->type * QS_VIEWS +
			     view) * 2 +
			    down];
	if (is_in_vain(vain, &search))
		return false;
	if (fn(state, job, view, down))
		return true;
	*vain = search;
	return false;
}

bool qs_place_exists(struct qs_state *state, const struct qs_job *job,
		     enum qs_view view, bool down)
{
	return search_unless_vain(state, job, view, down, exists);
}

bool qs_place_find_claimed(struct qs_state *state, const struct qs_job *job,
			   enum qs_view view)
{
	bool found;

	state->where_claimed = true;
	found = search_unless_vain(state, job, view, false, find);
	state->where_claimed = false;
	return found;
}

bool qs_place_find(struct qs_state *state, const struct qs_job *job,
		   enum qs_view view, bool down)
{
	/* Elsewhere it might take what is freed for another. */
	if (job->claimed_on && qs_state_claims(state, job) && !down &&
	    qs_place_find_claimed(state, job, view))
		return true;
	return search_unless_vain(state, job, view, down, find);
}
