/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime.h - the one live instance inside slurmctld: its doors to the plugins
 *
 * All plugins that slurmctld loads link libqsruntime.so, so there is one
 * policy, one ledger and one plan however many of them are configured. What
 * is declared here may be called by their entry points; everything else of
 * the runtime is its own business (runtime/inner.h).
 *
 * Locks: slurmctld's locks come first, then the mutex that slurmctld holds
 * around burst_buffer callbacks, then ours. Ours is held for short copies
 * only, never while anything of Slurm's is called that can end a job.
 */
#ifndef QS_RUNTIME_H
#define QS_RUNTIME_H

#include "compat/compat.h"

#include "engine/policy.h"

/*
 * What the SPANK plugin leaves in the job's spank_job_env, as NAME=VALUE, and
 * what job_submit may set or replace there. slurmctld keeps these strings with
 * the job and gives them to prolog and epilog. Slurm puts "SPANK_" before a
 * name at some points of a job's life and not at others: qs_env_get() takes
 * both, qs_env_set() writes with it.
 */
#define QS_ENV_SHARE    "QUOTA_SHARE"     /* wanted, then given, share */
#define QS_ENV_PRIORITY "SHARE_PRIORITY"  /* 0..9999 */
#define QS_ENV_RETRIES  "PREEMPT_RETRIES" /* >= 0; absent: unset */

/* The value of a name above, or NULL. Not copied. */
const char *qs_env_get(char *const *env, uint32_t n, const char *name);
/* Set or replace (value NULL: remove). *env and *n are xmalloc'ed. */
void qs_env_set(char ***env, uint32_t *n, const char *name, const char *value);
/* A number in [0, max]: 0 and *out set if present and good; 1 if absent
 * (out.set false); -1 if it is no such number. */
int qs_env_number(char *const *env, uint32_t n, const char *name, int64_t max,
		  struct qs_opt *out);

/*
 * Life. Each plugin's init() and fini() call these; the first init reads the
 * policy and, if that is broken, stops slurmctld with the message of
 * `qshare check` (R18). plugin is for the log.
 * Returns SLURM_SUCCESS or SLURM_ERROR.
 */
int qs_runtime_init(const char *plugin);
void qs_runtime_fini(const char *plugin);

/*
 * The policy in force. It stays as it is until put, however many times a
 * new one is accepted meanwhile. NULL before the first init only.
 * Any thread, no lock needed.
 */
const struct qs_policy *qs_runtime_policy_get(void);
void qs_runtime_policy_put(const struct qs_policy *policy);

/* burst_buffer callbacks, in the order of a job's life. */
void qs_runtime_load(bool at_start); /* job W at least; see SLURM locks */
/* slurm.conf was read anew: conf, job, node, part W. Or accounts changed, which
 * it tells apart: no lock. */
void qs_runtime_reconfig(void);
/* 1: may be placed now; -1: not now, reason set. job W. */
int qs_runtime_gate(job_record_t *job, bool test_only);
void qs_runtime_begin(job_record_t *job);  /* before the allocation is there */
void qs_runtime_end(job_record_t *job);    /* it ends or is requeued */
void qs_runtime_revoke(job_record_t *job); /* begin did not become a start */
/* The RPC. Takes no lock of slurmctld's, waits for nobody. xmalloc'ed. uid:
 * who asks; NULL: this version of Slurm does not say. */
char *qs_runtime_status(uint32_t argc, char **argv, const uint32_t *uid);

/* preempt plugin */
bool qs_runtime_preemptable(const job_record_t *victim,
			    const job_record_t *claimant);
/* Requeue (true) or end for good (R12, R12a). Job read lock. */
bool qs_runtime_requeues(const job_record_t *victim);

/* site_factor plugin: a job's factor, NICE_OFFSET included. Job read lock. */
uint32_t qs_runtime_site_factor(const job_record_t *job);

/*
 * job_submit plugin: a pending or running job's priority in its share was
 * changed (R6a); permission was checked by the caller. Job write lock held.
 * Also rewrites QS_ENV_PRIORITY in the job's own environment. Of a het job give
 * the component by which it is judged (host/het.h).
 */
void qs_runtime_set_priority(job_record_t *job, uint32_t priority);

/* job_submit plugin: its priority in its share as the last look has it, else as
 * the job brought it. Job read lock. */
uint32_t qs_runtime_priority(const job_record_t *job);

/* job_submit plugin: the job is about to be changed. Job write lock held. */
void qs_runtime_changed(const job_record_t *job);

/* Something changed that the next look should see soon. Any thread. */
void qs_runtime_wake(void);

#endif
