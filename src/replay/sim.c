/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.c - a trace under a policy, event by event; see sim.h
 *
 * Called by `qshare replay`, in steps, so that it can show how far it is. Pure.
 * Time: a plan for each second in which something happens that can matter,
 * which is linear in running jobs and nodes and in the waiting jobs that have
 * to be looked at (sim_lanes.c).
 */
#include "replay/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/sim_inner.h"

/* Whatever a running job holds must mean something under each policy. */
static bool types_go_on(const struct qs_trace *trace,
			const struct qs_sim_policy *policies, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		if (policies[i].since < policies[i - 1].since)
			return false;
		for (uint32_t t = 0; t < trace->types.n; t++) {
			const char *name = trace->types.items[t];

			if (qs_sim_type_of(policies[i - 1].policy, name) >= 0 &&
			    qs_sim_type_of(policies[i].policy, name) < 0)
				return false;
		}
	}
	return n > 0;
}

struct qs_sim *qs_sim_new(const struct qs_trace *trace,
			  const struct qs_sim_policy *policies,
			  uint32_t npolicies, const struct qs_sim_wish *wish)
{
	struct qs_sim *sim;

	if (!types_go_on(trace, policies, npolicies)) {
		errno = EINVAL;
		return NULL;
	}
	sim = calloc(1, sizeof(*sim));
	if (!sim)
		return NULL;
	sim->trace = trace;
	sim->policies = policies;
	sim->npolicies = npolicies;
	sim->wish = *wish;
	sim->wake = INT64_MAX;
	for (uint32_t i = 1; i < trace->njobs; i++)
		sim->ranked |=
			trace->jobs[i].priority != trace->jobs[0].priority;
	sim->now = trace->njobs ? trace->jobs[0].submit : 0;
	sim->result.last_end = QS_TIME_NONE;
	sim->jobs = calloc((size_t)trace->njobs + 1, sizeof(*sim->jobs));
	sim->share_of = calloc((size_t)trace->shares.n + 1, sizeof(int32_t));
	sim->type_of = calloc((size_t)trace->types.n + 1, sizeof(int32_t));
	sim->node_gpus_of = calloc(QS_TYPES_MAX, sizeof(uint32_t));
	sim->result.refused = calloc((size_t)trace->shares.n * QS_REFUSALS + 1,
				     sizeof(uint32_t));
	if (!sim->jobs || !sim->share_of || !sim->type_of ||
	    !sim->node_gpus_of || !sim->result.refused ||
	    !qs_sim_enforce(sim)) {
		qs_sim_free(sim);
		errno = ENOMEM;
		return NULL;
	}
	return sim;
}

void qs_sim_observe(struct qs_sim *sim, qs_sim_observer *observer, void *arg)
{
	sim->observer = observer;
	sim->observer_arg = arg;
}

void qs_sim_free(struct qs_sim *sim)
{
	if (!sim)
		return;
	qs_lane_free_all(sim);
	qs_snapshot_free(sim->snap);
	qs_sim_result_free(&sim->result);
	free(sim->share_of);
	free(sim->type_of);
	free(sim->node_gpus_of);
	free(sim->jobs);
	free(sim->heap);
	free(sim->running);
	free(sim->offered);
	qs_claim_free_all(sim);
	free(sim->parked);
	free(sim);
}

void qs_sim_result_free(struct qs_sim_result *result)
{
	qs_runs_free(&result->runs);
	free(result->refused);
	result->refused = NULL;
}

uint32_t qs_sim_done(const struct qs_sim *sim)
{
	return sim->done;
}

/* Does this entry still mean something? */
static bool holds(const struct qs_sim *sim, const struct qs_sim_event *event)
{
	const struct qs_sim_job *j = &sim->jobs[event->job];

	if (j->state == QS_SIM_RUNNING)
		return j->ends == event->at;
	return j->state == QS_SIM_CLAIMS && j->claim_until == event->at;
}

/* The next second in which something happens; INT64_MAX: none. */
static int64_t next_time(struct qs_sim *sim)
{
	int64_t at = sim->wake;

	while (sim->nheap && !holds(sim, sim->heap))
		qs_sim_pop(sim);
	if (sim->nheap && sim->heap->at < at)
		at = sim->heap->at;
	if (sim->next_submit < sim->trace->njobs &&
	    sim->trace->jobs[sim->next_submit].submit < at)
		at = sim->trace->jobs[sim->next_submit].submit;
	/* A policy matters as long as there are jobs. */
	if (sim->next_policy < sim->npolicies &&
	    sim->done < sim->trace->njobs &&
	    sim->policies[sim->next_policy].since < at)
		at = sim->policies[sim->next_policy].since;
	return at;
}

static bool one_event(struct qs_sim *sim, struct qs_sim_event event)
{
	if (!holds(sim, &event))
		return true;
	sim->result.events++;
	if (sim->jobs[event.job].state == QS_SIM_RUNNING)
		return qs_job_end(sim, event.job);
	sim->dirty = true;
	return qs_job_unclaim(sim, event.job);
}

/* All that happens in this second. */
static bool happen(struct qs_sim *sim)
{
	while (sim->next_policy < sim->npolicies &&
	       sim->policies[sim->next_policy].since <= sim->now) {
		sim->result.events++;
		if (!qs_sim_enforce(sim))
			return false;
	}
	while (sim->nheap && sim->heap->at <= sim->now) {
		struct qs_sim_event event = *sim->heap;

		qs_sim_pop(sim);
		if (!one_event(sim, event))
			return false;
	}
	while (sim->next_submit < sim->trace->njobs &&
	       sim->trace->jobs[sim->next_submit].submit <= sim->now) {
		sim->result.events++;
		if (!qs_job_submit(sim, sim->next_submit++))
			return false;
	}
	return true;
}

int qs_sim_step(struct qs_sim *sim, uint32_t steps)
{
	while (steps--) {
		int64_t at = next_time(sim);

		if (at == INT64_MAX)
			return 0;
		/* A first policy, or a job, may be of before the beginning. */
		if (at > sim->now)
			sim->now = at;
		if (!happen(sim) ||
		    ((sim->dirty || sim->wake <= sim->now) && !qs_look(sim))) {
			errno = ENOMEM;
			return -1;
		}
	}
	return 1;
}

static bool is_waiting(const struct qs_sim_job *job)
{
	return job->state == QS_SIM_WAITING || job->state == QS_SIM_CLAIMS ||
	       job->state == QS_SIM_PARKED;
}

int qs_sim_finish(struct qs_sim *sim, struct qs_sim_result *result)
{
	for (uint32_t i = 0; i < sim->trace->njobs; i++) {
		if (is_waiting(&sim->jobs[i]) && !qs_job_waits_on(sim, i)) {
			errno = ENOMEM;
			return -1;
		}
	}
	*result = sim->result;
	memset(&sim->result, 0, sizeof(sim->result));
	return 0;
}
