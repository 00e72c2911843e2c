/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop.c - taking back: signal, grace time, requeue or end (R11, R12)
 *
 * Called by our thread; qs_stop_act() takes the write locks. qs_stop_ended()
 * comes from the burst_buffer callback when a job ends, and only writes
 * marks there.
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
 * the phase. After a kill -9 the stop goes on where it was.
 *
 * Its surprise: the count rises before the job is stopped, and falls again if
 * it is spared or ends well in that moment.
 */
#include "runtime/inner.h"

#include <signal.h>
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

void qs_stop_add(const struct qs_view *view, const struct qs_decision *decision,
		 const struct qs_victim *victim)
{
	const struct qs_job *job = &view->snap->jobs[victim->job];
	const struct qs_policy *policy = view->policy;
	struct qs_stop *stop = find_any(victim->id);

	if (stop && stop->phase != QS_PHASE_SPARED)
		return;
	if (!stop) {
		stop = calloc(1, sizeof(*stop));
		if (!stop)
			return;
		stop->next = qs_rt.stops;
		qs_rt.stops = stop;
	}
	/* One that was spared is told anew. */
	stop->phase = QS_PHASE_NEW;
	stop->signalled = stop->signalled_us = 0;
	stop->grace_sec = 0;
	stop->victim = victim->id;
	stop->claimant = decision->id;
	stop->start = job->start;
	stop->decided = qs_now();
	if (job->state != QS_JOB_SUSPENDED) /* it could not answer */
		stop->grace_sec = job->share >= 0 ?
			qs_policy_grace(policy, job->share) :
			policy->queues[job->queue].grace_sec;
	stop->outcome = (uint8_t)qs_submit_outcome(policy, job->share,
						   &job->retries,
						   job->preempted,
						   job->requeue);
	stop->how = decision->how;
	stop->code = decision->code;
	stop->chosen = victim->chosen;
	stop->gpus = victim->gpus;
	stop->beyond = victim->beyond;
	snprintf(stop->share, sizeof(stop->share), "%s", job->share >= 0 ?
		 policy->shares[job->share].name : "");
	qs_explain_victim(policy, decision, victim, stop->decided - job->start,
			  stop->text,		  sizeof(stop->text));
	qs_rt.count.stops++;
	qs_rt.state_dirty = true;
}

static void uncount(struct qs_stop *stop)
{
	struct qs_jobrec *rec = qs_jobrec_find(stop->victim);

	if (!stop->counted)
		return;
	stop->counted = false;
	if (rec && rec->preempted)
		rec->preempted--;
	qs_rt.count.preemptions--;
}

static void count(struct qs_stop *stop)
{
	struct qs_jobrec *rec = qs_jobrec_add(stop->victim);

	if (stop->counted || !rec)
		return;
	stop->counted = true;
	rec->preempted++;
	rec->displaced_by = stop->claimant;
	qs_rt.count.preemptions++;
	qs_rt.state_dirty = true;
}

void qs_stop_remember(const struct qs_stop *stop)
{
	struct qs_past *past;

	if (!qs_rt.history)
		qs_rt.history = calloc(QS_HISTORY_MAX, sizeof(*past));
	if (!qs_rt.history)
		return;
	past = &qs_rt.history[qs_rt.history_next++ % QS_HISTORY_MAX];
	if (qs_rt.history_n < QS_HISTORY_MAX)
		qs_rt.history_n++;
	*past = (struct qs_past){
		.time = qs_now(), .victim = stop->victim,
		.claimant = stop->claimant, .gpus = stop->gpus,
		.beyond = stop->beyond, .how = stop->how, .code = stop->code,
		.chosen = stop->chosen, .outcome = stop->outcome,
		.run_sec = (uint32_t)(qs_now() - stop->start) };
	memcpy(past->share, stop->share, sizeof(past->share));
	memcpy(past->text, stop->text, sizeof(past->text));
}

