/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_run.h - one walk through a plan
 *
 * Internal to the oracle.
 */
#ifndef LAW_ORACLE_RUN_H
#define LAW_ORACLE_RUN_H

#include "oracle_judge.h"

struct run {
	struct state st;
	const struct law_view *view;
	const struct qs_plan *plan;
	uint32_t left[LAW_JOBS];     /* tasks of the record not decided */
	uint32_t wants[LAW_JOBS];    /* tasks that were not started */
	bool claim_tried[LAW_JOBS];  /* had its turn among claimants */
	bool waits[LAW_JOBS];        /* decided, and holds up others */
	uint32_t decision[LAW_JOBS]; /* next decision of the job's to look at */
	uint32_t served;             /* how far the order was followed */
	char *why;
	size_t size;
};
/* Says what is wrong; always false. */
bool run_no(struct run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What is settled without looking at anybody else, as bits of codes: R6b, R15,
 * R16, holds; 0: nothing is. */
uint32_t run_settled(const struct law_world *w, const struct law_job *job,
		     bool *never);
/* Does the job of the queue still wait for its decision? */
bool run_undecided(const struct run *run, int job);
/* Has the job a claim still? It is for one task of an array. */
bool run_claims(const struct run *run, int job);
/* R6a STRICT: does one that ranks before it wait for quota? */
bool run_held_up(const struct run *run, int job);
/* R9: the claimant whose turn it is, each has one before all others; R6c: the
 * job whose turn it is. -1: nobody's. */
int run_next_claimant(struct run *run);
int run_next_job(struct run *run);
/* Is a claimant's turn now, or do owners wait for what it would borrow? */
bool run_leaves_owners_theirs(const struct run *run, int job);

/* R9: may the job have to leave one of these nodes to another claimant? */
bool run_others_claim(const struct run *run, int job, uint32_t nodes);

/* What owners who wait could take as own goes into the state. */
void run_owners_want(struct run *run);

/* The places of a START go into the holder. */
bool run_check_places(struct run *run, const struct law_job *job,
		      const struct qs_decision *d, struct holder *h,
		      enum when when);
/* Laws 2 and 3: allowed, enough, and none too many; they are ending then. */
bool run_check_victims(struct run *run, const struct law_job *job,
		       const struct qs_decision *d,
		       const struct judgement *judged);

#endif
