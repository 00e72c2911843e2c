/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_event.c - a line of our event log as an event of EventBridge
 *
 * Called by qshare events --aws, for each line in the order of the log. Never
 * blocks. The surprise: where slurmctld was killed in the moment in which a job
 * ended, the log does not know how; then there is no event of that, since AWS's
 * would have to say SUCCEEDED or FAILED.
 */
#include "aws/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct json_object *get(struct json_object *from, const char *key)
{
	struct json_object *value = NULL;

	if (json_object_is_type(from, json_type_object))
		json_object_object_get_ex(from, key, &value);
	return value;
}

static const char *text_of(struct json_object *from, const char *key)
{
	struct json_object *value = get(from, key);

	return json_object_is_type(value, json_type_string) ?
		       json_object_get_string(value) :
		       "";
}

static int64_t number(struct json_object *from, const char *key)
{
	return json_object_get_int64(get(from, key));
}

static void put_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

/* The same line has the same id whenever it is asked for: two 64 bit FNV
 * hashes in the form of a UUID (version 8: made by us). */
static void make_id(struct json_object *line, char *id, size_t size)
{
	const char *text =
		json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN);
	uint64_t a = UINT64_C(0xcbf29ce484222325), b = ~a;

	for (; *text; text++) {
		a = (a ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
		b = (b ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
		b ^= a >> 29;
	}
	snprintf(id, size, "%08x-%04x-8%03x-%04x-%012" PRIx64,
		 (unsigned)(a >> 32), (unsigned)(a >> 16 & 0xffff),
		 (unsigned)(a & 0xfff), (unsigned)(b >> 48 & 0x3fff) | 0x8000,
		 b & UINT64_C(0xffffffffffff));
}

/* "2026-11-29T20:00:00Z"; 0 if it is no time. */
static int64_t seconds_of(const char *text)
{
	struct tm tm = { 0 };
	char z = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%c", &tm.tm_year, &tm.tm_mon,
		   &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &z) != 7 ||
	    z != 'Z')
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return (int64_t)timegm(&tm);
}

static struct json_object *envelope(const struct qs_live *live,
				    struct json_object *line, const char *type,
				    struct json_object *arn)
{
	struct json_object *to = json_object_new_object();
	struct json_object *resources = json_object_new_array();
	char id[64];

	make_id(line, id, sizeof(id));
	put_text(to, "version", "0");
	put_text(to, "id", id);
	put_text(to, "detail-type", type);
	put_text(to, "source", "aws.batch");
	put_text(to, "account",
		 live->account ? live->account : QS_LIVE_ACCOUNT);
	put_text(to, "time", text_of(line, "time"));
	put_text(to, "region", live->region ? live->region : QS_LIVE_REGION);
	json_object_array_add(resources, json_object_get(arn));
	json_object_object_add(to, "resources", resources);
	return to;
}

static struct json_object *started(const struct qs_live *live,
				   struct json_object *line,
				   struct json_object *arn)
{
	struct json_object *to = envelope(
		live, line, "Batch Service Job Preemption Started", arn);
	struct json_object *detail = json_object_new_object();
	char text[400], buffer[256];

	snprintf(text, sizeof(text), "PREEMPTION_IN_PROGRESS: %s",
		 qs_live_preemption_text(text_of(line, "text"), buffer,
					 sizeof(buffer)));
	put_text(detail, "statusReason", text);
	json_object_object_add(detail, "preemptedJobArn", json_object_get(arn));
	put_text(detail, "status", "RUNNING");
	json_object_object_add(to, "detail", detail);
	return to;
}

/* One more attempt of the job: how many there were, and the last ones, oldest
 * first (law 14: not all). */
static struct json_object *remember(struct qs_live_events *events,
				    const char *job, struct json_object *line)
{
	struct json_object *attempt = json_object_new_object(), *of, *list;
	int64_t stopped = seconds_of(text_of(line, "time"));
	char buffer[256];

	if (!events->seen)
		events->seen = json_object_new_object();
	of = get(events->seen, job);
	if (!of) {
		of = json_object_new_object();
		json_object_object_add(of, "last", json_object_new_array());
		json_object_object_add(events->seen, job, of);
	}
	json_object_object_add(of, "count",
			       json_object_new_int64(number(of, "count") + 1));
	json_object_object_add(attempt, "serviceResourceId",
			       qs_live_resource(job));
	qs_live_put_time(attempt, "startedAt", stopped - number(line, "run"));
	qs_live_put_time(attempt, "stoppedAt", stopped);
	put_text(attempt, "statusReason",
		 qs_live_preemption_text(text_of(line, "text"), buffer,
					 sizeof(buffer)));
	list = get(of, "last");
	json_object_array_add(list, attempt);
	if (json_object_array_length(list) > QS_LIVE_ATTEMPTS_MAX)
		json_object_array_del_idx(list, 0, 1);
	return of;
}

