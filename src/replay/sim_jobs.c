/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_jobs.c - what becomes of a job: it waits, runs, is stopped, goes on
 *
 * Called by sim.c and sim_look.c. Each end of a run becomes a struct qs_run.
 * Its surprise: what an interrupted run leaves behind is decided here (wish:
 * checkpoint_sec, restart_sec), and only here.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"
#include "engine/submit.h"
#include "replay/sim_inner.h"

static const struct qs_trace_job *trace_job(const struct qs_sim *sim,
					    uint32_t job)
{
	return &sim->trace->jobs[job];
}

static bool append(struct qs_sim *sim, uint32_t **list, uint32_t *n,
		   uint32_t *max, uint32_t job)
{
	if (!qs_array_room((void **)list, max, (uint64_t)*n + 1,
			   sizeof(**list))) {
		sim->no_memory = true;
		return false;
	}
	(*list)[(*n)++] = job;
	return true;
}

static bool add_run(struct qs_sim *sim, uint32_t job, struct qs_run *run)
{
	const struct qs_trace_job *t = trace_job(sim, job);
	const struct qs_sim_job *j = &sim->jobs[job];
	struct qs_demand demand = { .gpus = t->gpus, .type = t->type };

	run->job = qs_sim_id(job);
	run->attempt = j->preempted + 1;
	run->share = t->share;
	run->submit = j->since;
	run->eligible = j->preempted ? QS_TIME_NONE : t->submit;
	run->claimed = j->claimed;
	run->priority = t->priority;
	if (qs_runs_add(&sim->result.runs, run, &demand, 1))
		return true;
	sim->no_memory = true;
	return false;
}

bool qs_job_waits_on(struct qs_sim *sim, uint32_t job)
{
	struct qs_run run = { .start = QS_TIME_NONE,
			      .end = QS_TIME_NONE,
			      .repeat_sec = QS_TIME_NONE,
			      .ended = QS_RUN_WAITING };

	return add_run(sim, job, &run);
}

bool qs_job_has_line(const struct qs_sim *sim, uint32_t job)
{
	const struct qs_trace_job *t = trace_job(sim, job);
	int32_t share = sim->share_of[t->share], type = sim->type_of[t->type];
	struct qs_ask ask = { type, t->gpus };
	size_t failing;

	return share >= 0 && type >= 0 &&
	       qs_submit_never(sim->policy, share, &ask, 1, &failing) ==
		       QS_CODE_NONE;
}

bool qs_job_wait(struct qs_sim *sim, uint32_t job)
{
	if (qs_job_has_line(sim, job)) {
		sim->jobs[job].state = QS_SIM_WAITING;
		return qs_lane_add(sim, job);
	}
	sim->jobs[job].state = QS_SIM_PARKED;
	return append(sim, &sim->parked, &sim->nparked, &sim->parked_max, job);
}

static void refuse(struct qs_sim *sim, uint32_t job, enum qs_sim_refusal why)
{
	struct qs_sim_result *result = &sim->result;

	sim->jobs[job].state = QS_SIM_DONE;
	sim->done++;
	result->refused[trace_job(sim, job)->share * QS_REFUSALS + why]++;
	result->nrefused++;
	if (!result->first_refused[why])
		result->first_refused[why] = qs_sim_id(job);
}

bool qs_job_submit(struct qs_sim *sim, uint32_t job)
{
	const struct qs_trace_job *t = trace_job(sim, job);
	struct qs_sim_job *j = &sim->jobs[job];
	int32_t share = sim->share_of[t->share];
	const struct qs_queue *queue;

	*j = (struct qs_sim_job){
		.left = t->run_sec,
		.since = t->submit,
		.told = QS_TIME_NONE,
		.claimed = QS_TIME_NONE,
	};
	if (share < 0) {
		refuse(sim, job, QS_REFUSED_NO_SHARE);
		return true;
	}
	if (sim->type_of[t->type] < 0) {
		refuse(sim, job, QS_REFUSED_NO_TYPE);
		return true;
	}
	queue = &sim->policy->queues[sim->policy->shares[share].queue];
	if (!qs_job_has_line(sim, job) && queue->never_fits_rejects) {
		refuse(sim, job, QS_REFUSED_NEVER);
		return true;
	}
	if (!sim->policy->shares[share].enabled || !queue->enabled) {
		refuse(sim, job, QS_REFUSED_DISABLED);
		return true;
	}
	if (!qs_job_wait(sim, job))
		return false;
	if (j->state == QS_SIM_WAITING && !sim->dirty)
		sim->dirty = !qs_lane_is_behind(sim, job);
	return true;
}

