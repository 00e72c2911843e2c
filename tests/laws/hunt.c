/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hunt.c - see hunt.h
 */
#include "hunt.h"

#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "seeds.h"

const char *law_hunt_save(const char *name, uint64_t seed,
			  const struct law_world *world)
{
	static char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "law-%s-%" PRIu64 ".json", name, seed);
	out = fopen(path, "w");
	if (!out)
		return "(could not be written)";
	law_world_print(world, out);
	fclose(out);
	return path;
}

struct failing {
	law_property *holds;
	char first[LAW_WHY_MAX]; /* what went wrong, without its numbers */
	char why[LAW_WHY_MAX];
};

void law_hunt_kind(char *to, const char *from)
{
	for (; *from; from++) {
		if (*from < '0' || *from > '9')
			*to++ = *from;
	}
	*to = '\0';
}

static bool still_fails(const struct law_world *world, void *arg)
{
	struct failing *f = arg;
	char kind[LAW_WHY_MAX];

	if (f->holds(world, f->why, sizeof(f->why)))
		return false;
	law_hunt_kind(kind, f->why);
	return !strcmp(kind, f->first);
}

static void report(const char *name, uint64_t seed, struct law_world *world,
		   struct failing *f)
{
	law_hunt_kind(f->first, f->why);
	law_world_shrink(world, still_fails, f);
	f->holds(world, f->why, sizeof(f->why));
	ck_abort_msg("%s: seed %" PRIu64 ": %s; see %s", name, seed, f->why,
		     law_hunt_save(name, seed, world));
}

void law_hunt_one(const char *name, law_property *holds,
		  const struct law_taste *taste, uint64_t seed)
{
	struct failing f = { .holds = holds };
	struct law_random r = { .state = seed };
	struct law_world world;

	law_world_random(&world, &r, taste);
	if (!holds(&world, f.why, sizeof(f.why)))
		report(name, seed, &world, &f);
}

struct hunt {
	const char *name;
	law_property *holds;
	const struct law_taste *taste;
};

static void attempt(uint64_t seed, const void *arg)
{
	const struct hunt *hunt = arg;

	law_hunt_one(hunt->name, hunt->holds, hunt->taste, seed);
}

void law_hunt(const char *name, law_property *holds,
	      const struct law_taste *taste, uint64_t n)
{
	const struct hunt hunt = { name, holds, taste };

	law_seeds_try(name, "worlds", n, attempt, &hunt);
}
