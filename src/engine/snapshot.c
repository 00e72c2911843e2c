/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.c - growing arrays behind struct qs_snapshot
 *
 * Called by whoever fills a snapshot; never in a scheduler's hot callbacks,
 * since it allocates. Arrays double, so filling is linear.
 */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

struct qs_snapshot *qs_snapshot_new(const struct qs_policy *policy, int64_t now)
{
	struct qs_snapshot *snap = calloc(1, sizeof(*snap));

	if (!snap)
		return NULL;
	snap->policy = policy;
	snap->now = now;
	return snap;
}

/* A little more than there were. */
static bool room_like(void **array, uint32_t *max, uint32_t n, size_t size)
{
	return qs_array_room(array, max, (uint64_t)n + n / 16 + 16, size);
}

int qs_snapshot_reserve(struct qs_snapshot *snap,
			const struct qs_snapshot *like)
{
	bool good = room_like((void **)&snap->jobs, &snap->jobs_max,
			      like->njobs, sizeof(*snap->jobs)) &&
		    room_like((void **)&snap->demands, &snap->demands_max,
			      like->ndemands, sizeof(*snap->demands)) &&
		    room_like((void **)&snap->placed, &snap->placed_max,
			      like->nplaced, sizeof(*snap->placed));

	return good ? 0 : -1;
}

void qs_snapshot_free(struct qs_snapshot *snap)
{
	if (!snap)
		return;
	for (uint32_t i = 0; i < snap->nnodes; i++)
		free(snap->nodes[i].name);
	for (uint32_t i = 0; i < snap->nnodesets; i++)
		free(snap->nodesets[i]);
	free(snap->nodes);
	free(snap->node_gpus);
	free(snap->node_gpus_other);
	free(snap->nodesets);
	free(snap->jobs);
	free(snap->demands);
	free(snap->placed);
	free(snap);
}

void qs_snapshot_clear_jobs(struct qs_snapshot *snap)
{
	snap->njobs = 0;
	snap->ndemands = 0;
	snap->nplaced = 0;
	snap->unused = 0;
	qs_snapshot_keep_nodesets(snap, 0);
}

int64_t qs_snapshot_add_node(struct qs_snapshot *snap,
			     const struct qs_node *node, const uint32_t *gpus)
{
	size_t row = (size_t)snap->policy->ntypes * sizeof(uint32_t);
	uint32_t max = snap->nodes_max;
	struct qs_node *copy;
	uint32_t i = snap->nnodes;

	if (!qs_array_room((void **)&snap->nodes, &snap->nodes_max,
			   (uint64_t)i + 1, sizeof(*snap->nodes)))
		return -1;
	if (max != snap->nodes_max || !snap->node_gpus) {
		uint32_t *own =
			realloc(snap->node_gpus, row * snap->nodes_max + 1);
		uint32_t *other;

		if (own)
			snap->node_gpus = own;
		other = realloc(snap->node_gpus_other,
				row * snap->nodes_max + 1);
		if (other)
			snap->node_gpus_other = other;
		if (!own || !other) {
			snap->nodes_max = max;
			return -1;
		}
	}
	copy = &snap->nodes[i];
	*copy = *node;
	copy->name = malloc(strlen(node->name) + 1);
	if (!copy->name)
		return -1;
	strcpy(copy->name, node->name);
	if (i && strcmp(snap->nodes[i - 1].name, copy->name) >= 0)
		snap->shuffled = true;
	if (row) {
		size_t at = (size_t)i * (size_t)snap->policy->ntypes;

		memcpy(snap->node_gpus + at, gpus, row);
		memset(snap->node_gpus_other + at, 0, row);
	}
	snap->has_nodes = true;
	snap->nnodes++;
	return i;
}

static int add_demand(struct qs_snapshot *snap, struct qs_job *job,
		      const struct qs_demand *demand)
{
	struct qs_demand *mine;
	uint32_t i;

	if (!demand->gpus)
		return 0;
	for (i = 0; i < job->ndemands; i++) {
		mine = &snap->demands[job->demands + i];
		if (mine->type == demand->type) {
			mine->gpus += demand->gpus;
			return 0;
		}
	}
	if (!qs_array_room((void **)&snap->demands, &snap->demands_max,
			   (uint64_t)snap->ndemands + 1,
			   sizeof(*snap->demands)))
		return -1;
	/* By type, so that no order of the input shows (law 4). */
	mine = &snap->demands[job->demands];
	snap->ndemands++;
	for (i = job->ndemands++; i > 0 && mine[i - 1].type > demand->type; i--)
		mine[i] = mine[i - 1];
	mine[i] = *demand;
	return 0;
}

