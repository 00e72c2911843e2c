/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * laws_lending.c - laws 8, 15 and 16: what is lent comes back, in one grace
 * time, and RESERVE is not lent
 *
 * Tried on worlds that grew by plans alone, so that no change of policy left
 * debts behind.
 */
#include <string.h>

#include "laws.h"

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Only what plans let start: a world that no change of policy has bent. */
static void grow(struct law_world *world, const struct law_world *from)
{
	struct planned p;

	*world = *from;
	for (int j = world->njobs - 1; j >= 0; j--) {
		if (world->jobs[j].state == QS_JOB_PENDING ||
		    world->jobs[j].share < 0) {
			law_world_drop_job(world, j);
			continue;
		}
		world->jobs[j].state = QS_JOB_PENDING;
		world->jobs[j].ends = false;
		memset(world->jobs[j].on, 0, sizeof(world->jobs[j].on));
	}
	planned_make(&p, world, 0);
	for (uint32_t i = 0; i < p.plan->ndecisions; i++) {
		const struct qs_decision *d = &p.plan->decisions[i];

		if (d->verdict == QS_VERDICT_START)
			world->jobs[planned_job(&p, d->job)].state =
				QS_JOB_RUNNING;
	}
	planned_free(&p);
	for (int j = world->njobs - 1; j >= 0; j--) {
		if (world->jobs[j].state == QS_JOB_PENDING)
			law_world_drop_job(world, j);
	}
	for (int s = 0; s < world->nshares; s++)
		world->shares[s].min_runtime = 0;
}

static int64_t promised(const struct law_world *world, int queue, int t)
{
	int64_t sum = 0;

	for (int s = 0; s < world->nshares; s++) {
		if (world->shares[s].queue == queue)
			sum += world->shares[s].capacity[t];
	}
	return sum;
}

/* A waiting job that wants this many of one type. */
static struct law_job *add_waiting(struct law_world *world, int share, int t,
				   int64_t gpus)
{
	struct law_job *job = &world->jobs[world->njobs];

	memset(job, 0, sizeof(*job));
	job->id = 1000 + (uint32_t)world->njobs++;
	job->share = share;
	job->queue = world->shares[share].queue;
	job->state = QS_JOB_PENDING;
	job->requeue = true;
	job->copies = 1;
	job->eligible = 900;
	job->gpus[t] = (uint32_t)gpus;
	return job;
}

/* Law 8: whoever lends, and be it to the last GPU, gets all of its own. */
bool law_8(const struct law_world *world, char *why, size_t size)
{
	struct law_world grown;

	grow(&grown, world);
	for (int q = 0; q < grown.nqueues; q++)
		memset(grown.queues[q].capacity, 0,
		       sizeof(grown.queues[q].capacity));
	for (int s = 0; s < grown.nshares; s++) {
		for (int t = 0; t < grown.ntypes; t++) {
			struct law_world owner = grown;
			int64_t idle = grown.shares[s].capacity[t] -
				       law_used(&grown, s, t);
			struct qs_decision d;

			if (!grown.shares[s].listed[t] || idle <= 0)
				continue;
			add_waiting(&owner, s, t, idle);
			law_ask(&owner, &d);
			law_met += d.nvictims > 0;
			if (d.verdict != QS_VERDICT_START ||
			    d.how == QS_HOW_BORROW || d.how == QS_HOW_IN_SHARE)
				return law_no(
					why, size,
					"share %s does not get back %d: %s "
					"%s",
					grown.shares[s].name, (int)idle,
					qs_verdict_name(d.verdict),
					qs_code_name(d.code));
		}
	}
	return true;
}
/* Law 15: the owner's jobs that come together all start in one plan, and each
 * loan is taken back once. */
