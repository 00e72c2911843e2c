/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.c - calls into slurmctld that differ between versions
 *
 * Called under slurmctld's locks: by our own thread, the last by job_submit.
 * Blocks on the mutex that slurmctld holds around burst_buffer callbacks (ending
 * a job calls back into burst_buffer/quota_share) and on the association
 * manager's locks. Its surprise: that is why none of these may be called from
 * such a callback.
 */
#include "compat/compat.h"
#include "compat/preempt.h"

#include "src/common/assoc_mgr.h"

#include "src/slurmctld/acct_policy.h"

int qs_compat_preempt(job_record_t *victim, job_record_t *claimant,
		      bool requeue)
{
	uint16_t mode = requeue ? PREEMPT_MODE_REQUEUE : PREEMPT_MODE_CANCEL;

	return (int)slurm_job_preempt(victim, claimant, mode, true);
}

void qs_compat_add_submit(job_record_t *job)
{
#if QS_SLURM_AT_LEAST(23, 11)
	acct_policy_add_job_submit(job, false);
#else
	acct_policy_add_job_submit(job);
#endif
}

bool qs_compat_is_coord(uint32_t uid, char *account)
{
#if QS_SLURM_AT_LEAST(23, 11)
	return assoc_mgr_is_user_acct_coord(acct_db_conn, uid, account, false);
#else
	return assoc_mgr_is_user_acct_coord(acct_db_conn, uid, account);
#endif
}
