/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_run.h - state while a set-up is imported. Private to import*.c.
 */
#ifndef QS_IMPORT_RUN_H
#define QS_IMPORT_RUN_H

#include "aws/import.h"

/* A queue that becomes one here. */
struct qs_import_queue {
	const char *name;
	const struct qs_aws_queue *queue; /* NULL: only shares name it */
	const struct qs_aws_environment *environment; /* NULL: unknown */
};

/* An instance type, and what it is here. */
struct qs_import_unit {
	const char *unit;
	char *type;    /* NULL: left out */
	char *slurm;   /* a,b of a GpuType's Slurm; NULL: its own name */
	uint32_t gpus; /* in one instance */
};

/* A line of the file, and the object it is made of. */
struct qs_import_line {
	char *text;
	const struct qs_aws_source *source; /* NULL: of no one */
};

struct qs_import_run {
	const struct qs_setup *setup;
	const struct qs_instances *table;
	const struct qs_import_options *options;
	struct qs_notes *notes;
	struct qs_error *err;
	struct qs_import_queue *queues;
	size_t nqueues;
	struct qs_import_unit *units;
	size_t nunits;
	struct qs_import_line *lines;
	size_t nlines;
};

/* All return 0, or -1 with *err, unless they say otherwise. */

/* import_queues.c: which queues, and what belongs to them */
int qs_import_queues(struct qs_import_run *run);
/* Is the share of a queue that is imported? */
bool qs_import_has(const struct qs_import_run *run,
		   const struct qs_aws_share *share);

/* import_units.c: what each instance type is */
int qs_import_units(struct qs_import_run *run);
/* The unit of that name; NULL if it is left out. */
const struct qs_import_unit *
qs_import_unit_find(const struct qs_import_run *run, const char *unit);
/* Is this the unit that the type's Instance names? Of several it is the one
 * with the fewest GPUs. */
bool qs_import_unit_is_main(const struct qs_import_run *run,
			    const struct qs_import_unit *unit);
/* GPUs of a type in some limits. */
int64_t qs_import_gpus(const struct qs_import_run *run,
		       const struct qs_aws_limits *limits, const char *type);

/* import_lines.c: the lines of the file */
int qs_import_lines(struct qs_import_run *run);

/* import_text.c: the policy, printed, with comments; the caller's (free).
 * NULL with *err. */
char *qs_import_text(const struct qs_import_run *run,
		     const struct qs_policy *policy);

/* An error at an object: what of it (key, or NULL), its value (or NULL). */
int qs_import_fail(const struct qs_import_run *run,
		   const struct qs_aws_source *source, const char *key,
		   const char *value, const char *problem, const char *near,
		   const char *expected, ...)
	__attribute__((format(printf, 7, 8)));

#endif
