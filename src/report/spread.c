/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spread.c - median, 90th percentile, largest
 */
#include "report/measures.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Nearest rank: the smallest that at least percent of them do not exceed. */
static int64_t percentile(const int64_t *sorted, uint32_t n, uint32_t percent)
{
	uint64_t rank = ((uint64_t)n * percent + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

struct qs_spread qs_spread_of(int64_t *values, uint32_t n)
{
	struct qs_spread spread = { .n = n };

	if (!n)
		return spread;
	qsort(values, n, sizeof(*values), by_value);
	spread.median = percentile(values, n, 50);
	spread.p90 = percentile(values, n, 90);
	spread.max = values[n - 1];
	for (uint32_t i = 0; i < n; i++)
		spread.sum += values[i];
	return spread;
}
