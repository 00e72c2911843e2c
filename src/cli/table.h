/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - a small table printer: aligned, '|' separated, or JSON
 *
 * Columns first, then cell by cell from left to right; a row begins with
 * qs_table_row(). Text is copied. Memory failures are remembered and reported
 * once, by qs_table_print() or qs_table_json(); too many cells in a row are
 * dropped, missing ones are empty. Not thread safe.
 */
#ifndef QS_TABLE_H
#define QS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

#include "cli/style.h"

enum qs_table_format {
	QS_TABLE_ALIGNED,
	QS_TABLE_PARSABLE, /* no padding, '|' between, as sacct -P */
	QS_TABLE_JSON,     /* an array with one object a row */
};

struct qs_table;

/* NULL with errno ENOMEM. */
struct qs_table *qs_table_new(void);
void qs_table_free(struct qs_table *table);

/* key: in JSON, lower case with _; the title of the column is the same in
 * capitals, with blanks. */
void qs_table_column(struct qs_table *table, const char *key);
/* A shorter title of the last column, for people: in aligned tables only. */
void qs_table_head(struct qs_table *table, const char *head);
void qs_table_row(struct qs_table *table);
/* Cells of the last row. A column that holds numbers is aligned right. */
void qs_table_text(struct qs_table *table, const char *text);
void qs_table_number(struct qs_table *table, int64_t value);
/* With one digit after the point; all of them in JSON. */
void qs_table_decimal(struct qs_table *table, double value);
/* No value: null in JSON, else text, e.g. "unlimited" or "-". It stands in
 * for a number. */
void qs_table_none(struct qs_table *table, const char *text);
/* true or false in JSON, else "yes" or "no". */
void qs_table_bool(struct qs_table *table, bool value);

/* A bar; for tables that are shown on a terminal. JSON has no word for it. */
void qs_table_bar(struct qs_table *table, const struct qs_bar *bar);
/* How the last cell is shown where there is colour. */
void qs_table_style(struct qs_table *table, enum qs_style style);

/* header is not used for JSON. Returns 0, or -1 with errno. */
int qs_table_print(const struct qs_table *table, FILE *file,
		   enum qs_table_format format, bool header);
/* The same, aligned tables in colour if wanted. Columns are two blanks apart, or
 * one if only then a line fits the terminal (80 columns where there is none). */
int qs_table_show(const struct qs_table *table, FILE *file,
		  enum qs_table_format format, bool header, bool color);
/* Columns that an aligned line takes at least. */
size_t qs_table_width(const struct qs_table *table);
/* The rows as an array, the caller's (json_object_put); NULL with ENOMEM. */
struct json_object *qs_table_json(const struct qs_table *table);

/* Print an object with a newline, and let go of it. Returns 0, or -1 with
 * errno. */
int qs_json_print(struct json_object *json, FILE *file);

#endif
