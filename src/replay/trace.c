/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.c - jobs of the past in memory: names, faults, order
 *
 * Called by whoever reads a trace. Pure. Names are interned, so that a million
 * jobs cost 48 bytes each.
 */
#include "replay/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"

struct qs_trace *qs_trace_new(void)
{
	return calloc(1, sizeof(struct qs_trace));
}

static void free_names(struct qs_trace_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	free(names->slots);
}

void qs_trace_free(struct qs_trace *trace)
{
	if (!trace)
		return;
	free_names(&trace->shares);
	free_names(&trace->types);
	free(trace->jobs);
	free(trace);
}

static uint32_t hash_of(const char *text, size_t n)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash;
}

/* The slot of a name, or the free one where it belongs. */
static uint32_t slot_of(const struct qs_trace_names *names, const char *text,
			size_t n)
{
	uint32_t at = hash_of(text, n) & (names->nslots - 1);

	while (names->slots[at]) {
		const char *item = names->items[names->slots[at] - 1];

		if (strlen(item) == n && !memcmp(item, text, n))
			break;
		at = (at + 1) & (names->nslots - 1);
	}
	return at;
}

static int grow_slots(struct qs_trace_names *names)
{
	uint32_t *old = names->slots,
		 n = names->nslots ? names->nslots * 2 : 64;

	names->slots = calloc(n, sizeof(*names->slots));
	if (!names->slots) {
		names->slots = old;
		return -1;
	}
	names->nslots = n;
	free(old);
	for (uint32_t i = 0; i < names->n; i++)
		names->slots[slot_of(names, names->items[i],
				     strlen(names->items[i]))] = i + 1;
	return 0;
}

/* Index of a name, a new one if need be; -1 with errno. */
static int64_t intern(struct qs_trace_names *names, const char *text, size_t n)
{
	uint32_t at;
	char *copy;

	/* A name ends at a NUL, wherever it came from. */
	n = strnlen(text, n);
	if (2 * names->n >= names->nslots && grow_slots(names))
		return -1;
	at = slot_of(names, text, n);
	if (names->slots[at])
		return names->slots[at] - 1;
	if (names->n > UINT16_MAX) {
		errno = E2BIG;
		return -1;
	}
	if (!qs_array_room((void **)&names->items, &names->max,
			   (uint64_t)names->n + 1, sizeof(*names->items)))
		return -1;
	copy = malloc(n + 1);
	if (!copy)
		return -1;
	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	names->items[names->n++] = copy;
	names->slots[at] = names->n;
	return names->n - 1;
}

int qs_trace_add(struct qs_trace *trace, const struct qs_trace_job *job,
		 const char *share, size_t nshare, const char *type,
		 size_t ntype)
{
	int64_t s =
		intern(&trace->shares, share ? share : "", share ? nshare : 0);
	int64_t t = intern(&trace->types, type ? type : "", type ? ntype : 0);
	struct qs_trace_job *mine;

	if (s < 0 || t < 0 ||
	    !qs_array_room((void **)&trace->jobs, &trace->max,
			   (uint64_t)trace->njobs + 1, sizeof(*trace->jobs)))
		return -1;
	mine = &trace->jobs[trace->njobs++];
	*mine = *job;
	mine->share = (uint16_t)s;
	mine->type = (uint16_t)t;
	return 0;
}

void qs_trace_leave_out(struct qs_trace *trace, uint32_t line, const char *what,
			const char *cell, size_t n)
{
	trace->left_out++;
	qs_problems_note(&trace->problems, what, "line %u%s%.*s%s", line,
			 n ? ": '" : "", n > 64 ? 64 : (int)n, n ? cell : "",
			 n ? "'" : "");
}

static int by_submit(const void *a, const void *b)
{
	const struct qs_trace_job *x = a, *y = b;

	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

int qs_trace_seal(struct qs_trace *trace)
{
	bool sorted = true;

	for (uint32_t i = 1; i < trace->njobs && sorted; i++)
		sorted = by_submit(&trace->jobs[i - 1], &trace->jobs[i]) <= 0;
	if (!sorted)
		qsort(trace->jobs, trace->njobs, sizeof(*trace->jobs),
		      by_submit);
	return 0;
}
