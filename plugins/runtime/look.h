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

/* So many different sizes are remembered during a look. */
#define QS_LOOK_MEMORIES 16

struct qs_look {
	struct qs_view *view;
	int64_t now;
	int64_t set_back; /* seconds by which the clock was, since the last */
	uint64_t number;
	bool failed; /* out of memory */
	/* The job at hand, or its component as qs_het_home.by. */
	const job_record_t *by;
	/* of the job at hand, by qs_look_measure() */
	struct qs_alloc alloc;
	struct qs_demand demands[QS_TYPES_MAX];
	uint32_t ndemands;
	uint32_t need_nodes, cpus;
	uint32_t least, most; /* GPUs a node, of a het job's components */
	bool uneven;
	bool unknown_type;
	bool by_pool;        /* see qs_request.by_pool */
	bool given;          /* its share was given at submission */
	uint8_t state;       /* enum qs_job_state */
	uint64_t partitions; /* as qs_job.partitions, of all components */
	bool kept;           /* all of the above is as look_kept.c had it */
	bool lacks_licenses; /* that no job with GPUs holds */
	struct qs_licenses *licenses;
	/* See look_kept.c. */
	uint64_t base, print;
	/* Nodes with so much memory, as a set of the snapshot. */
	struct qs_look_memory {
		uint64_t mib;
		int32_t set;
	} memory[QS_LOOK_MEMORIES];
	uint32_t nmemory;
};

/* Does the job show a reason of ours? */
bool qs_look_ours_shown(const job_record_t *job);
/* Can a job that waits not meet its --deadline any more? Job read lock. */
bool qs_look_too_late(const job_record_t *job, int64_t now);

/* Fills the part of look that is about a job: with what it asks, or holds; of
 * a het job's leader, of all components. False: no GPU in it. */
bool qs_look_measure(struct qs_look *look, job_record_t *job, int queue);
/* Adds the measured job to the snapshot. -1: no memory. */
int qs_look_add(struct qs_look *look, job_record_t *job, int queue, int share);
/* Of the job at hand as of a record's state. A het job that ended, or is to run
 * again, completes as long as one component does. */
uint8_t qs_look_state(const job_record_t *job);
/* Has this record an allocation, or is one of its nodes not done with it? */
bool qs_look_holds(const job_record_t *job);
/* Has it ended, and holds nothing? Of a het job's leader: of all components. */
bool qs_look_over(const job_record_t *job);
/* The job at hand holds this as well. */
void qs_look_place(struct qs_look *look, const struct qs_placed *place);

/* look_nodes.c: the nodes that this waiting job alone is restricted to; and
 * where its claim is, as qs_job.claimed_on (qs_rt.lock held). */
int32_t qs_look_nodeset(struct qs_look *look, const job_record_t *job);
uint32_t qs_look_claimed_on(struct qs_look *look, const struct qs_claim *claim);

/* look_kept.c: at the beginning of a look by this policy. */
void qs_kept_begin(struct qs_look *look, uint64_t generation);
/* Is the job as it was when it was measured? Then look is filled as by
 * qs_look_measure(), and its queue and share are told. */
bool qs_kept_use(struct qs_look *look, const job_record_t *job, int *queue,
		 int *share);
/* Keeps what was measured of the job at hand; qs_rt.lock held. */
void qs_kept_note(const struct qs_look *look, struct qs_jobrec *rec, int queue,
		  int share);

/* A het component other than the leader: keeps its record fresh. */
void qs_look_component(const job_record_t *job);

#endif
