/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h - the jobs of shares as a table
 */
#ifndef QS_CLI_JOBS_H
#define QS_CLI_JOBS_H

#include <json-c/json.h>
#include <stdint.h>

#include "cli/cli.h"

enum qs_jobs_only {
	QS_JOBS_ALL,
	QS_JOBS_RUNNING,
	QS_JOBS_WAITING,
};

struct qs_jobs_filter {
	const char *queue, *share; /* NULL: all */
	int64_t user;              /* uid, -1: all */
	enum qs_jobs_only only;
	/* Set by the printer: columns that say something. */
	bool show_queue, show_preempted, show_reason;
};

/* The answer to "jobs". Returns 0, or -1 with errno EINVAL if it is no such
 * answer, ENOMEM. */
int qs_jobs_print(struct json_object *answer,
		  const struct qs_jobs_filter *filter,
		  const struct qs_cli_output *out, FILE *file);

/* Does the answer, to "jobs" or "status", have this queue or share? key: "queue"
 * or "share". */
bool qs_jobs_knows(struct json_object *answer, const char *key,
		   const char *name);

#endif
