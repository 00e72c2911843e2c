/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - is it UTF-8? What is not would make logs and answers bad JSON.
 */
#ifndef QS_UTF8_H
#define QS_UTF8_H

#include <stddef.h>

/* What stands in JSON in the place of a byte that is none of UTF-8: U+FFFD. */
#define QS_UTF8_BAD "\\ufffd"

/* Bytes of the character at the begin of a NUL-terminated text, 1 to 4; 0 if
 * it is none, or at the end. */
size_t qs_utf8_length(const char *text);

/* Bytes of the whole characters at the begin: behind them is the end of the
 * text, or a byte that is none of UTF-8. */
size_t qs_utf8_span(const char *text);

#endif
