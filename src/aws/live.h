/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - jobs, queues and events of the live cluster in AWS's shapes
 *
 * For scripts that were written for AWS Batch. In go the answers of our
 * runtime (to "jobs", "explain", "status") and what Slurm knows of a job; out
 * come DescribeServiceJob, GetJobQueueSnapshot and EventBridge events. Pure;
 * every result is the caller's (json_object_put).
 */
#ifndef QS_LIVE_H
#define QS_LIVE_H

#include <json-c/json.h>

#include "aws/instances.h"
#include "engine/policy.h"

/* What stands in ARNs where nobody says it: there is no AWS. */
#define QS_LIVE_REGION  "slurm"
#define QS_LIVE_ACCOUNT "000000000000"
/* Most jobs at the front of a queue (AWS). */
#define QS_LIVE_FRONT_MAX 100
/* Preempted attempts that are told, newest first. */
#define QS_LIVE_ATTEMPTS_MAX 10

struct qs_live {
	const struct qs_policy *policy;   /* for Instance; or NULL */
	const struct qs_instances *table; /* or NULL: units are GPUs */
	const char *region, *account;     /* NULL: as above */
};

/*
 * DescribeServiceJob of one job. job: its object in the answer to "jobs", or
 * NULL: it has ended, or is in no share. explain: the answer to "explain JOB",
 * or NULL. facts: what Slurm says, or NULL: an object with any of id, name,
 * state (Slurm's word), held, submit, start, end, time_limit (seconds), queue,
 * share, reason. At least one of job and facts must be there.
 */
struct json_object *qs_live_job(const struct qs_live *live,
				struct json_object *job,
				struct json_object *explain,
				struct json_object *facts);

/* GetJobQueueSnapshot of a queue, from the answers to "jobs" and "status". */
struct json_object *qs_live_snapshot(const struct qs_live *live,
				     const char *queue,
				     struct json_object *jobs,
				     struct json_object *status);

/* What lines before told of jobs that have not ended; zeroed at the beginning of a log. */
struct qs_live_events {
	struct json_object *seen; /* job -> its preempted attempts */
	struct json_object *ids;  /* job -> as an array's task: "12_3" */
};

/*
 * The EventBridge event of a line of our event log; NULL if it has none (or
 * there is no memory: errno ENOMEM, else 0). Lines in the order of the log.
 */
struct json_object *qs_live_event(const struct qs_live *live,
				  struct qs_live_events *events,
				  struct json_object *line);
void qs_live_events_clear(struct qs_live_events *events);

/* reasons.c: AWS's text for a code of the planner ("OVER_LIMIT"), or NULL. */
const char *qs_live_never_text(const char *code);
/* "Ended with exit code 7", "Ended by signal 9"; signal 0: none. Returns text. */
const char *qs_live_end_text(int64_t exit_code, int64_t signal, char *text,
			     size_t size);
/* The part of a sentence about a preemption that is AWS's; buffer is used. */
const char *qs_live_preemption_text(const char *sentence, char *buffer,
				    size_t size);

/* live_units.c: [{"capacityUnit": …, "quantity": …}] of {"h100": 16, …}. */
struct json_object *qs_live_usage(const struct qs_live *live,
				  struct json_object *gpus);
/* The same for one type, added to a list. */
void qs_live_usage_add(const struct qs_live *live, struct json_object *list,
		       const char *type, int64_t gpus);
/* The ARN of a job and of a queue. */
struct json_object *qs_live_job_arn(const struct qs_live *live, const char *id);
struct json_object *qs_live_queue_arn(const struct qs_live *live,
				      const char *name);
/* {"name": "TrainingJobArn", "value": …}: our run of a job. */
struct json_object *qs_live_resource(const char *id);
/* Seconds as AWS's milliseconds. */
void qs_live_put_time(struct json_object *to, const char *key, int64_t sec);

#endif
