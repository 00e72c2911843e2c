/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * online_facts.c - what Slurm itself knows of a job, through its public API
 *
 * Called by describe-jobs and explain. Waits for slurmctld. The surprise: slurmctld forgets
 * a job MinJobAge seconds after its end, and then nobody here knows it.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "cli/online_facts.h"

#include "aws/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#ifdef QS_HAVE_SLURM

/* From 26.05 on Slurm's API takes step ids; this lets it take job ids too. */
#define SLURM_BACKWARD_COMPAT
#include <slurm/slurm.h>

static void put_text(struct json_object *to, const char *key, const char *text)
{
	if (text && *text)
		json_object_object_add(to, key, json_object_new_string(text));
}

static void put_number(struct json_object *to, const char *key, int64_t value)
{
	json_object_object_add(to, key, json_object_new_int64(value));
}

static const char *state_name(uint32_t state)
{
	if (state & JOB_CONFIGURING)
		return "CONFIGURING";
	switch (state & JOB_STATE_BASE) {
	case JOB_PENDING:
		return "PENDING";
	case JOB_RUNNING:
		return "RUNNING";
	case JOB_SUSPENDED:
		return "SUSPENDED";
	case JOB_COMPLETE:
		return "COMPLETED";
	case JOB_CANCELLED:
		return "CANCELLED";
	case JOB_PREEMPTED:
		return "PREEMPTED";
	default:
		return "FAILED";
	}
}

static bool is_held(const job_info_t *job)
{
	return job->priority == 0 || job->state_reason == WAIT_DEPENDENCY ||
	       job->state_reason == WAIT_HELD ||
	       job->state_reason == WAIT_HELD_USER;
}

/* How it ended; its own words if it has any. */
static void put_end(struct json_object *to, const job_info_t *job)
{
	char text[64];

	if ((job->job_state & JOB_STATE_BASE) < JOB_COMPLETE)
		return;
	put_number(to, "end", job->end_time);
	if (job->state_desc && *job->state_desc) {
		put_text(to, "reason", job->state_desc);
		return;
	}
	put_text(to, "reason",
		 qs_live_end_text(WEXITSTATUS(job->exit_code),
				  WIFSIGNALED(job->exit_code) ?
					  WTERMSIG(job->exit_code) :
					  0,
				  text, sizeof(text)));
}

static struct json_object *facts_of(const char *id, const job_info_t *job)
{
	struct json_object *to = json_object_new_object();

	put_text(to, "id", id);
	put_text(to, "name", job->name);
	put_text(to, "state", state_name(job->job_state));
	json_object_object_add(to, "held",
			       json_object_new_boolean(is_held(job)));
	put_number(to, "submit", job->submit_time);
	put_text(to, "partition", job->partition);
	if ((job->job_state & JOB_STATE_BASE) != JOB_PENDING)
		put_number(to, "start", job->start_time);
	else
		put_text(to, "waits", job->state_desc);
	if (job->time_limit != INFINITE && job->time_limit != NO_VAL)
		put_number(to, "time_limit", (int64_t)job->time_limit * 60);
	put_end(to, job);
	return to;
}

/* Is it the job, or the task, that is meant? */
static bool is_meant(const job_info_t *job, uint32_t id, const char *task)
{
	if (!task)
		return job->job_id == id;
	return job->array_job_id == id &&
	       job->array_task_id == (uint32_t)strtoul(task, NULL, 10);
}

struct json_object *qs_online_facts(const char *job)
{
	uint32_t id = (uint32_t)strtoul(job, NULL, 10);
	const char *task = strchr(job, '_');
	struct json_object *facts = NULL;
	job_info_msg_t *all = NULL;

	if (slurm_load_job(&all, id, 0) != SLURM_SUCCESS)
		return NULL;
	for (uint32_t i = 0; i < all->record_count && !facts; i++)
		if (is_meant(&all->job_array[i], id, task ? task + 1 : NULL))
			facts = facts_of(job, &all->job_array[i]);
	slurm_free_job_info_msg(all);
	return facts;
}

#else

struct json_object *qs_online_facts(const char *job)
{
	(void)job;
	return NULL;
}

#endif
