/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tres.h - GPUs in a TRES text; private to src/sacct
 */
#ifndef QS_SACCT_TRES_H
#define QS_SACCT_TRES_H

#include <stddef.h>
#include <stdint.h>

/* One gres/gpu:TYPE=COUNT. */
struct qs_tres_gpu {
	const char *type; /* not NUL-terminated */
	size_t n;
	int64_t count;
};

/* More types than this are not in one job. */
#define QS_TRES_MAX 32

/*
 * The typed GPUs of a text, and in *untyped what gres/gpu has beyond their sum:
 * "gres/gpu=4,gres/gpu:a100=4" is four a100 and none untyped. gres/gpumem and
 * the like are no GPUs. Returns how many types.
 */
size_t qs_tres_gpus(const char *text, struct qs_tres_gpu gpus[QS_TRES_MAX],
		    int64_t *untyped);

#endif
