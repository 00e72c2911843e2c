/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_files.c - a folder of files for `qshare report`, anew for each test
 *
 * Called by the suites about reports, in the process of each test.
 */
#include "report_files.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

void report_files_begin(void)
{
	setenv("TZ", "UTC", 1);
	setenv("SLURM_CONF", "/nonexistent/slurm.conf", 1);
	strcpy(folder, "/tmp/qs-report.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

void report_files_end(void)
{
	static const char *const names[] = { "policy", "events", "audit",
					     "out",    "jobs",   "tree" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	rmdir(folder);
}

const char *path_of(const char *name)
{
	static char paths[4][128];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}
