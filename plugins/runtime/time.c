/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time.c - the two clocks of the runtime
 *
 * Any thread, never blocks. The engine sees neither: it is given a time.
 */
#include "runtime/inner.h"

#include <time.h>

int64_t qs_now(void)
{
	return (int64_t)time(NULL);
}

int64_t qs_mono_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
