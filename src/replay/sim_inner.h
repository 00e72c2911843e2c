/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_inner.h - what the files of the simulation share; private to src/replay
 */
#ifndef QS_SIM_INNER_H
#define QS_SIM_INNER_H

#include "replay/sim.h"

enum qs_sim_state {
	QS_SIM_NEW,     /* not submitted yet */
	QS_SIM_WAITING, /* in a lane */
	QS_SIM_CLAIMS,  /* waits, and capacity is freed for it (R9) */
	QS_SIM_PARKED,  /* waits, and cannot start under this policy */
	QS_SIM_RUNNING,
	QS_SIM_DONE,
};

/* Beside each job of the trace, same index. */
struct qs_sim_job {
	int64_t left;  /* seconds of work still to do */
	int64_t since; /* since when it waits */
	int64_t start; /* of its run */
	int64_t ends;  /* when its run ends, as things are */
	int64_t told;  /* when its run was told to go; QS_TIME_NONE */
	/* Since when others are stopped for it; QS_TIME_NONE: nobody is. */
	int64_t claimed;
	int64_t claim_until; /* QS_TIME_NONE: its victims are not gone yet */
	uint32_t slot;       /* RUNNING: in the snapshot */
	uint32_t victims;    /* CLAIMS: told and not gone */
	uint32_t by;         /* victim: job index of the claimant */
	uint32_t displaced;  /* R14: job id */
	uint32_t preempted;  /* so often */
	uint8_t state, cause;
	bool borrow; /* its run began as borrowed */
	bool spared; /* it was told, and may stay for now */
};

/*
 * Waiting jobs of one share and type that ask for the same: if the first is
 * refused and keeps nothing, so are those behind it. By rank, which is the
 * order of job indexes.
 */
struct qs_lane {
	uint32_t gpus, priority;
	/* R14: each has somebody else whom it cannot displace, so that no one's
	 * refusal says anything of the others. */
	bool displaced;
	uint32_t *jobs; /* [head .. end) */
	uint32_t head, end, max;
	uint32_t limit; /* so many may be offered now */
	uint32_t taken; /* so many are */
	bool shut;      /* one of these waits and keeps nothing */
};

/* Waiting jobs of one share that want one type. */
struct qs_wait_line {
	struct qs_lane *lanes;
	uint32_t nlanes, max;
	uint32_t want;  /* so many may be offered now, in R6a's order */
	uint32_t taken; /* so many are */
	/* By the last plan, while nothing but submissions came: who holds up
	 * those behind him (STRICT), UINT32_MAX: nobody. */
	uint32_t blocker;
	uint32_t served; /* the last one that starts or for whom is kept */
};

struct qs_sim_event {
	int64_t at;
	uint32_t job;
};

/* R9: capacity is freed for a waiting job. */
struct qs_sim_claim {
	uint32_t job;   /* index */
	int64_t order;  /* claims are served in the order they were made */
	uint32_t owed;  /* the most that others owed before, by its decisions */
	uint8_t *nodes; /* a bit per node that was promised, or NULL */
};

struct qs_sim {
	const struct qs_trace *trace;
	const struct qs_sim_policy *policies;
	uint32_t npolicies, next_policy;
	struct qs_sim_wish wish;
	qs_sim_observer *observer;
	void *observer_arg;

	int64_t now;
	/* The policy in force, and what it makes of the trace's names. */
	const struct qs_policy *policy;
	int32_t *share_of, *type_of; /* -1: nothing */
	uint32_t *node_gpus_of;      /* [type] GPUs of the largest node */

	struct qs_sim_job *jobs;
	uint32_t next_submit; /* job index */
	uint32_t done;
	/* Ends of runs and of claims, soonest first; those that no longer hold
	 * are passed over. */
	struct qs_sim_event *heap;
	uint32_t nheap, heap_max;
	int64_t wake; /* evaluate then, whatever happens; INT64_MAX: never */
	bool dirty;   /* evaluate in this second */
	bool ranked;  /* jobs differ in priority: R8 may matter */

