/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cases.c - see cases.h
 *
 * The names are kept until the program ends.
 */
#include "cases.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dirent **cases;
static int ncases;

const char *cases_folder(void)
{
	static char path[4096];
	const char *top = getenv("QS_SRCDIR");

	snprintf(path, sizeof(path), "%s/tests/cases", top ? top : QS_SRCDIR);
	return path;
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

static int is_case(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

START_TEST(there_are_cases)
{
	ck_assert_int_ge(ncases, 19);
}
END_TEST

int cases_find(TCase *tests)
{
	ncases = scandir(cases_folder(), &cases, is_case, alphasort);
	tcase_add_test(tests, there_are_cases);
	return ncases > 0 ? ncases : 0;
}
