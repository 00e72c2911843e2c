/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.h - a trace under a policy: who starts, waits, is stopped and goes on
 *
 * A discrete-event simulation around the planner that decides in slurmctld
 * (R23). Nothing here decides who gets a GPU: jobs come and end, the planner is
 * asked, and what it says is carried out as the runtime carries it out:
 * victims go after their grace time (R11), are requeued or not (R12), their
 * claimant has a claim until it starts or ClaimTimeout passes (R9), a victim
 * cannot displace who displaced it (R14).
 *
 * Time is whole seconds. What happens in one second happens at once: changes of
 * the policy first, then ends, then submissions, then one evaluation. Same
 * input, same output, to the byte.
 *
 * What is not in it: nodes that fail, jobs that a person cancels while they
 * wait, memory and cores, the seconds that a scheduler and a prolog take.
 */
#ifndef QS_SIM_H
#define QS_SIM_H

#include "engine/plan.h"
#include "replay/trace.h"
#include "report/runs.h"

/* A number of equal nodes with GPUs of one type. */
struct qs_sim_nodes {
	char type[64]; /* a type's name, or any gres type that means it */
	uint32_t count, gpus;
};

/* checkpoint_sec: what an interrupted run leaves behind */
#define QS_CHECKPOINT_NONE   0    /* nothing: it begins from the start */
#define QS_CHECKPOINT_SIGNAL (-1) /* all it had done when it was told to go */

struct qs_sim_wish {
	/* The cluster; none: one pool as large as the policy says. */
	const struct qs_sim_nodes *nodes;
	uint32_t nnodes;
	/* A job is saved each time it has worked so long; see above. */
	int64_t checkpoint_sec;
	/* Every start after an interruption costs so much before work goes on. */
	int64_t restart_sec;
	/* A victim is gone so long after it was told, or when its grace time is
	 * over; -1: only then. */
	int64_t leave_sec;
	/* A job that fits into a node may be spread over several; else it asks
	 * for as few whole nodes as hold it. */
	bool spread;
	/* Every job is of the first share of its own share's queue, which owns
	 * all; see qs_baseline_pool(). */
	bool one_pool;
	/* Offer every waiting job to the planner each time. Slow, the same
	 * result; for tests. */
	bool whole_queue;
};

/* A policy, in force from a time on. */
struct qs_sim_policy {
	int64_t since;
	const struct qs_policy *policy; /* must outlive the simulation */
};

/* Why a job of the trace was refused, beside the planner's NEVER codes. */
enum qs_sim_refusal {
	QS_REFUSED_NO_SHARE, /* R1: neither its own nor a default share */
	QS_REFUSED_NO_TYPE,  /* R2a: none, and the policy has several */
	QS_REFUSED_NEVER,    /* R6b */
	QS_REFUSED_DISABLED, /* R15 */
	QS_REFUSALS,
};

struct qs_sim_result {
	/* In no order; share: the trace's, type: the trace's; job: index in
	 * the trace + 1. Seal before use. */
	struct qs_runs runs;
	uint32_t *refused; /* [trace share * QS_REFUSALS + why] jobs */
	uint32_t first_refused[QS_REFUSALS]; /* job index + 1, 0: none */
	uint32_t nrefused;
	uint64_t events, plans, offered; /* jobs offered to the planner */
	int64_t last_end; /* when the last run ended; QS_TIME_NONE: none did */
	/* GPU-seconds spent to start again, in runs that were not interrupted
	 * (of the others they are in repeat_sec). */
	int64_t restart_gpu_sec;
};

struct qs_sim;

/* The shares of a trace under a policy, and types. -1: none. */
int qs_sim_share_of(const struct qs_policy *policy, const char *name);
int qs_sim_type_of(const struct qs_policy *policy, const char *name);

/*
 * Told of every plan before it is carried out; job ids are trace index + 1.
 * For tests. */
typedef void qs_sim_observer(void *arg, const struct qs_snapshot *snap,
			     const struct qs_plan *plan);

/*
 * A simulation at its beginning. policies: by since, at least one; the first
 * holds from the beginning. All that is given must outlive it. NULL with errno
 * ENOMEM or EINVAL.
 */
struct qs_sim *qs_sim_new(const struct qs_trace *trace,
			  const struct qs_sim_policy *policies,
			  uint32_t npolicies, const struct qs_sim_wish *wish);
void qs_sim_observe(struct qs_sim *sim, qs_sim_observer *observer, void *arg);
/*
 * Go on for at most so many seconds at which something happens. 1: there is
 * more, 0: it is over, -1 with errno ENOMEM.
 */
int qs_sim_step(struct qs_sim *sim, uint32_t steps);
/* Jobs of the trace that are done with, ended or refused; for a progress bar. */
uint32_t qs_sim_done(const struct qs_sim *sim);
/* Ends it; waiting jobs get their last run. Once. The caller frees *result. -1
 * with errno ENOMEM. */
int qs_sim_finish(struct qs_sim *sim, struct qs_sim_result *result);
void qs_sim_result_free(struct qs_sim_result *result);
/* NULL is fine. */
void qs_sim_free(struct qs_sim *sim);

#endif
