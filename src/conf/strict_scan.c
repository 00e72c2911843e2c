/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strict_scan.c - finds a key that an object has twice
 *
 * Called by strict.c on text that json-c has accepted, since json-c keeps the
 * last of two equal keys without a word. Compares keys as they are spelt: a
 * key that is hidden behind \u escapes is not found out.
 */
#include "conf/strict_scan.h"

#include <stdlib.h>
#include <string.h>

#define LEVELS 64

struct key {
	const char *text; /* behind the quote */
	size_t n;
	size_t begin; /* offset of the object that it is in */
};

/* Keys are compared by length and bytes, grouped by their object. */
static int by_object_and_text(const void *a, const void *b)
{
	const struct key *ka = a, *kb = b;
	int order;

	if (ka->begin != kb->begin)
		return ka->begin < kb->begin ? -1 : 1;
	if (ka->n != kb->n)
		return ka->n < kb->n ? -1 : 1;
	order = memcmp(ka->text, kb->text, ka->n);
	if (order)
		return order;
	return ka->text < kb->text ? -1 : ka->text > kb->text;
}

static size_t string_end(const char *text, size_t n, size_t at)
{
	while (at < n && text[at] != '"')
		at += text[at] == '\\' ? 2 : 1;
	return at < n ? at : n;
}

/* All keys of the text; *nkeys of them, or NULL for lack of memory. */
static struct key *collect(const char *text, size_t n, size_t *nkeys)
{
	size_t begin[LEVELS] = { 0 }, level = 0, max = 64;
	struct key *keys = malloc(max * sizeof(*keys)), *more;
	struct key last = { 0 };

	*nkeys = 0;
	for (size_t at = 0; keys && at < n; at++) {
		switch (text[at]) {
		case '{':
		case '[':
			level++;
			if (level < LEVELS)
				begin[level] = at;
			break;
		case '}':
		case ']':
			level -= level > 0;
			break;
		case '"':
			last.text = text + at + 1;
			at = string_end(text, n, at + 1);
			last.n = (size_t)(text + at - last.text);
			break;
		case ':':
			last.begin = level < LEVELS ? begin[level] : 0;
			if (*nkeys == max) {
				max *= 2;
				more = realloc(keys, max * sizeof(*keys));
				if (!more) {
					free(keys);
					return NULL;
				}
				keys = more;
			}
			keys[(*nkeys)++] = last;
			break;
		default:
			break;
		}
	}
	return keys;
}

bool qs_scan_twice(const char *text, size_t n, struct qs_scan_twice *twice)
{
	const struct key *first = NULL;
	size_t nkeys, size;
	struct key *keys = collect(text, n, &nkeys);

	if (!keys)
		return false;
	qsort(keys, nkeys, sizeof(*keys), by_object_and_text);
	for (size_t i = 1; i < nkeys; i++) {
		const struct key *key = &keys[i];

		if (key->begin != key[-1].begin || key->n != key[-1].n ||
		    memcmp(key->text, key[-1].text, key->n))
			continue;
		if (!first || key->text < first->text)
			first = key;
	}
	if (first) {
		size = first->n < sizeof(twice->key) - 1 ?
			       first->n :
			       sizeof(twice->key) - 1;
		memcpy(twice->key, first->text, size);
		twice->key[size] = '\0';
		twice->offset = (size_t)(first->text - text);
	}
	free(keys);
	return first != NULL;
}
