/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h - slurmctld's nodes and partitions in the engine's terms
 *
 * Called with node and partition read locks held. GPU counts per node and
 * type come from the node's gres list (what is configured or was found, the
 * same that Slurm allocates from).
 */
#ifndef QS_HOST_NODES_H
#define QS_HOST_NODES_H

#include "compat/compat.h"

#include "engine/snapshot.h"

/* GPUs of a node per policy type into gpus[policy->ntypes]; GPUs of types
 * that the policy does not know are not counted. Returns their sum. */
uint32_t qs_nodes_gpus(const struct qs_policy *policy,
		       const node_record_t *node, uint32_t *gpus);

/* Bit per policy type that the nodes of these partitions hold. parts: a
 * comma list of names as in job_desc->partition; NULL: the default one. */
uint64_t qs_nodes_present(const struct qs_policy *policy, const char *parts);

/* The queue of a job by its partition or partition list (any of them), -1 if
 * none of them is in a queue. */
int qs_nodes_queue(const struct qs_policy *policy, const job_record_t *job);
/* The same for a comma list of names; NULL: the default partition. */
int qs_nodes_queue_of(const struct qs_policy *policy, const char *parts);

/* Bit of a partition within its queue, see qs_job.partitions; 0 if it is in
 * no queue of the policy. */
uint64_t qs_nodes_part_bit(const struct qs_policy *policy, int queue,
			   const char *part);

/*
 * The nodes that a waiting job's user keeps it off, to be freed; NULL: none. From
 * the names, since exc_node_bitmap may hold a fence of ours (runtime/fence.c).
 */
bitstr_t *qs_nodes_excluded(const job_details_t *details);

/*
 * Adds the nodes of all queues to the snapshot. map[node_record_count] gets
 * the snapshot's index by Slurm's node index, -1 for nodes of no queue.
 * Returns 0, or -1 with errno ENOMEM.
 */
int qs_nodes_add(struct qs_snapshot *snap, int32_t *map);

/* Nodes of the queues that slurmctld takes to be there but has not heard of
 * (yet), as all are when it has just started. */
uint32_t qs_nodes_unheard(const struct qs_policy *policy);

#endif
