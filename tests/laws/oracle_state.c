/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_state.c - the oracle's sums, each made afresh from the definitions
 *
 * SEMANTICS section 1, R3, R4, R6; nothing is remembered between questions.
 */
#include "oracle_state.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t law_limit(const struct law_world *w, int share, int t)
{
	const struct law_share *s = &w->shares[share];
	int64_t percent = s->borrow_limit.set ? s->borrow_limit.value : -1;

	if (!s->listed[t])
		return 0;
	if (s->strategy != QS_STRATEGY_LEND_AND_BORROW)
		return s->capacity[t];
	if (s->borrow_gpus[t].set)
		return s->capacity[t] + s->borrow_gpus[t].value;
	if (percent < 0)
		return INT64_MAX;
	return s->capacity[t] + s->capacity[t] * percent / 100;
}

int64_t law_lends(const struct law_world *w, int share, int t)
{
	const struct law_share *s = &w->shares[share];

	if (s->strategy == QS_STRATEGY_RESERVE || !s->listed[t])
		return 0;
	if (s->lend_limit[t].set)
		return least(s->lend_limit[t].value, s->capacity[t]);
	return s->capacity[t];
}

static int64_t promised(const struct law_world *w, int queue, int t)
{
	int64_t sum = 0;

	for (int s = 0; s < w->nshares; s++) {
		if (w->shares[s].queue == queue)
			sum += w->shares[s].capacity[t];
	}
	return sum;
}

int64_t law_pool(const struct law_world *w, int queue, int t)
{
	if (w->queues[queue].capacity[t].set)
		return w->queues[queue].capacity[t].value;
	return promised(w, queue, t);
}

void state_init(struct state *st, const struct law_world *w, int queue)
{
	memset(st, 0, sizeof(*st));
	st->w = w;
	st->queue = queue;
	for (int j = 0; j < w->njobs; j++) {
		const struct law_job *job = &w->jobs[j];
		struct holder *h;

		if (job->queue != queue || job->state == QS_JOB_PENDING)
			continue;
		h = &st->holders[st->nholders++];
		h->id = job->id;
		h->job = j;
		h->share = job->share;
		h->priority = job->priority;
		h->start = job->start;
		h->placed = true;
		h->ends = job->ends || job->state == QS_JOB_COMPLETING;
		memcpy(h->gpus, job->gpus, sizeof(h->gpus));
		memcpy(h->on, job->on, sizeof(h->on));
		for (int n = 0; n < w->nnodes; n++) {
			if (h->on[n][0] + h->on[n][1] + h->on[n][2])
				h->cpus_on[n] = job->cpus;
		}
	}
}

int state_add(struct state *st, const struct law_job *job, int index)
{
	struct holder *h = &st->holders[st->nholders];

	memset(h, 0, sizeof(*h));
	st->gone[st->nholders] = false;
	h->id = job->id;
	h->job = index;
	h->share = job->share;
	h->priority = job->priority;
	h->start = st->w->now;
	h->decided = true;
	h->placed = true;
	memcpy(h->gpus, job->gpus, sizeof(h->gpus));
	return st->nholders++;
}

static bool counts(const struct state *st, int i, enum when when)
{
	const struct holder *h = &st->holders[i];

	if (st->gone[i] || (when == ENDED && h->ends))
		return false;
	return when != REAL || !h->after;
}

int64_t state_used(const struct state *st, int share, int t, enum when when)
{
	int64_t sum = 0;

	for (int i = 0; i < st->nholders; i++) {
		if (st->holders[i].share == share && counts(st, i, when))
			sum += st->holders[i].gpus[t];
	}
	return share < 0 ? sum : most(0, sum - st->less[share][t]);
}

/* R4: does a fill the own capacity before b? */
static bool fills_before(const struct holder *a, const struct holder *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->start != b->start)
		return a->start < b->start;
	return a->id < b->id;
}

