/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.c - the callbacks: may this job be placed now, it begins, it ends
 *
 * Called by slurmctld's threads with the job write lock (gate also conf,
 * partition and federation read and node write lock) and with the mutex that
 * slurmctld holds around every burst_buffer callback. Blocks on nothing but
 * the short sections under qs_rt.lock. Nothing in here may end a job: that
 * would call back and wait for the mutex already held.
 *
 * The gate decides nothing. It looks up what the last plan said. Its surprise:
 * a new job is let through while Slurm only tests it (test_only), so that a
 * request that no node could ever satisfy is still refused when it is
 * submitted; nothing is started by such a test.
 */
#include "runtime/events.h"
#include "runtime/inner.h"

#include <stdlib.h>
#include <string.h>

#include "host/het.h"
#include "host/request.h"

#define NEW_TEXT   QS_DESC_PREFIX "being looked at"
#define AGAIN_TEXT QS_DESC_PREFIX "preempted for JobId=%u, waits again"
#define START_TEXT \
	QS_DESC_PREFIX "slurmctld has just started, nodes register with it"

struct qs_test qs_test;

void qs_runtime_wake(void)
{
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.dirty = true;
	pthread_cond_signal(&qs_rt.wake);
	slurm_mutex_unlock(&qs_rt.lock);
}

/* qs_rt.lock held. */
static void wake(void)
{
	if (!qs_rt.dirty)
		pthread_cond_signal(&qs_rt.wake);
	qs_rt.dirty = true;
}

static const struct qs_policy *policy_now(void)
{
	return qs_rt.policy ? qs_rt.policy->policy : NULL;
}

/* Of a job that no look has judged. */
struct newcomer {
	int queue;
	struct qs_request request;
};

/* Asks for GPUs of a queue? A component without any goes with those that do.
 * qs_rt.lock held: it keeps the policy alive. */
static bool measure(job_record_t *job, struct newcomer *new)
{
	const struct qs_policy *policy = policy_now();
	struct qs_het_home home;

	new->queue = -1;
	if (!policy || (!job->het_job_id && !qs_request_may_be_gpu(job)))
		return false;
	qs_het_find(policy, job, &home);
	new->queue = home.queue;
	if (new->queue < 0 || job->het_job_id)
		return new->queue >= 0;
	qs_request_of_record(policy, new->queue, job, &new->request);
	return new->request.gpu;
}

/* qs_rt.lock held. new: filled if no look has judged it. */
static bool is_ours(const struct qs_jobrec *rec, job_record_t *job,
		    struct newcomer *new)
{
	return (rec && rec->looked && rec->ours) || measure(job, new);
}

static int by_type(const void *a, const void *b)
{
	const struct qs_demand *x = a, *y = b;

	return (int)x->type - (int)y->type;
}

/*
 * Is it plain from the plan in force that a new job waits, and why? Then no new
 * plan is needed for it. Only of what comes in as most jobs do: with its share
 * in its environment, not as a part of something, nothing known of it.
 * qs_rt.lock held.
 */
static bool waits_by_plan(const job_record_t *job, struct newcomer *new,
			  struct qs_decision *said)
{
	const struct qs_view *view = qs_rt.view;
	struct qs_request *request = &new->request;
	struct qs_job one = { .id = job->job_id, .queue = new->queue };
	struct qs_opt priority;

	if (!view || view->policy != policy_now() || job->het_job_id ||
	    !job->details || request->unknown_type || !request->ndemands)
		return false;
	one.share = qs_request_share_given(view->policy, new->queue, job);
	if (one.share < 0)
		return false;
	if (!qs_env_number(job->spank_job_env, job->spank_job_env_size,
			   QS_ENV_PRIORITY, QS_PRIORITY_MAX, &priority))
		one.priority = (uint32_t)priority.value;
	one.eligible = job->details->begin_time ?
			       (int64_t)job->details->begin_time :
			       qs_now();
	one.requeue = job->details->requeue && job->batch_flag;
	if (request->ndemands > 1)
		qsort(request->demands, request->ndemands,
		      sizeof(*request->demands), by_type);
	return qs_standing_waits(view->standing, &one, request->demands,
				 request->ndemands, said);
}

/* qs_rt.lock held. A look that is due soon will do. */
static void wake_later(void)
{
	if (!qs_rt.longer && !qs_rt.dirty)
		pthread_cond_signal(&qs_rt.wake);
	qs_rt.longer = true;
}

static void show(job_record_t *job, const char *text)
{
	if (job->state_reason == FAIL_BURST_BUFFER_OP &&
	    !xstrcmp(job->state_desc, text))
		return;
	job->state_reason = FAIL_BURST_BUFFER_OP;
	xfree(job->state_desc);
	job->state_desc = xstrdup(text);
	last_job_update = time(NULL);
}

