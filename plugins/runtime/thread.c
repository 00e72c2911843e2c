/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.c - our one thread: look, plan, apply, save, act
 *
 * Started by the first bb_p_load_state() of slurmctld's main loop, when all of
 * slurmctld is up; stopped by burst_buffer/quota_share's fini. It plans with no
 * lock of slurmctld held. A callback that changed something wakes it at once;
 * what has no callback (node states, eligible times, holds) is seen by a look
 * every second. A job that only makes the queue longer (the gate knows: see
 * engine/standing.h) waits for a look that costs little by how seldom it comes.
 *
 * Its surprise: how often it looks adapts to what a look costs, so that on a
 * large cluster it never takes more than a fifth of one core. The cost is its
 * own CPU time: where it had to wait for slurmctld's locks, or for a disk, an
 * owner must not wait four times as long once more.
 *
 * It is not waited for without a limit, so it may outlive its office: a disk
 * stalls it while the controllers change, and in the same process (a backup's,
 * which goes in and out of office) the next one is at work when the disk
 * answers. Each has a number; who finds that another has come publishes, saves
 * and stops nothing any more, and ends.
 */
#include "runtime/answer.h"
#include "runtime/events.h"
#include "runtime/inner.h"
#include "runtime/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#define TICK_US       200000  /* stops are looked at so often */
#define LOOK_US       1000000 /* a full look at least so often */
#define SOON_US       50000   /* and so often while nodes are finishing */
#define PAUSE_US      10000   /* between two rounds at least */
#define LOAD_FACTOR   4  /* pause so many times the last round's CPU time */
#define LONGER_FACTOR 50 /* the same where only the queue got longer */
#define JOIN_MS       2000
#define SETTLE_SEC    30 /* for nodes to register at most, see settle() */
/* And then to end what slurmctld has forgotten; with an epilog after it. */
#define ABORT_US  3000000
#define EPILOG_US 15000000

static __thread uint64_t number; /* its own, see qs_rt.thread_number */

bool qs_thread_dismissed(void)
{
	return qs_rt.stopping || number != qs_rt.thread_number;
}

/* What it tells the logs may wait for a disk, and the office be left meanwhile:
 * then the view is left to us. */
static void publish(struct qs_view *view)
{
	struct qs_view *old;
	bool left;

	slurm_mutex_lock(&qs_rt.lock);
	if (qs_thread_dismissed()) {
		slurm_mutex_unlock(&qs_rt.lock);
		qs_view_free(view);
		return;
	}
	old = qs_rt.view;
	qs_rt.noted = qs_rt.view = view;
	qs_rt.rounding = false;
	qs_rt.last_round = qs_now();
	qs_rt.last_round_tick = qs_tick();
	qs_rt.count.rounds++;
	slurm_mutex_unlock(&qs_rt.lock);
	qs_log_hold();
	qs_waits_note(old, view);
	qs_events_note(old, view);
	qs_log_release();
	slurm_mutex_lock(&qs_rt.lock);
	left = qs_rt.view != view;
	if (qs_rt.noted == view)
		qs_rt.noted = NULL;
	slurm_mutex_unlock(&qs_rt.lock);
	qs_view_free(old);
	if (left)
		qs_view_free(view);
}

static bool make_plan(struct qs_view *view)
{
	int64_t took = qs_mono_us();

	view->plan = qs_plan_make(view->snap);
	took = qs_mono_us() - took;
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.count.plans++;
	qs_rt.count.plan_us += (uint64_t)took;
	if ((uint64_t)took > qs_rt.count.plan_us_max)
		qs_rt.count.plan_us_max = (uint64_t)took;
	slurm_mutex_unlock(&qs_rt.lock);
	if (view->plan)
		view->standing = qs_standing_make(view->snap, view->plan);
	return view->plan && view->standing;
}

/*
 * When slurmctld has just started, its nodes count as not there until they have
 * registered. By what is known in that moment an owner would wait for nodes, so
 * its claim would be given up and victims be told once more later; or others
 * be stopped although a node with idle GPUs is about to register (R20). So
 * until then claims and stops rest as they were, and nobody begins on what is
 * kept for a claim.
 *
 * If the one before did not end in order, it may have started jobs that this
 * one takes for waiting. When a node registers it is told to end its copy; a
 * second one that comes before that is done, epilog and all, makes slurmctld
 * drain the node and hold the job, or fails if it comes within the same second.
 * Nothing tells when it is done, so then nobody begins at all for a time that
 * should do.
 */
