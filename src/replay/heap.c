/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.c - what will happen, soonest first; equal times by job
 *
 * Called by the simulation. A binary heap in an array; entries that no longer
 * hold stay in it and are passed over by who takes them.
 */
#include <stdlib.h>

#include "engine/array.h"
#include "replay/sim_inner.h"

static bool sooner(const struct qs_sim_event *a, const struct qs_sim_event *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	return a->job < b->job;
}

bool qs_sim_push(struct qs_sim *sim, int64_t at, uint32_t job)
{
	struct qs_sim_event event = { at, job };
	uint32_t i;

	if (!qs_array_room((void **)&sim->heap, &sim->heap_max,
			   (uint64_t)sim->nheap + 1, sizeof(*sim->heap))) {
		sim->no_memory = true;
		return false;
	}
	for (i = sim->nheap++; i > 0; i = (i - 1) / 2) {
		if (!sooner(&event, &sim->heap[(i - 1) / 2]))
			break;
		sim->heap[i] = sim->heap[(i - 1) / 2];
	}
	sim->heap[i] = event;
	return true;
}

const struct qs_sim_event *qs_sim_peek(const struct qs_sim *sim)
{
	return sim->nheap ? sim->heap : NULL;
}

void qs_sim_pop(struct qs_sim *sim)
{
	struct qs_sim_event last = sim->heap[--sim->nheap];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= sim->nheap)
			break;
		if (child + 1 < sim->nheap &&
		    sooner(&sim->heap[child + 1], &sim->heap[child]))
			child++;
		if (!sooner(&sim->heap[child], &last))
			break;
		sim->heap[i] = sim->heap[child];
		i = child;
	}
	if (sim->nheap)
		sim->heap[i] = last;
}
