/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reasons.c - AWS's texts, letter by letter
 *
 * Called by live*.c. Never blocks. The engine's sentences begin with the same
 * texts and go on with numbers; here a script may compare the whole field.
 */
#include "aws/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LIMIT "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - "

static const struct {
	const char *code, *text;
} never[] = {
	{ "OVER_QUEUE",
	  "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE - Service "
	  "environment(s) associated with the job queue cannot meet the "
	  "capacity requirement of the job." },
	{ "OVER_LIMIT",
	  LIMIT "Job requirements exceed quota share capacity limits." },
	{ "OVER_BORROW_LIMIT",
	  LIMIT "Job requirements exceed quota share capacity limits and "
		"borrow limits." },
	{ "OVER_LENDABLE",
	  LIMIT "Job requires borrowing that exceeds all configured borrowable "
		"capacity." },
};

const char *qs_live_never_text(const char *code)
{
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (!strcmp(never[i].code, code))
			return never[i].text;
	return NULL;
}

const char *qs_live_end_text(int64_t exit_code, int64_t signal, char *text,
			     size_t size)
{
	if (signal)
		snprintf(text, size, "Ended by signal %" PRId64, signal);
	else
		snprintf(text, size, "Ended with exit code %" PRId64,
			 exit_code);
	return text;
}

const char *qs_live_preemption_text(const char *sentence, char *buffer,
				    size_t size)
{
	const char *end = sentence ? strstr(sentence, ": for JobId=") : NULL;

	if (!end)
		return "Cross-share preemption triggered to reclaim borrowed "
		       "capacity";
	snprintf(buffer, size, "%.*s", (int)(end - sentence), sentence);
	return buffer;
}
