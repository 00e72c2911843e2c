/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_nodes.c - R10a: which nodes to clear for a job that no node can take
 *
 * Every node that the job may use is priced: the victims that R10 names among
 * the jobs there, pruned. A node costs what its worst victim costs: first the
 * share that pays, then the highest priority, then how many GPUs are stopped
 * as a whole, how many jobs, and the work lost; ties by the node's name. That
 * is R10's order, said of sets. See doc/design.md, "Which nodes to clear".
 *
 * Linear in nodes and the candidates on them, and a sort of the nodes.
 */
#include "plan_state.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

struct price {
	uint32_t node;
	uint32_t share_rank; /* by R10 step 1: 0 pays first */
	uint32_t priority;
	uint64_t gpus, jobs;
	int64_t run; /* seconds of work lost */
	uint32_t name_rank;
};

static int by_price(const void *a, const void *b)
{
	const struct price *x = a, *y = b;

	if (x->share_rank != y->share_rank)
		return x->share_rank < y->share_rank ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	if (x->gpus != y->gpus)
		return x->gpus < y->gpus ? -1 : 1;
	if (x->jobs != y->jobs)
		return x->jobs < y->jobs ? -1 : 1;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->name_rank < y->name_rank ? -1 : x->name_rank > y->name_rank;
}

/* Wanted GPUs that a job holds on a node. */
static uint32_t gpus_here(const struct qs_state *state,
			  const struct qs_job *job, const struct qs_job *victim,
			  uint32_t node)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	const struct qs_placed *p = qs_snapshot_placed(state->snap, victim);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < victim->nplaced; i++) {
		for (uint32_t k = 0; k < job->ndemands; k++) {
			if (p[i].node == node && p[i].type == d[k].type)
				sum += p[i].gpus;
		}
	}
	return sum;
}

/* How much the node lacks: GPUs of the wanted types; CPUs count as 1 so that
 * picking goes on. bits: which demands. */
static int64_t lacking(const struct qs_state *state, const struct qs_job *job,
		       uint32_t node, const struct qs_need *need,
		       uint64_t *bits)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	int64_t sum = 0;

	*bits = 0;

	for (uint32_t k = 0; k < job->ndemands; k++) {
		int64_t rest =
			(int64_t)need->gpus[k] -
			qs_place_free(state, node, d[k].type, QS_VIEW_ENDED);

		if (rest > 0) {
			sum += rest;
			*bits |= UINT64_C(1) << k;
		}
	}
	if (!sum && need->cpus &&
	    qs_place_cpus(state, node, QS_VIEW_ENDED) < need->cpus) {
		*bits = UINT64_MAX; /* whoever is beyond may give CPUs */
		return 1;
	}
	return sum;
}

static bool add_seat(struct qs_state *state, uint32_t node, uint32_t cand,
		     uint32_t gpus)
{
	if (!qs_array_room((void **)&state->seats, &state->seats_max,
			   (uint64_t)state->nseats + 1,
			   sizeof(*state->seats))) {
		state->no_memory = true;
		return false;
	}
	state->seats[state->nseats] = (struct qs_seat){
		.node = node,
		.cand = cand,
		.gpus = gpus,
		.next = state->seat_of[node],
	};
	state->seat_of[node] = ++state->nseats;
	return true;
}

static bool seat(struct qs_state *state, const struct qs_job *job,
		 uint32_t cand)
{
	const struct qs_job *victim =
		&state->snap->jobs[state->cands[cand].job];
	const struct qs_placed *p = qs_snapshot_placed(state->snap, victim);

	if (!state->snap->has_nodes)
		return add_seat(state, (uint32_t)qs_state_queue(state, victim),
				cand, state->cands[cand].gpus);
	for (uint32_t i = 0; i < victim->nplaced; i++) {
		if ((!i || p[i].node != p[i - 1].node) &&
		    !add_seat(state, p[i].node, cand,
			      gpus_here(state, job, victim, p[i].node)))
			return false;
	}
	return true;
}

/* Which candidates sit on which node; once for each collection of them. The
 * last comes first, so that each node's list ascends. */
