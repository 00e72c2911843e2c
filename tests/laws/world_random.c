/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world_random.c - small random worlds with many ties
 *
 * Small numbers on purpose: what goes wrong goes wrong at equal priorities,
 * equal start times and at the last GPU, and a small world can be searched
 * exhaustively.
 */
#include <string.h>

#include "world.h"

static void random_queue(struct law_queue *queue, struct law_random *r,
			 const struct law_taste *taste)
{
	static const uint8_t orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	uint32_t order = law_random_one_in(r, 3) ? law_random_below(r, 6) : 0;

	queue->strict = !law_random_one_in(r, 3);
	queue->fair = law_random_one_in(r, 3);
	queue->non_requeue_borrow = !law_random_one_in(r, 4);
	queue->enabled = !taste->extras || !law_random_one_in(r, 12);
	memcpy(queue->victim_order, orders[order], 3);
	queue->claim_timeout = law_random_below(r, 30);
}

static void random_quota(struct law_share *share, int t, struct law_random *r,
			 const struct law_taste *taste)
{
	uint32_t most = taste->many ? 8 : 5;

	share->listed[t] = !law_random_one_in(r, 8);
	if (!share->listed[t])
		return;
	share->capacity[t] = law_random_range(r, 1, most);
	if (share->strategy == QS_STRATEGY_LEND_AND_BORROW &&
	    law_random_one_in(r, 4)) {
		share->borrow_gpus[t].set = true;
		share->borrow_gpus[t].value = law_random_below(r, 5);
		if (law_random_one_in(r, 2) && share->borrow_gpus[t].value)
			share->capacity[t] = 0;
	}
	if (taste->extras && share->strategy != QS_STRATEGY_RESERVE &&
	    law_random_one_in(r, 4)) {
		share->lend_limit[t].set = true;
		share->lend_limit[t].value = law_random_below(r, 4);
	}
}

static void random_share(struct law_world *world, int s, struct law_random *r,
			 const struct law_taste *taste)
{
	struct law_share *share = &world->shares[s];
	uint32_t kind = law_random_below(r, 6);

	share->name[0] = (char)('A' + s);
	share->queue = (int)law_random_below(r, (uint32_t)world->nqueues);
	share->strategy = kind == 0 ? QS_STRATEGY_RESERVE :
			  kind <= 2 ? QS_STRATEGY_LEND :
				      QS_STRATEGY_LEND_AND_BORROW;
	if (share->strategy == QS_STRATEGY_LEND_AND_BORROW &&
	    !law_random_one_in(r, 3)) {
		static const int limits[] = { -1, 0, 50, 100, 200 };

		share->borrow_limit.set = true;
		share->borrow_limit.value = limits[law_random_below(r, 5)];
	}
	share->in_share = law_random_one_in(r, 2);
	share->enabled = !taste->extras || !law_random_one_in(r, 8);
	share->min_runtime = law_random_one_in(r, 3) ? 6 : 0;
	for (int t = 0; t < world->ntypes; t++)
		random_quota(share, t, r, taste);
}

/* The nodes together hold about what the shares own. */
static void random_nodes(struct law_world *world, struct law_random *r,
			 const struct law_taste *taste)
{
	int n = (int)law_random_range(r, 1, LAW_NODES - 1);

	world->has_nodes = true;
	world->nnodes = n;
	for (int i = 0; i < n; i++) {
		struct law_node *node = &world->nodes[i];

		node->name[0] = 'n';
		node->name[1] = (char)('0' + i);
		node->queue =
			(int)law_random_below(r, (uint32_t)world->nqueues);
		for (int t = 0; t < world->ntypes; t++)
			node->gpus[t] = law_random_below(r, 5);
		if (taste->extras && law_random_one_in(r, 8))
			node->state = law_random_one_in(r, 2) ? QS_NODE_DOWN :
								QS_NODE_DRAIN;
		if (taste->extras && law_random_one_in(r, 6))
			node->cpus = law_random_range(r, 2, 8);
		if (taste->extras && node->cpus && law_random_one_in(r, 4))
			node->cpus_busy = 1;
		if (taste->extras && law_random_one_in(r, 4))
			node->partitions = law_random_range(r, 1, 3);
		for (int t = 0; t < world->ntypes; t++) {
			if (taste->extras && node->gpus[t] &&
			    node->state != QS_NODE_DOWN &&
			    law_random_one_in(r, 12))
				node->other[t] = 1;
		}
	}
}