int64_t state_beyond(const struct state *st, int holder, int t, enum when when)
{
	const struct holder *h = &st->holders[holder];
	int64_t before = 0, capacity;

	if (h->share < 0)
		return h->gpus[t];
	capacity = st->w->shares[h->share].capacity[t];
	for (int i = 0; i < st->nholders; i++) {
		const struct holder *o = &st->holders[i];

		if (i != holder && o->share == h->share &&
		    counts(st, i, when) && fills_before(o, h))
			before += o->gpus[t];
	}
	return h->gpus[t] - least(h->gpus[t], most(0, capacity - before));
}

int64_t state_loans(const struct state *st, int t, enum when when)
{
	int64_t sum = state_used(st, QS_SHARE_REMOVED, t, when);

	for (int s = 0; s < st->w->nshares; s++) {
		if (st->w->shares[s].queue == st->queue)
			sum += most(0, state_used(st, s, t, when) -
					       st->w->shares[s].capacity[t]);
	}
	return sum;
}

int64_t state_out_of_service(const struct state *st, int t, enum when when)
{
	const struct law_world *w = st->w;
	int64_t in_service = 0;

	if (!w->has_nodes)
		in_service = law_pool(w, st->queue, t);
	for (int n = 0; w->has_nodes && n < w->nnodes; n++) {
		if (w->nodes[n].queue != st->queue)
			continue;
		if (w->nodes[n].state == QS_NODE_UP)
			in_service += (int64_t)w->nodes[n].gpus[t] -
				      w->nodes[n].other[t];
		for (int i = 0; i < st->nholders; i++) {
			/* What ends there is out of service with its end. */
			if (w->nodes[n].state == QS_NODE_DRAIN &&
			    !st->holders[i].decided && counts(st, i, when))
				in_service += st->holders[i].on[n][t];
		}
	}
	return most(0, promised(w, st->queue, t) - in_service);
}

int64_t state_lent(const struct state *st, int t, enum when when)
{
	int64_t sum = 0;

	for (int s = 0; s < st->w->nshares; s++) {
		if (st->w->shares[s].queue != st->queue)
			continue;
		sum += least(law_lends(st->w, s, t),
			     most(0, st->w->shares[s].capacity[t] -
					     state_used(st, s, t, when)));
	}
	return sum - state_out_of_service(st, t, when);
}

/* Loans on nodes that are drained: nobody would get them back. */
static int64_t stuck(const struct state *st, int t)
{
	int64_t sum = 0;

	for (int i = 0; i < st->nholders; i++) {
		const struct holder *h = &st->holders[i];
		int64_t there = 0;

		for (int n = 0; n < st->w->nnodes; n++) {
			if (st->w->nodes[n].state != QS_NODE_UP)
				there += h->on[n][t];
		}
		if (there && counts(st, i, ENDED))
			sum += least(there, state_beyond(st, i, t, ENDED));
	}
	return sum;
}

int64_t state_excess(const struct state *st, int t, enum when when)
{
	int64_t loans = most(0, state_loans(st, t, when) - stuck(st, t));

	return least(loans, most(0, loans - state_lent(st, t, when)));
}

bool law_node_suits(const struct law_world *w, const struct law_job *job,
		    int node)
{
	const struct law_node *n = &w->nodes[node];

	if (n->queue != job->queue)
		return false;
	if (job->partitions && n->partitions &&
	    !(job->partitions & n->partitions))
		return false;
	return !job->only || (job->only >> node & 1);
}

/* What is held on a node now and not passed on: who starts after its victims
 * takes over what ends, and only the rest of its place is taken from now. */
static int64_t taken(const struct state *st, int node, int t, enum when when)
{
	int64_t stays = 0, ending = 0, after = 0;

	for (int i = 0; i < st->nholders; i++) {
		const struct holder *h = &st->holders[i];
		int64_t here = h->on[node][t];

		if (st->gone[i])
			continue;
		if (h->ends)
			ending += here;
		else if (h->after)
			after += here;
		else
			stays += here;
	}
	return stays + (when == NOW ? most(ending, after) : after);
}

