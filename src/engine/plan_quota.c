/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_quota.c - R3, R5, R6 and the quota half of R7 on counts
 *
 * "May be lent" and "may be taken back" are one predicate (law 8): both come
 * from sums_of(). Linear in the number of shares once for each change of the
 * state, then constant; allocates nothing.
 */
#include "plan_state.h"

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What a share has on loan when it holds so much. */
static int64_t loan_of(const struct qs_cell *cell, int64_t held)
{
	return max64(0, held - cell->capacity);
}

/* What it lends then, so much of its idle GPUs being wanted by itself. */
static int64_t lent_by(const struct qs_cell *cell, int64_t held, int64_t wanted)
{
	return min64(max64(0, cell->capacity - held - wanted), cell->lends);
}

/* The sums of a queue and type as they are; less what is out of service. */
static const struct qs_sums *sums_of(const struct qs_state *state,
				     int32_t queue, uint32_t type,
				     enum qs_view view)
{
	size_t at = (size_t)queue * state->ntypes + type;
	struct qs_sums *sums = &state->sums[at * QS_VIEWS + view];

	if (sums->at == state->touched + 1)
		return sums;
	*sums = (struct qs_sums){
		.lent = -qs_service_out(state, queue, type, view),
		.at = state->touched + 1,
	};
	for (uint32_t sid = 0; sid < state->nsids; sid++) {
		const struct qs_cell *cell = qs_state_cell(state, sid, type);
		int64_t held = qs_cell_held(cell, view);

		if (cell->queue != queue)
			continue;
		sums->loans += loan_of(cell, held);
		sums->lent += lent_by(cell, held, 0);
	}
	return sums;
}

/* GPUs of a type on loan in a queue, and GPUs that its shares lend now, as if
 * the share sid used so many more. */
static void loans_and_lent(const struct qs_state *state, int32_t queue,
			   uint32_t type, enum qs_view view, uint32_t sid,
			   int64_t extra, int64_t *loans, int64_t *lent)
{
	const struct qs_sums *sums = sums_of(state, queue, type, view);
	const struct qs_cell *cell = qs_state_cell(state, sid, type);
	int64_t held = qs_cell_held(cell, view);

	*loans = sums->loans;
	*lent = sums->lent;
	if (!extra || cell->queue != queue)
		return;
	*loans += loan_of(cell, held + extra) - loan_of(cell, held);
	*lent += lent_by(cell, held + extra, 0) - lent_by(cell, held, 0);
}

/* GPUs to take back. Never more than there are loans that can come back: what
 * is missing from service takes nothing back, and a loan on a node that is
 * drained gives nothing. */
static int64_t debt(const struct qs_state *state, int32_t queue, uint32_t type,
		    int64_t loans, int64_t lent)
{
	loans = max64(
		0, loans - state->stuck[(size_t)queue * state->ntypes + type]);
	return min64(loans, loans - lent);
}

bool qs_quota_entitled(const struct qs_state *state, const struct qs_job *job,
		       enum qs_view view)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t sid = qs_state_sid(state, job);

	for (uint32_t i = 0; i < job->ndemands; i++) {
		const struct qs_cell *cell =
			qs_state_cell(state, sid, d[i].type);

		if (qs_cell_held(cell, view) + d[i].gpus > cell->capacity)
			return false;
	}
	return true;
}

int64_t qs_quota_owed_before(const struct qs_state *state, int32_t queue,
			     uint32_t type, enum qs_view view)
{
	const struct qs_sums *sums = sums_of(state, queue, type, view);

	return max64(0, debt(state, queue, type, sums->loans, sums->lent));
}

/* What is owed once the job has started. */
static int64_t owed_with(const struct qs_state *state, const struct qs_job *job,
			 const struct qs_demand *demand, enum qs_view view)
{
	int32_t queue = qs_state_queue(state, job);
	int64_t loans, lent;

	loans_and_lent(state, queue, demand->type, view,
		       qs_state_sid(state, job), demand->gpus, &loans, &lent);
	return debt(state, queue, demand->type, loans, lent);
}

/* Who goes from a drained node takes GPUs out of service: what is owed by that
 * is not what the start adds either. */
static int64_t owed_anyway(const struct qs_state *state,
			   const struct qs_job *job,
			   const struct qs_demand *demand, enum qs_view view,
			   int64_t owed_before)
{
	if (state->all_up)
		return owed_before;
	return max64(owed_before,
		     qs_quota_owed_before(state, qs_state_queue(state, job),
					  demand->type, view));
}

int64_t qs_quota_owed(const struct qs_state *state, const struct qs_job *job,
		      const struct qs_demand *demand, enum qs_view view,
		      int64_t owed_before)
{
	/* A number that changed stops nobody (R8a): only what this start adds
	 * to the debt has to come back. */
	return max64(
		0, owed_with(state, job, demand, view) -
			   owed_anyway(state, job, demand, view, owed_before));
}

