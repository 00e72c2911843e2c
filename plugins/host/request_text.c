/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_text.c - the words of a GPU request and how many GPUs they mean
 *
 * Called by request_desc.c for the strings of a submission and by
 * request_record.c for a job's gres list. Never blocks. Its surprise: a name
 * that begins like a number and is one, as in gpu:3080, is a count. Slurm
 * reads it so, and a request must not mean two things.
 */
#include "host/request_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One element of a comma list, as pieces of the text. */
struct word {
	const char *start; /* of the element */
	size_t length;
	size_t prefix;    /* "gres:" or "gres/" at its start, or 0 */
	bool part;        /* of a GPU: shard, mps */
	bool gpu;         /* below here only if it is a gpu term */
	const char *type; /* NULL: untyped */
	size_t type_length;
	uint64_t count;
};

void qs_terms_init(struct qs_terms *terms)
{
	terms->n = 0;
	terms->parts = false;
}

int qs_terms_set(struct qs_terms *terms, enum qs_per per, const char *type,
		 uint64_t count)
{
	struct qs_term *term = NULL;

	if (!count)
		return 0;
	if (!type)
		type = "";
	for (size_t i = 0; i < terms->n; i++)
		if (!strncmp(terms->items[i].type, type, QS_TERM_TYPE_MAX - 1))
			term = &terms->items[i];
	if (!term) {
		if (terms->n == QS_TERMS_MAX) {
			errno = E2BIG;
			return -1;
		}
		term = &terms->items[terms->n++];
		memset(term, 0, sizeof(*term));
		snprintf(term->type, sizeof(term->type), "%s", type);
	}
	term->per[per] = count;
	return 0;
}

/* The multiplier that a suffix of Slurm's stands for; 0: no such suffix. */
static uint64_t multiplier(const char *suffix, size_t length)
{
	static const char letters[] = "kmgtp";
	uint64_t base = 1024, value = 1;
	const char *at;

	if (!length)
		return 1;
	if (length == 2 && !strncasecmp(suffix + 1, "b", 1))
		base = 1000;
	else if (length != 1 &&
		 !(length == 3 && !strncasecmp(suffix + 1, "ib", 2)))
		return 0;
	at = strchr(letters, suffix[0] | 0x20);
	if (!at || !*at)
		return 0;
	for (const char *p = letters; p <= at; p++)
		value *= base;
	return value;
}

/* True if the piece is a count; a product that does not fit is the largest. */
static bool number(const char *piece, size_t length, uint64_t *out)
{
	uint64_t value = 0, factor;
	size_t digits = 0;

	while (digits < length && piece[digits] >= '0' &&
	       piece[digits] <= '9') {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, piece[digits] - '0', &value))
			value = UINT64_MAX;
		digits++;
	}
	if (!digits)
		return false;
	factor = multiplier(piece + digits, length - digits);
	if (!factor)
		return false;
	if (__builtin_mul_overflow(value, factor, out))
		*out = UINT64_MAX;
	return true;
}

static bool starts(const char *text, size_t length, const char *with)
{
	size_t n = strlen(with);

	return length >= n && !strncmp(text, with, n);
}

/* The element names a gres of this name, with or without more after it. */
static bool names(const char *text, size_t length, const char *gres)
{
	size_t n = strlen(gres);

	return starts(text, length, gres) &&
	       (length == n || text[n] == ':' || text[n] == '=');
}

/* The part of a gpu term after "gpu". -1: it cannot be a request. */
static int read_gpu(struct word *word, const char *rest, size_t length)
{
	const char *second;
	size_t first;

	word->gpu = true;
	word->count = 1;
	if (!length)
		return 0;
	rest++; /* the ':' or '=' */
	length--;
	second = memchr(rest, ':', length);
	if (!second) /* later versions write gpu:a100=2 */
		second = memchr(rest, '=', length);
	if (second) {
		first = (size_t)(second - rest);
		length -= first + 1;
		if (!first || !number(second + 1, length, &word->count))
			return -1;
		word->type = rest;
		word->type_length = first;
		return 0;
	}
	if (!length)
		return -1;
	if (!number(rest, length, &word->count)) {
		word->type = rest;
		word->type_length = length;
	}
	return 0;
}

/*
 * The element at *text, which is moved to the next one; *text is NULL after
 * the last. Returns 0, or -1 with errno EINVAL.
 */
