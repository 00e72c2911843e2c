/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_snapshot.c - a queue as GetJobQueueSnapshot tells of it
 *
 * Called by qshare snapshot. Never blocks. The order is the runtime's, which is
 * that in which its planner served the jobs (R6c). The surprise: since when a
 * job is at its place, the runtime counts from slurmctld's start on.
 */
#include "aws/live.h"

#include <stdlib.h>
#include <string.h>

static struct json_object *get(struct json_object *from, const char *key)
{
	struct json_object *value = NULL;

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
	struct json_object *value = get(from, key);

	return json_object_is_type(value, json_type_int) ?
		       json_object_get_int64(value) :
		       0;
}

static size_t length(struct json_object *list)
{
	return json_object_is_type(list, json_type_array) ?
		       json_object_array_length(list) :
		       0;
}

static bool is(struct json_object *from, const char *key, const char *text)
{
	return !strcmp(text_of(from, key), text);
}

static int by_place(const void *left, const void *right)
{
	struct json_object *const *a = left, *const *b = right;
	int64_t x = number(*a, "place"), y = number(*b, "place");

	return x < y ? -1 : x > y;
}

/* The jobs of the queue that have a place, or are the first of their share;
 * the caller frees. NULL: no memory. */
static struct json_object **gather(struct json_object *list, const char *queue,
				   size_t *n)
{
	struct json_object **all = calloc(length(list) + 1, sizeof(*all));

	*n = 0;
	for (size_t i = 0; all && i < length(list); i++) {
		struct json_object *job = json_object_array_get_idx(list, i);

		if (is(job, "queue", queue) && is(job, "state", "PENDING") &&
		    (number(job, "place") || number(job, "first_since")))
			all[(*n)++] = job;
	}
	if (all)
		qsort(all, *n, sizeof(struct json_object *), by_place);
	return all;
}

static struct json_object *front(const struct qs_live *live,
				 struct json_object *job, const char *since)
{
	struct json_object *to = json_object_new_object();

	json_object_object_add(to, "jobArn",
			       qs_live_job_arn(live, text_of(job, "id")));
	qs_live_put_time(to, "earliestTimeAtPosition", number(job, since));
	return to;
}

static void put_front(struct json_object *to, const struct qs_live *live,
		      struct json_object *const *all, size_t n, int64_t now)
{
	struct json_object *out = json_object_new_object();
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		if (number(all[i], "place") &&
		    json_object_array_length(list) < QS_LIVE_FRONT_MAX)
			json_object_array_add(
				list, front(live, all[i], "place_since"));
	json_object_object_add(out, "jobs", list);
	qs_live_put_time(out, "lastUpdatedAt", now);
	json_object_object_add(to, "frontOfQueue", out);
}

/* Every share of the queue, also those in which nobody waits. */
static void put_shares(struct json_object *to, const struct qs_live *live,
		       struct json_object *const *all, size_t n,
		       const char *queue, struct json_object *rows, int64_t now)
{
	struct json_object *out = json_object_new_object();
	struct json_object *shares = json_object_new_object();

	for (size_t i = 0; i < length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (is(row, "queue", queue) &&
		    !json_object_object_get_ex(shares, text_of(row, "share"),
					       NULL))
			json_object_object_add(shares, text_of(row, "share"),
					       json_object_new_array());
	}
	for (size_t i = 0; i < n; i++) {
		struct json_object *list =
			get(shares, text_of(all[i], "share"));

		if (number(all[i], "first_since") && list)
			json_object_array_add(
				list, front(live, all[i], "first_since"));
	}
	json_object_object_add(out, "quotaShares", shares);
	qs_live_put_time(out, "lastUpdatedAt", now);
	json_object_object_add(to, "frontOfQuotaShares", out);
}

/* A share's use as a list, in the object of its name. */
static struct json_object *share_usage(struct json_object *list,
				       const char *share)
{
	struct json_object *one, *usage;

	for (size_t i = 0; i < length(list); i++) {
		one = json_object_array_get_idx(list, i);
		if (is(one, "quotaShareName", share))
			return get(one, "capacityUsage");
	}
	one = json_object_new_object();
	usage = json_object_new_array();
	json_object_object_add(one, "quotaShareName",
			       json_object_new_string(share));
	json_object_object_add(one, "capacityUsage", usage);
	json_object_array_add(list, one);
	return usage;
}

static void put_usage(const struct qs_live *live, struct json_object *list,
		      struct json_object *row)
{
	if (number(row, "used"))
		qs_live_usage_add(live, list, text_of(row, "type"),
				  number(row, "used"));
}

static void put_utilization(struct json_object *to, const struct qs_live *live,
			    const char *queue, struct json_object *status,
			    int64_t now)
{
	struct json_object *out = json_object_new_object();
	struct json_object *total = json_object_new_array();
	struct json_object *top = json_object_new_array();
	struct json_object *quota = json_object_new_object();
	struct json_object *rows = get(status, "totals");

	for (size_t i = 0; i < length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (is(row, "queue", queue))
			put_usage(live, total, row);
	}
	rows = get(status, "shares");
	for (size_t i = 0; i < length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (is(row, "queue", queue))
			put_usage(live, share_usage(top, text_of(row, "share")),
				  row);
	}
	json_object_object_add(out, "totalCapacityUsage", total);
	json_object_object_add(quota, "topCapacityUtilization", top);
	json_object_object_add(out, "quotaShareUtilization", quota);
	qs_live_put_time(out, "lastUpdatedAt", now);
	json_object_object_add(to, "queueUtilization", out);
}

struct json_object *qs_live_snapshot(const struct qs_live *live,
				     const char *queue,
				     struct json_object *jobs,
				     struct json_object *status)
{
	struct json_object *to = json_object_new_object();
	int64_t now = number(jobs, "now");
	struct json_object **all;
	size_t n;

	all = gather(get(jobs, "jobs"), queue, &n);
	if (!all) {
		json_object_put(to);
		return NULL;
	}
	put_front(to, live, all, n, now);
	put_shares(to, live, all, n, queue, get(status, "shares"), now);
	put_utilization(to, live, queue, status, now);
	free(all);
	return to;
}
