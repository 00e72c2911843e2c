/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look.h - between look.c (the pass) and look_job.c (one job)
 */
#ifndef QS_RUNTIME_LOOK_H
#define QS_RUNTIME_LOOK_H

#include "host/alloc.h"
#include "host/request.h"
#include "runtime/inner.h"

#include "src/common/job_resources.h"

struct qs_look {
	struct qs_view *view;
	int64_t now;
	int64_t set_back; /* seconds by which the clock was, since the last */
	uint64_t number;
	bool failed; /* out of memory */
	/* of the job at hand, by qs_look_measure() */
	struct qs_alloc alloc;
	struct qs_demand demands[QS_TYPES_MAX];
	uint32_t ndemands;
	uint32_t need_nodes, cpus;
	uint32_t least, most; /* GPUs a node, of a het job's components */
	bool uneven;
	bool unknown_type;
	uint8_t state; /* enum qs_job_state */
};

/* Room for one more than n. False: no memory. */
bool qs_look_grow(void **array, uint32_t *max, uint32_t n, size_t size);
/* Does the job show a reason of ours? */
bool qs_look_ours_shown(const job_record_t *job);

/* Fills the part of look that is about a job: with what it asks, or holds; of
 * a het job's leader, of all components. False: no GPU in it. */
bool qs_look_measure(struct qs_look *look, job_record_t *job, int queue);
/* Adds the measured job to the snapshot. -1: no memory. */
int qs_look_add(struct qs_look *look, job_record_t *job, int queue, int share);
/* A het component other than the leader: keeps its record fresh. */
void qs_look_component(const job_record_t *job);

#endif
