/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_print.c - the answer to "jobs" as a table
 *
 * Called by jobs and top; needs no Slurm. Blocks where the file does, and
 * where the names of users are looked up. Its surprise: the order is that of
 * the shares, then those who run by what they would keep longest, then those
 * who wait by who is next.
 */
#include "cli/jobs.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "cli/duration.h"
#include "cli/online.h"
#include "cli/table.h"

#define REMOVED "(removed)" /* no share can have this name */

struct row {
	struct json_object *job;
	const char *share;
	bool waits;
	int64_t priority, since, id;
};

static bool is(struct json_object *job, const char *key, const char *word)
{
	return !strcmp(qs_online_text(job, key, ""), word);
}

static bool wanted(const struct qs_jobs_filter *filter, struct json_object *job)
{
	if (filter->queue && !is(job, "queue", filter->queue))
		return false;
	if (filter->share && !is(job, "share", filter->share))
		return false;
	if (filter->user >= 0 &&
	    qs_online_number(job, "uid", -1) != filter->user)
		return false;
	if (filter->only &&
	    filter->only != (is(job, "state", "PENDING") ? QS_JOBS_WAITING :
							   QS_JOBS_RUNNING))
		return false;
	return true;
}

/* R4's order among those who run, R6a's among those who wait. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->share, y->share);

	if (order)
		return order;
	if (x->waits != y->waits)
		return x->waits ? 1 : -1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static struct row *sorted(struct json_object *list,
			  const struct qs_jobs_filter *filter, size_t *n)
{
	size_t max = json_object_array_length(list);
	struct row *rows = calloc(max + 1, sizeof(*rows));

	*n = 0;
	for (size_t i = 0; rows && i < max; i++) {
		struct json_object *job = json_object_array_get_idx(list, i);

		if (!wanted(filter, job))
			continue;
		rows[(*n)++] = (struct row){
			.job = job,
			.share = qs_online_text(job, "share", REMOVED),
			.waits = is(job, "state", "PENDING"),
			.priority = qs_online_number(job, "priority", 0),
			.since = qs_online_number(job, "since", 0),
			.id = qs_online_number(job, "job", 0)
		};
	}
	if (rows)
		qsort(rows, *n, sizeof(*rows), compare);
	return rows;
}

/* "4 h100", "2 a10g,4 h100", or "" */
static void put_gpus(struct json_object *job, const char *key, char *text,
		     size_t size)
{
	struct json_object *gpus;
	size_t n = 0;

	text[0] = '\0';
	if (!json_object_object_get_ex(job, key, &gpus) ||
	    !json_object_is_type(gpus, json_type_object))
		return;
	json_object_object_foreach(gpus, type, count)
	{
		int wrote =
			snprintf(text + n, size - n, "%s%lld %s", n ? "," : "",
				 (long long)json_object_get_int64(count), type);

		if (wrote < 0 || (size_t)wrote >= size - n)
			return;
		n += (size_t)wrote;
	}
}

static int64_t sum_gpus(struct json_object *job, const char *key)
{
	struct json_object *gpus;
	int64_t sum = 0;

	if (!json_object_object_get_ex(job, key, &gpus) ||
	    !json_object_is_type(gpus, json_type_object))
		return 0;
	json_object_object_foreach(gpus, type, count)
	{
		(void)type;
		sum += json_object_get_int64(count);
	}
	return sum;
}

/* What the job's types share: the longest line of victims. */
static int64_t victims(struct json_object *answer, struct json_object *job)
{
	struct json_object *list = qs_online_list(answer, "victims");
	struct json_object *gpus;
	int64_t most = 0;

	if (!list || !json_object_object_get_ex(job, "borrowed", &gpus))
		return 0;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *line = json_object_array_get_idx(list, i);
		int64_t n = qs_online_number(line, "jobs", 0);

		if (is(line, "queue", qs_online_text(job, "queue", "")) &&
		    json_object_object_get_ex(
			    gpus, qs_online_text(line, "type", ""), NULL) &&
		    n > most)
			most = n;
	}
	return most;
}

/* How safe it is, in few words. */
static void add_safety(struct qs_table *table, struct json_object *answer,
		       struct json_object *job, int64_t now)
{
	int64_t turn = qs_online_number(job, "turn", 0);
	int64_t until = qs_online_number(job, "protected_until", 0);
	int64_t stops = qs_online_number(job, "stops_for", 0);
	enum qs_style style = QS_STYLE_OWN;
	char text[96], left[32];

	if (is(job, "state", "PENDING")) {
		snprintf(text, sizeof(text), "%s", "-");
		style = QS_STYLE_PLAIN;
	} else if (is(job, "state", "COMPLETING")) {
		snprintf(text, sizeof(text), "%s", "ends");
		style = QS_STYLE_PLAIN;
	} else if (stops) {
		qs_duration_text(qs_online_number(job, "stops_at", now) - now,
				 left, sizeof(left));
		snprintf(text, sizeof(text), "stops for %lld in %s",
			 (long long)stops, left);
		style = QS_STYLE_BAD;
	} else if (until > now) {
		qs_duration_text(until - now, left, sizeof(left));
		snprintf(text, sizeof(text), "protected for %s", left);
	} else if (turn) {
		snprintf(text, sizeof(text), "victim %lld of %lld",
			 (long long)turn, (long long)victims(answer, job));
		style = QS_STYLE_BORROWED;
	} else {
		snprintf(text, sizeof(text), "%s", "safe");
	}
	qs_table_text(table, text);
	qs_table_style(table, style);
}

