/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.c - would Slurm place this job, now or with certain others gone?
 *
 * Called by our thread under the write locks, before anybody is stopped
 * (apply_claim.c) and where a job is kept off claimed places (fence.c). The
 * answer sees what the plan cannot: memory, cores, features, reservations, and
 * by limits.c the limits of accounting and licences.
 *
 * Its surprise: Slurm is asked with the preempt plugin answering yes for
 * exactly the jobs at hand (qs_test), and with the job changed for as long as
 * the question takes; nothing of it is left.
 */
#include "runtime/inner.h"

#include <stdlib.h>

#include "src/common/node_conf.h"

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/job_scheduler.h"

#include "host/parts.h"

/*
 * job_start_data() for this instant and the job's part_ptr only. It leaves the
 * job as it was, but for start_time, which means nothing for a waiting job.
 *
 * From 24.11 on TEST_NOW_ONLY does not keep select/cons_tres from waiting for
 * the end of jobs that nobody offers, once some are offered
 * (_future_run_test()). So the time counts that comes back: it is now, or that
 * job's end. To it Slurm adds the work of jobs with at least the job's priority
 * (_delayed_job_start_time()): there are none for as long as it is asked.
 */
static bool starts_here(job_record_t *job, bitstr_t **where)
{
	will_run_response_msg_t *resp = NULL;
	uint64_t flags = job->bit_flags & TEST_NOW_ONLY;
	time_t start = job->start_time;
	char *features = job->details->features_use;
	list_t *list = job->details->feature_list_use;
	list_t *licenses = job->license_list;
	uint32_t priority = job->priority;
	bool good;

	job->bit_flags |= TEST_NOW_ONLY;
	job->start_time = 0;
	job->priority = UINT32_MAX;
	set_job_features_use(job->details);
	/* Where victims are to go, limits.c has judged what they free. */
	if (qs_test.claimant)
		qs_licenses_aside(job);
	good = job_start_data(job, &resp) == SLURM_SUCCESS && resp &&
	       resp->start_time <= time(NULL);
	if (job->priority == UINT32_MAX)
		job->priority = priority;
	job->license_list = licenses;
	if (!flags)
		job->bit_flags &= ~TEST_NOW_ONLY;
	job->details->features_use = features;
	job->details->feature_list_use = list;
	job->start_time = start;
	if (where && good && resp->node_list)
		(void)qs_compat_nodes(resp->node_list, true, where);
	slurm_free_will_run_response_msg(resp);
	return good;
}

/*
 * slurm_find_preemptable_jobs() offers only jobs on the nodes of part_ptr, which
 * of a job in several partitions is the one that Slurm tried last: ask for each.
 * One whose limits shut the job out is no place for it.
 */
static bool starts_now(job_record_t *job, bitstr_t **where)
{
	list_t *all = job->part_ptr_list;
	part_record_t *kept = job->part_ptr;
	bool good = false;
	list_itr_t *it;

	if (!all)
		return qs_limits_partition(job, kept) == WAIT_NO_REASON &&
		       starts_here(job, where);
	job->part_ptr_list = NULL;
	it = list_iterator_create(all);
	while (!good && (job->part_ptr = list_next(it)))
		good = qs_limits_partition(job, job->part_ptr) ==
			       WAIT_NO_REASON &&
		       starts_here(job, where);
	list_iterator_destroy(it);
	job->part_ptr = kept;
	job->part_ptr_list = all;
	return good;
}

/*
 * On these nodes only? A fraction of a millisecond, where a question about all
 * nodes of a large partition takes several, and whoever can start there can
 * start. Not the other way round: the plan does not see memory, cores, features.
 */
static bool starts_there(job_record_t *job, const bitstr_t *nodes)
{
	bitstr_t *excluded = job->details->exc_node_bitmap;
	bitstr_t *others = bit_copy((bitstr_t *)nodes);
	bool good;

	bit_not(others);
	if (excluded)
		bit_or(others, excluded);
	job->details->exc_node_bitmap = others;
	good = starts_now(job, NULL);
	job->details->exc_node_bitmap = excluded;
	FREE_NULL_BITMAP(others);
	return good;
}

bool qs_ask_now(job_record_t *job, const bitstr_t *nodes)
{
	return (nodes && starts_there(job, nodes)) || starts_now(job, NULL);
}

/* As backfill's _het_job_start_now() does it: one by one, each kept off the
 * nodes of those before it. */
static bool het_starts(job_record_t *leader)
{
	list_itr_t *it = list_iterator_create(leader->het_job_list);
	bitstr_t *taken = bit_alloc(node_record_count);
	job_record_t *one;
	bool good = true;

	while (good && (one = list_next(it))) {
		bitstr_t *excluded = one->details->exc_node_bitmap, *where;

		where = NULL;
		qs_test.claimant = one->job_id;
		one->details->exc_node_bitmap = bit_copy(taken);
		if (excluded)
			bit_or(one->details->exc_node_bitmap, excluded);
		good = starts_now(one, &where);
		FREE_NULL_BITMAP(one->details->exc_node_bitmap);
		one->details->exc_node_bitmap = excluded;
		if (where)
			bit_or(taken, where);
		FREE_NULL_BITMAP(where);
	}
	list_iterator_destroy(it);
	FREE_NULL_BITMAP(taken);
	return good;
}

