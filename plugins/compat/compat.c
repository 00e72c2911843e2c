/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.c - calls into slurmctld that differ between versions
 *
 * Called under slurmctld's locks: by our own thread, qs_compat_is_coord() by
 * job_submit. Blocks on the mutex that slurmctld holds around burst_buffer
 * callbacks (ending a job calls back into burst_buffer/quota_share) and on the
 * association manager's locks. Its surprise: that is why none of these may be
 * called from such a callback.
 */
#include "compat/compat.h"
#include "compat/licenses.h"
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

struct license_count {
	const licenses_t *wanted;
	uint64_t total, used;
};

/* While the list is locked: one that a server counts may be removed from it at
 * any moment. */
static int count_license(void *item, void *arg)
{
	const licenses_t *license = item;
	struct license_count *count = arg;

	/* The copies of 25.05 have no names. */
#if QS_SLURM_AT_LEAST(25, 5)
	if (license->id.lic_id != count->wanted->id.lic_id)
		return 0;
#else
	if (xstrcmp(license->name, count->wanted->name))
		return 0;
#endif
	count->total = license->total;
	count->used = license->used;
#if QS_SLURM_AT_LEAST(23, 2)
	count->used += license->last_deficit;
#endif
	return 1;
}

bool qs_compat_license(const licenses_t *wanted, uint64_t *total,
		       uint64_t *used)
{
	struct license_count count = { .wanted = wanted };
#if QS_SLURM_AT_LEAST(25, 5)
	list_t *all = cluster_license_copy();
#elif QS_SLURM_AT_LEAST(23, 2)
	list_t *all = cluster_license_list;
#else
	list_t *all = license_list;
#endif
	bool known = all && list_find_first(all, count_license, &count);

#if QS_SLURM_AT_LEAST(25, 5)
	FREE_NULL_LIST(all);
#endif
	*total = count.total;
	*used = count.used;
	return known;
}
