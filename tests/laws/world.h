/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world.h - a small policy, cluster and jobs in plain arrays
 *
 * What the laws are tried on. A world is a flat struct: it is copied by
 * assignment, shrunk by dropping entries, written as a scenario file, and
 * made into the engine's structs. The oracle reads worlds, never the engine's
 * structs, so that a fault in building a snapshot shows too.
 */
#ifndef LAW_WORLD_H
#define LAW_WORLD_H

#include <stdio.h>

#include "engine/plan.h"
#include "random.h"

#define LAW_TYPES  3
#define LAW_QUEUES 2
#define LAW_SHARES 6
#define LAW_NODES  6
#define LAW_JOBS   64

struct law_queue {
	bool strict, fair, non_requeue_borrow, enabled;
	struct qs_opt capacity[LAW_TYPES];
	uint8_t victim_order[QS_VICTIM_STEPS];
	uint32_t claim_timeout;
};

struct law_share {
	char name[4];
	int queue;
	enum qs_strategy strategy;
	struct qs_opt borrow_limit;
	bool in_share, enabled;
	uint32_t min_runtime;
	struct qs_opt grace, retries;
	bool listed[LAW_TYPES];
	uint32_t capacity[LAW_TYPES];
	struct qs_opt borrow_gpus[LAW_TYPES], lend_limit[LAW_TYPES];
};

struct law_node {
	char name[4];
	int queue;
	enum qs_node_state state;
	uint32_t cpus, cpus_busy;
	uint64_t partitions;
	uint32_t gpus[LAW_TYPES], other[LAW_TYPES];
};

struct law_job {
	uint32_t id;
	int share; /* QS_SHARE_REMOVED: no longer in the policy */
	int queue;
	enum qs_job_state state;
	bool requeue, held, ends, claim, submitting, unplaceable, unknown_type;
	uint32_t priority, preempted, need_nodes, cpus, copies, displaced_by;
	struct qs_opt retries;
	int64_t eligible, start, claimed;
	uint64_t partitions;
	uint32_t only;        /* bit a node; 0: every node */
	uint32_t claim_owed;  /* what others owed before it */
	uint32_t claim_on;    /* the nodes of its claim; 0: not known */
	uint32_t claim_tasks; /* of an array; 0 counts as 1 */
	uint32_t gpus[LAW_TYPES];
	uint32_t on[LAW_NODES][LAW_TYPES];
};

struct law_world {
	int64_t now;
	bool has_nodes;
	int ntypes, nqueues, nshares, nnodes, njobs;
	struct law_queue queues[LAW_QUEUES];
	struct law_share shares[LAW_SHARES];
	struct law_node nodes[LAW_NODES];
	struct law_job jobs[LAW_JOBS];
};

/* What a random world may contain. */
struct law_taste {
	bool nodes;  /* with node structure */
	bool types;  /* more than one type */
	bool many;   /* more jobs and larger shares */
	bool claims; /* claims, displaced jobs, arrays, unplaceable jobs */
	bool extras; /* removed shares, LendLimit, BorrowGpus, draining … */
};

void law_world_random(struct law_world *world, struct law_random *r,
		      const struct law_taste *taste);

/*
 * The engine's view of a world. shuffle: an order of shares, nodes and jobs of
 * its own for each value; 0 keeps the world's. Both are the caller's to free.
 * The maps give the world's index for the engine's (shares, nodes, jobs).
 */
struct law_view {
	struct qs_policy *policy;
	struct qs_snapshot *snap;
	int share_of[LAW_SHARES], node_of[LAW_NODES], job_of[LAW_JOBS];
	int queue_of[LAW_QUEUES];
};
void law_view_make(struct law_view *view, const struct law_world *world,
		   uint64_t shuffle);
void law_view_free(struct law_view *view);

/* A scenario file for `qshare plan` and for people. Fields that the file
 * format does not have are written as members that begin with '#'. */
void law_world_print(const struct law_world *world, FILE *out);

/* A copy without one job, share or node; false if it cannot go. */
void law_world_drop_job(struct law_world *world, int job);
bool law_world_drop_share(struct law_world *world, int share);
bool law_world_drop_node(struct law_world *world, int node);

/*
 * Make a failing world small: fails() says whether it still fails. *world is
 * changed in place and fails at the end.
 */
void law_world_shrink(struct law_world *world,
		      bool (*fails)(const struct law_world *, void *),
		      void *arg);

#endif
