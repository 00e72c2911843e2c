/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * het.h - which quota queue a job is of, where it may have several parts
 *
 * The components of a het job have partitions of their own, and the leader is
 * often one that asks for no GPU. So a het job is of the queue in which a
 * component asks for GPUs, and all of them together are one job there. What they
 * ask for in a partition of no queue is none of ours (R1).
 */
#ifndef QS_HOST_HET_H
#define QS_HOST_HET_H

#include "compat/compat.h"

#include "engine/snapshot.h"

struct qs_het_home {
	int queue; /* -1: none */
	/* Another queue in which it asks for GPUs as well, so that it has no one
	 * share; -1: none. */
	int other;
	/* The first component that asks for GPUs of the queue: its share is the
	 * job's, and so are its priority and retries, which were judged when it
	 * was submitted. Of a plain job itself. */
	job_record_t *by;
};

/*
 * Of a plain job the queue is that of its partitions, whatever it asks for. A
 * component stands for its whole job. Job, node and partition read locks; no
 * allocation.
 */
void qs_het_find(const struct qs_policy *policy, job_record_t *job,
		 struct qs_het_home *home);

/* What is wrong with components of two queues, and what would help. */
void qs_het_two_queues(const struct qs_policy *policy, int queue, int other,
		       char *text, size_t size);

#endif
