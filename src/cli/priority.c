/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority.c - qshare priority: set a job's priority in its share (R6a)
 *
 * The change goes through slurmctld's own update of a job, which tells the
 * job_submit plugin who the caller is, in every version of Slurm. Waits until
 * the runtime shows the new value, for some seconds at most. The surprise: a
 * slurmctld without that plugin takes the update too and does nothing.
 */
#include "cli/online.h"
#include "cli/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME         "priority"
#define PRIORITY_MAX 9999
#define WAIT_MS      5000
#define POLL_MS      50

static void help(void)
{
	puts("Usage: qshare priority JOBID N\n"
	     "\n"
	     "Set the priority of a waiting or running job among the jobs of "
	     "its quota share,\n"
	     "0 to 9999, high first. Users may change their own jobs up to the "
	     "share's\n"
	     "MaxUserPriority, operators any job. JOBID is a job (12), a task "
	     "of an array\n"
	     "(12_3) or a component of a het job (12+1); 12 means all tasks or "
	     "components.\n"
	     "\n"
	     "  -h, --help  show this and exit\n"
	     "\n"
	     "Exit status: 0 it is set, 1 it is not, 2 usage.\n"
	     "\n"
	     "Example: qshare priority 12 40");
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int not_seen(const char *job, uint32_t priority, int64_t shown)
{
	return qs_cli_error(NAME,
			    "slurmctld took the update, but JobId=%s still has "
			    "priority %lld and not %u: does slurm.conf have "
			    "JobSubmitPlugins=quota_share?",
			    job, (long long)shown, priority);
}

/* Asks until the runtime has it. answer is the one from before. */
static int wait_for(const char *job, uint32_t priority,
		    struct json_object *before)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
	const char *const words[] = { "explain", job };
	int64_t until = now_ms() + WAIT_MS, shown;

	for (;;) {
		struct json_object *answer = qs_online_ask(NAME, 2, words);

		if (!answer)
			return QS_EXIT_ERROR;
		shown = qs_online_number(answer, "priority", -1);
		json_object_put(answer);
		if (shown == priority)
			break;
		if (now_ms() > until)
			return not_seen(job, priority, shown);
		nanosleep(&pause, NULL);
	}
	printf("JobId=%s priority in share %s: %lld -> %u\n", job,
	       qs_online_text(before, "share", "?"),
	       (long long)qs_online_number(before, "priority", 0), priority);
	return QS_EXIT_OK;
}

static int set(const char *job, uint32_t priority)
{
	const char *const words[] = { "explain", job };
	bool hidden;
	struct json_object *before =
		qs_online_ask_shown(NAME, 2, words, &hidden);
	int code = QS_EXIT_ERROR;

	/* PrivateData: slurmctld judges it all the same. */
	if (hidden) {
		code = qs_online_set_priority(NAME, job, priority);
		if (!code)
			printf("JobId=%s priority in its share: %u\n", job,
			       priority);
		return code ? QS_EXIT_ERROR : QS_EXIT_OK;
	}
	if (!before)
		return QS_EXIT_ERROR;
	qs_progress_begin(NAME, "waiting for slurmctld to take it over");
	if (!qs_online_set_priority(NAME, job, priority))
		code = wait_for(job, priority, before);
	qs_progress_end();
	json_object_put(before);
	return code;
}

int qs_cli_priority(int argc, char **argv)
{
	char *end = NULL;
	long priority;
	/* '+': a negative number is a bad number, no option. */
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = "+:h",
		.help = help,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, NULL);

	if (code >= 0)
		return code;
	if (argc - optind != 2)
		return qs_cli_usage(NAME, "give a job id and a priority");
	if (!qs_online_job_id(argv[optind]))
		return qs_cli_usage(NAME,
				    "'%s' is no job id: expected 12, 12_3 or "
				    "12+1",
				    argv[optind]);
	errno = 0;
	priority = strtol(argv[optind + 1], &end, 10);
	if (errno || end == argv[optind + 1] || *end || priority < 0 ||
	    priority > PRIORITY_MAX)
		return qs_cli_usage(NAME,
				    "'%s' is no priority: expected a number "
				    "from 0 to %d",
				    argv[optind + 1], PRIORITY_MAX);
	return qs_cli_flush(NAME, set(argv[optind], (uint32_t)priority));
}
