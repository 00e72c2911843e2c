/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c - what the words of `scontrol show bbstat WORD...` ask for
 *
 * Called for the RPC. Blocks on nothing. Its surprise: slurmctld hands over
 * what came through the net, so a word may be NULL.
 */
#include "runtime/words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <strings.h>

static const struct {
	const char *word;
	enum qs_asks asks;
} known[] = {
	{ "answer", QS_ASKS_WHATIF }, { "explain", QS_ASKS_EXPLAIN },
	{ "jobs", QS_ASKS_JOBS },     { "metrics", QS_ASKS_METRICS },
	{ "policy", QS_ASKS_POLICY }, { "scenario", QS_ASKS_SCENARIO },
	{ "status", QS_ASKS_STATUS },
};

/* Digits at *text, which is moved behind them; false: none, or too large. */
static bool read_number(const char **text, uint32_t *out)
{
	uint64_t value = 0;
	const char *at = *text;

	while (*at >= '0' && *at <= '9') {
		value = value * 10 + (uint64_t)(*at++ - '0');
		if (value > UINT32_MAX)
			return false;
	}
	if (at == *text)
		return false;
	*text = at;
	*out = (uint32_t)value;
	return true;
}

static enum qs_job_form read_job(const char *text, struct qs_words *words)
{
	enum qs_job_form form;

	/* Slurm's jobs begin with 1. */
	if (!text || !read_number(&text, &words->job) || !words->job)
		return QS_JOB_FORM_BAD;
	if (!*text)
		return QS_JOB_FORM_PLAIN;
	if (text[0] == '_' && text[1] == '[')
		return QS_JOB_FORM_PLAIN;
	if (*text != '_' && *text != '+')
		return QS_JOB_FORM_BAD;
	form = *text++ == '_' ? QS_JOB_FORM_TASK : QS_JOB_FORM_HET;
	return read_number(&text, &words->part) && !*text ? form :
							    QS_JOB_FORM_BAD;
}

void qs_words_read(uint32_t argc, char *const *argv, struct qs_words *words)
{
	*words = (struct qs_words){ .asks = argc ? QS_ASKS_UNKNOWN :
						   QS_ASKS_STATUS,
				    .token = "" };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (argc && argv[0] && !strcasecmp(argv[0], known[i].word))
			words->asks = known[i].asks;
	/* More words than there are answers for: not what we know. */
	if (argc >
	    (words->asks == QS_ASKS_EXPLAIN || words->asks == QS_ASKS_WHATIF ?
		     2 :
		     1))
		words->asks = QS_ASKS_UNKNOWN;
	if (words->asks == QS_ASKS_EXPLAIN)
		words->form = read_job(argc > 1 ? argv[1] : NULL, words);
	if (words->asks == QS_ASKS_WHATIF) {
		if (argc != 2 || !argv[1])
			words->asks = QS_ASKS_UNKNOWN;
		else
			words->token = argv[1];
	}
}

char *qs_words_job(const struct qs_words *words, char *text)
{
	text[0] = '\0';
	if (words->form == QS_JOB_FORM_PLAIN)
		snprintf(text, QS_WORDS_JOB_MAX, "%" PRIu32, words->job);
	else if (words->form != QS_JOB_FORM_BAD)
		snprintf(text, QS_WORDS_JOB_MAX, "%" PRIu32 "%c%" PRIu32,
			 words->job,
			 words->form == QS_JOB_FORM_TASK ? '_' : '+',
			 words->part);
	return text;
}
