/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * laws_victims.c - laws 1, 2, 3, 5 and 12: whom a job may stop
 *
 * Each job of a random world is asked alone; where it would stop others, the
 * planner is asked again about a world that was changed a little.
 */
#include <string.h>

#include "laws.h"

/* Each job of a world that would start by stopping others if it waited alone.
 * before: the world in which it does; planned: its plan. */
typedef bool stopping_law(const struct law_world *before,
			  const struct planned *planned,
			  const struct qs_decision *decision, char *why,
			  size_t size);

static bool each_stopping(const struct law_world *world, stopping_law *law,
			  char *why, size_t size)
{
	bool kept = true;

	for (int j = 0; j < world->njobs && kept; j++) {
		const struct qs_decision *d;
		struct law_world alone;
		struct planned p;

		if (world->jobs[j].state != QS_JOB_PENDING)
			continue;
		world_alone(&alone, world, j);
		planned_make(&p, &alone, 0);
		d = &p.plan->decisions[0];
		if (p.plan->ndecisions != 1)
			kept = law_no(why, size, "job %u: %u decisions",
				      world->jobs[j].id, p.plan->ndecisions);
		else if (d->nvictims && d->verdict != QS_VERDICT_START)
			kept = law_no(why, size,
				      "job %u waits and stops others", d->id);
		else if (d->nvictims) {
			law_met++;
			kept = law(&alone, &p, d, why, size);
		}
		planned_free(&p);
	}
	return kept;
}
static uint32_t victim_id(const struct planned *p, const struct qs_decision *d,
			  uint32_t i)
{
	return p->plan->victims[d->victims + i].id;
}

/* R9: from the decision on. */
static void claim(struct law_world *world, const struct qs_decision *d)
{
	struct law_job *job = &world->jobs[world_find(world, d->id)];

	job->claim = true;
	job->claimed = world->now;
	job->claim_owed = d->owed_before;
}

/* Law 1: when they are gone it starts, and stops nobody else. */
static bool helps(const struct law_world *before, const struct planned *p,
		  const struct qs_decision *d, char *why, size_t size)
{
	struct law_world after = *before;
	struct qs_decision again;

	for (uint32_t i = 0; i < d->nvictims; i++)
		world_end(&after, victim_id(p, d, i));
	world_end_endings(&after);
	claim(&after, d);
	law_ask(&after, &again);
	if (again.verdict == QS_VERDICT_START && !again.nvictims)
		return true;
	return law_no(why, size, "job %u: victims gone, it does: %s %s with %u",
		      d->id, qs_verdict_name(again.verdict),
		      qs_code_name(again.code), again.nvictims);
}

bool law_1(const struct law_world *world, char *why, size_t size)
{
	return each_stopping(world, helps, why, size);
}
/* Law 2: victims of another share belong to one that is beyond its capacity,
 * and are told to hold some of that (R22); victims of the own share rank lower;
 * none of them is protected. */
static bool is_fair_game(const struct law_world *before,
			 const struct planned *p, const struct qs_decision *d,
			 char *why, size_t size)
{
	const struct law_job *job = &before->jobs[planned_job(p, d->job)];

	for (uint32_t i = 0; i < d->nvictims; i++) {
		const struct law_job *v =
			&before->jobs[world_find(before, victim_id(p, d, i))];
		bool beyond = v->share < 0;

		for (int t = 0; t < before->ntypes && !beyond; t++)
			beyond = job->gpus[t] && v->gpus[t] &&
				 law_used(before, v->share, t) >
					 before->shares[v->share].capacity[t];
		if (d->how == QS_HOW_RECLAIM &&
		    (!beyond || v->share == job->share))
			return law_no(why, size, "job %u: own job %u is taken",
				      job->id, v->id);
		if (d->how == QS_HOW_RECLAIM &&
		    !p->plan->victims[d->victims + i].beyond)
			return law_no(why, size,
				      "job %u: %u goes with nothing beyond",
				      job->id, v->id);
		if (d->how == QS_HOW_IN_SHARE &&
		    (v->share != job->share || v->priority >= job->priority))
			return law_no(why, size,
				      "job %u: %u does not rank lower", job->id,
				      v->id);
		if (v->share >= 0 &&
		    before->now - v->start <
			    before->shares[v->share].min_runtime)
			return law_no(why, size, "job %u: %u is protected",
				      job->id, v->id);
		if (v->ends)
			return law_no(why, size, "job %u: %u ends anyway",
				      job->id, v->id);
		if (job->displaced_by == v->id)
			return law_no(why, size, "job %u: displaces %u back",
				      job->id, v->id);
	}
	return true;
}

