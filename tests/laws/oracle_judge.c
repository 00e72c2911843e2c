/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_judge.c - R5 to R8 and R10 for one job, as the rules read
 *
 * Victims without nodes are named exactly; where nodes decide, the judgement
 * only says whether a set exists, found by trying all of them.
 */
#include "oracle_judge.h"

#include <string.h>

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

bool law_entitled(const struct state *st, const struct law_job *job)
{
	if (job->share < 0)
		return false;
	for (int t = 0; t < st->w->ntypes; t++) {
		const struct law_share *share = &st->w->shares[job->share];

		if (job->gpus[t] &&
		    state_used(st, job->share, t, NOW) + job->gpus[t] >
			    share->capacity[t])
			return false;
	}
	return true;
}

/* What the start adds to the debt; *before is taken with nobody gone. */
static int64_t owed(struct state *st, const struct law_job *job, int t,
		    enum when when)
{
	uint32_t less[LAW_SHARES][LAW_TYPES];
	bool gone[LAW_HOLDERS];
	int64_t before, after;

	memcpy(gone, st->gone, sizeof(gone));
	memcpy(less, st->less, sizeof(less));
	memset(st->gone, 0, sizeof(st->gone));
	memset(st->less, 0, sizeof(st->less));
	before = state_excess(st, t, when);
	/* A claimant owes no more than what it claimed for: what its own need
	 * will owe when all is gone that ends. */
	if (job->claim) {
		int64_t claimed;

		state_add(st, job, -1);
		claimed = state_excess(st, t, ENDED);
		st->nholders--;
		before = most(before, claimed);
	}
	memcpy(st->gone, gone, sizeof(gone));
	memcpy(st->less, less, sizeof(less));
	state_add(st, job, -1);
	after = state_excess(st, t, when);
	st->nholders--;
	return after - before;
}

/* R6: sum over the other lending shares, less all loans. */
static int64_t lendable(const struct state *st, int share, int t,
			enum when when)
{
	int64_t sum = -state_out_of_service(st, t) - state_loans(st, t, when);

	for (int o = 0; o < st->w->nshares; o++) {
		int64_t idle, lends = law_lends(st->w, o, t);

		if (o == share || st->w->shares[o].queue != st->queue)
			continue;
		idle = most(0, st->w->shares[o].capacity[t] -
				       state_used(st, o, t, when));
		sum += idle < lends ? idle : lends;
	}
	return sum;
}

static bool own_or_borrow_type(struct state *st, const struct law_job *job,
			       int t, enum when when)
{
	int64_t used = state_used(st, job->share, t, when);
	int64_t capacity = st->w->shares[job->share].capacity[t];
	int64_t after = used + job->gpus[t];

	if (after <= capacity)
		return owed(st, job, t, when) <= 0;
	if (after > law_limit(st->w, job->share, t))
		return false;
	if (!job->requeue && !st->w->queues[st->queue].non_requeue_borrow)
		return false;
	return after - most(used, capacity) <=
	       lendable(st, job->share, t, when);
}

bool law_own_or_borrow(struct state *st, const struct law_job *job,
		       enum when when)
{
	for (int t = 0; t < st->w->ntypes; t++) {
		if (job->gpus[t] && !own_or_borrow_type(st, job, t, when))
			return false;
	}
	return true;
}

bool law_suffices(struct state *st, const struct law_job *job, enum qs_how how)
{
	if (how == QS_HOW_IN_SHARE) {
		if (!law_own_or_borrow(st, job, ENDED))
			return false;
	} else {
		for (int t = 0; t < st->w->ntypes; t++) {
			if (job->gpus[t] && owed(st, job, t, ENDED) > 0)
				return false;
		}
	}
	return state_places(st, job, ENDED);
}

static bool is_protected(const struct state *st, const struct holder *h)
{
	return h->share >= 0 &&
	       st->w->now - h->start < st->w->shares[h->share].min_runtime;
}

/* R10a: does it hold anything in service? What else the job needs of a place
 * shows in whether the set is enough. */
static bool in_service(const struct state *st, const struct holder *h)
{
	for (int n = 0; n < st->w->nnodes; n++) {
		if (st->w->nodes[n].state == QS_NODE_UP &&
		    h->on[n][0] + h->on[n][1] + h->on[n][2])
			return true;
	}
	return !st->w->has_nodes;
}

bool law_may_take(struct state *st, const struct law_job *job, int holder,
		  enum qs_how how, bool protected_too)
{
	const struct holder *h = &st->holders[holder];

