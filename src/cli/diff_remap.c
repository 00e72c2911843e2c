/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_remap.c - the jobs of now under another policy
 *
 * Called by `qshare diff`. Never blocks. Names connect the two policies: a
 * running job keeps its share by its name, as in slurmctld, which does not ask
 * R1 again for jobs that were submitted already.
 */
#include "cli/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct remap {
	const struct qs_snapshot *from;
	const struct qs_policy *old, *new;
	struct qs_snapshot *to;
	int *types;     /* [old type] */
	int64_t *nodes; /* [old node], -1: left out */
};

/* By any of the names under which Slurm has it. */
static int map_type(const struct qs_policy *old, int type,
		    const struct qs_policy *new)
{
	int found = qs_policy_find_type(new, old->types[type].name);

	for (size_t i = 0; found < 0 && i < old->types[type].gres.n; i++)
		found = qs_policy_find_gres(new,
					    old->types[type].gres.items[i]);
	return found;
}

static int32_t map_queue(const struct remap *r, int32_t queue)
{
	return qs_policy_find_queue(r->new, r->old->queues[queue].name);
}

static uint64_t bit_of(const struct qs_queue *queue, const char *partition)
{
	for (size_t i = 0; i < queue->partitions.n; i++)
		if (!strcmp(queue->partitions.items[i], partition))
			return UINT64_C(1) << i;
	return 0;
}

/*
 * Partition bits of the old queue as bits of the new one that has them; *queue
 * is that, -1 if there is none. 0 bits mean all of the queue.
 */
static uint64_t map_parts(const struct remap *r, int32_t old_queue,
			  uint64_t bits, int32_t *queue)
{
	const struct qs_names *names = &r->old->queues[old_queue].partitions;
	uint64_t out = 0;

	*queue = names->n ? -1 : map_queue(r, old_queue);
	for (size_t i = 0; i < names->n; i++) {
		int32_t q;

		if (bits && !(bits >> i & 1))
			continue;
		q = qs_policy_queue_of(r->new, names->items[i]);
		if (q >= 0 && *queue < 0)
			*queue = q;
		if (q >= 0 && q == *queue)
			out |= bit_of(&r->new->queues[q], names->items[i]);
	}
	return out;
}

static int add_nodes(struct remap *r)
{
	size_t told = (size_t)r->old->ntypes, tnew = (size_t)r->new->ntypes;

	for (uint32_t i = 0; i < r->from->nnodes; i++) {
		struct qs_node node = r->from->nodes[i];
		uint32_t gpus[QS_TYPES_MAX] = { 0 }, *other;

		node.partitions =
			map_parts(r, node.queue, node.partitions, &node.queue);
		r->nodes[i] = -1;
		if (node.queue < 0)
			continue;
		for (size_t t = 0; t < told; t++)
			if (r->types[t] >= 0)
				gpus[r->types[t]] +=
					r->from->node_gpus[i * told + t];
		r->nodes[i] = qs_snapshot_add_node(r->to, &node, gpus);
		if (r->nodes[i] < 0)
			return -1;
		other = r->to->node_gpus_other + (size_t)r->nodes[i] * tnew;
		for (size_t t = 0; t < told; t++)
			if (r->types[t] >= 0)
				other[r->types[t]] +=
					r->from->node_gpus_other[i * told + t];
	}
	return 0;
}

/* The share of a job, QS_SHARE_REMOVED where it is gone or elsewhere. */
static int32_t map_share(const struct remap *r, const struct qs_job *job,
			 int32_t queue)
{
	int32_t share;

	if (job->share < 0)
		return QS_SHARE_REMOVED;
	share = qs_policy_find_share(r->new, r->old->shares[job->share].name);
	return share >= 0 && r->new->shares[share].queue == queue ?
		       share :
		       QS_SHARE_REMOVED;
}

static int add_job(struct remap *r, const struct qs_job *from,
		   struct qs_placed *places)
{
	struct qs_demand demands[QS_TYPES_MAX];
	struct qs_job job = *from;
	uint32_t ndemands = 0, nplaces = 0;

	job.partitions =
		map_parts(r, from->queue, from->partitions, &job.queue);
	if (job.queue < 0)
		return 0;
	job.share = map_share(r, from, job.queue);
	job.nodeset = QS_NODESET_ALL;
	for (uint32_t k = 0; k < from->ndemands; k++) {
		struct qs_demand d = r->from->demands[from->demands + k];

		if (r->types[d.type] < 0) {
			job.unknown_type |= from->state == QS_JOB_PENDING;
			continue;
		}
		d.type = (uint16_t)r->types[d.type];
		demands[ndemands++] = d;
	}
	for (uint32_t k = 0; k < from->nplaced; k++) {
		struct qs_placed p = r->from->placed[from->placed + k];

		if (r->nodes[p.node] < 0 || r->types[p.type] < 0)
			continue;
		p.node = (uint32_t)r->nodes[p.node];
		p.type = (uint16_t)r->types[p.type];
		places[nplaces++] = p;
	}
	if (!ndemands && !job.unknown_type)
		return 0;
	return qs_snapshot_add_job(r->to, &job, demands, ndemands, places,
				   nplaces) < 0 ?
		       -1 :
		       0;
}

static int add_jobs(struct remap *r)
{
	struct qs_placed *places =
		calloc((size_t)r->from->nplaced + 1, sizeof(*places));
	int rc = places ? 0 : -1;

	for (uint32_t i = 0; !rc && i < r->from->njobs; i++)
		rc = add_job(r, &r->from->jobs[i], places);
	free(places);
	return rc;
}

struct qs_snapshot *qs_diff_remap(const struct qs_snapshot *snap,
				  const struct qs_policy *policy)
{
	struct remap r = { .from = snap, .old = snap->policy, .new = policy };
	bool good;

	r.to = qs_snapshot_new(policy, snap->now);
	r.types = calloc((size_t)r.old->ntypes + 1, sizeof(*r.types));
	r.nodes = calloc((size_t)snap->nnodes + 1, sizeof(*r.nodes));
	good = r.to && r.types && r.nodes;
	for (int t = 0; good && t < r.old->ntypes; t++)
		r.types[t] = map_type(r.old, t, policy);
	if (good)
		r.to->has_nodes = snap->has_nodes;
	good = good && !add_nodes(&r) && !add_jobs(&r);
	free(r.types);
	free(r.nodes);
	if (!good) {
		qs_snapshot_free(r.to);
		r.to = NULL;
		errno = ENOMEM;
	}
	return r.to;
}
