/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burst_buffer_quota_share.c - the gate, the events and the RPC
 *
 * BurstBufferType=burst_buffer/quota_share. There is no burst buffer here:
 * slurmctld asks this kind of plugin, for every job, whether it may start, and
 * tells it when a job begins and ends. Each callback comes with a mutex of
 * slurmctld's held, so nothing here waits or ends a job. Its surprise: all
 * symbols must be there although most have nothing to do.
 */
#include "compat/compat.h"

#include "src/common/pack.h"

#include "runtime/runtime.h"

const char plugin_name[] = "Quota shares: which GPU job may start now";
const char plugin_type[] = "burst_buffer/quota_share";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

extern int init(void);
extern QS_FINI_TYPE fini(void);
extern uint64_t bb_p_get_system_size(void);
extern int bb_p_load_state(bool init_config);
extern char *bb_p_get_status(QS_BB_STATUS_ARGS(argc, argv));
extern int bb_p_state_pack(uid_t uid, buf_t *buffer, uint16_t protocol);
extern int bb_p_reconfig(void);
extern int bb_p_job_validate(job_desc_msg_t *desc, uid_t submit_uid,
			     char **err_msg);
extern int bb_p_job_validate2(job_record_t *job, char **err_msg);
extern void bb_p_job_set_tres_cnt(job_record_t *job, uint64_t *tres,
				  bool locked);
extern time_t bb_p_job_get_est_start(job_record_t *job);
extern int bb_p_job_try_stage_in(list_t *jobs);
extern int bb_p_job_test_stage_in(job_record_t *job, bool test_only);
extern int bb_p_job_begin(job_record_t *job);
extern int bb_p_job_revoke_alloc(job_record_t *job);
extern int bb_p_job_start_stage_out(job_record_t *job);
extern int bb_p_job_test_post_run(job_record_t *job);
extern int bb_p_job_test_stage_out(job_record_t *job);
extern int bb_p_job_cancel(job_record_t *job);
extern int bb_p_run_script(char *func, uint32_t job_id, uint32_t argc,
			   char **argv, QS_BB_SCRIPT_TAIL);
extern char *bb_p_xlate_bb_2_tres_str(char *burst_buffer);

extern int init(void)
{
	return qs_runtime_init(plugin_type);
}

extern QS_FINI_TYPE fini(void)
{
	qs_runtime_fini(plugin_type);
	QS_FINI_RETURN;
}

extern int bb_p_load_state(bool init_config)
{
	qs_runtime_load(init_config);
	return SLURM_SUCCESS;
}

extern int bb_p_reconfig(void)
{
	qs_runtime_reconfig();
	return SLURM_SUCCESS;
}

extern char *bb_p_get_status(QS_BB_STATUS_ARGS(argc, argv))
{
#if QS_HAVE_STATUS_UID
	(void)gid;
	return qs_runtime_status(argc, argv, &uid);
#else
	return qs_runtime_status(argc, argv, NULL);
#endif
}

extern int bb_p_job_test_stage_in(job_record_t *job, bool test_only)
{
	return qs_runtime_gate(job, test_only);
}

extern int bb_p_job_begin(job_record_t *job)
{
	qs_runtime_begin(job);
	return SLURM_SUCCESS;
}

extern int bb_p_job_revoke_alloc(job_record_t *job)
{
	qs_runtime_revoke(job);
	return SLURM_SUCCESS;
}

extern int bb_p_job_start_stage_out(job_record_t *job)
{
	qs_runtime_end(job);
	return SLURM_SUCCESS;
}

extern int bb_p_job_cancel(job_record_t *job)
{
	qs_runtime_end(job);
	return SLURM_SUCCESS;
}

/* Nothing is staged in or out. */

extern int bb_p_job_try_stage_in(list_t *jobs)
{
	(void)jobs;
	return SLURM_SUCCESS;
}

extern int bb_p_job_test_post_run(job_record_t *job)
{
	(void)job;
	return 1;
}

extern int bb_p_job_test_stage_out(job_record_t *job)
{
	(void)job;
	return 1;
}

/* Asked when the gate has said "not now": there is no better guess. */
extern time_t bb_p_job_get_est_start(job_record_t *job)
{
	(void)job;
	return time(NULL) + 3600;
}

extern uint64_t bb_p_get_system_size(void)
{
	return 0;
}

/* `scontrol show burst` lists what writes into the buffer: nothing. */
extern int bb_p_state_pack(uid_t uid, buf_t *buffer, uint16_t protocol)
{
	(void)uid;
	(void)buffer;
	(void)protocol;
	return SLURM_SUCCESS;
}

extern int bb_p_job_validate(job_desc_msg_t *desc, uid_t submit_uid,
			     char **err_msg)
{
	(void)desc;
	(void)submit_uid;
	(void)err_msg;
	return SLURM_SUCCESS;
}

extern int bb_p_job_validate2(job_record_t *job, char **err_msg)
{
	(void)job;
	(void)err_msg;
	return SLURM_SUCCESS;
}

extern void bb_p_job_set_tres_cnt(job_record_t *job, uint64_t *tres,
				  bool locked)
{
	(void)job;
	(void)tres;
	(void)locked;
}

extern int bb_p_run_script(char *func, uint32_t job_id, uint32_t argc,
			   char **argv, QS_BB_SCRIPT_TAIL)
{
	(void)func;
	(void)job_id;
	(void)argc;
	(void)argv;
	(void)resp_msg;
	return SLURM_SUCCESS;
}

extern char *bb_p_xlate_bb_2_tres_str(char *burst_buffer)
{
	(void)burst_buffer;
	return NULL;
}

#if QS_HAVE_HET_SCRIPT
extern char *bb_p_build_het_job_script(char *script, uint32_t het_job_offset);

/* A copy: nothing of ours is written in a script. With NULL slurmctld refuses
 * the job (_het_job_split_script() takes what comes as the script). */
extern char *bb_p_build_het_job_script(char *script, uint32_t het_job_offset)
{
	(void)het_job_offset;
	return xstrdup(script);
}
#endif
