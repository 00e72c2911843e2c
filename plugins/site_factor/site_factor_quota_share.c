/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_factor_quota_share.c - jobs that may start, in the plan's order (R5, R6a)
 *
 * PriorityType=priority/multifactor, PrioritySiteFactorPlugin=site_factor/
 * quota_share. slurmctld asks when it works out a job's priority, with at
 * least the job read lock. Its surprise: a job that may not start has no
 * factor at all; only who was let through the gate is put before the others.
 */
#include "compat/compat.h"

#include "runtime/runtime.h"

const char plugin_name[] = "Quota shares: order of the jobs that may start";
const char plugin_type[] = "site_factor/quota_share";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

extern int init(void);
extern QS_FINI_TYPE fini(void);
extern void site_factor_p_reconfig(void);
extern void site_factor_p_set(job_record_t *job);
extern void site_factor_p_update(void);

extern int init(void)
{
	return qs_runtime_init(plugin_type);
}

extern QS_FINI_TYPE fini(void)
{
	qs_runtime_fini(plugin_type);
	QS_FINI_RETURN;
}

extern void site_factor_p_reconfig(void)
{
}

extern void site_factor_p_set(job_record_t *job)
{
	job->site_factor = qs_runtime_site_factor(job);
}

/* Before slurmctld recalculates all priorities, every few minutes. */
extern void site_factor_p_update(void)
{
	job_record_t *job;
	list_itr_t *it;

	if (!job_list)
		return;
	it = list_iterator_create(job_list);
	while ((job = list_next(it)))
		if (IS_JOB_PENDING(job))
			job->site_factor = qs_runtime_site_factor(job);
	list_iterator_destroy(it);
}