	/* Running jobs first, [running] is whose slot it is; while a plan is
	 * made the offered ones behind them. */
	struct qs_snapshot *snap;
	uint32_t *running, running_max, nrunning;
	uint32_t *offered, noffered, offered_max;

	struct qs_wait_line *lines; /* [policy share * ntypes + type] */
	uint32_t nlines;
	struct qs_sim_claim *claims;
	uint32_t nclaims, claims_max;
	int64_t claims_made;
	uint32_t *parked, nparked, parked_max;
	uint32_t nwaiting; /* in lanes */
	struct qs_sim_result result;
	bool no_memory;
};

static inline uint32_t qs_sim_id(uint32_t job)
{
	return job + 1;
}

/* heap.c */
bool qs_sim_push(struct qs_sim *sim, int64_t at, uint32_t job);
/* NULL: nothing is left. */
const struct qs_sim_event *qs_sim_peek(const struct qs_sim *sim);
void qs_sim_pop(struct qs_sim *sim);

/* sim_lanes.c */

/* A waiting job into its lane, or out of it. */
bool qs_lane_add(struct qs_sim *sim, uint32_t job);
void qs_lane_remove(struct qs_sim *sim, uint32_t job);
struct qs_wait_line *qs_lane_line(const struct qs_sim *sim, uint32_t job);
void qs_lane_free_all(struct qs_sim *sim);
/* Before the first try of an evaluation: how many are offered of each. */
void qs_lane_begin(struct qs_sim *sim);
/* Fill sim->offered from all lines. */
bool qs_lane_offer(struct qs_sim *sim);
/*
 * After a plan: does it say all that there is to say? If somebody who was not
 * offered might be served too, more is offered the next time: false.
 */
bool qs_lane_judge(struct qs_sim *sim, const struct qs_plan *plan);
/* Would a plan made now, nothing but this job being new, say that it waits? */
bool qs_lane_is_behind(const struct qs_sim *sim, uint32_t job);

/* sim_claims.c: claims, and what the planner is told of them */

/* By a decision to start with victims; again, or for the first time. */
bool qs_claim_make(struct qs_sim *sim, const struct qs_plan *plan,
		   const struct qs_decision *d);
void qs_claim_drop(struct qs_sim *sim, uint32_t job);
void qs_claim_free_all(struct qs_sim *sim);
/* Write the claim into what the planner is asked. */
bool qs_claim_tell(struct qs_sim *sim, const struct qs_sim_claim *claim,
		   struct qs_job *ask);

/* sim_jobs.c: what becomes of a job, and its runs */

/* The job as the planner is to see it, waiting. *demand: what it wants. */
struct qs_job qs_job_seen(const struct qs_sim *sim, uint32_t job,
			  struct qs_demand *demand);

/* Can the planner ever start it, as the policy is? */
bool qs_job_has_line(const struct qs_sim *sim, uint32_t job);
/* At submission, or as the policy changes: lane, or parked. */
bool qs_job_wait(struct qs_sim *sim, uint32_t job);
bool qs_job_submit(struct qs_sim *sim, uint32_t job);
bool qs_job_start(struct qs_sim *sim, uint32_t job, bool borrow,
		  const struct qs_placed *places, uint32_t nplaces);
bool qs_job_tell(struct qs_sim *sim, uint32_t job, uint32_t claimant,
		 uint8_t code);
/* Its run is over, now. */
bool qs_job_end(struct qs_sim *sim, uint32_t job);
/* Others are stopped for it, by this decision. */
bool qs_job_claim(struct qs_sim *sim, const struct qs_plan *plan,
		  const struct qs_decision *d);
bool qs_job_unclaim(struct qs_sim *sim, uint32_t job);
/* The last run of a job that never started. */
bool qs_job_waits_on(struct qs_sim *sim, uint32_t job);

/* sim_look.c: ask the planner and do what it says */
bool qs_look(struct qs_sim *sim);

/* sim_policy.c */
/* The policy at sim->policies[next_policy] comes into force. */
bool qs_sim_enforce(struct qs_sim *sim);

#endif
