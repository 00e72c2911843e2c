/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apply.c - a plan becomes grants, reasons and claims
 *
 * Called by our thread once a plan is made. It first compares what the plan
 * wants with what is (under qs_rt.lock only); slurmctld's write locks are taken
 * only if something has to change, and under them each job is checked again:
 * since the look it may have started, ended, or been changed.
 *
 * Only jobs for which something has changed (apply_todo.c) are looked up there:
 * under the locks a queue of ten thousand must cost no more than what is new.
 *
 * A grant is only good together with the plan that it is from. So if a job
 * began meanwhile that this plan did not count as started, nothing of the plan
 * is used and the next round looks again.
 *
 * An entitled job that Slurm cannot place although it was granted (see
 * give_up_offer() in look_job.c) takes no part for a while: it holds up nobody
 * and reclaims nothing (laws 1, 5). Its grant ends too, since its share's GPUs
 * may be lent meanwhile and a start on top of that would take idle GPUs of a
 * RESERVE share (law 16). It is offered again as soon as some job has ended.
 */
#include "runtime/apply.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/job_scheduler.h"

#include "host/parts.h"

const slurmctld_lock_t qs_write_locks = { .conf = READ_LOCK,
					  .job = WRITE_LOCK,
					  .node = WRITE_LOCK,
					  .part = READ_LOCK,
					  .fed = READ_LOCK };

bool qs_shutting_down(void)
{
	return qs_thread_dismissed() || slurmctld_config.shutdown_time;
}

/* What the plan says for each job of the snapshot. */
static struct qs_want *gather(const struct qs_view *view)
{
	struct qs_want *wants = calloc(view->snap->njobs + 1, sizeof(*wants));
	uint32_t rank = 0;

	for (uint32_t i = 0; wants && i < view->plan->ndecisions; i++) {
		const struct qs_decision *d = &view->plan->decisions[i];
		struct qs_want *want = &wants[d->job];

		/* Of an array some tasks may start and others wait: the word
		 * is that of the next who waits. */
		if (!want->say ||
		    (d->verdict != QS_VERDICT_START && !want->claims))
			want->say = d;
		if (d->verdict != QS_VERDICT_START)
			continue;
		if (d->nvictims) {
			if (!want->claims++)
				want->say = d;
			continue;
		}
		if (!want->grants++) {
			want->grant = d;
			want->rank = ++rank;
		}
	}
	return wants;
}

/*
 * What began since the look is taken off the grants. False: some job began
 * that the plan had not let; then it is void. qs_rt.lock held.
 */
static bool settle_begins(struct qs_view *view, struct qs_want *wants)
{
	if (qs_rt.begins - view->begins > QS_BEGAN_MAX)
		return false;
	for (; view->begins < qs_rt.begins; view->begins++) {
		uint32_t id = qs_rt.began[view->begins % QS_BEGAN_MAX];
		const struct qs_job *job = qs_view_job(view, id);
		struct qs_want *want =
			job ? &wants[job - view->snap->jobs] : NULL;

		if (!want || !want->grants)
			return false;
		want->grants--;
		want->coming -= want->coming ? 1 : 0;
	}
	return true;
}

/* Is the plan still good: by the policy in force, and nobody has begun that it
 * had not let? Else the next round looks again. qs_rt.lock held. */
static bool is_good(struct qs_view *view, struct qs_want *wants, bool enforce)
{
	bool good = qs_rt.policy && qs_rt.policy->policy == view->policy &&
		    (!enforce || settle_begins(view, wants));

	qs_rt.dirty |= !good;
	return good;
}

/* Does anything need the write locks? */
static bool anything(struct qs_view *view, struct qs_want *wants, bool enforce)
{
	bool any = view->nstrays || view->nrefused;

	slurm_mutex_lock(&qs_rt.lock);
	if (!is_good(view, wants, enforce)) {
		slurm_mutex_unlock(&qs_rt.lock);
		return false;
	}
	any |= qs_apply_todo(view, wants, enforce);
	slurm_mutex_unlock(&qs_rt.lock);
	return any;
}

static void each_component(job_record_t *job, void (*fn)(job_record_t *job))
{
	struct qs_parts parts = qs_parts_of(job);
	job_record_t *one;

	while ((one = qs_parts_next(&parts)))
		fn(one);
	qs_parts_end(&parts);
}

