/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_victims.c - R7 and R8: which jobs go so that one can start
 *
 * Two ways are tried. First R10 by quota alone: take the best candidate until
 * what is owed is back; often the nodes can take the job then. If they cannot,
 * nodes are cleared one by one, those that cost least first (plan_nodes.c),
 * and quota is completed by R10. Then R10 step 5 prunes, so that no victim can
 * be left out (law 3), and R7 is asked of each once more (law 2).
 */
#include "plan_fetch.h"
#include "plan_state.h"

/* A set in which somebody turned out to be an own job is chosen again without
 * him; more rounds than this mean that there is no good set. */
#define ROUNDS_MAX 8

/* GPUs that quota still wants back, the victims picked so far being gone. */
static int64_t still_owed(const struct qs_state *state,
			  const struct qs_job *job, enum qs_kind kind,
			  const int64_t *before)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	int64_t worst = 0;

	if (kind == QS_KIND_IN_SHARE &&
	    !qs_quota_entitled(state, job, QS_VIEW_ENDED)) {
		enum qs_code code;
		uint32_t failing;
		int64_t missing =
			qs_quota_short(state, job, QS_VIEW_ENDED, before);

		if (qs_quota_borrower(state, job) &&
		    qs_quota_may_borrow(state, job, QS_VIEW_ENDED, before,
					&code, &failing))
			return 0;
		return missing > 0 ? missing : 1;
	}
	for (uint32_t i = 0; i < job->ndemands; i++) {
		int64_t owed = qs_quota_owed(state, job, &d[i], QS_VIEW_ENDED,
					     before[i]);

		if (owed > worst)
			worst = owed;
	}
	return worst;
}

/* Bits of the demands of which something is owed. */
static uint64_t owing(const struct qs_state *state, const struct qs_job *job,
		      const int64_t *before)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint64_t bits = 0;

	for (uint32_t i = 0; i < job->ndemands; i++) {
		if (qs_quota_owed(state, job, &d[i], QS_VIEW_ENDED, before[i]))
			bits |= UINT64_C(1) << i;
	}
	return bits;
}

static bool suffice(struct qs_state *state, const struct qs_job *job,
		    enum qs_kind kind, const int64_t *before)
{
	return !still_owed(state, job, kind, before) &&
	       qs_place_exists(state, job, QS_VIEW_ENDED, false);
}

/* The end of a choice: it suffices, and places are found for the job. */
static bool settled(struct qs_state *state, const struct qs_job *job,
		    enum qs_kind kind, const int64_t *before)
{
	return state->npicked > 0 && !still_owed(state, job, kind, before) &&
	       qs_place_find(state, job, QS_VIEW_ENDED, false);
}

static bool pick_for_quota(struct qs_state *state, const struct qs_job *job,
			   enum qs_kind kind, const int64_t *before)
{
	int64_t need;

	while ((need = still_owed(state, job, kind, before)) > 0) {
		int64_t best;

		if (job->ndemands > 1)
			qs_cands_need(state, job, owing(state, job, before));
		best = qs_cands_best(state, job, NULL, state->ncands, need,
				     false);

		if (best < 0)
			return false;
		qs_cands_pick(state, job, (uint32_t)best);
	}
	return true;
}

/* One pass in reverse order over the victims; true if one of them was dropped. */
static bool drop_needless(struct qs_state *state, const struct qs_job *job,
			  enum qs_kind kind, const int64_t *before)
{
	bool dropped = false;

	for (uint32_t i = state->npicked; i > 0; i--) {
		uint32_t cand = state->picked[i - 1];

		qs_state_set_gone(state, state->cands[cand].job, false);
		if (suffice(state, job, kind, before)) {
			qs_cands_unpick(state, job, cand);
			dropped = true;
		} else {
			qs_state_set_gone(state, state->cands[cand].job, true);
		}
	}
	return dropped;
}

/* R10 step 5: drop whoever is not needed. Who stays brings GPUs back into
 * service if he is on a drained node: then another may be needless too. */
static void prune(struct qs_state *state, const struct qs_job *job,
		  enum qs_kind kind, const int64_t *before)
{
	while (drop_needless(state, job, kind, before) && !state->all_up)
		;
}

/* What a victim holds beyond its share's capacity while the others are gone:
 * R7 asked again. */