	if (h->ends || h->decided || st->gone[holder] || !in_service(st, h))
		return false;
	if (!protected_too && is_protected(st, h))
		return false;
	/* R14 */
	if (job->displaced_by && h->id == job->displaced_by)
		return false;
	for (int t = 0; t < st->w->ntypes; t++) {
		if (!job->gpus[t] || !h->gpus[t])
			continue;
		if (how == QS_HOW_IN_SHARE && h->share == job->share &&
		    h->priority < job->priority)
			return true;
		if (how == QS_HOW_RECLAIM && h->share != job->share &&
		    state_beyond(st, holder, t, ENDED) > 0)
			return true;
	}
	return false;
}

/* How many GPUs of the type quota still asks for. */
static int64_t missing(struct state *st, const struct law_job *job, int t,
		       enum qs_how how)
{
	uint32_t *less = &st->less[job->share][t];
	int64_t need;

	if (!job->gpus[t])
		return 0;
	if (how == QS_HOW_RECLAIM)
		return most(0, owed(st, job, t, ENDED));
	while (*less < 1000 && !own_or_borrow_type(st, job, t, ENDED))
		++*less;
	need = *less;
	*less = 0;
	return need;
}

/* R10 step 1: beyond / capacity, 0 capacity is infinite, ties by name. */
static bool pays_before(const struct state *st, int a, int b, int t)
{
	const struct law_world *w = st->w;
	int64_t ca = a < 0 ? 0 : w->shares[a].capacity[t];
	int64_t cb = b < 0 ? 0 : w->shares[b].capacity[t];
	int64_t ba = most(0, state_used(st, a, t, ENDED) - ca);
	int64_t bb = most(0, state_used(st, b, t, ENDED) - cb);

	if (!ca != !cb)
		return !ca;
	if (ca && ba * cb != bb * ca)
		return ba * cb > bb * ca;
	if (a < 0 || b < 0)
		return a < b;
	return strcmp(w->shares[a].name, w->shares[b].name) < 0;
}

/* R10 step 3: the key of fit, smaller is better. */
static int64_t fit(const struct state *st, int holder, int t, int64_t need,
		   enum qs_how how)
{
	int64_t whole = st->holders[holder].gpus[t], part = whole;

	if (how == QS_HOW_RECLAIM)
		part = state_beyond(st, holder, t, ENDED);
	if (part >= need)
		return whole - need;
	return 1000000 - part;
}

static bool goes_before(const struct state *st, int a, int b, int t,
			int64_t need, enum qs_how how)
{
	const struct holder *x = &st->holders[a], *y = &st->holders[b];
	const uint8_t *order = st->w->queues[st->queue].victim_order;

	if (how == QS_HOW_RECLAIM && x->share != y->share)
		return pays_before(st, x->share, y->share, t);
	for (int i = 0; i < QS_VICTIM_STEPS; i++) {
		int64_t kx = 0, ky = 0;

		switch ((enum qs_victim_step)order[i]) {
		case QS_VICTIM_PRIORITY:
			kx = x->priority;
			ky = y->priority;
			break;
		case QS_VICTIM_FIT:
			kx = fit(st, a, t, need, how);
			ky = fit(st, b, t, need, how);
			break;
		case QS_VICTIM_DURATION:
			kx = -x->start;
			ky = -y->start;
			break;
		default:
			break;
		}
		if (kx != ky)
			return kx < ky;
	}
	return x->id > y->id;
}

static int next_victim(struct state *st, const struct law_job *job, int t,
		       enum qs_how how, bool protected_too)
{
	int64_t need = missing(st, job, t, how);
	int best = -1;

	for (int i = 0; i < st->nholders; i++) {
		int64_t part = st->holders[i].gpus[t];

		if (!law_may_take(st, job, i, how, protected_too))
			continue;
		if (how == QS_HOW_RECLAIM)
			part = state_beyond(st, i, t, ENDED);
		if (part &&
		    (best < 0 || goes_before(st, i, best, t, need, how)))
			best = i;
	}
	return best;
}

/*
 * Is a GPU of the type what the job still lacks? Where only all types together
 * find no node it can be any of them; strictly, it is none.
 */
