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

#include "compat/features.h"
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

uint64_t qs_pool_default_memory(const char *partitions)
{
	const char *list = partitions_of(partitions);
	const part_record_t *part = next_partition(&list);

	if (part && part->def_mem_per_cpu)
		return part->def_mem_per_cpu;
	return slurm_conf.def_mem_per_cpu;
}

/* All nodes of the partitions, to be freed, and what these say of a job's
 * size. NULL if there are none. */
static bitstr_t *all_nodes(const struct qs_pool_filter *filter,
			   struct qs_pool *pool, uint32_t *cpus_per_node)
{
	const char *list = partitions_of(filter->partitions);
	const part_record_t *part;
	bitstr_t *all = NULL;

	while ((part = next_partition(&list))) {
		if (!part->node_bitmap)
			continue;
		if (!all || part->min_nodes < pool->min_nodes)
			pool->min_nodes = part->min_nodes;
		if (part->max_nodes > pool->max_nodes)
			pool->max_nodes = part->max_nodes;
		if (part->max_cpus_per_node > *cpus_per_node)
			*cpus_per_node = part->max_cpus_per_node;
		if (all)
			bit_or(all, part->node_bitmap);
		else
			all = bit_copy(part->node_bitmap);
	}
	return all;
}

static void and_named(const struct qs_pool_filter *filter, bitstr_t *nodes,
		      struct qs_pool *pool)
{
	bitstr_t *named = NULL;

	if (!filter->req_nodes || !*filter->req_nodes)
		return;
	/* Names that do not exist: slurmctld will refuse the job. */
	if (!qs_compat_nodes((char *)filter->req_nodes, true, &named) &&
	    named) {
		pool->req_nodes = (uint32_t)bit_set_count(named);
		if (bit_overlap_any(nodes, named))
			bit_and(nodes, named);
	}
	FREE_NULL_BITMAP(named);
}

static void and_not_named(const struct qs_pool_filter *filter, bitstr_t *nodes)
{
	bitstr_t *named = NULL;

	if (!filter->exc_nodes || !*filter->exc_nodes)
		return;
	if (!qs_compat_nodes((char *)filter->exc_nodes, true, &named) && named)
		bit_and_not(nodes, named);
	FREE_NULL_BITMAP(named);
}

/* Anything more than a plain "a&b" of features is left to Slurm's own test. */
static void and_features(const struct qs_pool_filter *filter, bitstr_t *nodes)
{
	const char *text = filter->features;

	if (!text || !*text || strpbrk(text, "|,*!()[]"))
		return;
	while (text) {
		const char *end = strchr(text, '&');
		char *name = xstrndup(text, end ? (size_t)(end - text) :
						  strlen(text));
		bitstr_t *have = qs_compat_featured(name);

		xfree(name);
		if (have)
			bit_and(nodes, have);
		text = end ? end + 1 : NULL;
	}
}

/* The nodes that may count, to be freed; NULL if there are none. */
static bitstr_t *candidates(const struct qs_pool_filter *filter,
			    struct qs_pool *pool, uint32_t *cpus_per_node)
{
	bitstr_t *nodes;

	*cpus_per_node = 0;
	nodes = all_nodes(filter, pool, cpus_per_node);
	if (!nodes)
		return NULL;
	and_named(filter, nodes, pool);
	and_not_named(filter, nodes);
	and_features(filter, nodes);
	return nodes;
}

/* As many threads a core as Slurm gives out. */
static uint32_t threads_of(const node_record_t *node)
{
	return node->tpc ? node->tpc : 1;
}

static uint32_t usable_cpus(const struct qs_pool_filter *filter, uint32_t most,
			    const node_record_t *node)
{
	uint64_t cpus = node->cpus, memory = node->real_memory;

	if (!filter->spec_cores && node->cpus_efctv)
		cpus = node->cpus_efctv;
	if (cpus > most)
		cpus = most;
	if (filter->one_thread)
		cpus /= threads_of(node);
	if (node->mem_spec_limit < memory)
		memory -= node->mem_spec_limit;
	if (filter->mem_per_cpu && memory / filter->mem_per_cpu < cpus)
		cpus = memory / filter->mem_per_cpu;
	return (uint32_t)cpus;
}

