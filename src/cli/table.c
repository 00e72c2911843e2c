/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c - a small table printer: aligned, '|' separated, or JSON
 *
 * Called by the subcommands of qshare. Blocks only where stdout does. The
 * surprise: text may come from a policy file or from a user, so control
 * characters are shown as '?' outside JSON; a cell never breaks its line.
 */
#include "cli/table.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"

enum cell_kind {
	CELL_TEXT,
	CELL_NUMBER,
	CELL_DECIMAL,
	CELL_NONE,
	CELL_BOOL,
	CELL_BAR,
};

struct cell {
	enum cell_kind kind;
	int64_t value;
	double decimal;
	char *text; /* what is shown; owned */
	struct qs_bar bar;
	enum qs_style style;
};

struct column {
	char *key, *title, *head; /* head: in aligned tables; or NULL */
	size_t width;
	bool right;
};

struct qs_table {
	struct column *columns;
	size_t ncolumns;
	struct cell *cells; /* [row * ncolumns + column] */
	size_t nrows;
	size_t next; /* column of the next cell of the last row */
	bool failed;
};

struct qs_table *qs_table_new(void)
{
	return calloc(1, sizeof(struct qs_table));
}

void qs_table_free(struct qs_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->ncolumns; i++) {
		free(table->columns[i].key);
		free(table->columns[i].title);
		free(table->columns[i].head);
	}
	for (size_t i = 0; i < table->nrows * table->ncolumns; i++)
		free(table->cells[i].text);
	free(table->columns);
	free(table->cells);
	free(table);
}

