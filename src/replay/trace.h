/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - jobs of the past: who asked for how many GPUs when, and for how long
 *
 * What a replay feeds to the planner. Only what people did is kept: when they
 * submitted, what they asked for, how long it ran. When it started is for the
 * planner to decide.
 *
 * A trace is text of lines with commas, the first one with the names of the
 * columns, in any order; others are passed over:
 *   submit_s, gpus, and duration_s or start_s with end_s  are needed
 *   job_id, share, gpu_type, state, priority              may be empty or absent
 * Times are seconds on any scale. An empty cell means "not known"; nothing is
 * guessed: a row that lacks what is needed is left out, counted, and named.
 */
#ifndef QS_TRACE_H
#define QS_TRACE_H

#include <stddef.h>

#include "conf/error.h"
#include "report/problems.h"
#include "report/run.h"

struct qs_trace_job {
	int64_t submit;  /* seconds */
	int64_t run_sec; /* of work, when nothing interrupts it */
	uint64_t id;     /* job_id where it is a number, else 0 */
	uint32_t line;   /* in the file */
	uint32_t gpus;
	uint32_t priority;
	uint16_t share, type; /* index of the name */
	uint8_t ended;        /* enum qs_run_end, when it ends by itself */
};

/* Names that occur, each once. */
struct qs_trace_names {
	char **items;
	uint32_t n;
	/* private */
	uint32_t max, *slots, nslots;
};

struct qs_trace {
	struct qs_trace_job *jobs; /* by submission, then line */
	uint32_t njobs;
	/* As they are written; an empty one is "no name". */
	struct qs_trace_names shares, types;
	uint32_t rows;     /* all that there were */
	uint32_t left_out; /* of these, and why: */
	struct qs_problems problems;
	uint32_t max; /* private */
};

/*
 * Read a trace. name: what errors call it. NULL with *err and errno: the first
 * line lacks a column, memory is short. Rows in error are no error.
 */
struct qs_trace *qs_trace_read(const char *name, const char *text, size_t n,
			       struct qs_error *err);
/* An empty one, to be filled by qs_trace_add() and sealed; NULL: ENOMEM. */
struct qs_trace *qs_trace_new(void);
/* share, type: names, NULL as "". Sets job's indexes. -1 with errno ENOMEM, or
 * E2BIG: too many names. */
int qs_trace_add(struct qs_trace *trace, const struct qs_trace_job *job,
		 const char *share, size_t nshare, const char *type,
		 size_t ntype);
/* A row that cannot be used. what: a string that is not freed. cell: n bytes
 * that show it, or NULL. */
void qs_trace_leave_out(struct qs_trace *trace, uint32_t line, const char *what,
			const char *cell, size_t n);
/* Sort. -1 with errno ENOMEM. */
int qs_trace_seal(struct qs_trace *trace);
/* NULL is fine. */
void qs_trace_free(struct qs_trace *trace);

#endif
