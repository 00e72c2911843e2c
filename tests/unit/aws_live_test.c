/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_live_test.c - jobs, queues and events in AWS's shapes
 *
 * The runtime's answers and log lines are canned, written here after the
 * runtime's. AWS's own texts stand in full: a script compares them.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "aws/live.h"
#include "aws_help.h"
#include "folder.h"
#include "suite.h"
#include "engine/submit.h"

#define CROSS "Cross-share preemption triggered to reclaim borrowed capacity"

static struct qs_policy *policy;
static struct qs_live live;

static void set_up(void)
{
	policy = policy_of("GpuType=h100 Instance=ml.p5.48xlarge\n"
			   "GpuType=t9\n"
			   "Queue=train\n"
			   "Share=A Strategy=LEND_AND_BORROW "
			   "InSharePreemption=YES Capacity=h100:16,t9:2\n");
	live = (struct qs_live){ .policy = policy, .table = instance_table() };
}

static void tear_down(void)
{
	qs_policy_free(policy);
}

static struct json_object *parse(const char *text)
{
	struct json_object *json = text ? json_tokener_parse(text) : NULL;

	ck_assert_msg(!text || json, "%s", text);
	return json;
}

static const char *at(struct json_object *json, const char *path)
{
	struct json_object *value = NULL;

	if (json_pointer_get(json, path, &value))
		return "(absent)";
	return json_object_to_json_string_ext(
		value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void is(struct json_object *json, const char *path, const char *value)
{
	ck_assert_msg(!strcmp(at(json, path), value), "%s is %s, not %s", path,
		      at(json, path), value);
}

static struct json_object *describe(const char *job, const char *explain,
				    const char *facts)
{
	struct json_object *j = parse(job), *e = parse(explain);
	struct json_object *f = parse(facts);
	struct json_object *to = qs_live_job(&live, j, e, f);

	json_object_put(j);
	json_object_put(e);
	json_object_put(f);
	return to;
}

static const char running[] =
	"{\"job\":12,\"id\":\"12\",\"share\":\"A\",\"queue\":\"train\","
	"\"state\":\"RUNNING\",\"priority\":5,\"preempted\":2,"
	"\"gpus\":{\"h100\":16,\"t9\":1},\"since\":1000,"
	"\"own\":{\"h100\":16},\"borrowed\":{\"t9\":1},\"stops_for\":null}";

static const char history[] =
	"{\"job\":12,\"retries\":null,\"preempted\":2,\"history\":["
	"{\"time\":900,\"run\":100,\"text\":\"" CROSS
	": for JobId=9 of share B (QUOTA), held 4 GPUs\"},"
	"{\"time\":500,\"run\":50,\"text\":\"In-share preemption triggered by "
	"a job of higher priority: for JobId=8 of share A\"}]}";

START_TEST(a_running_job)
{
	struct json_object *to = describe(
		running, history,
		"{\"id\":\"12\",\"name\":\"llama\",\"state\":\"RUNNING\","
		"\"submit\":400,\"start\":1001,\"time_limit\":3600}");

	is(to, "/jobId", "\"12\"");
	is(to, "/jobArn",
	   "\"arn:aws:batch:slurm:000000000000:service-job/12\"");
	is(to, "/jobName", "\"llama\"");
	is(to, "/jobQueue",
	   "\"arn:aws:batch:slurm:000000000000:job-queue/train\"");
	is(to, "/quotaShareName", "\"A\"");
	is(to, "/schedulingPriority", "5");
	is(to, "/serviceJobType", "\"SAGEMAKER_TRAINING\"");
	is(to, "/status", "\"RUNNING\"");
	is(to, "/statusReason", "(absent)");
	is(to, "/createdAt", "400000");
	is(to, "/startedAt", "1001000");
	is(to, "/stoppedAt", "(absent)");
	is(to, "/isTerminated", "false");
	is(to, "/timeoutConfig/attemptDurationSeconds", "3600");
	/* in instances; a type without one in GPUs of its own name */
	is(to, "/capacityUsage",
	   "[{\"capacityUnit\":\"ml.p5.48xlarge\",\"quantity\":2},"
	   "{\"capacityUnit\":\"t9\",\"quantity\":1}]");
	/* newest first */
	is(to, "/preemptionSummary/preemptedAttemptCount", "2");
	is(to, "/preemptionSummary/recentPreemptedAttempts/0/stoppedAt",
	   "900000");
	is(to, "/preemptionSummary/recentPreemptedAttempts/0/startedAt",
	   "800000");
	is(to, "/preemptionSummary/recentPreemptedAttempts/0/statusReason",
	   "\"" CROSS "\"");
	is(to, "/preemptionSummary/recentPreemptedAttempts/1/statusReason",
	   "\"In-share preemption triggered by a job of higher priority\"");
	is(to, "/attempts/0/stoppedAt", "500000");
	is(to, "/latestAttempt/serviceResourceId/name", "\"TrainingJobArn\"");
	json_object_put(to);
}
END_TEST

/* Law 11. */
START_TEST(retries_unset_and_zero_differ)
{
	struct json_object *to = describe(running, "{\"retries\":null}", NULL);

	is(to, "/preemptionConfiguration", "(absent)");
	json_object_put(to);
	to = describe(running, "{\"retries\":0}", NULL);
	is(to, "/preemptionConfiguration/preemptionRetriesBeforeTermination",
	   "0");
	json_object_put(to);
	to = describe(running, NULL, NULL);
	is(to, "/preemptionConfiguration", "(absent)");
	json_object_put(to);
}
END_TEST

START_TEST(a_part_of_an_instance)
{
	struct json_object *to =
		describe("{\"id\":\"1\",\"queue\":\"train\",\"share\":\"A\","
			 "\"state\":\"RUNNING\",\"gpus\":{\"h100\":12}}",
			 NULL, NULL);
	struct json_object *quantity = NULL;

	json_pointer_get(to, "/capacityUsage/0/quantity", &quantity);
	ck_assert_double_eq(json_object_get_double(quantity), 1.5);
	json_object_put(to);
}
END_TEST

static const struct {
	const char *job, *facts, *status;
} states[] = {
	{ "PENDING", NULL, "RUNNABLE" },
	{ "PENDING", "{\"state\":\"PENDING\",\"held\":true}", "PENDING" },
	{ "PENDING", "{\"state\":\"PENDING\",\"held\":false}", "RUNNABLE" },
	{ "PENDING", "{\"state\":\"RUNNING\"}", "RUNNING" },
	{ "RUNNING", "{\"state\":\"CONFIGURING\"}", "STARTING" },
	{ "RUNNING", NULL, "RUNNING" },
	{ "SUSPENDED", NULL, "RUNNING" },
	{ "COMPLETING", NULL, "RUNNING" },
	{ "COMPLETING", "{\"state\":\"COMPLETED\"}", "SUCCEEDED" },
	{ "COMPLETING", "{\"state\":\"PENDING\"}", "RUNNABLE" },
	{ NULL, "{\"state\":\"COMPLETED\"}", "SUCCEEDED" },
	{ NULL, "{\"state\":\"FAILED\"}", "FAILED" },
	{ NULL, "{\"state\":\"CANCELLED\"}", "FAILED" },
	{ NULL, "{\"state\":\"PREEMPTED\"}", "FAILED" },
};

START_TEST(slurm_states_are_statuses_of_aws)
{
	char job[200], status[32];
	struct json_object *to;

	snprintf(job, sizeof(job),
		 "{\"id\":\"1\",\"queue\":\"train\",\"state\":\"%s\"}",
		 states[_i].job ? states[_i].job : "");
	snprintf(status, sizeof(status), "\"%s\"", states[_i].status);
	to = describe(states[_i].job ? job : NULL, NULL, states[_i].facts);
	is(to, "/status", status);
	json_object_put(to);
}
END_TEST

START_TEST(a_job_that_is_being_preempted)
{
	struct json_object *to = describe(
		"{\"id\":\"1\",\"queue\":\"train\",\"state\":\"RUNNING\","
		"\"stops_for\":9}",
		"{\"text\":\"" CROSS ": for JobId=9 of share B\"}", NULL);

	is(to, "/statusReason", "\"PREEMPTION_IN_PROGRESS: " CROSS "\"");
	json_object_put(to);
	to = describe("{\"id\":\"1\",\"queue\":\"train\",\"state\":\"RUNNING\","
		      "\"stops_for\":null}",
		      NULL, NULL);
	is(to, "/statusReason", "(absent)");
	json_object_put(to);
}
END_TEST

#define LIMIT "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - "

static const struct {
	const char *code;
	enum qs_code engine;
	const char *text;
} never[] = {
	{ "OVER_QUEUE", QS_CODE_OVER_QUEUE,
	  "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE - Service "
	  "environment(s) associated with the job queue cannot meet the "
	  "capacity requirement of the job." },
	{ "OVER_LIMIT", QS_CODE_OVER_LIMIT,
	  LIMIT "Job requirements exceed quota share capacity limits." },
	{ "OVER_BORROW_LIMIT", QS_CODE_OVER_BORROW_LIMIT,
	  LIMIT
	  "Job requirements exceed quota share capacity limits and borrow "
	  "limits." },
	{ "OVER_LENDABLE", QS_CODE_OVER_LENDABLE,
	  LIMIT "Job requires borrowing that exceeds all configured borrowable "
		"capacity." },
};

/* The engine's sentence begins with the same text. */
START_TEST(what_never_fits_has_aws_text)
{
	const struct qs_ask ask = { 0, 99 };
	char job[200], text[400], sentence[QS_TEXT_MAX];
	struct json_object *to;

	snprintf(job, sizeof(job),
		 "{\"id\":\"1\",\"queue\":\"train\",\"state\":\"PENDING\","
		 "\"code\":\"%s\",\"reason\":\"QuotaShare: something\"}",
		 never[_i].code);
	to = describe(job, NULL, NULL);
	snprintf(text, sizeof(text), "\"%s\"", never[_i].text);
	is(to, "/statusReason", text);
	json_object_put(to);
	qs_submit_never_text(policy, 0, never[_i].engine, "h100", &ask,
			     sentence, sizeof(sentence));
	ck_assert_msg(
		!strncmp(sentence, never[_i].text, strlen(never[_i].text)),
		"%s", sentence);
}
END_TEST

START_TEST(jobs_that_wait_and_that_ended)
{
	struct json_object *to = describe(
		"{\"id\":\"7_3\",\"share\":\"A\",\"queue\":\"train\","
		"\"state\":\"PENDING\",\"since\":77,\"reason\":\"QuotaShare: "
		"needs 4\",\"code\":\"LIMIT\",\"gpus\":{\"h100\":4}}",
		NULL, NULL);

	is(to, "/jobId", "\"7_3\"");
	is(to, "/statusReason", "\"QuotaShare: needs 4\"");
	is(to, "/createdAt", "77000");
	is(to, "/startedAt", "0");
	is(to, "/capacityUsage", "(absent)");
	is(to, "/preemptionSummary", "(absent)");
	is(to, "/latestAttempt", "(absent)");
	json_object_put(to);
	to = describe(NULL, NULL,
		      "{\"id\":\"3\",\"name\":\"x\",\"state\":\"CANCELLED\","
		      "\"submit\":1,\"start\":2,\"end\":9,\"queue\":\"train\","
		      "\"reason\":\"Ended by signal 15\"}");
	is(to, "/status", "\"FAILED\"");
	is(to, "/isTerminated", "true");
	is(to, "/stoppedAt", "9000");
	is(to, "/attempts/0/startedAt", "2000");
	is(to, "/statusReason", "\"Ended by signal 15\"");
	json_object_put(to);
}
END_TEST

/* The places are the runtime's; job 4 is held and has none. */
static const char jobs[] =
	"{\"now\":5000,\"jobs\":["
	"{\"job\":1,\"id\":\"1\",\"share\":\"A\",\"queue\":\"train\","
	"\"state\":\"PENDING\",\"since\":10,\"place\":3,\"place_since\":30,"
	"\"first_since\":null},"
	"{\"job\":2,\"id\":\"2\",\"share\":\"A\",\"queue\":\"train\","
	"\"state\":\"PENDING\",\"since\":90,\"place\":2,\"place_since\":95,"
	"\"first_since\":91},"
	"{\"job\":3,\"id\":\"3\",\"share\":\"B\",\"queue\":\"train\","
	"\"state\":\"PENDING\",\"since\":99,\"place\":1,\"place_since\":100,"
	"\"first_since\":100},"
	"{\"job\":4,\"id\":\"4\",\"share\":\"B\",\"queue\":\"train\","
	"\"state\":\"PENDING\",\"since\":1,\"code\":\"HELD\","
	"\"place\":null,\"place_since\":null,\"first_since\":null},"
	"{\"job\":5,\"id\":\"5\",\"share\":\"B\",\"queue\":\"other\","
	"\"state\":\"PENDING\",\"since\":1,\"place\":1,\"place_since\":1,"
	"\"first_since\":1},"
	"{\"job\":6,\"id\":\"6\",\"share\":\"A\",\"queue\":\"train\","
	"\"state\":\"RUNNING\",\"since\":1},"
	/* behind the first hundred of its queue, yet the first of its share */
	"{\"job\":7,\"id\":\"7\",\"share\":\"C\",\"queue\":\"train\","
	"\"state\":\"PENDING\",\"since\":1,\"place\":null,"
	"\"place_since\":null,\"first_since\":70}]}";

static const char status[] =
	"{\"shares\":["
	"{\"share\":\"A\",\"queue\":\"train\",\"type\":\"h100\",\"used\":12},"
	"{\"share\":\"A\",\"queue\":\"train\",\"type\":\"t9\",\"used\":1},"
	"{\"share\":\"B\",\"queue\":\"train\",\"type\":\"h100\",\"used\":0},"
	"{\"share\":\"C\",\"queue\":\"train\",\"type\":\"h100\",\"used\":4},"
	"{\"share\":\"D\",\"queue\":\"train\",\"type\":\"h100\",\"used\":0},"
	"{\"share\":\"X\",\"queue\":\"other\",\"type\":\"h100\",\"used\":8}],"
	"\"totals\":["
	"{\"queue\":\"train\",\"type\":\"h100\",\"used\":16},"
	"{\"queue\":\"train\",\"type\":\"t9\",\"used\":1},"
	"{\"queue\":\"other\",\"type\":\"h100\",\"used\":8}]}";

START_TEST(a_queue_as_a_snapshot)
{
	struct json_object *j = parse(jobs), *s = parse(status);
	struct json_object *to = qs_live_snapshot(&live, "train", j, s);

#define JOB(id) "\"arn:aws:batch:slurm:000000000000:service-job/" id "\""
	is(to, "/frontOfQueue/jobs/0/jobArn", JOB("3"));
	is(to, "/frontOfQueue/jobs/1/jobArn", JOB("2"));
	is(to, "/frontOfQueue/jobs/2/jobArn", JOB("1"));
	is(to, "/frontOfQueue/jobs/3", "(absent)");
	is(to, "/frontOfQueue/jobs/0/earliestTimeAtPosition", "100000");
	is(to, "/frontOfQueue/jobs/1/earliestTimeAtPosition", "95000");
	is(to, "/frontOfQueue/lastUpdatedAt", "5000000");
	is(to, "/frontOfQuotaShares/quotaShares/A/0/jobArn", JOB("2"));
	is(to, "/frontOfQuotaShares/quotaShares/A/1", "(absent)");
	is(to, "/frontOfQuotaShares/quotaShares/B/0/jobArn", JOB("3"));
	is(to, "/frontOfQuotaShares/quotaShares/A/0/earliestTimeAtPosition",
	   "91000");
	is(to, "/frontOfQuotaShares/quotaShares/C/0/jobArn", JOB("7"));
	is(to, "/frontOfQuotaShares/quotaShares/D", "[]");
	is(to, "/frontOfQuotaShares/quotaShares/X", "(absent)");
	is(to, "/queueUtilization/totalCapacityUsage",
	   "[{\"capacityUnit\":\"ml.p5.48xlarge\",\"quantity\":2},"
	   "{\"capacityUnit\":\"t9\",\"quantity\":1}]");
	is(to,
	   "/queueUtilization/quotaShareUtilization/topCapacityUtilization/0",
	   "{\"quotaShareName\":\"A\",\"capacityUsage\":[{\"capacityUnit\":"
	   "\"ml.p5.48xlarge\",\"quantity\":1.5},{\"capacityUnit\":\"t9\","
	   "\"quantity\":1}]}");
	is(to,
	   "/queueUtilization/quotaShareUtilization/topCapacityUtilization/1/"
	   "capacityUsage",
	   "[]");
	json_object_put(to);
	json_object_put(j);
	json_object_put(s);
}
END_TEST

static struct json_object *event(struct qs_live_events *events,
				 const char *line)
{
	struct json_object *json = parse(line);
	struct json_object *to = qs_live_event(&live, events, json);

	json_object_put(json);
	return to;
}

#define LINE(event, job, more)                                             \
	"{\"time\":\"2026-11-29T20:00:10Z\",\"event\":\"" event            \
	"\",\"job\":" job ",\"for\":9,\"run\":10,\"outcome\":\"requeue\"," \
	"\"text\":\"" CROSS ": for JobId=9 of share B\"" more "}"

START_TEST(the_log_as_events)
{
	struct qs_live_events events = { 0 };
	struct json_object *to, *again;

	to = event(&events, LINE("preemption_started", "12", ""));
	is(to, "/detail-type", "\"Batch Service Job Preemption Started\"");
	is(to, "/source", "\"aws.batch\"");
	is(to, "/time", "\"2026-11-29T20:00:10Z\"");
	is(to, "/resources/0", JOB("12"));
	is(to, "/detail/preemptedJobArn", JOB("12"));
	is(to, "/detail/status", "\"RUNNING\"");
	is(to, "/detail/statusReason", "\"PREEMPTION_IN_PROGRESS: " CROSS "\"");
	/* the same line, the same id; a UUID in form */
	again = event(&events, LINE("preemption_started", "12", ""));
	is(to, "/id", at(again, "/id"));
	ck_assert_uint_eq(strlen(at(to, "/id")), 38);
	json_object_put(again);
	again = event(&events, LINE("preemption_started", "13", ""));
	ck_assert_str_ne(at(to, "/id"), at(again, "/id"));
	json_object_put(again);
	json_object_put(to);

	to = event(&events, LINE("preemption_completed", "12", ""));
	is(to, "/detail-type", "\"Batch Service Job Preemption Completed\"");
	is(to, "/detail/status", "\"RUNNABLE\"");
	is(to, "/detail/preemptionSummary/preemptedAttemptCount", "1");
	is(to,
	   "/detail/preemptionSummary/recentPreemptedAttempts/0/statusReason",
	   "\"" CROSS "\"");
	/* 2026-11-29T20:00:10Z */
	is(to, "/detail/preemptionSummary/recentPreemptedAttempts/0/stoppedAt",
	   "1795982410000");
	is(to, "/detail/preemptionSummary/recentPreemptedAttempts/0/startedAt",
	   "1795982400000");
	json_object_put(to);

	to = event(&events, LINE("grant", "12", ""));
	is(to, "/detail-type", "\"Batch Service Job State Change\"");
	is(to, "/detail/status", "\"SCHEDULED\"");
	is(to, "/detail/capacityUsage", "(absent)");
	json_object_put(to);
	to = event(&events, LINE("start", "12",
				 ",\"share\":\"A\",\"queue\":\"train\","
				 "\"own\":{\"h100\":8},"
				 "\"borrowed\":{\"h100\":4,\"t9\":1}"));
	is(to, "/detail/status", "\"RUNNING\"");
	is(to, "/detail/quotaShareName", "\"A\"");
	is(to, "/detail/jobQueue",
	   "\"arn:aws:batch:slurm:000000000000:job-queue/train\"");
	is(to, "/detail/capacityUsage",
	   "[{\"capacityUnit\":\"ml.p5.48xlarge\",\"quantity\":1.5},"
	   "{\"capacityUnit\":\"t9\",\"quantity\":1}]");
	json_object_put(to);
	qs_live_events_clear(&events);
}
END_TEST

/* Law 14: however often a job is preempted. */
#define END(job, more)                                                      \
	"{\"time\":\"2026-11-29T20:00:10Z\",\"event\":\"end\",\"job\":" job \
	",\"share\":\"A\",\"queue\":\"train\",\"start\":1000,\"run\":50,"   \
	"\"own\":{\"h100\":8},\"borrowed\":{}," more "}"

static const struct {
	const char *line, *status, *reason, *terminated;
} ends[] = {
	{ END("1", "\"requeued\":false,\"state\":\"COMPLETED\","
		   "\"exit_code\":0,\"signal\":0"),
	  "\"SUCCEEDED\"", "\"Ended with exit code 0\"", "false" },
	{ END("1", "\"requeued\":false,\"state\":\"FAILED\","
		   "\"exit_code\":7,\"signal\":0"),
	  "\"FAILED\"", "\"Ended with exit code 7\"", "false" },
	{ END("1", "\"requeued\":false,\"state\":\"CANCELLED\","
		   "\"exit_code\":0,\"signal\":15"),
	  "\"FAILED\"", "\"Ended by signal 15\"", "true" },
	{ END("1", "\"requeued\":true,\"state\":\"NODE_FAIL\","
		   "\"exit_code\":0,\"signal\":0"),
	  "\"RUNNABLE\"", "\"Ended with exit code 0\"", "false" },
	/* of job 2 the log tells a preemption before */
	{ END("2", "\"requeued\":true,\"state\":\"PREEMPTED\","
		   "\"exit_code\":0,\"signal\":0"),
	  "\"RUNNABLE\"", "\"" CROSS "\"", "false" },
	{ END("2", "\"requeued\":false,\"state\":\"PREEMPTED\","
		   "\"exit_code\":0,\"signal\":0"),
	  "\"FAILED\"", "\"" CROSS "\"", "true" },
};

START_TEST(an_end_is_a_state_change)
{
	struct qs_live_events events = { 0 };
	struct json_object *to =
		event(&events, LINE("preemption_completed", "2", ""));

	json_object_put(to);
	to = event(&events, ends[_i].line);
	is(to, "/detail-type", "\"Batch Service Job State Change\"");
	is(to, "/detail/status", ends[_i].status);
	is(to, "/detail/statusReason", ends[_i].reason);
	is(to, "/detail/isTerminated", ends[_i].terminated);
	is(to, "/detail/startedAt", "1000000");
	is(to, "/detail/stoppedAt", "1050000");
	json_object_put(to);
	qs_live_events_clear(&events);
}
END_TEST

#define WAITS(event, more)                                                     \
	"{\"time\":\"2026-11-29T20:00:10Z\",\"event\":\"" event                \
	"\",\"job\":5,\"id\":\"4_1\",\"share\":\"A\",\"queue\":\"train\"" more \
	"}"

START_TEST(waiting_jobs_as_events)
{
	struct qs_live_events events = { 0 };
	struct json_object *to = event(&events, WAITS("queued", ""));

	is(to, "/detail/status", "\"RUNNABLE\"");
	is(to, "/detail/jobId", "\"4_1\"");
	json_object_put(to);
	to = event(&events, WAITS("queued", ",\"held\":true"));
	is(to, "/detail/status", "\"PENDING\"");
	json_object_put(to);
	/* lines of a preemption have no id of an array's task */
	to = event(&events, LINE("preemption_started", "5", ""));
	is(to, "/detail/preemptedJobArn", JOB("4_1"));
	json_object_put(to);
	to = event(&events, WAITS("blocked", ",\"code\":\"OVER_LIMIT\","
					     "\"text\":\"ours\""));
	is(to, "/detail-type", "\"Batch Service Job Queue Blocked\"");
	is(to, "/detail/status", "\"RUNNABLE\"");
	is(to, "/detail/statusReason",
	   "\"" LIMIT "Job requirements exceed quota share capacity limits.\"");
	json_object_put(to);
	to = event(&events, WAITS("blocked", ",\"code\":\"UNKNOWN_TYPE\","
					     "\"text\":\"ours\""));
	is(to, "/detail/statusReason", "\"ours\"");
	json_object_put(to);
	to = event(&events, WAITS("withdrawn", ",\"state\":\"CANCELLED\""));
	is(to, "/detail/status", "\"FAILED\"");
	is(to, "/detail/isTerminated", "true");
	json_object_put(to);
	qs_live_events_clear(&events);
}
END_TEST

START_TEST(attempts_stay_bounded)
{
	struct qs_live_events events = { 0 };
	struct json_object *to = NULL;

	for (int i = 0; i < 50; i++) {
		char line[400];

		json_object_put(to);
		snprintf(line, sizeof(line),
			 "{\"time\":\"2026-11-29T20:00:%02dZ\",\"event\":"
			 "\"preemption_completed\",\"job\":1,\"run\":0,"
			 "\"outcome\":\"terminate\"}",
			 i);
		to = event(&events, line);
	}
	is(to, "/detail/status", "\"FAILED\"");
	is(to, "/detail/preemptionSummary/preemptedAttemptCount", "50");
	is(to, "/detail/preemptionSummary/recentPreemptedAttempts/9/stoppedAt",
	   "1795982440000");
	is(to, "/detail/preemptionSummary/recentPreemptedAttempts/10",
	   "(absent)");
	json_object_put(to);
	qs_live_events_clear(&events);
}
END_TEST

START_TEST(other_lines_are_no_events)
{
	static const char *const lines[] = {
		"{}",
		"{\"event\":\"preemption_started\"}",
		"{\"event\":\"preemption_started\",\"job\":\"12\"}",
		"{\"event\":\"claim\",\"job\":12}",
		"{\"event\":\"end\",\"job\":12,\"run\":3}",
		"{\"event\":7,\"job\":12}",
		"[1,2]",
		"\"x\"",
	};
	struct qs_live_events events = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		ck_assert_ptr_null(event(&events, lines[i]));
	qs_live_events_clear(&events);
}
END_TEST

static const char waiting[] =
	"{\"job\":13,\"id\":\"13\",\"share\":\"A\",\"queue\":\"train\","
	"\"state\":\"PENDING\",\"priority\":0,\"preempted\":0,"
	"\"gpus\":{\"h100\":24},\"since\":1000,\"code\":\"OVER_LIMIT\"}";

static const char ended[] =
	"{\"id\":\"14\",\"name\":\"eval\",\"state\":\"COMPLETED\","
	"\"submit\":100,\"start\":200,\"end\":300,\"queue\":\"train\","
	"\"reason\":\"Ended with exit code 0\"}";

/* The files are what AWS's SDK for JavaScript compiles as its own types in
 * tests/aws/run: so what they are compared with here has those types. With
 * QS_WRITE set they are written. */
static void same_as_file(struct json_object *json, const char *name)
{
	char path[300], *text;
	const char *now = json_object_to_json_string_ext(
		json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			      JSON_C_TO_STRING_NOSLASHESCAPE);

	snprintf(path, sizeof(path), QS_SRCDIR "/tests/aws/live/%s.json", name);
	if (getenv("QS_WRITE")) {
		FILE *file = fopen(path, "w");

		ck_assert_ptr_nonnull(file);
		fprintf(file, "%s\n", now);
		fclose(file);
	}
	text = read_file(path);
	text[strlen(text) - 1] = '\0';
	ck_assert_str_eq(now, text);
	free(text);
	json_object_put(json);
}

START_TEST(shapes_are_those_that_the_sdk_compiles)
{
	struct json_object *j = parse(jobs), *s = parse(status);

	same_as_file(describe(running, history,
			      "{\"name\":\"llama\",\"submit\":400,"
			      "\"time_limit\":3600}"),
		     "describe-jobs-running");
	same_as_file(describe(waiting, "{\"retries\":0}", NULL),
		     "describe-jobs-waiting");
	same_as_file(describe(NULL, NULL, ended), "describe-jobs-ended");
	same_as_file(qs_live_snapshot(&live, "train", j, s), "snapshot-train");
	json_object_put(j);
	json_object_put(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aws live");
	TCase *core = tcase_create("core");

	tcase_add_checked_fixture(core, set_up, tear_down);
	tcase_add_test(core, a_running_job);
	tcase_add_test(core, retries_unset_and_zero_differ);
	tcase_add_test(core, a_part_of_an_instance);
	tcase_add_loop_test(core, slurm_states_are_statuses_of_aws, 0,
			    ARRAY_LEN(states));
	tcase_add_test(core, a_job_that_is_being_preempted);
	tcase_add_loop_test(core, what_never_fits_has_aws_text, 0,
			    ARRAY_LEN(never));
	tcase_add_test(core, jobs_that_wait_and_that_ended);
	tcase_add_test(core, a_queue_as_a_snapshot);
	tcase_add_test(core, shapes_are_those_that_the_sdk_compiles);
	tcase_add_test(core, the_log_as_events);
	tcase_add_loop_test(core, an_end_is_a_state_change, 0, ARRAY_LEN(ends));
	tcase_add_test(core, waiting_jobs_as_events);
	tcase_add_test(core, attempts_stay_bounded);
	tcase_add_test(core, other_lines_are_no_events);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
