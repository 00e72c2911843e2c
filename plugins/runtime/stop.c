/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop.c - taking back: who is on the way out, and how far (R11, R12)
 *
 * Called by our thread under qs_rt.lock; stop_act.c does the deeds.
 * qs_stop_ended() comes from the burst_buffer callback when a job ends, and
 * only writes marks there.
 *
 * The grace time is our own; Slurm is told 0. A victim is signalled, and only
 * when its time is over slurm_job_preempt() is called. Whoever ends by itself
 * with exit code 0 before that is simply COMPLETED. Whoever fails, or dies of
 * the signal, is a preempted job: while slurmctld is still inside its
 * completion, the callback turns FAILED into PREEMPTED and sets JOB_REQUEUE,
 * the same mark that RequeueExit sets. slurmctld then requeues it when its last
 * node is done. No job ever waits as FAILED, so no dependent job sees it fail.
 *
 * What is going to be done is first written to the state file: R12's count and
 * the phase. After a kill -9 the stop goes on where it was. slurmctld's own file
 * is written seconds later, so it may then believe that a victim still runs
 * which is long gone: that run is known here, is stopped once more, and counts
 * once.
 *
 * Its surprise: the count rises before the job is stopped, and falls again if
 * it is spared or ends well in that moment.
 */
#include "runtime/answer.h"
#include "runtime/stop.h"

#include <stdlib.h>
#include <string.h>

static struct qs_stop *find_any(uint32_t victim)
{
	struct qs_stop *stop;

	for (stop = qs_rt.stops; stop; stop = stop->next)
		if (stop->victim == victim)
			break;
	return stop;
}

struct qs_stop *qs_stop_find(uint32_t victim)
{
	struct qs_stop *stop = find_any(victim);

	return stop && stop->phase != QS_PHASE_SPARED ? stop : NULL;
}

bool qs_stop_pending(uint32_t claimant)
{
	struct qs_stop *stop;

	for (stop = qs_rt.stops; stop; stop = stop->next)
		if (stop->claimant == claimant &&
		    stop->phase != QS_PHASE_SPARED)
			break;
	return stop;
}

/* Has it had its grace time, and so much more? By the clock that nobody can
 * set: a step of the other would shorten it, or never let it end. */
static bool grace_over_by(const struct qs_stop *stop, int64_t more_sec)
{
	return qs_mono_us() - stop->signalled_us >=
	       ((int64_t)stop->grace_sec + more_sec) * 1000000;
}

static bool grace_is_over(const struct qs_stop *stop)
{
	return grace_over_by(stop, 0);
}

static struct qs_stop *add(void)
{
	struct qs_stop *stop = calloc(1, sizeof(*stop));

	if (!stop)
		return NULL;
	stop->next = qs_rt.stops;
	qs_rt.stops = stop;
	return stop;
}

void qs_stop_add(const struct qs_view *view, const struct qs_decision *decision,
		 const struct qs_victim *victim)
{
	const struct qs_job *job = &view->snap->jobs[victim->job];
	const struct qs_policy *policy = view->policy;
	const struct qs_jobrec *rec = qs_jobrec_find(victim->id);
	struct qs_stop *stop = find_any(victim->id);

	if (stop && stop->phase != QS_PHASE_SPARED)
		return;
	if (!stop)
		stop = add();
	if (!stop)
		return;
	/* One that was told and then spared, and is still known, is not told
	 * again: its time goes on, or it has had it. Not so if its shell was to
	 * be told at the end, and was not. */
	stop->phase = QS_PHASE_NEW;
	if (stop->signalled_us && stop->start == job->start &&
	    !(stop->shell_waits && grace_is_over(stop)))
		stop->phase = QS_PHASE_GRACE;
	else
		stop->signalled_us = 0;
	stop->grace_sec = 0;
	stop->logged = false;
	stop->victim = victim->id;
	stop->claimant = decision->id;
	stop->start = job->start;
	stop->restarts = rec ? rec->restarts : 0;
	stop->decided = qs_now();
	if (job->state != QS_JOB_SUSPENDED) /* it could not answer */
		stop->grace_sec = job->share >= 0 ?
					  qs_policy_grace(policy, job->share) :
					  policy->queues[job->queue].grace_sec;
	/* A signal that comes before slurmd has started its script is lost. */
	stop->retry_at = stop->grace_sec && stop->phase == QS_PHASE_NEW &&
					 qs_since(job->start) < QS_YOUNG_SEC ?
				 qs_tick() + QS_YOUNG_SEC :
				 0;
	stop->outcome =
		(uint8_t)qs_submit_outcome(policy, job->share, &job->retries,
					   job->preempted, job->requeue);
	stop->how = decision->how;
	stop->code = decision->code;
	stop->chosen = victim->chosen;
	stop->gpus = victim->gpus;
	stop->beyond = victim->beyond;
	snprintf(stop->share, sizeof(stop->share), "%s",
		 job->share >= 0 ? policy->shares[job->share].name : "");
	qs_explain_victim(policy, decision, victim, qs_since(job->start),
			  stop->text, sizeof(stop->text));
	qs_rt.count.stops++;
	qs_rt.state_dirty = true;
}

