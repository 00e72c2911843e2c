/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claim.c - capacity that is being freed for one waiting job (R9)
 *
 * A claim begins when the plan says that a job starts once certain others are
 * gone, and Slurm itself has agreed (qs_claim_confirm). It ends when the job
 * starts, leaves the queue, is held, is not borne out by a later plan, or
 * ClaimTimeout after its last victim is gone. What it has not stopped by then
 * is left alone. Called by our thread and, for ends and begins, by callbacks,
 * which only mark a claim dead.
 *
 * Its surprise: Slurm is asked with the preempt plugin answering yes for
 * exactly the victims at hand. job_start_data() sees what the plan cannot:
 * memory, cores, features, reservations.
 */
#include "runtime/answer.h"
#include "runtime/inner.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/node_conf.h"

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/job_scheduler.h"

struct qs_claim *qs_claim_find(uint32_t claimant)
{
	struct qs_claim *claim;

	for (claim = qs_rt.claims; claim; claim = claim->next)
		if (claim->claimant == claimant && !claim->dead)
			break;
	return claim;
}

/* The names of a decision's nodes, separated by commas; malloc'ed. */
static char *node_names(const struct qs_view *view,
			const struct qs_decision *decision)
{
	const struct qs_placed *p = view->plan->places + decision->places;
	size_t size = 1, n = 0;
	char *names;

	for (uint32_t i = 0; i < decision->nplaces; i++)
		size += strlen(view->snap->nodes[p[i].node].name) + 1;
	names = calloc(size, 1);
	for (uint32_t i = 0; names && i < decision->nplaces; i++) {
		if (i && p[i].node == p[i - 1].node)
			continue;
		n += (size_t)snprintf(names + n, size - n, "%s%s", n ? "," : "",
				      view->snap->nodes[p[i].node].name);
	}
	return names;
}

/* Both lists as one; frees them. NULL: no memory. */
static char *merge(char *a, char *b)
{
	bitstr_t *nodes = NULL, *more = NULL;
	char *names, *all = NULL;

	(void)qs_compat_nodes(a, true, &nodes);
	(void)qs_compat_nodes(b, true, &more);
	if (nodes && more) {
		bit_or(nodes, more);
		names = bitmap2node_name(nodes);
		all = strdup(names ? names : "");
		xfree(names);
	}
	FREE_NULL_BITMAP(nodes);
	FREE_NULL_BITMAP(more);
	free(a);
	free(b);
	return all;
}

static uint32_t timeout_of(const struct qs_view *view,
			   const struct qs_decision *decision)
{
	const struct qs_job *job = &view->snap->jobs[decision->job];

	return view->policy->queues[job->queue].claim_timeout_sec;
}

struct qs_claim *qs_claim_add(const struct qs_view *view,
			      const struct qs_decision *decision)
{
	struct qs_claim *claim = qs_claim_find(decision->id);
	char *names = node_names(view, decision);

	if (!claim) {
		claim = calloc(1, sizeof(*claim));
		if (!claim) {
			free(names);
			return NULL;
		}
		claim->claimant = decision->id;
		claim->order = ++qs_rt.claims_made;
		claim->decided = qs_now();
		claim->next = qs_rt.claims;
		qs_rt.claims = claim;
		qs_rt.count.claims++;
	}
	/* Each task of an array has places of its own. */
	if (claim->nodes && names &&
	    view->snap->jobs[decision->job].copies > 1) {
		claim->nodes = merge(claim->nodes, names);
	} else {
		free(claim->nodes);
		claim->nodes = names;
	}
	claim->gone_us = 0;
	claim->timeout_sec = timeout_of(view, decision);
	if (decision->owed_before > claim->owed_before)
		claim->owed_before = decision->owed_before;
	claim->tasks++;
	claim->how = decision->how;
	claim->code = decision->code;
	qs_log_later(
		"claim",
		",\"job\":%u,\"how\":\"%s\",\"code\":\"%s\",\"victims\":%u",
		claim->claimant, qs_how_name(claim->how),
		qs_code_name(claim->code), decision->nvictims);
	qs_rt.state_dirty = true;
	return claim;
}

static void log_end(const struct qs_claim *claim, const char *why)
{
	qs_log_later("claim_ended",
		     ",\"job\":%u,\"after\":%" PRId64 ",\"why\":\"%s\"",
		     claim->claimant, qs_since(claim->decided), why);
}

void qs_claim_ended(uint32_t claimant, bool all)
{
	struct qs_claim *claim = qs_claim_find(claimant);

	if (!claim)
		return;
	if (!all && claim->tasks > 1) {
		claim->tasks--;
		return;
	}
	if (!all)
		qs_metrics_reclaimed(qs_since(claim->decided));
	claim->dead = true;
	log_end(claim, all ? "the job left the queue" : "the job began");
	qs_rt.state_dirty = true;
}

