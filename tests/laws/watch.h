/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - the laws of time, held against one plan after the other
 *
 * Who plays a world through time (history.c, and the tests of the replay) tells
 * of each plan before it is carried out, and of each decision as it is. What
 * happened in between is seen by comparing snapshots. The engine's structs only,
 * so that any simulation can be watched that asks the planner.
 *
 * Held: 2 (no own job is stopped for another share), 6 (a freed place reaches
 * its claimant), 7 (no displacement twice), 15 (a claimant whose victims are
 * dying takes no further ones), 16 and R6 (loans are lent, and RESERVE is not).
 */
#ifndef LAW_WATCH_H
#define LAW_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/plan.h"

/* What is known of a job id beside the snapshot. */
struct law_fate {
	bool known; /* it was in the last snapshot */
	bool seen;  /* it is in this one */
	bool running, requeue;
	bool claim;      /* capacity was freed for it, and it did not start */
	bool borrows;    /* its claim is by R8, beyond its own */
	uint32_t for_id; /* told to go for this one; 0: not told */
	uint32_t priority;
	int disturbed; /* news since its claim */
};

struct law_pair {
	uint32_t victim, claimant;
};

struct law_watch {
	struct law_fate *fates; /* by job id */
	uint32_t nfates;
	struct law_pair *pairs; /* who displaced whom since the last news */
	uint32_t npairs, pairs_max;
	/* The policy or nodes changed: older debts may exist. */
	bool bent;
	/* How often there was something to hold it against. */
	uint64_t claims_kept, stops;
};

/* An empty one is all zero. Ends the program when memory is short. */
void law_watch_free(struct law_watch *watch);

/* The policy or nodes changed: claims may have lost their reason. */
void law_watch_news(struct law_watch *watch);

/* A plan is to be carried out. False: a law was broken, and why says which. */
bool law_watch_plan(struct law_watch *watch, const struct qs_snapshot *snap,
		    char *why, size_t size);
/* One of its decisions, in their order. as: the job's id from now on, of an
 * array another one for the task that starts. */
bool law_watch_decision(struct law_watch *watch, const struct qs_snapshot *snap,
			const struct qs_plan *plan, const struct qs_decision *d,
			uint32_t as, char *why, size_t size);
/* Nothing moves any more: does an owner still wait? */
bool law_watch_rest(const struct qs_snapshot *snap, const struct qs_plan *plan,
		    char *why, size_t size);

#endif
