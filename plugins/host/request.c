/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.c - a request in GPUs per type (R2, R2a), for both readings of it
 *
 * Called at submission (request_desc.c) and for waiting jobs
 * (request_record.c), with node and partition read locks held. Blocks on
 * nothing. Its surprise: a range of nodes counts at its upper end, because
 * select/cons_tres gives as many nodes of a range as are idle, and what a job
 * is given must never exceed what it was let in for.
 */
#include "host/request_wish.h"

#include <string.h>

#include "host/nodes.h"

void qs_wish_filter(const struct qs_wish *wish, struct qs_pool_filter *filter)
{
	memset(filter, 0, sizeof(*filter));
	filter->partitions = wish->partitions;
	filter->req_nodes = wish->req_nodes;
}

static uint32_t at_least(uint32_t value, uint32_t least)
{
	return value < least ? least : value;
}

static uint32_t divide_up(uint64_t a, uint64_t b)
{
	uint64_t q = (a + b - 1) / b;

	return q > UINT32_MAX ? UINT32_MAX : (uint32_t)q;
}

/* R2a for a term without a type; a site without types calls it gpu (R2b). */
static int untyped_type(const struct qs_policy *policy, int queue,
			uint64_t present)
{
	char text[QS_TEXT_MAX];

	return qs_submit_untyped(policy, queue, present, text, sizeof(text));
}

static int type_of(const struct qs_policy *policy, int queue,
		   const struct qs_term *term, uint64_t present)
{
	return term->type[0] ? qs_policy_find_gres(policy, term->type) :
			       untyped_type(policy, queue, present);
}

/* Tasks take whole cores, by the job's word or by slurm.conf's. */
static bool task_per_core(const struct qs_wish *wish)
{
	if (wish->tasks_per_core)
		return wish->tasks_per_core == 1;
	return (slurm_conf.select_type_param & SELECT_ONE_TASK_PER_CORE) &&
	       !wish->cpus_per_gpu;
}

static void filter_sizes(const struct qs_wish *wish,
			 struct qs_pool_filter *filter)
{
	filter->exc_nodes = wish->exc_nodes;
	filter->features = wish->features;
	filter->cpus_per_task = wish->cpus_per_task;
	filter->one_thread = wish->one_thread;
	filter->task_per_core = task_per_core(wish);
	filter->spec_cores = wish->spec_cores;
	if (!(wish->memory & MEM_PER_CPU))
		filter->mem_per_node = wish->memory;
	else if (slurm_conf.select_type_param & SELECT_MEMORY)
		filter->mem_per_cpu = wish->memory & ~MEM_PER_CPU;
}

/* What a term wants of each node that the job gets. */
static void filter_term(const struct qs_wish *wish, const struct qs_term *term,
			int type, struct qs_pool_filter *filter)
{
	uint64_t gpus = 0;

	filter->types |= UINT64_C(1) << type;
	if (term->per[QS_PER_NODE])
		gpus = term->per[QS_PER_NODE];
	else if (!term->per[QS_PER_JOB] && !term->per[QS_PER_TASK])
		gpus = qs_term_gpus(term, &wish->shape, 1);
	gpus += filter->least[type]; /* two names of one type */
	filter->least[type] = gpus > UINT32_MAX ? UINT32_MAX : (uint32_t)gpus;
}

void qs_wish_measure(const struct qs_policy *policy, int queue,
		     const struct qs_wish *wish, struct qs_pool *pool)
{
	struct qs_pool_filter filter;
	uint64_t present = pool->present;
	bool bare = pool->bare;

	qs_wish_filter(wish, &filter);
	filter_sizes(wish, &filter);
	for (size_t i = 0; i < wish->terms.n; i++) {
		const struct qs_term *term = &wish->terms.items[i];
		int type = type_of(policy, queue, term, present);

		if (type >= 0 && qs_term_gpus(term, &wish->shape, 1))
			filter_term(wish, term, type, &filter);
	}
	qs_pool_scan(policy, &filter, pool);
	pool->present = present;
	pool->bare = bare;
}

