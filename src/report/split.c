/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.c - which running jobs of a share are own, at each moment (R4)
 *
 * Called by the sweep at each start, end and change of policy. As long as a
 * share holds no more than it owns, nothing but the list is kept up to date.
 */
#include "report/split.h"

#include <string.h>

#include "engine/array.h"
#include "report/measures.h"

/* R4: priority, start, job id; then whatever keeps them apart. */
static int by_r4(const struct qs_held *x, const struct qs_held *y)
{
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->demand < y->demand ? -1 : x->demand > y->demand;
}

/* Where it is, or belongs. */
static uint32_t place_of(const struct qs_split *split,
			 const struct qs_held *key)
{
	uint32_t low = 0, high = split->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (by_r4(&split->held[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool qs_split_add(struct qs_split *split, const struct qs_held *held)
{
	uint32_t at;

	if (!qs_array_room((void **)&split->held, &split->max,
			   (uint64_t)split->n + 1, sizeof(*split->held)))
		return false;
	at = place_of(split, held);
	memmove(&split->held[at + 1], &split->held[at],
		(split->n - at) * sizeof(*split->held));
	split->held[at] = *held;
	split->held[at].own = held->gpus;
	split->n++;
	return true;
}

static void count(struct qs_held *held, int64_t now,
		  const struct qs_split_out *out)
{
	int64_t seconds = now - held->since;

	held->since = now;
	if (!out->use)
		return;
	out->use[held->demand].own += seconds * held->own;
	out->use[held->demand].borrowed += seconds * (held->gpus - held->own);
}

void qs_split_remove(struct qs_split *split, const struct qs_held *key,
		     int64_t now, const struct qs_split_out *out)
{
	uint32_t at = place_of(split, key);

	count(&split->held[at], now, out);
	split->n--;
	memmove(&split->held[at], &split->held[at + 1],
		(split->n - at) * sizeof(*split->held));
}

void qs_split_make(struct qs_split *split, int64_t capacity, int64_t used,
		   int64_t now, const struct qs_split_out *out)
{
	bool beyond = used > capacity;
	int64_t left = capacity;

	split->dirty = false;
	if (!beyond && !split->beyond)
		return;
	split->beyond = beyond;
	for (uint32_t i = 0; i < split->n; i++) {
		struct qs_held *held = &split->held[i];
		uint32_t own = left < held->gpus ? (uint32_t)left : held->gpus;

		left -= own;
		if (own == held->own)
			continue;
		if (held->start == now)
			out->borrowed[held->run] = true;
		count(held, now, out);
		held->own = own;
	}
}

void qs_split_settle(struct qs_split *split, int64_t now,
		     const struct qs_split_out *out)
{
	for (uint32_t i = 0; i < split->n; i++)
		count(&split->held[i], now, out);
}
