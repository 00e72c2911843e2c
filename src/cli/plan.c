/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - qshare plan: what the planner decides for a scenario file
 *
 * The same planner that decides in slurmctld (R23), with no Slurm running.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/scenario.h"

#define NAME "plan"

static void help(void)
{
	puts("Usage: qshare plan [OPTION...] SCENARIO\n"
	     "\n"
	     "Decide, for a file with a policy, a cluster and its jobs, which "
	     "waiting\n"
	     "jobs start, which wait and why, and which jobs are preempted. "
	     "Prints JSON.\n"
	     "SCENARIO is a file as in qshare_scenario(5); - is standard "
	     "input.\n"
	     "\n"
	     "  -h, --help  show this and exit\n"
	     "\n"
	     "Exit status: 0 decided, 1 the scenario is in error, 2 usage.\n"
	     "\n"
	     "Example: qshare plan reclaim.json | jq '.decisions[0]'");
}

static struct qs_scenario *read_stdin(struct qs_error *err)
{
	struct qs_place at = { .file = "standard input" };
	struct qs_scenario *scenario = NULL;
	char *text = NULL;
	size_t size = 0, n = 0;

	do {
		char *more;

		size = size ? size * 2 : 65536;
		more = realloc(text, size);
		if (!more) {
			free(text);
			qs_error_memory(err);
			return NULL;
		}
		text = more;
		n += fread(text + n, 1, size - n, stdin);
	} while (n == size && size < QS_SCENARIO_BYTES_MAX);
	if (ferror(stdin))
		qs_error_set(err, &at, strerror(errno), NULL,
			     "a readable scenario");
	else if (n == size)
		qs_error_set(err, &at, "it is too large", NULL,
			     "at most 256 MiB");
	else
		scenario = qs_scenario_read_text(at.file, ".", text, n, err);
	free(text);
	return scenario;
}

static int plan(const char *path)
{
	struct qs_scenario *scenario;
	struct qs_plan *made;
	struct qs_error err;
	char *text = NULL;
	int code = QS_EXIT_OK;

	if (!strcmp(path, "-"))
		scenario = read_stdin(&err);
	else
		scenario = qs_scenario_read_file(path, &err);
	if (!scenario)
		return qs_cli_error(NAME, "%s", err.text);
	made = qs_plan_make(scenario->snap);
	if (made)
		text = qs_scenario_print(scenario->snap, made);
	if (text)
		fputs(text, stdout);
	else
		code = qs_cli_error(NAME, "%s", strerror(errno));
	free(text);
	qs_plan_free(made);
	qs_scenario_free(scenario);
	return code;
}

int qs_cli_plan(int argc, char **argv)
{
	const struct qs_cli_parser parser = {
		.name = NAME,
		.help = help,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, NULL);

	if (code >= 0)
		return code;
	if (argc - optind != 1)
		return qs_cli_usage(NAME, "one scenario file is needed");
	return qs_cli_flush(NAME, plan(argv[optind]));
}