static bool seat_all(struct qs_state *state, const struct qs_job *job)
{
	if (state->seated)
		return true;
	for (uint32_t i = 0; i < state->nseats; i++)
		state->seat_of[state->seats[i].node] = 0;
	state->nseats = 0;
	for (uint32_t c = state->ncands; c > 0; c--) {
		if (!seat(state, job, c - 1))
			return false;
	}
	state->seated = true;
	return true;
}

static uint32_t list_candidates(struct qs_state *state, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t i = state->seat_of[node]; i;
	     i = state->seats[i - 1].next) {
		const struct qs_seat *here = &state->seats[i - 1];
		struct qs_candidate *cand = &state->cands[here->cand];

		if (state->gone[cand->job])
			continue;
		cand->here = here->gpus;
		state->on_node[n++] = here->cand;
	}
	return n;
}

/* Pick on one node until it has what is needed; the picks stay. */
static bool clear_node(struct qs_state *state, const struct qs_job *job,
		       uint32_t node, const struct qs_need *need)
{
	uint32_t from = state->npicked, n;
	uint64_t bits;
	int64_t lacks = lacking(state, job, node, need, &bits);

	/* Most nodes are told by this: they fit, or nobody there may go. */
	if (!lacks)
		return true;
	n = list_candidates(state, node);
	if (!n)
		return false;
	for (; lacks > 0; lacks = lacking(state, job, node, need, &bits)) {
		int64_t best;

		qs_cands_need(state, job, bits);
		best = qs_cands_best(state, job, state->on_node, n, lacks,
				     true);

		if (best < 0) {
			while (state->npicked > from)
				qs_cands_unpick(
					state, job,
					state->picked[state->npicked - 1]);
			return false;
		}
		qs_cands_pick(state, job, (uint32_t)best);
		state->cands[best].chosen = QS_CHOSEN_PLACE;
	}
	/* A large one picked last may make small ones before it needless. */
	for (uint32_t i = state->npicked; i > from; i--) {
		uint32_t cand = state->picked[i - 1];

		qs_state_set_gone(state, state->cands[cand].job, false);
		if (lacking(state, job, node, need, &bits))
			qs_state_set_gone(state, state->cands[cand].job, true);
		else
			qs_cands_unpick(state, job, cand);
	}
	return true;
}

static uint32_t rank_of_share(const struct qs_state *state,
			      const uint32_t *pays, uint32_t job)
{
	return pays[qs_state_sid(state, &state->snap->jobs[job])];
}

static void set_price(const struct qs_state *state, const uint32_t *pays,
		      uint32_t node, uint32_t from, struct price *price)
{
	*price = (struct price){ .node = node,
				 .name_rank = state->node_rank[node] };
	for (uint32_t i = from; i < state->npicked; i++) {
		const struct qs_candidate *c = &state->cands[state->picked[i]];
		const struct qs_job *job = &state->snap->jobs[c->job];
		uint32_t rank = rank_of_share(state, pays, c->job);

		if (rank > price->share_rank)
			price->share_rank = rank;
		if (job->priority > price->priority)
			price->priority = job->priority;
		price->gpus += c->gpus;
		price->jobs++;
		price->run += state->snap->now - job->start;
	}
}

/* The nodes of one level of need, the cheapest n of them. */
static bool clear_level(struct qs_state *state, const struct qs_job *job,
			const struct qs_need *need, uint32_t n,
			const uint32_t *pays, struct price *prices)
{
	uint32_t found = 0, usable;
	const uint32_t *nodes = qs_place_usable(state, job, false, &usable);

	for (uint32_t i = 0; i < usable; i++) {
		uint32_t node = nodes[i], from = state->npicked;

		if (state->stamp[node] == state->stamp_now ||
		    !clear_node(state, job, node, need))
			continue;
		set_price(state, pays, node, from, &prices[found++]);
		while (state->npicked > from)
			qs_cands_unpick(state, job,
					state->picked[state->npicked - 1]);
	}
	qsort(prices, found, sizeof(*prices), by_price);
	for (uint32_t i = 0; i < found && n; i++) {
		/* Asked again: an earlier node's victims may be here too. */
		if (!clear_node(state, job, prices[i].node, need))
			continue;
		state->stamp[prices[i].node] = state->stamp_now;
		n--;
	}
	return !n;
}