/* It was stopped: what follows for its record. */
static void was_stopped(struct qs_stop *stop, bool requeued)
{
	struct qs_jobrec *rec = qs_jobrec_find(stop->victim);

	count(stop);
	stop->phase = QS_PHASE_ENDING;
	if (rec && requeued)
		rec->requeued = rec->fix_begin = true;
	qs_stop_remember(stop);
	qs_rt.state_dirty = true;
}

static bool died(const job_record_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	return base == JOB_FAILED || base == JOB_OOM;
}

void qs_stop_ended(job_record_t *job)
{
	struct qs_stop *stop = find_any(qs_jobrec_key(job));
	struct qs_jobrec *rec;
	bool requeue;

	/* PREEMPTED: that is us, in qs_stop_act(). */
	if (!stop || (job->job_state & JOB_STATE_BASE) == JOB_PREEMPTED)
		return;
	if (stop->phase == QS_PHASE_ENDING && !stop->ended)
		return;
	qs_rt.state_dirty = true;
	if (stop->phase == QS_PHASE_NEW || !died(job)) {
		uncount(stop);
		stop->ended = true;
		stop->phase = QS_PHASE_ENDING;
		return;
	}
	requeue = stop->outcome == QS_OUTCOME_REQUEUE && job->details &&
		job->details->requeue && job->batch_flag;
	job->job_state = (job->job_state & JOB_STATE_FLAGS) | JOB_PREEMPTED;
	if (requeue)
		job->job_state |= JOB_REQUEUE;
	if (!stop->ended) {
		stop->ended = true;
		was_stopped(stop, requeue);
		rec = qs_jobrec_find(stop->victim);
		if (rec && requeue)
			rec->resubmit = true;
	}
}

static const struct qs_job *holder(const struct qs_view *view, uint32_t id)
{
	for (uint32_t i = 0; i < view->snap->njobs; i++)
		if (view->snap->jobs[i].id == id &&
		    view->snap->jobs[i].state != QS_JOB_PENDING)
			return &view->snap->jobs[i];
	return NULL;
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
		/* Ended well after all, before it was stopped. */
		if (stop->phase == QS_PHASE_KILL)
			uncount(stop);
		*at = stop->next;
		free(stop);
		qs_rt.state_dirty = true;
	}
}

/* True: it bore a signal, so its end may still be our doing. */
static bool spare(struct qs_view *view, struct qs_stop *stop)
{
	info("quota_share: JobId=%u is spared: JobId=%u does not need its GPUs any more%s",
	     stop->victim, stop->claimant, stop->signalled ?
	     "; it has been signalled" : "");
	uncount(stop);
	qs_rt.count.spared++;
	for (uint32_t i = 0; view && i < view->snap->njobs; i++)
		if (view->snap->jobs[i].id == stop->victim)
			view->snap->jobs[i].ends = false;
	stop->phase = QS_PHASE_SPARED;
	return stop->signalled;
}

/* Counted in whole seconds a grace time could be up to one too short. */
static bool grace_is_over(const struct qs_stop *stop)
{
	if (stop->signalled_us)
		return qs_mono_us() - stop->signalled_us >=
			(int64_t)stop->grace_sec * 1000000;
	return qs_now() > stop->signalled + (int64_t)stop->grace_sec;
}

static bool is_forgotten(const struct qs_stop *stop)
{
	return stop->phase == QS_PHASE_SPARED &&
		qs_now() > stop->signalled + (int64_t)stop->grace_sec +
		QS_SPARED_SEC;
}

/* Those that went in their grace time: told to the log once. */
void qs_stop_log_ended(void)
{
	struct qs_stop copy;
	bool found;

	do {
		found = false;
		slurm_mutex_lock(&qs_rt.lock);
		for (struct qs_stop *stop = qs_rt.stops; stop && !found;
		     stop = stop->next) {
			found = stop->ended && !stop->logged;
			if (!found)
				continue;
			stop->logged = true;
			copy = *stop;
		}
		slurm_mutex_unlock(&qs_rt.lock);
		if (found)
			qs_stop_log(&copy, copy.counted ?
				    "preemption_completed" :
				    "ended_in_grace_time");
	} while (found);
}

