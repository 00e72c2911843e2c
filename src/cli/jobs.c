/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.c - qshare jobs: which jobs of a share run and wait, and how safe each is
 *
 * Waits for slurmctld's answer.
 */
#include "cli/jobs.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/online.h"

#define NAME "jobs"

static void help(void)
{
	puts("Usage: qshare jobs [OPTION...] [SHARE]\n"
	     "\n"
	     "The jobs of all shares, or of one: what each holds of its "
	     "share's own and\n"
	     "borrowed GPUs, and how safe it is. SAFETY of a running job: "
	     "\"safe\" (all of it\n"
	     "is own), \"victim 2 of 5\" (its place among those who go if "
	     "owners ask for their\n"
	     "GPUs now), \"protected for\" (MinRuntime), or \"stops for\" "
	     "whom. Waiting jobs\n"
	     "stand in the order in which they are served in their share, with "
	     "the reason.\n"
	     "\n"
	     "  -q, --queue=NAME only this quota queue\n"
	     "  -u, --user=USER  only jobs of this user\n"
	     "      --me         only mine\n"
	     "  -r, --running    only those that run\n"
	     "  -w, --waiting    only those that wait\n" QS_CLI_OUTPUT_HELP
	     "  -h, --help       show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 slurmctld gave no answer, 2 usage.\n"
	     "\n"
	     "Example: qshare jobs --me");
}

/* Returns 0, or -1: there is no such user. */
static int find_user(const char *text, int64_t *uid)
{
	const struct passwd *user = getpwnam(text);
	char *end;

	if (user) {
		*uid = user->pw_uid;
		return 0;
	}
	errno = 0;
	*uid = strtol(text, &end, 10);
	return errno || end == text || *end || *uid < 0 ? -1 : 0;
}

static int print(struct json_object *answer,
		 const struct qs_jobs_filter *filter,
		 const struct qs_cli_output *out)
{
	if (!qs_jobs_print(answer, filter, out, stdout))
		return QS_EXIT_OK;
	if (errno == EINVAL)
		return qs_cli_error(NAME,
				    "slurmctld's answer has no jobs in it: its "
				    "plugins are of another version");
	return qs_cli_error(NAME, "%s", strerror(errno));
}

/* A share or queue without jobs is in the table of shares. */
static int refuse_unknown(struct json_object *jobs,
			  const struct qs_jobs_filter *filter)
{
	const char *const words[] = { "status" };
	const char *const names[] = { filter->queue, filter->share };
	static const char *const keys[] = { "queue", "share" };
	struct json_object *status;
	int code = QS_EXIT_OK;

	for (int i = 0; i < 2 && code == QS_EXIT_OK; i++) {
		if (!names[i] || qs_jobs_knows(jobs, keys[i], names[i]))
			continue;
		status = qs_online_ask(NAME, 1, words);
		if (!status)
			return QS_EXIT_ERROR;
		if (!qs_jobs_knows(status, keys[i], names[i]))
			code = qs_cli_error(NAME,
					    "there is no quota %s '%s'; "
					    "qshare shows those that there are",
					    keys[i], names[i]);
		json_object_put(status);
	}
	return code;
}

enum {
	OPT_ME = 1
};

static const struct option options[] = {
	{ "queue", required_argument, NULL, 'q' },
	{ "user", required_argument, NULL, 'u' },
	{ "me", no_argument, NULL, OPT_ME },
	{ "running", no_argument, NULL, 'r' },
	{ "waiting", no_argument, NULL, 'w' },
	{ "help", no_argument, NULL, 'h' },
	QS_CLI_OUTPUT_LONG,
	{ NULL, 0, NULL, 0 },
};

static int take(int opt, void *arg)
{
	struct qs_jobs_filter *filter = arg;

	switch (opt) {
	case 'q':
		filter->queue = optarg;
		return -1;
	case 'u':
		return find_user(optarg, &filter->user) ?
			       qs_cli_usage(NAME, "there is no user '%s'",
					    optarg) :
			       -1;
	case OPT_ME:
		filter->user = getuid();
		return -1;
	case 'r':
		filter->only = QS_JOBS_RUNNING;
		return -1;
	case 'w':
		filter->only = QS_JOBS_WAITING;
		return -1;
	default:
		return QS_CLI_UNKNOWN;
	}
}

int qs_cli_jobs(int argc, char **argv)
{
	struct qs_jobs_filter filter = { .user = -1 };
	struct qs_cli_output out = QS_CLI_OUTPUT_INIT;
	const char *const words[] = { "jobs" };
	struct json_object *answer;
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":hq:u:rw" QS_CLI_OUTPUT_SHORT,
		.options = options,
		.help = help,
		.out = &out,
		.take = take,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, &filter);

	if (code >= 0)
		return code;
	if (argc - optind > 1)
		return qs_cli_usage(NAME, "one share at a time");
	if (optind < argc)
		filter.share = argv[optind];
	answer = qs_online_ask(NAME, 1, words);
	if (!answer)
		return QS_EXIT_ERROR;
	code = refuse_unknown(answer, &filter);
	if (code == QS_EXIT_OK)
		code = print(answer, &filter, &out);
	json_object_put(answer);
	return qs_cli_flush(NAME, code);
}
