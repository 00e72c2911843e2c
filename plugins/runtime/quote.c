/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quote.c - texts in JSON, with whatever users wrote into them
 *
 * Called for each line of the logs; blocks on nothing.
 */
#include "runtime/quote.h"

#include <stdio.h>
#include <string.h>

#include "conf/utf8.h"

/* What a character, of n bytes, is in JSON; n 0: none. Never longer than the
 * six bytes of an escape. Returns its length. */
static size_t escape(const char *at, size_t n, char out[7])
{
	unsigned char c = (unsigned char)*at;

	if (!n)
		return (size_t)snprintf(out, 7, "%s", QS_UTF8_BAD);
	if (c < 0x20)
		return (size_t)snprintf(out, 7, "\\u%04x", c);
	if (c == '"' || c == '\\')
		return (size_t)snprintf(out, 7, "\\%c", c);
	memcpy(out, at, n);
	return n;
}

char *qs_log_quote(const char *text, char *out, size_t size)
{
	size_t n = 0;

	if (size < 8) {
		if (size)
			out[0] = '\0';
		return out;
	}
	out[n++] = '"';
	while (text && *text && n < size - 8) {
		size_t bytes = qs_utf8_length(text);
		char word[7];
		size_t more = escape(text, bytes, word);

		memcpy(out + n, word, more);
		n += more;
		text += bytes ? bytes : 1;
	}
	out[n++] = '"';
	out[n] = '\0';
	return out;
}
