/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.h - how safe a running job is: what of it is own, and when it goes
 *
 * R4 and R10 for people (R21): which of a job's GPUs are its share's own, and
 * its place among those that would be preempted. The place is that of R10's
 * steps 1 to 4 if a share whose GPUs are lent asked for one after the other of
 * a type, each victim counted as gone. A real claimant needs a number of GPUs
 * on certain nodes, so fit and place may choose otherwise.
 */
#ifndef QS_TURNS_H
#define QS_TURNS_H

#include "snapshot.h"

/* A job that holds GPUs, and one type of them. */
struct qs_turn {
	uint32_t job; /* index in the snapshot */
	uint16_t type;
	uint32_t own, beyond; /* of its GPUs, by R4 */
	/* 1: the first that would go; 0: none of it would, as things are. */
	uint32_t turn;
	/* R13: it would be a candidate, but not before then; 0: no such thing */
	int64_t protected_until;
};

/*
 * One entry per job that is not PENDING and type it holds, in the order of the
 * snapshot's jobs. *turns is the caller's (free). Returns 0, or -1 with errno
 * ENOMEM.
 */
int qs_turns_make(const struct qs_snapshot *snap, struct qs_turn **turns,
		  uint32_t *n);

/*
 * The same without turn and protected_until, which cost the square of the number
 * of jobs: what is own and what is not, in n log n.
 */
int qs_turns_split(const struct qs_snapshot *snap, struct qs_turn **turns,
		   uint32_t *n);

#endif
