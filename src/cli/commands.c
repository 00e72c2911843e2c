/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.c - the table of qshare's subcommands
 *
 * One line a subcommand, sorted. What asks slurmctld is there only in a build
 * with Slurm's API; qshare(1) lists all of them.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "cli/cli.h"

const struct qs_cli_command qs_cli_commands[] = {
	{ "check", "read a policy file and say what is wrong with it", false,
	  qs_cli_check },
	{ "plan", "what the planner decides for a scenario file", false,
	  qs_cli_plan },
#ifdef QS_HAVE_SLURM
	/* explain, priority, status: a line each beside their file */
#endif
	{ NULL, NULL, false, NULL },
};
