/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c - do all who are to come to a node have memory there together?
 *
 * Called by apply_claim.c before anybody is stopped, under the write locks;
 * takes qs_rt.lock for moments. Slurm's test of a start (ask.c) knows one
 * claimant: those confirmed before it wait, and hold nothing yet. The plan counts
 * their GPUs and CPUs, but sees no memory. So where others are to come to a node
 * of the decision (claims, and grants of the same plan that come before it), what
 * all of them want there is summed up, with what those hold who stay.
 *
 * Its surprise: what somebody will get for each CPU or GPU is known exactly only
 * once Slurm has chosen, and of an array's earlier claims only the nodes are
 * known, not which task is where. Then it is the most it can be: in doubt nobody
 * is stopped, and it is asked again when the others have begun.
 */
#include "runtime/inner.h"

#include <stdlib.h>

#include "compat/gres.h"

#include "src/common/job_resources.h"
#include "src/common/node_conf.h"

#include "host/parts.h"
#include "host/request.h"

/* A node of the decision. */
struct room {
	uint32_t place; /* index in the snapshot */
	const node_record_t *node;
	uint64_t own, others, held; /* MiB */
	bool shared;                /* others are to come */
};

struct rooms {
	const struct qs_view *view;
	const struct qs_decision *decision;
	struct room *list;
	uint32_t n;
};

/* As _setup_cr_type() of select/cons_tres. */
static uint16_t consumed(const job_record_t *job)
{
	uint16_t type = slurm_conf.select_type_param;
	const part_record_t *part = job->part_ptr;

	if (!part || !part->cr_type || !(type & (SELECT_CORE | SELECT_SOCKET)))
		return type;
	type &= (uint16_t) ~(SELECT_CORE | SELECT_SOCKET | SELECT_MEMORY);
	return type | part->cr_type;
}

static uint64_t memory_of(const node_record_t *node)
{
	return node->real_memory > node->mem_spec_limit ?
		       node->real_memory - node->mem_spec_limit :
		       0;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* --mem-per-gpu, or DefMemPerGPU where no memory was asked for; 0: neither. */
static uint64_t memory_per_gpu(const job_record_t *job)
{
	const gres_job_state_t *gres;
	const gres_state_t *state;
	uint64_t most = 0, one;
	list_itr_t *it;

	if (!job->gres_list_req || (job->bit_flags & JOB_MEM_SET))
		return 0;
	it = list_iterator_create(job->gres_list_req);
	while ((state = list_next(it))) {
		gres = state->gres_data;
		one = !gres              ? 0 :
		      gres->mem_per_gres ? gres->mem_per_gres :
					   gres->def_mem_per_gres;
		most = one > most ? one : most;
	}
	list_iterator_destroy(it);
	return most;
}

/* CPUs come by whole cores or sockets. */
static uint64_t whole_cpus(const job_record_t *job, const node_record_t *node,
			   uint64_t cpus)
{
	uint16_t type = consumed(job);
	uint64_t unit = 1;

	if ((type & (SELECT_CORE | SELECT_SOCKET)) && node->tpc)
		unit = node->tpc;
	if ((type & SELECT_SOCKET) && node->cores)
		unit *= node->cores;
	return divide_up(cpus, unit) * unit;
}

/* What a job, or a task of an array, wants on one node. */
static uint64_t part_wants(const struct rooms *rooms, const job_record_t *job,
			   const node_record_t *node)
{
	const struct qs_snapshot *snap = rooms->view->snap;
	const struct qs_job *other = &snap->jobs[rooms->decision->job];
	uint64_t gpus = 0, cpus, per_gpu, memory, nodes;
	struct qs_request request;

	if (!job->details || !(consumed(job) & SELECT_MEMORY))
		return 0;
	memory = job->details->pn_min_memory;
	per_gpu = memory_per_gpu(job);
	/* --mem=0 is all there is. */
	if (!per_gpu && !(memory & MEM_PER_CPU))
		return memory ? memory : memory_of(node);
	qs_request_of_record(snap->policy, other->queue, job, &request);
	nodes = request.need_nodes == QS_NODES_ANY ? 1 : request.need_nodes;
	for (uint32_t i = 0; i < request.ndemands; i++)
		gpus += request.demands[i].gpus;
	if (per_gpu)
		return per_gpu * divide_up(gpus, nodes);
	cpus = divide_up(request.cpus, nodes);
	if (cpus < job->details->pn_min_cpus)
		cpus = job->details->pn_min_cpus;
	return (memory & ~MEM_PER_CPU) * whole_cpus(job, node, cpus);
}

/* Of a het job no two components come to the same node. */
static uint64_t wants(const struct rooms *rooms, const job_record_t *job,
		      const node_record_t *node)
{
	struct qs_parts parts = qs_parts_of(job);
	uint64_t most = 0, one;
	const job_record_t *part;

	while ((part = qs_parts_next(&parts))) {
		one = part_wants(rooms, part, node);
		most = one > most ? one : most;
	}
	qs_parts_end(&parts);
	return most;
}

/* The nodes of the decision where its job wants memory. */
static void find_rooms(struct rooms *rooms, const job_record_t *job)
{
	const struct qs_decision *d = rooms->decision;
	const struct qs_placed *p = rooms->view->plan->places + d->places;

	for (uint32_t i = 0; i < d->nplaces; i++) {
		struct room *room = &rooms->list[rooms->n];

		if (i && p[i].node == p[i - 1].node)
			continue;
		room->place = p[i].node;
		room->node = find_node_record(
			rooms->view->snap->nodes[p[i].node].name);
		room->own = room->node ? wants(rooms, job, room->node) : 0;
		rooms->n += room->own > 0;
	}
}

static const job_record_t *who_waits(uint32_t id)
{
	const job_record_t *job = find_job_record(id);

	return job && IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job) ? job :
								       NULL;
}

