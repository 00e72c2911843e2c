/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_fields.h - the measures by name, for JSON and CSV
 */
#ifndef QS_CLI_REPORT_FIELDS_H
#define QS_CLI_REPORT_FIELDS_H

#include <stddef.h>

#include "report/measures.h"

enum qs_field_kind {
	QS_FIELD_COUNT,  /* uint32_t */
	QS_FIELD_AMOUNT, /* int64_t */
	QS_FIELD_SPREAD, /* struct qs_spread */
};

struct qs_field {
	const char *name; /* lower case, with _; the unit is its end */
	const char *unit;
	size_t offset;
	enum qs_field_kind kind;
};

/* The last one has no name. */
extern const struct qs_field qs_use_fields[];     /* of struct qs_use */
extern const struct qs_field qs_outcome_fields[]; /* of struct qs_outcome */

/* The numbers of a spread, in the order of the names. */
#define QS_SPREAD_PARTS 4
extern const char *const qs_spread_parts[QS_SPREAD_PARTS];
int64_t qs_spread_part(const struct qs_spread *spread, int part);

/* Of an object of the field's struct. */
int64_t qs_field_value(const struct qs_field *field, const void *object);
const struct qs_spread *qs_field_spread(const struct qs_field *field,
					const void *object);

/* What became of jobs, in the order of the tables' columns: submitted, started,
 * completed, failed (timed out too), cancelled (withdrawn too), preempted, node
 * fail, requeued, retry limit, running, waiting. */
#define QS_JOB_COUNTS 11
void qs_job_counts(const struct qs_outcome *outcome,
		   uint32_t counts[QS_JOB_COUNTS]);

#endif
