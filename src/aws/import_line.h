/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_line.h - one line of an imported file. Private to import*.c.
 */
#ifndef QS_IMPORT_LINE_H
#define QS_IMPORT_LINE_H

#include <stdio.h>

#include "aws/import_run.h"

/* A line that is being written. */
struct qs_line {
	struct qs_import_run *run;
	const struct qs_aws_source *source;
	FILE *file;
	char *text;
	size_t size;
};

/* A key whose value is in a tag. */
struct qs_field {
	const char *key;
	bool list; /* commas separate */
};

/* All return 0, or -1 with the run's *err. */

int qs_line_begin(struct qs_line *line, struct qs_import_run *run,
		  const struct qs_aws_source *source);
/* Ends it and gives it to the run, unless rc says that it is no good; rc is
 * passed on. */
int qs_line_end(struct qs_line *line, int rc);
/* KEY="value" */
void qs_line_quoted(struct qs_line *line, const char *key, const char *value);

/* The value of a tag, one line of text. *value NULL: there is none; else the
 * caller's (free). *tag is where it was. */
int qs_line_tag(const struct qs_line *line, const struct qs_aws_tags *tags,
		const struct qs_field *field, char **value,
		const struct qs_aws_tag **tag);
/* The same of a list of words. */
int qs_line_list(const struct qs_line *line, const struct qs_aws_tags *tags,
		 const char *key, char **value);
/* Writes what a tag has. share: for a note, or NULL. */
int qs_line_put_tag(struct qs_line *line, const struct qs_aws_tags *tags,
		    const struct qs_field *field, const char *share);

/* import_shares.c: a line for each share that is imported. */
int qs_import_shares(struct qs_import_run *run);

#endif
