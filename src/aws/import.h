/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h - a share set-up of AWS Batch as a policy
 */
#ifndef QS_IMPORT_H
#define QS_IMPORT_H

#include "aws/instances.h"
#include "aws/notes.h"
#include "aws/setup.h"
#include "conf/conf.h"

/* What an instance type is here; given by the user, above tags and table. */
struct qs_import_map {
	const char *unit; /* e.g. ml.p5.48xlarge */
	const char *type; /* e.g. h100 */
	uint32_t gpus;    /* 0: as the table says */
};

struct qs_import_options {
	const char *queue; /* only this one; NULL: all that have shares */
	const struct qs_import_map *maps;
	size_t nmaps;
	bool force; /* leave out instance types that nobody knows */
};

struct qs_imported {
	struct qs_policy *policy;
	char *text; /* the commented quota_share.conf */
	/* for an export of the same documents; owned by the set-up */
	const struct qs_aws_queue *queue; /* NULL: several */
};

/*
 * Returns 0, or -1 with *err and errno. The set-up must be complete: all
 * documents read. Adds notes; warnings of the policy go to *warnings (NULL is
 * fine). *imported must be zeroed before and is to be given to
 * qs_imported_clear() in any case. Pure.
 */
int qs_import(const struct qs_setup *setup, const struct qs_instances *table,
	      const struct qs_import_options *options,
	      struct qs_imported *imported, struct qs_notes *notes,
	      struct qs_warnings *warnings, struct qs_error *err);
void qs_imported_clear(struct qs_imported *imported);

/* "unit=type" or "unit=type:gpus" into a map; text is changed. Returns 0, or
 * -1 if it is neither. */
int qs_import_map_read(char *text, struct qs_import_map *map);

#endif
