/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measures.h - what sharing brought, in numbers: from runs and who owned what
 *
 * The one place where a report and a replay count. Pure: sealed runs, a history
 * of quotas and a window go in. At every instant of the window R4 says which
 * job is own and which is borrowed (priority, start, job id), and R4a whose idle
 * GPUs are on loan; seconds of these are added up.
 *
 * All GPU-seconds are whole numbers and add up exactly:
 *   used = own + borrowed           in each row
 *   capacity = own + lent + idle    in each row
 *   borrowed of all rows = lent of all rows + unowned, per type
 *   used of all rows = sum over the runs of what they held in the window
 * Only the matrix is of fractions.
 */
#ifndef QS_MEASURES_H
#define QS_MEASURES_H

#include "report/quota_history.h"
#include "report/runs.h"

/* GPU-seconds of a share and a type in the window. */
struct qs_use {
	int64_t capacity; /* what the share owned */
	int64_t used, own;
	int64_t borrowed;   /* beyond its own: borrowed and over limit */
	int64_t over_limit; /* the part of borrowed above the limit (R8a) */
	int64_t lent, idle;
};

/* Numbers of which one wants the middle and the tail; 0 of none. */
struct qs_spread {
	uint32_t n;
	int64_t median, p90, max;
	int64_t sum;
};

/* Per share. Waits are those of runs that started in the window, ends those of
 * runs that ended in it. Seconds, jobs, GPU-seconds. */
struct qs_outcome {
	struct qs_spread wait_own;       /* first starts: all of it own */
	struct qs_spread wait_borrowing; /* first starts: some of it borrowed */
	/* Interruption (preempted, node failure, requeued) to the next start. */
	struct qs_spread wait_again;
	/* Of jobs for which others were stopped: claim to start. */
	struct qs_spread reclaim;
	/* Of jobs that completed: submission to the end, and the time in which
	 * they ran. */
	struct qs_spread turnaround, run_time;
	uint32_t submitted;            /* jobs, in the window */
	uint32_t started;              /* runs, in the window */
	uint32_t ended[QS_RUN_ENDS];   /* runs, in the window */
	uint32_t preempted[QS_CAUSES]; /* ended[QS_RUN_PREEMPTED] by cause */
	uint32_t requeued;             /* runs after which the job went on */
	uint32_t retry_limit;          /* R12: ended for good by it */
	uint32_t running, waiting;     /* jobs, when the window ends */
	/* GPU-seconds of interrupted runs that must be, or were, repeated. */
	int64_t repeated, repeated_preempted;
	/* GPU-seconds of jobs that completed, their repeated runs left out:
	 * "goodput". Whole runs, also outside the window. */
	int64_t completed_gpu_sec;
};

/* What to measure. */
struct qs_measures_wish {
	int64_t begin, end; /* window; begin inclusive, end exclusive */
	/* Runs that go on are counted until then (and not beyond end). */
	int64_t now;
	/* Slices of equal length for the timeline; 0: none. */
	uint32_t slices;
	/* false: no per-run results, saves 16 bytes a run and type */
	bool per_run;
};

/* What one run held, in the window: an entry for each of runs->demands. */
struct qs_run_use {
	int64_t own, borrowed; /* GPU-seconds */
};

struct qs_measures {
	int64_t begin, end;
	int32_t nshares, ntypes; /* the history's */
	/* [(nshares + 1) * ntypes]; the last share's row is "no share": runs
	 * that no policy knows, all borrowed (as R16). */
	struct qs_use *use;
	struct qs_outcome *outcome; /* [nshares + 1], then one of all shares */
	/* [ntypes] borrowed that no lender's idle GPU stood for: the pool has
	 * GPUs that nobody owns, or more was lent than is owned. */
	int64_t *unowned;
	/* [ntypes] GPU-seconds out of service, where the history knows. */
	int64_t *out_of_service;
	/*
	 * [lender * (nshares + 1) + borrower] GPU-seconds of all types. At each
	 * instant a loan is spread over the lenders of that instant by what
	 * they lent. The last lender's row is "unowned".
	 */
	double *matrix;
	/* [by's share * (nshares + 1) + victim's share] preemptions; the last
	 * row: not known for whom. */
	uint32_t *preemptions;
	uint32_t slices;
	/* [(slice * (nshares + 1) + share) * ntypes + type] */
	struct qs_use *timeline;
	struct qs_run_use *run_use; /* [runs->ndemands], or NULL */
	/* [runs->n] began (partly) as borrowed, or NULL as run_use */
	bool *run_borrowed;
	/* What could not be counted as it stood. */
	uint32_t end_before_start; /* runs; counted as if they had no length */
	uint32_t start_before_submit; /* waits; counted as 0 */
};

/*
 * Measure. runs must be sealed, the history must have a policy. Returns 0, or
 * -1 with errno ENOMEM or EINVAL (no policy, end before begin). The caller
 * frees *measures with qs_measures_free().
 * Time: n log n in the runs; a share that holds more than it owns costs as
 * many steps at each of its starts and ends as it has running jobs.
 */
int qs_measures_make(const struct qs_quota_history *history,
		     const struct qs_runs *runs,
		     const struct qs_measures_wish *wish,
		     struct qs_measures *measures);
void qs_measures_free(struct qs_measures *measures);

/* A share's row of a type. */
static inline const struct qs_use *qs_measures_use(const struct qs_measures *m,
						   int32_t share, int32_t type)
{
	return &m->use[share * m->ntypes + type];
}

static inline void qs_use_add(struct qs_use *sum, const struct qs_use *use)
{
	sum->capacity += use->capacity;
	sum->used += use->used;
	sum->own += use->own;
	sum->borrowed += use->borrowed;
	sum->over_limit += use->over_limit;
	sum->lent += use->lent;
	sum->idle += use->idle;
}

/* Sorts values. The p-th percentile is the smallest value that at least p per
 * cent of them do not exceed. */
struct qs_spread qs_spread_of(int64_t *values, uint32_t n);

#endif
