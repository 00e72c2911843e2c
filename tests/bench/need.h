/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need.h - what a benchmark cannot go on without
 */
#ifndef BENCH_NEED_H
#define BENCH_NEED_H

#include <stdio.h>
#include <stdlib.h>

/* p, or the end of the program where it is NULL. */
static inline void *bench_need(void *p)
{
	if (!p) {
		fprintf(stderr, "no memory, or no such file\n");
		exit(1);
	}
	return p;
}

#endif
