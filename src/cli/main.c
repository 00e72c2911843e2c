/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - qshare: picks the subcommand
 *
 * `qshare` alone, or with options only, is `qshare status`: the table is what
 * people come for. A build without Slurm has no status and shows the help.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static void help(void)
{
	puts("Usage: qshare COMMAND [OPTION...] [ARGUMENT...]\n"
	     "\n"
	     "GPU quota shares for Slurm: who owns, lends, borrows and waits."
	     "\n"
	     "\n"
	     "Commands:");
	for (const struct qs_cli_command *c = qs_cli_commands; c->name; c++)
		printf("  %-13s %s\n", c->name, c->summary);
	puts("\n"
	     "Each command has its own help: qshare COMMAND --help\n"
	     "\n"
	     "  -h, --help     show this and exit\n"
	     "  -V, --version  show the version and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 the input is in error (or slurmctld\n"
	     "said no), 2 the command line is; 3 health: not healthy, "
	     "whatif: refused.\n"
	     "\n"
	     "Example: qshare check /etc/slurm/quota_share.conf");
}

static bool is(const char *arg, const char *brief, const char *full)
{
	return !strcmp(arg, brief) || !strcmp(arg, full);
}

static int unknown(const char *name)
{
	const char *near = qs_cli_suggest(name);

	if (near)
		return qs_cli_usage(NULL,
				    "there is no command '%s'; did you mean "
				    "'%s'?",
				    name, near);
	return qs_cli_usage(NULL, "there is no command '%s'", name);
}

int main(int argc, char **argv)
{
	const struct qs_cli_command *status = qs_cli_find("status");
	const struct qs_cli_command *command;

	setlocale(LC_CTYPE, "");
	if (argc > 1 && is(argv[1], "-V", "--version")) {
		puts("qshare " PACKAGE_VERSION);
		return qs_cli_flush(NULL, QS_EXIT_OK);
	}
	if ((argc > 1 && is(argv[1], "-h", "--help")) ||
	    (argc > 1 && argc == 2 && !strcmp(argv[1], "help")) ||
	    (argc <= 1 && !status)) {
		help();
		return qs_cli_flush(NULL,
				    argc > 1 ? QS_EXIT_OK : QS_EXIT_USAGE);
	}
	if (argc <= 1 || argv[1][0] == '-') {
		static char name[] = "status";

		if (!status)
			return qs_cli_usage(NULL, "unknown option '%s'",
					    argv[1]);
		argv[0] = name;
		return status->run(argc, argv);
	}
	if (!strcmp(argv[1], "help")) {
		static char option[] = "--help";
		char *pair[] = { argv[2], option, NULL };

		command = qs_cli_find(argv[2]);
		return command ? command->run(2, pair) : unknown(argv[2]);
	}
	command = qs_cli_find(argv[1]);
	if (!command)
		return unknown(argv[1]);
	return command->run(argc - 1, argv + 1);
}
