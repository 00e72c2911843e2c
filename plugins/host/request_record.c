/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_record.c - what a waiting job's record asks for (R2)
 *
 * Called by the runtime at every look, under the job read lock, for each
 * pending job of a queue; blocks on nothing. Its surprise: --gpus-per-task and
 * friends leave no string in the record that says it all, so the counts come
 * from gres_list_req, where Slurm has put every spelling.
 */
#include "host/request_view.h"

#include <string.h>

#include "src/common/gres.h"

#define GPU "gpu"

static void add_gres(struct qs_view *view, const gres_job_state_t *gres)
{
	uint32_t cpus = qs_view_n16(gres->cpus_per_gres);

	if (!cpus)
		cpus = qs_view_n16(gres->def_cpus_per_gres);
	if (cpus > view->cpus_per_gpu)
		view->cpus_per_gpu = cpus;
	/* More types than a term list holds: no job has so many. */
	qs_terms_set(&view->terms, QS_PER_JOB, gres->type_name,
		     gres->gres_per_job);
	qs_terms_set(&view->terms, QS_PER_NODE, gres->type_name,
		     gres->gres_per_node);
	qs_terms_set(&view->terms, QS_PER_SOCKET, gres->type_name,
		     gres->gres_per_socket);
	qs_terms_set(&view->terms, QS_PER_TASK, gres->type_name,
		     gres->gres_per_task);
}

static void add_gres_list(struct qs_view *view, const job_record_t *job)
{
	ListIterator it;
	gres_state_t *gres;

	if (!job->gres_list_req)
		return;
	it = list_iterator_create(job->gres_list_req);
	while ((gres = list_next(it)))
		if (gres->gres_data && !xstrcmp(gres->gres_name, GPU))
			add_gres(view, gres->gres_data);
	list_iterator_destroy(it);
}

static void add_shape(struct qs_view *view, const job_record_t *job)
{
	const struct job_details *details = job->details;
	const multi_core_data_t *mc = details->mc_ptr;

	view->shape.min_nodes = qs_view_n32(details->min_nodes);
	view->shape.max_nodes = qs_view_n32(details->max_nodes);
	view->shape.tasks = qs_view_n32(details->num_tasks);
	view->shape.tasks_per_node = qs_view_n16(details->ntasks_per_node);
	view->req_nodes = details->req_nodes;
	view->cpus = qs_view_n32(details->min_cpus);
	view->cpus_per_task = qs_view_n16(details->cpus_per_task);
	view->mem_per_cpu = qs_view_mem_per_cpu(details->pn_min_memory);
	view->whole_nodes = details->whole_node == WHOLE_NODE_REQUIRED;
	if (mc) {
		view->shape.sockets_per_node =
			qs_view_n16(mc->sockets_per_node);
		view->one_per_core =
			mc->threads_per_core == 1 || mc->ntasks_per_core == 1;
	}
}

void qs_request_of_record(const struct qs_policy *policy, int queue,
			  const job_record_t *job, struct qs_request *request)
{
	struct qs_view view;

	memset(&view, 0, sizeof(view));
	qs_terms_init(&view.terms);
	add_gres_list(&view, job);
	if (job->details)
		add_shape(&view, job);
	view.partitions = job->partition;
	view.whole_nodes |= qs_pool_exclusive(job->partition);
	qs_view_request(policy, queue, &view, request);
}
