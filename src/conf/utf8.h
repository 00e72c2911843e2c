/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - is it UTF-8? What is not would make logs and answers bad JSON.
 */
#ifndef QS_UTF8_H
#define QS_UTF8_H

#include <stddef.h>

/* Bytes of the character at the begin of a NUL-terminated text, 1 to 4; 0 if
 * it is none, or at the end. */
size_t qs_utf8_length(const char *text);

#endif