static bool lacks(struct state *st, const struct law_job *job, int t,
		  bool strict)
{
	struct law_job only = *job;

	if (!job->gpus[t])
		return false;
	if (owed(st, job, t, ENDED) > 0)
		return true;
	if (state_places(st, job, ENDED))
		return false;
	if (!strict)
		return true;
	for (int o = 0; o < LAW_TYPES; o++)
		only.gpus[o] = o == t ? job->gpus[o] : 0;
	return !state_places(st, &only, ENDED);
}

bool law_all_may_go(struct state *st, const struct law_job *job,
		    enum qs_how how, bool protected_too, bool strict)
{
	bool may = true;

	for (int i = 0; i < st->nholders && may; i++) {
		bool needed = how == QS_HOW_IN_SHARE;

		if (!st->gone[i])
			continue;
		st->gone[i] = false;
		for (int t = 0; t < st->w->ntypes && !needed; t++)
			needed = state_beyond(st, i, t, ENDED) > 0 &&
				 lacks(st, job, t, strict);
		may = needed && law_may_take(st, job, i, how, protected_too);
		st->gone[i] = true;
	}
	return may;
}

/* R10 by quota alone. True if there is room for the job then; the set is in
 * the order of choice in out. Else it is for places to say who goes. */
static bool choose(struct state *st, const struct law_job *job, enum qs_how how,
		   bool protected_too, struct judgement *out)
{
	out->nvictims = 0;
	for (int t = 0; t < st->w->ntypes; t++) {
		while (missing(st, job, t, how) > 0) {
			int v = next_victim(st, job, t, how, protected_too);

			if (v < 0)
				return false;
			st->gone[v] = true;
			out->victims[out->nvictims++] = (uint32_t)v;
		}
	}
	if (!law_suffices(st, job, how))
		return false;
	for (uint32_t i = out->nvictims; i-- > 0;) {
		st->gone[out->victims[i]] = false;
		if (law_suffices(st, job, how)) {
			memmove(&out->victims[i], &out->victims[i + 1],
				(out->nvictims - i - 1) *
					sizeof(out->victims[0]));
			out->nvictims--;
		} else {
			st->gone[out->victims[i]] = true;
		}
	}
	return law_all_may_go(st, job, how, protected_too, true);
}

/*
 * Is there any set of jobs that R7 or R8 may take and that suffices? Strict:
 * each of them still has something beyond when the others are gone.
 */
static bool exists(struct state *st, const struct law_job *job, enum qs_how how,
		   bool protected_too, bool strict)
{
	int may[LAW_HOLDERS], n = 0;
	bool found = false;

	for (int i = 0; i < st->nholders; i++) {
		if (law_may_take(st, job, i, how, protected_too))
			may[n++] = i;
	}
	if (n > 14)
		n = 14;
	for (uint32_t set = 0; set < 1u << n && !found; set++) {
		bool legal = true;

		for (int i = 0; i < n; i++)
			st->gone[may[i]] = set >> i & 1;
		if (strict)
			legal = law_all_may_go(st, job, how, protected_too,
					       true);
		found = legal && law_suffices(st, job, how);
	}
	memset(st->gone, 0, sizeof(st->gone));
	return found;
}

static int types_of(const struct law_world *w, const struct law_job *job)
{
	int n = 0;

	for (int t = 0; t < w->ntypes; t++)
		n += job->gpus[t] > 0;
	return n;
}

/* Is it a node alone, with nothing owed, that one of several types lacks?
 * In which order types and nodes are cleared then is open. */
static bool places_lead(struct state *st, const struct law_job *job)
{
	bool lack = false;

	for (int t = 0; t < st->w->ntypes; t++) {
		if (lacks(st, job, t, true) && owed(st, job, t, ENDED) <= 0)
			return true;
		lack |= lacks(st, job, t, true);
	}
	return !lack;
}

/*
 * 0: there is no set; 2: there is one, and it must be found; 1: there is one
 * that the rules do not lead to without doubt: it takes a job which would be
 * own by then, or serves several types at once.
 */
static int search(struct state *st, const struct law_job *job, enum qs_how how,
		  bool protected_too, struct judgement *out)
{
	bool several = types_of(st->w, job) > 1;
	bool chosen = choose(st, job, how, protected_too, out);

	memset(st->gone, 0, sizeof(st->gone));
	/* With several types R10 does not say which comes first. */
	out->exact = chosen && !several;
	if (chosen)
		return several && places_lead(st, job) ? 1 : 2;
	if (exists(st, job, how, protected_too, true))
		return several ? 1 : 2;
	return exists(st, job, how, protected_too, false) ? 1 : 0;
}

