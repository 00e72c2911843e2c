/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_help.h - what the suites of import and export share
 *
 * Random numbers that a seed repeats, the table of instance types of the
 * project, and short ways through import and export. All fail the test where
 * something should have worked.
 */
#ifndef QS_TEST_AWS_HELP_H
#define QS_TEST_AWS_HELP_H

#include <stdint.h>

#include "aws/documents.h"
#include "aws/export.h"
#include "aws/import.h"
#include "aws/read.h"

#include "policy_of.h"

struct random {
	uint64_t state;
};

/* 0 .. n-1 */
unsigned pick(struct random *random, unsigned n);

const struct qs_instances *instance_table(void);

/* The options of a plain export with tags. */
struct qs_export_options plain_export(void);

/* A document as the importer gets it. */
struct text {
	const char *name;
	char *text;
};

/* Everything that an import gave. */
struct import {
	struct qs_setup setup;
	struct qs_notes notes;
	struct qs_imported imported;
	struct qs_warnings warnings;
	struct qs_error err;
	int rc;
};

/* options NULL: none. The caller gives *import to import_clear(). */
void import_texts(struct import *import, const char *const *texts, size_t n,
		  const struct qs_import_options *options);
/* The same with one text; the error's sentence, "" if there is none. */
const char *import_error(struct import *import, const char *text);
void import_clear(struct import *import);

/* The note with that kind, share (NULL: any) and key; NULL. */
const struct qs_note *find_note(const struct qs_notes *notes,
				enum qs_note_kind kind, const char *share,
				const char *key);

#endif
