/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_view.h - the one form in which both readings of a request are judged
 *
 * request_record.c and request_desc.c fill it, request.c turns it into GPUs
 * (law 9: one function for both). Strings are borrowed.
 */
#ifndef QS_HOST_REQUEST_VIEW_H
#define QS_HOST_REQUEST_VIEW_H

#include "host/request.h"
#include "host/request_pool.h"

struct qs_view {
	struct qs_terms terms;
	struct qs_shape shape;
	const char *partitions;
	const char *req_nodes;
	bool whole_nodes;
	bool one_per_core;
	uint32_t cpus;          /* asked in total; 0: tasks decide */
	uint32_t cpus_per_task; /* 0: 1 */
	uint32_t cpus_per_gpu;
	uint64_t mem_per_cpu; /* MiB, 0: not asked so */
};

/* Slurm's marks for "not given" as 0. */
static inline uint32_t qs_view_n32(uint32_t value)
{
	return value == NO_VAL || value == INFINITE ? 0 : value;
}

static inline uint32_t qs_view_n16(uint16_t value)
{
	return value == NO_VAL16 || value == INFINITE16 ? 0 : value;
}

/* From pn_min_memory, which is per node or, with a flag, per CPU. */
static inline uint64_t qs_view_mem_per_cpu(uint64_t pn_min_memory)
{
	if (pn_min_memory == NO_VAL64 || !(pn_min_memory & MEM_PER_CPU))
		return 0;
	return pn_min_memory & ~MEM_PER_CPU;
}

/* Where its nodes may be, for qs_pool_scan(). */
void qs_view_filter(const struct qs_view *view, struct qs_pool_filter *filter);

/*
 * How many nodes the view means. fixed: the request says exactly that many.
 * open: max is an estimate, because the request sets no upper end and its
 * charge depends on it. pool as for the view.
 */
struct qs_nodes {
	uint32_t min, max;
	bool fixed, open;
};
void qs_view_nodes(const struct qs_view *view, const struct qs_pool *pool,
		   struct qs_nodes *nodes);

/* R2: the view in GPUs, on nodes->max nodes where that matters. */
void qs_view_judge(const struct qs_policy *policy, int queue,
		   const struct qs_view *view, const struct qs_pool *pool,
		   const struct qs_nodes *nodes, struct qs_request *request);

/* Scan, count nodes and judge in one go. */
void qs_view_request(const struct qs_policy *policy, int queue,
		     const struct qs_view *view, struct qs_request *request);

#endif