static struct json_object *completed(const struct qs_live *live,
				     struct qs_live_events *events,
				     struct json_object *line, const char *job,
				     struct json_object *arn)
{
	struct json_object *to = envelope(
		live, line, "Batch Service Job Preemption Completed", arn);
	struct json_object *detail = json_object_new_object();
	struct json_object *summary = json_object_new_object();
	struct json_object *recent = json_object_new_array();
	struct json_object *all = remember(events, job, line);
	struct json_object *last = get(all, "last");
	size_t n = json_object_array_length(last);

	json_object_object_add(detail, "preemptedJobArn", json_object_get(arn));
	json_object_object_add(summary, "preemptedAttemptCount",
			       json_object_new_int64(number(all, "count")));
	for (size_t i = n; i > 0; i--)
		json_object_array_add(recent,
				      json_object_get(json_object_array_get_idx(
					      last, i - 1)));
	json_object_object_add(summary, "recentPreemptedAttempts", recent);
	json_object_object_add(detail, "preemptionSummary", summary);
	put_text(detail, "status",
		 strcmp(text_of(line, "outcome"), "requeue") ? "FAILED" :
							       "RUNNABLE");
	json_object_object_add(to, "detail", detail);
	return to;
}

/* What a job holds: its own and what it borrowed, added type by type. */
static struct json_object *held(struct json_object *line)
{
	static const char *const keys[] = { "own", "borrowed" };
	struct json_object *sum = json_object_new_object();

	for (size_t i = 0; i < 2; i++) {
		struct json_object *gpus = get(line, keys[i]);

		if (!json_object_is_type(gpus, json_type_object))
			continue;
		json_object_object_foreach(gpus, type, count)
			json_object_object_add(
				sum, type,
				json_object_new_int64(
					number(sum, type) +
					json_object_get_int64(count)));
	}
	return sum;
}

static struct json_object *changed(const struct qs_live *live,
				   struct json_object *line, const char *job,
				   struct json_object *arn, const char *status)
{
	struct json_object *to =
		envelope(live, line, "Batch Service Job State Change", arn);
	struct json_object *detail = json_object_new_object(), *gpus;

	json_object_object_add(detail, "jobArn", json_object_get(arn));
	put_text(detail, "jobId", job);
	if (get(line, "queue"))
		json_object_object_add(
			detail, "jobQueue",
			qs_live_queue_arn(live, text_of(line, "queue")));
	if (*text_of(line, "share")) /* "": it left the policy */
		put_text(detail, "quotaShareName", text_of(line, "share"));
	if (get(line, "own")) {
		gpus = held(line);
		json_object_object_add(detail, "capacityUsage",
				       qs_live_usage(live, gpus));
		json_object_put(gpus);
	}
	if (!strcmp(status, "RUNNING") && get(line, "start"))
		qs_live_put_time(detail, "startedAt", number(line, "start"));
	put_text(detail, "serviceJobType", "SAGEMAKER_TRAINING");
	put_text(detail, "status", status);
	json_object_object_add(to, "detail", detail);
	return to;
}

/* Why a run ended that was preempted, as told in the line before; else how. */
static const char *end_reason(struct qs_live_events *events,
			      struct json_object *line, const char *number_text,
			      char *buffer, size_t size)
{
	struct json_object *last = get(get(events->seen, number_text), "last");
	size_t n = json_object_is_type(last, json_type_array) ?
			   json_object_array_length(last) :
			   0;

	if (!strcmp(text_of(line, "state"), "PREEMPTED") && n)
		return text_of(json_object_array_get_idx(last, n - 1),
			       "statusReason");
	return qs_live_end_text(number(line, "exit_code"),
				number(line, "signal"), buffer, size);
}

static struct json_object *ended(const struct qs_live *live,
				 struct qs_live_events *events,
				 struct json_object *line, const char *id,
				 const char *number_text,
				 struct json_object *arn)
{
	const char *state = text_of(line, "state");
	bool again = json_object_get_boolean(get(line, "requeued"));
	int64_t start = number(line, "start");
	struct json_object *to, *detail;
	char buffer[64];

