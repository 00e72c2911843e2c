/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world_shrink.c - the smallest world that still fails
 *
 * Greedy: leave out jobs, shares, nodes and queues, then make numbers plain,
 * until nothing can go. Slow, and only run when something is wrong.
 */
#include <string.h>

#include "world.h"

void law_world_drop_job(struct law_world *world, int job)
{
	memmove(&world->jobs[job], &world->jobs[job + 1],
		(size_t)(world->njobs - job - 1) * sizeof(world->jobs[0]));
	world->njobs--;
}

bool law_world_drop_share(struct law_world *world, int share)
{
	if (world->nshares < 2)
		return false;
	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].share == share)
			return false;
	}
	memmove(&world->shares[share], &world->shares[share + 1],
		(size_t)(world->nshares - share - 1) *
			sizeof(world->shares[0]));
	world->nshares--;
	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].share > share)
			world->jobs[j].share--;
	}
	return true;
}

bool law_world_drop_node(struct law_world *world, int node)
{
	if (world->nnodes < 2)
		return false;
	for (int j = 0; j < world->njobs; j++) {
		struct law_job *job = &world->jobs[j];
		uint32_t low = (1u << node) - 1;

		for (int t = 0; t < world->ntypes; t++) {
			if (job->on[node][t])
				return false;
		}
		if (job->only == 1u << node)
			return false;
		memmove(&job->on[node], &job->on[node + 1],
			(size_t)(LAW_NODES - node - 1) * sizeof(job->on[0]));
		memset(&job->on[LAW_NODES - 1], 0, sizeof(job->on[0]));
		job->only = (job->only & low) | (job->only >> 1 & ~low);
		job->claim_on =
			(job->claim_on & low) | (job->claim_on >> 1 & ~low);
	}
	memmove(&world->nodes[node], &world->nodes[node + 1],
		(size_t)(world->nnodes - node - 1) * sizeof(world->nodes[0]));
	world->nnodes--;
	return true;
}

struct shrinker {
	struct law_world *world;
	bool (*fails)(const struct law_world *, void *);
	void *arg;
	bool changed;
};

/* Keep the candidate if it still fails. */
static bool attempt(struct shrinker *s, const struct law_world *candidate)
{
	if (!memcmp(candidate, s->world, sizeof(*candidate)) ||
	    !s->fails(candidate, s->arg))
		return false;
	*s->world = *candidate;
	s->changed = true;
	return true;
}

static void drop_things(struct shrinker *s)
{
	struct law_world c;

	for (int j = s->world->njobs - 1; j >= 0; j--) {
		c = *s->world;
		law_world_drop_job(&c, j);
		attempt(s, &c);
	}
	for (int i = s->world->nshares - 1; i >= 0; i--) {
		c = *s->world;
		if (law_world_drop_share(&c, i))
			attempt(s, &c);
	}
	for (int n = s->world->nnodes - 1; n >= 0; n--) {
		c = *s->world;
		if (law_world_drop_node(&c, n))
			attempt(s, &c);
	}
}

static void drop_type(struct shrinker *s)
{
	int last = s->world->ntypes - 1;
	struct law_world c = *s->world;

	if (!last)
		return;
	for (int j = 0; j < c.njobs; j++) {
		uint32_t sum = 0;

		c.jobs[j].gpus[last] = 0;
		for (int t = 0; t < last; t++)
			sum += c.jobs[j].gpus[t];
		for (int n = 0; n < LAW_NODES; n++)
			c.jobs[j].on[n][last] = 0;
		if (!sum)
			return;
	}
	for (int n = 0; n < c.nnodes; n++)
		c.nodes[n].gpus[last] = c.nodes[n].other[last] = 0;
	c.ntypes--;
	attempt(s, &c);
}

#define PLAIN(field, value)               \
	do {                              \
		struct law_world c_ = *w; \
		c_.field = value;         \
		attempt(s, &c_);          \
	} while (0)

static void plain_queue(struct shrinker *s, int q)
{
	struct law_world *w = s->world;

	PLAIN(queues[q].strict, true);
	PLAIN(queues[q].fair, false);
	PLAIN(queues[q].non_requeue_borrow, true);
	PLAIN(queues[q].enabled, true);
	PLAIN(queues[q].claim_timeout, 120);
	for (int t = 0; t < w->ntypes; t++)
		PLAIN(queues[q].capacity[t], (struct qs_opt){ 0 });
	struct law_world c = *w;
	for (uint8_t i = 0; i < QS_VICTIM_STEPS; i++)
		c.queues[q].victim_order[i] = i;
	attempt(s, &c);
}

