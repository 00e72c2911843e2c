/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health.c - qshare health: are the quota queues all right? For monitoring
 *
 * Waits for slurmctld's answer, and for sbatch --help on this machine.
 */
#include "cli/health.h"

#include <string.h>

#include "cli/online.h"

#define NAME           "health"
#define EXIT_UNHEALTHY 3

static void help(void)
{
	puts("Usage: qshare health [OPTION...]\n"
	     "\n"
	     "A line per quota queue: ENABLED or DISABLED, VALID or INVALID "
	     "(the policy file\n"
	     "was refused), healthy or the reasons why not: a plugin is "
	     "missing in slurmctld\n"
	     "or on this machine, nodes are down, more is promised than is in "
	     "service, the\n"
	     "planner is late.\n"
	     "\n"
	     "  -q, --queue=NAME only this quota queue\n" QS_CLI_OUTPUT_HELP
	     "  -h, --help       show this and exit\n"
	     "\n"
	     "Exit status: 0 all are healthy, 1 slurmctld gave no answer, 2 "
	     "usage, 3 one is\n"
	     "not healthy.\n"
	     "\n"
	     "Example: qshare health || mail -s 'quota shares' admin");
}

static int report(struct json_object *answer, const char *queue,
		  const struct qs_cli_output *out)
{
	int bad;

	if (queue && !qs_online_has_queue(answer, queue))
		return qs_cli_error(NAME, "there is no quota queue '%s'",
				    queue);
	qs_health_spank(answer);
	bad = qs_health_print(answer, queue, out, stdout);
	if (bad < 0)
		return qs_cli_error(NAME, "slurmctld's answer has no queues in "
					  "it: its plugins are of another "
					  "version");
	return bad ? EXIT_UNHEALTHY : QS_EXIT_OK;
}

int qs_cli_health(int argc, char **argv)
{
	return qs_status_command(argc, argv, NAME, help, report);
}
