/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status_print.c - the answer to "status": health, then the table of shares
 *
 * Called by status.c; needs no Slurm. Blocks only where the file does. Its
 * surprise: columns that say nothing are left out for people (one queue, none
 * over its limit), but never for scripts (--parsable); and bars where the
 * terminal is too narrow for them.
 */
#include "cli/online.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/health.h"
#include "cli/table.h"

#define TOTAL "(total)" /* no share can have this name */

struct columns {
	bool queue, over_limit, bar;
	/* Bars are as long as the largest row of the type. */
	struct json_object *shares;
};

static bool in_queue(struct json_object *row, const char *queue)
{
	return !queue || !strcmp(qs_online_text(row, "queue", ""), queue);
}

static bool has_queue(struct json_object *list, const char *queue)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (in_queue(json_object_array_get_idx(list, i), queue))
			return true;
	return false;
}

static void choose(struct json_object *shares, const char *queue,
		   enum qs_table_format format, struct columns *columns)
{
	const char *first = NULL;

	columns->shares = shares;
	columns->queue = columns->over_limit = format == QS_TABLE_PARSABLE;
	for (size_t i = 0; i < json_object_array_length(shares); i++) {
		struct json_object *row = json_object_array_get_idx(shares, i);
		const char *name = qs_online_text(row, "queue", "");

		if (!in_queue(row, queue))
			continue;
		if (!first)
			first = name;
		columns->queue |= strcmp(first, name) != 0;
		columns->over_limit |=
			qs_online_number(row, "over_limit", 0) > 0;
	}
}

static void add_columns(struct qs_table *table, const struct columns *columns)
{
	if (columns->queue)
		qs_table_column(table, "queue");
	qs_table_column(table, "share");
	qs_table_column(table, "type");
	qs_table_column(table, "capacity");
	qs_table_head(table, "CAP");
	qs_table_column(table, "limit");
	qs_table_column(table, "used");
	qs_table_column(table, "own");
	qs_table_column(table, "borrowed");
	if (columns->over_limit) {
		qs_table_column(table, "over_limit");
		qs_table_head(table, "OVER");
	}
	qs_table_column(table, "lent");
	qs_table_column(table, "idle");
	qs_table_column(table, "waiting");
	qs_table_head(table, "WAIT");
	qs_table_column(table, "strategy");
	if (columns->bar)
		qs_table_column(table, "gpus");
}

static int64_t number(struct json_object *row, const char *key)
{
	return qs_online_number(row, key, 0);
}

static void add_number(struct qs_table *table, struct json_object *row,
		       const char *key)
{
	qs_table_number(table, number(row, key));
}

/* The same, in colour where there is something of it. */
static void add_marked(struct qs_table *table, struct json_object *row,
		       const char *key, enum qs_style style)
{
	add_number(table, row, key);
	if (number(row, key) > 0)
		qs_table_style(table, style);
}

/* Of a total, what is lent is there as borrowed already. */
static int64_t length(struct json_object *row, bool total)
{
	int64_t sum = number(row, "used") + number(row, "idle") +
		      (total ? 0 : number(row, "lent"));
	int64_t capacity = number(row, "capacity");

	return sum > capacity ? sum : capacity;
}

static void add_bar(struct qs_table *table, struct json_object *shares,
		    struct json_object *row, bool total)
{
	static const char *const keys[QS_BAR_PARTS] = { "own", "borrowed",
							"over_limit", "lent",
							"idle" };
	const char *type = qs_online_text(row, "type", "");
	int64_t gpus[QS_BAR_PARTS], whole = length(row, total);
	struct qs_bar bar;

	for (size_t i = 0; i < json_object_array_length(shares); i++) {
		struct json_object *other =
			json_object_array_get_idx(shares, i);

		if (!total &&
		    !strcmp(qs_online_text(other, "type", ""), type) &&
		    length(other, false) > whole)
			whole = length(other, false);
	}
	for (int i = 0; i < QS_BAR_PARTS; i++)
		gpus[i] = number(row, keys[i]);
	if (total)
		gpus[QS_BAR_LENT] = 0;
	qs_bar_scale(gpus, whole, &bar);
	qs_table_bar(table, &bar);
}

/* null is "no bound"; a total has no limit at all (law 11: 0 is neither). */
static void add_limit(struct qs_table *table, struct json_object *row,
		      bool total)
{
	struct json_object *value;

	if (total)
		qs_table_none(table, "-");
	else if (json_object_object_get_ex(row, "limit", &value) && value)
		qs_table_number(table, json_object_get_int64(value));
	else
		qs_table_none(table, "unlimited");
}