/* Why it waits; until the next plan that is not known of a new job, nor of
 * one that was just requeued. qs_rt.lock held. */
static void show_why(job_record_t *job, const struct qs_jobrec *rec)
{
	char text[sizeof(AGAIN_TEXT) + 16];

	if (rec && rec->desc) {
		show(job, rec->desc);
	} else if (rec && rec->displaced_by) {
		snprintf(text, sizeof(text), AGAIN_TEXT, rec->displaced_by);
		show(job, text);
	} else if (qs_rt.settling) {
		show(job, START_TEXT);
	} else {
		show(job, NEW_TEXT);
	}
}

/* The same of a job that no look has seen, by the plan in force. */
static void show_said(job_record_t *job, const struct qs_decision *said)
{
	char text[sizeof(QS_DESC_PREFIX) + QS_REASON_MAX];
	size_t n = sizeof(QS_DESC_PREFIX) - 1;

	memcpy(text, QS_DESC_PREFIX, n);
	qs_explain_short(policy_now(), said, text + n, sizeof(text) - n);
	show(job, text);
}

int qs_runtime_gate(job_record_t *job, bool test_only)
{
	struct qs_jobrec *rec;
	struct newcomer new;
	struct qs_decision said;
	bool none_of_ours = false, plain = false;
	int verdict = -1;

	/* slurmctld serves requests, so it is up: do not wait for its main
	 * loop's first turn. */
	if (!__atomic_load_n(&qs_rt.ready, __ATOMIC_RELAXED))
		qs_runtime_load(false);
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.count.gate_asked++;
	rec = qs_jobrec_find(qs_jobrec_key(job));
	if (!policy_now() || policy_now()->mode == QS_MODE_OBSERVE) {
		verdict = 1;
	} else if (!is_ours(rec, job, &new)) {
		none_of_ours = true;
		verdict = 1;
	} else if (rec && rec->grant && rec->grant_until >= qs_tick()) {
		verdict = 1;
	} else if (test_only && (!rec || !rec->looked)) {
		verdict = 1;
	}
	/* The plan is not about a job without GPUs: no new one is needed. */
	if (!none_of_ours && (!rec || !rec->looked || verdict != 1)) {
		plain = !rec && policy_now() &&
			policy_now()->mode == QS_MODE_ENFORCE &&
			waits_by_plan(job, &new, &said);
		if (plain)
			wake_later();
		else
			wake();
	}
	if (verdict != 1) {
		qs_rt.count.gate_denied++;
		if (plain)
			show_said(job, &said);
		else
			show_why(job, rec);
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return verdict;
}

/* The record whose grant a job that begins uses up: its own, or that of the
 * array it was split from. */
static struct qs_jobrec *granted(const job_record_t *job)
{
	struct qs_jobrec *rec = qs_jobrec_find(qs_jobrec_key(job));

	if ((!rec || !rec->grant) && job->array_job_id && !job->het_job_id)
		rec = qs_jobrec_find(job->array_job_id);
	return rec;
}

/* What is said there is about an earlier run; each has a record of its own in
 * accounting. */
static void drop_comment(job_record_t *job)
{
	if (!xstrncmp(job->admin_comment, QS_DESC_PREFIX,
		      sizeof(QS_DESC_PREFIX) - 1))
		xfree(job->admin_comment);
}

void qs_runtime_begin(job_record_t *job)
{
	struct qs_jobrec *from, *rec;
	struct newcomer unused;
	int64_t waited;

	drop_comment(job);
	/* slurmctld forgets this when the requeue of the last run is through;
	 * not if the node went down meanwhile. job_time_limit() would then
	 * stop this run some seconds after its start. */
	job->preempt_time = 0;
	job->preempt_in_progress = false;
	slurm_mutex_lock(&qs_rt.lock);
	from = granted(job);
	if (!is_ours(from, job, &unused))
		goto out;
	rec = qs_jobrec_add(job->job_id);
	if (!rec)
		goto out;
	if (from && from != rec && from->id == job->array_job_id) {
		rec->eligible = from->eligible;
		rec->fenced = from->fenced;
		rec->priority = from->priority;
		rec->retries = from->retries;
		rec->known = from->known;
		rec->user = job->user_id;
	}
	if (from && from->grant && !job->het_job_id)
		from->grant--;
	if (from && from->offered) {
		waited = (qs_tick() - from->offered) * 1000;
		if (waited > (int64_t)qs_rt.count.start_ms_max)
			qs_rt.count.start_ms_max = (uint64_t)waited;
		from->offered = 0;
	}
	rec->looked = rec->ours = true;
	rec->held = true;
	rec->queued = true;
	rec->seen = true;
	rec->rank = 0;
	qs_rt.began[qs_rt.begins++ % QS_BEGAN_MAX] =
		from ? from->id : qs_jobrec_key(job);
	qs_claim_ended(from ? from->id : qs_jobrec_key(job), false);
	if (from && from->rest && from->rest->but)
		from->rest->but--;
	wake();
out:
	slurm_mutex_unlock(&qs_rt.lock);
}

static void end(job_record_t *job, bool revoked)
{
	struct qs_jobrec *rec;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(job->job_id);
	qs_rt.ends++;
	if (rec && rec->held)
		rec->held = false;
	if (!revoked) {
		qs_claim_ended(qs_jobrec_key(job), true);
		qs_stop_ended(job);
		qs_events_ended(job, rec);
		qs_events_comment(job);
	}
	/* What a job without GPUs leaves, CPUs, matters to few. */
	if (rec && rec->ours)
		wake();
	else
		wake_later();
	slurm_mutex_unlock(&qs_rt.lock);
}

void qs_runtime_end(job_record_t *job)
{
	end(job, false);
}

void qs_runtime_revoke(job_record_t *job)
{
	end(job, true);
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Asked for every job in the list for every pending job that Slurm tries, so:
 * the claimant first. Slurm's own selection never stops anybody; only our own
 * test is answered, and it runs under the job write lock, as every caller
 * does: no lock is needed.
 */
bool qs_runtime_preemptable(const job_record_t *victim,
			    const job_record_t *claimant)
{
	uint32_t id;

	if (!qs_test.claimant || claimant->job_id != qs_test.claimant)
		return false;
	id = qs_jobrec_key(victim);
	return bsearch(&id, qs_test.victims, qs_test.n, sizeof(id),
		       compare_ids) != NULL;
}

bool qs_runtime_requeues(const job_record_t *victim)
{
	const struct qs_stop *stop;
	bool requeue = victim->details && victim->details->requeue &&
		       victim->batch_flag;

	slurm_mutex_lock(&qs_rt.lock);
	stop = qs_stop_find(qs_jobrec_key(victim));
	if (stop)
		requeue = stop->outcome == QS_OUTCOME_REQUEUE;
	slurm_mutex_unlock(&qs_rt.lock);
	return requeue;
}

/*
 * Slurm serves what was granted in the plan's order: claimants, then entitled
 * jobs, then borrowers. Steps of a million are meant to be larger than all of
 * a site's other factors together; at most 2000 ranks fit into the number.
 */
#define RANKS     2000
#define RANK_STEP 1000000

uint32_t qs_runtime_site_factor(const job_record_t *job)
{
	const struct qs_jobrec *rec;
	uint32_t rank = 0;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(qs_jobrec_key(job));
	if (rec)
		rank = rec->rank;
	slurm_mutex_unlock(&qs_rt.lock);
	if (!rank)
		return NICE_OFFSET;
	rank = rank < RANKS ? rank : RANKS - 1;
	return NICE_OFFSET + (RANKS - rank) * RANK_STEP;
}

/* What a look has kept of it may be wrong soon. */
void qs_runtime_changed(const job_record_t *job)
{
	struct qs_jobrec *rec;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(qs_jobrec_key(job));
	if (rec)
		rec->kept.print = 0;
	slurm_mutex_unlock(&qs_rt.lock);
}

void qs_runtime_set_priority(job_record_t *job, uint32_t priority)
{
	job_record_t *leader = find_job_record(qs_jobrec_key(job));
	struct qs_jobrec *rec;
	char text[16];

	snprintf(text, sizeof(text), "%u", priority);
	qs_env_set(&job->spank_job_env, &job->spank_job_env_size,
		   QS_ENV_PRIORITY, text);
	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_add(qs_jobrec_key(job));
	if (rec) {
		qs_jobrec_sync(rec, leader ? leader : job, job);
		if (rec->priority != priority)
			qs_log_later(
				"priority_changed",
				",\"job\":%u,\"uid\":%u,\"before\":%u,\"priority\":%u",
				rec->id, job->user_id, rec->priority, priority);
		rec->priority = priority;
		rec->priority_set = true;
		qs_rt.state_dirty = true;
	}
	wake();
	slurm_mutex_unlock(&qs_rt.lock);
}

uint32_t qs_runtime_priority(const job_record_t *job)
{
	const job_record_t *leader = find_job_record(qs_jobrec_key(job));
	struct qs_jobrec *rec, unseen = { 0 };
	uint32_t priority;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(qs_jobrec_key(job));
	rec = rec ? rec : &unseen;
	qs_jobrec_sync(rec, leader ? leader : job, job);
	priority = rec->priority;
	slurm_mutex_unlock(&qs_rt.lock);
	return priority;
}
