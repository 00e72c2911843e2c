/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli_table_test.c - the table printer in its three formats
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"

#include "suite.h"

static char *printed(const struct qs_table *table, enum qs_table_format format,
		     bool header)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(qs_table_print(table, file, format, header), 0);
	ck_assert_int_eq(fclose(file), 0);
	return text;
}

static struct qs_table *sample(void)
{
	struct qs_table *table = qs_table_new();

	ck_assert_ptr_nonnull(table);
	qs_table_column(table, "share");
	qs_table_column(table, "over_limit");
	qs_table_column(table, "limit");
	qs_table_column(table, "open");
	qs_table_row(table);
	qs_table_text(table, "background");
	qs_table_number(table, 0);
	qs_table_none(table, "unlimited");
	qs_table_bool(table, true);
	qs_table_row(table);
	qs_table_text(table, "M\xc3\xbcller");
	qs_table_number(table, -12);
	qs_table_number(table, 7);
	qs_table_bool(table, false);
	return table;
}

struct row {
	const char *name;
	enum qs_table_format format;
	bool header;
	const char *text;
};

static const struct row rows[] = {
	{ "aligned", QS_TABLE_ALIGNED, true,
	  "SHARE       OVER LIMIT      LIMIT  OPEN\n"
	  "background           0  unlimited  yes\n"
	  "M\xc3\xbcller             -12          7  no\n" },
	{ "aligned without header", QS_TABLE_ALIGNED, false,
	  "background           0  unlimited  yes\n"
	  "M\xc3\xbcller             -12          7  no\n" },
	{ "parsable", QS_TABLE_PARSABLE, true,
	  "SHARE|OVER LIMIT|LIMIT|OPEN\n"
	  "background|0|unlimited|yes\n"
	  "M\xc3\xbcller|-12|7|no\n" },
	{ "parsable without header", QS_TABLE_PARSABLE, false,
	  "background|0|unlimited|yes\n"
	  "M\xc3\xbcller|-12|7|no\n" },
};

START_TEST(formats)
{
	struct qs_table *table = sample();
	char *text = printed(table, rows[_i].format, rows[_i].header);

	ck_assert_msg(!strcmp(text, rows[_i].text), "%s:\n%s\nnot\n%s",
		      rows[_i].name, text, rows[_i].text);
	free(text);
	qs_table_free(table);
}
END_TEST

START_TEST(json_keeps_null_and_zero_apart)
{
	struct qs_table *table = sample();
	char *text = printed(table, QS_TABLE_JSON, true);
	struct json_object *want = json_tokener_parse(
		"[{\"share\": \"background\", \"over_limit\": 0, \"limit\":"
		" null, \"open\": true}, {\"share\": \"M\xc3\xbcller\","
		" \"over_limit\": -12, \"limit\": 7, \"open\": false}]");
	struct json_object *got = json_tokener_parse(text);

	ck_assert_ptr_nonnull(got);
	ck_assert_msg(json_object_equal(want, got), "%s", text);
	json_object_put(want);
	json_object_put(got);
	free(text);
	qs_table_free(table);
}
END_TEST

START_TEST(a_cell_never_breaks_its_line)
{
	struct qs_table *table = qs_table_new();
	char *text;

	qs_table_column(table, "note");
	qs_table_row(table);
	qs_table_text(table, "a\nb\tc\033[1m");
	text = printed(table, QS_TABLE_ALIGNED, false);
	ck_assert_str_eq(text, "a?b?c?[1m\n");
	free(text);
	text = printed(table, QS_TABLE_JSON, false);
	ck_assert_ptr_nonnull(strstr(text, "a\\nb\\tc"));
	free(text);
	qs_table_free(table);
}
END_TEST

START_TEST(too_few_and_too_many_cells)
{
	struct qs_table *table = qs_table_new();
	char *text;

	qs_table_text(table, "before any column");
	qs_table_column(table, "a");
	qs_table_column(table, "b");
	qs_table_text(table, "before any row");
	qs_table_row(table);
	qs_table_text(table, "1");
	qs_table_row(table);
	qs_table_text(table, "1");
	qs_table_text(table, "2");
	qs_table_text(table, "3");
	qs_table_column(table, "c"); /* too late */
	text = printed(table, QS_TABLE_PARSABLE, true);
	ck_assert_str_eq(text, "A|B\n1|\n1|2\n");
	free(text);
	qs_table_free(table);
}
END_TEST

/* Two blanks between columns, or one if a line of 80 fits only then. */
static const struct {
	size_t text; /* beside two numbers of one digit */
	const char *line;
} gaps[] = {
	{ 74, "  1  2\n" },
	{ 75, " 1 2\n" },
	{ 76, " 1 2\n" },
	{ 77, "  1  2\n" },
};

START_TEST(blanks_between_columns)
{
	struct qs_table *table = qs_table_new();
	char cell[81] = "", *text;

	memset(cell, 'x', gaps[_i].text);
	qs_table_column(table, "a");
	qs_table_column(table, "capacity");
	qs_table_head(table, "c");
	qs_table_column(table, "d");
	qs_table_row(table);
	qs_table_text(table, cell);
	qs_table_number(table, 1);
	qs_table_number(table, 2);
	text = printed(table, QS_TABLE_ALIGNED, false);
	ck_assert_str_eq(text + gaps[_i].text, gaps[_i].line);
	free(text);
	text = printed(table, QS_TABLE_PARSABLE, true);
	ck_assert_int_eq(strncmp(text, "A|CAPACITY|D\n", 13), 0);
	free(text);
	qs_table_free(table);
}
END_TEST

START_TEST(empty)
{
	struct qs_table *table = qs_table_new();
	char *text = printed(table, QS_TABLE_ALIGNED, true);
	struct json_object *json;

	ck_assert_str_eq(text, "");
	free(text);
	qs_table_column(table, "a");
	text = printed(table, QS_TABLE_ALIGNED, true);
	ck_assert_str_eq(text, "A\n");
	free(text);
	json = qs_table_json(table);
	ck_assert(json_object_is_type(json, json_type_array));
	ck_assert_uint_eq(json_object_array_length(json), 0);
	json_object_put(json);
	qs_table_free(table);
	qs_table_free(NULL);
}
END_TEST

START_TEST(a_full_disk_is_seen)
{
	struct qs_table *table = sample();
	FILE *full = fopen("/dev/full", "w");

	if (!full) { /* not Linux */
		qs_table_free(table);
		return;
	}
	setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_eq(qs_table_print(table, full, QS_TABLE_ALIGNED, true),
			 -1);
	fclose(full);
	qs_table_free(table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cli table");
	TCase *core = tcase_create("core");
	TCase *limits = tcase_create("limits");

	tcase_add_loop_test(core, formats, 0, ARRAY_LEN(rows));
	tcase_add_test(core, json_keeps_null_and_zero_apart);
	tcase_add_test(limits, a_cell_never_breaks_its_line);
	tcase_add_test(limits, too_few_and_too_many_cells);
	tcase_add_loop_test(limits, blanks_between_columns, 0, ARRAY_LEN(gaps));
	tcase_add_test(limits, empty);
	tcase_add_test(limits, a_full_disk_is_seen);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, limits);
	return suite_run(suite);
}