/* Give the word back to Slurm. */
static void reopen(job_record_t *job)
{
	if (!qs_look_ours_shown(job))
		return;
	job->state_reason = WAIT_NO_REASON;
	xfree(job->state_desc);
	last_job_update = time(NULL);
}

static void reprioritize(job_record_t *job)
{
	/* Asks our site_factor plugin, with the rank as it is now. */
	if (job->priority && !job->direct_set_prio)
		set_job_prio(job);
}

/* slurmctld lets a requeued job wait until every credential of its last run has
 * expired (2 minutes). What the slurmds need is that the new one is younger
 * than the moment when they revoked the old one, in whole seconds. */
static void early(job_record_t *job)
{
	time_t soon = time(NULL) + QS_REQUEUE_WAIT_SEC;

	if (job->details && job->details->begin_time > soon)
		job->details->begin_time = soon;
	last_job_update = time(NULL);
}

static void show(job_record_t *job, const char *text)
{
	if (qs_look_ours_shown(job) && !xstrcmp(job->state_desc, text))
		return;
	job->state_reason = FAIL_BURST_BUFFER_OP;
	xfree(job->state_desc);
	job->state_desc = xstrdup(text);
	/* Slurm does this when it finds a job independent, and it does not
	 * ask again while our reason stands. */
	if (job->details && !job->details->begin_time)
		job->details->begin_time = time(NULL);
	last_job_update = time(NULL);
}

static void show_all(job_record_t *job, const char *text)
{
	struct qs_parts parts = qs_parts_of(job);
	job_record_t *one;

	while ((one = qs_parts_next(&parts)))
		show(one, text);
	qs_parts_end(&parts);
}

/* Under the write locks, qs_rt.lock not held, as all that follow. said: the sum
 * of what the text is made of, 0: not known. */
static void deny(job_record_t *job, const char *text, uint64_t said)
{
	struct qs_jobrec *rec;
	bool ranked = false;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(qs_jobrec_key(job));
	if (rec) {
		ranked = rec->rank;
		rec->grant = rec->rank = 0;
		rec->offered = 0;
		qs_jobrec_set_desc(rec, text);
		rec->said = said;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	qs_fence_clear(job);
	if (ranked)
		each_component(job, reprioritize);
	show_all(job, text);
}

/* True if Slurm should be asked to schedule. */
static bool grant(const struct qs_view *view, const struct qs_want *want,
		  uint32_t index, job_record_t *job)
{
	struct qs_jobrec *rec;
	bool fresh, ranked, first;

	if (!qs_fence_set(job, view, want->grant)) {
		deny(job,
		     QS_DESC_PREFIX
		     "free GPUs are on places that are kept for another job",
		     0);
		return false;
	}
	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(view->seen[index].id);
	fresh = rec && !rec->grant;
	/* Not one that was only suspended. */
	first = fresh && !rec->offered;
	ranked = rec && rec->rank != want->rank;
	if (rec) {
		rec->grant = want->grants;
		rec->grant_until = qs_tick() + QS_GRANT_SEC;
		rec->entitled = want->grant->how == QS_HOW_OWN;
		rec->rank = want->rank;
		qs_jobrec_set_desc(rec, NULL);
		if (!rec->offered) {
			rec->offered = qs_tick();
			rec->sched_eval = (int64_t)job->last_sched_eval;
		}
		if (first) {
			qs_rt.count.grants++;
			qs_log_later("grant",
				     ",\"job\":%u,\"how\":\"%s\",\"tasks\":%u",
				     rec->id, qs_how_name(want->grant->how),
				     want->grants);
		}
	}
	slurm_mutex_unlock(&qs_rt.lock);
	if (ranked)
		each_component(job, reprioritize);
	each_component(job, reopen);
	if (first)
		verbose("quota_share: %pJ may start (%s)", job,
			qs_how_name(want->grant->how));
	return fresh;
}

/* The job of this place in the snapshot, if it still is as it was seen. */
static job_record_t *still_waits(const struct qs_view *view, uint32_t index)
{
	job_record_t *job = find_job_record(view->seen[index].id);

	if (!job || !IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job) ||
	    job->user_id != view->seen[index].user)
		return NULL;
	return job;
}