	if (!*state)
		return NULL;
	to = changed(live, line, id, arn,
		     again                      ? "RUNNABLE" :
		     strcmp(state, "COMPLETED") ? "FAILED" :
						  "SUCCEEDED");
	detail = get(to, "detail");
	if (again)
		json_object_object_del(detail, "capacityUsage");
	put_text(detail, "statusReason",
		 end_reason(events, line, number_text, buffer, sizeof(buffer)));
	qs_live_put_time(detail, "startedAt", start);
	qs_live_put_time(detail, "stoppedAt", start + number(line, "run"));
	json_object_object_add(
		detail, "isTerminated",
		json_object_new_boolean(!again &&
					(!strcmp(state, "CANCELLED") ||
					 !strcmp(state, "PREEMPTED"))));
	return to;
}

static struct json_object *withdrawn(const struct qs_live *live,
				     struct json_object *line, const char *id,
				     struct json_object *arn)
{
	struct json_object *to = changed(live, line, id, arn, "FAILED");
	struct json_object *detail = get(to, "detail");

	put_text(detail, "statusReason", "Cancelled before it started");
	json_object_object_add(detail, "isTerminated",
			       json_object_new_boolean(1));
	return to;
}

/* AWS tells of a job at the front that can never start. Ours holds up nobody;
 * it is told all the same, since somebody has to mend it. */
static struct json_object *blocked(const struct qs_live *live,
				   struct json_object *line, const char *id,
				   struct json_object *arn)
{
	struct json_object *to = changed(live, line, id, arn, "RUNNABLE");
	const char *text = qs_live_never_text(text_of(line, "code"));

	put_text(to, "detail-type", "Batch Service Job Queue Blocked");
	put_text(get(to, "detail"), "statusReason",
		 text ? text : text_of(line, "text"));
	return to;
}

/* As Slurm's tools write it: of a task of an array 12_3, which only some lines
 * have. The caller frees. */
static struct json_object *id_of(struct qs_live_events *events,
				 struct json_object *line, const char *job)
{
	struct json_object *id = get(line, "id");

	if (!events->ids)
		events->ids = json_object_new_object();
	if (json_object_is_type(id, json_type_string))
		json_object_object_add(events->ids, job, json_object_get(id));
	id = get(events->ids, job);
	return id ? json_object_get(id) : json_object_new_string(job);
}

/* The last line of a job: nothing of it is needed any more. */
static void forget(struct qs_live_events *events, struct json_object *line,
		   const char *job)
{
	if (json_object_get_boolean(get(line, "requeued")))
		return;
	json_object_object_del(events->ids, job);
	if (events->seen)
		json_object_object_del(events->seen, job);
}

struct json_object *qs_live_event(const struct qs_live *live,
				  struct qs_live_events *events,
				  struct json_object *line)
{
	const char *event = text_of(line, "event"), *id;
	struct json_object *arn, *own, *to = NULL;
	char job[24];

	errno = 0;
	if (!json_object_is_type(get(line, "job"), json_type_int))
		return NULL;
	snprintf(job, sizeof(job), "%" PRId64, number(line, "job"));
	own = id_of(events, line, job);
	id = json_object_get_string(own);
	arn = qs_live_job_arn(live, id);
	if (!strcmp(event, "preemption_started"))
		to = started(live, line, arn);
	else if (!strcmp(event, "preemption_completed"))
		to = completed(live, events, line, job, arn);
	else if (!strcmp(event, "queued"))
		to = changed(live, line, id, arn,
			     json_object_get_boolean(get(line, "held")) ?
				     "PENDING" :
				     "RUNNABLE");
	else if (!strcmp(event, "grant")) /* it may start */
		to = changed(live, line, id, arn, "SCHEDULED");
	else if (!strcmp(event, "start"))
		to = changed(live, line, id, arn, "RUNNING");
	else if (!strcmp(event, "blocked"))
		to = blocked(live, line, id, arn);
	else if (!strcmp(event, "withdrawn"))
		to = withdrawn(live, line, id, arn);
	else if (!strcmp(event, "end"))
		to = ended(live, events, line, id, job, arn);
	if (!strcmp(event, "withdrawn") || !strcmp(event, "end"))
		forget(events, line, job);
	json_object_put(arn);
	json_object_put(own);
	return to;
}

void qs_live_events_clear(struct qs_live_events *events)
{
	json_object_put(events->seen);
	json_object_put(events->ids);
	events->seen = events->ids = NULL;
}
