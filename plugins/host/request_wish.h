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
	const char *req_nodes;
	bool whole_nodes;
	bool settled; /* the terms are what the chosen nodes have */
	bool one_per_core;
	uint32_t cpus;          /* asked in total; 0: tasks decide */
	uint32_t cpus_per_task; /* 0: 1 */
	uint32_t cpus_per_gpu;
	uint64_t mem_per_cpu; /* MiB, 0: not asked so */
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

/* From pn_min_memory, which is per node or, with a flag, per CPU. */
static inline uint64_t qs_wish_mem_per_cpu(uint64_t pn_min_memory)
{
	if (pn_min_memory == NO_VAL64 || !(pn_min_memory & MEM_PER_CPU))
		return 0;
	return pn_min_memory & ~MEM_PER_CPU;
}

/* Where its nodes may be, for qs_pool_scan(). */
void qs_wish_filter(const struct qs_wish *wish, struct qs_pool_filter *filter);

/*
 * How many nodes the wish means. fixed: the request says exactly that many.
 * open: max is an estimate, because the request sets no upper end and its
 * charge depends on it. pool as for the wish.
 */
struct qs_node_range {
	uint32_t min, max;
	bool fixed, open;
};
void qs_wish_nodes(const struct qs_wish *wish, const struct qs_pool *pool,
		   struct qs_node_range *nodes);

/* R2: the wish in GPUs, on nodes->max nodes where that matters. */
void qs_wish_judge(const struct qs_policy *policy, int queue,
		   const struct qs_wish *wish, const struct qs_pool *pool,
		   const struct qs_node_range *nodes,
		   struct qs_request *request);

/* Scan, count nodes and judge in one go. */
void qs_wish_request(const struct qs_policy *policy, int queue,
		     const struct qs_wish *wish, struct qs_request *request);

#endif
