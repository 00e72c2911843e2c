/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - what became of the jobs; private to src/report
 */
#ifndef QS_OUTCOME_H
#define QS_OUTCOME_H

#include "report/measures.h"

/*
 * Fills outcome, preemptions and the two counts of times that cannot be, from
 * sealed runs; run_borrowed is there already. now: until when runs that go on are
 * known. Returns 0, or -1 with errno ENOMEM.
 */
int qs_outcome_make(const struct qs_runs *runs, int64_t now,
		    struct qs_measures *m);

#endif
