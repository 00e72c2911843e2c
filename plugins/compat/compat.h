/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - every difference between Slurm versions, in one place
 *
 * Included first by every file in plugins/ that sees a Slurm type. It brings
 * in Slurm's own headers in the one order that works, and gives the names
 * below for what changed between 22.05 and later versions. No other file may
 * test SLURM_VERSION_NUMBER.
 *
 * Which versions were compiled and which run is written in doc/design.md.
 */
#ifndef QS_COMPAT_H
#define QS_COMPAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
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
#include "src/common/node_conf.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "src/slurmctld/locks.h"
#include "src/slurmctld/slurmctld.h"

#define QS_SLURM_AT_LEAST(major, minor) \
	(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, 0))

#if QS_SLURM_AT_LEAST(23, 2)
#include "src/common/job_features.h"
#endif

/*
 * The names of later versions. 23.02 has list_t beside the pointer type List,
 * 24.05 and 24.11 dropped that and ListIterator; 24.05 renamed the flags, 25.11
 * those of SelectTypeParameters.
 */
#if !QS_SLURM_AT_LEAST(23, 2)
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef struct job_details job_details_t;
#endif
#if !QS_SLURM_AT_LEAST(24, 5)
#define CONF_FLAG_ASRU CTL_CONF_ASRU
#endif
#if !QS_SLURM_AT_LEAST(25, 11)
#define SELECT_CORE              CR_CORE
#define SELECT_MEMORY            CR_MEMORY
#define SELECT_ONE_TASK_PER_CORE CR_ONE_TASK_PER_CORE
#define SELECT_SOCKET            CR_SOCKET
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

/* bb_p_run_script(): from 23.02 on the job's info comes with it. Nothing is
 * run. */
#if QS_SLURM_AT_LEAST(23, 2)
#define QS_BB_SCRIPT_TAIL \
	job_info_msg_t *job_info __attribute__((unused)), char **resp_msg
#else
#define QS_BB_SCRIPT_TAIL char **resp_msg
#endif

/* Slurm's word for why a job waits. */
static inline const char *qs_compat_reason(uint32_t reason)
{
#if QS_SLURM_AT_LEAST(24, 5)
	return job_state_reason_string((enum job_state_reason)reason);
#else
	return job_reason_string((enum job_state_reason)reason);
#endif
}

/* The QOS of a waiting job that may start by any of several (from 24.11 on),
 * else NULL. Its qos_ptr is the one that slurmctld tried last. */
static inline list_t *qs_compat_several_qos(const job_record_t *job)
{
#if QS_SLURM_AT_LEAST(24, 11)
	return job->qos_list && list_count(job->qos_list) > 1 ? job->qos_list :
								NULL;
#else
	(void)job;
	return NULL;
#endif
}

/* TRES seconds that a user or account runs in a QOS; from 24.05 on there are limits
 * on them. NULL: not kept. */
static inline uint64_t *qs_compat_run_secs(const slurmdb_used_limits_t *used)
{
#if QS_SLURM_AT_LEAST(24, 5)
	return used->tres_run_secs;
#else
	(void)used;
	return NULL;
#endif
}

/* Does it wait for a limit of that one only? */
static inline bool qs_compat_other_qos(const job_record_t *job)
{
#if QS_SLURM_AT_LEAST(24, 11)
	return qs_compat_several_qos(job) &&
	       job_state_reason_check(job->state_reason, JSR_QOS_ASSOC);
#else
	(void)job;
	return false;
#endif
}

/* A host list as a new bitmap of nodes: node_name2bitmap(). */
static inline int qs_compat_nodes(char *names, bool best_effort,
				  bitstr_t **nodes)
{
#if QS_SLURM_AT_LEAST(24, 11)
	return node_name2bitmap(names, best_effort, nodes, NULL);
#else
	return node_name2bitmap(names, best_effort, nodes);
#endif
}

/*
 * From 23.11 on `scontrol reconfigure` starts a new slurmctld in the place of
 * the old one, with this in its environment (_try_to_reconfig()).
 */
#define QS_RECONF_REPLACES QS_SLURM_AT_LEAST(23, 11)
static inline bool qs_compat_replaces(void)
{
	return QS_RECONF_REPLACES && getenv("SLURMCTLD_RECONF") != NULL;
}

/*
 * A backup controller loads its plugins when it begins to stand by, which may be
 * weeks ago, and reads nothing until it takes over: a reconfigure goes to the
 * primary only.
 */
static inline bool qs_compat_stood_by(void)
{
	return backup_inx > 0 && !qs_compat_replaces();
}

/* From 23.02 on a list of more nodes than asked for (-N 1 -w n[1-4]) is a choice
 * among them; before, all of them are wanted. */
#define QS_NODELIST_IS_CHOICE QS_SLURM_AT_LEAST(23, 2)

/* What stands before a GRES in a job's TRES strings. */
#if QS_SLURM_AT_LEAST(23, 11)
#define QS_GRES_PREFIX "gres/"
#else
#define QS_GRES_PREFIX "gres:"
#endif

/* From 23.02 on a burst_buffer plugin makes the scripts of het components. */
#define QS_HAVE_HET_SCRIPT QS_SLURM_AT_LEAST(23, 2)

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

/* Counts a waiting job for the limits of its association and QOS once more.
 * Takes the association manager's locks; job write lock held. */
void qs_compat_add_submit(job_record_t *job);

/* Does the user coordinate the account? Takes the association manager's read
 * locks. */
bool qs_compat_is_coord(uint32_t uid, char *account);

#endif