bool law_15(const struct law_world *world, char *why, size_t size)
{
	struct law_world grown;

	grow(&grown, world);
	for (int s = 0; s < grown.nshares; s++) {
		struct law_world owner = grown;
		int64_t idle =
			grown.shares[s].capacity[0] - law_used(&grown, s, 0);
		struct planned p;
		bool all = true;

		if (!grown.shares[s].listed[0])
			continue;
		for (int64_t i = 0; i < idle && i < 8; i++)
			add_waiting(&owner, s, 0, 1);
		planned_make(&p, &owner, 0);
		for (uint32_t i = 0; i < p.plan->ndecisions && all; i++) {
			const struct qs_decision *d = &p.plan->decisions[i];

			law_met += d->nvictims > 0 && idle > 1;
			/* One that a big victim of another made room for
			 * keeps its place until it is gone: the same grace. */
			all = d->verdict == QS_VERDICT_START ||
			      (d->code == QS_CODE_ENDING && d->reserves);
			if (!all)
				law_no(why, size, "job %u of %d: %s %s", d->id,
				       (int)idle, qs_verdict_name(d->verdict),
				       qs_code_name(d->code));
		}
		for (uint32_t i = 0; i < p.plan->nvictims && all; i++) {
			for (uint32_t k = 0; k < i && all; k++) {
				all = p.plan->victims[i].id !=
				      p.plan->victims[k].id;
				if (!all)
					law_no(why, size,
					       "job %u is taken twice",
					       p.plan->victims[i].id);
			}
		}
		planned_free(&p);
		if (!all)
			return false;
	}
	return true;
}

/* GPUs that owners of RESERVE shares could not get now: held by all, plus
 * what these own and do not use, above the pool. */
static int64_t reserve_short(const struct law_world *world, int q, int t)
{
	int64_t sum = 0;

	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].queue == q &&
		    world->jobs[j].state != QS_JOB_PENDING)
			sum += world->jobs[j].gpus[t];
	}
	for (int s = 0; s < world->nshares; s++) {
		if (world->shares[s].queue == q &&
		    world->shares[s].strategy == QS_STRATEGY_RESERVE)
			sum += most(0, (int64_t)world->shares[s].capacity[t] -
					       law_used(world, s, t));
	}
	return sum - promised(world, q, t);
}

/* Law 16: what starts at once, and what starts when the victims are gone,
 * leaves the RESERVE shares theirs. */
bool law_16(const struct law_world *world, char *why, size_t size)
{
	struct law_world start;
	struct planned p;
	bool kept = true;

	/* The running jobs got there by the rules, then all the rest asks. */
	grow(&start, world);
	for (int q = 0; q < start.nqueues; q++)
		memset(start.queues[q].capacity, 0,
		       sizeof(start.queues[q].capacity));
	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].state != QS_JOB_PENDING)
			continue;
		start.jobs[start.njobs] = world->jobs[j];
		/* A claim that nobody made would owe nothing. */
		start.jobs[start.njobs++].claim = false;
	}
	planned_make(&p, &start, 0);
	for (int later = 0; later < 2 && kept; later++) {
		struct law_world after = start;

		for (uint32_t i = 0; i < p.plan->ndecisions; i++) {
			const struct qs_decision *d = &p.plan->decisions[i];
			struct law_job *job =
				&after.jobs[planned_job(&p, d->job)];

			if (d->verdict != QS_VERDICT_START ||
			    (d->nvictims && !later))
				continue;
			/* Tasks of an array: one holder for all of them. */
			if (job->state == QS_JOB_PENDING) {
				job->state = QS_JOB_RUNNING;
				continue;
			}
			for (int t = 0; t < after.ntypes; t++)
				job->gpus[t] +=
					start.jobs[planned_job(&p, d->job)]
						.gpus[t];
		}
		for (uint32_t i = 0; later && i < p.plan->nvictims; i++)
			world_end(&after, p.plan->victims[i].id);
		for (int q = 0; q < after.nqueues && kept; q++) {
			for (int t = 0; t < after.ntypes && kept; t++) {
				kept = reserve_short(&after, q, t) <= 0;
				if (!kept)
					law_no(why, size,
					       "%d GPUs of RESERVE are used %s",
					       (int)reserve_short(&after, q, t),
					       later ? "later" : "now");
			}
		}
		law_met++;
	}
	planned_free(&p);
	return kept;
}