static void add_user(struct qs_table *table, int64_t uid)
{
	const struct passwd *user = uid >= 0 ? getpwuid((uid_t)uid) : NULL;

	if (user)
		qs_table_text(table, user->pw_name);
	else
		qs_table_number(table, uid);
}

static void add_row(struct qs_table *table, struct json_object *answer,
		    const struct row *row, const struct qs_jobs_filter *filter)
{
	int64_t now = qs_online_number(answer, "now", 0);
	char text[256], left[32];

	qs_table_row(table);
	qs_table_text(table, qs_online_text(row->job, "id", "?"));
	add_user(table, qs_online_number(row->job, "uid", -1));
	if (filter->show_queue)
		qs_table_text(table, qs_online_text(row->job, "queue", ""));
	qs_table_text(table, row->share);
	qs_table_text(table, qs_online_text(row->job, "state", ""));
	qs_table_number(table, row->priority);
	put_gpus(row->job, "gpus", text, sizeof(text));
	qs_table_text(table, text);
	qs_table_number(table, sum_gpus(row->job, "own"));
	qs_table_number(table, sum_gpus(row->job, "borrowed"));
	if (sum_gpus(row->job, "borrowed"))
		qs_table_style(table, QS_STYLE_BORROWED);
	qs_duration_text(now - row->since, left, sizeof(left));
	qs_table_text(table, left);
	add_safety(table, answer, row->job, now);
	if (filter->show_preempted)
		qs_table_number(table,
				qs_online_number(row->job, "preempted", 0));
	if (filter->show_reason)
		qs_table_text(table, qs_online_text(row->job, "reason", ""));
}

static bool is_shown(const struct qs_jobs_filter *filter, const char *column)
{
	if (!strcmp(column, "queue"))
		return filter->show_queue;
	if (!strcmp(column, "preempted"))
		return filter->show_preempted;
	if (!strcmp(column, "reason"))
		return filter->show_reason;
	return true;
}

static struct qs_table *new_table(const struct qs_jobs_filter *filter)
{
	static const char *const columns[] = { "job",   "user",   "queue",
					       "share", "state",  "priority",
					       "gpus",  "own",    "borrowed",
					       "time",  "safety", "preempted",
					       "reason" };
	struct qs_table *table = qs_table_new();

	for (size_t i = 0; table && i < sizeof(columns) / sizeof(*columns);
	     i++) {
		if (!is_shown(filter, columns[i]))
			continue;
		qs_table_column(table, columns[i]);
		if (!strcmp(columns[i], "priority"))
			qs_table_head(table, "PRIO");
	}
	return table;
}

/* Is there more than one queue to tell apart? */
static bool several_queues(struct json_object *list)
{
	const char *first = NULL;

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const char *name = qs_online_text(
			json_object_array_get_idx(list, i), "queue", "");

		if (first && strcmp(first, name))
			return true;
		first = name;
	}
	return false;
}

/* The runtime's own objects, those that the filter wants. */
static int print_json(const struct row *rows, size_t n, FILE *file)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, json_object_get(rows[i].job));
	return qs_json_print(list, file);
}

bool qs_jobs_knows(struct json_object *answer, const char *key,
		   const char *name)
{
	static const char *const lists[] = { "jobs", "shares" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct json_object *list = qs_online_list(answer, lists[i]);

		for (size_t k = 0; list && k < json_object_array_length(list);
		     k++)
			if (is(json_object_array_get_idx(list, k), key, name))
				return true;
	}
	return false;
}

int qs_jobs_print(struct json_object *answer,
		  const struct qs_jobs_filter *given,
		  const struct qs_cli_output *out, FILE *file)
{
	struct json_object *list = qs_online_list(answer, "jobs");
	struct qs_jobs_filter filter = *given;
	struct qs_table *table;
	struct row *rows;
	size_t n;
	int rc = -1;

	if (!list) {
		errno = EINVAL;
		return -1;
	}
	rows = sorted(list, &filter, &n);
	if (!rows)
		return -1;
	if (out->format == QS_TABLE_JSON) {
		rc = print_json(rows, n, file);
		free(rows);
		return rc;
	}
	filter.show_queue = filter.show_preempted = filter.show_reason =
		out->format == QS_TABLE_PARSABLE;
	filter.show_queue |= several_queues(list);
	for (size_t i = 0; i < n; i++) {
		filter.show_preempted |=
			qs_online_number(rows[i].job, "preempted", 0) > 0;
		filter.show_reason |= !is(rows[i].job, "reason", "");
	}
	table = new_table(&filter);
	for (size_t i = 0; table && i < n; i++)
		add_row(table, answer, &rows[i], &filter);
	if (table)
		rc = qs_table_show(table, file, out->format, out->header,
				   out->color);
	qs_table_free(table);
	free(rows);
	return rc;
}
