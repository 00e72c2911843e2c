/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history_run.h - one history while it is played: inner header of history.c
 */
#ifndef LAW_HISTORY_RUN_H
#define LAW_HISTORY_RUN_H

#include "history.h"
#include "watch.h"

/* What is known of a job beside the world. */
struct fate {
	uint32_t id;
	int64_t goes;    /* victim: when its grace time is over */
	uint32_t for_id; /* victim: whose */
	int64_t freed;   /* claimant: when the last victim went */
};

struct history {
	const struct law_history_kind *kind;
	const struct law_history_cut *cut; /* or NULL */
	uint32_t submissions;
	struct law_random r;
	struct law_world w;
	struct law_world before; /* the last plan */
	struct fate fates[LAW_JOBS];
	int nfates;
	struct law_watch watch;
	uint32_t next_id;
	int64_t claims; /* made so far */
	bool moved;     /* something came of the last plan */
	char *why;
	size_t size;
};

/* It has begun or is gone: nothing more is to come of it. */
void law_history_forget(struct history *h, uint32_t id);

/* A few random things that nobody planned. */
void law_history_news(struct history *h);

#endif