static uint32_t pool_left(const struct law_world *world, int queue, int t)
{
	int64_t sum = 0;

	for (int s = 0; s < world->nshares; s++) {
		if (world->shares[s].queue == queue)
			sum += world->shares[s].capacity[t];
	}
	if (world->queues[queue].capacity[t].set)
		sum = world->queues[queue].capacity[t].value;
	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].queue == queue &&
		    world->jobs[j].state != QS_JOB_PENDING)
			sum -= world->jobs[j].gpus[t];
	}
	return sum > 0 ? (uint32_t)sum : 0;
}

static uint32_t node_left(const struct law_world *world, int n, int t)
{
	uint32_t sum = world->nodes[n].gpus[t] - world->nodes[n].other[t];

	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].state != QS_JOB_PENDING)
			sum -= world->jobs[j].on[n][t];
	}
	return sum;
}

static uint32_t cpus_left(const struct law_world *world, int n)
{
	const struct law_node *node = &world->nodes[n];
	uint32_t used = node->cpus_busy;

	if (!node->cpus)
		return 1;
	for (int j = 0; j < world->njobs; j++) {
		const struct law_job *job = &world->jobs[j];
		bool here = false;

		for (int t = 0; t < world->ntypes; t++)
			here |= job->on[n][t] > 0;
		if (here && job->state != QS_JOB_PENDING)
			used += job->cpus;
	}
	return used < node->cpus ? node->cpus - used : 0;
}

/* What a running job holds; false if nothing was left for it. */
static bool random_hold(struct law_world *world, struct law_job *job,
			struct law_random *r, const struct law_taste *taste)
{
	bool any = false;

	for (int t = 0; t < world->ntypes; t++) {
		uint32_t want = law_random_range(r, 1, taste->many ? 4 : 3);

		if (t && any && !law_random_one_in(r, 4))
			continue;
		if (!t && world->ntypes > 1 && law_random_one_in(r, 3))
			continue;
		for (uint32_t tries = 0; world->has_nodes && want && tries < 4;
		     tries++) {
			int n = (int)law_random_below(r,
						      (uint32_t)world->nnodes);
			uint32_t left = node_left(world, n, t) - job->on[n][t];
			uint32_t take = left < want ? left : want;

			if (world->nodes[n].queue != job->queue ||
			    world->nodes[n].state == QS_NODE_DOWN ||
			    !cpus_left(world, n))
				continue;
			job->on[n][t] += take;
			job->gpus[t] += take;
			want -= take;
		}
		if (!world->has_nodes) {
			uint32_t left = pool_left(world, job->queue, t);

			/* A pool that shrank below what is held is rare. */
			if (want > left &&
			    !(taste->extras && law_random_one_in(r, 20)))
				want = left;
			job->gpus[t] = want;
		}
		any |= job->gpus[t] > 0;
	}
	return any;
}

static void random_common(struct law_world *world, struct law_job *job,
			  struct law_random *r, const struct law_taste *taste)
{
	memset(job, 0, sizeof(*job));
	job->id = 1 + (uint32_t)world->njobs + law_random_below(r, 2) * 50;
	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].id == job->id)
			job->id += 100;
	}
	job->share = (int)law_random_below(r, (uint32_t)world->nshares);
	job->queue = world->shares[job->share].queue;
	job->requeue = !law_random_one_in(r, 4);
	job->priority = law_random_below(r, 3);
	job->copies = 1;
	if (taste->extras && law_random_one_in(r, 12))
		job->share = QS_SHARE_REMOVED;
}

static int nodes_of(const struct law_world *world, const struct law_job *job)
{
	int nodes = 0;

	for (int n = 0; n < world->nnodes; n++)
		nodes += job->on[n][0] + job->on[n][1] + job->on[n][2] > 0;
	return nodes;
}

static void random_running(struct law_world *world, struct law_random *r,
			   const struct law_taste *taste)
{
	struct law_job job;

	random_common(world, &job, r, taste);
	job.state = law_random_one_in(r, 8) ? QS_JOB_SUSPENDED : QS_JOB_RUNNING;
	job.eligible = 900;
	job.start = world->now - 1 - law_random_below(r, 10);
	if (!random_hold(world, &job, r, taste))
		return;
	/* Where CPUs of several nodes are is not in a snapshot. */
	if (taste->extras && nodes_of(world, &job) == 1)
		job.cpus = law_random_below(r, 2);
	if (law_random_one_in(r, 8)) {
		job.ends = true;
		if (law_random_one_in(r, 2))
			job.state = QS_JOB_COMPLETING;
	}
	world->jobs[world->njobs++] = job;
}

