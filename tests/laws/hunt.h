/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hunt.h - try a property on many random worlds
 *
 * How many, and which: see seeds.h. A world that fails is made small and written
 * as a scenario file into the folder in which the test runs.
 */
#ifndef LAW_HUNT_H
#define LAW_HUNT_H

#include "world.h"

#define LAW_WHY_MAX 512

/* Does the world keep the law? If not, why says what went wrong. */
typedef bool law_property(const struct law_world *world, char *why,
			  size_t size);

/* Fails the running Check test at the first world that breaks the law. n:
 * how many worlds when the environment does not say. */
void law_hunt(const char *name, law_property *holds,
	      const struct law_taste *taste, uint64_t n);

/* The world of one seed, as it was found before. */
void law_hunt_one(const char *name, law_property *holds,
		  const struct law_taste *taste, uint64_t seed);

/* What went wrong without its numbers: small changes move ids and counts, the
 * kind of failure must stay. to: as large as from. */
void law_hunt_kind(char *to, const char *from);

/* Writes the world beside the test; returns a static path. */
const char *law_hunt_save(const char *name, uint64_t seed,
			  const struct law_world *world);

#endif
