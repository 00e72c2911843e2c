/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.h - a growing array of runs
 *
 * 100 bytes or so a run: a million jobs fit into a small machine. Filled in any
 * order, then sealed, then measured.
 */
#ifndef QS_RUNS_H
#define QS_RUNS_H

#include "report/run.h"

struct qs_runs {
	struct qs_run *items;
	struct qs_demand *demands; /* of one run after the other */
	uint32_t n, ndemands;
	uint32_t max, demands_max; /* private */
};

/* All zero is an empty array. Frees what it holds, not itself. */
void qs_runs_free(struct qs_runs *runs);

/*
 * Add a run and what it holds (copied; equal types are added up, zero counts
 * dropped). demands and ndemands inside *run are set here. Returns the new run,
 * good until the next add, or NULL with errno ENOMEM.
 */
struct qs_run *qs_runs_add(struct qs_runs *runs, const struct qs_run *run,
			   const struct qs_demand *demands, uint32_t ndemands);

static inline const struct qs_demand *
qs_runs_demands(const struct qs_runs *runs, const struct qs_run *run)
{
	return run->ndemands ? &runs->demands[run->demands] : NULL;
}

/*
 * Sort by job, then attempt (given for all runs of a job or for none), then
 * submission and start, keeping the order of equals; number attempts that are
 * 0. Afterwards the runs of a job stand together, oldest first. Returns 0, or
 * -1 with errno ENOMEM.
 */
int qs_runs_seal(struct qs_runs *runs);

/* Sealed: is this the last run of its job? */
static inline bool qs_runs_last(const struct qs_runs *runs, uint32_t i)
{
	return i + 1 == runs->n || runs->items[i + 1].job != runs->items[i].job;
}
static inline bool qs_runs_first(const struct qs_runs *runs, uint32_t i)
{
	return !i || runs->items[i - 1].job != runs->items[i].job;
}

#endif
