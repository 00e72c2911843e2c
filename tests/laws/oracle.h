/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle.h - a second opinion on a plan, from SEMANTICS alone
 *
 * Slow and plain: everything is summed up afresh for every question, and what
 * must be irreducible or impossible is searched exhaustively. No code is
 * shared with the planner. See oracle.c for what is decided exactly and what
 * is only held against the rules.
 */
#ifndef LAW_ORACLE_H
#define LAW_ORACLE_H

#include "hunt.h"

/*
 * Judge a plan of a world (made through the view). True if it is what
 * the rules say; else why names the first decision that is not.
 */
bool law_oracle_agrees(const struct law_world *world,
		       const struct law_view *view, const struct qs_plan *plan,
		       char *why, size_t size);

/* How often a run met the interesting cases: a test that met none is void. */
struct law_oracle_stats {
	uint64_t worlds, decisions, starts, borrows, reclaims, placements,
		in_share, exact_sets, searched_sets, waits, never;
	uint64_t codes[QS_CODE_OVER_LENDABLE + 1];
};
extern struct law_oracle_stats law_oracle_stats;

#endif