static void release(job_record_t *job)
{
	if (job->priority)
		return;
	if (job->state_reason == WAIT_HELD) {
		job->state_reason = WAIT_NO_REASON;
		xfree(job->state_desc);
	}
	set_job_prio(job);
}

/* See note_step() in look_job.c. */
static void unstep(job_record_t *job)
{
	time_t now = time(NULL);

	if (job->details && job->details->begin_time > now)
		job->details->begin_time = now;
	last_job_update = now;
}

static void fix_begin(const struct qs_view *view, uint32_t index,
		      job_record_t *job)
{
	struct qs_jobrec *rec;
	bool resubmit = false, unhold = false;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(view->seen[index].id);
	if (rec) {
		resubmit = rec->resubmit;
		unhold = rec->unhold;
		rec->fix_begin = rec->resubmit = rec->unhold = false;
		qs_rt.state_dirty = true;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	if (resubmit)
		each_component(job, qs_compat_add_submit);
	if (unhold)
		each_component(job, release);
	each_component(job, early);
}

/* It takes no part (any more): it is Slurm's alone again. */
static void let_go(job_record_t *job)
{
	struct qs_jobrec *rec;
	bool ranked;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(qs_jobrec_key(job));
	ranked = rec && rec->rank;
	if (rec)
		rec->rank = 0;
	slurm_mutex_unlock(&qs_rt.lock);
	qs_fence_clear(job);
	if (ranked)
		each_component(job, reprioritize);
	each_component(job, reopen);
}

static bool apply_job(const struct qs_view *view, const struct qs_want *want,
		      uint32_t index, bool enforce)
{
	const struct qs_seen *seen = &view->seen[index];
	job_record_t *job = still_waits(view, index);
	char text[QS_DESC_SIZE];

	if (!job)
		return false;
	if (seen->fix_clock)
		each_component(job, unstep);
	if (seen->fix_begin) {
		fix_begin(view, index, job);
		return false;
	}
	if (!enforce || !seen->open) {
		let_go(job);
		return seen->ours_shown;
	}
	/* It was changed in between: the next round will see. */
	if (job->state_reason != seen->reason && !qs_look_ours_shown(job) &&
	    job->state_reason != WAIT_RESOURCES &&
	    job->state_reason != WAIT_PRIORITY &&
	    job->state_reason != WAIT_NO_REASON)
		return false;
	if (want->grants)
		return grant(view, want, index, job);
	qs_apply_text(view, want, index, text, sizeof(text));
	deny(job, text, want->said);
	return false;
}

static void apply_strays(const struct qs_view *view)
{
	for (uint32_t i = 0; i < view->nstrays; i++) {
		job_record_t *job = find_job_record(view->strays[i]);

		if (job && IS_JOB_PENDING(job))
			let_go(job);
	}
}

static void apply_refused(const struct qs_view *view, bool enforce)
{
	char text[QS_DESC_SIZE];

	for (uint32_t i = 0; i < view->nrefused; i++) {
		job_record_t *job = find_job_record(view->refused[i].id);

		if (!job || !IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job) ||
		    !job->priority)
			continue;
		snprintf(text, sizeof(text), QS_DESC_PREFIX "%s",
			 view->refused[i].text);
		if (enforce)
			deny(job, text, 0);
		else
			let_go(job);
	}
}

static void lock(struct qs_view *view)
{
	lock_slurmctld(qs_write_locks);
	view->locked_us = qs_mono_us();
}

static void unlock(const struct qs_view *view)
{
	int64_t held = qs_mono_us() - view->locked_us;

	unlock_slurmctld(qs_write_locks);
	slurm_mutex_lock(&qs_rt.lock);
	if ((uint64_t)held > qs_rt.count.apply_us_max)
		qs_rt.count.apply_us_max = (uint64_t)held;
	slurm_mutex_unlock(&qs_rt.lock);
}

static bool holds(struct qs_view *view, struct qs_want *wants, bool enforce)
{
	bool good;

	slurm_mutex_lock(&qs_rt.lock);
	good = is_good(view, wants, enforce);
	slurm_mutex_unlock(&qs_rt.lock);
	return good && !qs_shutting_down();
}

/* Grants of before that are still to be made anew: until then nobody begins by
 * one, since it is not kept off the claims that were made since. */
