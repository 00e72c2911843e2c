/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.h - arrays that double, so that filling one is linear; also for those
 * who use the engine
 */
#ifndef QS_ARRAY_H
#define QS_ARRAY_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Make room for need elements of a size in *array (a pointer to any object),
 * which has room for *max. Whoever knows how many there will be asks for all of
 * them first and wastes nothing. False with errno ENOMEM: nothing has changed.
 */
static inline bool qs_array_room(void **array, uint32_t *max, uint64_t need,
				 size_t size)
{
	uint64_t want = *max ? (uint64_t)*max * 2 : 16;
	void *bigger;

	if (need <= *max)
		return true;
	if (want < need)
		want = need;
	if (want > UINT32_MAX) {
		errno = ENOMEM;
		return false;
	}
	bigger = realloc(*array, (size_t)want * size);
	if (!bigger)
		return false;
	*array = bigger;
	*max = (uint32_t)want;
	return true;
}

#endif
