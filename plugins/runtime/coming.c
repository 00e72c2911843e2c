/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coming.c - who will begin although nobody else is stopped for it
 *
 * Those whom the plan lets start now, those for whom it keeps what is ending,
 * and those who have claimed. They wait, so Slurm counts them nowhere yet, but
 * what they will use is spoken for: limits.c and licenses.c add it before they
 * ask whether one more may claim. Else each of four jobs would be tried alone
 * against a limit that lets two of them start, and the victims of the other two
 * would go for nothing.
 *
 * Used by our thread while it makes claims (apply_claim.c), with the write locks
 * held whenever a job is looked up. Its surprise: how many tasks of a job are
 * coming stands in qs_want.coming, and changes with each claim and each begin.
 */
#include "runtime/apply.h"

#include <stdlib.h>

#include "host/parts.h"

static struct {
	const struct qs_view *view;
	const struct qs_want *wants;
	uint32_t *jobs, n; /* of the snapshot: coming, or they may be */
} coming;

static void count(const struct qs_view *view, struct qs_want *wants)
{
	for (uint32_t i = 0; i < view->snap->njobs; i++)
		wants[i].coming = wants[i].grants;
	for (uint32_t i = 0; i < view->plan->ndecisions; i++) {
		const struct qs_decision *d = &view->plan->decisions[i];

		if (qs_coming_waits(d))
			wants[d->job].coming++;
	}
	/* Claimants who find another reason to wait for the moment. */
	for (uint32_t i = 0; i < view->snap->njobs; i++)
		if (wants[i].coming < qs_coming_claimed(view, i))
			wants[i].coming = qs_coming_claimed(view, i);
}

bool qs_coming_waits(const struct qs_decision *decision)
{
	return decision->verdict == QS_VERDICT_WAIT && decision->reserves &&
	       decision->code == QS_CODE_ENDING;
}

uint32_t qs_coming_claimed(const struct qs_view *view, uint32_t index)
{
	const struct qs_job *job = &view->snap->jobs[index];

	if (!job->claim)
		return 0;
	return job->claim_tasks ? job->claim_tasks : 1;
}

bool qs_coming_gather(const struct qs_view *view, struct qs_want *wants)
{
	uint32_t *jobs = calloc((size_t)view->snap->njobs + 1, sizeof(*jobs));
	uint32_t n = 0;

	if (!jobs)
		return false;
	count(view, wants);
	for (uint32_t i = 0; i < view->snap->njobs; i++)
		if (wants[i].coming || wants[i].claims)
			jobs[n++] = i;
	coming.view = view;
	coming.wants = wants;
	coming.jobs = jobs;
	coming.n = n;
	return true;
}

void qs_coming_drop(void)
{
	free(coming.jobs);
	coming.jobs = NULL;
	coming.n = 0;
}

static uint32_t tasks_of(const job_record_t *job)
{
	return job->array_recs && job->array_recs->task_cnt ?
		       job->array_recs->task_cnt :
		       1;
}

/* Each component of a het job by itself. */
static void each_part(const job_record_t *job, uint32_t tasks, qs_coming_fn *fn,
		      void *arg)
{
	struct qs_parts parts = qs_parts_of(job);
	job_record_t *one;

	while ((one = qs_parts_next(&parts)))
		fn(arg, one, tasks);
	qs_parts_end(&parts);
}

void qs_coming_each(const job_record_t *job, qs_coming_fn *fn, void *arg)
{
	uint32_t own = qs_jobrec_key(job);

	for (uint32_t i = 0; i < coming.n; i++) {
		uint32_t at = coming.jobs[i];
		uint32_t id = coming.view->seen[at].id;
		uint32_t tasks = coming.wants[at].coming, most;
		const job_record_t *other;

		if (!tasks)
			continue;
		other = find_job_record(id);
		if (!other || !IS_JOB_PENDING(other) ||
		    IS_JOB_COMPLETING(other))
			continue;
		/* One of its own tasks is the one that is asked about. */
		most = tasks_of(other) - (id == own ? 1 : 0);
		tasks = tasks < most ? tasks : most;
		if (tasks)
			each_part(other, tasks, fn, arg);
	}
}
