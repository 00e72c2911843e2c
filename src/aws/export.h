/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - a policy as a share set-up of AWS Batch
 *
 * GPUs become instances by the Instance of their type. What AWS cannot express
 * becomes a tag where it fits, and a note in any case, so that import.h makes
 * the same policy of it but for the notes QS_NOTE_LOST and QS_NOTE_ROUNDED.
 */
#ifndef QS_EXPORT_H
#define QS_EXPORT_H

#include "aws/instances.h"
#include "aws/notes.h"
#include "aws/setup.h"
#include "conf/error.h"

struct qs_export_options {
	const char *file;   /* what messages call the policy, or NULL */
	const char *region; /* or NULL: unknown */
	const char *account;
	const char *queue; /* only this one; NULL: all */
	/* names in AWS; NULL: the queue's. With one queue only. */
	const char *environment, *scheduling_policy;
	int64_t priority; /* of the job queues, 0..1000 */
	bool force;       /* make less of what does not fit, and say so */
	bool tags;        /* else what AWS cannot express is lost, and told */
};

/*
 * Returns 0, or -1 with *err and errno. *setup and *notes must be zeroed
 * before and are to be cleared by the caller in any case. Pure.
 */
int qs_export(const struct qs_policy *policy, const struct qs_instances *table,
	      const struct qs_export_options *options, struct qs_setup *setup,
	      struct qs_notes *notes, struct qs_error *err);

#endif
