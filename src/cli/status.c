/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.c - qshare status: who owns, uses, borrows, lends and waits, now
 *
 * `qshare` alone is this command. Waits for slurmctld's answer. The runtime
 * answers from its last look, which is some tenths of a second old at most.
 */
#include "cli/online.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME "status"

static void help(void)
{
	puts("Usage: qshare [status] [OPTION...]\n"
	     "\n"
	     "A row per share and GPU type: what the share owns (capacity), "
	     "how many GPUs it\n"
	     "may use at most (limit), uses, of which its own and borrowed, "
	     "has lent to\n"
	     "others, has idle, and its waiting jobs ask for. Then the totals "
	     "per type; their\n"
	     "capacity is the queue's pool.\n"
	     "\n"
	     "  -q, --queue=NAME only this quota queue\n" QS_CLI_OUTPUT_HELP
	     "  -h, --help       show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 slurmctld gave no table, 2 usage.\n"
	     "\n"
	     "Example: qshare -nP | awk -F'|' '$8 > 0'   # who borrows");
}

static int print(struct json_object *answer, const char *queue,
		 const struct qs_cli_output *out)
{
	if (!qs_status_print(answer, queue, out, stdout))
		return QS_EXIT_OK;
	if (errno == ENOENT)
		return qs_cli_error(NAME, "there is no quota queue '%s'",
				    queue);
	if (errno == EINVAL)
		return qs_cli_error(NAME,
				    "slurmctld's answer has no shares in it: "
				    "its plugins are of another version");
	return qs_cli_error(NAME, "%s", strerror(errno));
}

static int take(int opt, void *arg)
{
	const char **queue = arg;

	if (opt != 'q')
		return QS_CLI_UNKNOWN;
	*queue = optarg;
	return -1;
}

int qs_status_command(int argc, char **argv, const char *name,
		      void (*help_fn)(void),
		      int (*print_fn)(struct json_object *answer,
				      const char *queue,
				      const struct qs_cli_output *out))
{
	static const struct option options[] = {
		{ "queue", required_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		QS_CLI_OUTPUT_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct qs_cli_output out = QS_CLI_OUTPUT_INIT;
	const char *const words[] = { "status" };
	struct json_object *answer;
	const char *queue = NULL;
	const struct qs_cli_parser parser = {
		.name = name,
		.letters = ":hq:" QS_CLI_OUTPUT_SHORT,
		.options = options,
		.help = help_fn,
		.out = &out,
		.take = take,
	};
	int code = qs_cli_parse(&parser, argc, argv, &queue);

	if (code >= 0)
		return code;
	answer = qs_online_ask(name, 1, words);
	if (!answer)
		return QS_EXIT_ERROR;
	code = print_fn(answer, queue, &out);
	json_object_put(answer);
	return qs_cli_flush(name, code);
}

int qs_cli_status(int argc, char **argv)
{
	return qs_status_command(argc, argv, NAME, help, print);
}
