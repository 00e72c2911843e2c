/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comment.h - what the runtime leaves in a record's AdminComment; private to
 * src/sacct
 *
 * See doc/events.md, "Slurm's accounting".
 */
#ifndef QS_SACCT_COMMENT_H
#define QS_SACCT_COMMENT_H

#include "report/run.h"

struct qs_comment {
	char share[QS_NAME_MAX + 1];
	int64_t start; /* of the run it was written for */
	uint64_t by;   /* 0: was not preempted */
	enum qs_run_cause cause;
};

/* False: it is no comment of ours. */
bool qs_comment_parse(const char *text, struct qs_comment *comment);
/* QUOTA, PLACEMENT or PRIORITY; else QS_CAUSE_UNKNOWN. */
enum qs_run_cause qs_comment_cause(const char *code);

#endif
