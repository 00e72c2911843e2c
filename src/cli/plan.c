/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - qshare plan
 */
#include "cli/cli.h"

int qs_cli_plan(int argc, char **argv)
{
	(void)argc;
	return qs_cli_error(argv[0], "not in this version");
}