int64_t state_free(const struct state *st, int node, int t, enum when when)
{
	const struct law_node *n = &st->w->nodes[node];

	if (n->state != QS_NODE_UP)
		return 0;
	return (int64_t)n->gpus[t] - n->other[t] - taken(st, node, t, when);
}

/* CPUs are given for a job as a whole: on one node they are known. */
int64_t state_free_cpus(const struct state *st, int node, enum when when)
{
	const struct law_node *n = &st->w->nodes[node];
	int64_t used = n->cpus_busy;

	if (!n->cpus)
		return INT32_MAX;
	for (int i = 0; i < st->nholders; i++) {
		if (counts(st, i, when))
			used += st->holders[i].cpus_on[node];
	}
	return n->cpus - used;
}

int64_t state_pool_free(const struct state *st, int t, enum when when)
{
	int64_t sum = law_pool(st->w, st->queue, t), ending = 0, after = 0;

	for (int i = 0; i < st->nholders; i++) {
		const struct holder *h = &st->holders[i];

		if (st->gone[i] || !h->placed)
			continue;
		if (h->ends)
			ending += h->gpus[t];
		else if (h->after)
			after += h->gpus[t];
		else
			sum -= h->gpus[t];
	}
	return sum - (when == NOW ? most(ending, after) : after);
}

/* Exactly these nodes, evenly: each gets the quotient, some one more. */
static bool even_on(const struct state *st, const struct law_job *job,
		    uint32_t nodes, uint32_t k, enum when when)
{
	for (int t = 0; t < st->w->ntypes; t++) {
		uint32_t each = job->gpus[t] / k, more = job->gpus[t] % k;

		for (int n = 0; n < st->w->nnodes; n++) {
			int64_t room;

			if (!(nodes >> n & 1))
				continue;
			room = state_free(st, n, t, when);
			if (job->gpus[t] && room < each)
				return false;
			if (more && room > each)
				more--;
		}
		if (more)
			return false;
	}
	return true;
}

static bool places_even(const struct state *st, const struct law_job *job,
			enum when when)
{
	uint32_t k = job->need_nodes, each_cpus = (job->cpus + k - 1) / k;

	for (uint32_t set = 1; set < 1u << st->w->nnodes; set++) {
		bool suits = (uint32_t)__builtin_popcount(set) == k;

		for (int n = 0; suits && n < st->w->nnodes; n++) {
			if (set >> n & 1)
				suits = law_node_suits(st->w, job, n) &&
					st->w->nodes[n].state == QS_NODE_UP &&
					(!each_cpus ||
					 state_free_cpus(st, n, when) >=
						 each_cpus);
		}
		if (suits && even_on(st, job, set, k, when))
			return true;
	}
	return false;
}

bool state_places(const struct state *st, const struct law_job *job,
		  enum when when)
{
	int64_t cpus = 0;

	if (st->w->has_nodes && job->need_nodes)
		return places_even(st, job, when);
	for (int t = 0; t < st->w->ntypes; t++) {
		int64_t sum = 0;

		if (!st->w->has_nodes)
			sum = state_pool_free(st, t, when);
		for (int n = 0; st->w->has_nodes && n < st->w->nnodes; n++) {
			if (law_node_suits(st->w, job, n))
				sum += state_free(st, n, t, when);
		}
		if (job->gpus[t] && sum < job->gpus[t])
			return false;
	}
	for (int n = 0; st->w->has_nodes && n < st->w->nnodes; n++) {
		if (law_node_suits(st->w, job, n) &&
		    st->w->nodes[n].state == QS_NODE_UP)
			cpus += most(0, state_free_cpus(st, n, when));
	}
	return !st->w->has_nodes || cpus >= job->cpus;
}