/* GPUs that a job without a number of nodes lacks, taking every node that it
 * may use as one pool; CPUs that are short count as 1. bits: which demands. */
static int64_t lacking_any(struct qs_state *state, const struct qs_job *job,
			   uint64_t *bits)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t usable;
	const uint32_t *nodes = qs_place_usable(state, job, false, &usable);
	int64_t sum = 0;

	*bits = 0;
	for (uint32_t k = 0; k < job->ndemands; k++) {
		int64_t rest = d[k].gpus;

		for (uint32_t i = 0; i < usable; i++) {
			int64_t have = qs_place_free(state, nodes[i], d[k].type,
						     QS_VIEW_ENDED);

			if (have > 0)
				rest -= have;
		}
		if (rest > 0) {
			sum += rest;
			*bits |= UINT64_C(1) << k;
		}
	}
	if (!sum)
		*bits = UINT64_MAX;
	return sum ? sum : 1;
}

/* What each candidate holds on nodes that the job may use. */
static void set_here_any(struct qs_state *state, const struct qs_job *job)
{
	for (uint32_t c = 0; c < state->ncands; c++) {
		const struct qs_job *victim =
			&state->snap->jobs[state->cands[c].job];
		const struct qs_placed *p =
			qs_snapshot_placed(state->snap, victim);

		state->cands[c].here = 0;
		for (uint32_t i = 0; i < victim->nplaced; i++) {
			if ((!i || p[i].node != p[i - 1].node) &&
			    qs_place_may_use(state, job, p[i].node, false))
				state->cands[c].here += gpus_here(
					state, job, victim, p[i].node);
		}
	}
}

/* A job that names no number of nodes may be spread: R10 over all of them. */
static bool clear_any(struct qs_state *state, const struct qs_job *job)
{
	set_here_any(state, job);
	while (!qs_place_exists(state, job, QS_VIEW_ENDED, false)) {
		uint64_t bits;
		int64_t lacks = lacking_any(state, job, &bits), best;
		uint32_t n = 0;

		qs_cands_need(state, job, bits);
		for (uint32_t c = 0; c < state->ncands; c++) {
			if (state->cands[c].here)
				state->on_node[n++] = c;
		}
		best = qs_cands_best(state, job, state->on_node, n, lacks,
				     true);
		if (best < 0)
			return false;
		qs_cands_pick(state, job, (uint32_t)best);
	}
	return true;
}

/* R10 step 1 as it stands before the first pick: the place of each share. All
 * victims of R8 are of one share. */
static bool rank_shares(struct qs_state *state, const struct qs_job *job,
			uint32_t *pays)
{
	struct qs_ratio *ratios = malloc(state->nsids * sizeof(*ratios));

	if (!ratios)
		return false;
	for (uint32_t a = 0; a < state->nsids; a++)
		ratios[a] = qs_quota_ratio(state, job, a, QS_VIEW_ENDED);
	for (uint32_t a = 0; a < state->nsids; a++) {
		for (uint32_t b = 0; b < state->nsids; b++)
			pays[a] +=
				b != a && qs_cands_share_first(state, ratios[b],
							       b, ratios[a], a);
	}
	free(ratios);
	return true;
}

bool qs_nodes_clear(struct qs_state *state, const struct qs_job *job)
{
	uint32_t nodes = qs_place_nodes(state, job);
	uint32_t *pays;
	struct price *prices;
	bool done;
	uint32_t n;

	if (nodes == QS_NODES_ANY)
		return clear_any(state, job);
	pays = calloc(state->nsids, sizeof(*pays));
	prices = malloc((state->nnodes + 1) * sizeof(*prices));
	done = pays && prices && seat_all(state, job) &&
	       (state->kind == QS_KIND_IN_SHARE ||
		rank_shares(state, job, pays));

	if (!done) {
		state->no_memory = true;
		goto out;
	}
	if (nodes > state->nnodes) {
		done = false;
		goto out;
	}
	state->stamp_now++;
	for (uint32_t at = 0; done && at < nodes; at += n) {
		struct qs_need need;

		qs_place_need(state, job, nodes, at, &need, &n);
		done = clear_level(state, job, &need, n, pays, prices);
	}
out:
	free(pays);
	free(prices);
	return done;
}
