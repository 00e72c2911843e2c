/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comment.c - what the runtime leaves in a record's AdminComment
 *
 * "QuotaShare: share=two queue=train own=0 borrowed=h100:2 start=1795987501
 * preempted=1 for=3 how=RECLAIM code=QUOTA; words"
 */
#include "sacct/comment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "QuotaShare: "

/* The value of a word, up to the next blank or ';'. */
static bool word(const char *text, const char *key, char *out, size_t size)
{
	size_t n = strlen(key);

	while (*text && *text != ';') {
		size_t len = strcspn(text, " ;");

		if (len > n && !strncmp(text, key, n) && text[n] == '=') {
			snprintf(out, size, "%.*s", (int)(len - n - 1),
				 text + n + 1);
			return true;
		}
		text += len;
		text += *text == ' ';
	}
	return false;
}

enum qs_run_cause qs_comment_cause(const char *code)
{
	for (enum qs_run_cause c = QS_CAUSE_QUOTA; c < QS_CAUSES; c++)
		if (!strcmp(code, qs_run_cause_name(c)))
			return c;
	return QS_CAUSE_UNKNOWN;
}

bool qs_comment_parse(const char *text, struct qs_comment *comment)
{
	char value[64];

	if (strncmp(text, PREFIX, sizeof(PREFIX) - 1))
		return false;
	text += sizeof(PREFIX) - 1;
	memset(comment, 0, sizeof(*comment));
	comment->start = QS_TIME_NONE;
	word(text, "share", comment->share, sizeof(comment->share));
	if (word(text, "start", value, sizeof(value)))
		comment->start = strtoll(value, NULL, 10);
	if (word(text, "for", value, sizeof(value)))
		comment->by = strtoull(value, NULL, 10);
	if (word(text, "code", value, sizeof(value)))
		comment->cause = qs_comment_cause(value);
	return true;
}
