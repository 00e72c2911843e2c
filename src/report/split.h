/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h - which running jobs of a share are own, at each moment (R4);
 * private to src/report
 *
 * One of these is a share's jobs that hold GPUs of one type, in R4's order.
 */
#ifndef QS_SPLIT_H
#define QS_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

/* A run that holds GPUs. */
struct qs_held {
	int64_t start;
	uint64_t job;
	int64_t since; /* own is what it is since then */
	uint32_t priority;
	uint32_t gpus, own;
	uint32_t run, demand; /* indexes */
};

struct qs_split {
	struct qs_held *held; /* own ones first */
	uint32_t n, max;
	bool beyond; /* some of it was, when last made */
	bool dirty;
};

/* Where what was found goes; members may be NULL. */
struct qs_split_out {
	struct qs_run_use *use; /* by demand */
	bool *borrowed;         /* by run: began as borrowed */
};

/* Take a run in; False with errno ENOMEM. */
bool qs_split_add(struct qs_split *split, const struct qs_held *held);
/* A run ended at a time. It must be in. */
void qs_split_remove(struct qs_split *split, const struct qs_held *key,
		     int64_t now, const struct qs_split_out *out);
/* Fill the share's capacity anew. used: sum of what is held. */
void qs_split_make(struct qs_split *split, int64_t capacity, int64_t used,
		   int64_t now, const struct qs_split_out *out);
/* Count all up to now. */
void qs_split_settle(struct qs_split *split, int64_t now,
		     const struct qs_split_out *out);

#endif
