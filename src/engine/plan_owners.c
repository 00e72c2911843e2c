/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_owners.c - who borrows must leave owners theirs (R6, R8)
 *
 * R6 lends a share's idle GPUs less "the claims of its entitled jobs". Who
 * starts by R6 need not ask: owners were served before. Who would stop a job of
 * its own share to borrow (R8), or has done so and comes to start (R9), must:
 * an owner that waits for a node, or whose own job is just ending, takes its
 * GPUs back as soon as it can, and a job was stopped for nothing.
 *
 * Linear in the waiting jobs of the shares that have idle GPUs, once for each
 * decision that changed something.
 */
#include "plan_run.h"

/* GPUs of a type that the share's waiting jobs can take as own: those that fit
 * one after the other into what will be idle. */
static int64_t wanted(const struct qs_run *run, uint32_t share, uint32_t type)
{
	const struct qs_state *state = &run->state;
	const struct qs_line *line =
		&run->lines[(size_t)share * state->ntypes + type];
	const struct qs_cell *cell = qs_state_cell(state, share, type);
	int64_t idle = cell->capacity - qs_cell_held(cell, QS_VIEW_ENDED);
	int64_t sum = 0;

	for (uint32_t i = 0; i < line->n && sum < idle; i++) {
		const struct qs_job *job = &state->snap->jobs[line->jobs[i]];
		const struct qs_demand *d = qs_state_demands(state, job);
		int64_t tasks = job->copies ? job->copies : 1;

		while (d->type != type)
			d++;
		/* What started, or is kept for it, is held already. */
		tasks -= state->started[line->jobs[i]];
		if (tasks > (idle - sum) / d->gpus)
			tasks = (idle - sum) / d->gpus;
		sum += tasks * d->gpus;
	}
	return sum;
}

void qs_owners_first(struct qs_run *run, const struct qs_job *job)
{
	struct qs_state *state = &run->state;
	const struct qs_demand *d = qs_state_demands(state, job);

	for (uint32_t k = 0; k < job->ndemands; k++) {
		for (uint32_t s = 0; s < (uint32_t)state->policy->nshares;
		     s++) {
			struct qs_cell *cell =
				qs_state_cell(state, s, d[k].type);

			if (cell->wanted_at == state->version + 1)
				continue;
			cell->wanted_at = state->version + 1;
			cell->wanted = wanted(run, s, d[k].type);
		}
	}
	state->owners_first = true;
}

bool qs_owners_leave_it(struct qs_run *run, const struct qs_job *job)
{
	struct qs_state *state = &run->state;
	const struct qs_demand *d = qs_state_demands(state, job);
	bool leave = true;

	if (qs_quota_entitled(state, job, QS_VIEW_ENDED))
		return true;
	qs_owners_first(run, job);
	for (uint32_t k = 0; k < job->ndemands; k++) {
		int64_t borrows =
			qs_quota_borrows(state, job, &d[k], QS_VIEW_ENDED);

		if (borrows &&
		    borrows > qs_quota_lendable(state, (uint32_t)job->share,
						d[k].type, QS_VIEW_ENDED))
			leave = false;
	}
	state->owners_first = false;
	return leave;
}
