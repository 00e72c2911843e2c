/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.c - see folder.h
 */
#define _XOPEN_SOURCE 700 /* nftw() */

#include "folder.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[256];

void folder_make(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/qs-unit-XXXXXX",
		 tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void folder_remove(void)
{
	ck_assert_int_eq(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

char *path_of(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	ck_assert_msg(file != NULL, "no %s", path);
	/* A file has no NUL: this reads to its end. */
	ck_assert_msg(getdelim(&text, &size, '\0', file) > 0, "%s is empty",
		      path);
	fclose(file);
	return text;
}
