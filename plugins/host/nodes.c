/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.c - slurmctld's nodes and partitions in the engine's terms
 *
 * Called by the runtime's look and by job_submit, with node and partition read
 * locks held. Blocks on nothing. Its surprise: a node in maintenance or not
 * responding is "draining" here: it keeps what it has and takes nothing new,
 * which is what Slurm's own avail_node_bitmap says.
 */
#include "host/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "compat/gres.h"
#include "src/common/node_conf.h"

#define GPU "gpu"

/* The policy's type for GPUs without a type (R2b). */
static const char *type_of(const char *name)
{
	return name && name[0] ? name : GPU;
}

static uint32_t add_type(const struct qs_policy *policy, const char *name,
			 uint64_t count, uint32_t *gpus)
{
	int type = qs_policy_find_gres(policy, type_of(name));

	if (type < 0 || !count || count > QS_GPUS_MAX)
		return 0;
	gpus[type] += (uint32_t)count;
	return (uint32_t)count;
}

uint32_t qs_nodes_gpus(const struct qs_policy *policy,
		       const node_record_t *node, uint32_t *gpus)
{
	list_itr_t *it;
	gres_state_t *gres;
	uint32_t sum = 0;

	memset(gpus, 0, sizeof(*gpus) * (size_t)policy->ntypes);
	if (!node->gres_list)
		return 0;
	it = list_iterator_create(node->gres_list);
	while ((gres = list_next(it))) {
		const gres_node_state_t *have = gres->gres_data;

		if (!have || xstrcmp(gres->gres_name, GPU))
			continue;
		if (!have->type_cnt) {
			sum += add_type(policy, NULL, have->gres_cnt_avail,
					gpus);
			continue;
		}
		for (int i = 0; i < have->type_cnt; i++)
			sum += add_type(policy, have->type_name[i],
					have->type_cnt_avail[i], gpus);
	}
	list_iterator_destroy(it);
	return sum;
}

/* Calls fn for each name of a comma list until it returns non-zero, which is
 * returned then. */
static int64_t each_name(const char *list, int64_t (*fn)(char *name, void *arg),
			 void *arg)
{
	char name[256];
	int64_t rc = 0;

	while (list && *list && !rc) {
		size_t n = strcspn(list, ",");

		if (n && n < sizeof(name)) {
			memcpy(name, list, n);
			name[n] = '\0';
			rc = fn(name, arg);
		}
		list += n;
		list += *list == ',';
	}
	return rc;
}

struct present {
	const struct qs_policy *policy;
	uint32_t *gpus;
	uint64_t bits;
};

static void present_in(struct present *p, const part_record_t *part)
{
	const node_record_t *node;

	if (!part || !part->node_bitmap)
		return;
	for (int i = 0; (node = next_node(&i)); i++) {
		if (!bit_test(part->node_bitmap, i) ||
		    !qs_nodes_gpus(p->policy, node, p->gpus))
			continue;
		for (int t = 0; t < p->policy->ntypes; t++)
			if (p->gpus[t])
				p->bits |= UINT64_C(1) << t;
	}
}

static int64_t present_named(char *name, void *arg)
{
	present_in(arg, find_part_record(name));
	return 0;
}

uint64_t qs_nodes_present(const struct qs_policy *policy, const char *parts)
{
	uint32_t gpus[QS_TYPES_MAX];
	struct present p = { .policy = policy, .gpus = gpus };

	if (parts && parts[0])
		each_name(parts, present_named, &p);
	else
		present_in(&p, default_part_loc);
	return p.bits;
}

static int64_t queue_named(char *name, void *arg)
{
	return qs_policy_queue_of(arg, name) + 1;
}

int qs_nodes_queue_of(const struct qs_policy *policy, const char *parts)
{
	if (!parts || !parts[0])
		parts = default_part_loc ? default_part_loc->name : NULL;
	return (int)each_name(parts, queue_named, (void *)policy) - 1;
}

int qs_nodes_queue(const struct qs_policy *policy, const job_record_t *job)
{
	/* What it runs in, where that is known; a pending one may name more. */
	if (!IS_JOB_PENDING(job) && job->part_ptr)
		return qs_policy_queue_of(policy, job->part_ptr->name);
	return qs_nodes_queue_of(policy, job->partition);
}

/*
 * The bit is the partition's place in the queue's list, counted through all
 * queues. A queue without a list has all partitions: their place in Slurm's
 * own list then, from the first free bit on.
 */
