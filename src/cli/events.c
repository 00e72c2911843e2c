/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.c - qshare events: what happened, from the event log or the audit log
 *
 * Reads the file, so it runs where the file can be read: on slurmctld's
 * machine, as an administrator. Asks slurmctld only for the path, if none is
 * given. With --follow it ends when it is interrupted.
 */
#include "cli/events.h"
#include "cli/events_aws.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/online.h"
#include "cli/progress.h"

#include "conf/nearest.h"

#define NAME      "events"
#define FOLLOW_MS 300

static void help(void)
{
	puts("Usage: qshare events [OPTION...]\n"
	     "\n"
	     "What the event log says: starts and ends with own and borrowed "
	     "GPUs, loans,\n"
	     "claims, preemptions with rule and numbers; oldest first, rotated "
	     "files\n"
	     "included. On the machine of slurmctld, as an administrator.\n"
	     "\n"
	     "  -e, --event=WORD[,WORD...]  only these (start, end, loan, "
	     "grant, claim,\n"
	     "                     claim_ended, preemption_started, "
	     "preemption_completed, ...)\n"
	     "  -j, --job=ID       only about this job, or for it\n"
	     "  -s, --share=NAME   only of this share\n"
	     "  -u, --user=USER    only jobs of this user\n"
	     "  -S, --since=TIME   2026-11-29, 2026-11-29T10:00, 10:00, "
	     "now-2hours, @SECONDS\n"
	     "  -E, --until=TIME\n"
	     "      --aws          as events of EventBridge, a JSON object a "
	     "line\n"
	     "  -a, --audit        the audit log: policies in force, or "
	     "refused\n"
	     "  -F, --file=PATH    this file\n"
	     "  -f, --follow       go on with what comes\n"
	     "      --json         the lines of the log as they are\n"
	     "  -P, --parsable     a table, columns separated by '|'\n"
	     "  -n, --noheader     with -P: no line with the names of the "
	     "columns\n"
	     "      --color=WHEN   auto (on a terminal, the default), always, "
	     "never\n"
	     "  -h, --help         show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 the log cannot be read, 2 usage.\n"
	     "\n"
	     "Example: qshare events -e preemption_completed -S now-1day");
}

/* Every word of both logs, as in doc/events.md. */
static const char *const known[] = {
	"blocked",
	"claim",
	"claim_ended",
	"end",
	"ended_in_grace_time",
	"grant",
	"lines_lost",
	"loan",
	"policy_changed",
	"policy_loaded",
	"policy_refused",
	"preemption_completed",
	"preemption_repeated",
	"preemption_started",
	"priority_changed",
	"queued",
	"runtime_started",
	"service_changed",
	"spared",
	"start",
	"withdrawn",
	"would_hold",
	"would_preempt",
	"would_refuse",
};

/* Only a warning: slurmctld's plugins may be newer than this qshare. */
static void warn_unknown(const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		struct qs_nearest nearest;
		char word[64];
		bool found = false;

		snprintf(word, sizeof(word), "%.*s", (int)n, list);
		qs_nearest_init(&nearest, word);
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
			found |= !strcmp(known[i], word);
			qs_nearest_offer(&nearest, known[i]);
		}
		if (!found && qs_nearest_get(&nearest))
			fprintf(stderr,
				"qshare events: no event '%s' is known; did "
				"you mean '%s'?\n",
				word, qs_nearest_get(&nearest));
		else if (!found)
			fprintf(stderr,
				"qshare events: no event '%s' is known; "
				"doc/events.md has them all\n",
				word);
		list += n + (list[n] == ',');
	}
}

struct wish {
	struct qs_events_filter filter;
	struct qs_cli_output out;
	const char *file;
	bool audit, follow, aws;
	struct qs_table *table;
	struct qs_events_aws to_aws;
};

char *qs_events_path(const char *name, const char *given, bool audit)
{
	const char *const words[] = { "policy" };
	struct json_object *answer;
	const char *path;
	char *copy;

	if (given)
		return strdup(given);
	answer = qs_online_ask(name, 1, words);
	if (!answer)
		return NULL;
	path = qs_online_text(answer, audit ? "audit_log" : "event_log", NULL);
	copy = path ? strdup(path) : NULL;
	if (!copy)
		qs_cli_error(name, "slurmctld does not say where its log is: "
				   "name it with --file");
	json_object_put(answer);
	return copy;
}

static int show(struct json_object *event, void *arg)
{
	struct wish *wish = arg;

	if (wish->aws)
		return qs_events_aws_show(&wish->to_aws, &wish->filter, event);
	if (!qs_events_match(&wish->filter, event))
		return 0;
	if (wish->table)
		qs_events_row(wish->table, event);
	else if (wish->out.format == QS_TABLE_JSON)
		puts(json_object_to_json_string_ext(
			event, JSON_C_TO_STRING_PLAIN |
				       JSON_C_TO_STRING_NOSLASHESCAPE));
	else
		qs_events_print(event, wish->out.color, stdout);
	return ferror(stdout) ? 1 : 0;
}

/* What is written behind the place where reading ended; a line that is not
 * whole yet waits. A new file in its place is read from its begin. */
static void follow(const char *path, struct wish *wish, FILE *file)
{
	const struct timespec pause = { .tv_nsec = FOLLOW_MS * 1000000L };
	char *line = NULL;
	size_t size = 0;

	while (file && !ferror(stdout)) {
		struct stat here, there;
		long at = ftell(file);
		ssize_t n = getline(&line, &size, file);

		if (n > 0 && line[n - 1] == '\n') {
			struct json_object *event = json_tokener_parse(line);

			if (json_object_is_type(event, json_type_object))
				show(event, wish);
			json_object_put(event);
			continue;
		}
		fflush(stdout);
		nanosleep(&pause, NULL);
		clearerr(file);
		fseek(file, at, SEEK_SET);
		if (!stat(path, &there) && !fstat(fileno(file), &here) &&
		    (there.st_ino != here.st_ino || there.st_size < at)) {
			fclose(file);
			file = fopen(path, "re");
		}
	}
	free(line);
	if (file)
		fclose(file);
}