/* As few nodes as hold the tasks, by CPUs, memory per CPU, tasks per node. */
static uint32_t nodes_by_tasks(const struct qs_wish *wish,
			       const struct qs_pool *pool)
{
	const struct qs_shape *shape = &wish->shape;
	uint32_t nodes = 1;

	if (shape->tasks && shape->tasks_per_node)
		nodes = divide_up(shape->tasks, shape->tasks_per_node);
	if (shape->tasks && pool->tasks)
		nodes = at_least(nodes, divide_up(shape->tasks, pool->tasks));
	if (wish->cpus && pool->cpus)
		nodes = at_least(nodes, divide_up(wish->cpus, pool->cpus));
	return nodes;
}

/* As few whole nodes as hold the GPUs that are asked for in total. */
static uint32_t nodes_by_gpus(const struct qs_wish *wish,
			      const struct qs_pool *pool)
{
	uint64_t sum = 0;
	uint32_t most = 0;

	for (size_t i = 0; i < wish->terms.n; i++) {
		const struct qs_term *term = &wish->terms.items[i];

		if (term->per[QS_PER_JOB] || term->per[QS_PER_TASK])
			sum += qs_term_gpus(term, &wish->shape, 1);
	}
	for (int t = 0; t < QS_TYPES_MAX; t++)
		most = at_least(most, pool->gpus[t]);
	return most ? divide_up(sum, most) : 0;
}

void qs_wish_nodes(const struct qs_wish *wish, const struct qs_pool *pool,
		   struct qs_node_range *nodes)
{
	uint32_t fixed = qs_terms_nodes(&wish->terms);
	bool matters = qs_wish_by_node(wish);

	memset(nodes, 0, sizeof(*nodes));
	if (fixed) {
		nodes->min = nodes->max = fixed;
		nodes->fixed = true;
		return;
	}
	nodes->min = at_least(wish->shape.min_nodes, 1);
	if (!QS_NODELIST_IS_CHOICE || !wish->shape.min_nodes)
		nodes->min = at_least(nodes->min, pool->req_nodes);
	/* As slurmctld does after job_submit, where the job's own word allows
	 * it; what it does not, is refused there. */
	if (!wish->shape.max_nodes || wish->shape.max_nodes >= pool->min_nodes)
		nodes->min = at_least(nodes->min, pool->min_nodes);
	nodes->max = wish->shape.max_nodes;
	if (nodes->max) {
		/* More than there are cannot be given. */
		if (pool->nodes && nodes->max > pool->nodes)
			nodes->max = pool->nodes;
		nodes->max = at_least(nodes->max, nodes->min);
		nodes->fixed = nodes->min == nodes->max;
		return;
	}
	nodes->open = matters;
	nodes->max = at_least(nodes->min, nodes_by_tasks(wish, pool));
	if (wish->whole_nodes)
		nodes->max = at_least(nodes->max, nodes_by_gpus(wish, pool));
	/* What needs more never starts. Slurm says so. */
	if (pool->max_nodes && nodes->max > pool->max_nodes)
		nodes->max = at_least(pool->max_nodes, nodes->min);
}

static void add_demand(struct qs_request *request, int type, uint64_t gpus)
{
	struct qs_demand *demand = NULL;

	if (!gpus)
		return;
	for (uint32_t i = 0; i < request->ndemands; i++)
		if (request->demands[i].type == type)
			demand = &request->demands[i];
	if (!demand) {
		demand = &request->demands[request->ndemands++];
		demand->type = (uint16_t)type;
		demand->gpus = 0;
	}
	gpus += demand->gpus;
	demand->gpus = gpus > UINT32_MAX ? UINT32_MAX : (uint32_t)gpus;
}

static void add_unknown(struct qs_request *request, const char *type)
{
	if (!request->unknown_type)
		snprintf(request->unknown, sizeof(request->unknown), "%s",
			 type);
	request->unknown_type = true;
}

