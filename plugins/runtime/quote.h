/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quote.h - texts in JSON, with whatever users wrote into them
 *
 * The name of an account or of a GPU type may be any bytes. Free of Slurm's
 * headers, so that it can be tested without it. Pure.
 */
#ifndef QS_RUNTIME_QUOTE_H
#define QS_RUNTIME_QUOTE_H

#include <stddef.h>

/* JSON string with quotes into out, cut to size between two characters; with
 * U+FFFD for each byte that is not UTF-8. Below eight bytes there is no room, and
 * out is empty. Returns out. */
char *qs_log_quote(const char *text, char *out, size_t size);

#endif