static uint32_t beyond_alone(struct qs_state *state, const struct qs_job *job,
			     uint32_t cand, const int64_t *before)
{
	struct qs_candidate *c = &state->cands[cand];
	uint64_t bits;

	qs_state_set_gone(state, c->job, false);
	bits = owing(state, job, before);
	/* Nothing owed: then it is a place that it is needed for. */
	qs_cands_need(state, job, bits ? bits : UINT64_MAX);
	qs_cands_refresh(state, job, c->sid);
	qs_state_set_gone(state, c->job, true);
	return c->beyond;
}

/* The first victim that would be an own job now, or -1. */
static int64_t find_innocent(struct qs_state *state, const struct qs_job *job,
			     enum qs_kind kind, const int64_t *before)
{
	if (kind == QS_KIND_IN_SHARE)
		return -1;
	for (uint32_t i = 0; i < state->npicked; i++) {
		struct qs_candidate *c = &state->cands[state->picked[i]];
		uint32_t was = c->beyond;

		if (c->gpus == c->beyond && job->ndemands == 1)
			continue; /* nothing of it was ever own */
		if (!beyond_alone(state, job, state->picked[i], before))
			return state->picked[i];
		c->beyond = was;
	}
	return -1;
}

void qs_victims_undo(struct qs_state *state)
{
	for (uint32_t i = state->npicked; i > 0; i--)
		qs_state_set_gone(state, state->cands[state->picked[i - 1]].job,
				  false);
	state->npicked = 0;
}

/* Take everybody back and count anew what is beyond, of all types: what was
 * needed last depends on which node was looked at last. */
static void start_over(struct qs_state *state, const struct qs_job *job)
{
	qs_victims_undo(state);
	state->needed = UINT64_MAX;
	for (uint32_t sid = 0; sid < state->nsids; sid++) {
		if (qs_state_sid_queue(state, sid) ==
		    qs_state_queue(state, job))
			qs_cands_refresh(state, job, sid);
	}
}

/* Go on from what is picked. afresh: where R10 by quota finds no place, take
 * back what it picked before nodes are cleared. */
static bool pick_all(struct qs_state *state, const struct qs_job *job,
		     enum qs_kind kind, const int64_t *before, bool afresh)
{
	if (pick_for_quota(state, job, kind, before) &&
	    qs_place_exists(state, job, QS_VIEW_ENDED, false))
		return true;
	if (afresh)
		start_over(state, job);
	return qs_nodes_clear(state, job) &&
	       pick_for_quota(state, job, kind, before) &&
	       qs_place_exists(state, job, QS_VIEW_ENDED, false);
}

/* When a victim turns out to be an own job while the others are gone. */
enum amends {
	/* He is let go, the others stay. */
	LET_HIM_GO,
	/* He may not be picked, and all begins anew. */
	FORBID_HIM,
	/* Nor may those of his share that are partly own: when such a job goes
	 * as a whole, its own part is filled by those behind it (R4). */
	FORBID_PARTLY_OWN,
};

static bool is_partly_own(const struct qs_candidate *c)
{
	return c->beyond && c->gpus != c->beyond;
}

/* Nobody is picked then. share: of one share; UINT32_MAX: of all. */
static void forbid_partly_own(struct qs_state *state, const struct qs_job *job,
			      uint32_t share)
{
	start_over(state, job);
	for (uint32_t i = 0; i < state->ncands; i++) {
		struct qs_candidate *c = &state->cands[i];

		if (share == UINT32_MAX || c->sid == share)
			c->out = c->out || is_partly_own(c);
	}
}

/* Pick, prune and make amends until nobody turns out to be an own job.
 * *innocents: there was such a one. */
static bool settle(struct qs_state *state, const struct qs_job *job,
		   enum qs_kind kind, const int64_t *before, enum amends amends,
		   bool *innocents)
{
	*innocents = false;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		int64_t innocent;

		if (!pick_all(state, job, kind, before,
			      amends != LET_HIM_GO || !round))
			return false;
		prune(state, job, kind, before);
		innocent = find_innocent(state, job, kind, before);
		if (innocent < 0)
			return settled(state, job, kind, before);
		*innocents = true;
		switch (amends) {
		case LET_HIM_GO:
			qs_cands_unpick(state, job, (uint32_t)innocent);
			break;
		case FORBID_HIM:
			state->cands[innocent].out = true;
			start_over(state, job);
			break;
		case FORBID_PARTLY_OWN:
			forbid_partly_own(state, job,
					  state->cands[innocent].sid);
			break;
		}
	}
	return false;
}

static void forget(struct qs_state *state, const struct qs_job *job)
{
	for (uint32_t i = 0; i < state->ncands; i++)
		state->cands[i].out = false;
	start_over(state, job);
}

/* A set in which nobody is own: by R10 as it comes, without those who would
 * be own, without those who would make them own. */
