/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cluster.h - large clusters for the benchmarks
 */
#ifndef BENCH_CLUSTER_H
#define BENCH_CLUSTER_H

#include "engine/snapshot.h"

enum bench_claimant {
	BENCH_NOBODY,
	BENCH_WHOLE_NODES, /* nodes named, 8 GPUs each */
	BENCH_ANY,         /* as few nodes as hold it */
};

/* What to make. Each node has 8 GPUs of one type; every GPU is held. */
struct bench_kind {
	uint32_t nodes, shares, types;
	uint32_t gpus_each; /* GPUs of a running job; 0: 1, 2, 4 or 8 */
	uint32_t waiting;   /* ordinary waiting jobs, in all shares */
	enum bench_claimant claimant;
	uint32_t claimant_gpus;
	bool best_effort; /* InShareOrder */
	uint64_t seed;
};

struct qs_policy *bench_policy(const struct bench_kind *kind);
struct qs_snapshot *bench_cluster(const struct qs_policy *policy,
				  const struct bench_kind *kind);

#endif
