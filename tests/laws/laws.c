/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * laws.c - what the laws share
 */
#include "laws.h"

#include <stdarg.h>

uint64_t law_met;

bool law_no(char *why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return false;
}

void law_ask(const struct law_world *world, struct qs_decision *out)
{
	struct planned p;

	planned_make(&p, world, 0);
	*out = p.plan->decisions[0];
	planned_free(&p);
}
int64_t law_used(const struct law_world *world, int share, int t)
{
	int64_t sum = 0;

	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].share == share &&
		    world->jobs[j].state != QS_JOB_PENDING)
			sum += world->jobs[j].gpus[t];
	}
	return sum;
}
