/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_pool.h - the nodes that a request may get, summed up
 *
 * For what a request leaves open: the type of untyped GPUs (R2a), how many
 * nodes hold it, what whole nodes bring along. Node and partition read locks.
 */
#ifndef QS_HOST_REQUEST_POOL_H
#define QS_HOST_REQUEST_POOL_H

#include "compat/compat.h"

#include "engine/policy.h"

/* Which nodes count, and how their CPUs do. */
struct qs_pool_filter {
	const char *partitions; /* comma list; NULL or "": the default one */
	const char *req_nodes;  /* comma list with ranges, or NULL */
	const char *exc_nodes;  /* the same */
	const char *features;   /* as for --constraint; only "a&b" counts */
	uint64_t types;         /* each node must hold one of these; 0: any */
	uint32_t least[QS_TYPES_MAX]; /* and so many of each type */
	uint64_t mem_per_node;        /* MiB that each must have */
	uint64_t mem_per_cpu;   /* MiB; 0: CPUs are not limited by memory */
	uint32_t cpus_per_task; /* 0: 1 */
	bool one_thread;        /* of each core: count cores, not threads */
	bool task_per_core;     /* no two tasks on one core */
	bool spec_cores;        /* cores kept for the system count too */
};

struct qs_pool {
	uint32_t nodes;     /* in that partition which has most of them */
	uint32_t req_nodes; /* how many nodes req_nodes names */
	uint32_t min_nodes; /* least and most that the partitions give to a */
	uint32_t max_nodes; /* job which says nothing of it */
	uint32_t cpus;      /* most that one node has */
	uint32_t tasks;     /* most that one node holds */
	uint64_t present;   /* bit per policy type */
	bool bare;          /* some node has no GPU that the policy knows */
	uint32_t gpus[QS_TYPES_MAX]; /* most that one node has of each type */
};

void qs_pool_scan(const struct qs_policy *policy,
		  const struct qs_pool_filter *filter, struct qs_pool *pool);

/* DefMemPerCPU or DefMemPerNode, in the form of pn_min_memory, that slurmctld
 * will give to a job of these partitions which says nothing of memory. */
uint64_t qs_pool_default_memory(const char *partitions);

/* Some of the partitions gives whole nodes only (OverSubscribe=EXCLUSIVE). */
bool qs_pool_exclusive(const char *partitions);

/*
 * The gres type by which to ask for a policy type on these nodes: the name
 * that most GPUs of it have. NULL if they have none, or if leaving the request
 * untyped asks for exactly the same GPUs. Points into the policy.
 */
const char *qs_pool_gres_name(const struct qs_policy *policy,
			      const struct qs_pool_filter *filter, int type);

#endif
