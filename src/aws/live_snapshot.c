/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_snapshot.c - a queue as GetJobQueueSnapshot tells of it
 *
 * Called by qshare snapshot. Never blocks. The surprise: the front of the queue
 * is by R6a and R6c as far as the runtime's answer tells: those who may start
 * as own first, then by eligible time; inside a share by priority first.
 */
#include "aws/live.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
	struct json_object *job;
	const char *share;
	bool entitled;
	int64_t priority, since, id;
	bool first; /* of its share */
};

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

/* R6a inside a share. */
static bool before_in_share(const struct waiting *a, const struct waiting *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->since != b->since)
		return a->since < b->since;
	return a->id < b->id;
}

/* R6c: firsts of their shares, entitled ones before the others. */
static int compare(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	if (!strcmp(a->share, b->share))
		return before_in_share(a, b) ? -1 : 1;
	if (a->entitled != b->entitled)
		return a->entitled ? -1 : 1;
	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	return a->id < b->id ? -1 : 1;
}

/* RUNNABLE jobs of the queue; the caller frees. NULL: no memory. */
static struct waiting *gather(struct json_object *list, const char *queue,
			      size_t *n)
{
	struct waiting *all = calloc(length(list) + 1, sizeof(*all));

	*n = 0;
	for (size_t i = 0; all && i < length(list); i++) {
		struct json_object *job = json_object_array_get_idx(list, i);

		/* held or dependent: PENDING in AWS */
		if (!is(job, "queue", queue) || !is(job, "state", "PENDING") ||
		    is(job, "code", "HELD"))
			continue;
		all[(*n)++] = (struct waiting){
			.job = job,
			.share = text_of(job, "share"),
			.entitled = is(job, "how", "OWN") ||
				    is(job, "how", "RECLAIM"),
			.priority = number(job, "priority"),
			.since = number(job, "since"),
			.id = number(job, "job"),
		};
	}
	return all;
}

/* Marks the first of each share. */
static void mark(struct waiting *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		all[i].first = true;
		for (size_t o = 0; o < n && all[i].first; o++)
			all[i].first = o == i ||
				       strcmp(all[i].share, all[o].share) ||
				       before_in_share(&all[i], &all[o]);
	}
}

static struct json_object *front(const struct qs_live *live,
				 const struct waiting *one)
{
	struct json_object *to = json_object_new_object();

	json_object_object_add(to, "jobArn",
			       qs_live_job_arn(live, text_of(one->job, "id")));
	/* Since when it could not be later than first is not kept. */
	qs_live_put_time(to, "earliestTimeAtPosition", one->since);
	return to;
}

static void put_front(struct json_object *to, const struct qs_live *live,
		      const struct waiting *all, size_t n, int64_t now)
{
	struct json_object *out = json_object_new_object();
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n && i < QS_LIVE_FRONT_MAX; i++)
		json_object_array_add(list, front(live, &all[i]));
	json_object_object_add(out, "jobs", list);
	qs_live_put_time(out, "lastUpdatedAt", now);
	json_object_object_add(to, "frontOfQueue", out);
}

/* Every share of the queue, also those in which nobody waits. */
static void put_shares(struct json_object *to, const struct qs_live *live,
		       const struct waiting *all, size_t n, const char *queue,
		       struct json_object *rows, int64_t now)
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
		struct json_object *list = get(shares, all[i].share);

		if (all[i].first && list)
			json_object_array_add(list, front(live, &all[i]));
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
	struct waiting *all;
	size_t n;

	all = gather(get(jobs, "jobs"), queue, &n);
	if (!all) {
		json_object_put(to);
		return NULL;
	}
	mark(all, n);
	qsort(all, n, sizeof(*all), compare);
	put_front(to, live, all, n, now);
	put_shares(to, live, all, n, queue, get(status, "shares"), now);
	put_utilization(to, live, queue, status, now);
	free(all);
	return to;
}
