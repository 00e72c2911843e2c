/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * duration.c - seconds as squeue writes them
 *
 * Called by everything of qshare that shows a time span. Never blocks.
 */
#include "cli/duration.h"

#include <stdio.h>

void qs_duration_text(int64_t seconds, char *text, size_t size)
{
	long long s = seconds > 0 ? seconds : 0;

	if (s >= 86400)
		snprintf(text, size, "%lld-%02lld:%02lld", s / 86400,
			 s / 3600 % 24, s / 60 % 60);
	else if (s >= 3600)
		snprintf(text, size, "%lld:%02lld:%02lld", s / 3600,
			 s / 60 % 60, s % 60);
	else
		snprintf(text, size, "%lld:%02lld", s / 60, s % 60);
}
