/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_job.c - a job as DescribeServiceJob tells of it
 *
 * Called by qshare describe-jobs. Never blocks. The surprise: AWS has no status
 * for a preempted job; it is RUNNABLE again, and its preemptionSummary tells.
 */
#include "aws/live.h"

#include <stdio.h>
#include <string.h>

/* Where the fields come from; each may be NULL. */
struct parts {
	const struct qs_live *live;
	struct json_object *job, *explain, *facts;
	const char *id, *status;
};

static struct json_object *get(struct json_object *from, const char *key)
{
	struct json_object *value = NULL;

	if (from)
		json_object_object_get_ex(from, key, &value);
	return value;
}

static const char *text_of(struct json_object *from, const char *key)
{
	struct json_object *value = get(from, key);

	return json_object_is_type(value, json_type_string) ?
		       json_object_get_string(value) :
		       NULL;
}

/* A number of the job's or Slurm's, whichever has it first. False: neither. */
static bool number(const struct parts *parts, const char *key, int64_t *value)
{
	struct json_object *from[] = { parts->job, parts->facts,
				       parts->explain };

	for (size_t i = 0; i < 3; i++) {
		struct json_object *found = get(from[i], key);

		if (!json_object_is_type(found, json_type_int))
			continue;
		*value = json_object_get_int64(found);
		return true;
	}
	return false;
}

static const char *word(const struct parts *parts, const char *key)
{
	struct json_object *from[] = { parts->job, parts->facts,
				       parts->explain };

	for (size_t i = 0; i < 3; i++)
		if (text_of(from[i], key))
			return text_of(from[i], key);
	return NULL;
}

static void put_text(struct json_object *to, const char *key, const char *text)
{
	if (text)
		json_object_object_add(to, key, json_object_new_string(text));
}

static bool is(const char *a, const char *b)
{
	return a && !strcmp(a, b);
}

static const char *status_of(const struct parts *parts)
{
	/* Slurm's is the newer one, and knows how a job ended. */
	const char *state = text_of(parts->facts, "state");
	bool held = json_object_get_boolean(get(parts->facts, "held")) ||
		    is(text_of(parts->job, "code"), "HELD");

	if (!state)
		state = text_of(parts->job, "state");
	if (is(state, "PENDING"))
		return held ? "PENDING" : "RUNNABLE";
	if (is(state, "CONFIGURING"))
		return "STARTING";
	if (is(state, "RUNNING") || is(state, "SUSPENDED") ||
	    is(state, "COMPLETING"))
		return "RUNNING";
	return is(state, "COMPLETED") ? "SUCCEEDED" : "FAILED";
}

static bool waits(const struct parts *parts)
{
	return is(parts->status, "PENDING") || is(parts->status, "RUNNABLE");
}

static bool has_ended(const struct parts *parts)
{
	return is(parts->status, "SUCCEEDED") || is(parts->status, "FAILED");
}

static void put_reason(struct json_object *to, const struct parts *parts)
{
	const char *never = qs_live_never_text(
		text_of(parts->job, "code") ? text_of(parts->job, "code") : "");
	char text[400], buffer[256];

	if (get(parts->job, "stops_for") && is(parts->status, "RUNNING")) {
		snprintf(
			text, sizeof(text), "PREEMPTION_IN_PROGRESS: %s",
			qs_live_preemption_text(text_of(parts->explain, "text"),
						buffer, sizeof(buffer)));
		put_text(to, "statusReason", text);
	} else if (waits(parts) && never) {
		put_text(to, "statusReason", never);
	} else if (waits(parts) || has_ended(parts)) {
		put_text(to, "statusReason", word(parts, "reason"));
	}
}

/* One preempted attempt of the runtime's history. */
static struct json_object *attempt(const struct parts *parts,
				   struct json_object *past)
{
	struct json_object *to = json_object_new_object();
	int64_t stopped = json_object_get_int64(get(past, "time"));
	int64_t run = json_object_get_int64(get(past, "run"));
	char buffer[256];

	json_object_object_add(to, "serviceResourceId",
			       qs_live_resource(parts->id));
	qs_live_put_time(to, "startedAt", stopped - run);
	qs_live_put_time(to, "stoppedAt", stopped);
	put_text(to, "statusReason",
		 qs_live_preemption_text(text_of(past, "text"), buffer,
					 sizeof(buffer)));
	return to;
}

static size_t length(struct json_object *list)
{
	return json_object_is_type(list, json_type_array) ?
		       json_object_array_length(list) :
		       0;
}

/* Newest first, as the history is; only a job that was preempted has it. */
static void put_summary(struct json_object *to, const struct parts *parts)
{
	struct json_object *history = get(parts->explain, "history");
	struct json_object *summary, *list;
	int64_t count = 0;

	number(parts, "preempted", &count);
	if (!count)
		return;
	summary = json_object_new_object();
	list = json_object_new_array();
	json_object_object_add(summary, "preemptedAttemptCount",
			       json_object_new_int64(count));
	for (size_t i = 0; i < length(history) && i < QS_LIVE_ATTEMPTS_MAX; i++)
		json_object_array_add(
			list,
			attempt(parts, json_object_array_get_idx(history, i)));
	json_object_object_add(summary, "recentPreemptedAttempts", list);
	json_object_object_add(to, "preemptionSummary", summary);
}

