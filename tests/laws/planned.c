/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned.c - see planned.h
 */
#include "planned.h"

#include <stdio.h>
#include <stdlib.h>

void planned_make(struct planned *p, const struct law_world *world,
		  uint64_t shuffle)
{
	p->world = world;
	law_view_make(&p->view, world, shuffle);
	p->plan = qs_plan_make(p->view.snap);
	if (!p->plan) {
		fprintf(stderr, "out of memory\n");
		exit(99);
	}
}

void planned_free(struct planned *p)
{
	qs_plan_free(p->plan);
	law_view_free(&p->view);
}

int planned_job(const struct planned *p, uint32_t snap_job)
{
	return p->view.job_of[snap_job];
}

const struct qs_decision *planned_decision(const struct planned *p, int job)
{
	for (uint32_t i = 0; i < p->plan->ndecisions; i++) {
		if (planned_job(p, p->plan->decisions[i].job) == job)
			return &p->plan->decisions[i];
	}
	return NULL;
}

bool planned_stops(const struct planned *p, const struct qs_decision *decision,
		   uint32_t id)
{
	for (uint32_t i = 0; i < decision->nvictims; i++) {
		if (p->plan->victims[decision->victims + i].id == id)
			return true;
	}
	return false;
}

int world_find(const struct law_world *world, uint32_t id)
{
	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].id == id)
			return j;
	}
	return -1;
}

void world_end(struct law_world *world, uint32_t id)
{
	int job = world_find(world, id);

	if (job >= 0)
		law_world_drop_job(world, job);
}

void world_end_endings(struct law_world *world)
{
	for (int j = world->njobs - 1; j >= 0; j--) {
		if (world->jobs[j].state != QS_JOB_PENDING &&
		    (world->jobs[j].ends ||
		     world->jobs[j].state == QS_JOB_COMPLETING))
			law_world_drop_job(world, j);
	}
}

void world_alone(struct law_world *to, const struct law_world *from, int job)
{
	uint32_t id = from->jobs[job].id;

	*to = *from;
	for (int j = to->njobs - 1; j >= 0; j--) {
		if (to->jobs[j].id == id) {
			to->jobs[j].copies = 1;
			to->jobs[j].claim = false;
		} else if (to->jobs[j].state == QS_JOB_PENDING) {
			law_world_drop_job(to, j);
		}
	}
}
