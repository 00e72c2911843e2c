/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preempt_quota_share.c - who may be stopped for whom: only whom we named
 *
 * PreemptType=preempt/quota_share, PreemptMode=REQUEUE. slurmctld asks under
 * the job write lock, for every job in its list for every job that it tries to
 * place. The answer is no, but for the one test by which our thread asks Slurm
 * whether a job would find its place once certain others are gone. The stopping
 * is done by that thread. Its surprise: core names the two arguments of
 * preempt_p_preemptable() the wrong way round; the victim comes first.
 */
#include "compat/compat.h"
#include "compat/preempt.h"

#include "runtime/runtime.h"

const char plugin_name[] = "Quota shares: what is lent is taken back";
const char plugin_type[] = "preempt/quota_share";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

extern int init(void);
extern QS_FINI_TYPE fini(void);
extern bool preempt_p_job_preempt_check(job_queue_rec_t *preemptor,
					job_queue_rec_t *preemptee);
extern bool preempt_p_preemptable(job_record_t *preemptee,
				  job_record_t *preemptor);

extern int init(void)
{
	return qs_runtime_init(plugin_type);
}

extern QS_FINI_TYPE fini(void)
{
	qs_runtime_fini(plugin_type);
	QS_FINI_RETURN;
}

/* Sorts the queue by who could preempt whom: nobody, so by priority. */
extern bool preempt_p_job_preempt_check(job_queue_rec_t *preemptor,
					job_queue_rec_t *preemptee)
{
	(void)preemptor;
	(void)preemptee;
	return false;
}

extern bool preempt_p_preemptable(job_record_t *preemptee,
				  job_record_t *preemptor)
{
	return qs_runtime_preemptable(preemptee, preemptor);
}

static uint16_t mode_of(const job_record_t *job)
{
	return qs_runtime_requeues(job) ? PREEMPT_MODE_REQUEUE :
					  PREEMPT_MODE_CANCEL;
}

#if QS_PREEMPT_GET_DATA
extern int preempt_p_get_data(job_record_t *job, slurm_preempt_data_type_t type,
			      void *data);

/* job is NULL for ENABLED. The grace time is our own (runtime/stop.c). */
extern int preempt_p_get_data(job_record_t *job, slurm_preempt_data_type_t type,
			      void *data)
{
	switch (type) {
	case PREEMPT_DATA_ENABLED:
		*(bool *)data = true;
		return SLURM_SUCCESS;
	case PREEMPT_DATA_MODE:
		*(uint16_t *)data = mode_of(job);
		return SLURM_SUCCESS;
	case PREEMPT_DATA_PRIO:
	case PREEMPT_DATA_GRACE_TIME:
		*(uint32_t *)data = 0;
		return SLURM_SUCCESS;
	default:
		return SLURM_ERROR;
	}
}
#else
extern uint16_t preempt_p_get_mode(job_record_t *job);
extern uint32_t preempt_p_get_prio(job_record_t *job);
extern uint32_t preempt_p_get_grace_time(job_record_t *job);

extern uint16_t preempt_p_get_mode(job_record_t *job)
{
	return mode_of(job);
}

extern uint32_t preempt_p_get_prio(job_record_t *job)
{
	(void)job;
	return 0;
}

extern uint32_t preempt_p_get_grace_time(job_record_t *job)
{
	(void)job;
	return 0;
}
#endif
