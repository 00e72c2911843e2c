/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.h - "did you mean": the known word nearest to a misspelt one
 *
 * Offer all known words, then ask. Nothing is copied or allocated: the words
 * must live until the answer was used.
 */
#ifndef QS_NEAREST_H
#define QS_NEAREST_H

struct qs_nearest {
	const char *word;
	const char *best;
	unsigned distance;
};

void qs_nearest_init(struct qs_nearest *nearest, const char *word);
void qs_nearest_offer(struct qs_nearest *nearest, const char *known);
/* NULL if nothing offered is near enough to be what was meant. */
const char *qs_nearest_get(const struct qs_nearest *nearest);

#endif
