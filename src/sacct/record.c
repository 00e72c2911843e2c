/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - text or JSON?
 *
 * Called by report and replay. Its surprise: a file of one empty line, or of
 * nothing, is good: sacct writes no JSON then, and there were no jobs.
 */
#include "sacct/record.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* AdminComment last: it may hold a '|' or a line break. */
const char qs_sacct_fields[] =
	"JobID,JobIDRaw,DBIndex,User,Account,Partition,State,Submit,Eligible,"
	"Start,End,NodeList,AllocTRES,ReqTRES,AdminComment";

void qs_sacct_state(char *state)
{
	/* "CANCELLED by 6103", and "CANCELLED+" where it was cut. */
	state[strcspn(state, " +")] = '\0';
}

int qs_sacct_read(FILE *file, const char *name, qs_sacct_fn fn, void *arg,
		  struct qs_problems *problems, struct qs_error *err)
{
	struct qs_place at = { .file = name };
	int c;

	do {
		c = getc(file);
	} while (c != EOF && isspace(c));
	if (c == EOF) {
		if (ferror(file))
			return qs_error_set(err, &at, strerror(errno), NULL,
					    "a readable file");
		return 0;
	}
	ungetc(c, file);
	if (c == '{')
		return qs_sacct_read_json(file, name, fn, arg, problems, err);
	return qs_sacct_read_text(file, name, fn, arg, problems, err);
}
