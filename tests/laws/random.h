/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.h - numbers that a seed repeats on every machine
 *
 * splitmix64 (Steele, Lea, Flood 2014): small, and good enough to choose
 * small worlds with. No state beside the struct.
 */
#ifndef LAW_RANDOM_H
#define LAW_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct law_random {
	uint64_t state;
};

static inline uint64_t law_random_next(struct law_random *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0 .. n-1; n must not be 0. */
static inline uint32_t law_random_below(struct law_random *r, uint32_t n)
{
	return (uint32_t)(law_random_next(r) % n);
}

/* lo .. hi, both included. */
static inline uint32_t law_random_range(struct law_random *r, uint32_t lo,
					uint32_t hi)
{
	return lo + law_random_below(r, hi - lo + 1);
}

/* True once in n times. */
static inline bool law_random_one_in(struct law_random *r, uint32_t n)
{
	return law_random_below(r, n) == 0;
}

#endif