static void suspend_grants(const struct qs_view *view,
			   const struct qs_want *wants)
{
	slurm_mutex_lock(&qs_rt.lock);
	for (uint32_t i = 0; qs_rt.claims && i < view->snap->njobs; i++) {
		struct qs_jobrec *rec = NULL;

		if (wants[i].rank && wants[i].todo != QS_TODO_NOTHING)
			rec = qs_jobrec_find(view->seen[i].id);
		if (rec)
			rec->grant = 0;
	}
	slurm_mutex_unlock(&qs_rt.lock);
}

bool qs_apply_breathe(struct qs_view *view, struct qs_want *wants)
{
	const struct timespec gap = { .tv_nsec = QS_GAP_US * 1000 };

	if (qs_mono_us() - view->locked_us < QS_HOLD_US)
		return true;
	suspend_grants(view, wants);
	unlock(view);
	qs_log_flush();
	nanosleep(&gap, NULL);
	lock(view);
	return holds(view, wants, view->policy->mode == QS_MODE_ENFORCE);
}

/* The jobs in this order: first those that may not start (so many come back in
 * *others), then the others by rank, since whoever is granted can be started as
 * soon as the locks are given up. The caller frees; NULL: no memory. */
static uint32_t *in_order(const struct qs_view *view,
			  const struct qs_want *wants, uint32_t *others,
			  uint32_t *n)
{
	uint32_t njobs = view->snap->njobs, nranked = 0;
	uint32_t *order = calloc((size_t)njobs + 1, sizeof(*order));

	*n = 0;
	for (uint32_t i = 0; order && i < njobs; i++) {
		if (wants[i].rank)
			nranked++;
		else if (wants[i].todo != QS_TODO_NOTHING)
			order[(*n)++] = i;
	}
	for (uint32_t i = 0; order && i < njobs; i++)
		if (wants[i].rank)
			order[*n + wants[i].rank - 1] = i;
	*others = *n;
	*n += nranked;
	return order;
}

/* False: what the plan says is not good any more. *kick becomes true if Slurm
 * should be asked to schedule. */
static bool apply_jobs(struct qs_view *view, struct qs_want *wants,
		       const uint32_t *order, uint32_t n, bool *kick)
{
	bool enforce = view->policy->mode == QS_MODE_ENFORCE;
	int64_t counted = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct qs_want *want = &wants[order[i]];

		if (want->todo == QS_TODO_NOTHING)
			continue;
		if (!qs_apply_breathe(view, wants))
			return false;
		/* Grants are kept off claims, of which some may have ended
		 * while the locks were given up. */
		if (want->grants && counted != view->locked_us) {
			if (!qs_fence_count(view))
				return false;
			counted = view->locked_us;
		}
		*kick |= apply_job(view, want, order[i], enforce);
		want->todo = QS_TODO_NOTHING;
	}
	return true;
}

/*
 * Who may not start any more is told first: once somebody is claimed for, no one
 * that the plan does not let may take the place while the locks are given up.
 * Then claims, and then grants: those are kept off the claims.
 */
static bool apply_locked(struct qs_view *view, struct qs_want *wants,
			 bool enforce)
{
	uint32_t others, n, *order = in_order(view, wants, &others, &n);
	bool good, kick = false;

	good = order && holds(view, wants, enforce) &&
	       apply_jobs(view, wants, order, others, &kick) &&
	       (!enforce || qs_rt.settling || qs_apply_claims(view, wants)) &&
	       apply_jobs(view, wants, order + others, n - others, &kick);
	free(order);
	/* The job list may be gone, if slurmctld goes out of office. */
	if (!good)
		return kick;
	apply_strays(view);
	apply_refused(view, enforce);
	return kick || view->nstrays;
}

void qs_apply(struct qs_view *view)
{
	bool enforce = view->policy->mode == QS_MODE_ENFORCE;
	struct qs_want *wants = gather(view);
	bool kick = view->kick;

	if (!wants)
		return;
	if (!enforce)
		qs_apply_observe(view, wants);
	if (anything(view, wants, enforce)) {
		lock(view);
		kick |= apply_locked(view, wants, enforce);
		unlock(view);
		slurm_mutex_lock(&qs_rt.lock);
		qs_rt.count.applies++;
		slurm_mutex_unlock(&qs_rt.lock);
	}
	free(wants);
	if (kick && !qs_shutting_down()) {
		/* At once, and again on Slurm's own beat. */
		schedule(false);
		queue_job_scheduler();
	}
}
