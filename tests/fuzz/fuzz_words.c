/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_words.c - any bytes as words that come to slurmctld from its users
 *
 * Each line of the input is a word; an empty one is NULL, as slurmctld hands
 * over an empty string of its protocol. They are read as the words of `scontrol
 * show bbstat`, and one by one as the GPU strings of a submission, which are
 * charged and rewritten (R2, R2a): the untyped part becomes typed and nothing
 * is lost or uncharged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/request_text.h"
#include "runtime/words.h"

#define WORDS_MAX 8
#define TYPE      "a100"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Words as an RPC brings them, each in memory of its own. */
static uint32_t split(const uint8_t *data, size_t size, char **argv)
{
	uint32_t argc = 0;

	while (argc < WORDS_MAX && size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t n = end ? (size_t)(end - data) : size;

		argv[argc++] = n ? strndup((const char *)data, n) : NULL;
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
	return argc;
}

static void ask(uint32_t argc, char **argv)
{
	char text[QS_WORDS_JOB_MAX], again[QS_WORDS_JOB_MAX];
	char explain[] = "explain", *asked[] = { explain, text };
	struct qs_words words, same;

	qs_words_read(argc, argv, &words);
	if (words.asks > QS_ASKS_WHATIF || !words.token)
		abort();
	qs_words_job(&words, text);
	if (words.form == QS_JOB_FORM_BAD)
		return;
	qs_words_read(2, asked, &same);
	if (same.asks != words.asks || same.form != words.form ||
	    strcmp(text, qs_words_job(&same, again)) != 0)
		abort();
}

static uint64_t count(const struct qs_terms *terms, const char *type)
{
	for (size_t i = 0; i < terms->n; i++)
		if (!strcmp(terms->items[i].type, type))
			return terms->items[i].per[QS_PER_NODE];
	return 0;
}

static void submit(const char *text)
{
	static const struct qs_shape shape = { .tasks = 3, .min_nodes = 2 };
	static struct qs_terms before, after;
	uint64_t untyped, typed, sum;
	char *new;

	qs_terms_init(&before);
	if (qs_terms_parse(&before, QS_PER_NODE, text))
		return;
	qs_terms_complete(&before, &shape);
	(void)qs_terms_by_node(&before);
	(void)qs_terms_nodes(&before);
	for (size_t i = 0; i < before.n; i++)
		if (qs_term_gpus(&before.items[i], &shape, 2) > UINT32_MAX)
			abort();
	if (!text || !*text)
		return;
	new = qs_terms_rewrite(text, TYPE);
	if (!new)
		abort();
	qs_terms_init(&after);
	if (qs_terms_parse(&after, QS_PER_NODE, new))
		abort();
	untyped = count(&before, "");
	typed = count(&before, TYPE);
	if (__builtin_add_overflow(untyped, typed, &sum))
		sum = UINT64_MAX;
	if (qs_terms_untyped(&after) || count(&after, TYPE) != sum) {
		fprintf(stderr, "%s\n%s\n", text, new);
		abort();
	}
	free(new);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 1] = { NULL };
	uint32_t argc = split(data, size, argv);

	ask(argc, argv);
	for (uint32_t i = 0; i < argc; i++)
		submit(argv[i]);
	for (uint32_t i = 0; i < argc; i++)
		free(argv[i]);
	return 0;
}
