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
 * Its surprise: while Slurm is asked, the victims are taken out of the group
 * usage of their QOS and associations, since what they use will be free by the
 * time the claimant starts; then every number is put back as it was. Limits of
 * a user or account inside a QOS are asked as they are: there a doubt stops
 * nobody.
 */
#include "runtime/inner.h"

#include <stdlib.h>

#include "engine/array.h"

#include "src/common/assoc_mgr.h"

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/job_scheduler.h"

/* A number that was changed, and what it was. */
struct undo {
	uint64_t *wide;
	uint32_t *narrow; /* instead of wide */
	uint64_t was;
};

struct undos {
	struct undo *items;
	uint32_t n, max;
	bool failed;
};

static struct undo *note(struct undos *undos)
{
	if (undos->failed ||
	    !qs_array_room((void **)&undos->items, &undos->max,
			   (uint64_t)undos->n + 1, sizeof(*undos->items))) {
		undos->failed = true;
		return NULL;
	}
	undos->items[undos->n] = (struct undo){ 0 };
	return &undos->items[undos->n++];
}

static void less(struct undos *undos, uint64_t *from, uint64_t by)
{
	struct undo *undo = by ? note(undos) : NULL;

	if (!undo)
		return;
	undo->wide = from;
	undo->was = *from;
	*from -= *from < by ? *from : by;
}

static void one_less(struct undos *undos, uint32_t *from)
{
	struct undo *undo = *from ? note(undos) : NULL;

	if (!undo)
		return;
	undo->narrow = from;
	undo->was = *from;
	(*from)--;
}

static void tres_less(struct undos *undos, uint64_t *used,
		      const job_record_t *job)
{
	/* As acct_policy_job_begin() counted it: without energy, which is known
	 * only afterwards. */
	for (int i = 0; used && i < slurmctld_tres_cnt; i++)
		if (i != TRES_ARRAY_ENERGY &&
		    job->tres_alloc_cnt[i] != NO_CONSUME_VAL64)
			less(undos, &used[i], job->tres_alloc_cnt[i]);
}

static void leave_qos(struct undos *undos, slurmdb_qos_rec_t *qos,
		      const job_record_t *job)
{
	if (!qos || !qos->usage)
		return;
	one_less(undos, &qos->usage->grp_used_jobs);
	tres_less(undos, qos->usage->grp_used_tres, job);
}

static void leave_usage(struct undos *undos, job_record_t *job)
{
	slurmdb_qos_rec_t *first, *second;

	if (!job->tres_alloc_cnt)
		return;
	acct_policy_set_qos_order(job, &first, &second);
	leave_qos(undos, first, job);
	leave_qos(undos, second, job);
	for (slurmdb_assoc_rec_t *assoc = job->assoc_ptr; assoc && assoc->usage;
	     assoc = assoc->usage->parent_assoc_ptr) {
		one_less(undos, &assoc->usage->used_jobs);
		tres_less(undos, assoc->usage->grp_used_tres, job);
	}
}

static void leave_all(struct undos *undos, job_record_t *victim)
{
	list_itr_t *it;
	job_record_t *one;

	if (!victim->het_job_list) {
		leave_usage(undos, victim);
		return;
	}
	it = list_iterator_create(victim->het_job_list);
	while ((one = list_next(it)))
		leave_usage(undos, one);
	list_iterator_destroy(it);
}

static void put_back(struct undos *undos)
{
	while (undos->n) {
		const struct undo *undo = &undos->items[--undos->n];

		if (undo->wide)
			*undo->wide = undo->was;
		else
			*undo->narrow = (uint32_t)undo->was;
	}
	free(undos->items);
}

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

/* The same with these jobs gone. */
static bool runnable_without(job_record_t *job, const uint32_t *victims,
			     uint32_t n, uint32_t *reason)
{
	struct undos undos = { 0 };
	bool good;

	for (uint32_t i = 0; i < n; i++) {
		job_record_t *victim = find_job_record(victims[i]);

		if (victim)
			leave_all(&undos, victim);
	}
	good = !undos.failed && runnable(job, reason);
	if (undos.failed)
		*reason = WAIT_NO_REASON;
	put_back(&undos);
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
	/* Nearly always no limit is near, whoever is gone. */
	good = runnable(job, &reason) ||
	       runnable_without(job, victims, n, &reason);
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