static void come(const struct rooms *rooms, struct room *room, uint32_t id,
		 uint64_t times)
{
	const job_record_t *job = who_waits(id);

	if (!job || !times)
		return;
	room->others += times * wants(rooms, job, room->node);
	room->shared = true;
}

static struct room *room_at(const struct rooms *rooms, uint32_t place)
{
	for (uint32_t k = 0; k < rooms->n; k++)
		if (rooms->list[k].place == place)
			return &rooms->list[k];
	return NULL;
}

static bool touches(const struct rooms *rooms, const struct qs_decision *d)
{
	const struct qs_placed *p = rooms->view->plan->places + d->places;

	for (uint32_t i = 0; i < d->nplaces; i++)
		if (room_at(rooms, p[i].node))
			return true;
	return false;
}

/* The plan has named the nodes. */
static void come_to_places(const struct rooms *rooms,
			   const struct qs_decision *d)
{
	const struct qs_placed *p = rooms->view->plan->places + d->places;

	for (uint32_t i = 0; i < d->nplaces; i++) {
		struct room *room = room_at(rooms, p[i].node);

		if (room && (!i || p[i].node != p[i - 1].node))
			come(rooms, room, d->id, 1);
	}
}

/* How many tasks of this size have their GPUs on the node, at most? */
static uint64_t most_tasks(const struct qs_snapshot *snap,
			   const struct qs_job *job, uint32_t node)
{
	const struct qs_demand *demands = qs_snapshot_demands(snap, job);
	const uint32_t *gpus =
		&snap->node_gpus[(size_t)node * (size_t)snap->policy->ntypes];
	uint64_t there = 0, each = 0;

	for (uint32_t i = 0; i < job->ndemands; i++) {
		there += gpus[demands[i].type];
		each += demands[i].gpus;
	}
	each = job->need_nodes == QS_NODES_ANY ? 1 : each / job->need_nodes;
	return each ? there / each : there;
}

/* It waits for what goes for its claim: on one of these nodes. */
static void come_to_claim(struct rooms *rooms, const struct qs_decision *d)
{
	const struct qs_snapshot *snap = rooms->view->snap;
	const struct qs_job *job = &snap->jobs[d->job];
	const uint8_t *set = snap->nodesets[job->claimed_on - 1];
	uint64_t tasks =
		job->claim_tasks < d->copies ? job->claim_tasks : d->copies;

	for (uint32_t k = 0; k < rooms->n; k++) {
		struct room *room = &rooms->list[k];
		uint64_t most = most_tasks(snap, job, room->place);

		if (set[room->place / 8] & 1 << (room->place % 8))
			come(rooms, room, d->id, tasks < most ? tasks : most);
	}
}