static void add_row(struct qs_table *table, const struct columns *columns,
		    struct json_object *row, bool total)
{
	qs_table_row(table);
	if (columns->queue)
		qs_table_text(table, qs_online_text(row, "queue", ""));
	qs_table_text(table, total ? TOTAL : qs_online_text(row, "share", ""));
	qs_table_text(table, qs_online_text(row, "type", ""));
	add_number(table, row, "capacity");
	add_limit(table, row, total);
	add_number(table, row, "used");
	add_marked(table, row, "own", QS_STYLE_OWN);
	add_marked(table, row, "borrowed", QS_STYLE_BORROWED);
	if (columns->over_limit)
		add_marked(table, row, "over_limit", QS_STYLE_BAD);
	add_marked(table, row, "lent", QS_STYLE_LENT);
	add_number(table, row, "idle");
	add_number(table, row, "waiting");
	if (total)
		qs_table_none(table, "-");
	else
		qs_table_text(table, qs_online_text(row, "strategy", ""));
	if (columns->bar)
		add_bar(table, columns->shares, row, total);
}

static void add_rows(struct qs_table *table, const struct columns *columns,
		     struct json_object *list, const char *queue, bool total)
{
	if (!list)
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		if (in_queue(row, queue))
			add_row(table, columns, row, total);
	}
}

static struct qs_table *make_table(const struct columns *columns,
				   struct json_object *answer,
				   const char *queue)
{
	struct qs_table *table = qs_table_new();

	if (!table)
		return NULL;
	add_columns(table, columns);
	add_rows(table, columns, columns->shares, queue, false);
	add_rows(table, columns, qs_online_list(answer, "totals"), queue, true);
	return table;
}

/* A bar that the terminal would break is worse than none. */
static bool is_too_wide(const struct qs_table *table, FILE *file)
{
	size_t columns = qs_style_columns(file);

	return columns && qs_table_width(table) > columns;
}

/* What the numbers alone do not say. For people only. */
static void print_notes(struct json_object *answer, const char *queue,
			FILE *file)
{
	struct json_object *totals = qs_online_list(answer, "totals");
	struct json_object *shares = qs_online_list(answer, "shares");
	const char *last = "";

	if (!strcmp(qs_online_text(answer, "mode", ""), "OBSERVE"))
		fputs("Mode=OBSERVE: nothing is held back, nobody is "
		      "preempted.\n",
		      file);
	for (size_t i = 0; totals && i < json_object_array_length(totals);
	     i++) {
		struct json_object *row = json_object_array_get_idx(totals, i);
		int64_t all = qs_online_number(row, "capacity", 0);
		int64_t up = qs_online_number(row, "in_service", all);

		if (in_queue(row, queue) && up < all)
			fprintf(file,
				"%lld of the %lld %s of queue %s are not in "
				"service.\n",
				(long long)(all - up), (long long)all,
				qs_online_text(row, "type", ""),
				qs_online_text(row, "queue", ""));
	}
	for (size_t i = 0; i < json_object_array_length(shares); i++) {
		struct json_object *row = json_object_array_get_idx(shares, i);
		const char *name = qs_online_text(row, "share", "");

		if (in_queue(row, queue) && strcmp(name, last) &&
		    !strcmp(qs_online_text(row, "state", ""), "DISABLED"))
			fprintf(file,
				"Share %s is disabled: it takes no new "
				"jobs.\n",
				name);
		last = name;
	}
}

/* Takes the rows of other queues out. */
static void keep_queue(struct json_object *answer, const char *key,
		       const char *queue)
{
	struct json_object *list = qs_online_list(answer, key);
	struct json_object *kept = json_object_new_array();

	if (!list || !kept) {
		json_object_put(kept);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		if (in_queue(row, queue))
			json_object_array_add(kept, json_object_get(row));
	}
	json_object_object_add(answer, key, kept);
}

static int print_json(struct json_object *answer, const char *queue, FILE *file)
{
	if (queue) {
		keep_queue(answer, "queues", queue);
		keep_queue(answer, "shares", queue);
		keep_queue(answer, "totals", queue);
	}
	return qs_json_print(json_object_get(answer), file);
}

int qs_status_print(struct json_object *answer, const char *queue,
		    const struct qs_cli_output *out, FILE *file)
{
	struct json_object *shares = qs_online_list(answer, "shares");
	struct columns columns;
	struct qs_table *table;
	int rc;

	if (!shares) {
		errno = EINVAL;
		return -1;
	}
	if (queue && !has_queue(shares, queue)) {
		errno = ENOENT;
		return -1;
	}
	if (out->format == QS_TABLE_JSON)
		return print_json(answer, queue, file);
	choose(shares, queue, out->format, &columns);
	columns.bar = out->color && out->format == QS_TABLE_ALIGNED;
	table = make_table(&columns, answer, queue);
	if (table && columns.bar && is_too_wide(table, file)) {
		columns.bar = false;
		qs_table_free(table);
		table = make_table(&columns, answer, queue);
	}
	if (!table)
		return -1;
	if (out->format == QS_TABLE_ALIGNED && out->header)
		qs_health_print(answer, queue, out, file);
	rc = qs_table_show(table, file, out->format, out->header, out->color);
	if (!rc && columns.bar)
		qs_bar_legend(file, out->color);
	if (!rc && out->format == QS_TABLE_ALIGNED && out->header)
		print_notes(answer, queue, file);
	qs_table_free(table);
	return rc;
}