static void random_pending(struct law_world *world, struct law_random *r,
			   const struct law_taste *taste)
{
	uint32_t most = taste->many ? 6 : 4, least = most + 1;
	struct law_job job;

	random_common(world, &job, r, taste);
	job.state = QS_JOB_PENDING;
	job.eligible = 950 + law_random_below(r, 12);
	for (int t = 0; t < world->ntypes; t++) {
		uint32_t own = world->shares[job.share < 0 ? 0 : job.share]
				       .capacity[t];

		if (t && !law_random_one_in(r, 3))
			continue;
		/* Mostly what could start some day. */
		if (!own && !law_random_one_in(r, 4))
			continue;
		job.gpus[t] = law_random_range(
			r, 1,
			law_random_one_in(r, 4) || own > most || !own ? most :
									own);
		least = job.gpus[t] < least ? job.gpus[t] : least;
	}
	if (least > most)
		least = job.gpus[0] = 1;
	/* Each node gets some of each type. */
	if (world->has_nodes && law_random_one_in(r, 2))
		job.need_nodes = law_random_range(r, 1, least < 3 ? least : 3);
	/* Which node gets the odd one of which type is open. */
	for (int t = 0; world->ntypes > 1 && t < world->ntypes; t++) {
		if (job.need_nodes)
			job.gpus[t] -= job.gpus[t] % job.need_nodes;
	}
	if (taste->extras) {
		/* Over how many nodes CPUs go is open when nothing is said. */
		if (job.need_nodes && law_random_one_in(r, 2))
			job.cpus = law_random_below(r, 5);
		job.held = law_random_one_in(r, 20);
		job.submitting = law_random_one_in(r, 10);
		job.unknown_type = law_random_one_in(r, 40);
		if (world->has_nodes && law_random_one_in(r, 8))
			job.partitions = law_random_range(r, 1, 3);
		if (world->has_nodes && law_random_one_in(r, 8))
			job.only = 1 + law_random_below(
					       r, (1u << world->nnodes) - 1);
	}
	if (taste->claims) {
		job.claim = law_random_one_in(r, 5);
		job.claimed = job.claim ? 980 + law_random_below(r, 5) : 0;
		job.claim_owed = job.claim ? job.id % 4 : 0;
		/* Any nodes, also none and such that will not do. */
		if (job.claim && world->has_nodes)
			job.claim_on = (job.id * UINT32_C(2654435761) >> 16) &
				       ((1u << world->nnodes) - 1);
		job.unplaceable = law_random_one_in(r, 20);
		if (law_random_one_in(r, 6))
			job.copies = law_random_range(r, 2, 3);
		job.claim_tasks = job.claim ? job.id / 4 % (job.copies + 1) : 0;
		if (law_random_one_in(r, 6) && world->njobs)
			job.displaced_by =
				world->jobs[law_random_below(
						    r, (uint32_t)world->njobs)]
					.id;
	}
	world->jobs[world->njobs++] = job;
}

void law_world_random(struct law_world *world, struct law_random *r,
		      const struct law_taste *taste)
{
	uint32_t running, waiting;

	memset(world, 0, sizeof(*world));
	world->now = 1000;
	world->ntypes =
		taste->types ? (int)law_random_range(r, 2, LAW_TYPES) : 1;
	world->nqueues = taste->many && law_random_one_in(r, 4) ? 2 : 1;
	world->nshares = (int)law_random_range(r, 1, taste->many ? 5 : 4);
	for (int q = 0; q < world->nqueues; q++)
		random_queue(&world->queues[q], r, taste);
	for (int s = 0; s < world->nshares; s++)
		random_share(world, s, r, taste);
	if (taste->nodes)
		random_nodes(world, r, taste);
	for (int q = 0; q < world->nqueues; q++) {
		for (int t = 0; t < world->ntypes; t++) {
			uint32_t sum = pool_left(world, q, t);

			if (!taste->extras || !law_random_one_in(r, 5))
				continue;
			world->queues[q].capacity[t].set = true;
			world->queues[q].capacity[t].value =
				law_random_range(r, sum ? sum - 1 : 0, sum + 3);
		}
	}
	running = law_random_below(r, taste->many ? 12 : 7);
	waiting = law_random_range(r, 1, taste->many ? 8 : 4);
	while (running--)
		random_running(world, r, taste);
	while (waiting--)
		random_pending(world, r, taste);
}
