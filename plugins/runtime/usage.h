/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage.h - the counters that a job's limits are judged by, for a question
 *
 * Write locks and the association manager's write lock are held from open to
 * close. Where limits are not enforced there are no counters, and all of it is
 * nothing.
 */
#ifndef QS_RUNTIME_USAGE_H
#define QS_RUNTIME_USAGE_H

#include "runtime/inner.h"

/* Whose use a counter counts. */
enum qs_scope {
	QS_SCOPE_ASSOC,   /* the association's, and of those below it */
	QS_SCOPE_QOS,     /* the QOS's, */
	QS_SCOPE_USER,    /* the user's in it, */
	QS_SCOPE_ACCOUNT, /* the account's in it */
};

struct qs_counter {
	enum qs_scope scope;
	const void *of; /* association or QOS */
	uint32_t *jobs, jobs_were;
	uint64_t *tres;     /* [slurmctld_tres_cnt] */
	uint64_t *run_secs; /* likewise; NULL: not kept */
};

struct qs_usage {
	const job_record_t *job;
	struct qs_counter *counters;
	uint32_t n, max;
	uint64_t *were;
};

/* The job's counters, to be changed. False: no memory; then there is nothing to
 * close. */
bool qs_usage_open(struct qs_usage *usage, job_record_t *job);
/* So many tasks of another job, or of the same, run as well. */
void qs_usage_more(struct qs_usage *usage, const job_record_t *other,
		   uint32_t tasks);
/* A job that runs is gone; one that does not is not counted. */
void qs_usage_less(struct qs_usage *usage, job_record_t *victim);
/* Every number as it was. */
void qs_usage_close(struct qs_usage *usage);

#endif
