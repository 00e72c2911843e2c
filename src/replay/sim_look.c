/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_look.c - ask the planner, and do what it says
 *
 * Called by sim.c once for each second in which something happened that can
 * matter. The snapshot keeps its running jobs from one time to the next; the
 * waiting ones that are offered stand behind them while the plan is made.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"
#include "replay/sim_inner.h"

/* claim: the job's, or NULL. */
static bool offer(struct qs_sim *sim, uint32_t job,
		  const struct qs_sim_claim *claim)
{
	struct qs_demand demand;
	struct qs_job ask = qs_job_seen(sim, job, &demand);

	if (claim && !qs_claim_tell(sim, claim, &ask))
		return false;
	if (qs_snapshot_add_job(sim->snap, &ask, &demand, 1, NULL, 0) >= 0)
		return true;
	sim->no_memory = true;
	return false;
}

/* What was offered was for one plan. */
static void withdraw(struct qs_sim *sim)
{
	qs_snapshot_keep_jobs(sim->snap, sim->nrunning);
	qs_snapshot_keep_nodesets(sim->snap, 0);
}

static struct qs_plan *plan_once(struct qs_sim *sim)
{
	struct qs_plan *plan;

	if (!qs_lane_offer(sim))
		return NULL;
	for (uint32_t i = 0; i < sim->nclaims; i++) {
		const struct qs_sim_claim *claim = &sim->claims[i];

		if (!offer(sim, claim->job, claim))
			return NULL;
	}
	for (uint32_t i = 0; i < sim->noffered; i++) {
		if (!offer(sim, sim->offered[i], NULL))
			return NULL;
	}
	sim->snap->now = sim->now;
	sim->result.plans++;
	sim->result.offered += sim->noffered + sim->nclaims;
	plan = qs_plan_make(sim->snap);
	if (!plan)
		sim->no_memory = true;
	return plan;
}

/* A plan in which everybody has been asked who could have been served. */
static struct qs_plan *make_plan(struct qs_sim *sim)
{
	qs_lane_begin(sim);
	for (;;) {
		struct qs_plan *plan = plan_once(sim);

		if (!plan)
			return NULL;
		if (qs_lane_judge(sim, plan)) {
			if (sim->observer)
				sim->observer(sim->observer_arg, sim->snap,
					      plan);
			withdraw(sim);
			return plan;
		}
		qs_plan_free(plan);
		withdraw(sim);
	}
}

static bool stop_victims(struct qs_sim *sim, const struct qs_plan *plan,
			 const struct qs_decision *d)
{
	uint32_t job = d->id - 1;

	if (!qs_job_claim(sim, plan, d))
		return false;
	for (uint32_t i = 0; i < d->nvictims; i++) {
		uint32_t victim = plan->victims[d->victims + i].id - 1;

		if (!qs_job_tell(sim, victim, job, d->code))
			return false;
	}
	return true;
}

/* One decision. *changed: somebody starts or must go. *again: it may look
 * different at once. */
static bool carry_out(struct qs_sim *sim, const struct qs_plan *plan,
		      const struct qs_decision *d, bool *changed, bool *again)
{
	uint32_t job = d->id - 1;

	if (d->verdict == QS_VERDICT_START) {
		*changed = true;
		if (d->nvictims) {
			*again = true;
			return stop_victims(sim, plan, d);
		}
		return qs_job_start(sim, job, d->how == QS_HOW_BORROW,
				    plan->places + d->places, d->nplaces);
	}
	/* What is owed to it is with jobs that this plan has started. */
	if (d->code == QS_CODE_CLAIMED)
		*again = true;
	if (d->code == QS_CODE_PROTECTED && d->facts.until < sim->wake)
		sim->wake = d->facts.until;
	/* Its place went to an owner: the claim has no more meaning. */
	if (sim->jobs[job].state == QS_SIM_CLAIMS && !d->reserves) {
		*changed = *again = true;
		return qs_job_unclaim(sim, job);
	}
	return true;
}

bool qs_look(struct qs_sim *sim)
{
	bool changed = false, again = false, good = true;
	struct qs_plan *plan;

	sim->dirty = false;
	if (sim->wake <= sim->now)
		sim->wake = INT64_MAX;
	if (!sim->nwaiting && !sim->nclaims)
		return true;
	plan = make_plan(sim);
	if (!plan)
		return false;
	for (uint32_t i = 0; i < plan->ndecisions && good; i++)
		good = carry_out(sim, plan, &plan->decisions[i], &changed,
				 &again);
	qs_plan_free(plan);
	if (changed && again && sim->now + 1 < sim->wake)
		sim->wake = sim->now + 1;
	return good;
}
