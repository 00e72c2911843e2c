/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_run.h - state while a policy is exported. Private to export*.c.
 */
#ifndef QS_EXPORT_RUN_H
#define QS_EXPORT_RUN_H

#include "aws/export.h"

struct qs_export_run {
	const struct qs_policy *policy;
	const struct qs_instances *table;
	const struct qs_export_options *options;
	struct qs_setup *setup;
	struct qs_notes *notes;
	struct qs_error *err;
	bool *shares;    /* [policy->nshares] goes to AWS */
	int64_t *counts; /* [share * ntypes + type] instances; 0: not there */
	bool seen[QS_TYPES_MAX]; /* types that went to AWS with any queue */
	/* of the queue at hand */
	int queue;
	const struct qs_instance *units[QS_TYPES_MAX]; /* NULL: not exported */
	int64_t pool[QS_TYPES_MAX];                    /* instances */
};

/* Instances that a share has of a type. */
static inline int64_t *qs_export_count(const struct qs_export_run *run,
				       int share, int type)
{
	return &run->counts[(size_t)share * (size_t)run->policy->ntypes +
			    (size_t)type];
}

/* export_units.c: units, shares, counts and pool of the queue at hand.
 * Returns 0, or -1 with *err. */
int qs_export_units(struct qs_export_run *run);

/* export_tags.c: what AWS cannot express of a queue or a share, as tags and
 * notes. Return 0, or -1 with *err. */
int qs_export_queue_tags(struct qs_export_run *run, struct qs_aws_tags *tags);
int qs_export_share_tags(struct qs_export_run *run, int share,
			 struct qs_aws_tags *tags);

#endif
