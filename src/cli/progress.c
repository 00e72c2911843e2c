/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.c - a line on the terminal while something takes long
 *
 * Called by the subcommands that wait or read much. A thread of its own writes
 * the line, since a call into libslurm may take a minute and cannot be asked
 * meanwhile. Its surprise: the thread is there only on a terminal, so what is
 * piped runs without it.
 */
#include "cli/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* under lock */
static const char *who, *doing;
static int64_t so_much, of_much;
static bool stop, shown;
/* the caller's alone */
static int depth;
static bool running;
static pthread_t thread;

static void make_cond(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attr);
	pthread_condattr_destroy(&attr);
}

/* "\33[K" takes away what is left of a longer line. */
static void show(long seconds)
{
	if (of_much > 0)
		fprintf(stderr, "\rqshare %s: %s (%lld %%, %ld s)\33[K", who,
			doing, (long long)(so_much * 100 / of_much), seconds);
	else
		fprintf(stderr, "\rqshare %s: %s (%ld s)\33[K", who, doing,
			seconds);
	fflush(stderr);
	shown = true;
}

static void *run(void *unused)
{
	struct timespec next;
	long seconds = 0;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&lock);
	while (!stop) {
		int rc = 0;

		next.tv_sec++;
		while (!stop && rc != ETIMEDOUT)
			rc = pthread_cond_timedwait(&changed, &lock, &next);
		if (!stop)
			show(++seconds);
	}
	if (shown)
		fputs("\r\33[K", stderr);
	fflush(stderr);
	pthread_mutex_unlock(&lock);
	return NULL;
}

void qs_progress_begin(const char *name, const char *what)
{
	if (depth++ || !isatty(STDERR_FILENO))
		return;
	pthread_once(&once, make_cond);
	who = name;
	doing = what;
	so_much = of_much = 0;
	stop = shown = false;
	running = !pthread_create(&thread, NULL, run, NULL);
}

void qs_progress_at(int64_t done, int64_t of)
{
	if (!running)
		return;
	pthread_mutex_lock(&lock);
	so_much = done;
	of_much = of;
	pthread_mutex_unlock(&lock);
}

void qs_progress_hide(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&lock);
	if (shown)
		fputs("\r\33[K", stderr);
	shown = false;
	pthread_mutex_unlock(&lock);
}

void qs_progress_end(void)
{
	if (--depth || !running)
		return;
	pthread_mutex_lock(&lock);
	stop = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	running = false;
}
