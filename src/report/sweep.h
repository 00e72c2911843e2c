/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep.h - through the window from instant to instant; private to src/report
 */
#ifndef QS_SWEEP_H
#define QS_SWEEP_H

#include "report/measures.h"

/*
 * Fills what is counted in GPU-seconds: use, unowned, out_of_service, matrix,
 * timeline, run_use, run_borrowed. All of that was allocated by the caller and
 * is zero. Until is where counting ends. Returns 0, or -1 with errno ENOMEM.
 */
int qs_sweep(const struct qs_quota_history *history, const struct qs_runs *runs,
	     int64_t until, struct qs_measures *m);

#endif
