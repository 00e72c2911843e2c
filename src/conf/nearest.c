/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.c - "did you mean": the known word nearest to a misspelt one
 *
 * Called by the readers and by qshare for error messages only. Edit distance
 * with swaps of neighbours as one step, without case; about a third of the
 * letters may be wrong. Words longer than WORD_MAX are never near anything.
 */
#include "conf/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define WORD_MAX 64

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned min = a < b ? a : b;

	return min < c ? min : c;
}

static int lower(char c)
{
	return tolower((unsigned char)c);
}

static unsigned edit_distance(const char *a, const char *b)
{
	unsigned rows[3][WORD_MAX + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na > WORD_MAX || nb > WORD_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *up = rows[(i + 2) % 3];
		const unsigned *up2 = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);

			row[j] = min3(up[j] + 1, row[j - 1] + 1,
				      up[j - 1] + !same);
			if (i > 1 && j > 1 &&
			    lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]) &&
			    up2[j - 2] + 1 < row[j])
				row[j] = up2[j - 2] + 1;
		}
	}
	return rows[na % 3][nb];
}

void qs_nearest_init(struct qs_nearest *nearest, const char *word)
{
	nearest->word = word;
	nearest->best = NULL;
	nearest->distance = UINT_MAX;
}

void qs_nearest_offer(struct qs_nearest *nearest, const char *known)
{
	unsigned distance = edit_distance(nearest->word, known);

	if (distance < nearest->distance) {
		nearest->distance = distance;
		nearest->best = known;
	}
}

const char *qs_nearest_get(const struct qs_nearest *nearest)
{
	size_t length;

	if (!nearest->best)
		return NULL;
	length = strlen(nearest->best);
	return nearest->distance <= (length + 2) / 3 ? nearest->best : NULL;
}