/* All attempts that have ended, oldest first. */
static void put_attempts(struct json_object *to, const struct parts *parts)
{
	struct json_object *history = get(parts->explain, "history");
	struct json_object *list = json_object_new_array(), *last;
	int64_t start, end;

	for (size_t i = length(history); i > 0; i--)
		json_object_array_add(
			list, attempt(parts, json_object_array_get_idx(history,
								       i - 1)));
	if (has_ended(parts) && number(parts, "start", &start) &&
	    number(parts, "end", &end)) {
		last = json_object_new_object();
		json_object_object_add(last, "serviceResourceId",
				       qs_live_resource(parts->id));
		qs_live_put_time(last, "startedAt", start);
		qs_live_put_time(last, "stoppedAt", end);
		put_text(last, "statusReason", word(parts, "reason"));
		json_object_array_add(list, last);
	}
	json_object_object_add(to, "attempts", list);
}

static void put_latest(struct json_object *to, const struct parts *parts)
{
	struct json_object *latest = json_object_new_object();

	json_object_object_add(latest, "serviceResourceId",
			       qs_live_resource(parts->id));
	json_object_object_add(to, "latestAttempt", latest);
}

/* startedAt is required: 0 for a job that never started. */
static void put_times(struct json_object *to, const struct parts *parts)
{
	struct json_object *history = get(parts->explain, "history");
	int64_t time = 0, start = 0;
	bool started = !waits(parts) && (number(parts, "start", &start) ||
					 number(parts, "since", &start));

	if (number(parts, "submit", &time) ||
	    (waits(parts) && number(parts, "since", &time)))
		qs_live_put_time(to, "createdAt", time);
	if (started)
		qs_live_put_time(to, "scheduledAt", start);
	if (!started && length(history)) {
		struct json_object *past =
			json_object_array_get_idx(history, 0);

		start = json_object_get_int64(get(past, "time")) -
			json_object_get_int64(get(past, "run"));
		started = true;
	}
	qs_live_put_time(to, "startedAt", start);
	if (has_ended(parts) && number(parts, "end", &time))
		qs_live_put_time(to, "stoppedAt", time);
	if (started)
		put_latest(to, parts);
}

static void put_configuration(struct json_object *to, const struct parts *parts)
{
	struct json_object *one;
	int64_t value;

	/* unset, and it is not there (law 11) */
	if (number(parts, "retries", &value)) {
		one = json_object_new_object();
		json_object_object_add(one,
				       "preemptionRetriesBeforeTermination",
				       json_object_new_int64(value));
		json_object_object_add(to, "preemptionConfiguration", one);
	}
	if (number(parts, "time_limit", &value)) {
		one = json_object_new_object();
		json_object_object_add(one, "attemptDurationSeconds",
				       json_object_new_int64(value));
		json_object_object_add(to, "timeoutConfig", one);
	}
}

struct json_object *qs_live_job(const struct qs_live *live,
				struct json_object *job,
				struct json_object *explain,
				struct json_object *facts)
{
	struct parts parts = { live, job, explain, facts, NULL, NULL };
	struct json_object *to = json_object_new_object();
	const char *state = text_of(facts, "state");
	const char *queue;
	int64_t priority;

	parts.id = word(&parts, "id") ? word(&parts, "id") : "0";
	parts.status = status_of(&parts);
	queue = word(&parts, "queue");
	put_attempts(to, &parts);
	if (job && !waits(&parts) && !has_ended(&parts))
		json_object_object_add(to, "capacityUsage",
				       qs_live_usage(live, get(job, "gpus")));
	put_times(to, &parts);
	json_object_object_add(to, "isTerminated",
			       json_object_new_boolean(is(state, "CANCELLED") ||
						       is(state, "PREEMPTED")));
	json_object_object_add(to, "jobArn", qs_live_job_arn(live, parts.id));
	put_text(to, "jobId", parts.id);
	put_text(to, "jobName",
		 text_of(facts, "name") ? text_of(facts, "name") : parts.id);
	json_object_object_add(to, "jobQueue",
			       qs_live_queue_arn(live, queue ? queue : "none"));
	put_configuration(to, &parts);
	put_summary(to, &parts);
	put_text(to, "quotaShareName", word(&parts, "share"));
	if (number(&parts, "priority", &priority))
		json_object_object_add(to, "schedulingPriority",
				       json_object_new_int64(priority));
	put_text(to, "serviceJobType", "SAGEMAKER_TRAINING");
	put_text(to, "status", parts.status);
	put_reason(to, &parts);
	return to;
}
