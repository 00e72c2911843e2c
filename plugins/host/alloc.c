/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alloc.c - what a job really holds, by node and type (R2, law 9)
 *
 * Called by the runtime's look under the job and node read locks, and when a
 * job ends, under the job write lock. Blocks on nothing. Its surprise: the
 * counts in a job's gres list are by the place of a node in the job's own node
 * map, not by the cluster's index; and slurmctld keeps that list as it was
 * until the last node of a completing job is done, although the GPUs were
 * given back when it ended.
 */
#include "host/alloc.h"

#include <errno.h>
#include <stdlib.h>

#include "compat/gres.h"
#include "src/common/job_resources.h"
#include "src/common/node_conf.h"

#define GPU "gpu"

static int add(struct qs_alloc *alloc, uint32_t node, int type, uint64_t gpus)
{
	struct qs_placed *grown;

	if (alloc->nplaced == alloc->max) {
		uint32_t max = alloc->max ? alloc->max * 2 : 16;

		grown = realloc(alloc->placed, max * sizeof(*grown));
		if (!grown)
			return -1;
		alloc->placed = grown;
		alloc->max = max;
	}
	alloc->placed[alloc->nplaced++] = (struct qs_placed){
		.node = node, .gpus = (uint32_t)gpus, .type = (uint16_t)type
	};
	return 0;
}

/* GPUs that were allocated without a type: the types of the devices, as far as
 * the node knows them, else the pool's. */
static int add_untyped(const struct qs_policy *policy, struct qs_alloc *alloc,
		       uint32_t node, const bitstr_t *bits, uint64_t gpus,
		       uint32_t *other)
{
	const node_record_t *rec = qs_compat_node((int)node);
	gres_state_t *gres = NULL;
	const gres_node_state_t *have = NULL;
	list_itr_t *it;
	int type = -1;

	if (rec && rec->gres_list) {
		it = list_iterator_create(rec->gres_list);
		while ((gres = list_next(it)) && xstrcmp(gres->gres_name, GPU))
			;
		list_iterator_destroy(it);
		have = gres ? gres->gres_data : NULL;
	}
	for (int i = 0; bits && have && have->topo_gres_bitmap &&
			have->topo_type_name && i < have->topo_cnt;
	     i++) {
		uint64_t n;

		if (!have->topo_gres_bitmap[i] || !have->topo_type_name[i] ||
		    bit_size(have->topo_gres_bitmap[i]) !=
			    bit_size((bitstr_t *)bits))
			continue;
		n = (uint64_t)bit_overlap((bitstr_t *)bits,
					  have->topo_gres_bitmap[i]);
		n = n < gpus ? n : gpus;
		type = qs_policy_find_gres(policy, have->topo_type_name[i]);
		gpus -= n;
		if (n && type < 0)
			*other += (uint32_t)n;
		else if (n && add(alloc, node, type, n))
			return -1;
	}
	if (!gpus)
		return 0;
	if (have && have->type_cnt == 1)
		type = qs_policy_find_gres(policy, have->type_name[0]);
	else
		type = qs_policy_find_gres(policy, GPU);
	if (type < 0)
		*other += (uint32_t)gpus;
	return type < 0 ? 0 : add(alloc, node, type, gpus);
}

static int add_gres(const struct qs_policy *policy, struct qs_alloc *alloc,
		    const job_record_t *job, const gres_job_state_t *gres,
		    uint32_t *other)
{
	const bool completing = IS_JOB_COMPLETING(job);
	bitstr_t *nodes = job->job_resrcs && job->job_resrcs->node_bitmap ?
				  job->job_resrcs->node_bitmap :
				  job->node_bitmap;
	int type = gres->type_name && gres->type_name[0] ?
			   qs_policy_find_gres(policy, gres->type_name) :
			   -1;
	uint32_t at = 0;

	if (!gres->gres_cnt_node_alloc || !nodes)
		return 0;
	for (int64_t i = bit_ffs(nodes);
	     i >= 0 && i < node_record_count && at < gres->node_cnt; i++) {
		uint64_t gpus;
		int rc = 0;

		if (!bit_test(nodes, i))
			continue;
		gpus = gres->gres_cnt_node_alloc[at++];
		if (!gpus || gpus > QS_GPUS_MAX)
			continue;
		if (completing &&
		    (!job->node_bitmap_cg || !bit_test(job->node_bitmap_cg, i)))
			continue;
		if (!gres->type_name || !gres->type_name[0])
			rc = add_untyped(policy, alloc, (uint32_t)i,
					 gres->gres_bit_alloc ?
						 gres->gres_bit_alloc[at - 1] :
						 NULL,
					 gpus, other);
		else if (type < 0)
			*other += (uint32_t)gpus;
		else
			rc = add(alloc, (uint32_t)i, type, gpus);
		if (rc)
			return -1;
	}
	return 0;
}

int qs_alloc_job(const struct qs_policy *policy, const job_record_t *job,
		 struct qs_alloc *alloc, uint32_t *other)
{
	gres_state_t *gres;
	list_itr_t *it;
	uint32_t unused;
	int rc = 0;

	other = other ? other : &unused;
	*other = 0;
	alloc->nplaced = 0;
	if (!job->gres_list_alloc)
		return 0;
	it = list_iterator_create(job->gres_list_alloc);
	while (!rc && (gres = list_next(it)))
		if (gres->gres_data && !xstrcmp(gres->gres_name, GPU))
			rc = add_gres(policy, alloc, job, gres->gres_data,
				      other);
	list_iterator_destroy(it);
	if (rc)
		errno = ENOMEM;
	return rc;
}

void qs_alloc_free(struct qs_alloc *alloc)
{
	free(alloc->placed);
	*alloc = (struct qs_alloc){ 0 };
}
