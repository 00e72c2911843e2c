/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seeds.h - how many of what is random are tried, and which
 *
 * QS_LAWS_N says how many, QS_LAWS_SEED from which one on; without it they are
 * the same each time, so that `make check` says the same twice. Any one is found
 * again by its seed and QS_LAWS_N=1.
 */
#ifndef LAW_SEEDS_H
#define LAW_SEEDS_H

#include <stdint.h>

/* What the environment asks for. n: how many when it does not say. */
uint64_t law_seeds_number(uint64_t n);
uint64_t law_seeds_first(void);

typedef void law_attempt(uint64_t seed, const void *arg);

/* Tries so many, after a line "NAME: NUMBER WHAT from seed SEED". */
void law_seeds_try(const char *name, const char *what, uint64_t n,
		   law_attempt *attempt, const void *arg);

#endif
