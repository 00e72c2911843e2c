/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_desc.c - what a submission, or a change of a waiting job, asks for
 *
 * Called by the job_submit plugin under its read locks. Blocks on nothing. Its
 * surprise: an empty string in a change means "take it away", no string means
 * "as it was".
 */
#include "host/request_desc.h"

#include <string.h>

static char **tres_of(job_desc_msg_t *desc, enum qs_per per)
{
	switch (per) {
	case QS_PER_NODE:
		return &desc->tres_per_node;
	case QS_PER_SOCKET:
		return &desc->tres_per_socket;
	case QS_PER_TASK:
		return &desc->tres_per_task;
	default:
		return &desc->tres_per_job;
	}
}

void qs_form_set_tres(job_desc_msg_t *desc, enum qs_per per, const char *text)
{
	char **tres = tres_of(desc, per);

	xfree(*tres);
	*tres = xstrdup(text);
}

static int read_terms(struct qs_form *form)
{
	qs_terms_init(&form->wish.terms);
	for (int per = 0; per < QS_PERS; per++)
		if (qs_terms_parse(&form->wish.terms, per, form->tres[per]))
			return -1;
	qs_terms_complete(&form->wish.terms, &form->wish.shape);
	form->wish.whole_nodes |= qs_pool_exclusive(form->wish.partitions);
	return 0;
}

static void read_desc(const job_desc_msg_t *desc, struct qs_form *form)
{
	struct qs_wish *wish = &form->wish;

	memset(form, 0, sizeof(*form));
	form->tres[QS_PER_JOB] = desc->tres_per_job;
	form->tres[QS_PER_NODE] = desc->tres_per_node;
	form->tres[QS_PER_SOCKET] = desc->tres_per_socket;
	form->tres[QS_PER_TASK] = desc->tres_per_task;
	form->account = desc->account;
	wish->partitions = desc->partition;
	wish->req_nodes = desc->req_nodes;
	wish->exc_nodes = desc->exc_nodes;
	wish->features = desc->features;
	wish->shape.min_nodes = qs_wish_n32(desc->min_nodes);
	wish->shape.max_nodes = qs_wish_n32(desc->max_nodes);
	wish->shape.tasks = qs_wish_n32(desc->num_tasks);
	wish->shape.tasks_per_node = qs_wish_n16(desc->ntasks_per_node);
	wish->shape.sockets_per_node = qs_wish_n16(desc->sockets_per_node);
	wish->shape.tasks_per_gpu = qs_wish_n16(desc->ntasks_per_tres);
	wish->cpus = qs_wish_n32(desc->min_cpus);
	wish->cpus_per_task = qs_wish_n16(desc->cpus_per_task);
	/* How many they are does not matter here. */
	wish->cpus_per_gpu = desc->cpus_per_tres && *desc->cpus_per_tres;
	wish->memory = qs_wish_memory(desc->pn_min_memory);
	wish->one_thread = desc->threads_per_core == 1;
	wish->tasks_per_core = qs_wish_n16(desc->ntasks_per_core);
	wish->spec_cores = qs_wish_spec_cores(desc->core_spec);
	wish->whole_nodes = desc->shared == JOB_SHARED_NONE || wish->spec_cores;
}

int qs_form_of_desc(const job_desc_msg_t *desc, struct qs_form *form)
{
	read_desc(desc, form);
	/* What slurmctld will set, but for --mem-per-gpu. */
	if (desc->pn_min_memory == NO_VAL64 && !desc->mem_per_tres)
		form->wish.memory =
			qs_wish_memory(qs_pool_default_memory(desc->partition));
	return read_terms(form);
}

static void keep_text(const char **now, const char *was)
{
	if (!*now)
		*now = was;
}

static void keep_number(uint32_t *now, uint32_t was)
{
	if (!*now)
		*now = was;
}

/* --ntasks-per-gpu without GPUs was turned into GPUs in the gres list when the
 * job was made, and is in no string. */
static void keep_details(struct qs_form *form, const job_record_t *job)
{
	const job_details_t *details = job->details;
	const multi_core_data_t *mc = details->mc_ptr;
	struct qs_wish *wish = &form->wish;

	keep_text(&wish->req_nodes, details->req_nodes);
	keep_text(&wish->exc_nodes, details->exc_nodes);
	keep_text(&wish->features, details->features);
	keep_number(&wish->shape.min_nodes, qs_wish_n32(details->min_nodes));
	keep_number(&wish->shape.max_nodes, qs_wish_n32(details->max_nodes));
	keep_number(&wish->shape.tasks, qs_wish_n32(details->num_tasks));
	keep_number(&wish->shape.tasks_per_node,
		    qs_wish_n16(details->ntasks_per_node));
	keep_number(&wish->shape.tasks_per_gpu,
		    qs_wish_n16(details->ntasks_per_tres));
	keep_number(&wish->cpus, qs_wish_n32(details->min_cpus));
	keep_number(&wish->cpus_per_task, qs_wish_n16(details->cpus_per_task));
	if (!wish->memory)
		wish->memory = qs_wish_memory(details->pn_min_memory);
	wish->spec_cores |= qs_wish_spec_cores(details->core_spec);
	wish->whole_nodes |= details->whole_node == WHOLE_NODE_REQUIRED;
	if (!mc)
		return;
	keep_number(&wish->shape.sockets_per_node,
		    qs_wish_n16(mc->sockets_per_node));
	wish->one_thread |= mc->threads_per_core == 1;
	keep_number(&wish->tasks_per_core, qs_wish_n16(mc->ntasks_per_core));
}

int qs_form_of_change(const job_desc_msg_t *desc, const job_record_t *job,
		      struct qs_form *form)
{
	read_desc(desc, form);
	keep_text(&form->tres[QS_PER_JOB], job->tres_per_job);
	keep_text(&form->tres[QS_PER_NODE], job->tres_per_node);
	keep_text(&form->tres[QS_PER_SOCKET], job->tres_per_socket);
	keep_text(&form->tres[QS_PER_TASK], job->tres_per_task);
	keep_text(&form->account, job->account);
	keep_text(&form->wish.partitions, job->partition);
	/* A new lower end of the node range stands alone. */
	if (job->details)
		keep_details(form, job);
	if (form->wish.shape.max_nodes < form->wish.shape.min_nodes)
		form->wish.shape.max_nodes = 0;
	return read_terms(form);
}

bool qs_form_touched(const job_desc_msg_t *desc)
{
	return desc->account || desc->partition || desc->req_nodes ||
	       desc->tres_per_job || desc->tres_per_node ||
	       desc->tres_per_socket || desc->tres_per_task ||
	       qs_wish_n32(desc->min_nodes) || qs_wish_n32(desc->max_nodes) ||
	       qs_wish_n32(desc->num_tasks) ||
	       qs_wish_n16(desc->ntasks_per_node) ||
	       qs_wish_n16(desc->sockets_per_node) ||
	       desc->shared == JOB_SHARED_NONE;
}
