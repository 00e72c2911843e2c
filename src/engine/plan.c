/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - one evaluation from snapshot to decisions (R6c)
 *
 * Serves claims first (R9: a freed place reaches its claimant), then whoever
 * plan_line.c says, and writes down what plan_try.c decided, each decision
 * counting for the ones after it. Jobs that take no part come last, by id.
 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "plan_run.h"

static bool reserve(struct qs_run *run, void **array, uint32_t *max,
		    uint64_t need, size_t size)
{
	if (qs_array_room(array, max, need, size))
		return true;
	run->state.no_memory = true;
	return false;
}

static int by_id(const void *a, const void *b)
{
	const struct qs_victim *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static bool add_victims(struct qs_run *run, struct qs_decision *decision)
{
	struct qs_state *state = &run->state;
	struct qs_plan *plan = state->plan;

	decision->victims = plan->nvictims;
	if (!reserve(run, (void **)&plan->victims, &run->victims_max,
		     (uint64_t)plan->nvictims + state->npicked,
		     sizeof(*plan->victims)))
		return false;
	for (uint32_t i = 0; i < state->npicked; i++) {
		const struct qs_candidate *c = &state->cands[state->picked[i]];

		plan->victims[plan->nvictims++] = (struct qs_victim){
			.job = c->job,
			.id = state->snap->jobs[c->job].id,
			.gpus = c->gpus,
			.beyond = state->kind == QS_KIND_CROSS ? c->had : 0,
			.chosen = c->chosen,
			.over_limit = c->over_limit,
		};
	}
	decision->nvictims = state->npicked;
	if (decision->nvictims)
		qsort(plan->victims + decision->victims, decision->nvictims,
		      sizeof(*plan->victims), by_id);
	return true;
}

/* Own first, the rest borrowed, as it will be once the victims are gone. */
static bool add_splits(struct qs_run *run, struct qs_decision *decision,
		       const struct qs_job *job)
{
	struct qs_state *state = &run->state;
	struct qs_plan *plan = state->plan;
	const struct qs_demand *d = qs_state_demands(state, job);
	enum qs_view view = decision->nvictims ? QS_VIEW_ENDED : QS_VIEW_NOW;

	decision->splits = plan->nsplits;
	if (!reserve(run, (void **)&plan->splits, &run->splits_max,
		     (uint64_t)plan->nsplits + job->ndemands,
		     sizeof(*plan->splits)))
		return false;
	for (uint32_t k = 0; k < job->ndemands; k++) {
		uint32_t borrowed =
			(uint32_t)qs_quota_borrows(state, job, &d[k], view);

		plan->splits[plan->nsplits++] = (struct qs_split){
			.own = d[k].gpus - borrowed,
			.borrowed = borrowed,
			.type = d[k].type,
		};
	}
	decision->nsplits = job->ndemands;
	return true;
}

static bool add_places(struct qs_run *run, struct qs_decision *decision)
{
	struct qs_state *state = &run->state;
	struct qs_plan *plan = state->plan;

	decision->places = plan->nplaces;
	if (!state->snap->has_nodes)
		return true;
	if (!reserve(run, (void **)&plan->places, &run->places_max,
		     (uint64_t)plan->nplaces + state->nplaces,
		     sizeof(*plan->places)))
		return false;
	/* By node name, then type: an insertion, places come nearly sorted. */
	for (uint32_t i = 0; i < state->nplaces; i++) {
		struct qs_placed p = state->places[i];
		uint32_t rank = state->node_rank[p.node];
		uint32_t at = plan->nplaces++;

		while (at > decision->places) {
			const struct qs_placed *q = &plan->places[at - 1];
			uint32_t other = state->node_rank[q->node];

			if (other < rank || (other == rank && q->type < p.type))
				break;
			plan->places[at] = *q;
			at--;
		}
		plan->places[at] = p;
	}
	decision->nplaces = state->nplaces;
	return true;
}

/* The same numbers for all jobs of a share and type that are decided while
 * nothing changes: thousands, where one blocks the others. */
static void fill_facts(struct qs_run *run, const struct qs_job *job,
		       uint32_t demand, struct qs_facts *facts)
{
	const struct qs_demand *d;

	if (!job->ndemands)
		return;
	d = qs_state_demands(&run->state, job) + demand;
	if (!run->facts_good || run->facts_version != run->state.version ||
	    run->facts_share != job->share || run->facts.type != d->type)
		qs_quota_facts(&run->state, job, demand, &run->facts);
	run->facts_good = true;
	run->facts_version = run->state.version;
	run->facts_share = job->share;
	*facts = run->facts;
	facts->need = d->gpus;
}

static struct qs_decision *add_decision(struct qs_run *run, uint32_t index,
					const struct qs_trial *out)
{
	struct qs_plan *plan = run->state.plan;
	const struct qs_job *job = &run->state.snap->jobs[index];
	struct qs_decision *decision;

	if (!reserve(run, (void **)&plan->decisions, &run->decisions_max,
		     (uint64_t)plan->ndecisions + 1, sizeof(*plan->decisions)))
		return NULL;
	decision = &plan->decisions[plan->ndecisions++];
	*decision = (struct qs_decision){
		.job = index,
		.id = job->id,
		.share = job->share,
		.verdict = (uint8_t)out->verdict,
		.how = (uint8_t)out->how,
		.code = (uint8_t)out->code,
		.reserves = out->reserves,
		.copies =
			out->verdict == QS_VERDICT_START ? 1 : run->left[index],
	};
	if (job->share >= 0)
		fill_facts(run, job, out->demand, &decision->facts);
	decision->facts.behind = out->behind;
	decision->facts.own_room = out->own_room;
	decision->facts.until = out->until;
	return decision;
}

/* A job whose GPUs are on their way out and kept for it has its turn already:
 * those behind it cannot take its place, and if they had to wait for it, N owed
 * jobs would cost N grace times (law 15). */
bool qs_code_holds_up(enum qs_code code, bool reserves)
{
	switch (code) {
	case QS_CODE_LIMIT:
	case QS_CODE_NOTHING_LENDABLE:
	case QS_CODE_ORDER:
	case QS_CODE_CLAIMED:
	case QS_CODE_PROTECTED:
	case QS_CODE_IN_SHARE_OFF:
		return true;
	case QS_CODE_ENDING:
		return !reserves;
	default:
		return false;
	}
}

static void wait_behind(struct qs_run *run, uint32_t index)
{
	struct qs_trial out = { .verdict = QS_VERDICT_WAIT,
				.code = QS_CODE_ORDER };
	int64_t blocked;

	qs_line_block(run, index);
	while ((blocked = qs_line_blocked(run, &out.behind)) >= 0) {
		if (!add_decision(run, (uint32_t)blocked, &out))
			return;
		qs_line_done(run, (uint32_t)blocked);
		/* It waits for quota too, also with its other types. */
		qs_line_block(run, (uint32_t)blocked);
	}
}

/* Serve one job once. Returns false if it is decided or memory is short. */
static bool serve(struct qs_run *run, uint32_t index)
{
	struct qs_state *state = &run->state;
	const struct qs_job *job = &state->snap->jobs[index];
	struct qs_decision *decision;
	struct qs_trial out;

	qs_try_job(run, job, &out);
	if (state->no_memory)
		return false;
	decision = add_decision(run, index, &out);
	if (!decision)
		return false;
	if (out.verdict == QS_VERDICT_START) {
		if (state->npicked)
			decision->owed_before = (uint32_t)state->owed_before;
		if (!add_victims(run, decision) ||
		    !add_splits(run, decision, job) ||
		    !add_places(run, decision))
			return false;
		if (out.how == QS_HOW_BORROW)
			state->borrower = job->id;
		qs_state_start(state, index,
			       decision->nvictims ? QS_START_LATER :
						    QS_START_NOW);
		if (--run->left[index])
			return true;
	}
	if (out.verdict == QS_VERDICT_WAIT && out.reserves) {
		qs_state_start(state, index, QS_START_KEPT);
		/* Each task of an array takes its own part of what ends; one
		 * for which nothing is left may take back its own (law 15). */
		if (out.code == QS_CODE_ENDING && --run->left[index]) {
			decision->copies = 1;
			return true;
		}
	}
	qs_line_done(run, index);
	if (out.verdict == QS_VERDICT_WAIT &&
	    qs_code_holds_up(out.code, out.reserves))
		wait_behind(run, index);
	return false;
}

static bool serve_claimant(struct qs_run *run, uint32_t index)
{
	bool beside = qs_claims_leave_it(run, &run->state.snap->jobs[index]);
	bool more;

	if (!beside)
		qs_claims_suspend(run, true);
	more = serve(run, index);
	if (!beside)
		qs_claims_suspend(run, false);
	return more;
}

/* R9: claimants first, in the order of their claims. There are few. */
static void serve_claims(struct qs_run *run)
{
	const struct qs_job *jobs = run->state.snap->jobs;

	qs_claims_sort(run);
	qs_claims_hold(run);
	for (uint32_t i = 0; i < run->nclaims; i++) {
		const struct qs_job *job = &jobs[run->claims[i]];
		bool more = true;

		qs_claims_release(run, run->claims[i]);
		/* A claimant that will borrow (R8) and would start only to be
		 * stopped by owners who wait for the very GPUs comes in its
		 * turn. Each task that has the claim goes before the next
		 * claimant: what is freed for it is not that one's (law 6). */
		while (more && !run->state.no_memory &&
		       !run->decided[run->claims[i]] &&
		       qs_state_claims(&run->state, job) &&
		       qs_owners_leave_it(run, job))
			more = serve_claimant(run, run->claims[i]);
	}
}

static int by_late_id(const void *a, const void *b)
{
	const struct qs_late *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void tell_late(struct qs_run *run)
{
	if (run->nlate)
		qsort(run->late, run->nlate, sizeof(*run->late), by_late_id);
	for (uint32_t i = 0; i < run->nlate; i++) {
		struct qs_trial out = { .verdict = QS_VERDICT_WAIT };

		out.code = qs_line_excluded(run, run->late[i].job, &out.demand);
		if (out.code >= QS_CODE_UNKNOWN_TYPE)
			out.verdict = QS_VERDICT_NEVER;
		if (!add_decision(run, run->late[i].job, &out))
			return;
	}
}

/* The table of shares before the decisions. */
static bool fill_rows(struct qs_run *run)
{
	struct qs_state *state = &run->state;
	uint32_t T = state->ntypes, S = (uint32_t)state->policy->nshares;
	int64_t *sums =
		calloc((size_t)(state->nsids + S) * T + 1, sizeof(*sums));
	int64_t *waiting = sums ? sums + (size_t)state->nsids * T : NULL;
	int failed;

	if (!sums)
		return false;
	for (uint32_t c = 0; c < state->nsids * T; c++)
		sums[c] = state->cells[c].held;
	for (uint32_t i = 0; i < state->npending; i++) {
		const struct qs_job *job =
			&state->snap->jobs[state->pending[i]];
		const struct qs_demand *d = qs_state_demands(state, job);

		if (job->share < 0 || job->held)
			continue;
		for (uint32_t k = 0; k < job->ndemands; k++)
			waiting[(size_t)job->share * T + d[k].type] +=
				(int64_t)d[k].gpus *
				(job->copies ? job->copies : 1);
	}
	failed = qs_ledger_rows(state->policy, sums, waiting,
				sums + (size_t)S * T, &state->plan->rows,
				&state->plan->nrows);
	free(sums);
	return !failed;
}

struct qs_plan *qs_plan_make(const struct qs_snapshot *snap)
{
	struct qs_run run = { .nlate = 0 };
	struct qs_plan *plan = calloc(1, sizeof(*plan));
	bool done = false;
	int64_t job;

	if (!plan)
		return NULL;
	if (!qs_state_init(&run.state, snap))
		goto out;
	run.state.plan = plan;
	/* Each waiting job has a decision; tasks of an array have more. */
	if (!fill_rows(&run) || !qs_line_init(&run) ||
	    !reserve(&run, (void **)&plan->decisions, &run.decisions_max,
		     run.state.npending, sizeof(*plan->decisions)))
		goto out;
	serve_claims(&run);
	while (!run.state.no_memory && (job = qs_line_next(&run)) >= 0)
		serve(&run, (uint32_t)job);
	tell_late(&run);
	done = !run.state.no_memory;
out:
	qs_line_free(&run);
	qs_state_free(&run.state);
	if (!done) {
		qs_plan_free(plan);
		return NULL;
	}
	return plan;
}

void qs_plan_free(struct qs_plan *plan)
{
	if (!plan)
		return;
	free(plan->decisions);
	free(plan->victims);
	free(plan->splits);
	free(plan->places);
	free(plan->rows);
	free(plan);
}

const struct qs_decision *qs_plan_find(const struct qs_plan *plan, uint32_t id)
{
	for (uint32_t i = 0; i < plan->ndecisions; i++) {
		if (plan->decisions[i].id == id)
			return &plan->decisions[i];
	}
	return NULL;
}
