/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * canned.h - what a command prints of an answer of slurmctld's, without one
 *
 *	struct canned c;
 *
 *	canned_begin(&c, "{\"shares\":[]}");
 *	rc = qs_status_print(c.answer, ..., c.out);
 *	text = canned_end(&c);
 */
#ifndef QS_TEST_CANNED_H
#define QS_TEST_CANNED_H

#include <json-c/json.h>
#include <stdio.h>

struct canned {
	struct json_object *answer;
	FILE *out;
	/* canned_end()'s */
	char *text;
	size_t size;
};

/* The running test fails where the answer is no JSON. */
void canned_begin(struct canned *c, const char *answer);
/* What was printed; the caller's (free). */
char *canned_end(struct canned *c);

#endif
