/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_metrics.c - the answer to "metrics": what only counts go up
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks; the
 * counting functions under qs_rt.lock too. Blocks on nothing. Its surprise:
 * all begins at 0 with each slurmctld, as counters of that kind do.
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/answer.h"

/* Upper ends of the buckets, seconds. */
static const int64_t ends[] = { 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800 };
#define ENDS (sizeof(ends) / sizeof(ends[0]))

static struct {
	uint64_t counts[ENDS + 1]; /* not cumulative; the last: above all */
	uint64_t count;
	int64_t sum;
} reclaim;

/* By how and code; there are few of each. */
#define HOWS  8
#define CODES 32
static uint64_t preempted[HOWS][CODES];

void qs_metrics_reclaimed(int64_t seconds)
{
	size_t i = 0;

	while (i < ENDS && seconds > ends[i])
		i++;
	reclaim.counts[i]++;
	reclaim.count++;
	reclaim.sum += seconds;
}

void qs_metrics_preempted(uint8_t how, uint8_t code)
{
	if (how < HOWS && code < CODES)
		preempted[how][code]++;
}

static void put_reclaim(struct json_object *to)
{
	struct json_object *out = json_object_new_object(), *list;
	uint64_t sum = 0;

	qs_answer_number(out, "count", (int64_t)reclaim.count);
	qs_answer_number(out, "sum", reclaim.sum);
	list = qs_answer_list(out, "buckets");
	for (size_t i = 0; i < ENDS; i++) {
		struct json_object *bucket = json_object_new_object();

		sum += reclaim.counts[i];
		qs_answer_number(bucket, "le", ends[i]);
		qs_answer_number(bucket, "count", (int64_t)sum);
		json_object_array_add(list, bucket);
	}
	json_object_object_add(to, "reclaim", out);
}

/* Those that can be are there with 0, so that a rate has a beginning. */
static bool may_be(int how, int code)
{
	return (how == QS_HOW_RECLAIM &&
		(code == QS_CODE_QUOTA || code == QS_CODE_PLACEMENT)) ||
	       (how == QS_HOW_IN_SHARE && code == QS_CODE_PRIORITY);
}

static void put_preempted(struct json_object *to)
{
	struct json_object *list = qs_answer_list(to, "preemptions");

	for (int how = 0; how < HOWS; how++) {
		for (int code = 0; code < CODES; code++) {
			struct json_object *out;

			if (!preempted[how][code] && !may_be(how, code))
				continue;
			out = json_object_new_object();
			qs_answer_text(out, "how",
				       qs_how_name((enum qs_how)how));
			qs_answer_text(out, "code",
				       qs_code_name((enum qs_code)code));
			qs_answer_number(out, "count",
					 (int64_t)preempted[how][code]);
			json_object_array_add(list, out);
		}
	}
}

static void put_jobs(struct json_object *to, const struct qs_view *view)
{
	struct json_object *list = qs_answer_list(to, "jobs");
	const struct qs_policy *policy = view->policy;
	size_t n = (size_t)policy->nshares + 1;
	int64_t *running = calloc(n, sizeof(*running));
	int64_t *waiting = calloc(n, sizeof(*waiting));

	for (uint32_t i = 0; running && waiting && i < view->snap->njobs; i++) {
		const struct qs_job *job = &view->snap->jobs[i];

		if (job->share < 0)
			continue;
		if (job->state == QS_JOB_PENDING)
			waiting[job->share] += job->copies;
		else
			running[job->share]++;
	}
	for (int s = 0; running && waiting && s < policy->nshares; s++) {
		const struct qs_share *share = &policy->shares[s];
		struct json_object *out = json_object_new_object();

		qs_answer_text(out, "share", share->name);
		qs_answer_text(out, "queue", policy->queues[share->queue].name);
		qs_answer_number(out, "running", running[s]);
		qs_answer_number(out, "waiting", waiting[s]);
		json_object_array_add(list, out);
	}
	free(running);
	free(waiting);
}

char *qs_metrics_json(void)
{
	struct json_object *answer = json_object_new_object();

	qs_answer_text(answer, "version", QS_VERSION);
	if (!qs_rt.view) {
		qs_answer_early(answer);
		return qs_answer_print(answer);
	}
	qs_answer_number(answer, "plans", (int64_t)qs_rt.count.plans);
	qs_answer_number(answer, "plan_us", (int64_t)qs_rt.count.plan_us);
	put_reclaim(answer);
	put_preempted(answer);
	put_jobs(answer, qs_rt.view);
	return qs_answer_print(answer);
}
