/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.c - would Slurm's own limits let a claimant start?
 *
 * Called by ask.c before anybody is stopped, under the write locks; takes
 * the association manager's write lock inside. A QOS's or account's limits on
 * TRES are judged by Slurm only after it has picked nodes
 * (acct_policy_job_runnable_post_select), so job_start_data() does not see
 * them: victims were stopped for a job that then was held all the same.
 *
 * Its surprise: while Slurm is asked, what the job's limits are judged by is
 * changed to what it will be (usage.c). Who begins although nobody more is stopped
 * (coming.c) is in it; who leaves is not, since what the victims use will be free
 * by the time the claimant starts. Then every number is put back as it was.
 */
#include "runtime/usage.h"

#include "src/common/assoc_mgr.h"

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/job_scheduler.h"

#include "host/parts.h"

/* Both functions leave the reason in the job; it is not theirs to tell yet. */
static bool runnable(job_record_t *job, uint32_t *reason)
{
	uint32_t kept = job->state_reason;
	char *desc = job->state_desc;
	uint64_t *tres = NULL;
	bool good;

	job->state_desc = NULL;
	good = acct_policy_job_runnable_pre_select(job, true);
	if (good && job->tres_req_cnt) {
		tres = xcalloc(slurmctld_tres_cnt, sizeof(*tres));
		memcpy(tres, job->tres_req_cnt,
		       (size_t)slurmctld_tres_cnt * sizeof(*tres));
		good = acct_policy_job_runnable_post_select(job, tres, true);
		xfree(tres);
	}
	*reason = job->state_reason;
	xfree(job->state_desc);
	job->state_reason = kept;
	job->state_desc = desc;
	return good;
}

static void add_coming(void *usage, const job_record_t *one, uint32_t tasks)
{
	qs_usage_more(usage, one, tasks);
}

/* Of a het job those parts that are asked before this one. */
static void add_siblings(struct qs_usage *usage, const job_record_t *job)
{
	const job_record_t *leader =
		job->het_job_id ? find_job_record(job->het_job_id) : NULL;
	const job_record_t *one;
	list_itr_t *it;

	if (!leader || !leader->het_job_list)
		return;
	it = list_iterator_create(leader->het_job_list);
	while ((one = list_next(it)) && one != job)
		qs_usage_more(usage, one, 1);
	list_iterator_destroy(it);
}

static void leave(struct qs_usage *usage, job_record_t *victim)
{
	struct qs_parts parts = qs_parts_of(victim);
	job_record_t *one;

	while ((one = qs_parts_next(&parts)))
		qs_usage_less(usage, one);
	qs_parts_end(&parts);
}

/* victims: ascending. */
static bool runnable_then(job_record_t *job, const uint32_t *victims,
			  uint32_t n, uint32_t *reason)
{
	struct qs_usage usage;
	bool good;

	*reason = WAIT_NO_REASON;
	if (!qs_usage_open(&usage, job))
		return false;
	qs_coming_each(job, add_coming, &usage);
	add_siblings(&usage, job);
	/* Nearly always no limit is near, whoever is gone. */
	good = runnable(job, reason);
	for (uint32_t i = 0; !good && i < n; i++) {
		job_record_t *victim = find_job_record(victims[i]);

		if (victim && !(i && victims[i] == victims[i - 1]))
			leave(&usage, victim);
	}
	good = good || runnable(job, reason);
	qs_usage_close(&usage);
	return good;
}

static bool accounting_holds(job_record_t *job, const uint32_t *victims,
			     uint32_t n, char *why, size_t size)
{
	assoc_mgr_lock_t locks = { .assoc = WRITE_LOCK,
				   .qos = WRITE_LOCK,
				   .tres = READ_LOCK };
	uint32_t reason;
	bool good;

	assoc_mgr_lock(&locks);
	good = runnable_then(job, victims, n, &reason);
	assoc_mgr_unlock(&locks);
	if (!good)
		snprintf(why, size, QS_WHY_LIMIT "%s",
			 reason == WAIT_NO_REASON ? "no memory to tell" :
						    qs_compat_reason(reason));
	return !good;
}

uint32_t qs_limits_partition(job_record_t *job, part_record_t *part)
{
	part_record_t *kept = job->part_ptr;
	uint32_t reason;

	job->part_ptr = part;
	/* As schedule() calls it before each try. */
	reason = (uint32_t)job_limits_check(&job, true);
	job->part_ptr = kept;
	return reason;
}

/* In all of its partitions? slurmctld of 22.05 has looked at that before we do,
 * and then the job is not open; that of 24.11 has not. */
static bool partitions_hold(job_record_t *job, char *why, size_t size)
{
	uint32_t reason = WAIT_NO_REASON;
	bool held = true;
	part_record_t *part;
	list_itr_t *it;

	if (!job->part_ptr_list) {
		reason = qs_limits_partition(job, job->part_ptr);
		held = reason != WAIT_NO_REASON;
	} else {
		it = list_iterator_create(job->part_ptr_list);
		while (held && (part = list_next(it))) {
			reason = qs_limits_partition(job, part);
			held = reason != WAIT_NO_REASON;
		}
		list_iterator_destroy(it);
	}
	if (held)
		snprintf(why, size, QS_WHY_LIMIT "%s",
			 qs_compat_reason(reason));
	return held;
}

bool qs_limits_hold(job_record_t *job, const uint32_t *victims, uint32_t n,
		    char *why, size_t size)
{
	if (partitions_hold(job, why, size))
		return true;
	if (accounting_holds(job, victims, n, why, size))
		return true;
	if (!qs_licenses_hold(job, victims, n))
		return false;
	snprintf(why, size, QS_WHY_LIMIT "%s", qs_compat_reason(WAIT_LICENSES));
	return true;
}
