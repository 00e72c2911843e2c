/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * man_example.c - see man_example.h
 */
#include "man_example.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/load.h"

char *source_file(const char *name)
{
	const char *top = getenv("QS_SRCDIR"), *problem;
	char path[4096], *text;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", top ? top : QS_SRCDIR, name);
	ck_assert_msg(!qs_load_file(path, 1 << 20, &text, &n, NULL, &problem),
		      "%s: %s", path, problem);
	return text;
}

char *man_example(const char *page, const char *name)
{
	char *text = source_file(page), *from, *to, *out, *copy;
	char mark[64];

	snprintf(mark, sizeof(mark), ".\\\" BEGIN %s\n", name);
	from = strstr(text, mark);
	ck_assert_msg(from != NULL, "%s has no example %s", page, name);
	from += strlen(mark);
	snprintf(mark, sizeof(mark), ".\\\" END %s\n", name);
	to = strstr(from, mark);
	ck_assert_msg(to != NULL, "%s: no end of %s", page, name);
	*to = '\0';
	copy = out = malloc(strlen(from) + 1);
	ck_assert_ptr_nonnull(out);
	for (; *from; from++) {
		if (*from == '\\' && from[1]) {
			from++;
			ck_assert_msg(*from == 'e' || *from == '-',
				      "%s: unknown escape \\%c", page, *from);
			*out++ = *from == 'e' ? '\\' : *from;
		} else {
			*out++ = *from;
		}
	}
	*out = '\0';
	free(text);
	return copy;
}