static int next_word(const char **text, struct word *word)
{
	const char *comma = strchr(*text, ',');
	const char *name;
	size_t length;

	memset(word, 0, sizeof(*word));
	word->start = *text;
	word->length = comma ? (size_t)(comma - *text) : strlen(*text);
	*text = comma ? comma + 1 : NULL;
	if (starts(word->start, word->length, "gres:") ||
	    starts(word->start, word->length, "gres/"))
		word->prefix = 5;
	name = word->start + word->prefix;
	length = word->length - word->prefix;
	word->part =
		(names(name, length, "shard") || names(name, length, "mps")) &&
		!(length > 2 && !strncmp(name + length - 2, ":0", 2));
	if (!names(name, length, "gpu"))
		return 0;
	if (read_gpu(word, name + 3, length - 3)) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

int qs_terms_parse(struct qs_terms *terms, enum qs_per per, const char *text)
{
	char type[QS_TERM_TYPE_MAX];
	struct word word;

	if (!text || !*text)
		return 0;
	while (text) {
		size_t n;

		if (next_word(&text, &word))
			return -1;
		terms->parts |= word.part;
		if (!word.gpu)
			continue;
		n = word.type ? word.type_length : 0;
		if (n >= sizeof(type))
			n = sizeof(type) - 1;
		if (n)
			memcpy(type, word.type, n);
		type[n] = '\0';
		if (qs_terms_set(terms, per, type, word.count))
			return -1;
	}
	return 0;
}

void qs_terms_complete(struct qs_terms *terms, const struct qs_shape *shape)
{
	uint64_t tasks = shape->tasks;

	if (terms->n || !shape->tasks_per_gpu)
		return;
	if (!tasks && shape->min_nodes == shape->max_nodes)
		tasks = (uint64_t)shape->min_nodes * shape->tasks_per_gpu;
	qs_terms_set(terms, QS_PER_JOB, NULL, tasks / shape->tasks_per_gpu);
}

bool qs_terms_untyped(const struct qs_terms *terms)
{
	for (size_t i = 0; i < terms->n; i++)
		if (!terms->items[i].type[0])
			return true;
	return false;
}

bool qs_terms_by_node(const struct qs_terms *terms)
{
	for (size_t i = 0; i < terms->n; i++) {
		const uint64_t *per = terms->items[i].per;

		if (!per[QS_PER_JOB] && !per[QS_PER_TASK])
			return true;
	}
	return false;
}

uint32_t qs_terms_nodes(const struct qs_terms *terms)
{
	for (size_t i = 0; i < terms->n; i++) {
		const uint64_t *per = terms->items[i].per;

		if (per[QS_PER_JOB] && per[QS_PER_NODE] &&
		    per[QS_PER_JOB] / per[QS_PER_NODE] <= UINT32_MAX)
			return (uint32_t)(per[QS_PER_JOB] / per[QS_PER_NODE]);
	}
	return 0;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	if (__builtin_mul_overflow(a, b, &product) || product > UINT32_MAX)
		return UINT32_MAX;
	return product;
}

uint64_t qs_term_gpus(const struct qs_term *term, const struct qs_shape *shape,
		      uint32_t nodes)
{
	uint64_t tasks = shape->tasks;

	if (term->per[QS_PER_JOB])
		return times(term->per[QS_PER_JOB], 1);
	if (term->per[QS_PER_TASK]) {
		if (!tasks && shape->tasks_per_gpu)
			tasks = times(nodes, shape->tasks_per_gpu);
		else if (!tasks)
			tasks = times(nodes, shape->tasks_per_node ?
						     shape->tasks_per_node :
						     1);
		return times(term->per[QS_PER_TASK], tasks);
	}
	if (term->per[QS_PER_NODE])
		return times(term->per[QS_PER_NODE], nodes);
	return times(
		times(term->per[QS_PER_SOCKET],
		      shape->sockets_per_node ? shape->sockets_per_node : 1),
		nodes);
}

/* Is the word one that the rewritten text says in its one typed term? */
static bool merges(const struct word *word, const char *type)
{
	if (!word->gpu || !word->count)
		return false;
	return !word->type || (strlen(type) == word->type_length &&
			       !strncmp(word->type, type, word->type_length));
}

char *qs_terms_rewrite(const char *text, const char *type)
{
	uint64_t untyped = 0, typed = 0, sum;
	const char *at = text;
	bool written = false;
	struct word word;
	size_t size;
	FILE *out;
	char *new;

	while (at) {
		if (next_word(&at, &word))
			return NULL;
		if (!merges(&word, type))
			continue;
		if (word.type)
			typed = word.count;
		else
			untyped = word.count;
	}
	if (__builtin_add_overflow(untyped, typed, &sum))
		sum = UINT64_MAX;
	out = open_memstream(&new, &size);
	if (!out)
		return NULL;
	for (at = text; at;) {
		if (next_word(&at, &word))
			break; /* cannot be: it was good a moment ago */
		if (!merges(&word, type)) {
			fprintf(out, "%s%.*s", ftell(out) ? "," : "",
				(int)word.length, word.start);
		} else if (!written) {
			fprintf(out, "%s%.*sgpu:%s:%" PRIu64,
				ftell(out) ? "," : "", (int)word.prefix,
				word.start, type, sum);
			written = true;
		}
	}
	if (fclose(out)) {
		free(new);
		errno = ENOMEM;
		return NULL;
	}
	return new;
}
