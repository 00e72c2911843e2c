/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - one run of one job: from a start to its end, and the wait before
 *
 * What reports and replays are made of. A job that is preempted and requeued
 * has one run after the other; a job that is resized has one for each set of
 * GPUs, of the same attempt. A job that waits, or was cancelled while waiting,
 * has a last run that never started.
 *
 * Times are whole seconds on any scale, as long as it is the same for all
 * (the epoch, or a trace's own zero). What is not known is QS_TIME_NONE, never
 * 0: a trace may begin at 0.
 */
#ifndef QS_RUN_H
#define QS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/snapshot.h"

#define QS_TIME_NONE INT64_MIN
/* share of a run: no share of any policy is known for it */
#define QS_RUN_NO_SHARE (-1)

/* How a run ended. */
enum qs_run_end {
	QS_RUN_COMPLETED, /* by itself with success */
	QS_RUN_FAILED,    /* by itself without; out of memory, boot failure */
	QS_RUN_CANCELLED, /* by a person, or a deadline */
	QS_RUN_TIMEOUT,
	QS_RUN_NODE_FAIL,
	QS_RUN_PREEMPTED, /* requeued or not: see requeued */
	QS_RUN_REQUEUED,  /* by a person, or by its exit code */
	QS_RUN_RESIZED,   /* goes on with other GPUs: the next run */
	QS_RUN_RUNNING,   /* holds GPUs, also suspended; end is unknown */
	QS_RUN_WAITING,   /* never started; start and end are unknown */
	QS_RUN_WITHDRAWN, /* cancelled before it started */
	QS_RUN_ENDS,      /* how many words there are */
};

/* By what a run was preempted, if it was (R7, R8). */
enum qs_run_cause {
	QS_CAUSE_NONE,      /* was not preempted */
	QS_CAUSE_UNKNOWN,   /* preempted; the record does not say why */
	QS_CAUSE_QUOTA,     /* R7: an owner took its GPUs back */
	QS_CAUSE_PLACEMENT, /* R7: an owner needed this place */
	QS_CAUSE_PRIORITY,  /* R8: a job of its own share */
	QS_CAUSES,
};

struct qs_run {
	uint64_t job;     /* the same for all runs of a job */
	uint32_t attempt; /* counts starts from 1; 0: qs_runs_seal() counts */
	int32_t share;    /* index in the quota history, or QS_RUN_NO_SHARE */
	/* When this run's wait began: the job's submission, or the end of the
	 * run before. */
	int64_t submit;
	/* When it became able to run; QS_TIME_NONE: as submit. Only a job's
	 * first run has one that says something about the wait. */
	int64_t eligible;
	int64_t start, end;
	/* When others began to be stopped so that it starts (R9), or
	 * QS_TIME_NONE; claimed to start is the reclaim latency. */
	int64_t claimed;
	/* Seconds of this run that must be repeated, or QS_TIME_NONE: all of
	 * them if it was interrupted. For jobs with checkpoints. */
	int64_t repeat_sec;
	uint64_t by;       /* PREEMPTED: for this job; 0: not known */
	uint32_t priority; /* in the share, for R4; the same for all: 0 */
	/* [ndemands] in the array of runs, by type index of the history; GPUs
	 * in total, no type twice, none zero. None: holds no GPU. */
	uint32_t demands;
	uint16_t ndemands;
	uint8_t ended;        /* enum qs_run_end */
	uint8_t cause;        /* enum qs_run_cause */
	bool requeued : 1;    /* this run is over, the job goes on waiting */
	bool retry_limit : 1; /* R12: preempted once more than allowed */
	/* Whether it began as borrowed is known, from the event log, and need
	 * not be made from overlap. */
	bool borrow_known : 1;
	bool borrow : 1;
};

/* Did somebody or something else end it, so that its work was for nothing? */
static inline bool qs_run_interrupted(const struct qs_run *run)
{
	return run->ended == QS_RUN_PREEMPTED ||
	       run->ended == QS_RUN_NODE_FAIL || run->ended == QS_RUN_REQUEUED;
}

static inline bool qs_run_started(const struct qs_run *run)
{
	return run->start != QS_TIME_NONE;
}

/* Its words in tables and JSON: "COMPLETED", "NODE_FAIL", ... */
const char *qs_run_end_name(enum qs_run_end end);
/* "QUOTA", "PLACEMENT", "PRIORITY", "UNKNOWN", "" */
const char *qs_run_cause_name(enum qs_run_cause cause);

#endif
