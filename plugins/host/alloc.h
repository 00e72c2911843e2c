/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alloc.h - what a job really holds, by node and type (R2, law 9)
 *
 * From gres_list_alloc, the allocation that slurmctld itself keeps. Job read
 * lock. A completing job holds only what is on nodes that have not finished
 * with it (node_bitmap_cg).
 */
#ifndef QS_HOST_ALLOC_H
#define QS_HOST_ALLOC_H

#include "compat/compat.h"

#include "engine/snapshot.h"

struct qs_alloc {
	struct qs_placed *placed; /* malloc; node is Slurm's node index */
	uint32_t nplaced, max;
};

/*
 * Fills alloc (reused: keeps its memory) with what job holds. other, if not
 * NULL, gets GPUs of types that the policy does not know.
 * Returns 0, or -1 with errno ENOMEM.
 */
int qs_alloc_job(const struct qs_policy *policy, const job_record_t *job,
		 struct qs_alloc *alloc, uint32_t *other);
void qs_alloc_free(struct qs_alloc *alloc);

#endif