static bool is_stopped_run(const struct qs_jobrec *rec,
			   const struct qs_stop *stop)
{
	return rec->stopped_start == stop->start &&
	       rec->stopped_restarts == stop->restarts;
}

static void uncount(struct qs_stop *stop)
{
	struct qs_jobrec *rec = qs_jobrec_find(stop->victim);

	if (!stop->counted)
		return;
	stop->counted = false;
	if (rec && rec->stopped_done && is_stopped_run(rec, stop))
		return;
	if (rec) {
		rec->preempted -= rec->preempted > 0;
		rec->stopped_start = 0;
	}
	qs_rt.count.preemptions--;
}

static void count(struct qs_stop *stop)
{
	struct qs_jobrec *rec = qs_jobrec_add(stop->victim);

	if (stop->counted || !rec)
		return;
	stop->counted = true;
	/* Counted before slurmctld was killed and forgot it. */
	if (is_stopped_run(rec, stop))
		return;
	rec->stopped_start = stop->start;
	rec->stopped_restarts = stop->restarts;
	rec->stopped_done = false;
	rec->preempted++;
	rec->displaced_by = stop->claimant;
	rec->displaced_under = qs_rt.policy ? qs_rt.policy->sum : 0;
	qs_rt.count.preemptions++;
	qs_rt.state_dirty = true;
}

void qs_stop_remember(const struct qs_stop *stop)
{
	struct qs_past *past;

	qs_metrics_preempted(stop->how, stop->code);
	if (!qs_rt.history)
		qs_rt.history = calloc(QS_HISTORY_MAX, sizeof(*past));
	if (!qs_rt.history)
		return;
	past = &qs_rt.history[qs_rt.history_next++ % QS_HISTORY_MAX];
	if (qs_rt.history_n < QS_HISTORY_MAX)
		qs_rt.history_n++;
	*past = (struct qs_past){ .time = qs_now(),
				  .victim = stop->victim,
				  .claimant = stop->claimant,
				  .gpus = stop->gpus,
				  .beyond = stop->beyond,
				  .how = stop->how,
				  .code = stop->code,
				  .chosen = stop->chosen,
				  .outcome = stop->outcome,
				  .run_sec =
					  (uint32_t)(qs_since(stop->start)) };
	memcpy(past->share, stop->share, sizeof(past->share));
	memcpy(past->text, stop->text, sizeof(past->text));
}

void qs_stop_done(struct qs_stop *stop, bool requeued)
{
	struct qs_jobrec *rec = qs_jobrec_find(stop->victim);

	count(stop);
	stop->phase = QS_PHASE_ENDING;
	if (rec && is_stopped_run(rec, stop)) {
		rec->stopped_done = true;
		rec->stopped_requeue = requeued;
	}
	if (rec && requeued) {
		rec->requeued = rec->fix_begin = true;
		rec->unhold = stop->suspended;
	}
	/* Slurm's own way to requeue counts it; what was to be put right of an
	 * end that slurmctld has forgotten is void. */
	if (rec)
		rec->resubmit = false;
	if (!stop->again)
		qs_stop_remember(stop);
	qs_rt.state_dirty = true;
}

