/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.c - the table of AWS instance types and the GPUs in each
 *
 * Called by qshare's import, export and instances. Blocks on the file system.
 * The surprise: it is data, not code, because AWS adds types every few months;
 * so it is read as strictly as a policy.
 */
#include "aws/instances.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/load.h"
#include "conf/nearest.h"
#include "conf/values.h"

#define COLUMNS_MAX 32

enum column {
	COLUMN_TYPE,
	COLUMN_GPUS,
	COLUMN_GPU,
	COLUMN_VCPU,
	COLUMN_MEM,
	COLUMNS, /* also: one that is not known */
};

/* The first three must be there. */
static const char *const column_names[COLUMNS] = { "type", "gpus", "gpu",
						   "vcpu", "mem_gib" };

struct reader {
	struct qs_instances *table;
	const char *file;
	unsigned line;
	enum column columns[COLUMNS_MAX];
	size_t ncolumns; /* 0: the head was not read yet */
	struct qs_error *err;
};

static int fail(const struct reader *reader, const char *key, const char *value,
		const char *problem, const char *expected)
{
	struct qs_place at = { reader->file, reader->line, key, value };

	return qs_error_set(reader->err, &at, problem, NULL, "%s", expected);
}

/* Cuts the next cell off; blanks around it do not count. NULL: none left. */
static char *next_cell(char **at)
{
	char *cell = *at, *end;

	if (!cell)
		return NULL;
	end = cell + strcspn(cell, ",");
	*at = *end ? end + 1 : NULL;
	*end = '\0';
	while (*cell == ' ' || *cell == '\t')
		cell++;
	while (end > cell && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return cell;
}

static int read_head(struct reader *reader, char *at)
{
	bool seen[COLUMNS + 1] = { false };
	char *cell;

	while ((cell = next_cell(&at))) {
		int c = 0;

		if (reader->ncolumns == COLUMNS_MAX)
			return fail(reader, NULL, cell, "too many columns",
				    "fewer than 33");
		while (c < COLUMNS && strcmp(column_names[c], cell))
			c++;
		if (c < COLUMNS && seen[c])
			return fail(reader, NULL, cell, "a doubled column",
				    "each column once");
		seen[c] = true;
		reader->columns[reader->ncolumns++] = (enum column)c;
	}
	if (seen[COLUMN_TYPE] && seen[COLUMN_GPUS] && seen[COLUMN_GPU])
		return 0;
	return fail(reader, NULL, NULL, "the first line names the columns",
		    "type, gpus and gpu among them");
}

static int read_number(const struct reader *reader, enum column c,
		       const char *cell, int64_t min, uint32_t *to)
{
	int64_t max = c == COLUMN_GPUS ? QS_INSTANCE_GPUS_MAX : 1000000;
	int64_t number;

	if (qs_value_number(cell, &number) || number < min || number > max)
		return fail(reader, column_names[c], cell, NULL,
			    c == COLUMN_GPUS ? "a whole number from 1 to 1024" :
					       "a whole number to 1000000");
	*to = (uint32_t)number;
	return 0;
}

static int read_word(const struct reader *reader, enum column c,
		     const char *cell, char **to)
{
	if (!qs_value_is_word(cell, strlen(cell)))
		return fail(reader, column_names[c], cell, NULL,
			    "a name without blanks");
	*to = strdup(cell);
	return *to ? 0 : qs_error_memory(reader->err);
}

static int read_cell(const struct reader *reader, struct qs_instance *to,
		     enum column c, const char *cell)
{
	switch (c) {
	case COLUMN_TYPE:
		return read_word(reader, c, cell, &to->name);
	case COLUMN_GPU:
		return read_word(reader, c, cell, &to->gpu);
	case COLUMN_GPUS:
		return read_number(reader, c, cell, 1, &to->gpus);
	case COLUMN_VCPU:
		return read_number(reader, c, cell, 0, &to->vcpus);
	case COLUMN_MEM:
		return read_number(reader, c, cell, 0, &to->mem_gib);
	case COLUMNS:
		break;
	}
	return 0;
}

/* The last one of the table; it is the table's whether it is good or not. */
static int read_row(struct reader *reader, char *at)
{
	struct qs_instances *table = reader->table;
	struct qs_instance *items, *to;
	size_t n = 0;
	char *cell;

	items = realloc(table->items, (table->n + 1) * sizeof(*items));
	if (!items)
		return qs_error_memory(reader->err);
	table->items = items;
	to = &items[table->n++];
	*to = (struct qs_instance){ 0 };
	while ((cell = next_cell(&at))) {
		if (n == reader->ncolumns)
			return fail(reader, NULL, cell,
				    "more cells than columns",
				    "as many cells as in the first line");
		if (read_cell(reader, to, reader->columns[n++], cell))
			return -1;
	}
	if (n < reader->ncolumns)
		return fail(reader, NULL, to->name, "cells are missing",
			    "as many cells as in the first line");
	for (size_t i = 0; i + 1 < table->n; i++)
		if (!strcmp(items[i].name, to->name))
			return fail(reader, column_names[COLUMN_TYPE], to->name,
				    "it is there twice",
				    "each instance type once");
	return 0;
}

static int read_line(struct reader *reader, char *line)
{
	char *end = line + strlen(line);

	if (end > line && end[-1] == '\r')
		*--end = '\0';
	if (end == line + strspn(line, " \t") || *line == '#')
		return 0;
	return reader->ncolumns ? read_row(reader, line) :
				  read_head(reader, line);
}

int qs_instances_read_text(struct qs_instances *table, const char *name,
			   const char *text, size_t n, struct qs_error *err)
{
	struct reader reader = { .table = table, .file = name, .err = err };
	char *copy = malloc(n + 1), *at = copy, *end = NULL;
	int rc = 0;

	if (!copy)
		return qs_error_memory(err);
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (strlen(copy) != n) {
		rc = fail(&reader, NULL, NULL, "a NUL in it", "a text file");
		at = NULL;
	}
	for (; !rc && at; at = end) {
		end = strchr(at, '\n');
		if (end)
			*end++ = '\0';
		reader.line++;
		rc = read_line(&reader, at);
	}
	if (!rc && !table->n)
		rc = fail(&reader, NULL, NULL, "there is no instance type",
			  "a line with the columns, and one for each type");
	free(copy);
	return rc;
}

int qs_instances_read_file(struct qs_instances *table, const char *path,
			   struct qs_error *err)
{
	struct qs_place at = { .file = path };
	const char *problem;
	char *text;
	size_t n;
	int rc;

	if (qs_load_file(path, QS_INSTANCES_BYTES_MAX, &text, &n, NULL,
			 &problem))
		return qs_error_set(err, &at, problem, NULL,
				    "a readable table of instance types; "
				    "QSHARE_INSTANCES can name another");
	rc = qs_instances_read_text(table, path, text, n, err);
	free(text);
	return rc;
}

void qs_instances_clear(struct qs_instances *table)
{
	for (size_t i = 0; i < table->n; i++) {
		free(table->items[i].name);
		free(table->items[i].gpu);
	}
	free(table->items);
	*table = (struct qs_instances){ 0 };
}

const struct qs_instance *qs_instances_find(const struct qs_instances *table,
					    const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->items[i].name, name))
			return &table->items[i];
	return NULL;
}
