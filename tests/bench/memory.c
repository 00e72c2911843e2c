/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c - see memory.h
 */
#include "memory.h"

#include <malloc.h>
#include <stdlib.h>

struct bench_memory bench_memory;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);

static void *given(void *p)
{
	bench_memory.calls++;
	bench_memory.now += malloc_usable_size(p);
	if (bench_memory.now > bench_memory.peak)
		bench_memory.peak = bench_memory.now;
	return p;
}

void *malloc(size_t size)
{
	return given(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	return given(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
	size_t had = malloc_usable_size(p);
	void *bigger = __libc_realloc(p, size);

	if (bigger || !size)
		bench_memory.now -= had;
	return given(bigger);
}

void free(void *p)
{
	bench_memory.now -= malloc_usable_size(p);
	__libc_free(p);
}
