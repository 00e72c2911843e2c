/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seeds.c - see seeds.h
 */
#include "seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

uint64_t law_seeds_number(uint64_t n)
{
	return from_environment("QS_LAWS_N", n);
}

uint64_t law_seeds_first(void)
{
	return from_environment("QS_LAWS_SEED", 1);
}

void law_seeds_try(const char *name, const char *what, uint64_t n,
		   law_attempt *attempt, const void *arg)
{
	uint64_t first = law_seeds_first();

	n = law_seeds_number(n);
	printf("%s: %" PRIu64 " %s from seed %" PRIu64 "\n", name, n, what,
	       first);
	fflush(stdout);
	for (uint64_t i = 0; i < n; i++)
		attempt(first + i * 1000003, arg);
}
