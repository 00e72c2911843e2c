/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tres.c - GPUs in a TRES text
 */
#include "sacct/tres.h"

#include <stdlib.h>
#include <string.h>

#include "engine/policy.h"

#define WORD "gres/gpu"

/* "gres/gpu:TYPE" or "gres/gpu", exactly: not gres/gpumem. */
static const char *after_word(const char *item)
{
	size_t n = sizeof(WORD) - 1;

	if (strncmp(item, WORD, n) || (item[n] != ':' && item[n] != '='))
		return NULL;
	return item + n;
}

size_t qs_tres_gpus(const char *text, struct qs_tres_gpu gpus[QS_TRES_MAX],
		    int64_t *untyped)
{
	int64_t all = 0, typed = 0;
	size_t n = 0;

	while (*text) {
		size_t item = strcspn(text, ",");
		const char *at = after_word(text);
		const char *equals = memchr(text, '=', item);
		long long count = equals ? strtoll(equals + 1, NULL, 10) : 0;

		/* Sums stay far from the end of 64 bits. */
		if (count > QS_GPUS_MAX)
			count = QS_GPUS_MAX;
		if (at && *at == '=') {
			all = count;
		} else if (at && equals && count > 0 && n < QS_TRES_MAX) {
			gpus[n].type = at + 1;
			gpus[n].n = (size_t)(equals - at - 1);
			gpus[n++].count = count;
			typed += count;
		}
		text += item + (text[item] == ',');
	}
	*untyped = all > typed ? all - typed : 0;
	return n;
}
