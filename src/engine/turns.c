/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.c - how safe a running job is: what of it is own, and when it goes
 *
 * Pure; called when somebody asks, never for a decision. Uses the planner's
 * own tables and its own choice of victims, so that what is shown is what
 * would happen (R23). Its surprise: only a share with idle GPUs of its own can
 * take anything back, so the asking share is one of those, if there is any.
 */
#include "turns.h"

#include <errno.h>
#include <stdlib.h>

#include "plan_state.h"

struct work {
	struct qs_state state;
	struct qs_turn *turns;
	uint32_t n;
	uint32_t *first; /* [job] its first entry in turns; [njobs] is n */
};

static bool holds(const struct qs_job *job)
{
	return job->state != QS_JOB_PENDING;
}

static bool list_entries(struct work *work)
{
	const struct qs_snapshot *snap = work->state.snap;
	uint32_t max = 0;

	for (uint32_t i = 0; i < snap->njobs; i++)
		if (holds(&snap->jobs[i]))
			max += snap->jobs[i].ndemands;
	work->turns = calloc((size_t)max + 1, sizeof(*work->turns));
	work->first = calloc((size_t)snap->njobs + 1, sizeof(*work->first));
	if (!work->turns || !work->first)
		return false;
	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];

		work->first[i] = work->n;
		for (uint32_t k = 0; holds(job) && k < job->ndemands; k++) {
			const struct qs_demand *d =
				&snap->demands[job->demands + k];

			work->turns[work->n++] = (struct qs_turn){
				.job = i, .type = d->type, .beyond = d->gpus
			};
		}
	}
	work->first[snap->njobs] = work->n;
	return true;
}

/* R4's order, gathered once: qsort() has no place for a context. */
struct key {
	uint32_t sid, entry, id, priority;
	int64_t start;
	uint16_t type;
};

static int by_r4(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->sid != y->sid)
		return x->sid < y->sid ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* R4: what of each job's GPUs is own. */
static bool split(struct work *work)
{
	const struct qs_state *state = &work->state;
	struct key *keys = calloc((size_t)work->n + 1, sizeof(*keys));
	int64_t left = 0;

	if (!keys)
		return false;
	for (uint32_t i = 0; i < work->n; i++) {
		const struct qs_turn *turn = &work->turns[i];
		const struct qs_job *job = &state->snap->jobs[turn->job];

		keys[i] = (struct key){ .sid = qs_state_sid(state, job),
					.entry = i,
					.id = job->id,
					.priority = job->priority,
					.start = job->start,
					.type = turn->type };
	}
	qsort(keys, work->n, sizeof(*keys), by_r4);
	for (uint32_t i = 0; i < work->n; i++) {
		struct qs_turn *turn = &work->turns[keys[i].entry];

		if (!i || keys[i].sid != keys[i - 1].sid ||
		    keys[i].type != keys[i - 1].type)
			left = qs_state_cell(state, keys[i].sid, keys[i].type)
				       ->capacity;
		turn->own = left < turn->beyond ? (uint32_t)left : turn->beyond;
		turn->beyond -= turn->own;
		left -= turn->own;
	}
	free(keys);
	return true;
}

static struct qs_turn *entry(struct work *work, uint32_t job, uint32_t type)
{
	for (uint32_t i = work->first[job]; i < work->first[job + 1]; i++)
		if (work->turns[i].type == type)
			return &work->turns[i];
	return NULL;
}

/* A share that has idle GPUs of its own, so that it could ask; else the one of
 * removed shares, which owns nothing. */
static int32_t asking_share(const struct qs_state *state, int32_t queue,
			    uint32_t type)
{
	for (int32_t s = 0; s < state->policy->nshares; s++) {
		const struct qs_cell *cell =
			qs_state_cell(state, (uint32_t)s, type);

		if (state->policy->shares[s].queue == queue &&
		    qs_cell_held(cell, QS_VIEW_ENDED) < cell->capacity)
			return s;
	}
	return QS_SHARE_REMOVED;
}

static void note_protection(struct work *work)
{
	const struct qs_state *state = &work->state;

	for (uint32_t i = 0; i < work->n; i++) {
		struct qs_turn *turn = &work->turns[i];
		const struct qs_job *job = &state->snap->jobs[turn->job];
		int64_t until;

		if (!turn->beyond || job->share < 0)
			continue;
		until = job->start +
			state->policy->shares[job->share].min_runtime_sec;
		if (until > state->snap->now)
			turn->protected_until = until;
	}
}

/* The victims of one GPU after the other. */
static void take_turns(struct work *work, int32_t queue, uint32_t type,
		       uint32_t demand)
{
	struct qs_state *state = &work->state;
	struct qs_job asks = { .queue = queue,
			       .share = asking_share(state, queue, type),
			       .copies = 1,
			       .nodeset = QS_NODESET_ALL,
			       .demands = demand,
			       .ndemands = 1 };
	uint32_t turn = 0;
	int64_t best;

	if (!qs_cands_collect(state, &asks, QS_KIND_CROSS))
		return;
	while ((best = qs_cands_best(state, &asks, NULL, state->ncands, 1,
				     false)) >= 0) {
		struct qs_turn *found =
			entry(work, state->cands[best].job, type);

		qs_cands_pick(state, &asks, (uint32_t)best);
		if (found)
			found->turn = ++turn;
	}
	qs_victims_undo(state);
}

/* Any entry for that type serves as the demand: only its type is looked at. */
static void all_turns(struct work *work)
{
	const struct qs_snapshot *snap = work->state.snap;

	for (uint32_t t = 0; t < work->state.ntypes; t++) {
		uint32_t d = 0;

		while (d < snap->ndemands && snap->demands[d].type != t)
			d++;
		for (int32_t q = 0;
		     d < snap->ndemands && q < work->state.policy->nqueues; q++)
			take_turns(work, q, t, d);
	}
}

static int make(const struct qs_snapshot *snap, bool in_order,
		struct qs_turn **turns, uint32_t *n)
{
	struct work work = { .n = 0 };
	bool good;

	good = qs_state_init(&work.state, snap) && list_entries(&work) &&
	       split(&work);
	if (good && in_order) {
		note_protection(&work);
		all_turns(&work);
	}
	good = good && !work.state.no_memory;
	qs_state_free(&work.state);
	free(work.first);
	if (!good) {
		free(work.turns);
		work.turns = NULL;
		work.n = 0;
		errno = ENOMEM;
	}
	*turns = work.turns;
	*n = work.n;
	return good ? 0 : -1;
}

int qs_turns_make(const struct qs_snapshot *snap, struct qs_turn **turns,
		  uint32_t *n)
{
	return make(snap, true, turns, n);
}

int qs_turns_split(const struct qs_snapshot *snap, struct qs_turn **turns,
		   uint32_t *n)
{
	return make(snap, false, turns, n);
}
