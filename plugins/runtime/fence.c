/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fence.c - keeps granted jobs off places that are claimed (R9, law 6)
 *
 * The plan counts GPUs and knows where each job could go; Slurm chooses the
 * nodes. While places are being freed for a claimant, a job that may start
 * elsewhere must not be put there. So its exc_node_bitmap is widened by the
 * claimed nodes that the plan did not mean for it. Only the bitmap: exc_nodes,
 * the string, is what users see and what slurmctld saves and rebuilds the
 * bitmap from (at start and at each reconfigure), which also is how the fence
 * is taken away (qs_nodes_excluded()).
 *
 * Called by our thread under the write locks. Its surprise: select_nodes() may
 * call a request that its excluded nodes make impossible a broken one and hold
 * the job for good. So a fence is set only where Slurm has just said that it
 * could start the job now, with the fence.
 */
#include "runtime/inner.h"

#include <stdlib.h>

#include "src/common/node_conf.h"

#include "host/nodes.h"
#include "host/parts.h"

static void each_component(job_record_t *job,
			   void (*fn)(job_record_t *job, const bitstr_t *nodes),
			   const bitstr_t *nodes)
{
	struct qs_parts parts = qs_parts_of(job);
	job_record_t *one;

	while ((one = qs_parts_next(&parts)))
		fn(one, nodes);
	qs_parts_end(&parts);
}

static void restore(job_record_t *job, const bitstr_t *unused)
{
	(void)unused;
	if (!job->details)
		return;
	FREE_NULL_BITMAP(job->details->exc_node_bitmap);
	job->details->exc_node_bitmap = qs_nodes_excluded(job->details);
}

static void widen(job_record_t *job, const bitstr_t *nodes)
{
	if (!job->details)
		return;
	if (job->details->exc_node_bitmap)
		bit_or(job->details->exc_node_bitmap, (bitstr_t *)nodes);
	else
		job->details->exc_node_bitmap = bit_copy((bitstr_t *)nodes);
}

bool qs_fence_count(struct qs_view *view)
{
	bool good = true;

	free(view->claims_on);
	view->claims_on = NULL;
	slurm_mutex_lock(&qs_rt.lock);
	for (struct qs_claim *claim = qs_rt.claims; good && claim;
	     claim = claim->next) {
		bitstr_t *nodes = NULL;

		if (claim->dead || !claim->nodes)
			continue;
		if (!view->claims_on)
			view->claims_on = calloc((size_t)node_record_count + 1,
						 sizeof(*view->claims_on));
		good = view->claims_on;
		(void)qs_compat_nodes(claim->nodes, true, &nodes);
		for (int i = 0; good && nodes && i < node_record_count; i++)
			view->claims_on[i] += bit_test(nodes, i);
		FREE_NULL_BITMAP(nodes);
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return good;
}

/* Its own claim does not keep a job away. */
static bitstr_t *own_claim(uint32_t claimant)
{
	const struct qs_claim *claim;
	bitstr_t *nodes = NULL;

	slurm_mutex_lock(&qs_rt.lock);
	claim = qs_claim_find(claimant);
	if (claim && claim->nodes)
		(void)qs_compat_nodes(claim->nodes, true, &nodes);
	slurm_mutex_unlock(&qs_rt.lock);
	return nodes;
}

/* Nodes claimed for others, without the places of this decision. NULL: none. */
static bitstr_t *claimed_nodes(const struct qs_view *view,
			       const struct qs_decision *decision,
			       const bitstr_t *places)
{
	bitstr_t *own, *nodes;

	if (!view->claims_on)
		return NULL;
	own = own_claim(decision->id);
	nodes = bit_alloc(node_record_count);
	for (int i = 0; i < node_record_count; i++)
		if (view->claims_on[i] > (own && bit_test(own, i)))
			bit_set(nodes, i);
	FREE_NULL_BITMAP(own);
	bit_and_not(nodes, (bitstr_t *)places);
	if (bit_ffs(nodes) < 0)
		FREE_NULL_BITMAP(nodes);
	return nodes;
}

static bool is_fenced(const job_record_t *job, bool set, bool value)
{
	struct qs_jobrec *rec;
	bool was = false;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(qs_jobrec_key(job));
	if (rec) {
		was = rec->fenced;
		if (set)
			rec->fenced = value;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return was;
}

void qs_fence_clear(job_record_t *job)
{
	if (is_fenced(job, true, false))
		each_component(job, restore, NULL);
}

bool qs_fence_set(job_record_t *job, const struct qs_view *view,
		  const struct qs_decision *decision)
{
	bitstr_t *places, *nodes;
	bool good = true;

	qs_fence_clear(job);
	if (!view->claims_on)
		return true;
	places = qs_view_places(view, decision);
	nodes = claimed_nodes(view, decision, places);
	if (nodes) {
		each_component(job, widen, nodes);
		is_fenced(job, true, true);
		/* Components of a het job cannot be tested together: let Slurm
		 * try. */
		if (!job->het_job_list)
			good = qs_ask_now(job, places);
		if (!good)
			qs_fence_clear(job);
	}
	FREE_NULL_BITMAP(nodes);
	FREE_NULL_BITMAP(places);
	return good;
}
