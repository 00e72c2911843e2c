/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_fetch.h - ask memory for jobs before they are looked at; private to
 * src/engine/plan*.c
 *
 * Jobs of one share are no neighbours in memory, and to wait for each of
 * hundreds is most of what it takes to look at them. Whoever walks over them
 * asks for those further on: first for the job, later for what it has, then for
 * what is there. Inlined by force: a function that does nothing else has no
 * effect in the compiler's eyes, and the call is dropped.
 */
#ifndef QS_PLAN_FETCH_H
#define QS_PLAN_FETCH_H

#include "plan_state.h"

#define QS_AHEAD 4
#define QS_FETCH static inline __attribute__((always_inline)) void

QS_FETCH qs_fetch_job(const struct qs_state *state, uint32_t job)
{
	__builtin_prefetch(&state->snap->jobs[job]);
}

QS_FETCH qs_fetch_held(const struct qs_state *state, uint32_t index)
{
	const struct qs_job *job = &state->snap->jobs[index];

	if (job->ndemands)
		__builtin_prefetch(&state->snap->demands[job->demands]);
	if (job->nplaced)
		__builtin_prefetch(&state->snap->placed[job->placed]);
}

QS_FETCH qs_fetch_slot(const struct qs_state *state, uint32_t index)
{
	const struct qs_job *job = &state->snap->jobs[index];
	const struct qs_placed *p = qs_snapshot_placed(state->snap, job);

	if (p)
		__builtin_prefetch(qs_state_slot(state, p->node, p->type));
}

#endif