static bool settle_somehow(struct qs_state *state, const struct qs_job *job,
			   enum qs_kind kind, const int64_t *before)
{
	bool partly = false, innocents;

	if (settle(state, job, kind, before, LET_HIM_GO, &innocents))
		return true;
	forget(state, job);
	/* With nobody to forbid it would be the same search again. */
	if (innocents &&
	    settle(state, job, kind, before, FORBID_HIM, &innocents))
		return true;
	forget(state, job);
	for (uint32_t i = 0; i < state->ncands && kind == QS_KIND_CROSS; i++)
		partly |= is_partly_own(&state->cands[i]);
	if (!partly)
		return false;
	if (settle(state, job, kind, before, FORBID_PARTLY_OWN, &innocents))
		return true;
	forget(state, job);
	forbid_partly_own(state, job, UINT32_MAX);
	return settle(state, job, kind, before, FORBID_HIM, &innocents);
}

/*
 * A job of several types: the best by one type may not be the one that frees
 * the other as well. Take whoever may be taken, then prune.
 */
static bool settle_all(struct qs_state *state, const struct qs_job *job,
		       enum qs_kind kind, const int64_t *before)
{
	int64_t best;

	forget(state, job);
	qs_cands_need(state, job, UINT64_MAX);
	while ((best = qs_cands_best(state, job, NULL, state->ncands, 1,
				     false)) >= 0)
		qs_cands_pick(state, job, (uint32_t)best);
	if (!suffice(state, job, kind, before))
		return false;
	for (uint32_t round = 0; round <= state->ncands; round++) {
		int64_t innocent;

		prune(state, job, kind, before);
		innocent = find_innocent(state, job, kind, before);
		if (innocent < 0)
			return settled(state, job, kind, before);
		qs_cands_unpick(state, job, (uint32_t)innocent);
		if (!suffice(state, job, kind, before))
			return false;
	}
	return false;
}

/* GPUs of the wanted types that leave service as things are. */
static int64_t leaving(const struct qs_state *state, const struct qs_job *job)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	size_t queue = (size_t)qs_state_queue(state, job);
	int64_t sum = 0;

	for (uint32_t i = 0; i < job->ndemands; i++)
		sum += state->leaving[queue * state->ntypes + d[i].type];
	return sum;
}

/*
 * Would it help if every candidate were gone? If not, no choice of them helps,
 * and most jobs that wait in a full cluster are told so by this one question:
 * whatever goes leaves fewer loans, more that is lent, and more room on nodes,
 * so what suffices goes on to suffice when others go too. The exception are
 * nodes that are not up: with a loan there a debt that nobody could pay comes
 * back, and what is held there leaves service with who holds it; then only the
 * search tells.
 */
static bool may_help(struct qs_state *state, const struct qs_job *job,
		     enum qs_kind kind, const int64_t *before)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	const struct qs_candidate *cands = state->cands;
	int64_t left_before = leaving(state, job);
	uint64_t touched = state->touched;
	uint32_t n = state->ncands;
	bool helps;

	for (uint32_t i = 0; i < job->ndemands; i++) {
		if (state->stuck[(size_t)qs_state_queue(state, job) *
					 state->ntypes +
				 d[i].type])
			return true;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (i + 2 * QS_AHEAD < n)
			qs_fetch_held(state, cands[i + 2 * QS_AHEAD].job);
		if (i + QS_AHEAD < n)
			qs_fetch_slot(state, cands[i + QS_AHEAD].job);
		qs_state_set_gone(state, cands[i].job, true);
	}
	helps = suffice(state, job, kind, before) ||
		leaving(state, job) != left_before;
	for (uint32_t i = 0; i < n; i++)
		qs_state_set_gone(state, cands[i].job, false);
	/* All is as it was. */
	state->touched = touched;
	return helps;
}

bool qs_victims_choose(struct qs_state *state, const struct qs_job *job,
		       enum qs_kind kind)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	int64_t before[QS_TYPES_MAX];

	state->owed_before = 0;
	for (uint32_t i = 0; i < job->ndemands; i++) {
		before[i] = qs_quota_base(state, job, &d[i], QS_VIEW_ENDED);
		if (before[i] > state->owed_before)
			state->owed_before = before[i];
	}
	if (!qs_cands_collect(state, job, kind) ||
	    !may_help(state, job, kind, before))
		return false;
	if (settle_somehow(state, job, kind, before))
		return true;
	if (job->ndemands > 1 && settle_all(state, job, kind, before))
		return true;
	qs_victims_undo(state);
	return false;
}
