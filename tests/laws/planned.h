/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned.h - a world and its plan, asked by job ids
 */
#ifndef LAW_PLANNED_H
#define LAW_PLANNED_H

#include "world.h"

struct planned {
	const struct law_world *world;
	struct law_view view;
	struct qs_plan *plan;
};

/* Ends the test if memory is short. The world must stay where it is. */
void planned_make(struct planned *p, const struct law_world *world,
		  uint64_t shuffle);
void planned_free(struct planned *p);

/* The world's job of a decision or victim. */
int planned_job(const struct planned *p, uint32_t snap_job);
/* First decision of a job of the world; NULL if it has none. */
const struct qs_decision *planned_decision(const struct planned *p, int job);
bool planned_stops(const struct planned *p, const struct qs_decision *decision,
		   uint32_t id);

/* A copy in which only this job waits, alone and without a claim. */
void world_alone(struct law_world *to, const struct law_world *from, int job);
/* Take out the jobs that run; keep: those for which it says so. */
int world_find(const struct law_world *world, uint32_t id);
void world_end_endings(struct law_world *world);
void world_end(struct law_world *world, uint32_t id);

#endif
