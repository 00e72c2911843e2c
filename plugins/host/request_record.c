/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_record.c - what a waiting job's record asks for (R2)
 *
 * Called by the runtime at every look, under the job read lock, for each
 * pending job of a queue; blocks on nothing. Its surprise: --gpus-per-task and
 * friends leave no string in the record that says it all, so the counts come
 * from gres_list_req, where Slurm has put every spelling.
 */
#include "host/request_wish.h"

#include <string.h>

#include "compat/gres.h"

#define GPU "gpu"

static void add_gres(struct qs_wish *wish, const gres_job_state_t *gres)
{
	uint32_t cpus = qs_wish_n16(gres->cpus_per_gres);

	if (!cpus)
		cpus = qs_wish_n16(gres->def_cpus_per_gres);
	if (cpus > wish->cpus_per_gpu)
		wish->cpus_per_gpu = cpus;
	if (!gres->gres_per_job && !gres->gres_per_node &&
	    !gres->gres_per_socket && !gres->gres_per_task &&
	    gres->total_gres && gres->total_gres != NO_CONSUME_VAL64) {
		/* Whole nodes that were just selected: select_nodes() puts
		 * their GPUs here in the place of the request (22.05). */
		qs_terms_set(&wish->terms, QS_PER_JOB, gres->type_name,
			     gres->total_gres);
		wish->settled = true;
		return;
	}
	/* More types than a term list holds: no job has so many. */
	qs_terms_set(&wish->terms, QS_PER_JOB, gres->type_name,
		     gres->gres_per_job);
	qs_terms_set(&wish->terms, QS_PER_NODE, gres->type_name,
		     gres->gres_per_node);
	qs_terms_set(&wish->terms, QS_PER_SOCKET, gres->type_name,
		     gres->gres_per_socket);
	qs_terms_set(&wish->terms, QS_PER_TASK, gres->type_name,
		     gres->gres_per_task);
}

static void add_gres_list(struct qs_wish *wish, const job_record_t *job)
{
	list_itr_t *it;
	gres_state_t *gres;

	if (!job->gres_list_req)
		return;
	it = list_iterator_create(job->gres_list_req);
	while ((gres = list_next(it)))
		if (gres->gres_data && !xstrcmp(gres->gres_name, GPU))
			add_gres(wish, gres->gres_data);
	list_iterator_destroy(it);
}

static void add_shape(struct qs_wish *wish, const job_record_t *job)
{
	const job_details_t *details = job->details;
	const multi_core_data_t *mc = details->mc_ptr;

	wish->shape.min_nodes = qs_wish_n32(details->min_nodes);
	wish->shape.max_nodes = qs_wish_n32(details->max_nodes);
	wish->shape.tasks = qs_wish_n32(details->num_tasks);
	wish->shape.tasks_per_node = qs_wish_n16(details->ntasks_per_node);
	wish->req_nodes = details->req_nodes;
	wish->exc_nodes = details->exc_nodes;
	wish->features = details->features;
	wish->cpus = qs_wish_n32(details->min_cpus);
	wish->cpus_per_task = qs_wish_n16(details->cpus_per_task);
	wish->memory = qs_wish_memory(details->pn_min_memory);
	wish->spec_cores = qs_wish_spec_cores(details->core_spec);
	wish->whole_nodes = details->whole_node == WHOLE_NODE_REQUIRED;
	if (mc) {
		wish->shape.sockets_per_node =
			qs_wish_n16(mc->sockets_per_node);
		wish->one_thread = mc->threads_per_core == 1;
		wish->tasks_per_core = qs_wish_n16(mc->ntasks_per_core);
	}
}

bool qs_request_may_be_gpu(const job_record_t *job)
{
	const part_record_t *part = job->part_ptr;

	if (job->gres_list_req ||
	    (job->details && job->details->whole_node == WHOLE_NODE_REQUIRED))
		return true;
	if (part && job->partition && !strchr(job->partition, ','))
		return !part->max_share;
	return qs_pool_exclusive(job->partition);
}

void qs_request_of_record(const struct qs_policy *policy, int queue,
			  const job_record_t *job, struct qs_request *request)
{
	struct qs_wish wish;

	memset(&wish, 0, sizeof(wish));
	qs_terms_init(&wish.terms);
	add_gres_list(&wish, job);
	if (job->details)
		add_shape(&wish, job);
	wish.partitions = job->partition;
	wish.whole_nodes |= qs_pool_exclusive(job->partition);
	qs_wish_request(policy, queue, &wish, request);
}