/* Characters, not bytes: names of owners may be UTF-8. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

void qs_table_column(struct qs_table *table, const char *key)
{
	struct column *columns, *column;

	if (table->failed || table->nrows)
		return;
	columns = realloc(table->columns,
			  (table->ncolumns + 1) * sizeof(*columns));
	if (!columns) {
		table->failed = true;
		return;
	}
	table->columns = columns;
	column = &columns[table->ncolumns];
	*column = (struct column){
		.key = strdup(key),
		.title = strdup(key),
		.width = text_width(key),
	};
	table->ncolumns++;
	if (!column->key || !column->title) {
		table->failed = true;
		return;
	}
	for (char *c = column->title; *c; c++)
		*c = *c == '_' ? ' ' : (char)toupper((unsigned char)*c);
}

void qs_table_head(struct qs_table *table, const char *head)
{
	struct column *column;

	if (table->failed || table->nrows || !table->ncolumns)
		return;
	column = &table->columns[table->ncolumns - 1];
	free(column->head);
	column->head = strdup(head);
	column->width = text_width(head);
	if (!column->head)
		table->failed = true;
}

void qs_table_row(struct qs_table *table)
{
	struct cell *cells;
	size_t n = table->nrows * table->ncolumns;

	table->next = 0;
	if (table->failed || !table->ncolumns)
		return;
	cells = realloc(table->cells, (n + table->ncolumns) * sizeof(*cells));
	if (!cells) {
		table->failed = true;
		return;
	}
	memset(cells + n, 0, table->ncolumns * sizeof(*cells));
	table->cells = cells;
	table->nrows++;
}

static void add_cell(struct qs_table *table, enum cell_kind kind, int64_t value,
		     const char *text)
{
	struct column *column;
	struct cell *cell;
	size_t width;

	if (table->failed || !table->nrows || table->next >= table->ncolumns)
		return;
	column = &table->columns[table->next];
	cell = &table->cells[(table->nrows - 1) * table->ncolumns +
			     table->next];
	table->next++;
	cell->kind = kind;
	cell->value = value;
	cell->text = strdup(text);
	if (!cell->text) {
		table->failed = true;
		return;
	}
	width = kind == CELL_BAR ? QS_BAR_WIDTH : text_width(text);
	if (width > column->width)
		column->width = width;
	if (kind == CELL_NUMBER || kind == CELL_DECIMAL)
		column->right = true;
}

void qs_table_text(struct qs_table *table, const char *text)
{
	add_cell(table, CELL_TEXT, 0, text ? text : "");
}

void qs_table_number(struct qs_table *table, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add_cell(table, CELL_NUMBER, value, text);
}

void qs_table_decimal(struct qs_table *table, double value)
{
	size_t at = table->next;
	char text[64];

	snprintf(text, sizeof(text), "%.1f", value);
	add_cell(table, CELL_DECIMAL, 0, text);
	if (!table->failed && table->nrows && at < table->ncolumns)
		table->cells[(table->nrows - 1) * table->ncolumns + at]
			.decimal = value;
}

void qs_table_none(struct qs_table *table, const char *text)
{
	add_cell(table, CELL_NONE, 0, text ? text : "");
}

void qs_table_bool(struct qs_table *table, bool value)
{
	add_cell(table, CELL_BOOL, value, value ? "yes" : "no");
}

void qs_table_bar(struct qs_table *table, const struct qs_bar *bar)
{
	size_t at = table->next;

	add_cell(table, CELL_BAR, 0, "");
	if (!table->failed && table->nrows && at < table->ncolumns)
		table->cells[(table->nrows - 1) * table->ncolumns + at].bar =
			*bar;
}

void qs_table_style(struct qs_table *table, enum qs_style style)
{
	if (!table->failed && table->nrows && table->next)
		table->cells[(table->nrows - 1) * table->ncolumns +
			     table->next - 1]
			.style = style;
}

static void put_text(FILE *file, const char *text)
{
	for (; *text; text++)
		putc(iscntrl((unsigned char)*text) ? '?' : *text, file);
}

static void put_blanks(FILE *file, size_t n)
{
	while (n--)
		putc(' ', file);
}

static void put_styled(FILE *file, const char *text, enum qs_style style,
		       bool color)
{
	if (style != QS_STYLE_PLAIN)
		qs_style_set(file, style, color);
	put_text(file, text);
	if (style != QS_STYLE_PLAIN)
		qs_style_set(file, QS_STYLE_PLAIN, color);
}

static size_t width_with(const struct qs_table *table, size_t gap)
{
	size_t width = 0;

	for (size_t i = 0; i < table->ncolumns; i++)
		width += (i ? gap : 0) + table->columns[i].width;
	return width;
}

size_t qs_table_width(const struct qs_table *table)
{
	return width_with(table, 1);
}

/* Blanks between columns. What does not fit either way is read more easily with
 * two. */
static size_t gap_for(const struct qs_table *table, FILE *file)
{
	size_t columns = qs_style_columns(file);

	if (!columns)
		columns = 80;
	return width_with(table, 2) > columns &&
			       width_with(table, 1) <= columns ?
		       1 :
		       2;
}

/* Blanks are only printed before text: a line has none at its end. */
static void put_cell(const struct qs_table *table, FILE *file, size_t i,
		     size_t gap, const char *text, enum qs_style style,
		     bool color, size_t *blanks)
{
	const struct column *column = &table->columns[i];
	size_t pad = column->width - text_width(text);

	*blanks += (i ? gap : 0) + (column->right ? pad : 0);
	if (*text) {
		put_blanks(file, *blanks);
		*blanks = 0;
	}
	put_styled(file, text, style, color);
	if (!column->right)
		*blanks += pad;
}

static void put_parsable(FILE *file, size_t i, const char *text)
{
	if (i)
		putc('|', file);
	put_text(file, text);
}

/* json-c prints whatever bytes are in a string; users' words may be any. */
static void put_json(const char *text, FILE *file)
{
	size_t n;

	while (text[n = qs_utf8_span(text)]) {
		fwrite(text, 1, n, file);
		fputs(QS_UTF8_BAD, file);
		text += n + 1;
	}
	fprintf(file, "%s\n", text);
}