static void plain_share(struct shrinker *s, int i)
{
	struct law_world *w = s->world;

	PLAIN(shares[i].in_share, false);
	PLAIN(shares[i].enabled, true);
	PLAIN(shares[i].min_runtime, 0);
	PLAIN(shares[i].borrow_limit, (struct qs_opt){ 0 });
	PLAIN(shares[i].strategy, QS_STRATEGY_LEND);
	for (int t = 0; t < w->ntypes; t++) {
		PLAIN(shares[i].lend_limit[t], (struct qs_opt){ 0 });
		PLAIN(shares[i].borrow_gpus[t], (struct qs_opt){ 0 });
		if (w->shares[i].capacity[t] > 1)
			PLAIN(shares[i].capacity[t],
			      w->shares[i].capacity[t] - 1);
	}
}

static void plain_job(struct shrinker *s, int j)
{
	struct law_world *w = s->world;

	PLAIN(jobs[j].requeue, true);
	PLAIN(jobs[j].held, false);
	PLAIN(jobs[j].ends, false);
	PLAIN(jobs[j].claim, false);
	PLAIN(jobs[j].claimed, 0);
	PLAIN(jobs[j].claim_on, 0);
	PLAIN(jobs[j].claim_owed, 0);
	PLAIN(jobs[j].claim_tasks, 0);
	PLAIN(jobs[j].submitting, false);
	PLAIN(jobs[j].unplaceable, false);
	PLAIN(jobs[j].priority, 0);
	PLAIN(jobs[j].copies, 1);
	PLAIN(jobs[j].displaced_by, 0);
	PLAIN(jobs[j].only, 0);
	PLAIN(jobs[j].partitions, 0);
	PLAIN(jobs[j].need_nodes, 0);
	PLAIN(jobs[j].cpus, 0);
	if (w->jobs[j].state == QS_JOB_SUSPENDED)
		PLAIN(jobs[j].state, QS_JOB_RUNNING);
	for (int t = 0; t < w->ntypes; t++) {
		struct law_world c = *w;

		if (!w->jobs[j].gpus[t])
			continue;
		c.jobs[j].gpus[t]--;
		if (w->has_nodes && w->jobs[j].state != QS_JOB_PENDING) {
			for (int n = 0; n < w->nnodes; n++) {
				if (!c.jobs[j].on[n][t])
					continue;
				c.jobs[j].on[n][t]--;
				break;
			}
		}
		if (c.jobs[j].gpus[0] + c.jobs[j].gpus[1] + c.jobs[j].gpus[2])
			attempt(s, &c);
	}
}

static void plain_node(struct shrinker *s, int n)
{
	struct law_world *w = s->world;

	PLAIN(nodes[n].state, QS_NODE_UP);
	PLAIN(nodes[n].cpus, 0);
	PLAIN(nodes[n].cpus_busy, 0);
	PLAIN(nodes[n].partitions, 0);
	for (int t = 0; t < w->ntypes; t++) {
		uint32_t used = 0;

		PLAIN(nodes[n].other[t], 0);
		for (int j = 0; j < w->njobs; j++)
			used += w->jobs[j].on[n][t];
		if (w->nodes[n].gpus[t] > used + w->nodes[n].other[t])
			PLAIN(nodes[n].gpus[t], w->nodes[n].gpus[t] - 1);
	}
}

void law_world_shrink(struct law_world *world,
		      bool (*fails)(const struct law_world *, void *),
		      void *arg)
{
	struct shrinker s = { .world = world, .fails = fails, .arg = arg };
	int rounds = 20;

	do {
		s.changed = false;
		drop_things(&s);
		drop_type(&s);
		for (int q = 0; q < world->nqueues; q++)
			plain_queue(&s, q);
		for (int i = 0; i < world->nshares; i++)
			plain_share(&s, i);
		for (int n = 0; n < world->nnodes; n++)
			plain_node(&s, n);
		for (int j = 0; j < world->njobs; j++)
			plain_job(&s, j);
	} while (s.changed && --rounds);
}
