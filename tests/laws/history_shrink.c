/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history_shrink.c - the shortest history that still goes wrong
 *
 * Greedy: fewer steps first, then without one submission after the other, until
 * none can be left out. The random numbers that are drawn stay the same, but for
 * what depends on who is there.
 */
#include <string.h>

#include "history.h"

struct shrinker {
	const struct law_history_kind *kind;
	uint64_t seed;
	struct law_history_cut *cut;
	char first[LAW_WHY_MAX];
};

static bool still_fails(const struct shrinker *s,
			const struct law_history_cut *cut)
{
	char why[LAW_WHY_MAX] = "", words[LAW_WHY_MAX];
	struct law_world unused;

	if (law_history_run(s->kind, s->seed, cut, &unused, why, sizeof(why)))
		return false;
	law_hunt_kind(words, why);
	return !strcmp(words, s->first);
}

static bool attempt(struct shrinker *s, const struct law_history_cut *cut)
{
	if (!still_fails(s, cut))
		return false;
	*s->cut = *cut;
	return true;
}

static bool leave_out_one(struct shrinker *s)
{
	bool changed = false;

	for (int i = LAW_SUBMISSIONS - 1; i >= 0; i--) {
		struct law_history_cut cut = *s->cut;

		if (cut.without[i])
			continue;
		cut.without[i] = true;
		changed |= attempt(s, &cut);
	}
	return changed;
}

void law_history_shrink(const struct law_history_kind *kind, uint64_t seed,
			struct law_history_cut *cut, struct law_world *world,
			char *why, size_t size)
{
	struct shrinker s = { .kind = kind, .seed = seed, .cut = cut };
	int rounds = 4;

	memset(cut, 0, sizeof(*cut));
	law_hunt_kind(s.first, why);
	for (int steps = 1; steps < 30; steps++) {
		struct law_history_cut fewer = { .steps = steps };

		if (attempt(&s, &fewer))
			break;
	}
	/* Who never came is left out at the first try. */
	while (leave_out_one(&s) && --rounds)
		;
	law_history_run(kind, seed, cut, world, why, size);
}