int qs_json_print(struct json_object *json, FILE *file)
{
	const char *text;

	text = json_object_to_json_string_ext(
		json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		put_json(text, file);
	else
		errno = ENOMEM;
	json_object_put(json);
	return text && !ferror(file) ? 0 : -1;
}

static int print_json(const struct qs_table *table, FILE *file)
{
	struct json_object *rows = qs_table_json(table);

	return rows ? qs_json_print(rows, file) : -1;
}

static void put_row(const struct qs_table *table, FILE *file, size_t row,
		    enum qs_table_format format, size_t gap, bool color)
{
	size_t blanks = 0;

	for (size_t i = 0; i < table->ncolumns; i++) {
		const struct cell *cell =
			&table->cells[row * table->ncolumns + i];
		const char *text = cell->text ? cell->text : "";

		if (format == QS_TABLE_PARSABLE) {
			put_parsable(file, i, text);
			continue;
		}
		if (cell->kind == CELL_BAR) {
			put_blanks(file, blanks + (i ? gap : 0));
			blanks = 0;
			qs_bar_put(&cell->bar, file, color);
			continue;
		}
		put_cell(table, file, i, gap, text, cell->style, color,
			 &blanks);
	}
	putc('\n', file);
}

static void put_titles(const struct qs_table *table, FILE *file,
		       enum qs_table_format format, size_t gap, bool color)
{
	size_t blanks = 0;

	for (size_t i = 0; i < table->ncolumns; i++) {
		const struct column *column = &table->columns[i];

		if (format == QS_TABLE_PARSABLE)
			put_parsable(file, i, column->title);
		else
			put_cell(table, file, i, gap,
				 column->head ? column->head : column->title,
				 QS_STYLE_HEAD, color, &blanks);
	}
	putc('\n', file);
}

int qs_table_print(const struct qs_table *table, FILE *file,
		   enum qs_table_format format, bool header)
{
	return qs_table_show(table, file, format, header, false);
}

int qs_table_show(const struct qs_table *table, FILE *file,
		  enum qs_table_format format, bool header, bool color)
{
	size_t gap;

	if (table->failed) {
		errno = ENOMEM;
		return -1;
	}
	if (format == QS_TABLE_JSON)
		return print_json(table, file);
	gap = gap_for(table, file);
	if (header && table->ncolumns)
		put_titles(table, file, format, gap, color);
	for (size_t row = 0; row < table->nrows; row++)
		put_row(table, file, row, format, gap, color);
	return ferror(file) ? -1 : 0;
}

static struct json_object *cell_json(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NUMBER:
		return json_object_new_int64(cell->value);
	case CELL_DECIMAL:
		return json_object_new_double(cell->decimal);
	case CELL_BOOL:
		return json_object_new_boolean(cell->value != 0);
	case CELL_TEXT:
		return json_object_new_string(cell->text ? cell->text : "");
	case CELL_NONE:
	case CELL_BAR:
		break;
	}
	return NULL;
}

struct json_object *qs_table_json(const struct qs_table *table)
{
	struct json_object *rows =
		table->failed ? NULL : json_object_new_array();

	if (!rows)
		goto fail;
	for (size_t row = 0; row < table->nrows; row++) {
		struct json_object *object = json_object_new_object();

		if (!object || json_object_array_add(rows, object)) {
			json_object_put(object);
			goto fail;
		}
		for (size_t i = 0; i < table->ncolumns; i++) {
			const struct cell *cell =
				&table->cells[row * table->ncolumns + i];
			struct json_object *value = cell_json(cell);

			if (!value && cell->kind != CELL_NONE &&
			    cell->kind != CELL_BAR)
				goto fail;
			if (json_object_object_add(
				    object, table->columns[i].key, value)) {
				json_object_put(value);
				goto fail;
			}
		}
	}
	return rows;
fail:
	json_object_put(rows);
	errno = ENOMEM;
	return NULL;
}