int64_t qs_quota_lendable(const struct qs_state *state, uint32_t sid,
			  uint32_t type, enum qs_view view)
{
	int32_t queue = qs_state_sid_queue(state, sid);
	const struct qs_sums *sums = sums_of(state, queue, type, view);
	const struct qs_cell *cell = qs_state_cell(state, sid, type);
	int64_t lent = sums->lent - lent_by(cell, qs_cell_held(cell, view), 0);

	/* Asked for the loan of a borrower only. */
	for (uint32_t s = 0; state->owners_first && s < state->nsids; s++) {
		const struct qs_cell *other = qs_state_cell(state, s, type);
		int64_t held = qs_cell_held(other, view);

		if (s != sid && other->queue == queue)
			lent += lent_by(other, held, other->wanted) -
				lent_by(other, held, 0);
	}
	return lent - sums->loans;
}

int64_t qs_quota_borrows(const struct qs_state *state, const struct qs_job *job,
			 const struct qs_demand *demand, enum qs_view view)
{
	const struct qs_cell *cell =
		qs_state_cell(state, qs_state_sid(state, job), demand->type);
	int64_t held = qs_cell_held(cell, view);

	return max64(0, held + demand->gpus - cell->capacity) -
	       max64(0, held - cell->capacity);
}

bool qs_quota_borrower(const struct qs_state *state, const struct qs_job *job)
{
	if (job->share < 0 || state->policy->shares[job->share].strategy !=
				      QS_STRATEGY_LEND_AND_BORROW)
		return false;
	/* R12a */
	return job->requeue || state->policy->queues[qs_state_queue(state, job)]
				       .non_requeue_borrow;
}

int64_t qs_quota_base(const struct qs_state *state, const struct qs_job *job,
		      const struct qs_demand *demand, enum qs_view view)
{
	int64_t base = qs_quota_owed_before(state, qs_state_queue(state, job),
					    demand->type, view);
	int64_t claimed;

	if (!qs_state_claims(state, job))
		return base;
	/* Its victims were chosen for what its start adds. While they go, what
	 * was owed before goes with them; it must not be asked for again. What
	 * is owed since then, because owners have come, must. */
	claimed = max64(0, owed_with(state, job, demand, QS_VIEW_ENDED));
	return max64(base, min64(claimed, job->claim_owed));
}

/*
 * R9: is own room of the job's share kept for a claimant? Whoever goes beyond
 * the share's own past it fills that room by R4, and the claimant, for whom
 * somebody was stopped, would have to borrow. Who has a claim itself was asked
 * when that was made.
 */
static bool own_is_kept(const struct qs_state *state, const struct qs_job *job,
			uint32_t type)
{
	return qs_state_cell(state, qs_state_sid(state, job), type)->own_for &&
	       !qs_state_claims(state, job);
}

bool qs_quota_may_borrow(const struct qs_state *state, const struct qs_job *job,
			 enum qs_view view, const int64_t *before,
			 enum qs_code *code, uint32_t *failing)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t sid = qs_state_sid(state, job);
	bool borrower = qs_quota_borrower(state, job);

	/* The share's own limit first: it is what its owner can see. */
	for (uint32_t i = 0; i < job->ndemands; i++) {
		const struct qs_cell *cell =
			qs_state_cell(state, sid, d[i].type);
		int64_t used = qs_cell_held(cell, view) + d[i].gpus;

		if (used > (borrower ? cell->limit : cell->capacity)) {
			*code = QS_CODE_LIMIT;
			*failing = i;
			return false;
		}
	}
	for (uint32_t i = 0; i < job->ndemands; i++) {
		int64_t borrows = qs_quota_borrows(state, job, &d[i], view);
		bool fits = borrows <=
			    qs_quota_lendable(state, sid, d[i].type, view);

		/* Of this type it takes own GPUs only, which may be on loan:
		 * a borrowing job takes nothing back (R6). */
		if (!borrows)
			fits = !qs_quota_owed(
				state, job, &d[i], view,
				before ?
					before[i] :
					qs_quota_base(state, job, &d[i], view));
		if (!fits) {
			*code = QS_CODE_NOTHING_LENDABLE;
			*failing = i;
			return false;
		}
		if (borrows && own_is_kept(state, job, d[i].type)) {
			*code = QS_CODE_CLAIMED;
			*failing = i;
			return false;
		}
	}
	return true;
}

/* What must be free so that the job starts as own and nothing more is owed: to
 * come within the capacity, and, if all of it is in use then, what others hold
 * of it. */
static int64_t short_as_own(const struct qs_state *state,
			    const struct qs_job *job,
			    const struct qs_demand *demand, enum qs_view view,
			    int64_t owed_before)
{
	uint32_t sid = qs_state_sid(state, job);
	const struct qs_cell *cell = qs_state_cell(state, sid, demand->type);
	int64_t held = qs_cell_held(cell, view);
	int32_t queue = qs_state_queue(state, job);
	int64_t loans, lent, owed;

	loans_and_lent(state, queue, demand->type, view, sid,
		       max64(0, cell->capacity - held), &loans, &lent);
	owed = debt(state, queue, demand->type, loans, lent) -
	       owed_anyway(state, job, demand, view, owed_before);
	return held + demand->gpus - cell->capacity + max64(0, owed);
}

