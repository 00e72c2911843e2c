/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_state.h - the oracle's sums: who holds what, and what fits
 *
 * Internal to the oracle.
 */
#ifndef LAW_ORACLE_STATE_H
#define LAW_ORACLE_STATE_H

#include "oracle.h"

#define LAW_HOLDERS 192

/* Something that holds GPUs, or will: a job that runs, one that was let
 * start by an earlier decision, or a need that is kept (R9). */
struct holder {
	uint32_t id;
	int job; /* index in the world */
	int share;
	uint32_t priority;
	int64_t start;
	bool ends;    /* on its way out, or a victim */
	bool decided; /* came by a decision of this evaluation */
	bool kept;    /* waits for it; where is not known */
	bool after;   /* starts only after its victims went */
	bool own;     /* a claimant that will be own: R9 */
	bool placed;  /* its place counts; else only quota is kept for it */
	uint32_t gpus[LAW_TYPES];
	uint32_t on[LAW_NODES][LAW_TYPES];
	uint32_t cpus_on[LAW_NODES];
};

struct state {
	const struct law_world *w;
	int queue;
	int nholders;
	struct holder holders[LAW_HOLDERS];
	/* trial: holders without which to look (R7, R8) */
	bool gone[LAW_HOLDERS];
	/* trial: so many fewer GPUs used by a share, for R8's need */
	uint32_t less[LAW_SHARES][LAW_TYPES];
	/* what the shares' waiting jobs could take as own; not lendable while
	 * owners_first is set */
	int64_t wanted[LAW_SHARES][LAW_TYPES];
	bool owners_first;
	/* a need is kept on nodes that the plan does not name */
	bool vague;
};

/* Which holders count: all, those that stay, or those that really hold GPUs
 * at this instant (not who waits for others to end). */
enum when {
	NOW,
	ENDED,
	REAL,
};

void state_init(struct state *st, const struct law_world *w, int queue);
/* Adds a holder for a waiting job; returns its index. */
int state_add(struct state *st, const struct law_job *job, int index);

int64_t state_used(const struct state *st, int share, int t, enum when when);
/* R4: what a holder has beyond its share's capacity. */
int64_t state_beyond(const struct state *st, int holder, int t, enum when when);
int64_t state_loans(const struct state *st, int t, enum when when);
/* What all shares lend, out of service taken off. */
int64_t state_lent(const struct state *st, int t, enum when when);
/* Loans above what is lent, never more than can come back. */
int64_t state_excess(const struct state *st, int t, enum when when);
int64_t state_out_of_service(const struct state *st, int t, enum when when);

int64_t law_limit(const struct law_world *w, int share, int t);
int64_t law_lends(const struct law_world *w, int share, int t);
int64_t law_pool(const struct law_world *w, int queue, int t);

/* May the node take the job at all (state apart)? */
bool law_node_suits(const struct law_world *w, const struct law_job *job,
		    int node);
int64_t state_free(const struct state *st, int node, int t, enum when when);
int64_t state_free_cpus(const struct state *st, int node, enum when when);
int64_t state_pool_free(const struct state *st, int t, enum when when);
/* Can nodes (or the pool) take the job? */
bool state_places(const struct state *st, const struct law_job *job,
		  enum when when);

#endif