static int print(const char *path, struct wish *wish)
{
	FILE *file = NULL;
	size_t bad;
	int code = QS_EXIT_OK, rc, error;

	if (wish->follow) {
		/* Before the rest is read: nothing in between is lost. */
		file = fopen(path, "re");
		if (file)
			fseek(file, 0, SEEK_END);
	}
	/* Lines that come one after the other are progress enough. */
	if (wish->table || !isatty(STDOUT_FILENO))
		qs_progress_begin(NAME, "reading the log");
	rc = qs_events_read(path, show, wish, &bad);
	error = errno;
	if (wish->table || !isatty(STDOUT_FILENO))
		qs_progress_end();
	if (rc < 0)
		code = qs_cli_error(NAME, "%s: %s", path, strerror(error));
	if (bad)
		fprintf(stderr, "qshare events: %zu lines of %s are no JSON\n",
			bad, path);
	if (wish->table && qs_table_show(wish->table, stdout, wish->out.format,
					 wish->out.header, false))
		code = QS_EXIT_ERROR;
	if (code == QS_EXIT_OK && wish->follow)
		follow(path, wish, file);
	else if (file)
		fclose(file);
	return code;
}

enum {
	OPT_AWS = 0x2000
};

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "job", required_argument, NULL, 'j' },
	{ "share", required_argument, NULL, 's' },
	{ "user", required_argument, NULL, 'u' },
	{ "since", required_argument, NULL, 'S' },
	{ "until", required_argument, NULL, 'E' },
	{ "audit", no_argument, NULL, 'a' },
	{ "aws", no_argument, NULL, OPT_AWS },
	{ "file", required_argument, NULL, 'F' },
	{ "follow", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	QS_CLI_OUTPUT_LONG,
	{ NULL, 0, NULL, 0 },
};

/* Options with a value that must be judged. Returns 0, or an exit code. */
/* What has to be understood first; as qs_cli_parser's take. */
static int take_filter(int opt, struct qs_events_filter *filter)
{
	const struct passwd *user;
	char *end;

	switch (opt) {
	case 'j':
		filter->job = strtoll(optarg, &end, 10);
		if (filter->job > 0 && !*end)
			return -1;
		return qs_cli_usage(NAME,
				    "'%s' is no job id: expected a number; a "
				    "task of an array has its own, which "
				    "squeue -o %%A shows",
				    optarg);
	case 'u':
		user = getpwnam(optarg);
		filter->user = user ? user->pw_uid : strtoll(optarg, &end, 10);
		if (user || (end != optarg && !*end && filter->user >= 0))
			return -1;
		return qs_cli_usage(NAME, "there is no user '%s'", optarg);
	default:
		if (!qs_events_when(optarg, time(NULL),
				    opt == 'S' ? &filter->since :
						 &filter->until))
			return -1;
		return qs_cli_usage(NAME,
				    "'%s' is no time: expected 2026-11-29, "
				    "2026-11-29T10:00, 10:00, now-2hours or "
				    "@SECONDS",
				    optarg);
	}
}

static int take(int opt, void *arg)
{
	struct wish *wish = arg;

	switch (opt) {
	case 'e':
		wish->filter.event = optarg;
		warn_unknown(optarg);
		return -1;
	case 's':
		wish->filter.share = optarg;
		return -1;
	case 'a':
		wish->audit = true;
		return -1;
	case OPT_AWS:
		wish->aws = true;
		return -1;
	case 'F':
		wish->file = optarg;
		return -1;
	case 'f':
		wish->follow = true;
		return -1;
	case 'j':
	case 'u':
	case 'S':
	case 'E':
		return take_filter(opt, &wish->filter);
	default:
		return QS_CLI_UNKNOWN;
	}
}

/* Returns -1 to go on, or an exit code. */
static int parse(int argc, char **argv, struct wish *wish)
{
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":e:j:s:u:S:E:aF:fh" QS_CLI_OUTPUT_SHORT,
		.options = options,
		.help = help,
		.out = &wish->out,
		.take = take,
	};
	int code = qs_cli_parse(&parser, argc, argv, wish);

	if (code >= 0)
		return code;
	if (wish->aws && (wish->audit || wish->out.format != QS_TABLE_ALIGNED))
		return qs_cli_usage(NAME, "--aws is of the event log, and is "
					  "JSON in any case");
	if (wish->follow && wish->out.format == QS_TABLE_PARSABLE)
		return qs_cli_usage(NAME, "--follow has no table");
	return -1;
}

int qs_cli_events(int argc, char **argv)
{
	struct wish wish = { .filter = { .user = -1 },
			     .out = QS_CLI_OUTPUT_INIT };
	int code = parse(argc, argv, &wish);
	char *path;

	if (code >= 0)
		return qs_cli_flush(NAME, code);
	path = qs_events_path(NAME, wish.file, wish.audit);
	if (!path)
		return QS_EXIT_ERROR;
	if (wish.out.format == QS_TABLE_PARSABLE) {
		wish.table = qs_table_new();
		if (wish.table)
			qs_events_columns(wish.table);
	}
	if (wish.aws && qs_events_aws_begin(&wish.to_aws, NAME))
		code = QS_EXIT_ERROR;
	else
		code = print(path, &wish);
	qs_events_aws_end(&wish.to_aws);
	qs_table_free(wish.table);
	free(path);
	return qs_cli_flush(NAME, code);
}
