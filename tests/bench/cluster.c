/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cluster.c - see cluster.h
 *
 * The first share owns a fifth of each type and uses nothing; the others use
 * all they own and have borrowed all of that, as after a quiet night: the last
 * fifth of the nodes is full of borrowing jobs, which rank low.
 */
#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../laws/random.h"
#include "need.h"

#define NODE_GPUS 8
#define NOW       1000000

static char *name(const char *prefix, uint32_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%05u", prefix, n);
	return bench_need(strdup(text));
}

static uint32_t of_type(const struct bench_kind *kind)
{
	return kind->nodes / kind->types * NODE_GPUS;
}

static uint32_t capacity(const struct bench_kind *kind, uint32_t share)
{
	uint32_t all = of_type(kind), first = all / 5;

	if (!share)
		return first;
	return (all - first) / (kind->shares - 1);
}

struct qs_policy *bench_policy(const struct bench_kind *kind)
{
	struct qs_policy *p = bench_need(qs_policy_new());

	p->ntypes = (int)kind->types;
	p->types = bench_need(calloc(kind->types, sizeof(*p->types)));
	for (uint32_t t = 0; t < kind->types; t++)
		p->types[t].name = name("type", t);
	p->nqueues = 1;
	p->queues = bench_need(calloc(1, sizeof(*p->queues)));
	p->queues[0].name = name("queue", 0);
	p->queues[0].enabled = true;
	p->queues[0].default_share = -1;
	p->queues[0].untyped = -1;
	p->queues[0].non_requeue_borrow = true;
	p->queues[0].in_share_order =
		kind->best_effort ? QS_ORDER_BEST_EFFORT : QS_ORDER_STRICT;
	for (uint8_t i = 0; i < QS_VICTIM_STEPS; i++)
		p->queues[0].victim_order[i] = i;
	p->nshares = (int)kind->shares;
	p->shares = bench_need(calloc(kind->shares, sizeof(*p->shares)));
	p->quotas = bench_need(
		calloc((size_t)kind->shares * kind->types, sizeof(*p->quotas)));
	for (uint32_t s = 0; s < kind->shares; s++) {
		p->shares[s].name = name("share", s);
		p->shares[s].strategy = QS_STRATEGY_LEND_AND_BORROW;
		p->shares[s].enabled = true;
		p->shares[s].in_share_preemption = s % 2;
		for (uint32_t t = 0; t < kind->types; t++) {
			p->quotas[s * kind->types + t].listed = true;
			p->quotas[s * kind->types + t].capacity =
				capacity(kind, s);
		}
	}
	return p;
}

static void add_nodes(struct qs_snapshot *snap, const struct bench_kind *kind)
{
	uint32_t *gpus = bench_need(calloc(kind->types, sizeof(*gpus)));

	for (uint32_t n = 0; n < kind->nodes; n++) {
		struct qs_node node = { .name = name("node", n), .cpus = 64 };

		gpus[n % kind->types] = NODE_GPUS;
		if (qs_snapshot_add_node(snap, &node, gpus) < 0)
			bench_need(NULL);
		gpus[n % kind->types] = 0;
		free(node.name);
	}
	free(gpus);
}

/* Who has least of the type so far; the first share has nothing. */
static uint32_t least(const struct bench_kind *kind, const uint32_t *used,
		      uint32_t type)
{
	uint32_t best = 1;

	for (uint32_t s = 2; s < kind->shares; s++) {
		if (used[s * kind->types + type] <
		    used[best * kind->types + type])
			best = s;
	}
	return best;
}

/* Returns how many GPUs it took. */
static uint32_t add_running(struct qs_snapshot *snap,
			    const struct bench_kind *kind, struct law_random *r,
			    uint32_t *used, uint32_t node, uint32_t gpus)
{
	uint16_t type = (uint16_t)(node % kind->types);
	uint32_t share = least(kind, used, type);
	uint32_t *mine = &used[share * kind->types + type];
	bool borrows = *mine >= capacity(kind, share);
	struct qs_job job = {
		.id = snap->njobs + 1,
		.share = (int32_t)share,
		.state = QS_JOB_RUNNING,
		.requeue = true,
		.priority = law_random_below(r, 50) + (borrows ? 0 : 50),
		.copies = 1,
		.nodeset = QS_NODESET_ALL,
		.eligible = NOW - 90000,
		.start = NOW - 1 - law_random_below(r, 80000),
	};
	struct qs_demand demand;
	struct qs_placed placed;

	if (!borrows && gpus > capacity(kind, share) - *mine)
		gpus = capacity(kind, share) - *mine;
	job.cpus = gpus;
	demand = (struct qs_demand){ .gpus = gpus, .type = type };
	placed = (struct qs_placed){ .node = node, .gpus = gpus, .type = type };
	if (qs_snapshot_add_job(snap, &job, &demand, 1, &placed, 1) < 0)
		bench_need(NULL);
	*mine += gpus;
	return gpus;
}

static void fill(struct qs_snapshot *snap, const struct bench_kind *kind,
		 struct law_random *r)
{
	uint32_t *used = bench_need(
		calloc((size_t)kind->shares * kind->types, sizeof(*used)));

	for (uint32_t n = 0; n < kind->nodes; n++) {
		uint32_t left = NODE_GPUS;

		while (left) {
			uint32_t gpus = kind->gpus_each ?
						kind->gpus_each :
						1u << law_random_below(r, 4);

			left -= add_running(snap, kind, r, used, n,
					    gpus < left ? gpus : left);
		}
	}
	free(used);
}

static void add_waiting(struct qs_snapshot *snap, const struct bench_kind *kind,
			struct law_random *r)
{
	struct qs_job job = {
		.id = snap->njobs + 1,
		.share = 1 + (int32_t)law_random_below(r, kind->shares - 1),
		.state = QS_JOB_PENDING,
		.requeue = true,
		.priority = law_random_below(r, 100),
		.copies = 1,
		.need_nodes = 1,
		.cpus = 1,
		.nodeset = QS_NODESET_ALL,
		.eligible = NOW - law_random_below(r, 80000),
	};
	struct qs_demand demand = { .gpus = 1u << law_random_below(r, 4),
				    .type = (uint16_t)law_random_below(
					    r, kind->types) };

	if (qs_snapshot_add_job(snap, &job, &demand, 1, NULL, 0) < 0)
		bench_need(NULL);
}

static void add_claimant(struct qs_snapshot *snap,
			 const struct bench_kind *kind)
{
	struct qs_job job = {
		.id = snap->njobs + 1,
		.share = 0,
		.state = QS_JOB_PENDING,
		.requeue = true,
		.copies = 1,
		.need_nodes = kind->claimant == BENCH_ANY ?
				      QS_NODES_ANY :
				      kind->claimant_gpus / NODE_GPUS,
		.cpus = kind->claimant_gpus,
		.nodeset = QS_NODESET_ALL,
		.eligible = NOW - 1,
	};
	struct qs_demand demand = { .gpus = kind->claimant_gpus };

	if (qs_snapshot_add_job(snap, &job, &demand, 1, NULL, 0) < 0)
		bench_need(NULL);
}

struct qs_snapshot *bench_cluster(const struct qs_policy *policy,
				  const struct bench_kind *kind)
{
	struct qs_snapshot *snap = bench_need(qs_snapshot_new(policy, NOW));
	struct law_random r = { kind->seed };

	add_nodes(snap, kind);
	fill(snap, kind, &r);
	for (uint32_t i = 0; i < kind->waiting; i++)
		add_waiting(snap, kind, &r);
	if (kind->claimant != BENCH_NOBODY)
		add_claimant(snap, kind);
	return snap;
}
