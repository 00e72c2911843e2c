/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.h - the characters of a configuration file: blanks, keys, values
 *
 * A position in a text that moves forward. Functions that return int return 0,
 * or -1 with scan->err. Private to src/conf.
 */
#ifndef QS_SCAN_H
#define QS_SCAN_H

#include <stdbool.h>

#include "conf/error.h"

struct qs_scan {
	const char *name;     /* what errors call the file */
	const char *at, *end; /* not NUL-terminated */
	unsigned line;
	struct qs_error *err;
};

/* At the end of the line, or at a comment, which is the same. */
bool qs_scan_at_end(const struct qs_scan *scan);
/* Skip blanks and continued line ends; was there anything to skip? */
bool qs_scan_blanks(struct qs_scan *scan);
/* Skip the rest of the line, its comment and its end. */
void qs_scan_line(struct qs_scan *scan);
/* A key; *key is the caller's (free). */
int qs_scan_key(struct qs_scan *scan, char **key);
/* What stands behind the '=', or behind Include; *value is the caller's. line
 * is the key's, for errors. */
int qs_scan_value(struct qs_scan *scan, const char *key, unsigned line,
		  char **value);
/* An error in this file. */
int qs_scan_fail(struct qs_scan *scan, unsigned line, const char *key,
		 const char *value, const char *problem, const char *expected);

#endif
