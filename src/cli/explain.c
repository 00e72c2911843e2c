/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.c - qshare explain: why does this job wait, run, or was it stopped
 *
 * R21 and R22 for one job. Waits for slurmctld's answer.
 */
#include "cli/online.h"

#include <errno.h>
#include <string.h>

#include "cli/online_facts.h"
#include "cli/table.h"

#define NAME "explain"

static void help(void)
{
	puts("Usage: qshare explain [OPTION...] JOBID\n"
	     "\n"
	     "Why the job waits and what would help, or whose GPUs it runs on, "
	     "and each time\n"
	     "that it was preempted: for whom, and why it and no other. JOBID "
	     "is a job (12),\n"
	     "a task of an array (12_3) or a component of a het job (12+1).\n"
	     "\n"
	     "      --json       JSON\n"
	     "  -h, --help       show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 no such job in a share, 2 usage.\n"
	     "\n"
	     "Example: qshare explain 12");
}

/* The answer is about the whole het job. */
static void print_component(const char *job)
{
	const char *plus = strchr(job, '+');

	if (plus)
		printf("JobId=%s is a part of het job %.*s, which is charged, "
		       "started and stopped as a whole:\n",
		       job, (int)(plus - job), job);
}

/* What slurmctld shows of it to whoever asks: under PrivateData of one's own
 * jobs only. */
static int explain_in_part(const char *job, bool json)
{
	struct json_object *facts = qs_online_facts(job);
	const char *waits, *state;
	int code = QS_EXIT_OK;

	if (!facts)
		return qs_cli_error(NAME,
				    "PrivateData=jobs is set, and no JobId=%s "
				    "is yours",
				    job);
	waits = qs_online_text(facts, "waits", NULL);
	state = qs_online_text(facts, "state", "unknown");
	if (json) {
		if (qs_json_print(json_object_get(facts), stdout))
			code = qs_cli_error(NAME, "%s", strerror(errno));
	} else {
		printf("JobId=%s is %s%s%s.\n", job, state, waits ? ": " : "",
		       waits ? waits : "");
		puts("That is all that squeue shows, too: PrivateData=jobs is "
		     "set, and this version of\n"
		     "Slurm does not tell the plugins who asks.");
	}
	json_object_put(facts);
	return code;
}

static int explain(const char *job, bool json)
{
	const char *const words[] = { "explain", job };
	bool hidden;
	struct json_object *answer =
		qs_online_ask_shown(NAME, 2, words, &hidden);
	int code = QS_EXIT_OK;

	if (hidden)
		return explain_in_part(job, json);
	if (!answer)
		return QS_EXIT_ERROR;
	if (json) {
		if (qs_json_print(json_object_get(answer), stdout))
			code = qs_cli_error(NAME, "%s", strerror(errno));
	} else {
		print_component(job);
		if (qs_explain_print(answer, stdout))
			code = qs_cli_error(NAME,
					    "slurmctld's answer names no job: "
					    "its plugins are of another "
					    "version");
	}
	json_object_put(answer);
	return code;
}

static int take(int opt, void *arg)
{
	bool *json = arg;

	if (opt != QS_CLI_OPT_JSON)
		return QS_CLI_UNKNOWN;
	*json = true;
	return -1;
}

int qs_cli_explain(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, QS_CLI_OPT_JSON },
		{ NULL, 0, NULL, 0 },
	};
	bool json = false;
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":h",
		.options = options,
		.help = help,
		.take = take,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, &json);

	if (code >= 0)
		return code;
	if (argc - optind != 1)
		return qs_cli_usage(NAME, "give one job id");
	if (!qs_online_job_id(argv[optind]))
		return qs_cli_usage(NAME,
				    "'%s' is no job id: expected 12, 12_3 or "
				    "12+1",
				    argv[optind]);
	return qs_cli_flush(NAME, explain(argv[optind], json));
}