uint64_t qs_nodes_part_bit(const struct qs_policy *policy, int queue,
			   const char *part)
{
	unsigned bit = 0;
	part_record_t *rec;
	list_itr_t *it;

	for (int q = 0; q < policy->nqueues; q++) {
		const struct qs_names *names = &policy->queues[q].partitions;

		for (size_t i = 0; i < names->n; i++, bit++)
			if (q == queue && bit < QS_PARTITIONS_MAX &&
			    !strcmp(names->items[i], part))
				return UINT64_C(1) << bit;
	}
	if (queue < 0 || policy->queues[queue].partitions.n)
		return 0;
	it = list_iterator_create(part_list);
	while ((rec = list_next(it)) && xstrcmp(rec->name, part))
		bit++;
	list_iterator_destroy(it);
	return rec && bit < QS_PARTITIONS_MAX ? UINT64_C(1) << bit : 0;
}

/*
 * From 23.02 on a list of more nodes than the job needs (-w n[1-4] -N 2) is an
 * exclusion of all others: slurmctld has no req_node_bitmap then
 * (_job_create(), reset_job_bitmaps()).
 */
bitstr_t *qs_nodes_excluded(const job_details_t *details)
{
	bitstr_t *excluded = NULL, *named = NULL;

	if (details->exc_nodes && details->exc_nodes[0])
		(void)qs_compat_nodes(details->exc_nodes, false, &excluded);
	if (details->req_nodes && details->req_nodes[0] &&
	    !details->req_node_bitmap &&
	    !qs_compat_nodes(details->req_nodes, false, &named) && named) {
		if (!excluded)
			excluded = bit_alloc(node_record_count);
		bit_or_not(excluded, named);
	}
	FREE_NULL_BITMAP(named);
	return excluded;
}

static uint8_t node_state(const node_record_t *node, int i)
{
	if (IS_NODE_FUTURE(node) || IS_NODE_DOWN(node))
		return QS_NODE_DOWN;
	if (avail_node_bitmap && !bit_test(avail_node_bitmap, i))
		return QS_NODE_DRAIN;
	return QS_NODE_UP;
}

/* Is it about to tell slurmctld that it is there? */
static bool is_unheard(const node_record_t *node)
{
	if (IS_NODE_FUTURE(node) || IS_NODE_DOWN(node) || IS_NODE_DRAIN(node) ||
	    IS_NODE_POWERED_DOWN(node) || IS_NODE_POWERING_DOWN(node) ||
	    IS_NODE_POWERING_UP(node))
		return false;
	/* A ping makes it known before it has said which jobs it runs; its
	 * version comes with that, and is saved nowhere. */
	return !node->version || IS_NODE_UNKNOWN(node) ||
	       IS_NODE_NO_RESPOND(node);
}

/* The queue that has the node, and the bits of its partitions in it. */
static int node_queue(const struct qs_policy *policy, int i, uint64_t *bits)
{
	int queue = -1;
	part_record_t *part;
	list_itr_t *it = list_iterator_create(part_list);

	*bits = 0;
	while ((part = list_next(it))) {
		int q;

		if (!part->node_bitmap || !bit_test(part->node_bitmap, i))
			continue;
		q = qs_policy_queue_of(policy, part->name);
		if (q < 0 || (queue >= 0 && q != queue))
			continue;
		queue = q;
		*bits |= qs_nodes_part_bit(policy, q, part->name);
	}
	list_iterator_destroy(it);
	return queue;
}

int qs_nodes_add(struct qs_snapshot *snap, int32_t *map)
{
	const struct qs_policy *policy = snap->policy;
	uint32_t gpus[QS_TYPES_MAX];
	const node_record_t *rec;

	for (int i = 0; i < node_record_count; i++)
		map[i] = -1;
	for (int i = 0; (rec = next_node(&i)); i++) {
		struct qs_node node = { .name = rec->name };
		int64_t at;

		if (!qs_nodes_gpus(policy, rec, gpus))
			continue;
		node.queue = node_queue(policy, i, &node.partitions);
		if (node.queue < 0)
			continue;
		node.state = node_state(rec, i);
		node.cpus = rec->config_ptr ? rec->config_ptr->cpus : 0;
		at = qs_snapshot_add_node(snap, &node, gpus);
		if (at < 0)
			return -1;
		map[i] = (int32_t)at;
	}
	snap->has_nodes = true;
	return 0;
}

uint32_t qs_nodes_unheard(const struct qs_policy *policy)
{
	uint32_t gpus[QS_TYPES_MAX], n = 0;
	const node_record_t *rec;
	uint64_t bits;

	for (int i = 0; (rec = next_node(&i)); i++)
		n += is_unheard(rec) && qs_nodes_gpus(policy, rec, gpus) &&
		     node_queue(policy, i, &bits) >= 0;
	return n;
}
