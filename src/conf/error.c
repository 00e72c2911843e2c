/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.c - what is wrong in a file, and where; warnings
 *
 * Called by the readers. Never blocks or allocates.
 */
#include "conf/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conf/utf8.h"

/* Control characters, and what is not UTF-8, as '?'. */
static void clean(char *text)
{
	while (*text) {
		size_t n = qs_utf8_length(text);

		if (n > 1) {
			text += n;
			continue;
		}
		if (!n || (unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
		text++;
	}
}

void qs_error_copy(char *to, size_t size, const char *from)
{
	size_t n = from ? strlen(from) : 0;

	if (!size)
		return;
	if (n < size) {
		memcpy(to, from ? from : "", n + 1);
	} else {
		n = size > 4 ? size - 4 : 0;
		/* do not cut inside a UTF-8 character */
		while (n && ((unsigned char)from[n] & 0xc0) == 0x80)
			n--;
		memcpy(to, from, n);
		snprintf(to + n, size - n, "...");
	}
	clean(to);
}

/* Append to a bounded text; what does not fit is cut. */
static void append(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + n, size - n, fmt, args);
	va_end(args);
}

int qs_error_set(struct qs_error *err, const struct qs_place *at,
		 const char *problem, const char *near, const char *expected,
		 ...)
{
	char name[96];
	va_list args;

	memset(err, 0, sizeof(*err));
	qs_error_copy(err->file, sizeof(err->file), at->file);
	err->line = at->line;
	qs_error_copy(err->key, sizeof(err->key), at->key);
	qs_error_copy(err->value, sizeof(err->value), at->value);
	va_start(args, expected);
	vsnprintf(err->expected, sizeof(err->expected), expected, args);
	va_end(args);
	clean(err->expected);

	if (at->file)
		append(err->text, sizeof(err->text), "%s:", err->file);
	if (at->line)
		append(err->text, sizeof(err->text), "%u:", at->line);
	if (err->text[0])
		append(err->text, sizeof(err->text), " ");
	if (at->key && at->value)
		append(err->text, sizeof(err->text), "%s=%s: ", err->key,
		       err->value);
	else if (at->key || at->value)
		append(err->text, sizeof(err->text),
		       "%s: ", at->key ? err->key : err->value);
	if (problem)
		append(err->text, sizeof(err->text), "%s; ", problem);
	append(err->text, sizeof(err->text), "expected %s", err->expected);
	if (near) {
		qs_error_copy(name, sizeof(name), near);
		append(err->text, sizeof(err->text), "; did you mean %s?",
		       name);
	}
	clean(err->text);
	errno = EINVAL;
	return -1;
}

int qs_error_memory(struct qs_error *err)
{
	memset(err, 0, sizeof(*err));
	snprintf(err->text, sizeof(err->text), "out of memory");
	errno = ENOMEM;
	return -1;
}

void qs_warnings_add(struct qs_warnings *warnings, const char *file,
		     unsigned line, const char *fmt, ...)
{
	char *text;
	va_list args;

	if (!warnings)
		return;
	if (warnings->n == QS_WARNINGS_MAX) {
		warnings->dropped++;
		return;
	}
	text = warnings->items[warnings->n++].text;
	text[0] = '\0';
	if (file && *file)
		append(text, sizeof(warnings->items[0].text), "%s:", file);
	if (line)
		append(text, sizeof(warnings->items[0].text), "%u:", line);
	if (*text)
		append(text, sizeof(warnings->items[0].text), " ");
	va_start(args, fmt);
	vsnprintf(text + strlen(text),
		  sizeof(warnings->items[0].text) - strlen(text), fmt, args);
	va_end(args);
	clean(text);
}