static bool died(const job_record_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	return base == JOB_FAILED || base == JOB_OOM;
}

/* True: it is to be run again. */
static bool as_preempted(job_record_t *job, bool requeue)
{
	requeue = requeue && job->details && job->details->requeue &&
		  job->batch_flag;
	job->job_state = (job->job_state & JOB_STATE_FLAGS) | JOB_PREEMPTED;
	if (requeue) {
		job->job_state |= JOB_REQUEUE;
		/* Not "JobLaunchFailure", which a killed script is called. */
		job->state_reason = WAIT_NO_REASON;
		xfree(job->state_desc);
	}
	return requeue;
}

/* Of a run that we have stopped before, slurmctld learns the end once more. */
static void ended_again(job_record_t *job, struct qs_jobrec *rec,
			struct qs_stop *stop)
{
	bool well = (job->job_state & JOB_STATE_BASE) == JOB_COMPLETE;

	/* A node's failure: Slurm sees to that. */
	if (!well && !died(job))
		return;
	if (as_preempted(job, rec->stopped_requeue))
		rec->requeued = rec->fix_begin = rec->resubmit = true;
	if (stop) {
		stop->phase = QS_PHASE_ENDING;
		stop->ended = true;
	}
	qs_rt.state_dirty = true;
}

/* Stopped, as was written down before slurmctld was killed, and then found
 * missing on its node. */
static bool went_missing(const job_record_t *job, const struct qs_stop *stop)
{
	return stop->recovered && stop->phase == QS_PHASE_KILL &&
	       (job->job_state & JOB_STATE_BASE) == JOB_NODE_FAIL;
}

void qs_stop_ended(job_record_t *job)
{
	struct qs_stop *stop = find_any(qs_jobrec_key(job));
	struct qs_jobrec *rec = qs_jobrec_find(qs_jobrec_key(job));
	bool requeue;

	/* PREEMPTED: that is us, in qs_stop_act(). */
	if ((job->job_state & JOB_STATE_BASE) == JOB_PREEMPTED)
		return;
	if (rec && qs_jobrec_stopped(rec, job)) {
		ended_again(job, rec, stop);
		return;
	}
	if (!stop || (stop->phase == QS_PHASE_ENDING && !stop->ended))
		return;
	qs_rt.state_dirty = true;
	if (went_missing(job, stop)) {
		stop->ended = true;
		qs_stop_done(stop, job->details && job->details->requeue);
		return;
	}
	if (stop->phase == QS_PHASE_NEW || !died(job)) {
		uncount(stop);
		stop->ended = true;
		stop->phase = QS_PHASE_ENDING;
		return;
	}
	requeue = as_preempted(job, stop->outcome == QS_OUTCOME_REQUEUE);
	if (!stop->ended) {
		stop->ended = true;
		qs_stop_done(stop, requeue);
		if (rec && requeue)
			rec->resubmit = true;
	}
}

void qs_stop_again(const struct qs_jobrec *rec, const char *share)
{
	struct qs_stop *stop = find_any(rec->id);

	if (stop && stop->phase != QS_PHASE_ENDING &&
	    stop->phase != QS_PHASE_SPARED)
		return;
	if (!stop)
		stop = add();
	if (!stop)
		return;
	stop->phase = QS_PHASE_KILL;
	stop->again = stop->counted = stop->recovered = true;
	stop->ended = stop->logged = false;
	stop->victim = rec->id;
	stop->claimant = rec->displaced_by;
	stop->start = rec->stopped_start;
	stop->restarts = rec->stopped_restarts;
	stop->outcome = rec->stopped_requeue ? QS_OUTCOME_REQUEUE :
					       QS_OUTCOME_TERMINATE;
	snprintf(stop->share, sizeof(stop->share), "%s", share);
	snprintf(
		stop->text, sizeof(stop->text),
		"it was stopped before slurmctld was, which has not saved that");
	qs_rt.state_dirty = qs_rt.dirty = true;
}

