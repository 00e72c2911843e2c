/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.c - the batch scripts on the nodes, and one thread that ends them
 *
 * A plain array, searched from the start: with 8,000 jobs a search is shorter
 * than the check of one message's credential.
 *
 * How a job goes is slurmd's: SIGTERM, then KillWait (but at least 5 seconds)
 * later SIGKILL (_rpc_terminate_job() and _pause_for_job_completion() of
 * slurmd, 22.05 to 24.11). Then the step tells the script's end, and slurmd
 * that the node is done with the job.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "sim.h"
#include "compat/compat.h"

struct run {
	uint32_t job;
	int node;
	struct sim_script script;
	int64_t end_us;  /* when it will be gone */
	int64_t kill_us; /* when SIGKILL comes; 0: not on its way */
	int status;      /* as wait(2) would have it */
	bool dying;      /* a signal that ends it has come */
	bool ended;      /* slurmctld is being told */
	bool epilog;     /* slurmctld waits for the node */
	bool quiet;      /* slurmctld wants to hear nothing */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct run *runs;
static size_t n_runs, room;

static struct run *find(uint32_t job, int node)
{
	for (size_t i = 0; i < n_runs; i++) {
		if (runs[i].job == job && runs[i].node == node)
			return &runs[i];
	}
	return NULL;
}

static struct run *append(void)
{
	if (n_runs == room) {
		size_t more = room ? 2 * room : 1024;
		struct run *grown = realloc(runs, more * sizeof(*runs));

		if (!grown)
			return NULL;
		runs = grown;
		room = more;
	}
	return &runs[n_runs++];
}

int sim_run_add(uint32_t job, int node, struct sim_script script)
{
	struct run *run = NULL;

	pthread_mutex_lock(&lock);
	if (!find(job, node))
		run = append();
	if (run) {
		*run = (struct run){
			.job = job,
			.node = node,
			.script = script,
			.end_us = sim_now_us() + script.run_us,
		};
		pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&lock);
	return run ? 0 : -1;
}

/* With the lock. What comes after the signal that ends it changes nothing. */
static void deliver(struct run *run, int sig)
{
	int status;

	if (run->dying || run->ended ||
	    sim_script_signal(&run->script, sig, &status) == SIM_FATE_LIVES)
		return;
	run->dying = true;
	run->status = status;
	run->end_us = sim_now_us() + run->script.die_us;
	pthread_cond_signal(&changed);
}

bool sim_run_signal(uint32_t job, int node, int sig)
{
	struct run *run;

	pthread_mutex_lock(&lock);
	run = find(job, node);
	if (run)
		deliver(run, sig);
	pthread_mutex_unlock(&lock);
	return run;
}

bool sim_run_terminate(uint32_t job, int node, bool quiet)
{
	int64_t wait_sec = slurm_conf.kill_wait;
	struct run *run;

	if (wait_sec < 5)
		wait_sec = 5;
	pthread_mutex_lock(&lock);
	run = find(job, node);
	if (run) {
		run->epilog = !quiet;
		run->quiet = quiet;
		deliver(run, quiet ? SIGKILL : SIGTERM);
		if (!run->kill_us && !run->ended)
			run->kill_us = sim_now_us() + wait_sec * 1000000;
		pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&lock);
	return run;
}

int sim_runs_on(int node, uint32_t *jobs, int max)
{
	int n = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_runs && n < max; i++) {
		if (runs[i].node == node)
			jobs[n++] = runs[i].job;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

/* With the lock. As with slurmstepd, it is on its node until slurmctld has heard
 * of its end; else a registration in between would say that it is lost. */
static void end(struct run *run)
{
	sim_trace("end", run->job, run->node, "%d:%d", run->status >> 8,
		  run->status & 0x7f);
	run->ended = true;
	run->end_us = INT64_MAX;
	run->kill_us = 0;
	if (run->quiet)
		*run = runs[--n_runs];
	else
		sim_send_end(run->job, run->node, run->status);
}

bool sim_run_told(uint32_t job, int node)
{
	struct run *run;
	bool epilog = false;

	pthread_mutex_lock(&lock);
	run = find(job, node);
	if (run) {
		epilog = run->epilog;
		*run = runs[--n_runs];
	}
	pthread_mutex_unlock(&lock);
	return epilog;
}

/* With the lock: does what is due, returns when to look again. */
static int64_t end_due(void)
{
	int64_t now = sim_now_us(), next = now + INT64_C(3600000000);

	for (size_t i = 0; i < n_runs;) {
		struct run *run = &runs[i];

		if (run->kill_us && !run->dying && run->kill_us <= now)
			deliver(run, SIGKILL);
		if (run->end_us <= now) {
			size_t before = n_runs;

			end(run);
			i += n_runs == before;
			continue;
		}
		if (run->end_us < next)
			next = run->end_us;
		if (run->kill_us && !run->dying && run->kill_us < next)
			next = run->kill_us;
		i++;
	}
	return next;
}

static void *ender(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		int64_t next = end_due();
		struct timespec at = {
			.tv_sec = next / 1000000,
			.tv_nsec = next % 1000000 * 1000,
		};

		pthread_cond_timedwait(&changed, &lock, &at);
	}
	return NULL;
}

int sim_runs_start(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, ender, NULL) ? -1 : 0;
}
