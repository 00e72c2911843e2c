/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite.c - the end of every suite's main(), and the case files
 *
 * Called by main() of the suites, before and after Check runs their tests.
 */
#include "suite.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dirent **cases;
static int ncases;

int suite_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

const char *cases_folder(void)
{
	static char path[4096];
	const char *top = getenv("QS_SRCDIR");

	snprintf(path, sizeof(path), "%s/tests/cases", top ? top : QS_SRCDIR);
	return path;
}

static int is_case(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

int cases_find(void)
{
	ncases = scandir(cases_folder(), &cases, is_case, alphasort);
	return ncases > 0 ? ncases : 0;
}

const char *cases_name(int i)
{
	return cases[i]->d_name;
}

const char *cases_path(int i)
{
	static char path[8192];

	snprintf(path, sizeof(path), "%s/%s", cases_folder(), cases_name(i));
	return path;
}

void cases_free(void)
{
	while (ncases > 0)
		free(cases[--ncases]);
	free(cases);
	cases = NULL;
}
