/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle.c - goes through a plan and says what should have been decided
 *
 * R6, R6a to R6c: who is next is worked out here, judged by oracle_judge.c,
 * and held against the plan. Where a job starts, the plan's places are taken
 * over after they were checked, since the rules leave the choice of nodes
 * open; victims that nodes decide are checked to be allowed, enough and none
 * too many. Once a need is kept on nodes that a plan does not name, only what
 * agrees is followed.
 */
#include "oracle.h"

#include <stdarg.h>
#include <string.h>

#include "oracle_run.h"

struct law_oracle_stats law_oracle_stats;

bool run_no(struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(run->why, run->size, format, args);
	va_end(args);
	return false;
}
static const struct qs_decision *decision_of(struct run *run, int j)
{
	const struct qs_plan *plan = run->plan;

	for (uint32_t i = run->decision[j]; i < plan->ndecisions; i++) {
		if (run->view->job_of[plan->decisions[i].job] == j) {
			run->decision[j] = i + 1;
			return &plan->decisions[i];
		}
	}
	return NULL;
}
static bool follow(struct run *run, int j, const struct law_job *job,
		   const struct qs_decision *d, const struct judgement *judged)
{
	struct holder *h;
	bool each, own;
	int i;

	if (d->verdict == QS_VERDICT_START) {
		enum when when = d->nvictims ? ENDED : NOW;
		struct holder place = { 0 };

		if (d->nvictims && !run_check_victims(run, job, d, judged))
			return false;
		if (run->st.w->has_nodes &&
		    !run_check_places(run, job, d, &place, when))
			return false;
		own = law_will_be_own(&run->st, job, ENDED);
		i = state_add(&run->st, job, j);
		h = &run->st.holders[i];
		memcpy(h->on, place.on, sizeof(h->on));
		memcpy(h->cpus_on, place.cpus_on, sizeof(h->cpus_on));
		h->after = d->nvictims > 0;
		h->own = h->after && own;
		run->left[j]--;
		run->wants[j]--;
		return true;
	}
	/* Each task takes its own part of what ends; what is said else is
	 * said of all that are left. */
	each = d->code == QS_CODE_ENDING && d->reserves;
	if (d->copies != (each ? 1 : run->left[j]))
		return run_no(run, "job %u: %u tasks wait, not %u", job->id,
			      run->left[j], d->copies);
	if (d->reserves) {
		run->wants[j] -= !each;
		own = law_will_be_own(&run->st, job, ENDED);
		h = &run->st.holders[state_add(&run->st, job, j)];
		h->kept = true;
		h->own = own && job->claim;
		h->after = true;
		h->placed = d->code == QS_CODE_ENDING;
		run->st.vague = run->st.w->has_nodes;
	}
	if (each) {
		run->wants[j]--;
		run->left[j]--;
		return true;
	}
	run->left[j] = 0;
	run->waits[j] = !(1u << d->code & (CODE(PLACEMENT) | CODE(NODES_DOWN)));
	return true;
}

static void count(const struct qs_decision *d)
{
	struct law_oracle_stats *s = &law_oracle_stats;

	s->decisions++;
	s->codes[d->code]++;
	s->starts += d->verdict == QS_VERDICT_START;
	s->waits += d->verdict == QS_VERDICT_WAIT;
	s->never += d->verdict == QS_VERDICT_NEVER;
	s->borrows += d->how == QS_HOW_BORROW;
	s->reclaims += d->how == QS_HOW_RECLAIM;
	s->in_share += d->how == QS_HOW_IN_SHARE;
	s->placements +=
		d->how == QS_HOW_RECLAIM && d->code == QS_CODE_PLACEMENT;
}

enum step {
	AGREES,
	DIFFERS,
	ENOUGH
};

static enum step compare(struct run *run, int j)
{
	const struct law_job *job = &run->st.w->jobs[j];
	const struct qs_decision *d = decision_of(run, j);
	struct judgement judged;
	struct law_job task;