struct qs_job qs_job_seen(const struct qs_sim *sim, uint32_t job,
			  struct qs_demand *demand)
{
	const struct qs_trace_job *t = trace_job(sim, job);
	int32_t share = sim->share_of[t->share], type = sim->type_of[t->type];
	uint32_t each = sim->node_gpus_of[type];

	*demand = (struct qs_demand){ t->gpus, (uint16_t)type };
	return (struct qs_job){
		.id = qs_sim_id(job),
		.share = share,
		.queue = sim->policy->shares[share].queue,
		.state = QS_JOB_PENDING,
		.requeue = true,
		.priority = t->priority,
		.preempted = sim->jobs[job].preempted,
		.copies = 1,
		.displaced_by = sim->jobs[job].displaced,
		.nodeset = QS_NODESET_ALL,
		.eligible = t->submit,
		.need_nodes = sim->wish.spread || !each ?
				      QS_NODES_ANY :
				      (t->gpus + each - 1) / each,
	};
}

/* Seconds after its start at which it works. */
static int64_t start_cost(const struct qs_sim *sim, const struct qs_sim_job *j)
{
	return j->preempted ? sim->wish.restart_sec : 0;
}

static bool is_victim(const struct qs_sim_job *j)
{
	return j->told != QS_TIME_NONE && !j->spared;
}

/* Who was told to go for a job that does not need it any more stays. */
static bool spare_victims(struct qs_sim *sim, uint32_t claimant)
{
	struct qs_sim_job *c = &sim->jobs[claimant];

	for (uint32_t i = 0; i < sim->nrunning && c->victims; i++) {
		struct qs_sim_job *j = &sim->jobs[sim->running[i]];

		if (!is_victim(j) || j->by != claimant)
			continue;
		c->victims--;
		j->spared = true;
		j->ends = j->start + start_cost(sim, j) + j->left;
		sim->snap->jobs[i].ends = false;
		if (!qs_sim_push(sim, j->ends, sim->running[i]))
			return false;
	}
	c->victims = 0;
	return true;
}

bool qs_job_start(struct qs_sim *sim, uint32_t job, bool borrow,
		  const struct qs_placed *places, uint32_t nplaces)
{
	struct qs_sim_job *j = &sim->jobs[job];
	struct qs_demand demand;
	struct qs_job run = qs_job_seen(sim, job, &demand);

	run.state = QS_JOB_RUNNING;
	run.start = sim->now;

	if (j->state == QS_SIM_CLAIMS) {
		qs_claim_drop(sim, job);
		if (!spare_victims(sim, job))
			return false;
	} else {
		qs_lane_remove(sim, job);
	}
	j->state = QS_SIM_RUNNING;
	j->borrow = borrow;
	j->start = sim->now;
	j->told = QS_TIME_NONE;
	j->spared = false;
	j->ends = sim->now + start_cost(sim, j) + j->left;
	j->slot = sim->snap->njobs;
	if (qs_snapshot_add_job(sim->snap, &run, &demand, 1, places, nplaces) <
		    0 ||
	    !append(sim, &sim->running, &sim->nrunning, &sim->running_max,
		    job)) {
		sim->no_memory = true;
		return false;
	}
	return qs_sim_push(sim, j->ends, job);
}

static enum qs_run_cause cause_of(uint8_t code)
{
	switch (code) {
	case QS_CODE_QUOTA:
		return QS_CAUSE_QUOTA;
	case QS_CODE_PLACEMENT:
		return QS_CAUSE_PLACEMENT;
	default:
		return QS_CAUSE_PRIORITY;
	}
}

/* As long after its grace time the runtime still knows that it was told. */
#define SPARED_SEC 10

/* R11. */
bool qs_job_tell(struct qs_sim *sim, uint32_t job, uint32_t claimant,
		 uint8_t code)
{
	struct qs_sim_job *j = &sim->jobs[job];
	int32_t share = sim->share_of[trace_job(sim, job)->share];
	int64_t leaves = sim->wish.leave_sec, grace;

	grace = share >= 0 ? qs_policy_grace(sim->policy, share) :
			     sim->policy->queues[sim->snap->jobs[j->slot].queue]
				     .grace_sec;
	if (leaves < 0 || leaves > grace)
		leaves = grace;
	sim->snap->jobs[j->slot].ends = true;
	/* Told, spared and chosen again: its grace time is one (law 15). */
	if (!j->spared || sim->now >= j->told + grace + SPARED_SEC)
		j->told = sim->now;
	j->spared = false;
	j->by = claimant;
	j->cause = (uint8_t)cause_of(code);
	sim->jobs[claimant].victims++;
	leaves += j->told;
	if (leaves < sim->now)
		leaves = sim->now;
	if (leaves >= j->ends)
		return true;
	j->ends = leaves;
	return qs_sim_push(sim, j->ends, job);
}

