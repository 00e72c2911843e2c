/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look_nodes.c - on which nodes a waiting job may be, as a set of the snapshot
 *
 * Part of the look (look.c): same caller, same read locks. Blocks on nothing. Its
 * surprise: what cannot be said as a set of nodes (features beyond a plain
 * "and", memory for each CPU) is left to Slurm's own test (ask.c).
 */
#include "runtime/look.h"

#include <stdlib.h>

#include "src/common/node_conf.h"

#include "host/nodes.h"

/* A plain "a&b" of features; anything more is left to Slurm's own test. */
static void and_features(const job_record_t *job, bitstr_t *nodes)
{
	job_feature_t *feature;
	list_itr_t *it;
	bool plain = true;

	if (!job->details->feature_list)
		return;
	it = list_iterator_create(job->details->feature_list);
	while ((feature = list_next(it)))
		if (feature->count || feature->paren ||
		    (feature->op_code != FEATURE_OP_AND &&
		     feature->op_code != FEATURE_OP_END))
			plain = false;
	list_iterator_reset(it);
	while (plain && (feature = list_next(it)))
		if (feature->node_bitmap_active)
			bit_and(nodes, feature->node_bitmap_active);
	list_iterator_destroy(it);
}

static void and_memory(uint64_t memory, bitstr_t *nodes)
{
	const node_record_t *node;

	if (!memory || (memory & MEM_PER_CPU))
		return;
	for (int i = 0; (node = next_node(&i)); i++)
		if (node->config_ptr && node->config_ptr->real_memory < memory)
			bit_clear(nodes, i);
}

static void and_not_excluded(const job_record_t *job, bitstr_t *nodes)
{
	bitstr_t *excluded = qs_nodes_excluded(job->details);

	if (excluded)
		bit_and_not(nodes, excluded);
	FREE_NULL_BITMAP(excluded);
}

/* Nodes as a set of the snapshot; -1: no memory. */
static int32_t add_nodeset(struct qs_look *look, const bitstr_t *nodes)
{
	struct qs_snapshot *snap = look->view->snap;
	size_t bytes = (snap->nnodes + 7) / 8;
	uint8_t *bits = calloc(bytes + 1, 1);
	int32_t set = -1;

	for (int i = 0; bits && i < look->view->nodes; i++) {
		int32_t at = look->view->node_map[i];

		if (at >= 0 && bit_test((bitstr_t *)nodes, i))
			bits[at / 8] |= (uint8_t)(1 << (at % 8));
	}
	if (bits)
		set = qs_snapshot_add_nodeset(snap, bits, bytes);
	free(bits);
	return set;
}

uint32_t qs_look_claimed_on(struct qs_look *look, const struct qs_claim *claim)
{
	bitstr_t *nodes = NULL;
	int32_t set = -1;

	if (claim->nodes && claim->nodes[0] &&
	    !qs_compat_nodes(claim->nodes, true, &nodes) && nodes)
		set = add_nodeset(look, nodes);
	FREE_NULL_BITMAP(nodes);
	return (uint32_t)(set + 1);
}

static int32_t nodes_with_memory(struct qs_look *look, uint64_t memory)
{
	int32_t set = QS_NODESET_ALL;
	bitstr_t *nodes = bit_alloc(node_record_count);

	bit_set_all(nodes);
	and_memory(memory, nodes);
	if (bit_set_count(nodes) < node_record_count)
		set = add_nodeset(look, nodes);
	FREE_NULL_BITMAP(nodes);
	return set;
}

/* Most jobs ask for one of a few sizes, and all nodes have that. */
static int32_t memory_set(struct qs_look *look, uint64_t memory)
{
	struct qs_look_memory one = { .mib = memory };

	if (!memory || (memory & MEM_PER_CPU))
		return QS_NODESET_ALL;
	for (uint32_t i = 0; i < look->nmemory; i++)
		if (look->memory[i].mib == memory)
			return look->memory[i].set;
	one.set = nodes_with_memory(look, memory);
	if (look->nmemory < QS_LOOK_MEMORIES)
		look->memory[look->nmemory++] = one;
	return one.set;
}

int32_t qs_look_nodeset(struct qs_look *look, const job_record_t *job)
{
	const job_details_t *d = job->details;
	int32_t set = QS_NODESET_ALL;
	bitstr_t *nodes;

	if (job->het_job_id)
		return set;
	/* A fence of ours alone is no restriction, see qs_nodes_excluded(). */
	if (!d->req_node_bitmap && !d->feature_list &&
	    !(d->exc_nodes && d->exc_nodes[0]) &&
	    !(d->req_nodes && d->req_nodes[0]))
		return memory_set(look, d->pn_min_memory);
	nodes = bit_alloc(node_record_count);
	bit_set_all(nodes);
	if (d->req_node_bitmap &&
	    (uint32_t)bit_set_count(d->req_node_bitmap) >= d->min_nodes)
		bit_and(nodes, d->req_node_bitmap);
	and_features(job, nodes);
	and_memory(d->pn_min_memory, nodes);
	and_not_excluded(job, nodes);
	if (bit_set_count(nodes) < node_record_count)
		set = add_nodeset(look, nodes);
	FREE_NULL_BITMAP(nodes);
	return set;
}
