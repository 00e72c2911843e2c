/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - decisions and victims in words with numbers (R21, R22)
 *
 * Pure; bounded by the caller's buffer (law 14).
 */
#ifndef QS_EXPLAIN_H
#define QS_EXPLAIN_H

#include "plan.h"

/* Short form for squeue: at most this, with the end. */
#define QS_REASON_MAX 128

/*
 * Short reason of a decision, without prefix, e.g.
 * "needs 1 a10g; share QS1 uses 2 of limit 3, 0 lendable".
 */
void qs_explain_short(const struct qs_policy *policy,
		      const struct qs_decision *decision, char *text,
		      size_t size);
/* The whole: what it needs, limit, used, borrowed, lendable, what would help.
 * plan may be the one the decision is from, for the victims' ids, or NULL.
 * Where facts.behind is 0, the job that it waits for is not named either. */
void qs_explain_long(const struct qs_policy *policy, const struct qs_plan *plan,
		     const struct qs_decision *decision, char *text,
		     size_t size);
/* Why a job was stopped: for whom, the code, the R10 step (R22), AWS's text. */
void qs_explain_victim(const struct qs_policy *policy,
		       const struct qs_decision *decision,
		       const struct qs_victim *victim, int64_t run_sec,
		       char *text, size_t size);
/* Words for enum qs_chosen. */
const char *qs_chosen_name(enum qs_chosen chosen);

#endif
