/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_victims.c - R7, R8 and R10 for one job: who may go, who goes
 *
 * By quota alone R10 names the set. Where nodes decide, the rules only say
 * what a set must be: all sets are tried then.
 */
#include <string.h>

#include "oracle_judge.h"

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
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
		return most(0, law_owed(st, job, t, ENDED));
	st->owners_first = true;
	while (*less < 1000 && !law_own_or_borrow_type(st, job, t, ENDED))
		++*less;
	st->owners_first = false;
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
	if (law_owed(st, job, t, ENDED) > 0)
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
		if (lacks(st, job, t, true) && law_owed(st, job, t, ENDED) <= 0)
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
int law_search(struct state *st, const struct law_job *job, enum qs_how how,
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