static const struct qs_job *holder(struct qs_view *view, uint32_t id)
{
	const struct qs_job *job = qs_view_job(view, id);

	return job && job->state != QS_JOB_PENDING ? job : NULL;
}

/* About to be stopped, and gone: it ended well after all, or the state is from
 * before a kill -9 that came right behind its stop. */
static void settle_missing(struct qs_stop *stop)
{
	const struct qs_jobrec *rec = qs_jobrec_find(stop->victim);

	if (stop->recovered && rec && rec->restarts > stop->restarts)
		qs_stop_done(stop, true);
	else
		uncount(stop);
}

void qs_stop_sweep(struct qs_view *view)
{
	struct qs_stop **at = &qs_rt.stops, *stop;

	while ((stop = *at)) {
		const struct qs_job *job = holder(view, stop->victim);
		bool same = job && (job->state == QS_JOB_COMPLETING ||
				    job->start == stop->start);

		if (same) {
			at = &stop->next;
			continue;
		}
		if (stop->phase == QS_PHASE_KILL)
			settle_missing(stop);
		*at = stop->next;
		free(stop);
		qs_rt.state_dirty = true;
	}
}

/* True: it bore a signal, so its end may still be our doing. */
static bool spare(struct qs_stop *stop)
{
	info("quota_share: JobId=%u is spared: JobId=%u does not take its GPUs any more%s",
	     stop->victim, stop->claimant,
	     stop->signalled_us ? "; it has been signalled" : "");
	uncount(stop);
	qs_rt.count.spared++;
	stop->phase = QS_PHASE_SPARED;
	return stop->signalled_us;
}

bool qs_stop_wants(const struct qs_stop *stop)
{
	if (qs_rt.settling && !stop->again)
		return false;
	switch (stop->phase) {
	case QS_PHASE_NEW:
	case QS_PHASE_KILL:
		return qs_tick() >= stop->retry_at;
	case QS_PHASE_GRACE:
		return stop->shell_waits &&
		       grace_over_by(stop, -(int64_t)slurm_conf.kill_wait);
	default:
		return false;
	}
}

static bool is_forgotten(const struct qs_stop *stop)
{
	return stop->phase == QS_PHASE_SPARED &&
	       grace_over_by(stop, QS_SPARED_SEC);
}

bool qs_stop_due(void)
{
	struct qs_stop **at, *stop;
	bool work = false;

	slurm_mutex_lock(&qs_rt.lock);
	at = &qs_rt.stops;
	while ((stop = *at)) {
		if (stop->phase == QS_PHASE_ENDING || stop->again ||
		    qs_rt.settling) {
			work |= qs_stop_wants(stop);
			at = &stop->next;
			continue;
		}
		if (is_forgotten(stop) ||
		    (stop->phase != QS_PHASE_SPARED &&
		     !qs_claim_find(stop->claimant) && !spare(stop))) {
			*at = stop->next;
			free(stop);
			qs_rt.state_dirty = qs_rt.dirty = true;
			continue;
		}
		if (stop->phase == QS_PHASE_SPARED) {
			at = &stop->next;
			continue;
		}
		if ((stop->phase == QS_PHASE_NEW && !stop->grace_sec) ||
		    (stop->phase == QS_PHASE_GRACE && grace_is_over(stop))) {
			stop->phase = QS_PHASE_KILL;
			count(stop);
		}
		work |= qs_stop_wants(stop);
		at = &stop->next;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return work;
}

void qs_stop_clear(void)
{
	struct qs_stop *stop;

	while ((stop = qs_rt.stops)) {
		qs_rt.stops = stop->next;
		free(stop);
	}
	free(qs_rt.history);
	qs_rt.history = NULL;
	qs_rt.history_n = qs_rt.history_next = 0;
}