bool law_2(const struct law_world *world, char *why, size_t size)
{
	return each_stopping(world, is_fair_game, why, size);
}

/* Law 3: with any one of them left, it does not start by itself. */
static bool none_too_many(const struct law_world *before,
			  const struct planned *p, const struct qs_decision *d,
			  char *why, size_t size)
{
	for (uint32_t spared = 0; spared < d->nvictims; spared++) {
		struct law_world after = *before;
		struct qs_decision again;

		for (uint32_t i = 0; i < d->nvictims; i++) {
			if (i != spared)
				world_end(&after, victim_id(p, d, i));
		}
		world_end_endings(&after);
		law_ask(&after, &again);
		if (again.verdict == QS_VERDICT_START && !again.nvictims)
			return law_no(why, size,
				      "job %u: starts also without %u", d->id,
				      victim_id(p, d, spared));
	}
	return true;
}

bool law_3(const struct law_world *world, char *why, size_t size)
{
	return each_stopping(world, none_too_many, why, size);
}

static bool any_ends(const struct law_world *world)
{
	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].ends ||
		    world->jobs[j].state == QS_JOB_COMPLETING)
			return true;
	}
	return false;
}

/*
 * Law 5, and law 15 in part: once its victims are told to end, it waits for
 * them and stops nobody else. Where more is promised than there is and others
 * were ending before, it may be that its start owes nothing until these have
 * ended, and then its victims have paid: it may start at once.
 */
static bool waits_for_them(const struct law_world *before,
			   const struct planned *p, const struct qs_decision *d,
			   char *why, size_t size)
{
	struct law_world after = *before;
	struct qs_decision again;

	for (uint32_t i = 0; i < d->nvictims; i++)
		after.jobs[world_find(&after, victim_id(p, d, i))].ends = true;
	claim(&after, d);
	law_ask(&after, &again);
	if (again.verdict == QS_VERDICT_WAIT && again.code == QS_CODE_ENDING &&
	    again.reserves && !again.nvictims)
		return true;
	if (again.verdict == QS_VERDICT_START && !again.nvictims &&
	    again.facts.missing && any_ends(before))
		return true;
	return law_no(why, size,
		      "job %u: victims end, it does: %s %s %s with %u", d->id,
		      qs_verdict_name(again.verdict), qs_code_name(again.code),
		      again.reserves ? "reserving" : "", again.nvictims);
}

bool law_5(const struct law_world *world, char *why, size_t size)
{
	return each_stopping(world, waits_for_them, why, size);
}
/* Law 12: whatever the priorities of the others, the owner gets its own. */
static bool whatever_priority(const struct law_world *before,
			      const struct planned *p,
			      const struct qs_decision *d, char *why,
			      size_t size)
{
	struct law_random r = { .state = d->id };
	const struct law_job *job = &before->jobs[planned_job(p, d->job)];

	if (d->how != QS_HOW_RECLAIM)
		return true;
	for (int tries = 0; tries < 4; tries++) {
		struct law_world after = *before;
		struct qs_decision again;

		for (int j = 0; j < after.njobs; j++) {
			if (after.jobs[j].share != job->share)
				after.jobs[j].priority =
					law_random_below(&r, 10000);
		}
		law_ask(&after, &again);
		if (again.verdict != QS_VERDICT_START ||
		    again.how != QS_HOW_RECLAIM)
			return law_no(
				why, size,
				"job %u: no reclaim at other priorities: %s "
				"%s",
				d->id, qs_verdict_name(again.verdict),
				qs_code_name(again.code));
	}
	return true;
}

bool law_12(const struct law_world *world, char *why, size_t size)
{
	struct law_world plain = *world;

	/* A protected job can come into the tail of its share. */
	for (int s = 0; s < plain.nshares; s++)
		plain.shares[s].min_runtime = 0;
	return each_stopping(&plain, whatever_priority, why, size);
}
