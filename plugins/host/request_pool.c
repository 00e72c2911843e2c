/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_pool.c - the nodes that a request may get, summed up
 *
 * Called at submission and for the few pending records whose request leaves
 * something open, with node and partition read locks held; walks all nodes of
 * the job's partitions once. Blocks on nothing. Its surprise: nodes that are
 * down or drained count too. What a request means must not change because a
 * node broke.
 */
#include "host/request_pool.h"

#include <string.h>

#include "compat/gres.h"
#include "src/common/hostlist.h"
#include "src/common/node_conf.h"

#include "host/nodes.h"

#define GPU "gpu"

static const part_record_t *next_partition(const char **list)
{
	const part_record_t *part = NULL;

	while (!part && *list) {
		const char *comma = strchr(*list, ',');
		size_t n = comma ? (size_t)(comma - *list) : strlen(*list);
		char *name = xstrndup(*list, n);

		part = find_part_record(name);
		xfree(name);
		*list = comma ? comma + 1 : NULL;
	}
	return part;
}

static const char *partitions_of(const char *list)
{
	return list && *list ? list : default_part_name;
}

bool qs_pool_exclusive(const char *partitions)
{
	const char *list = partitions_of(partitions);
	const part_record_t *part;

	while ((part = next_partition(&list)))
		if (!part->max_share)
			return true;
	return false;
}

/* The nodes that may count, to be freed; NULL if there are none. */
static bitstr_t *candidates(const struct qs_pool_filter *filter,
			    uint32_t *req_nodes)
{
	const char *list = partitions_of(filter->partitions);
	const part_record_t *part;
	bitstr_t *all = NULL, *named = NULL;

	*req_nodes = 0;
	while ((part = next_partition(&list))) {
		if (!part->node_bitmap)
			continue;
		if (all)
			bit_or(all, part->node_bitmap);
		else
			all = bit_copy(part->node_bitmap);
	}
	if (!all || !filter->req_nodes || !*filter->req_nodes)
		return all;
	/* Names that do not exist: slurmctld will refuse the job. */
	if (!qs_compat_nodes((char *)filter->req_nodes, true, &named) &&
	    named) {
		*req_nodes = (uint32_t)bit_set_count(named);
		if (bit_overlap_any(all, named))
			bit_and(all, named);
	}
	FREE_NULL_BITMAP(named);
	return all;
}

static uint32_t usable_cpus(const struct qs_pool_filter *filter,
			    const node_record_t *node)
{
	uint64_t cpus = node->cpus;

	if (filter->one_per_core && node->threads > 1)
		cpus /= node->threads;
	if (filter->mem_per_cpu &&
	    node->real_memory / filter->mem_per_cpu < cpus)
		cpus = node->real_memory / filter->mem_per_cpu;
	return (uint32_t)cpus;
}

static uint64_t types_of(const struct qs_policy *policy, const uint32_t *gpus)
{
	uint64_t bits = 0;

	for (int t = 0; t < policy->ntypes; t++)
		if (gpus[t])
			bits |= UINT64_C(1) << t;
	return bits;
}

void qs_pool_scan(const struct qs_policy *policy,
		  const struct qs_pool_filter *filter, struct qs_pool *pool)
{
	uint32_t gpus[QS_TYPES_MAX];
	bitstr_t *nodes;

	memset(pool, 0, sizeof(*pool));
	nodes = candidates(filter, &pool->req_nodes);
	for (int i = 0; nodes && i < node_record_count; i++) {
		const node_record_t *node = qs_compat_node(i);
		uint64_t types;
		uint32_t cpus;

		if (!node || !bit_test(nodes, i))
			continue;
		qs_nodes_gpus(policy, node, gpus);
		types = types_of(policy, gpus);
		if (filter->types && !(types & filter->types))
			continue;
		pool->nodes++;
		pool->present |= types;
		pool->bare |= !types;
		cpus = usable_cpus(filter, node);
		if (cpus > pool->cpus)
			pool->cpus = cpus;
		for (int t = 0; t < policy->ntypes; t++)
			if (gpus[t] > pool->gpus[t])
				pool->gpus[t] = gpus[t];
	}
	FREE_NULL_BITMAP(nodes);
}

/* What a count of names needs: GPUs by name of one policy type, and others. */
struct tally {
	const struct qs_policy *policy;
	int type;
	uint64_t *counts; /* [number of the type's gres names] */
	uint64_t untyped; /* GPUs of the type that have no gres type */
	uint64_t others;  /* of other types, known or not */
};

static void tally_name(struct tally *tally, const char *name, uint64_t count)
{
	const struct qs_names *names = &tally->policy->types[tally->type].gres;

	if (qs_policy_find_gres(tally->policy, name && *name ? name : GPU) !=
	    tally->type) {
		tally->others += count;
		return;
	}
	if (!name || !*name) {
		tally->untyped += count;
		return;
	}
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->items[i], name))
			tally->counts[i] += count;
}

static void tally_node(struct tally *tally, const node_record_t *node)
{
	list_itr_t *it;
	gres_state_t *gres;

	if (!node->gres_list)
		return;
	it = list_iterator_create(node->gres_list);
	while ((gres = list_next(it))) {
		const gres_node_state_t *have = gres->gres_data;

		if (!have || xstrcmp(gres->gres_name, GPU))
			continue;
		if (!have->type_cnt)
			tally_name(tally, NULL, have->gres_cnt_avail);
		for (int i = 0; i < have->type_cnt; i++)
			tally_name(tally, have->type_name[i],
				   have->type_cnt_avail[i]);
	}
	list_iterator_destroy(it);
}

/* The largest count's name; NULL: none, or untyped means the same. */
static const char *choose_name(const struct tally *tally)
{
	const struct qs_names *names = &tally->policy->types[tally->type].gres;
	size_t best = 0, used = 0;

	for (size_t i = 0; i < names->n; i++) {
		used += tally->counts[i] > 0;
		if (tally->counts[i] > tally->counts[best])
			best = i;
	}
	if (!used || (!tally->others && (used > 1 || tally->untyped)))
		return NULL;
	return names->items[best];
}

const char *qs_pool_gres_name(const struct qs_policy *policy,
			      const struct qs_pool_filter *filter, int type)
{
	struct tally tally = { .policy = policy, .type = type };
	const char *name;
	uint32_t req_nodes;
	bitstr_t *nodes;

	tally.counts =
		xcalloc(policy->types[type].gres.n, sizeof(*tally.counts));
	nodes = candidates(filter, &req_nodes);
	for (int i = 0; nodes && i < node_record_count; i++) {
		const node_record_t *node = qs_compat_node(i);

		if (node && bit_test(nodes, i))
			tally_node(&tally, node);
	}
	FREE_NULL_BITMAP(nodes);
	name = choose_name(&tally);
	xfree(tally.counts);
	return name;
}