bool qs_stop_due(struct qs_view *view)
{
	struct qs_stop **at, *stop;
	bool work = false;

	slurm_mutex_lock(&qs_rt.lock);
	at = &qs_rt.stops;
	while ((stop = *at)) {
		if (stop->phase == QS_PHASE_ENDING) {
			at = &stop->next;
			continue;
		}
		if (is_forgotten(stop) ||
		    (stop->phase != QS_PHASE_SPARED &&
		     !qs_claim_find(stop->claimant) && !spare(view, stop))) {
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
		work |= stop->phase != QS_PHASE_GRACE;
		at = &stop->next;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return work;
}

/* Does srun run something in it, beside the batch script? */
static bool has_steps(const job_record_t *job)
{
	ListIterator it;
	step_record_t *step;
	bool found = false;

	if (!job->step_list)
		return false;
	it = list_iterator_create(job->step_list);
	while (!found && (step = list_next(it)))
		found = step->step_id.step_id <= SLURM_MAX_NORMAL_STEP_ID;
	list_iterator_destroy(it);
	return found;
}

/*
 * Steps and batch script are told (R11), unless the user chose with --signal
 * who gets which signal. A script that runs its program itself is told with
 * all of its processes. One that uses srun is told by its shell only: srun
 * answers a SIGTERM by killing its tasks at once, which would take their grace
 * time from them; these are told directly. SIGCONT first: a stopped process
 * cannot answer.
 */
static void signal_one(job_record_t *job)
{
	uint16_t flags = KILL_FULL_JOB;

	if (job->warn_signal && !(job->warn_flags & WARN_SENT)) {
		flags = job->warn_flags & KILL_JOB_BATCH ? job->warn_flags :
			job->warn_flags | KILL_STEPS_ONLY;
		(void)job_signal(job, SIGCONT, flags, 0, false);
		(void)job_signal(job, job->warn_signal, flags, 0, false);
		job->warn_flags |= WARN_SENT;
		return;
	}
	(void)job_signal(job, SIGCONT, flags, 0, false);
	if (!job->batch_flag || has_steps(job)) {
		(void)job_signal(job, SIGTERM, KILL_STEPS_ONLY, 0, false);
		flags = KILL_JOB_BATCH;
	}
	if (job->batch_flag)
		(void)job_signal(job, SIGTERM, flags, 0, false);
}

static void send_signals(job_record_t *job)
{
	job_record_t *one;
	ListIterator it;

	if (!job->het_job_list) {
		signal_one(job);
		return;
	}
	it = list_iterator_create(job->het_job_list);
	while ((one = list_next(it)))
		signal_one(one);
	list_iterator_destroy(it);
}

/* The reason in accounting; a comment of somebody else stays. */
static void comment(job_record_t *job, const char *text)
{
	if (job->admin_comment && xstrncmp(job->admin_comment, QS_DESC_PREFIX,
					   sizeof(QS_DESC_PREFIX) - 1))
		return;
	xfree(job->admin_comment);
	job->admin_comment = xstrdup_printf(QS_DESC_PREFIX "%s", text);
}

/* What to do, copied so that qs_rt.lock is not held while it is done. */
struct task {
	struct qs_stop stop;
	int rc;
};

void qs_stop_log(const struct qs_stop *stop, const char *event)
{
	char text[QS_LINE_MAX + 64], share[QS_NAME_MAX * 2];

	qs_log_line(QS_LOG_EVENT, event,
		    ",\"job\":%u,\"for\":%u,\"share\":%s,\"how\":\"%s\",\"code\":\"%s\",\"chosen\":\"%s\",\"gpus\":%u,\"beyond\":%u,\"grace\":%u,\"run\":%"PRId64",\"outcome\":\"%s\",\"text\":%s",
		    stop->victim, stop->claimant,
		    qs_log_quote(stop->share, share, sizeof(share)),
		    qs_how_name(stop->how), qs_code_name(stop->code),
		    qs_chosen_name(stop->chosen), stop->gpus, stop->beyond,
		    stop->grace_sec, qs_now() - stop->start,
		    stop->outcome == QS_OUTCOME_REQUEUE ? "requeue" :
		    stop->outcome == QS_OUTCOME_TERMINATE ? "terminate" :
		    "cancel", qs_log_quote(stop->text, text, sizeof(text)));
}

/* Write locks held. rc 0: done, else to be tried again; -1: void. */
static void perform(struct task *task)
{
	struct qs_stop *stop = &task->stop;
	job_record_t *victim = find_job_record(stop->victim);
	job_record_t *claimant = find_job_record(stop->claimant);

	task->rc = -1;
	if (!victim || !claimant || !IS_JOB_PENDING(claimant) ||
	    IS_JOB_COMPLETING(claimant) || IS_JOB_COMPLETING(victim) ||
	    (!IS_JOB_RUNNING(victim) && !IS_JOB_SUSPENDED(victim)) ||
	    (int64_t)victim->start_time != stop->start)
		return;
	if (stop->phase == QS_PHASE_NEW) {
		info("quota_share: %pJ gets %u s to end: %s", victim,
		     stop->grace_sec, stop->text);
		comment(victim, stop->text);
		send_signals(victim);
		task->rc = 0;
		return;
	}
	comment(victim, stop->text);
	task->rc = qs_compat_preempt(victim, claimant, stop->outcome ==
				     QS_OUTCOME_REQUEUE);
	if (!task->rc)
		info("quota_share: %pJ %s for %pJ: %s", victim,
		     stop->outcome == QS_OUTCOME_REQUEUE ? "is requeued" :
		     "is ended", claimant, stop->text);
}

static void settle(const struct task *task)
{
	struct qs_stop *stop;

	slurm_mutex_lock(&qs_rt.lock);
	stop = qs_stop_find(task->stop.victim);
	if (stop && !task->rc && task->stop.phase == QS_PHASE_NEW) {
		if (stop->phase == QS_PHASE_NEW) {
			stop->phase = QS_PHASE_GRACE;
			stop->signalled = qs_now();
			stop->signalled_us = qs_mono_us();
		}
		qs_rt.state_dirty = true;
	} else if (stop && !task->rc) {
		was_stopped(stop, stop->outcome == QS_OUTCOME_REQUEUE);
	}
	slurm_mutex_unlock(&qs_rt.lock);
}

/* The stops that need something done now. The caller frees. */
static struct task *gather(uint32_t *n)
{
	struct task *tasks = NULL;
	uint32_t max = 0;

	*n = 0;
	slurm_mutex_lock(&qs_rt.lock);
	for (struct qs_stop *stop = qs_rt.stops; stop; stop = stop->next)
		max++;
	if (max)
		tasks = calloc(max, sizeof(*tasks));
	for (struct qs_stop *stop = qs_rt.stops; tasks && stop;
	     stop = stop->next) {
		/* A claim may have died since: then nobody is stopped. */
		if ((stop->phase == QS_PHASE_NEW ||
		     stop->phase == QS_PHASE_KILL) &&
		    qs_claim_find(stop->claimant))
			tasks[(*n)++].stop = *stop;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return tasks;
}

void qs_stop_act(void)
{
	struct task *tasks;
	uint32_t n;
	int64_t began;

	lock_slurmctld(qs_write_locks);
	began = qs_mono_us();
	/* Under the lock: no claimant can end between this and the deed. */
	tasks = gather(&n);
	for (uint32_t i = 0; i < n && !qs_shutting_down(); i++) {
		perform(&tasks[i]);
		settle(&tasks[i]);
	}
	unlock_slurmctld(qs_write_locks);
	began = qs_mono_us() - began;
	slurm_mutex_lock(&qs_rt.lock);
	if ((uint64_t)began > qs_rt.count.act_us_max)
		qs_rt.count.act_us_max = (uint64_t)began;
	qs_rt.dirty = true;
	slurm_mutex_unlock(&qs_rt.lock);
	for (uint32_t i = 0; i < n; i++)
		if (!tasks[i].rc)
			qs_stop_log(&tasks[i].stop,
				 tasks[i].stop.phase == QS_PHASE_NEW ?
				 "preemption_started" :
				 "preemption_completed");
	free(tasks);
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