	if (!d) {
		run_no(run, "job %u has no decision", job->id);
		return DIFFERS;
	}
	task = *job;
	task.claim = run_claims(run, j);
	run_owners_want(run);
	law_judge(&run->st, &task, &judged);
	if (d->verdict != judged.verdict || d->how != judged.how ||
	    !(judged.codes >> d->code & 1) ||
	    d->reserves != (judged.reserve_codes >> d->code & 1)) {
		if (run->st.vague || judged.either ||
		    (judged.verdict == QS_VERDICT_START && !judged.nvictims &&
		     run_claims(run, j) && d->code == QS_CODE_ENDING &&
		     d->reserves && run_others_claim(run, j, UINT32_MAX)))
			return ENOUGH;
		run_no(run,
		       "job %u: %s %s %s%s, by the rules %s %s codes %#x%s",
		       job->id, qs_verdict_name(d->verdict),
		       qs_how_name(d->how), qs_code_name(d->code),
		       d->reserves ? " (reserves)" : "",
		       qs_verdict_name(judged.verdict), qs_how_name(judged.how),
		       judged.codes,
		       judged.reserve_codes & judged.codes ? " (reserves)" :
							     "");
		return DIFFERS;
	}
	if (d->nvictims && run->st.vague)
		return ENOUGH;
	/* The order in which they were served. */
	for (; run->served < d - run->plan->decisions; run->served++) {
		const struct qs_decision *other =
			&run->plan->decisions[run->served];
		int k = run->view->job_of[other->job];

		if (run->st.w->jobs[k].queue == run->st.queue &&
		    run->served >= run->decision[k] &&
		    other->code != QS_CODE_ORDER) {
			run_no(run, "job %u is served before %u", other->id,
			       job->id);
			return DIFFERS;
		}
	}
	count(d);
	return follow(run, j, &task, d, &judged) ? AGREES : DIFFERS;
}

static bool settle_all(struct run *run)
{
	const struct law_world *w = run->st.w;

	for (int j = 0; j < w->njobs; j++) {
		const struct qs_decision *d;
		uint32_t codes;
		bool never;

		if (!run_undecided(run, j))
			continue;
		codes = run_settled(w, &w->jobs[j], &never);
		if (!codes)
			continue;
		d = decision_of(run, j);
		if (!d)
			return run_no(run, "job %u has no decision",
				      w->jobs[j].id);
		if (!(codes >> d->code & 1))
			return run_no(run, "job %u: %s, by the rules codes %#x",
				      w->jobs[j].id, qs_code_name(d->code),
				      codes);
		if ((d->code >= QS_CODE_UNKNOWN_TYPE) !=
			    (d->verdict == QS_VERDICT_NEVER) ||
		    d->verdict == QS_VERDICT_START)
			return run_no(run, "job %u: %s with %s", w->jobs[j].id,
				      qs_verdict_name(d->verdict),
				      qs_code_name(d->code));
		count(d);
		run->left[j] = 0;
	}
	return true;
}

/* All that are left are behind somebody: R6a. */
static bool check_behind(struct run *run)
{
	const struct law_world *w = run->st.w;

	for (int j = 0; j < w->njobs; j++) {
		const struct qs_decision *d;

		if (!run_undecided(run, j))
			continue;
		d = decision_of(run, j);
		if (!d || d->code != QS_CODE_ORDER || d->reserves)
			return run_no(run, "job %u: %s, by the rules ORDER",
				      w->jobs[j].id,
				      d ? qs_code_name(d->code) : "nothing");
		count(d);
		run->left[j] = 0;
	}
	return true;
}

/* ORDER is passed on: who is behind one that waits behind another waits. */
static void pass_on_order(struct run *run)
{
	for (int j = 0; j < run->st.w->njobs; j++) {
		if (run_undecided(run, j) && run_held_up(run, j))
			run->waits[j] = true;
	}
}
static bool agrees_queue(struct run *run)
{
	bool claims = true;

	for (;;) {
		int j = claims ? run_next_claimant(run) : run_next_job(run);

		if (j < 0 && !claims)
			return check_behind(run);
		if (j < 0) {
			claims = false;
			continue;
		}
		if (claims && !run_leaves_owners_theirs(run, j))
			continue;
		switch (compare(run, j)) {
		case DIFFERS:
			return false;
		case ENOUGH:
			return true;
		case AGREES:
			break;
		}
		/* The next task that has the claim goes before the next
		 * claimant. */
		if (claims && run_claims(run, j))
			run->claim_tried[j] = false;
		pass_on_order(run);
	}
}

bool law_oracle_agrees(const struct law_world *world,
		       const struct law_view *view, const struct qs_plan *plan,
		       char *why, size_t size)
{
	law_oracle_stats.worlds++;
	for (int q = 0; q < world->nqueues; q++) {
		struct run run = {
			.view = view, .plan = plan, .why = why, .size = size
		};

		state_init(&run.st, world, q);
		for (int j = 0; j < world->njobs; j++)
			run.left[j] = world->jobs[j].copies;
		memcpy(run.wants, run.left, sizeof(run.wants));
		for (int j = 0; j < world->njobs; j++) {
			bool never;

			if (world->jobs[j].state != QS_JOB_PENDING ||
			    run_settled(world, &world->jobs[j], &never))
				run.wants[j] = 0;
		}
		if (!settle_all(&run) || !agrees_queue(&run))
			return false;
	}
	return true;
}