static int add_placed(struct qs_snapshot *snap, struct qs_job *job,
		      const struct qs_placed *placed)
{
	if (!placed->gpus)
		return 0;
	if (!qs_array_room((void **)&snap->placed, &snap->placed_max,
			   (uint64_t)snap->nplaced + 1, sizeof(*snap->placed)))
		return -1;
	snap->placed[snap->nplaced++] = *placed;
	job->nplaced++;
	return 0;
}

int64_t qs_snapshot_add_job(struct qs_snapshot *snap, const struct qs_job *job,
			    const struct qs_demand *demands, uint32_t ndemands,
			    const struct qs_placed *placed, uint32_t nplaced)
{
	struct qs_job copy = *job;

	if (!qs_array_room((void **)&snap->jobs, &snap->jobs_max,
			   (uint64_t)snap->njobs + 1, sizeof(*snap->jobs)))
		return -1;
	copy.demands = snap->ndemands;
	copy.ndemands = 0;
	copy.placed = snap->nplaced;
	copy.nplaced = 0;
	for (uint32_t i = 0; i < ndemands; i++) {
		if (add_demand(snap, &copy, &demands[i]))
			goto fail;
	}
	for (uint32_t i = 0; i < nplaced; i++) {
		if (add_placed(snap, &copy, &placed[i]))
			goto fail;
	}
	snap->jobs[snap->njobs] = copy;
	return snap->njobs++;
fail:
	snap->ndemands = copy.demands;
	snap->nplaced = copy.placed;
	return -1;
}

/* Without memory for it nothing happens: it can wait. */
static void pack(struct qs_snapshot *snap)
{
	struct qs_demand *demands =
		malloc(snap->demands_max * sizeof(*demands) + 1);
	struct qs_placed *placed =
		malloc(snap->placed_max * sizeof(*placed) + 1);
	uint32_t nd = 0, np = 0;

	if (!demands || !placed) {
		free(demands);
		free(placed);
		return;
	}
	for (uint32_t i = 0; i < snap->njobs; i++) {
		struct qs_job *job = &snap->jobs[i];

		for (uint32_t k = 0; k < job->ndemands; k++)
			demands[nd + k] = snap->demands[job->demands + k];
		for (uint32_t k = 0; k < job->nplaced; k++)
			placed[np + k] = snap->placed[job->placed + k];
		job->demands = nd;
		job->placed = np;
		nd += job->ndemands;
		np += job->nplaced;
	}
	free(snap->demands);
	free(snap->placed);
	snap->demands = demands;
	snap->placed = placed;
	snap->ndemands = nd;
	snap->nplaced = np;
	snap->unused = 0;
}

void qs_snapshot_remove_job(struct qs_snapshot *snap, uint32_t job)
{
	snap->unused += snap->jobs[job].ndemands + snap->jobs[job].nplaced;
	snap->jobs[job] = snap->jobs[--snap->njobs];
	if (snap->unused > (snap->ndemands + snap->nplaced) / 2 + 64)
		pack(snap);
}

void qs_snapshot_keep_jobs(struct qs_snapshot *snap, uint32_t n)
{
	if (n >= snap->njobs)
		return;
	snap->ndemands = snap->jobs[n].demands;
	snap->nplaced = snap->jobs[n].placed;
	snap->njobs = n;
}

void qs_snapshot_keep_nodesets(struct qs_snapshot *snap, uint32_t n)
{
	while (snap->nnodesets > n)
		free(snap->nodesets[--snap->nnodesets]);
}

int32_t qs_snapshot_add_nodeset(struct qs_snapshot *snap, const uint8_t *bits,
				size_t n)
{
	size_t bytes = (snap->nnodes + 7u) / 8u;
	uint8_t **sets, *copy;

	sets = realloc(snap->nodesets,
		       (snap->nnodesets + 1u) * sizeof(*snap->nodesets));
	if (!sets)
		return -1;
	snap->nodesets = sets;
	copy = calloc(bytes ? bytes : 1, 1);
	if (!copy)
		return -1;
	memcpy(copy, bits, n < bytes ? n : bytes);
	sets[snap->nnodesets] = copy;
	return (int32_t)snap->nnodesets++;
}
