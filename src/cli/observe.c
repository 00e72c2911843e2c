/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observe.c - qshare observe: what Mode=OBSERVE would have done (R19)
 *
 * Reads the event log, like `qshare events`; asks slurmctld for its path.
 */
#include "cli/events.h"
#include "cli/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME "observe"

static void help(void)
{
	puts("Usage: qshare observe [OPTION...]\n"
	     "\n"
	     "What would have happened under Mode=OBSERVE if the policy had "
	     "been enforced:\n"
	     "for each share how many jobs started, how many of these would "
	     "have been held\n"
	     "back, how many running ones stopped and the work that they would "
	     "have lost\n"
	     "unless they have checkpoints, and how many submissions refused. "
	     "The jobs\n"
	     "themselves: qshare events -e "
	     "would_hold,would_preempt,would_refuse. On the\n"
	     "machine of slurmctld, as an administrator.\n"
	     "\n"
	     "  -S, --since=TIME   as in qshare events\n"
	     "  -E, --until=TIME\n"
	     "  -F, --file=PATH    this event log\n" QS_CLI_OUTPUT_HELP
	     "  -h, --help         show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 the log cannot be read, 2 usage.\n"
	     "\n"
	     "Example: qshare observe --since=now-7days");
}

struct wish {
	struct qs_events_filter filter;
	const char *file;
	struct qs_observed *observed;
};

static int add(struct json_object *event, void *arg)
{
	struct wish *wish = arg;

	return qs_events_match(&wish->filter, event) ?
		       qs_observed_add(event, wish->observed) :
		       0;
}

static int report(const char *path, struct wish *wish,
		  const struct qs_cli_output *out)
{
	int rc, error;
	size_t bad;

	wish->observed = qs_observed_new();
	if (!wish->observed)
		return qs_cli_error(NAME, "out of memory");
	qs_progress_begin(NAME, "reading the log");
	rc = qs_events_read(path, add, wish, &bad);
	error = errno;
	qs_progress_end();
	if (rc < 0)
		return qs_cli_error(NAME, "%s: %s", path, strerror(error));
	if (qs_observed_print(wish->observed, out, stdout))
		return qs_cli_error(NAME, "%s", strerror(errno));
	return QS_EXIT_OK;
}

static int take(int opt, void *arg)
{
	struct wish *wish = arg;

	switch (opt) {
	case 'F':
		wish->file = optarg;
		return -1;
	case 'S':
	case 'E':
		if (!qs_events_when(optarg, time(NULL),
				    opt == 'S' ? &wish->filter.since :
						 &wish->filter.until))
			return -1;
		return qs_cli_usage(NAME, "'%s' is no time", optarg);
	default:
		return QS_CLI_UNKNOWN;
	}
}

int qs_cli_observe(int argc, char **argv)
{
	static const struct option options[] = {
		{ "since", required_argument, NULL, 'S' },
		{ "until", required_argument, NULL, 'E' },
		{ "file", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		QS_CLI_OUTPUT_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct wish wish = { .filter = { .user = -1 } };
	struct qs_cli_output out = QS_CLI_OUTPUT_INIT;
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":S:E:F:h" QS_CLI_OUTPUT_SHORT,
		.options = options,
		.help = help,
		.out = &out,
		.take = take,
	};
	int code = qs_cli_parse(&parser, argc, argv, &wish);
	char *path;

	if (code >= 0)
		return code;
	path = qs_events_path(NAME, wish.file, false);
	if (!path)
		return QS_EXIT_ERROR;
	code = report(path, &wish, &out);
	qs_observed_free(wish.observed);
	free(path);
	return qs_cli_flush(NAME, code);
}