static bool try_victims(struct state *st, const struct law_job *job,
			enum qs_how how, struct judgement *out)
{
	int found = search(st, job, how, false, out);

	if (!found)
		return false;
	out->verdict = QS_VERDICT_START;
	out->how = how;
	out->codes = how == QS_HOW_IN_SHARE ? CODE(PRIORITY) :
					      CODE(QUOTA) | CODE(PLACEMENT);
	out->either = found == 1;
	return true;
}

static int protected_would(struct state *st, const struct law_job *job,
			   enum qs_how how)
{
	struct judgement unused;

	return search(st, job, how, true, &unused);
}

/* The codes that say something true about a job that waits. */
static uint32_t true_codes(struct state *st, const struct law_job *job)
{
	uint32_t codes = 0;
	bool over = false;

	for (int t = 0; t < st->w->ntypes; t++) {
		over |= job->gpus[t] &&
			state_used(st, job->share, t, NOW) + job->gpus[t] >
				law_limit(st->w, job->share, t);
	}
	/* R12a: it may use its own only; that is its limit. */
	if (over ||
	    (!job->requeue && !st->w->queues[st->queue].non_requeue_borrow))
		codes |= CODE(LIMIT);
	if (!over && !law_own_or_borrow(st, job, NOW))
		codes |= CODE(NOTHING_LENDABLE);
	if (!state_places(st, job, NOW))
		codes |= CODE(PLACEMENT) | CODE(NODES_DOWN);
	return codes;
}

/* Would it start but for what is kept for others, or was given to them? */
static bool claims_keep_it(struct state *st, const struct law_job *job)
{
	bool starts;

	for (int i = 0; i < st->nholders; i++)
		st->gone[i] = st->holders[i].decided;
	starts = law_own_or_borrow(st, job, ENDED) &&
		 state_places(st, job, ENDED);
	memset(st->gone, 0, sizeof(st->gone));
	return starts;
}

static void judge_wait(struct state *st, const struct law_job *job,
		       struct judgement *out)
{
	bool enabled = st->w->shares[job->share].in_share;
	int off;

	out->codes = true_codes(st, job);
	off = enabled ? 0 : search(st, job, QS_HOW_IN_SHARE, false, out);
	if (off == 2)
		out->codes = CODE(IN_SHARE_OFF);
	else if (off || protected_would(st, job, QS_HOW_IN_SHARE))
		out->codes |= CODE(PROTECTED) | CODE(IN_SHARE_OFF);
	if (claims_keep_it(st, job))
		out->codes |= CODE(CLAIMED);
	out->nvictims = 0;
}

void law_judge(struct state *st, const struct law_job *job,
	       struct judgement *out)
{
	bool entitled = law_entitled(st, job);
	int guarded = 0;

	memset(out, 0, sizeof(*out));
	/* R9: for whom the need is kept, by why it waits. */
	out->reserve_codes = (entitled || job->claim ? CODE(ENDING) : 0) |
			     (entitled ? CODE(PROTECTED) | CODE(CLAIMED) : 0);
	out->verdict = QS_VERDICT_WAIT;
	if (law_own_or_borrow(st, job, NOW) && state_places(st, job, NOW)) {
		out->verdict = QS_VERDICT_START;
		out->how = entitled ? QS_HOW_OWN : QS_HOW_BORROW;
		out->codes = CODE(NONE);
		out->exact = true;
		return;
	}
	if (law_own_or_borrow(st, job, ENDED) && state_places(st, job, ENDED)) {
		out->codes = CODE(ENDING);
		return;
	}
	if (entitled && try_victims(st, job, QS_HOW_RECLAIM, out))
		return;
	if (st->w->shares[job->share].in_share &&
	    try_victims(st, job, QS_HOW_IN_SHARE, out))
		return;
	if (entitled)
		guarded = protected_would(st, job, QS_HOW_RECLAIM);
	if (guarded == 2) {
		out->codes = CODE(PROTECTED);
		if (claims_keep_it(st, job))
			out->codes |= CODE(CLAIMED);
		return;
	}
	judge_wait(st, job, out);
	/* Only R14 or R10a can be in an owner's way here: no word is fixed. */
	if (entitled && out->codes != CODE(IN_SHARE_OFF))
		out->codes |=
			CODE(PLACEMENT) | CODE(NODES_DOWN) | CODE(CLAIMED);
	if (guarded)
		out->codes |= CODE(PROTECTED);
}
