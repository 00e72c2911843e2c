/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop_act.c - the deeds of stopping: signals, then requeue or end (R11)
 *
 * Called by our thread; takes the write locks. qs_rt.lock is not held while
 * Slurm is asked to do something: what ends a job calls back into gate.c.
 *
 * Its surprise is what a SIGTERM does to a batch script. A shell without a trap
 * dies of it at once, and then slurmd leaves the steps only KillWait seconds:
 * their grace time would be gone. So while srun runs something in the job, the
 * steps are told at the beginning and the shell KillWait before the end.
 */
#include "runtime/stop.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/parts.h"

/* Does srun run something in it, beside the batch script? */
static bool has_steps(const job_record_t *job)
{
	list_itr_t *it;
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
 * all of its processes. One that uses srun: its steps directly, since srun
 * would answer a SIGTERM by killing its tasks; its shell later (returns true).
 * SIGCONT first: a stopped process cannot answer. Slurm's mark that the user's
 * signal was sent is not set: who is spared gets it before the time limit.
 */
static bool signal_one(job_record_t *job)
{
	uint16_t flags = KILL_FULL_JOB;

	if (job->warn_signal && !(job->warn_flags & WARN_SENT)) {
		flags = job->warn_flags & KILL_JOB_BATCH ?
				job->warn_flags :
				job->warn_flags | KILL_STEPS_ONLY;
		(void)job_signal(job, SIGCONT, flags, 0, false);
		(void)job_signal(job, job->warn_signal, flags, 0, false);
		return false;
	}
	(void)job_signal(job, SIGCONT, flags, 0, false);
	if (job->batch_flag && !has_steps(job)) {
		(void)job_signal(job, SIGTERM, flags, 0, false);
		return false;
	}
	(void)job_signal(job, SIGTERM, KILL_STEPS_ONLY, 0, false);
	return job->batch_flag;
}

static bool signal_shell(job_record_t *job)
{
	if (job->batch_flag)
		(void)job_signal(job, SIGTERM, KILL_JOB_BATCH, 0, false);
	return false;
}

/*
 * Its time is over: SIGKILL for steps and batch script (R11). Slurm's own way to
 * end a job, which follows, begins with SIGTERM and leaves it KillWait seconds
 * more, at least five. A suspended job would be cancelled by this, and so would
 * one that is configuring: it has nothing yet that could be killed.
 */
static bool kill_one(job_record_t *job)
{
	if (!IS_JOB_RUNNING(job) || IS_JOB_CONFIGURING(job))
		return false;
	(void)job_signal(job, SIGKILL, KILL_STEPS_ONLY, 0, false);
	if (job->batch_flag)
		(void)job_signal(job, SIGKILL, KILL_JOB_BATCH | KILL_FULL_JOB,
				 0, false);
	return false;
}

/*
 * Slurm takes a signal to a job of scrontab for its user's wish to have no more
 * of it and disables the lines in the crontab; or refuses it, under
 * ScronParameters=explicit_scancel (job_signal()). Ours is no such wish, so
 * meanwhile it is a job as any other.
 */
static uint64_t hide_cron(job_record_t *job)
{
	uint64_t cron = job->bit_flags & CRON_JOB;

	job->bit_flags &= ~CRON_JOB;
	return cron;
}

static bool with_one(job_record_t *job, bool (*fn)(job_record_t *job))
{
	uint64_t cron = hide_cron(job);
	bool waits = fn(job);

	job->bit_flags |= cron;
	return waits;
}

/* True: a shell is still to be told. */
static bool each_component(job_record_t *job, bool (*fn)(job_record_t *job))
{
	struct qs_parts parts = qs_parts_of(job);
	job_record_t *one;
	bool waits = false;

	while ((one = qs_parts_next(&parts)))
		waits |= with_one(one, fn);
	qs_parts_end(&parts);
	return waits;
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

	qs_log_line(
		QS_LOG_EVENT, event,
		",\"job\":%u,\"for\":%u,\"share\":%s,\"how\":\"%s\",\"code\":\"%s\",\"chosen\":\"%s\",\"gpus\":%u,\"beyond\":%u,\"grace\":%u,\"start\":%" PRId64
		",\"run\":%" PRId64 ",\"outcome\":\"%s\",\"text\":%s",
		stop->victim, stop->claimant,
		qs_log_quote(stop->share, share, sizeof(share)),
		qs_how_name(stop->how), qs_code_name(stop->code),
		qs_chosen_name(stop->chosen), stop->gpus, stop->beyond,
		stop->grace_sec, stop->start, qs_since(stop->start),
		stop->outcome == QS_OUTCOME_REQUEUE   ? "requeue" :
		stop->outcome == QS_OUTCOME_TERMINATE ? "terminate" :
							"cancel",
		qs_log_quote(stop->text, text, sizeof(text)));
}

/* Those that went in their grace time, or need not go: told to the log. */
void qs_stop_log_ended(void)
{
	struct qs_stop copy;
	bool found;

	qs_log_hold();
	do {
		found = false;
		slurm_mutex_lock(&qs_rt.lock);
		for (struct qs_stop *stop = qs_rt.stops; stop && !found;
		     stop = stop->next) {
			found = !stop->logged &&
				(stop->ended || stop->phase == QS_PHASE_SPARED);
			if (!found)
				continue;
			stop->logged = true;
			copy = *stop;
		}
		slurm_mutex_unlock(&qs_rt.lock);
		if (found)
			qs_stop_log(&copy, copy.counted ?
						   "preemption_completed" :
					   copy.ended ? "ended_in_grace_time" :
							"spared");
	} while (found);
	qs_log_release();
}

/* Write locks held. rc 0: done, else to be tried again; -1: void. */
static void perform(struct task *task)
{
	struct qs_stop *stop = &task->stop;
	job_record_t *victim = find_job_record(stop->victim);
	job_record_t *claimant = find_job_record(stop->claimant);
	uint64_t cron;

	task->rc = -1;
	/* Who it was stopped for may be gone. */
	if (stop->again && !claimant)
		claimant = victim;
	if (!victim || !claimant ||
	    (!stop->again &&
	     (!IS_JOB_PENDING(claimant) || IS_JOB_COMPLETING(claimant))) ||
	    IS_JOB_COMPLETING(victim) ||
	    (!IS_JOB_RUNNING(victim) && !IS_JOB_SUSPENDED(victim)) ||
	    (int64_t)victim->start_time != stop->start)
		return;
	if (stop->phase == QS_PHASE_NEW) {
		info("quota_share: %pJ gets %u s to end: %s", victim,
		     stop->grace_sec, stop->text);
		comment(victim, stop->text);
		task->stop.shell_waits = each_component(victim, signal_one);
		task->rc = 0;
		return;
	}
	if (stop->phase == QS_PHASE_GRACE) {
		each_component(victim, signal_shell);
		task->rc = 0;
		return;
	}
	if (!stop->again)
		comment(victim, stop->text);
	stop->suspended = IS_JOB_SUSPENDED(victim);
	if (stop->grace_sec)
		each_component(victim, kill_one);
	cron = hide_cron(victim);
	task->rc = qs_compat_preempt(victim, claimant,
				     stop->outcome == QS_OUTCOME_REQUEUE);
	victim->bit_flags |= cron;
	if (!task->rc)
		info("quota_share: %pJ %s for %pJ: %s", victim,
		     stop->outcome == QS_OUTCOME_REQUEUE ? "is requeued" :
							   "is ended",
		     claimant, stop->text);
}

static void settle(const struct task *task)
{
	struct qs_stop *stop;

	slurm_mutex_lock(&qs_rt.lock);
	stop = qs_stop_find(task->stop.victim);
	if (stop && !task->rc && task->stop.phase == QS_PHASE_NEW) {
		if (stop->phase == QS_PHASE_NEW) {
			stop->phase = QS_PHASE_GRACE;
			stop->signalled_us = qs_mono_us();
			stop->shell_waits = task->stop.shell_waits;
		}
		qs_rt.state_dirty = true;
	} else if (stop && task->stop.phase == QS_PHASE_GRACE) {
		stop->shell_waits = false;
		qs_rt.state_dirty = true;
	} else if (stop && !task->rc) {
		stop->suspended = task->stop.suspended;
		qs_stop_done(stop, stop->outcome == QS_OUTCOME_REQUEUE);
	} else if (stop) {
		stop->retry_at = qs_tick() + 1;
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
		if (qs_stop_wants(stop) &&
		    (stop->again || qs_claim_find(stop->claimant)))
			tasks[(*n)++].stop = *stop;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return tasks;
}

static void log_done(const struct task *task)
{
	if (!task->rc && task->stop.phase != QS_PHASE_GRACE)
		qs_stop_log(&task->stop, task->stop.again ?
						 "preemption_repeated" :
					 task->stop.phase == QS_PHASE_NEW ?
						 "preemption_started" :
						 "preemption_completed");
}

/* As many as QS_HOLD_US allows. True: some are left. */
static bool act_some(void)
{
	struct task *tasks;
	uint32_t n, done = 0;
	int64_t began, held = 0;

	lock_slurmctld(qs_write_locks);
	began = qs_mono_us();
	/* Under the lock: no claimant can end between this and the deed. */
	tasks = gather(&n);
	while (done < n && held < QS_HOLD_US && !qs_shutting_down()) {
		perform(&tasks[done]);
		settle(&tasks[done++]);
		held = qs_mono_us() - began;
	}
	unlock_slurmctld(qs_write_locks);
	slurm_mutex_lock(&qs_rt.lock);
	if ((uint64_t)held > qs_rt.count.act_us_max)
		qs_rt.count.act_us_max = (uint64_t)held;
	qs_rt.dirty = true;
	slurm_mutex_unlock(&qs_rt.lock);
	qs_log_hold();
	for (uint32_t i = 0; i < done; i++)
		log_done(&tasks[i]);
	qs_log_release();
	free(tasks);
	return done < n && !qs_shutting_down();
}

void qs_stop_act(void)
{
	const struct timespec gap = { .tv_nsec = QS_GAP_US * 1000 };

	while (act_some())
		nanosleep(&gap, NULL);
}
