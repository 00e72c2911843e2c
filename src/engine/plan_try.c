/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_try.c - R5 to R8 for one waiting job, and why it waits
 *
 * The order of the questions is the rule: what is idle, what is ending, what
 * can be taken back, what the share itself can displace; and only then, for
 * the reason, what would have been had one thing been otherwise.
 */
#include "plan_run.h"

static bool fits(struct qs_state *state, const struct qs_job *job,
		 enum qs_view view)
{
	return qs_quota_startable(state, job, view) &&
	       qs_place_find(state, job, view, false);
}

static void wait_for(struct qs_trial *out, enum qs_code code)
{
	out->verdict = QS_VERDICT_WAIT;
	out->how = QS_HOW_NONE;
	out->code = code;
}

static void start_by(struct qs_trial *out, enum qs_how how, enum qs_code code)
{
	out->verdict = QS_VERDICT_START;
	out->how = how;
	out->code = code;
}

/* RECLAIM's code: would the quota alone have let it start? */
static enum qs_code reclaim_code(const struct qs_state *state,
				 const struct qs_job *job)
{
	return qs_quota_startable(state, job, QS_VIEW_ENDED) ?
		       QS_CODE_PLACEMENT :
		       QS_CODE_QUOTA;
}

static bool in_share_on(const struct qs_state *state, const struct qs_job *job)
{
	return state->policy->shares[job->share].in_share_preemption;
}

/* When the first of the victims may be stopped (R13). */
static int64_t protected_until(const struct qs_state *state)
{
	int64_t until = INT64_MAX;

	for (uint32_t i = 0; i < state->npicked; i++) {
		const struct qs_job *job =
			&state->snap->jobs[state->cands[state->picked[i]].job];
		int64_t end = job->start;

		if (job->share >= 0)
			end += state->policy->shares[job->share]
				       .min_runtime_sec;
		if (end > state->snap->now && end < until)
			until = end;
	}
	return until;
}

/* R8. An owner's GPUs that its waiting jobs can take soon are no reason to
 * stop a job of the own share. */
static bool displace(struct qs_run *run, const struct qs_job *job)
{
	bool found;

	if (!qs_cands_any_lower(&run->state, job))
		return false;
	qs_owners_first(run, job);
	found = qs_victims_choose(&run->state, job, QS_KIND_IN_SHARE);
	run->state.owners_first = false;
	return found;
}

static bool only_protected(struct qs_run *run, const struct qs_job *job,
			   bool entitled)
{
	struct qs_state *state = &run->state;
	bool found;

	if (!state->saw_protected)
		return false;
	state->ignore_protection = true;
	found = (entitled && qs_victims_choose(state, job, QS_KIND_CROSS)) ||
		(in_share_on(state, job) && displace(run, job));
	state->ignore_protection = false;
	if (!found)
		return false;
	state->protected_until = protected_until(state);
	qs_victims_undo(state);
	return true;
}

static bool only_switched_off(struct qs_run *run, const struct qs_job *job)
{
	if (in_share_on(&run->state, job) || !displace(run, job))
		return false;
	qs_victims_undo(&run->state);
	return true;
}

/* R17: would it have a place if all nodes were up, or is something missing of
 * what was promised? */
static bool is_out_of_service(struct qs_state *state, const struct qs_job *job,
			      const struct qs_trial *out)
{
	struct qs_facts facts = { 0 };

	if (qs_place_exists(state, job, QS_VIEW_ENDED, true))
		return true;
	qs_quota_facts(state, job, out->demand, &facts);
	return facts.missing > 0;
}

/* R9: whose claim it waits behind. code: what quota said. */
static void behind_claim(const struct qs_state *state, const struct qs_job *job,
			 enum qs_code code, struct qs_trial *out)
{
	const struct qs_demand *d = qs_state_demands(state, job) + out->demand;

	out->own_room = code == QS_CODE_CLAIMED;
	out->behind =
		out->own_room ?
			qs_state_cell(state, qs_state_sid(state, job), d->type)
				->own_for :
			state->claimant;
}

/* The job waits; code is what quota said, or NONE. Find the word for it. */
static void find_reason(struct qs_run *run, const struct qs_job *job,
			bool entitled, enum qs_code code, struct qs_trial *out)
{
	struct qs_state *state = &run->state;

	state->nplaces = 0;
	if (state->claimant && fits(state, job, QS_VIEW_UNCLAIMED)) {
		behind_claim(state, job, code, out);
		out->reserves = entitled;
		wait_for(out, QS_CODE_CLAIMED);
	} else if (only_protected(run, job, entitled)) {
		out->until = state->protected_until;
		out->reserves = entitled;
		wait_for(out, QS_CODE_PROTECTED);
	} else if (only_switched_off(run, job)) {
		wait_for(out, QS_CODE_IN_SHARE_OFF);
	} else if (code != QS_CODE_NONE) {
		behind_claim(state, job, code, out);
		wait_for(out, code);
	} else if (state->borrower &&
		   !qs_quota_startable(state, job, QS_VIEW_ENDED)) {
		/* What is owed is with jobs that this very plan lets start. */
		out->behind = state->borrower;
		out->reserves = entitled;
		wait_for(out, QS_CODE_CLAIMED);
	} else {
		wait_for(out, is_out_of_service(state, job, out) ?
				      QS_CODE_NODES_DOWN :
				      QS_CODE_PLACEMENT);
	}
	/* What was asked for the reason only is no place to keep. */
	state->nplaces = 0;
}

void qs_try_job(struct qs_run *run, const struct qs_job *job,
		struct qs_trial *out)
{
	struct qs_state *state = &run->state;
	bool entitled = qs_quota_entitled(state, job, QS_VIEW_NOW);
	enum qs_code code = QS_CODE_NONE;

	*out = (struct qs_trial){ .verdict = QS_VERDICT_WAIT };
	state->npicked = 0;
	state->saw_protected = false;
	if (!entitled)
		qs_quota_may_borrow(state, job, QS_VIEW_NOW, NULL, &code,
				    &out->demand);
	if (fits(state, job, QS_VIEW_NOW)) {
		start_by(out, entitled ? QS_HOW_OWN : QS_HOW_BORROW,
			 QS_CODE_NONE);
		return;
	}
	if (fits(state, job, QS_VIEW_ENDED)) {
		/* An owner's need is kept for it while the GPUs come free, and
		 * so is that of a job which has a claim (R9). */
		out->reserves = entitled || qs_state_claims(state, job);
		wait_for(out, QS_CODE_ENDING);
		return;
	}
	if (entitled) {
		enum qs_code why = reclaim_code(state, job);

		if (qs_victims_choose(state, job, QS_KIND_CROSS)) {
			start_by(out, QS_HOW_RECLAIM, why);
			return;
		}
	}
	if (in_share_on(state, job) && displace(run, job)) {
		start_by(out, QS_HOW_IN_SHARE, QS_CODE_PRIORITY);
		return;
	}
	find_reason(run, job, entitled, code, out);
}