static void add_terms(const struct qs_policy *policy, int queue,
		      const struct qs_wish *wish, const struct qs_pool *pool,
		      uint32_t nodes, struct qs_request *request)
{
	for (size_t i = 0; i < wish->terms.n; i++) {
		const struct qs_term *term = &wish->terms.items[i];
		uint64_t gpus = qs_term_gpus(term, &wish->shape, nodes);
		int type;

		request->gpu |= gpus > 0;
		if (!gpus)
			continue;
		type = type_of(policy, queue, term, pool->present);
		if (type >= 0)
			add_demand(request, type, gpus);
		else
			add_unknown(request, term->type);
	}
}

/* A whole node brings all its GPUs, whatever was asked. */
static void add_whole_nodes(const struct qs_policy *policy,
			    const struct qs_pool *pool, uint32_t nodes,
			    struct qs_request *request)
{
	for (int t = 0; t < policy->ntypes; t++) {
		uint64_t all = (uint64_t)pool->gpus[t] * nodes;
		uint64_t asked = 0;

		for (uint32_t i = 0; i < request->ndemands; i++)
			if (request->demands[i].type == t)
				asked = request->demands[i].gpus;
		request->gpu |= all > 0;
		if (all > asked)
			add_demand(request, t, all - asked);
	}
	request->cpus = at_least(request->cpus, pool->cpus * nodes);
}

/* The planner spreads a fixed number of nodes evenly; where that does not
 * come out, as many nodes as it takes. */
static uint32_t exact_nodes(const struct qs_node_range *nodes,
			    const struct qs_request *request)
{
	if (!nodes->fixed)
		return QS_NODES_ANY;
	for (uint32_t i = 0; i < request->ndemands; i++)
		if (request->demands[i].gpus % nodes->max)
			return QS_NODES_ANY;
	return nodes->max;
}

void qs_wish_judge(const struct qs_policy *policy, int queue,
		   const struct qs_wish *wish, const struct qs_pool *pool,
		   const struct qs_node_range *nodes,
		   struct qs_request *request)
{
	bool by_node = qs_wish_by_node(wish);
	uint64_t cpus;

	memset(request, 0, sizeof(*request));
	request->whole_nodes = wish->whole_nodes;
	cpus = (uint64_t)wish->shape.tasks * at_least(wish->cpus_per_task, 1);
	request->cpus = cpus > UINT32_MAX ? UINT32_MAX : (uint32_t)cpus;
	request->cpus = at_least(request->cpus, wish->cpus);
	add_terms(policy, queue, wish, pool, nodes->max, request);
	if (wish->whole_nodes && !wish->settled)
		add_whole_nodes(policy, pool, nodes->max, request);
	for (uint32_t i = 0; i < request->ndemands; i++) {
		cpus = (uint64_t)request->demands[i].gpus * wish->cpus_per_gpu;
		if (cpus < UINT32_MAX)
			request->cpus = at_least(request->cpus, (uint32_t)cpus);
	}
	request->need_nodes =
		by_node ? nodes->max : exact_nodes(nodes, request);
	if (!request->gpu)
		memset(request, 0, sizeof(*request));
}

void qs_wish_request(const struct qs_policy *policy, int queue,
		     const struct qs_wish *wish, struct qs_request *request)
{
	struct qs_pool_filter filter;
	struct qs_node_range nodes;
	struct qs_pool pool;
	bool untyped = qs_terms_untyped(&wish->terms);
	/* Most requests are typed and say how many nodes: no walk. */
	bool sized = qs_wish_sized(wish);

	memset(&pool, 0, sizeof(pool));
	if (untyped) {
		qs_wish_filter(wish, &filter);
		qs_pool_scan(policy, &filter, &pool);
	}
	if (sized)
		qs_wish_measure(policy, queue, wish, &pool);
	qs_wish_nodes(wish, &pool, &nodes);
	qs_wish_judge(policy, queue, wish, &pool, &nodes, request);
	request->by_pool = untyped || sized;
}