/* What an interrupted run has done for good. */
static int64_t saved(const struct qs_sim *sim, const struct qs_sim_job *j)
{
	int64_t until = sim->now, every = sim->wish.checkpoint_sec, work;

	if (every == QS_CHECKPOINT_NONE)
		return 0;
	if (every == QS_CHECKPOINT_SIGNAL)
		until = j->told;
	work = until - j->start - start_cost(sim, j);
	if (work <= 0)
		return 0;
	return every > 0 ? work / every * every : work;
}

static void leave_slot(struct qs_sim *sim, uint32_t job)
{
	uint32_t slot = sim->jobs[job].slot, last;

	qs_snapshot_remove_job(sim->snap, slot);
	last = sim->running[--sim->nrunning];
	sim->running[slot] = last;
	sim->jobs[last].slot = slot;
}

/* R9: how long the claim is good for, once the last victim is gone. */
static bool victim_gone(struct qs_sim *sim, uint32_t claimant)
{
	struct qs_sim_job *c = &sim->jobs[claimant];
	int32_t share = sim->share_of[trace_job(sim, claimant)->share];

	if (--c->victims || share < 0)
		return true;
	c->claim_until =
		sim->now + sim->policy->queues[sim->policy->shares[share].queue]
				   .claim_timeout_sec;
	return qs_sim_push(sim, c->claim_until, claimant);
}

static bool preempted(struct qs_sim *sim, uint32_t job, struct qs_run *run)
{
	struct qs_sim_job *j = &sim->jobs[job];
	int32_t share = sim->share_of[trace_job(sim, job)->share];
	struct qs_opt unset = { false, 0 };
	int64_t done = saved(sim, j);

	run->ended = QS_RUN_PREEMPTED;
	run->by = qs_sim_id(j->by);
	run->cause = j->cause;
	run->repeat_sec = sim->now - j->start - done;
	run->requeued =
		share < 0 ||
		qs_submit_outcome(sim->policy, share, &unset, j->preempted,
				  true) == QS_OUTCOME_REQUEUE;
	run->retry_limit = !run->requeued;
	if (!add_run(sim, job, run))
		return false;
	if (!run->requeued) {
		j->state = QS_SIM_DONE;
		sim->done++;
		return true;
	}
	j->left -= done;
	j->preempted++;
	j->displaced = qs_sim_id(j->by);
	j->since = sim->now;
	j->claimed = QS_TIME_NONE;
	return qs_job_wait(sim, job);
}

bool qs_job_end(struct qs_sim *sim, uint32_t job)
{
	struct qs_sim_job *j = &sim->jobs[job];
	bool told = is_victim(j);
	bool kept;
	struct qs_run run = {
		.start = j->start,
		.end = sim->now,
		.repeat_sec = QS_TIME_NONE,
		.ended = trace_job(sim, job)->ended,
		.borrow_known = true,
		.borrow = j->borrow,
	};

	leave_slot(sim, job);
	sim->result.last_end = sim->now;
	sim->dirty |= sim->nwaiting || sim->nclaims;
	/* R11: who is done in its grace time is done. */
	if (told && sim->now < j->start + start_cost(sim, j) + j->left) {
		kept = preempted(sim, job, &run);
	} else {
		j->state = QS_SIM_DONE;
		sim->done++;
		sim->result.restart_gpu_sec +=
			start_cost(sim, j) * trace_job(sim, job)->gpus;
		kept = add_run(sim, job, &run);
	}
	sim->dirty |= sim->nwaiting || sim->nclaims;
	return kept && (!told || victim_gone(sim, j->by));
}

bool qs_job_claim(struct qs_sim *sim, const struct qs_plan *plan,
		  const struct qs_decision *d)
{
	uint32_t job = d->id - 1;
	struct qs_sim_job *j = &sim->jobs[job];

	if (!qs_claim_make(sim, plan, d))
		return false;
	j->claim_until = QS_TIME_NONE;
	if (j->claimed == QS_TIME_NONE)
		j->claimed = sim->now;
	if (j->state == QS_SIM_CLAIMS)
		return true;
	qs_lane_remove(sim, job);
	j->victims = 0;
	j->state = QS_SIM_CLAIMS;
	return true;
}

bool qs_job_unclaim(struct qs_sim *sim, uint32_t job)
{
	qs_claim_drop(sim, job);
	return spare_victims(sim, job) && qs_job_wait(sim, job);
}