static bool limits_hold(job_record_t *claimant, const uint32_t *victims,
			uint32_t n, char *why, size_t size)
{
	struct qs_parts parts = qs_parts_of(claimant);
	job_record_t *one;
	bool held = false;

	while (!held && (one = qs_parts_next(&parts)))
		held = qs_limits_hold(one, victims, n, why, size);
	qs_parts_end(&parts);
	return held;
}

/* What of a victim is put aside while Slurm is asked. */
struct aside {
	job_record_t *job;
	time_t start;
	uint32_t priority;
};

/* all NULL: only counts. */
static void add_aside(struct aside *all, uint32_t *n, job_record_t *job)
{
	if (all) {
		all[*n] = (struct aside){ job, job->start_time, job->priority };
		job->priority = 0;
		if (acct_policy_is_job_preempt_exempt(job))
			job->start_time = 0;
	}
	(*n)++;
}

static uint32_t add_all_aside(struct aside *all, const uint32_t *victims,
			      uint32_t nvictims)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nvictims; i++) {
		job_record_t *job = find_job_record(victims[i]), *one;
		struct qs_parts parts;

		if (!job)
			continue;
		parts = qs_parts_of(job);
		while ((one = qs_parts_next(&parts)))
			add_aside(all, &n, one);
		qs_parts_end(&parts);
	}
	return n;
}

/*
 * Slurm offers no job whose PreemptExemptTime is not over, and none above
 * PreemptParameters=min_exempt_priority (slurm_find_preemptable_jobs()). Both are
 * about its own preemption: here MinRuntime protects (R13), which the plan has
 * judged, and the priority is our site_factor's. Both are asked of the start and
 * the priority, which nothing else in the test needs of a running job.
 */
static bool starts_without(job_record_t *claimant, const uint32_t *victims,
			   uint32_t nvictims, const bitstr_t *nodes)
{
	uint32_t n = add_all_aside(NULL, victims, nvictims);
	struct aside *all = calloc((size_t)n + 1, sizeof(*all));
	bool good;

	if (!all)
		return false;
	n = add_all_aside(all, victims, nvictims);
	qs_test = (struct qs_test){ .claimant = claimant->job_id,
				    .victims = victims,
				    .n = nvictims };
	if (claimant->het_job_list)
		good = het_starts(claimant);
	else if (nodes)
		good = starts_there(claimant, nodes);
	else
		good = starts_now(claimant, NULL);
	qs_test = (struct qs_test){ 0 };
	/* Last first: one that is named twice, too, is as it was. */
	while (n--) {
		all[n].job->start_time = all[n].start;
		all[n].job->priority = all[n].priority;
	}
	free(all);
	return good;
}

static bool is_on(uint32_t id, const bitstr_t *nodes)
{
	const job_record_t *job = find_job_record(id);

	return job && job->node_bitmap &&
	       bit_overlap_any(job->node_bitmap, (bitstr_t *)nodes);
}

/* The same on these nodes, where only who is there needs to be gone. */
static bool starts_there_without(job_record_t *claimant,
				 const uint32_t *victims, uint32_t nvictims,
				 const bitstr_t *nodes)
{
	uint32_t *there = calloc((size_t)nvictims + 1, sizeof(*there));
	uint32_t n = 0;
	bool good;

	for (uint32_t i = 0; there && i < nvictims; i++)
		if (is_on(victims[i], nodes))
			there[n++] = victims[i];
	good = there && starts_without(claimant, there, n, nodes);
	free(there);
	return good;
}

/* By its qos_ptr. */
static bool ask_without(job_record_t *claimant, const uint32_t *victims,
			uint32_t n, const bitstr_t *nodes, char *why,
			size_t size)
{
	bool good;

	if (limits_hold(claimant, victims, n, why, size))
		return false;
	good = (nodes && !claimant->het_job_list &&
		starts_there_without(claimant, victims, n, nodes)) ||
	       starts_without(claimant, victims, n, NULL);
	if (!good)
		snprintf(why, size, "%s", "also with the others gone");
	return good;
}

bool qs_ask_without(job_record_t *claimant, const uint32_t *victims, uint32_t n,
		    const bitstr_t *nodes, char *why, size_t size)
{
	list_t *several = qs_compat_several_qos(claimant);
	void *kept = claimant->qos_ptr;
	bool good = false;
	list_itr_t *it;

	if (!claimant->details)
		return false;
	if (!several || claimant->het_job_list)
		return ask_without(claimant, victims, n, nodes, why, size);
	it = list_iterator_create(several);
	while (!good && (claimant->qos_ptr = list_next(it)))
		good = ask_without(claimant, victims, n, nodes, why, size);
	list_iterator_destroy(it);
	claimant->qos_ptr = kept;
	return good;
}
