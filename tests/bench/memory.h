/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - counts what a benchmark allocates, libraries included
 *
 * The program's own malloc() and friends, in front of the C library's (glibc
 * only).
 */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stddef.h>

struct bench_memory {
	unsigned long calls; /* that gave memory out */
	size_t now, peak;    /* bytes in use */
};
extern struct bench_memory bench_memory;

/* The peak from here on. */
static inline void bench_memory_mark(void)
{
	bench_memory.peak = bench_memory.now;
}

#endif
