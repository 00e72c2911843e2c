/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health_print.c - a line per queue: does it do what its policy says?
 *
 * Called by status and health; needs no Slurm. Blocks only where the file
 * does. The words are AWS's for a queue, so that who knows one knows both.
 */
#include "cli/health.h"

#include <string.h>

#include "cli/online.h"

static size_t problems(struct json_object *queue)
{
	struct json_object *list = qs_online_list(queue, "problems");

	return list ? json_object_array_length(list) : 0;
}

static void put_word(const char *word, bool good, bool color, FILE *file)
{
	fputs("  ", file);
	qs_style_set(file, good ? QS_STYLE_OWN : QS_STYLE_BAD, color);
	fputs(word, file);
	qs_style_set(file, QS_STYLE_PLAIN, color);
}

static void print_queue(struct json_object *queue, bool color, FILE *file)
{
	const char *state = qs_online_text(queue, "state", "?");
	const char *status = qs_online_text(queue, "status", "?");
	struct json_object *list = qs_online_list(queue, "problems");
	size_t n = problems(queue);

	fprintf(file, "Queue %s:", qs_online_text(queue, "queue", "?"));
	put_word(state, !strcmp(state, "ENABLED"), color, file);
	put_word(status, !strcmp(status, "VALID"), color, file);
	if (!n)
		put_word("healthy", true, color, file);
	else
		put_word(n == 1 ? "not healthy:" : "not healthy, for reasons:",
			 false, color, file);
	putc('\n', file);
	for (size_t i = 0; i < n; i++)
		fprintf(file, "  - %s\n",
			qs_online_text(json_object_array_get_idx(list, i),
				       "text", "?"));
}

static void add_row(struct qs_table *table, struct json_object *queue,
		    struct json_object *problem)
{
	qs_table_row(table);
	qs_table_text(table, qs_online_text(queue, "queue", ""));
	qs_table_text(table, qs_online_text(queue, "state", ""));
	qs_table_text(table, qs_online_text(queue, "status", ""));
	qs_table_bool(table, !problem);
	qs_table_text(table,
		      problem ? qs_online_text(problem, "code", "") : "");
	qs_table_text(table,
		      problem ? qs_online_text(problem, "text", "") : "");
}

static void add_rows(struct qs_table *table, struct json_object *queue)
{
	struct json_object *list = qs_online_list(queue, "problems");
	size_t n = problems(queue);

	for (size_t i = 0; i < n; i++)
		add_row(table, queue, json_object_array_get_idx(list, i));
	if (!n)
		add_row(table, queue, NULL);
}

static struct qs_table *new_table(void)
{
	static const char *const columns[] = { "queue",   "state", "status",
					       "healthy", "code",  "text" };
	struct qs_table *table = qs_table_new();

	for (size_t i = 0; table && i < sizeof(columns) / sizeof(*columns); i++)
		qs_table_column(table, columns[i]);
	return table;
}

int qs_health_print(struct json_object *answer, const char *queue,
		    const struct qs_cli_output *out, FILE *file)
{
	struct qs_table *table = NULL;
	struct json_object *list = qs_online_list(answer, "queues");
	int bad = 0;

	if (!list)
		return -1;
	if (out->format != QS_TABLE_ALIGNED)
		table = new_table();
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (queue && strcmp(qs_online_text(one, "queue", ""), queue))
			continue;
		bad += problems(one) > 0;
		if (table)
			add_rows(table, one);
		else
			print_queue(one, out->color, file);
	}
	if (table && qs_table_print(table, file, out->format, out->header))
		bad = -1;
	qs_table_free(table);
	return bad;
}
