/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * het.c - which quota queue a job is of, where it may have several parts
 *
 * Called by the runtime's look, by the gate for jobs that no look has judged,
 * and by job_submit, with the locks that het.h names. Blocks on nothing. Its
 * surprise: what a component asks for tells where the job is also while it runs,
 * since a component that has just begun holds nothing yet as far as its record
 * says.
 */
#include "host/het.h"

#include <stdio.h>

#include "host/nodes.h"
#include "host/request.h"

struct search {
	const struct qs_policy *policy;
	struct qs_het_home *home;
};

static bool asks(const struct qs_policy *policy, int queue,
		 const job_record_t *job)
{
	struct qs_request request;

	if (!qs_request_may_be_gpu(job))
		return false;
	qs_request_of_record(policy, queue, job, &request);
	return request.gpu;
}

static int judge(void *x, void *arg)
{
	job_record_t *one = x;
	const struct search *search = arg;
	struct qs_het_home *home = search->home;
	int queue = qs_nodes_queue(search->policy, one);

	if (queue < 0 || queue == home->queue ||
	    !asks(search->policy, queue, one))
		return 0;
	if (home->queue < 0) {
		home->queue = queue;
		home->by = one;
		return 0;
	}
	home->other = queue;
	return -1; /* no need to go on */
}

void qs_het_find(const struct qs_policy *policy, job_record_t *job,
		 struct qs_het_home *home)
{
	struct search search = { .policy = policy, .home = home };
	const job_record_t *leader;

	*home = (struct qs_het_home){ .queue = -1, .other = -1, .by = job };
	if (!job->het_job_id) {
		home->queue = qs_nodes_queue(policy, job);
		return;
	}
	leader = job->het_job_list ? job : find_job_record(job->het_job_id);
	if (leader && leader->het_job_list)
		list_for_each(leader->het_job_list, judge, &search);
	else /* it is being submitted */
		judge(job, &search);
}

void qs_het_two_queues(const struct qs_policy *policy, int queue, int other,
		       char *text, size_t size)
{
	snprintf(text, size,
		 "its components ask for GPUs of queues %.30s and %.30s: name "
		 "partitions of one",
		 policy->queues[queue].name, policy->queues[other].name);
}