static bool settle(const struct qs_view *view)
{
	static int64_t until, heard;
	bool begun = false, done = false, settling;
	int64_t now = qs_mono_us();
	int64_t ending = slurm_conf.epilog ? EPILOG_US : ABORT_US;

	slurm_mutex_lock(&qs_rt.lock);
	if (qs_rt.settling && !qs_rt.settle_began) {
		begun = qs_rt.settle_began = true;
		until = now + SETTLE_SEC * 1000000;
		heard = 0;
	}
	if (!heard && (!view->unheard || now >= until))
		heard = now;
	if (qs_rt.settling && heard &&
	    (!qs_rt.abrupt || now >= heard + ending)) {
		done = true;
		qs_rt.settling = false;
	}
	settling = qs_rt.settling;
	slurm_mutex_unlock(&qs_rt.lock);
	if (begun && settling)
		verbose("quota_share: %u nodes have not registered yet: claims and stops rest for %d s at most%s",
			view->unheard, SETTLE_SEC,
			qs_rt.abrupt ?
				", and no job starts: slurmctld had not ended in order" :
				"");
	if (done)
		verbose("quota_share: %s",
			view->unheard ?
				"some nodes still do not answer: claims and stops go on" :
				"all nodes have registered");
	return settling;
}

static bool rests(bool settling)
{
	bool rest;

	slurm_mutex_lock(&qs_rt.lock);
	rest = settling && (qs_rt.abrupt || qs_rt.claims);
	slurm_mutex_unlock(&qs_rt.lock);
	return rest;
}

static bool save_if_dirty(void)
{
	bool dirty, dismissed;

	slurm_mutex_lock(&qs_rt.lock);
	dirty = qs_rt.state_dirty;
	dismissed = qs_thread_dismissed();
	slurm_mutex_unlock(&qs_rt.lock);
	return !dismissed && (!dirty || !qs_state_save());
}

/* What is going to be done is saved first (R20): where that fails, nobody is
 * stopped. */
static void stop_due(void)
{
	bool work = qs_stop_due();

	if (save_if_dirty() && work && !qs_shutting_down()) {
		qs_stop_act();
		save_if_dirty();
	}
}

/* When to look again at the latest, in microseconds. */
static int64_t look_and_act(void)
{
	struct qs_view *view = qs_view_look();
	bool settling;
	int64_t again;

	if (!view)
		return LOOK_US;
	qs_stop_log_ended();
	settling = settle(view);
	if (!settling)
		qs_claim_sweep(view);
	if (!make_plan(view)) {
		qs_view_free(view);
		return LOOK_US;
	}
	qs_policy_warn_removed(view);
	qs_places_note(view);
	if (!settling)
		qs_claim_check(view);
	if (!rests(settling))
		qs_apply(view);
	qs_whatif_answer(view);
	again = view->soon ? SOON_US : settling ? TICK_US : LOOK_US;
	qs_answer_prepare(view);
	publish(view);
	qs_log_flush();
	stop_due();
	return again;
}

static int64_t round_once(void)
{
	int64_t again;

	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.count.woken += qs_rt.dirty;
	qs_rt.count.later += qs_rt.longer && !qs_rt.dirty;
	qs_rt.dirty = qs_rt.longer = false;
	qs_rt.rounding = true;
	slurm_mutex_unlock(&qs_rt.lock);
	again = look_and_act();
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.rounding = false;
	slurm_mutex_unlock(&qs_rt.lock);
	return again;
}

/* qs_rt.lock held. */
static bool is_woken(void)
{
	return qs_rt.dirty || (qs_rt.longer && qs_mono_us() >= qs_rt.later_us);
}

/* Waits for the tick, or until woken. False: time to end. */
static bool wait_tick(int64_t until_us, bool any)
{
	bool go_on;

	slurm_mutex_lock(&qs_rt.lock);
	while (!qs_thread_dismissed() && !(any && is_woken()) &&
	       qs_mono_us() < until_us) {
		int64_t at = any && qs_rt.longer && qs_rt.later_us < until_us ?
				     qs_rt.later_us :
				     until_us;
		struct timespec ts = { .tv_sec = at / 1000000,
				       .tv_nsec = at % 1000000 * 1000 };

		pthread_cond_timedwait(&qs_rt.wake, &qs_rt.lock, &ts);
	}
	go_on = !qs_thread_dismissed();
	slurm_mutex_unlock(&qs_rt.lock);
	return go_on;
}

