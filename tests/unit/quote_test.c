/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quote_test.c - texts of users in lines of JSON
 */
#include <check.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"
#include "runtime/quote.h"

#include "suite.h"

static const struct {
	const char *text, *quoted;
} rows[] = {
	{ NULL, "\"\"" },
	{ "", "\"\"" },
	{ "plain", "\"plain\"" },
	{ "a \"b\" \\ c", "\"a \\\"b\\\" \\\\ c\"" },
	{ "\n\x1b\x7f", "\"\\u000a\\u001b\x7f\"" },
	{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
	  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
	{ "\xff", "\"\\ufffd\"" },
	{ "type \xff;", "\"type \\ufffd;\"" },
	{ "\x80 alone", "\"\\ufffd alone\"" },
	{ "begun \xc3", "\"begun \\ufffd\"" },
	{ "begun \xe2\x82.", "\"begun \\ufffd\\ufffd.\"" },
	/* In more bytes than it needs, a surrogate, beyond the last. */
	{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
	{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
	{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	{ "\xc3\xc3\xa4", "\"\\ufffd\xc3\xa4\"" },
};

START_TEST(test_rows)
{
	char out[128];

	ck_assert_str_eq(qs_log_quote(rows[_i].text, out, sizeof(out)),
			 rows[_i].quoted);
}
END_TEST

/* "€" by the dozen behind a letter or two: wherever it is cut. */
START_TEST(test_cut)
{
	char text[64], out[64];
	size_t whole;

	memset(text, 'a', (size_t)_i % 3);
	text[_i % 3] = '\0';
	while (strlen(text) < 50)
		strcat(text, "\xe2\x82\xac");
	memset(out, '~', sizeof(out));
	qs_log_quote(text, out, (size_t)_i);
	ck_assert_int_eq(out[_i], '~');
	if (_i < 8) {
		ck_assert_str_eq(out, "");
		return;
	}
	whole = strlen(out) - 2;
	ck_assert_int_eq(out[0], '"');
	ck_assert_int_eq(out[whole + 1], '"');
	ck_assert_uint_eq(qs_utf8_span(out), whole + 2);
	ck_assert_int_eq(memcmp(out + 1, text, whole), 0);
	/* No more is cut than has to be. */
	ck_assert_uint_ge(whole + 9, (size_t)_i < 59 ? (size_t)_i : 59);
}
END_TEST

/* Every text whatsoever gives a JSON string. */
START_TEST(test_any)
{
	char text[24], out[80];

	srand((unsigned)_i);
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = (char)(rand() % 255 + 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t size = 8; size <= sizeof(out); size++) {
		struct json_tokener *reader = json_tokener_new();
		struct json_object *read;

		json_tokener_set_flags(reader,
				       JSON_TOKENER_STRICT |
					       JSON_TOKENER_VALIDATE_UTF8);
		qs_log_quote(text, out, size);
		read = json_tokener_parse_ex(reader, out, (int)strlen(out));
		ck_assert_msg(json_object_is_type(read, json_type_string),
			      "%d: %s: %s", _i, out,
			      json_tokener_error_desc(
				      json_tokener_get_error(reader)));
		json_object_put(read);
		json_tokener_free(reader);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("quote");
	TCase *core = tcase_create("core");

	tcase_add_loop_test(core, test_rows, 0, ARRAY_LEN(rows));
	tcase_add_loop_test(core, test_cut, 1, 64);
	tcase_add_loop_test(core, test_any, 0, 200);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
