/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * texts.c - why jobs wait, each text kept once; and sums of texts
 *
 * Called under qs_rt.lock, but for sums; blocks on nothing. In a long queue most
 * jobs of a share wait for the same, in the same words.
 */
#include "runtime/inner.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 4096

struct text {
	struct text *next;
	uint64_t sum;
	uint32_t refs;
	char words[];
};

static struct text *chains[CHAINS];

/* FNV-1a. */
uint64_t qs_text_sum(const char *text, size_t n)
{
	uint64_t sum = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	return sum;
}

const char *qs_text_take(const char *words)
{
	size_t n = strlen(words);
	uint64_t sum = qs_text_sum(words, n);
	struct text **chain = &chains[sum % CHAINS], *text;

	for (text = *chain; text; text = text->next) {
		if (text->sum == sum && !strcmp(text->words, words)) {
			text->refs++;
			return text->words;
		}
	}
	text = malloc(sizeof(*text) + n + 1);
	if (!text)
		return NULL;
	text->sum = sum;
	text->refs = 1;
	memcpy(text->words, words, n + 1);
	text->next = *chain;
	*chain = text;
	return text->words;
}

void qs_text_drop(const char *words)
{
	struct text *text, **at;

	if (!words)
		return;
	text = (struct text *)(words - offsetof(struct text, words));
	if (--text->refs)
		return;
	for (at = &chains[text->sum % CHAINS]; *at != text; at = &(*at)->next)
		;
	*at = text->next;
	free(text);
}