static bool look_due(int64_t at)
{
	bool due;

	slurm_mutex_lock(&qs_rt.lock);
	due = is_woken();
	slurm_mutex_unlock(&qs_rt.lock);
	return due || qs_mono_us() >= at;
}

/* The next look for a queue that only got longer, after one that cost so much
 * CPU time: small clusters hardly notice, large ones spend one part in fifty. */
static void set_later(int64_t last, int64_t cpu)
{
	int64_t pause = cpu * LONGER_FACTOR;

	pause = pause > PAUSE_US ? pause : PAUSE_US;
	pause = pause < LOOK_US ? pause : LOOK_US;
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.later_us = last + pause;
	slurm_mutex_unlock(&qs_rt.lock);
}

static int64_t cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void *run(void *mine)
{
	int64_t last = 0, cpu, pause = PAUSE_US, tick = TICK_US;
	int64_t again = 0;

	number = (uint64_t)(uintptr_t)mine;
	prctl(PR_SET_NAME, "quota_share", NULL, NULL, NULL);
	/* At once: a state that is missing later was lost. */
	(void)qs_state_save();
	while (wait_tick(qs_mono_us() + tick, true)) {
		if (slurmctld_config.shutdown_time) {
			wait_tick(qs_mono_us() + TICK_US, false);
			continue;
		}
		if (!look_due(last + again)) {
			stop_due();
			continue;
		}
		/* Many events at once make one round. */
		if (!wait_tick(last + pause, false))
			break;
		cpu = cpu_us();
		again = round_once();
		tick = again < TICK_US ? again : TICK_US;
		last = qs_mono_us();
		cpu = cpu_us() - cpu;
		pause = cpu * LOAD_FACTOR;
		pause = pause > PAUSE_US ? pause : PAUSE_US;
		set_later(last, cpu);
	}
	slurm_mutex_lock(&qs_rt.lock);
	if (number == qs_rt.thread_number)
		qs_rt.thread_done = true;
	pthread_cond_broadcast(&qs_rt.wake);
	slurm_mutex_unlock(&qs_rt.lock);
	return NULL;
}

void qs_thread_start(void)
{
	uintptr_t next = 0;
	bool start;

	slurm_mutex_lock(&qs_rt.lock);
	start = !qs_rt.thread_up;
	if (start) {
		next = (uintptr_t)++qs_rt.thread_number;
		qs_rt.thread_up = true;
		qs_rt.thread_done = qs_rt.stopping = false;
		qs_rt.settling = qs_rt.dirty = true;
		qs_rt.settle_began = false;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	if (start && pthread_create(&qs_rt.thread, NULL, run, (void *)next)) {
		error("quota_share: cannot start a thread: no GPU job will start");
		slurm_mutex_lock(&qs_rt.lock);
		qs_rt.thread_up = false;
		slurm_mutex_unlock(&qs_rt.lock);
	}
}

/*
 * Never joined without a limit: the thread may be waiting for a lock that our
 * caller's caller holds. It ends by itself then; libqsruntime.so is linked
 * with nodelete, so its code stays.
 */
void qs_thread_stop(void)
{
	int64_t until = qs_mono_us() + JOIN_MS * 1000;
	struct timespec ts = { .tv_sec = until / 1000000,
			       .tv_nsec = until % 1000000 * 1000 };
	bool up, done;
	int rc = 0;

	slurm_mutex_lock(&qs_rt.lock);
	up = qs_rt.thread_up;
	qs_rt.stopping = true;
	pthread_cond_broadcast(&qs_rt.wake);
	while (up && !qs_rt.thread_done && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&qs_rt.wake, &qs_rt.lock, &ts);
	done = qs_rt.thread_done;
	qs_rt.thread_up = false;
	slurm_mutex_unlock(&qs_rt.lock);
	if (!up)
		return;
	if (done)
		pthread_join(qs_rt.thread, NULL);
	else
		pthread_detach(qs_rt.thread);
}
