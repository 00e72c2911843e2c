/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario.c - qshare scenario: the cluster as it is now, as a scenario file
 *
 * For what-if, and for a report of a fault: `qshare plan` decides on the file
 * what slurmctld would. Waits for slurmctld's answer.
 */
#include "cli/online.h"

#include <errno.h>
#include <string.h>

#include "cli/table.h"

#define NAME "scenario"

static void help(void)
{
	puts("Usage: qshare scenario [OPTION...]\n"
	     "\n"
	     "Print policy, nodes and jobs as slurmctld sees them now, as a "
	     "file for qshare\n"
	     "plan, qshare whatif and qshare diff; see qshare_scenario(5). "
	     "Left out is what\n"
	     "that file has no word for: which single nodes a job is "
	     "restricted to.\n"
	     "\n"
	     "  -h, --help  show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 slurmctld gave no answer, 2 usage.\n"
	     "\n"
	     "Example: qshare scenario > now.json && qshare plan now.json");
}

int qs_cli_scenario(int argc, char **argv)
{
	const char *const words[] = { "scenario" };
	const struct qs_cli_parser parser = {
		.name = NAME,
		.help = help,
	};
	struct json_object *answer;
	int code = qs_cli_parse(&parser, argc, argv, NULL);

	if (code >= 0)
		return code;
	answer = qs_online_ask(NAME, 1, words);
	if (!answer)
		return QS_EXIT_ERROR;
	if (qs_json_print(answer, stdout))
		return qs_cli_error(NAME, "%s", strerror(errno));
	return qs_cli_flush(NAME, QS_EXIT_OK);
}
