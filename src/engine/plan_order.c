/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_order.c - R4's order of the jobs of one share that hold one type
 *
 * Jobs are collected as they come and ordered when somebody asks: most cells
 * never are. A job that starts in this plan is the youngest of its priority.
 */
#include "plan_state.h"

#include <stdlib.h>

#include "array.h"

uint32_t qs_order_gpus(const struct qs_state *state, uint32_t index,
		       uint32_t type)
{
	const struct qs_job *job = &state->snap->jobs[index];
	const struct qs_demand *d = qs_state_demands(state, job);

	for (uint32_t i = 0; i < job->ndemands; i++) {
		if (d[i].type == type)
			return d[i].gpus * (state->started[index] ?
						    state->started[index] :
						    1);
	}
	return 0;
}

static bool ranks_before(const struct qs_state *state, uint32_t a, uint32_t b)
{
	const struct qs_job *x = &state->snap->jobs[a];
	const struct qs_job *y = &state->snap->jobs[b];
	/* A job that starts in this plan is the youngest of its priority. */
	int64_t xs = state->started[a] ? state->snap->now : x->start;
	int64_t ys = state->started[b] ? state->snap->now : y->start;

	if (x->priority != y->priority)
		return x->priority > y->priority;
	if (xs != ys)
		return xs < ys;
	return x->id < y->id;
}

bool qs_order_append(struct qs_state *state, struct qs_cell *cell, uint32_t job)
{
	if (!qs_array_room((void **)&cell->order, &cell->max,
			   (uint64_t)cell->n + 1, sizeof(*cell->order))) {
		state->no_memory = true;
		return false;
	}
	if (!cell->n || state->snap->jobs[job].priority < cell->lowest)
		cell->lowest = state->snap->jobs[job].priority;
	cell->order[cell->n++] = job;
	return true;
}

/* Sort keys are gathered once: qsort with a global would not be pure. */
struct order_key {
	uint32_t priority, id, job;
	int64_t start;
};

static int by_order(const void *a, const void *b)
{
	const struct order_key *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void qs_order_sort(struct qs_state *state, struct qs_cell *cell)
{
	struct order_key *keys;

	if (cell->sorted)
		return;
	cell->sorted = true;
	if (cell->n < 2)
		return;
	keys = malloc(cell->n * sizeof(*keys));
	if (!keys) {
		state->no_memory = true;
		return;
	}
	for (uint32_t i = 0; i < cell->n; i++) {
		const struct qs_job *job = &state->snap->jobs[cell->order[i]];

		keys[i] = (struct order_key){ job->priority, job->id,
					      cell->order[i],
					      state->started[cell->order[i]] ?
						      state->snap->now :
						      job->start };
	}
	qsort(keys, cell->n, sizeof(*keys), by_order);
	for (uint32_t i = 0; i < cell->n; i++)
		cell->order[i] = keys[i].job;
	free(keys);
}

/* Put a job that starts now into R4's order. */
void qs_order_insert(struct qs_state *state, struct qs_cell *cell, uint32_t job)
{
	uint32_t at;

	/* Another task of an array that has its entry already. */
	if (state->started[job] > 1)
		return;
	if (!qs_order_append(state, cell, job) || !cell->sorted)
		return;
	for (at = cell->n - 1; at > 0; at--) {
		if (!ranks_before(state, job, cell->order[at - 1]))
			break;
		cell->order[at] = cell->order[at - 1];
	}
	cell->order[at] = job;
}
