/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_claims.c - claimants first, each on what was freed for it (R9, law 6)
 *
 * A claim is of GPUs on certain nodes, but two may be of the same node, and a
 * claimant whose own victims are still going may find a place that another's
 * have just left. So until it is its turn, a place on its nodes is held for
 * each claimant, for those with the fewest nodes first. A claimant that needs
 * more than to wait beside these is served as if nothing were held for others:
 * what is held never makes anybody stop somebody.
 *
 * Called once per plan, before everybody else is served. There are few claims.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "plan_run.h"

static bool claimed_before(const struct qs_job *a, const struct qs_job *b)
{
	if (a->claimed != b->claimed)
		return a->claimed < b->claimed;
	return a->id < b->id;
}

void qs_claims_sort(struct qs_run *run)
{
	const struct qs_job *jobs = run->state.snap->jobs;

	for (uint32_t i = 1; i < run->nclaims; i++) {
		uint32_t job = run->claims[i], at = i;

		while (at > 0 &&
		       claimed_before(&jobs[job], &jobs[run->claims[at - 1]])) {
			run->claims[at] = run->claims[at - 1];
			at--;
		}
		run->claims[at] = job;
	}
}

static uint32_t count_nodes(const struct qs_snapshot *snap,
			    const struct qs_job *job)
{
	const uint8_t *set = snap->nodesets[job->claimed_on - 1];
	uint32_t n = 0;

	for (uint32_t i = 0; i < (snap->nnodes + 7) / 8; i++)
		n += (uint32_t)__builtin_popcount(set[i]);
	return n;
}

/* What was found goes off what is free for others (1), or back (-1). */
static void charge(struct qs_run *run, const struct qs_hold *hold, int sign)
{
	if (hold->nplaces)
		qs_state_hold(&run->state, hold->job, run->held + hold->places,
			      hold->nplaces, sign);
}

/* The places in the scratch. */
static bool hold_place(struct qs_run *run, uint32_t job)
{
	struct qs_state *state = &run->state;
	struct qs_hold *hold;

	if (!qs_array_room((void **)&run->holds, &run->holds_max,
			   (uint64_t)run->nholds + 1, sizeof(*run->holds)) ||
	    !qs_array_room((void **)&run->held, &run->held_max,
			   (uint64_t)run->nheld + state->nplaces,
			   sizeof(*run->held))) {
		state->no_memory = true;
		return false;
	}
	memcpy(run->held + run->nheld, state->places,
	       state->nplaces * sizeof(*run->held));
	hold = &run->holds[run->nholds++];
	*hold = (struct qs_hold){ job, run->nheld, state->nplaces };
	run->nheld += state->nplaces;
	charge(run, hold, 1);
	return true;
}

static void hold_for(struct qs_run *run, uint32_t index)
{
	const struct qs_job *job = &run->state.snap->jobs[index];
	uint32_t tasks = job->claim_tasks ? job->claim_tasks : 1;

	while (tasks-- &&
	       qs_place_find_claimed(&run->state, job, QS_VIEW_ENDED) &&
	       hold_place(run, index))
		;
}

struct by_nodes {
	uint32_t nodes, claim;
};

static int fewest_nodes(const void *a, const void *b)
{
	const struct by_nodes *x = a, *y = b;

	if (x->nodes != y->nodes)
		return x->nodes < y->nodes ? -1 : 1;
	return x->claim < y->claim ? -1 : x->claim > y->claim;
}

/* With one claim there is nobody to hold anything against. */
void qs_claims_hold(struct qs_run *run)
{
	const struct qs_snapshot *snap = run->state.snap;
	struct by_nodes *list;
	uint32_t n = 0;

	if (run->nclaims < 2)
		return;
	list = malloc(run->nclaims * sizeof(*list));
	if (!list) {
		run->state.no_memory = true;
		return;
	}
	for (uint32_t i = 0; i < run->nclaims; i++) {
		const struct qs_job *job = &snap->jobs[run->claims[i]];

		if (job->claimed_on)
			list[n++] =
				(struct by_nodes){ count_nodes(snap, job), i };
	}
	if (n)
		qsort(list, n, sizeof(*list), fewest_nodes);
	for (uint32_t i = 0; i < n && !run->state.no_memory; i++)
		hold_for(run, run->claims[list[i].claim]);
	free(list);
}

void qs_claims_release(struct qs_run *run, uint32_t job)
{
	for (uint32_t i = 0; i < run->nholds; i++) {
		if (run->holds[i].job != job)
			continue;
		charge(run, &run->holds[i], -1);
		run->holds[i].nplaces = 0;
	}
}

void qs_claims_suspend(struct qs_run *run, bool suspend)
{
	for (uint32_t i = 0; i < run->nholds; i++)
		charge(run, &run->holds[i], suspend ? -1 : 1);
}

bool qs_claims_leave_it(struct qs_run *run, const struct qs_job *job)
{
	return qs_quota_startable(&run->state, job, QS_VIEW_ENDED) &&
	       qs_place_exists(&run->state, job, QS_VIEW_ENDED, false);
}
