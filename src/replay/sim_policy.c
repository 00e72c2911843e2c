/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_policy.c - a policy comes into force: names, nodes, lines, running jobs
 *
 * Called at the beginning and at each change. A policy is a whole (R18), so
 * everything that is made from it is made anew; this is rare.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/submit.h"
#include "replay/sim_inner.h"

/* The share of that name; else the one that has it as an account; else the
 * default share of the only queue. */
int qs_sim_share_of(const struct qs_policy *policy, const char *name)
{
	int share = *name ? qs_policy_find_share(policy, name) : -1;
	char text[QS_TEXT_MAX];

	for (int q = 0; q < policy->nqueues && share < 0 && *name; q++) {
		struct qs_queue *queue = &policy->queues[q];
		int kept = queue->default_share;

		share = qs_submit_share(policy, q, NULL, &name, 1, text,
					sizeof(text));
		/* Its default is for names that no queue knows. */
		if (share >= 0 && share == kept) {
			bool listed = false;
			const struct qs_names *a =
				&policy->shares[share].accounts;

			for (size_t i = 0; i < a->n; i++)
				listed |= !strcmp(a->items[i], name);
			if (!listed)
				share = -1;
		}
	}
	for (int q = 0; q < policy->nqueues && share < 0; q++)
		share = policy->queues[q].default_share;
	return share;
}

int qs_sim_type_of(const struct qs_policy *policy, const char *name)
{
	int type = qs_policy_find_type(policy, name);

	if (type < 0)
		type = qs_policy_find_gres(policy, name);
	/* R2a, R2b: no type is said, and there is one only. */
	if (type < 0 && (!*name || !strcmp(name, "gpu")) && policy->ntypes == 1)
		type = 0;
	return type;
}

static int first_of_queue(const struct qs_policy *policy, int share)
{
	int first = 0;

	while (policy->shares[first].queue != policy->shares[share].queue)
		first++;
	return first;
}

static void map_names(struct qs_sim *sim)
{
	const struct qs_trace *trace = sim->trace;

	for (uint32_t i = 0; i < trace->shares.n; i++) {
		int share =
			qs_sim_share_of(sim->policy, trace->shares.items[i]);

		if (sim->wish.one_pool && share >= 0)
			share = first_of_queue(sim->policy, share);
		sim->share_of[i] = share;
	}
	for (uint32_t i = 0; i < trace->types.n; i++)
		sim->type_of[i] =
			qs_sim_type_of(sim->policy, trace->types.items[i]);
}

static int add_nodes(struct qs_sim *sim, const struct qs_sim_nodes *nodes,
		     uint32_t *number)
{
	uint32_t gpus[QS_TYPES_MAX] = { 0 };
	int type = qs_sim_type_of(sim->policy, nodes->type);

	if (type >= 0) {
		gpus[type] = nodes->gpus;
		if (nodes->gpus > sim->node_gpus_of[type])
			sim->node_gpus_of[type] = nodes->gpus;
	}
	for (uint32_t i = 0; i < nodes->count; i++) {
		char name[32];
		struct qs_node node = { .name = name };

		snprintf(name, sizeof(name), "n%08u", ++*number);
		if (qs_snapshot_add_node(sim->snap, &node, gpus) < 0)
			return -1;
	}
	return 0;
}

/* The cluster under the new policy, and who runs on it. */
static bool make_snapshot(struct qs_sim *sim)
{
	struct qs_snapshot *old = sim->snap, *new;
	uint32_t number = 0;
	bool good = true;

	new = qs_snapshot_new(sim->policy, sim->now);
	if (!new)
		return false;
	sim->snap = new;
	memset(sim->node_gpus_of, 0, QS_TYPES_MAX * sizeof(uint32_t));
	for (uint32_t i = 0; i < sim->wish.nnodes && good; i++)
		good = !add_nodes(sim, &sim->wish.nodes[i], &number);
	for (uint32_t i = 0; i < sim->nrunning && good; i++) {
		const struct qs_trace_job *t =
			&sim->trace->jobs[sim->running[i]];
		struct qs_job job = old->jobs[i];
		int32_t type = sim->type_of[t->type];
		struct qs_demand demand = { t->gpus, (uint16_t)type };
		struct qs_placed *placed = old->placed + job.placed;

		for (uint32_t k = 0; k < job.nplaced; k++)
			placed[k].type = (uint16_t)type;
		job.share = sim->share_of[t->share];
		if (job.share >= 0)
			job.queue = sim->policy->shares[job.share].queue;
		else if (job.queue >= sim->policy->nqueues)
			job.queue = 0;
		good = qs_snapshot_add_job(new, &job, &demand, 1, placed,
					   job.nplaced) >= 0;
	}
	qs_snapshot_free(old);
	return good;
}

/* A claim goes on if its job can still start. */
static bool keep_claims(struct qs_sim *sim)
{
	for (uint32_t i = sim->nclaims; i > 0; i--) {
		uint32_t job = sim->claims[i - 1].job;

		if (!qs_job_has_line(sim, job) && !qs_job_unclaim(sim, job))
			return false;
	}
	return true;
}

/* Everybody else who waits stands in line anew. */
static bool line_up(struct qs_sim *sim)
{
	uint32_t n = 0, max = sim->nwaiting + sim->nparked;
	uint32_t *all = malloc(((size_t)max + 1) * sizeof(*all));
	bool good = true;

	if (!all)
		return false;
	for (uint32_t l = 0; l < sim->nlines; l++) {
		for (uint32_t i = 0; i < sim->lines[l].nlanes; i++) {
			struct qs_lane *lane = &sim->lines[l].lanes[i];

			for (uint32_t k = lane->head; k < lane->end; k++)
				all[n++] = lane->jobs[k];
		}
	}
	for (uint32_t i = 0; i < sim->nparked; i++)
		all[n++] = sim->parked[i];
	sim->nparked = 0;
	qs_lane_free_all(sim);
	sim->nlines = (uint32_t)(sim->policy->nshares * sim->policy->ntypes);
	sim->lines = calloc((size_t)sim->nlines + 1, sizeof(*sim->lines));
	good = sim->lines != NULL;
	for (uint32_t l = 0; l < sim->nlines && good; l++) {
		sim->lines[l].want = 2;
		sim->lines[l].blocker = UINT32_MAX;
	}
	for (uint32_t i = 0; i < n && good; i++)
		good = qs_job_wait(sim, all[i]);
	free(all);
	return good && keep_claims(sim);
}

bool qs_sim_enforce(struct qs_sim *sim)
{
	sim->policy = sim->policies[sim->next_policy++].policy;
	map_names(sim);
	if (!make_snapshot(sim) || !line_up(sim)) {
		sim->no_memory = true;
		return false;
	}
	sim->dirty = true;
	return true;
}