static uint32_t usable_tasks(const struct qs_pool_filter *filter, uint32_t cpus,
			     const node_record_t *node)
{
	uint32_t per_task = filter->cpus_per_task ? filter->cpus_per_task : 1;
	uint32_t threads = threads_of(node);

	if (!filter->task_per_core || filter->one_thread)
		return cpus / per_task;
	return cpus / threads / ((per_task + threads - 1) / threads);
}

static bool is_enough(const struct qs_policy *policy,
		      const struct qs_pool_filter *filter,
		      const node_record_t *node, const uint32_t *gpus)
{
	/* Slurm compares with what is configured, too. */
	if (node->config_ptr &&
	    node->config_ptr->real_memory < filter->mem_per_node)
		return false;
	for (int t = 0; t < policy->ntypes; t++)
		if (gpus[t] < filter->least[t])
			return false;
	return true;
}

static uint64_t types_of(const struct qs_policy *policy, const uint32_t *gpus)
{
	uint64_t bits = 0;

	for (int t = 0; t < policy->ntypes; t++)
		if (gpus[t])
			bits |= UINT64_C(1) << t;
	return bits;
}

/* The most of these nodes that are in one partition: a job starts in one. */
static uint32_t most_in_one(const struct qs_pool_filter *filter,
			    const bitstr_t *nodes)
{
	const char *list = partitions_of(filter->partitions);
	const part_record_t *part;
	uint32_t most = 0;

	while ((part = next_partition(&list))) {
		uint32_t n = 0;

		if (part->node_bitmap)
			n = (uint32_t)bit_overlap((bitstr_t *)nodes,
						  part->node_bitmap);
		most = n > most ? n : most;
	}
	return most;
}

static void add_node(const struct qs_policy *policy,
		     const struct qs_pool_filter *filter, uint32_t cpus,
		     const node_record_t *node, const uint32_t *gpus,
		     struct qs_pool *pool)
{
	uint64_t types = types_of(policy, gpus);
	uint32_t tasks = usable_tasks(filter, cpus, node);

	pool->present |= types;
	pool->bare |= !types;
	if (cpus > pool->cpus)
		pool->cpus = cpus;
	if (tasks > pool->tasks)
		pool->tasks = tasks;
	for (int t = 0; t < policy->ntypes; t++)
		if (gpus[t] > pool->gpus[t])
			pool->gpus[t] = gpus[t];
}

void qs_pool_scan(const struct qs_policy *policy,
		  const struct qs_pool_filter *filter, struct qs_pool *pool)
{
	uint32_t gpus[QS_TYPES_MAX], most;
	bitstr_t *nodes;

	memset(pool, 0, sizeof(*pool));
	nodes = candidates(filter, pool, &most);
	for (int i = 0; nodes && i < node_record_count; i++) {
		const node_record_t *node = qs_compat_node(i);

		if (!bit_test(nodes, i))
			continue;
		if (node)
			qs_nodes_gpus(policy, node, gpus);
		if (!node ||
		    (filter->types &&
		     !(types_of(policy, gpus) & filter->types)) ||
		    !is_enough(policy, filter, node, gpus)) {
			bit_clear(nodes, i);
			continue;
		}
		add_node(policy, filter, usable_cpus(filter, most, node), node,
			 gpus, pool);
	}
	if (nodes)
		pool->nodes = most_in_one(filter, nodes);
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
	struct qs_pool pool = { 0 };
	const char *name;
	uint32_t most;
	bitstr_t *nodes;

	tally.counts =
		xcalloc(policy->types[type].gres.n, sizeof(*tally.counts));
	nodes = candidates(filter, &pool, &most);
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
