/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_observe.c - what Mode=OBSERVE would have done, counted from events
 *
 * Called by observe. Needs memory for each job that is named, no more. Its
 * surprise: a job that would be stopped for five others counts once; so does
 * one that is held each time it is tried.
 */
#include "cli/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/online.h"
#include "cli/table.h"

/* A job, once for each thing that would have happened to it. */
struct seen {
	int64_t job;
	bool stopped;
};

struct share {
	char *name;
	int64_t started, held, stopped, stopped_gpus, stopped_sec;
};

struct qs_observed {
	struct share *shares;
	size_t nshares;
	struct seen *seen;
	size_t nseen, max;
	int64_t refused, first, last;
	bool failed;
};

struct qs_observed *qs_observed_new(void)
{
	return calloc(1, sizeof(struct qs_observed));
}

void qs_observed_free(struct qs_observed *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->nshares; i++)
		free(o->shares[i].name);
	free(o->shares);
	free(o->seen);
	free(o);
}

static struct share *share_of(struct qs_observed *o, const char *name)
{
	struct share *shares;

	for (size_t i = 0; i < o->nshares; i++)
		if (!strcmp(o->shares[i].name, name))
			return &o->shares[i];
	shares = realloc(o->shares, (o->nshares + 1) * sizeof(*shares));
	if (!shares) {
		o->failed = true;
		return NULL;
	}
	o->shares = shares;
	shares = &shares[o->nshares];
	memset(shares, 0, sizeof(*shares));
	shares->name = strdup(name);
	if (!shares->name) {
		o->failed = true;
		return NULL;
	}
	o->nshares++;
	return shares;
}

/* True the first time. */
static bool is_new(struct qs_observed *o, int64_t job, bool stopped)
{
	for (size_t i = o->nseen; i > 0; i--)
		if (o->seen[i - 1].job == job &&
		    o->seen[i - 1].stopped == stopped)
			return false;
	if (o->nseen == o->max) {
		size_t max = o->max ? o->max * 2 : 256;
		struct seen *seen = realloc(o->seen, max * sizeof(*seen));

		if (!seen) {
			o->failed = true;
			return false;
		}
		o->seen = seen;
		o->max = max;
	}
	o->seen[o->nseen++] = (struct seen){ job, stopped };
	return true;
}

int qs_observed_add(struct json_object *event, void *arg)
{
	struct qs_observed *o = arg;
	const char *what = qs_online_text(event, "event", "");
	int64_t job = qs_online_number(event, "job", 0);
	int64_t time = qs_events_time(event);
	bool hold = !strcmp(what, "would_hold");
	bool stop = !strcmp(what, "would_preempt");
	bool start = !strcmp(what, "start");
	struct share *share;

	if (!strcmp(what, "would_refuse"))
		o->refused++;
	else if (!hold && !stop && !start)
		return 0;
	if (time && (!o->first || time < o->first))
		o->first = time;
	if (time > o->last)
		o->last = time;
	if (!hold && !stop && !start)
		return 0;
	share = share_of(o, qs_online_text(event, "share", "(removed)"));
	if (!share)
		return 1;
	if (start)
		share->started++;
	if (hold && is_new(o, job, false))
		share->held++;
	if (stop && is_new(o, job, true)) {
		share->stopped++;
		share->stopped_gpus += qs_online_number(event, "gpus", 0);
		share->stopped_sec += qs_online_number(event, "gpus", 0) *
				      qs_online_number(event, "run", 0);
	}
	return o->failed ? 1 : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void add_rows(struct qs_table *table, const struct qs_observed *o)
{
	static const char *const columns[] = {
		"share",         "jobs_started",
		"would_be_held", "would_be_stopped",
		"gpus_stopped",  "gpu_hours_lost"
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		qs_table_column(table, columns[i]);
		if (i == 1)
			qs_table_head(table, "STARTED");
	}
	for (size_t i = 0; i < o->nshares; i++) {
		const struct share *share = &o->shares[i];

		qs_table_row(table);
		qs_table_text(table, share->name);
		qs_table_number(table, share->started);
		qs_table_number(table, share->held);
		qs_table_number(table, share->stopped);
		qs_table_number(table, share->stopped_gpus);
		qs_table_number(table, share->stopped_sec / 3600);
	}
}

static int print_json(const struct qs_observed *o, struct qs_table *table,
		      FILE *file)
{
	struct json_object *all = json_object_new_object();
	struct json_object *rows = qs_table_json(table);

	json_object_object_add(all, "since", json_object_new_int64(o->first));
	json_object_object_add(all, "until", json_object_new_int64(o->last));
	json_object_object_add(all, "refused",
			       json_object_new_int64(o->refused));
	json_object_object_add(all, "shares", rows);
	return qs_json_print(all, file) || !rows ? -1 : 0;
}

int qs_observed_print(const struct qs_observed *o,
		      const struct qs_cli_output *out, FILE *file)
{
	struct qs_table *table = qs_table_new();
	int rc = -1;

	if (!table || o->failed) {
		errno = ENOMEM;
		qs_table_free(table);
		return -1;
	}
	if (o->nshares)
		qsort(o->shares, o->nshares, sizeof(*o->shares), by_name);
	add_rows(table, o);
	if (out->format == QS_TABLE_JSON)
		rc = print_json(o, table, file);
	else
		rc = qs_table_show(table, file, out->format, out->header,
				   out->color);
	if (!rc && out->format == QS_TABLE_ALIGNED && out->header)
		fprintf(file, "%lld submission%s would have been refused.\n",
			(long long)o->refused, o->refused == 1 ? "" : "s");
	qs_table_free(table);
	return rc;
}