static void time_out(const struct qs_claim *claim)
{
	struct qs_jobrec *rec = qs_jobrec_find(claim->claimant);

	qs_rt.count.claims_timed_out++;
	log_end(claim, "its place was not taken in time");
	info("quota_share: JobId=%u did not start within %u s after its place was free: the claim is given up",
	     claim->claimant, claim->timeout_sec);
	if (rec)
		qs_jobrec_rest(rec, QS_BACKOFF_SEC,
			       "its freed place was not taken in time");
}

static struct qs_job *waiting_job(struct qs_view *view, uint32_t id)
{
	for (uint32_t i = 0; i < view->snap->njobs; i++)
		if (view->snap->jobs[i].id == id &&
		    view->snap->jobs[i].state == QS_JOB_PENDING)
			return &view->snap->jobs[i];
	return NULL;
}

void qs_claim_sweep(struct qs_view *view)
{
	int64_t now = qs_mono_us();
	struct qs_claim **at, *claim;

	slurm_mutex_lock(&qs_rt.lock);
	qs_stop_sweep(view);
	at = &qs_rt.claims;
	while ((claim = *at)) {
		struct qs_job *job = waiting_job(view, claim->claimant);

		if (!job || job->held)
			claim->dead = true;
		if (!claim->dead && qs_stop_pending(claim->claimant)) {
			claim->gone_us = 0;
		} else if (!claim->dead && !claim->gone_us) {
			claim->gone_us = now;
			qs_rt.state_dirty = true;
		} else if (!claim->dead &&
			   now >= claim->gone_us + (int64_t)claim->timeout_sec *
							   1000000) {
			time_out(claim);
			claim->dead = true;
			if (job)
				job->unplaceable = true;
		}
		if (!claim->dead) {
			at = &claim->next;
			continue;
		}
		if (job)
			job->claim = false;
		*at = claim->next;
		free(claim->nodes);
		free(claim);
		qs_rt.state_dirty = true;
	}
	slurm_mutex_unlock(&qs_rt.lock);
}

/* A claim that the plan does not keep ends. Victims not yet stopped are spared:
 * better that than to stop one for a start that is not foreseen any more. And
 * it must not come back later and take what was freed for somebody else. */
void qs_claim_check(const struct qs_view *view)
{
	slurm_mutex_lock(&qs_rt.lock);
	for (struct qs_claim *claim = qs_rt.claims; claim;
	     claim = claim->next) {
		const struct qs_decision *decision =
			qs_plan_find(view->plan, claim->claimant);

		if (!claim->dead && decision &&
		    decision->verdict != QS_VERDICT_START &&
		    !decision->reserves) {
			verbose("quota_share: JobId=%u: the claim is not borne out any more (%s)",
				claim->claimant, qs_code_name(decision->code));
			claim->dead = true;
			log_end(claim, qs_code_name(decision->code));
			qs_rt.state_dirty = true;
		}
	}
	slurm_mutex_unlock(&qs_rt.lock);
}

void qs_claim_clear(void)
{
	struct qs_claim *claim;

	while ((claim = qs_rt.claims)) {
		qs_rt.claims = claim->next;
		free(claim->nodes);
		free(claim);
	}
}

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
	uint32_t priority = job->priority;
	bool good;

	job->bit_flags |= TEST_NOW_ONLY;
	job->start_time = 0;
	job->priority = UINT32_MAX;
	set_job_features_use(job->details);
	good = job_start_data(job, &resp) == SLURM_SUCCESS && resp &&
	       resp->start_time <= time(NULL);
	if (job->priority == UINT32_MAX)
		job->priority = priority;
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

bool qs_claim_fits_now(job_record_t *job)
{
	return starts_now(job, NULL);
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
	bool held = false;
	list_itr_t *it;
	job_record_t *one;

	if (!claimant->het_job_list)
		return qs_limits_hold(claimant, victims, n, why, size);
	it = list_iterator_create(claimant->het_job_list);
	while (!held && (one = list_next(it)))
		held = qs_limits_hold(one, victims, n, why, size);
	list_iterator_destroy(it);
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
		list_itr_t *it;

		if (job && !job->het_job_list)
			add_aside(all, &n, job);
		if (!job || !job->het_job_list)
			continue;
		it = list_iterator_create(job->het_job_list);
		while ((one = list_next(it)))
			add_aside(all, &n, one);
		list_iterator_destroy(it);
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
			   uint32_t nvictims)
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
	good = claimant->het_job_list ? het_starts(claimant) :
					starts_now(claimant, NULL);
	qs_test = (struct qs_test){ 0 };
	/* Last first: one that is named twice, too, is as it was. */
	while (n--) {
		all[n].job->start_time = all[n].start;
		all[n].job->priority = all[n].priority;
	}
	free(all);
	return good;
}

bool qs_claim_confirm(job_record_t *claimant, const uint32_t *victims,
		      uint32_t n, char *why, size_t size)
{
	bool good;

	if (!claimant->details || limits_hold(claimant, victims, n, why, size))
		return false;
	good = starts_without(claimant, victims, n);
	if (!good)
		snprintf(why, size, "%s", "also with the others gone");
	return good;
}
