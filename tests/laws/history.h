/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - a world through time, run as the runtime in slurmctld runs it
 *
 * Each step: things happen (jobs come, end, are cancelled; the policy or nodes
 * change; grace times pass and victims go), a plan is made from the world as
 * it is, and applied: who may start starts, who must go is told to end and
 * goes after its grace time, and its claimant has a claim until it starts.
 * After a busy time nothing new happens and the history must come to rest.
 */
#ifndef LAW_HISTORY_H
#define LAW_HISTORY_H

#include "hunt.h"

/* More than a history submits. */
#define LAW_SUBMISSIONS 128

struct law_history_kind {
	struct law_taste taste;
	bool policies;  /* the policy changes now and then */
	bool node_news; /* nodes go down, drain and come back */
};

/* Submissions that are left out, by their number, and how many steps are
 * played: what a history is shrunk to. All zero: nothing is left out. */
struct law_history_cut {
	bool without[LAW_SUBMISSIONS];
	int steps; /* busy ones; 0: as many as there are */
};

struct law_history_stats {
	uint64_t histories, steps, starts, borrows, stops, claims_kept,
		requeued, settled_in, owners_served;
};
extern struct law_history_stats law_history_stats;

/* One history, less what cut leaves out (NULL: nothing). False with why if a law
 * was broken; *world is then how things stood before the plan that did. */
bool law_history_run(const struct law_history_kind *kind, uint64_t seed,
		     const struct law_history_cut *cut, struct law_world *world,
		     char *why, size_t size);

/*
 * The smallest cut found with which the history still breaks a law in the same
 * words, numbers apart. *world and why become those of that history. Slow, and
 * only called when something is wrong.
 */
void law_history_shrink(const struct law_history_kind *kind, uint64_t seed,
			struct law_history_cut *cut, struct law_world *world,
			char *why, size_t size);

#endif
