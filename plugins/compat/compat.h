/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - every difference between Slurm versions, in one place
 *
 * Included first by every file in plugins/ that sees a Slurm type. It brings
 * in Slurm's own headers in the one order that works, and gives the names
 * below for what changed between 22.05 and later versions. No other file may
 * test SLURM_VERSION_NUMBER.
 *
 * Built and tried: 22.05. The seams for later versions are written from their
 * headers and are marked so.
 */
#ifndef QS_COMPAT_H
#define QS_COMPAT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Slurm's config.h defines these for itself. */
#undef PACKAGE
#undef PACKAGE_BUGREPORT
#undef PACKAGE_NAME
#undef PACKAGE_STRING
#undef PACKAGE_TARNAME
#undef PACKAGE_URL
#undef PACKAGE_VERSION
#undef VERSION

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "slurm/slurm_version.h"

#include "src/common/slurm_xlator.h"

#include "src/common/bitstring.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "src/slurmctld/locks.h"
#include "src/slurmctld/slurmctld.h"

#define QS_SLURM_AT_LEAST(major, minor) \
	(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, 0))

/* 24.11 dropped the pointer type List for list_t. */
#if QS_SLURM_AT_LEAST(24, 11)
typedef list_t *qs_list;
#else
typedef List qs_list;
#endif

/* fini() of a plugin returns nothing from 25.11 on. */
#if QS_SLURM_AT_LEAST(25, 11)
#define QS_FINI_TYPE   void
#define QS_FINI_RETURN return
#else
#define QS_FINI_TYPE   int
#define QS_FINI_RETURN return SLURM_SUCCESS
#endif

/*
 * job_modify() of a job_submit plugin: 23.02 added the text for the user.
 * Use: extern int job_modify(QS_JOB_MODIFY_ARGS(desc, job, uid, err))
 * On 22.05 there is no err: what is refused can only be logged.
 */
#if QS_SLURM_AT_LEAST(23, 2)
#define QS_HAVE_MODIFY_TEXT 1
#define QS_JOB_MODIFY_ARGS(desc, job, uid, err) \
	job_desc_msg_t *desc, job_record_t *job, uint32_t uid, char **err
#else
#define QS_HAVE_MODIFY_TEXT 0
#define QS_JOB_MODIFY_ARGS(desc, job, uid, err) \
	job_desc_msg_t *desc, job_record_t *job, uint32_t uid
#endif

/* bb_p_get_status(): from 23.02 on the caller's ids come with it. */
#if QS_SLURM_AT_LEAST(23, 2)
#define QS_HAVE_STATUS_UID 1
#define QS_BB_STATUS_ARGS(argc, argv) \
	uint32_t argc, char **argv, uint32_t uid, uint32_t gid
#else
#define QS_HAVE_STATUS_UID            0
#define QS_BB_STATUS_ARGS(argc, argv) uint32_t argc, char **argv
#endif

/* bb_p_run_script(): from 23.02 on the job's info comes with it. */
#if QS_SLURM_AT_LEAST(23, 2)
#define QS_BB_SCRIPT_TAIL job_info_msg_t *job_info, char **resp_msg
#else
#define QS_BB_SCRIPT_TAIL char **resp_msg
#endif

/* Node records by index: the table of pointers has holes from 22.05 on. */
static inline node_record_t *qs_compat_node(int i)
{
	return node_record_table_ptr[i];
}

/*
 * Stop a job for another: requeue it, or end it for good. Called only from our
 * own thread with conf R, job W, node W, part R, fed R held; never from a
 * burst_buffer callback (it would wait for the mutex it already holds).
 * Returns 0 when it took; a Slurm errno means call again.
 */
int qs_compat_preempt(job_record_t *victim, job_record_t *claimant,
		      bool requeue);

#endif
