/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.c - the characters of a configuration file: blanks, keys, values
 *
 * Called by document.c. Never blocks.
 *
 * The surprises: as in slurm.conf a '#' begins a comment also in the middle
 * of an unquoted value, and a backslash that ends a comment continues nothing.
 * Other than there, a backslash inside quotes protects '"' and '\'.
 */
#include "conf/scan.h"

#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"

struct text {
	char *chars;
	size_t n, max;
};

static int text_add(struct text *text, char c)
{
	if (text->n + 1 >= text->max) {
		size_t max = text->max ? text->max * 2 : 64;
		char *chars = realloc(text->chars, max);

		if (!chars)
			return -1;
		text->chars = chars;
		text->max = max;
	}
	text->chars[text->n++] = c;
	text->chars[text->n] = '\0';
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

bool qs_scan_at_end(const struct qs_scan *scan)
{
	return scan->at == scan->end || *scan->at == '\n' || *scan->at == '#';
}

/* At a backslash that is the last thing in its line: go to the next line. */
static bool take_continuation(struct qs_scan *scan)
{
	const char *at = scan->at;

	if (at == scan->end || *at != '\\')
		return false;
	for (at++; at < scan->end && is_blank(*at); at++)
		;
	if (at < scan->end && *at == '#' && at > scan->at + 1)
		while (at < scan->end && *at != '\n')
			at++;
	if (at < scan->end && *at != '\n')
		return false;
	scan->at = at < scan->end ? at + 1 : at;
	scan->line++;
	return true;
}

bool qs_scan_blanks(struct qs_scan *scan)
{
	const char *begin = scan->at;

	while (scan->at < scan->end) {
		if (is_blank(*scan->at))
			scan->at++;
		else if (!take_continuation(scan))
			break;
	}
	return scan->at != begin;
}

void qs_scan_line(struct qs_scan *scan)
{
	while (scan->at < scan->end && *scan->at != '\n')
		scan->at++;
	if (scan->at < scan->end)
		scan->at++;
	scan->line++;
}

int qs_scan_fail(struct qs_scan *scan, unsigned line, const char *key,
		 const char *value, const char *problem, const char *expected)
{
	struct qs_place at = { scan->name, line, key, value };

	return qs_error_set(scan->err, &at, problem, NULL, "%s", expected);
}

static int read_quoted(struct qs_scan *scan, struct text *value,
		       const char *key)
{
	unsigned line = scan->line;

	scan->at++;
	while (scan->at < scan->end && *scan->at != '"') {
		char c = *scan->at;

		if (c == '\n')
			break;
		if (c == '\\' && take_continuation(scan))
			continue;
		if (c == '\\' && scan->at + 1 < scan->end &&
		    (scan->at[1] == '"' || scan->at[1] == '\\'))
			c = *++scan->at;
		if (text_add(value, c))
			return qs_error_memory(scan->err);
		scan->at++;
	}
	if (scan->at == scan->end || *scan->at != '"')
		return qs_scan_fail(scan, line, key, value->chars,
				    "the quote is not closed in this line",
				    "a second '\"'");
	scan->at++;
	if (!qs_scan_at_end(scan) && !is_blank(*scan->at) && *scan->at != '\\')
		return qs_scan_fail(scan, scan->line, key, value->chars,
				    "text follows the closing quote",
				    "a blank or the end of the line");
	return 0;
}

static int read_bare(struct qs_scan *scan, struct text *value, const char *key)
{
	while (!qs_scan_at_end(scan) && !is_blank(*scan->at)) {
		if (*scan->at == '\\') {
			const char *at = scan->at;
			unsigned line = scan->line;

			/* the next line begins a new token */
			if (take_continuation(scan)) {
				scan->at = at;
				scan->line = line;
				break;
			}
		}
		if (*scan->at == '"')
			return qs_scan_fail(
				scan, scan->line, key, value->chars,
				"a quote in the middle of a value",
				"the whole value in quotes, or none");
		if (text_add(value, *scan->at))
			return qs_error_memory(scan->err);
		scan->at++;
	}
	return 0;
}

/* "Owner= Note=x" means that Owner has no value, not that it is "Note=x". */
static bool looks_like_key(const char *at, const char *end)
{
	const char *begin = at;

	while (at < end && is_key_char(*at))
		at++;
	return at > begin && at < end && *at == '=';
}

/* What stands where a key should: up to the next blank. */
static int fail_word(struct qs_scan *scan)
{
	char word[64];
	size_t n = 0;

	while (scan->at < scan->end && !is_blank(*scan->at) &&
	       *scan->at != '\n' && n + 1 < sizeof(word))
		word[n++] = *scan->at++;
	word[n] = '\0';
	return qs_scan_fail(scan, scan->line, NULL, word, NULL, "Key=Value");
}

int qs_scan_key(struct qs_scan *scan, char **key)
{
	const char *begin = scan->at;

	while (scan->at < scan->end && is_key_char(*scan->at))
		scan->at++;
	if (scan->at == begin)
		return fail_word(scan);
	*key = strndup(begin, (size_t)(scan->at - begin));
	return *key ? 0 : qs_error_memory(scan->err);
}

static int check_characters(struct qs_scan *scan, unsigned line,
			    const char *key, const struct text *value)
{
	for (size_t i = 0; i < value->n;) {
		unsigned char c = (unsigned char)value->chars[i];
		size_t n = qs_utf8_length(value->chars + i);

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return qs_scan_fail(scan, line, key, value->chars,
					    "a control character in a value",
					    "a text file");
		if (!n)
			return qs_scan_fail(scan, line, key, value->chars,
					    "a character that is not UTF-8",
					    "a text file in ASCII or UTF-8");
		i += n;
	}
	return 0;
}

static int read_value(struct qs_scan *scan, const char *key, unsigned line,
		      struct text *value)
{
	bool blanks = qs_scan_blanks(scan);

	if (text_add(value, '\0'))
		return qs_error_memory(scan->err);
	value->n = 0;
	if (qs_scan_at_end(scan) ||
	    (blanks && looks_like_key(scan->at, scan->end)))
		return qs_scan_fail(scan, line, key, NULL, "it has no value",
				    "Key=Value");
	if (*scan->at == '"' ? read_quoted(scan, value, key) :
			       read_bare(scan, value, key))
		return -1;
	return check_characters(scan, line, key, value);
}

int qs_scan_value(struct qs_scan *scan, const char *key, unsigned line,
		  char **value)
{
	struct text text = { 0 };

	if (!read_value(scan, key, line, &text)) {
		*value = text.chars;
		return 0;
	}
	free(text.chars);
	return -1;
}