static bool has_claim(uint32_t id)
{
	bool has;

	slurm_mutex_lock(&qs_rt.lock);
	has = qs_claim_find(id);
	slurm_mutex_unlock(&qs_rt.lock);
	return has;
}

/* Is it to start by this plan, and not after the decision at hand? */
static bool is_to_come(const struct rooms *rooms, const struct qs_decision *d)
{
	bool before = d < rooms->decision;

	if (!d->nvictims)
		return before || rooms->view->snap->jobs[d->job].claim;
	return before && has_claim(d->id);
}

/* Of an array each task has a decision of its own. What costs least is asked
 * first: this is done for each claim of a plan, over all its decisions. */
static void others_come(struct rooms *rooms)
{
	const struct qs_plan *plan = rooms->view->plan;

	for (uint32_t i = 0; i < plan->ndecisions; i++) {
		const struct qs_decision *d = &plan->decisions[i];
		const struct qs_job *job = &rooms->view->snap->jobs[d->job];

		if (d == rooms->decision)
			continue;
		if (d->verdict == QS_VERDICT_START && touches(rooms, d) &&
		    is_to_come(rooms, d))
			come_to_places(rooms, d);
		else if (d->verdict == QS_VERDICT_WAIT && d->reserves &&
			 job->claim && job->claimed_on)
			come_to_claim(rooms, d);
	}
}

static bool any_shared(const struct rooms *rooms)
{
	for (uint32_t k = 0; k < rooms->n; k++)
		if (rooms->list[k].shared)
			return true;
	return false;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void stays(struct rooms *rooms, const job_record_t *job)
{
	const job_resources_t *held = job->job_resrcs;

	if (!held || !held->memory_allocated || !held->node_bitmap)
		return;
	for (uint32_t k = 0; k < rooms->n; k++) {
		struct room *room = &rooms->list[k];
		int node = (int)room->node->index;

		if (bit_test(held->node_bitmap, node))
			room->held +=
				held->memory_allocated[bit_set_count_range(
					held->node_bitmap, 0, node)];
	}
}

/* Slurm takes memory off a job as soon as it ends. */
static void others_stay(struct rooms *rooms, const uint32_t *leaving,
			uint32_t n)
{
	list_itr_t *it = list_iterator_create(job_list);
	const job_record_t *job;

	while ((job = list_next(it))) {
		uint32_t id = qs_jobrec_key(job);

		if ((IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) &&
		    !bsearch(&id, leaving, n, sizeof(id), compare_ids))
			stays(rooms, job);
	}
	list_iterator_destroy(it);
}

/* The first node that has not enough, or NULL. */
static const node_record_t *lacking(const struct rooms *rooms)
{
	for (uint32_t k = 0; k < rooms->n; k++) {
		const struct room *room = &rooms->list[k];

		if (room->shared && room->own + room->others + room->held >
					    memory_of(room->node))
			return room->node;
	}
	return NULL;
}

bool qs_memory_short(const struct qs_view *view,
		     const struct qs_decision *decision,
		     const uint32_t *leaving, uint32_t n, char *why,
		     size_t size)
{
	struct rooms rooms = { .view = view, .decision = decision };
	const job_record_t *job = find_job_record(decision->id);
	const node_record_t *node = NULL;

	rooms.list = calloc((size_t)decision->nplaces + 1, sizeof(*rooms.list));
	if (!rooms.list || !job || !job_list) {
		free(rooms.list);
		snprintf(why, size, "%s", "no memory to tell");
		return true;
	}
	find_rooms(&rooms, job);
	if (rooms.n)
		others_come(&rooms);
	if (any_shared(&rooms)) {
		others_stay(&rooms, leaving, n);
		node = lacking(&rooms);
	}
	if (node)
		snprintf(why, size, "memory on %s is kept for another job",
			 node->name);
	free(rooms.list);
	return node;
}
