/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempts_run.h - records on their way to runs; private to src/sacct
 */
#ifndef QS_SACCT_ATTEMPTS_RUN_H
#define QS_SACCT_ATTEMPTS_RUN_H

#include "sacct/attempts.h"

/* Remembered answers of R1: accounts of jobs repeat. */
#define QS_MEMO 512

struct qs_draft {
	struct qs_run run;
	uint64_t db_index;
	bool wants_gpus; /* of one that never started */
	bool asked;      /* wants_gpus is known */
};

struct qs_memo {
	char account[64];
	const struct qs_policy *policy;
	int queue, share;
};

struct qs_attempts {
	struct qs_attempts_wish wish;
	struct qs_attempts_facts facts;
	struct qs_draft *drafts;
	struct qs_demand *demands;
	uint32_t n, max, ndemands, demands_max;
	int32_t unknown; /* the type for what has none, -1: not needed yet */
	struct qs_memo memo[QS_MEMO];
};

#endif
