/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.c - calls into slurmctld that differ between versions
 *
 * Called by our own thread only, under slurmctld's locks. Blocks on the mutex
 * that slurmctld holds around burst_buffer callbacks: ending a job calls back
 * into burst_buffer/quota_share. Its surprise: that is why none of these may
 * be called from such a callback.
 */
#include "compat/compat.h"
#include "compat/preempt.h"

int qs_compat_preempt(job_record_t *victim, job_record_t *claimant,
		      bool requeue)
{
	uint16_t mode = requeue ? PREEMPT_MODE_REQUEUE : PREEMPT_MODE_CANCEL;

	return (int)slurm_job_preempt(victim, claimant, mode, true);
}
