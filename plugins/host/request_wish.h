/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_wish.h - the one form in which both readings of a request are judged
 *
 * request_record.c and request_desc.c fill it, request.c turns it into GPUs
 * (law 9: one function for both). Strings are borrowed.
 */
#ifndef QS_HOST_REQUEST_WISH_H
#define QS_HOST_REQUEST_WISH_H

#include "host/request.h"
#include "host/request_pool.h"

struct qs_wish {
	struct qs_terms terms;
	struct qs_shape shape;
	const char *partitions;
	const char *req_nodes, *exc_nodes;
	const char *features; /* as for --constraint */
	bool whole_nodes;
	bool settled;           /* the terms are what the chosen nodes have */
	bool one_thread;        /* --threads-per-core=1 */
	bool spec_cores;        /* --core-spec, where Slurm allows it */
	uint32_t cpus;          /* asked in total; 0: tasks decide */
	uint32_t cpus_per_task; /* 0: 1 */
	uint32_t cpus_per_gpu;
	uint32_t tasks_per_core; /* 0: not given */
	uint64_t memory;         /* as pn_min_memory, 0: not given */
};

/* Slurm's marks for "not given" as 0. */
static inline uint32_t qs_wish_n32(uint32_t value)
{
	return value == NO_VAL || value == INFINITE ? 0 : value;
}

static inline uint32_t qs_wish_n16(uint16_t value)
{
	return value == NO_VAL16 || value == INFINITE16 ? 0 : value;
}

/* A pn_min_memory; 0: it says nothing. */
static inline uint64_t qs_wish_memory(uint64_t memory)
{
	return memory == NO_VAL64 || memory == MEM_PER_CPU ? 0 : memory;
}

/* Do cores that nodes keep for the system count for a job with this? */
static inline bool qs_wish_spec_cores(uint16_t core_spec)
{
	return core_spec != NO_VAL16 && core_spec != INFINITE16 &&
	       (slurm_conf.conf_flags & CONF_FLAG_ASRU);
}

/* Where its nodes may be, for qs_pool_scan(). What types there are to choose
 * from (R2a) is asked of all of these. */
void qs_wish_filter(const struct qs_wish *wish, struct qs_pool_filter *filter);

/* Does the number of nodes decide how many GPUs it gets? */
static inline bool qs_wish_by_node(const struct qs_wish *wish)
{
	return wish->whole_nodes || qs_terms_by_node(&wish->terms);
}

/* And is it left open by the wish itself? Most say how many nodes. */
static inline bool qs_wish_sized(const struct qs_wish *wish)
{
	return wish->whole_nodes ||
	       (qs_terms_by_node(&wish->terms) &&
		(!wish->shape.max_nodes ||
		 wish->shape.min_nodes != wish->shape.max_nodes));
}

/*
 * Leaves in the pool what counts for the job's size: the nodes that can be
 * among those that it gets, with its types, so many GPUs, its memory. The
 * types present stay those of before.
 */
void qs_wish_measure(const struct qs_policy *policy, int queue,
		     const struct qs_wish *wish, struct qs_pool *pool);

/*
 * How many nodes the wish means. fixed: the request says exactly that many.
 * open: max is an estimate, because the request sets no upper end and its
 * charge depends on it. pool by qs_wish_measure().
 */
struct qs_node_range {
	uint32_t min, max;
	bool fixed, open;
};
void qs_wish_nodes(const struct qs_wish *wish, const struct qs_pool *pool,
		   struct qs_node_range *nodes);

/* R2: the wish in GPUs, on nodes->max nodes where that matters; pool as
 * above. */
void qs_wish_judge(const struct qs_policy *policy, int queue,
		   const struct qs_wish *wish, const struct qs_pool *pool,
		   const struct qs_node_range *nodes,
		   struct qs_request *request);

/* Scan, count nodes and judge in one go. */
void qs_wish_request(const struct qs_policy *policy, int queue,
		     const struct qs_wish *wish, struct qs_request *request);

#endif
