/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * standing.c - what a plan in force says about a job that it has not seen
 *
 * Two cases are certain, for a share and a type:
 *
 *   order    under STRICT somebody of the share who ranks before the new job
 *            waits for quota with that type (R6a): it does not start before
 *            him, and is not even tried, so it stops nobody either;
 *   refused  somebody of the share who ranks before it, wants that type only,
 *            and no more of it, has been refused for want of quota, and the
 *            share stops none of its own jobs (R8). What he could not start as
 *            own or borrow, the new job cannot: both get harder with more GPUs.
 *
 * Its surprise: what owners wait for is a reason not to stop jobs of the own share
 * in order to borrow (R8, see "Nobody is stopped to borrow" in doc/design.md). So
 * one more owner in the queue can take away a start, and by that even let itself
 * start. Of a plan in which anybody does that nothing is certain. Rarely it
 * allows one instead, as it is counted before a larger one that no longer fits:
 * then somebody else starts, or a claim comes to its turn, at the next look.
 */
#include "standing.h"

#include <stdlib.h>

#include "submit.h"

struct rank {
	bool claim;
	uint32_t priority, id;
	int64_t eligible;
};

struct line {
	bool blocked;
	struct rank blocker; /* who ranks first of those that hold up */
	/* The least that was refused, 0: nothing; and of those who asked for
	 * that the one who ranks first. */
	uint32_t refused;
	struct rank first;
	bool requeue; /* he may be */
	uint8_t code;
	struct qs_facts facts;
};

struct qs_standing {
	const struct qs_policy *policy;
	bool unsure;
	struct line lines[]; /* [share * ntypes + type] */
};

static struct rank rank_of(const struct qs_job *job)
{
	return (struct rank){ .claim = job->claim,
			      .priority = job->priority,
			      .id = job->id,
			      .eligible = job->eligible };
}

/* R6a. Two claims are equal here: both are before all others. */
static bool before(const struct rank *a, const struct rank *b)
{
	if (a->claim != b->claim)
		return a->claim;
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->eligible != b->eligible)
		return a->eligible < b->eligible;
	return a->id < b->id;
}

static void note_order(struct line *line, const struct rank *rank)
{
	if (line->blocked && !before(rank, &line->blocker))
		return;
	line->blocked = true;
	line->blocker = *rank;
}

static void note_refused(struct line *line, const struct qs_job *job,
			 const struct rank *rank, const struct qs_decision *d)
{
	if (line->refused &&
	    (line->refused < d->facts.need ||
	     (line->refused == d->facts.need && !before(rank, &line->first))))
		return;
	line->refused = d->facts.need;
	line->first = *rank;
	line->requeue = job->requeue;
	line->code = d->code;
	line->facts = d->facts;
}

static bool is_strict(const struct qs_policy *policy, int32_t share)
{
	return policy->queues[policy->shares[share].queue].in_share_order ==
	       QS_ORDER_STRICT;
}

/* A decision that one more owner in the queue might have changed: somebody stops
 * jobs of the own share, or has done so and will borrow what was freed. */
static bool yields(const struct qs_job *job, const struct qs_decision *d)
{
	const struct qs_facts *f = &d->facts;

	return d->how == QS_HOW_IN_SHARE ||
	       (job->claim && (job->ndemands != 1 ||
			       (int64_t)f->used + f->need > f->capacity));
}

static void note(struct qs_standing *standing, const struct qs_snapshot *snap,
		 const struct qs_decision *d)
{
	const struct qs_policy *policy = standing->policy;
	const struct qs_job *job = &snap->jobs[d->job];
	const struct qs_demand *demands = qs_snapshot_demands(snap, job);
	struct rank rank = rank_of(job);
	struct line *lines;

	standing->unsure |= yields(job, d);
	if (d->verdict != QS_VERDICT_WAIT || d->share < 0)
		return;
	lines = standing->lines + (size_t)d->share * (size_t)policy->ntypes;
	if (is_strict(policy, d->share) &&
	    qs_code_holds_up((enum qs_code)d->code, d->reserves)) {
		for (uint32_t k = 0; k < job->ndemands; k++)
			note_order(&lines[demands[k].type], &rank);
	}
	/* A claim has rules of its own. */
	if (job->ndemands == 1 && !job->claim &&
	    !policy->shares[d->share].in_share_preemption &&
	    (d->code == QS_CODE_LIMIT || d->code == QS_CODE_NOTHING_LENDABLE))
		note_refused(&lines[demands[0].type], job, &rank, d);
}

struct qs_standing *qs_standing_make(const struct qs_snapshot *snap,
				     const struct qs_plan *plan)
{
	const struct qs_policy *policy = snap->policy;
	size_t n = (size_t)policy->nshares * (size_t)policy->ntypes;
	struct qs_standing *standing = calloc(
		1, sizeof(*standing) + (n + 1) * sizeof(*standing->lines));

	if (!standing)
		return NULL;
	standing->policy = policy;
	for (uint32_t i = 0; i < plan->ndecisions; i++)
		note(standing, snap, &plan->decisions[i]);
	return standing;
}

void qs_standing_free(struct qs_standing *standing)
{
	free(standing);
}

/* R6b has words of its own. */
static bool can_start_ever(const struct qs_policy *policy, int32_t share,
			   const struct qs_demand *demands, uint32_t n)
{
	struct qs_bounds bounds;

	for (uint32_t k = 0; k < n; k++) {
		qs_submit_bounds(policy, share, demands[k].type, &bounds);
		if (qs_submit_never_of(policy, share, &bounds,
				       demands[k].gpus) != QS_CODE_NONE)
			return false;
	}
	return n > 0;
}

/* With each of its types: where it is the first to be held up, it would hold up
 * those behind it in turn. */
static bool is_blocked(const struct line *lines,
		       const struct qs_demand *demands, uint32_t n,
		       const struct rank *rank)
{
	for (uint32_t k = 0; k < n; k++) {
		const struct line *line = &lines[demands[k].type];

		if (!line->blocked || !before(&line->blocker, rank))
			return false;
	}
	return true;
}

static bool is_refused(const struct line *line, const struct qs_job *job,
		       const struct qs_demand *demands, uint32_t n,
		       const struct rank *rank)
{
	return n == 1 && line->refused && line->refused <= demands[0].gpus &&
	       before(&line->first, rank) && line->requeue == job->requeue;
}

bool qs_standing_waits(const struct qs_standing *standing,
		       const struct qs_job *job,
		       const struct qs_demand *demands, uint32_t ndemands,
		       struct qs_decision *out)
{
	const struct qs_policy *policy = standing->policy;
	const struct rank rank = rank_of(job);
	const struct line *lines;

	if (standing->unsure || job->share < 0 ||
	    !can_start_ever(policy, job->share, demands, ndemands))
		return false;
	lines = standing->lines + (size_t)job->share * (size_t)policy->ntypes;
	*out = (struct qs_decision){ .id = job->id,
				     .share = job->share,
				     .verdict = QS_VERDICT_WAIT,
				     .copies = 1 };
	if (is_blocked(lines, demands, ndemands, &rank)) {
		lines += demands[0].type;
		out->code = QS_CODE_ORDER;
		out->facts = (struct qs_facts){ .type = demands[0].type,
						.need = demands[0].gpus,
						.behind = lines->blocker.id };
		return true;
	}
	lines += demands[0].type;
	if (!is_refused(lines, job, demands, ndemands, &rank))
		return false;
	out->code = lines->code;
	out->facts = lines->facts;
	out->facts.need = demands[0].gpus;
	return true;
}