int64_t qs_quota_short(const struct qs_state *state, const struct qs_job *job,
		       enum qs_view view, const int64_t *before)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	uint32_t sid = qs_state_sid(state, job);
	int64_t worst = 0;

	for (uint32_t i = 0; i < job->ndemands; i++) {
		const struct qs_cell *cell =
			qs_state_cell(state, sid, d[i].type);
		int64_t held = qs_cell_held(cell, view);
		int64_t as_own =
			short_as_own(state, job, &d[i], view, before[i]);
		int64_t borrow = qs_quota_borrows(state, job, &d[i], view) -
				 qs_quota_lendable(state, sid, d[i].type, view);

		if (cell->limit != INT64_MAX)
			borrow = max64(borrow, held + d[i].gpus - cell->limit);
		if (!qs_quota_borrower(state, job) ||
		    own_is_kept(state, job, d[i].type))
			borrow = as_own;
		worst = max64(worst, min64(as_own, borrow));
	}
	return worst;
}

int qs_ratio_compare(struct qs_ratio a, struct qs_ratio b)
{
	if (!a.capacity || !b.capacity)
		return (a.capacity ? 0 : 1) - (b.capacity ? 0 : 1);
	if (a.beyond * b.capacity == b.beyond * a.capacity)
		return 0;
	return a.beyond * b.capacity > b.beyond * a.capacity ? 1 : -1;
}

struct qs_ratio qs_quota_ratio(const struct qs_state *state,
			       const struct qs_job *job, uint32_t sid,
			       enum qs_view view)
{
	const struct qs_demand *d = qs_state_demands(state, job);
	struct qs_ratio worst = { 0, 1 };

	for (uint32_t k = 0; k < job->ndemands; k++) {
		const struct qs_cell *cell =
			qs_state_cell(state, sid, d[k].type);
		struct qs_ratio mine = { qs_cell_held(cell, view) -
						 cell->capacity,
					 cell->capacity };

		if (mine.beyond > 0 && qs_ratio_compare(mine, worst) > 0)
			worst = mine;
	}
	return worst;
}

static bool owes_nothing(const struct qs_state *state, const struct qs_job *job,
			 enum qs_view view)
{
	const struct qs_demand *d = qs_state_demands(state, job);

	for (uint32_t i = 0; i < job->ndemands; i++) {
		if (qs_quota_owed(state, job, &d[i], view,
				  qs_quota_base(state, job, &d[i], view)))
			return false;
	}
	return true;
}

bool qs_quota_startable(const struct qs_state *state, const struct qs_job *job,
			enum qs_view view)
{
	enum qs_code code;
	uint32_t failing;

	if (!qs_quota_entitled(state, job, view))
		return qs_quota_borrower(state, job) &&
		       qs_quota_may_borrow(state, job, view, NULL, &code,
					   &failing);
	if (view != QS_VIEW_NOW)
		return owes_nothing(state, job, view);
	/* An owner does not wait for loans that another owner waits for: who
	 * waits is left out. But it must not owe when all of them run either. */
	return owes_nothing(state, job, QS_VIEW_REAL) &&
	       owes_nothing(state, job, QS_VIEW_ENDED);
}

static int32_t fact(int64_t gpus)
{
	return gpus > QS_FACT_MAX  ? QS_FACT_MAX :
	       gpus < -QS_FACT_MAX ? -QS_FACT_MAX :
				     (int32_t)gpus;
}

void qs_quota_facts(const struct qs_state *state, const struct qs_job *job,
		    uint32_t demand, struct qs_facts *facts)
{
	const struct qs_demand *d = qs_state_demands(state, job) + demand;
	uint32_t sid = qs_state_sid(state, job);
	int32_t queue = qs_state_queue(state, job);
	int64_t ending = 0, lends = 0;
	const struct qs_cell *cell;

	if (!job->ndemands)
		return;
	cell = qs_state_cell(state, sid, d->type);
	facts->type = d->type;
	facts->need = d->gpus;
	facts->capacity = fact(cell->capacity);
	facts->limit = job->share < 0 ? 0 : fact(cell->limit);
	facts->used = fact(cell->held);
	facts->lendable =
		fact(qs_quota_lendable(state, sid, d->type, QS_VIEW_NOW));
	for (uint32_t s = 0; s < state->nsids; s++) {
		const struct qs_cell *other = qs_state_cell(state, s, d->type);

		if (other->queue != queue)
			continue;
		ending += other->ending;
		if (s != sid)
			lends += other->lends;
	}
	facts->ending = fact(ending);
	facts->lendable_max = fact(lends);
	facts->pool = fact(qs_policy_pool(state->policy, queue, d->type));
	facts->missing =
		fact(qs_service_out(state, queue, d->type, QS_VIEW_NOW));
}
