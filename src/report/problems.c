/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * problems.c - what was wrong with the input: counted and named
 *
 * Called by the readers for each record that is not as it should be.
 */
#include "report/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void plain(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

void qs_problems_note(struct qs_problems *problems, const char *what,
		      const char *fmt, ...)
{
	struct qs_problem *item;
	va_list args;

	for (uint32_t i = 0; i < problems->n; i++) {
		if (!strcmp(problems->items[i].what, what)) {
			problems->items[i].count++;
			return;
		}
	}
	if (problems->n == QS_PROBLEMS_MAX) {
		problems->others++;
		return;
	}
	item = &problems->items[problems->n++];
	*item = (struct qs_problem){ .what = what, .count = 1 };
	va_start(args, fmt);
	vsnprintf(item->first, sizeof(item->first), fmt, args);
	va_end(args);
	plain(item->first);
}
