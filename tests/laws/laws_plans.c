/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * laws_plans.c - laws 4, 9, 11, 14 and 17: what any plan, table and text is
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/explain.h"
#include "engine/submit.h"
#include "engine/turns.h"
#include "laws.h"
#include "oracle_state.h"

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static uint32_t id_at(const struct planned *p, uint32_t node)
{
	return (uint32_t)p->view.node_of[node];
}

static bool same_decision(const struct planned *a, const struct planned *b,
			  uint32_t i)
{
	const struct qs_decision *x = &a->plan->decisions[i];
	const struct qs_decision *y = &b->plan->decisions[i];

	if (x->id != y->id || x->verdict != y->verdict || x->how != y->how ||
	    x->code != y->code || x->reserves != y->reserves ||
	    x->copies != y->copies || x->nvictims != y->nvictims ||
	    x->nsplits != y->nsplits || x->nplaces != y->nplaces ||
	    x->facts.behind != y->facts.behind ||
	    x->facts.lendable != y->facts.lendable ||
	    x->facts.used != y->facts.used || x->facts.until != y->facts.until)
		return false;
	for (uint32_t k = 0; k < x->nvictims; k++) {
		const struct qs_victim *v = &a->plan->victims[x->victims + k];
		const struct qs_victim *w = &b->plan->victims[y->victims + k];

		if (v->id != w->id || v->gpus != w->gpus ||
		    v->beyond != w->beyond || v->chosen != w->chosen)
			return false;
	}
	for (uint32_t k = 0; k < x->nsplits; k++) {
		const struct qs_split *v = &a->plan->splits[x->splits + k];
		const struct qs_split *w = &b->plan->splits[y->splits + k];

		if (v->own != w->own || v->borrowed != w->borrowed)
			return false;
	}
	for (uint32_t k = 0; k < x->nplaces; k++) {
		const struct qs_placed *v = &a->plan->places[x->places + k];
		const struct qs_placed *w = &b->plan->places[y->places + k];

		if (id_at(a, v->node) != id_at(b, w->node) ||
		    v->gpus != w->gpus || v->type != w->type)
			return false;
	}
	return true;
}

bool law_4(const struct law_world *world, char *why, size_t size)
{
	struct planned a, b;
	bool same = true;

	planned_make(&a, world, 0);
	for (uint64_t shuffle = 1; shuffle < 4 && same; shuffle++) {
		planned_make(&b, world, shuffle);
		if (a.plan->ndecisions != b.plan->ndecisions)
			same = law_no(why, size, "another number of decisions");
		for (uint32_t i = 0; i < a.plan->ndecisions && same; i++) {
			if (!same_decision(&a, &b, i))
				same = law_no(
					why, size,
					"decision on job %u (%s %s) depends "
					"on the order of the input (job %u "
					"%s %s)",
					a.plan->decisions[i].id,
					qs_how_name(a.plan->decisions[i].how),
					qs_code_name(a.plan->decisions[i].code),
					b.plan->decisions[i].id,
					qs_how_name(b.plan->decisions[i].how),
					qs_code_name(
						b.plan->decisions[i].code));
		}
		planned_free(&b);
		law_met++;
	}
	planned_free(&a);
	return same;
}
/* Law 9, the engine's half: own and borrowed parts are the charge. */
bool law_9(const struct law_world *world, char *why, size_t size)
{
	struct planned p;
	bool kept = true;

	planned_make(&p, world, 0);
	for (uint32_t i = 0; i < p.plan->ndecisions && kept; i++) {
		const struct qs_decision *d = &p.plan->decisions[i];
		const struct law_job *job =
			&world->jobs[planned_job(&p, d->job)];
		uint32_t sum[LAW_TYPES] = { 0 };

		if (d->verdict != QS_VERDICT_START)
			continue;
		law_met++;
		for (uint32_t k = 0; k < d->nsplits; k++) {
			const struct qs_split *s =
				&p.plan->splits[d->splits + k];

			sum[s->type] += s->own + s->borrowed;
			if (d->how == QS_HOW_OWN && s->borrowed)
				kept = law_no(why, size,
					      "job %u is own and borrows",
					      d->id);
		}
		for (int t = 0; t < world->ntypes && kept; t++) {
			if (sum[t] != job->gpus[t])
				kept = law_no(why, size,
					      "job %u is charged %u for %u",
					      d->id, sum[t], job->gpus[t]);
		}
	}
	planned_free(&p);
	return kept;
}

static bool same_plans(const struct law_world *a, const struct law_world *b)
{
	struct planned p, q;
	bool same;

	planned_make(&p, a, 0);
	planned_make(&q, b, 0);
	same = p.plan->ndecisions == q.plan->ndecisions;
	for (uint32_t i = 0; same && i < p.plan->ndecisions; i++)
		same = same_decision(&p, &q, i);
	planned_free(&p);
	planned_free(&q);
	return same;
}

static bool borrows(const struct law_world *world, int share)
{
	struct planned p;
	bool any = false;

	planned_make(&p, world, 0);
	for (uint32_t i = 0; i < p.plan->ndecisions; i++) {
		const struct qs_decision *d = &p.plan->decisions[i];

		any |= d->how == QS_HOW_BORROW &&
		       world->jobs[planned_job(&p, d->job)].share == share;
	}
	planned_free(&p);
	return any;
}

/* Law 11: BorrowLimit absent is -1 is not 0. */
bool law_11(const struct law_world *world, char *why, size_t size)
{
	for (int s = 0; s < world->nshares; s++) {
		struct law_world unset = *world, any, none;

		if (world->shares[s].strategy != QS_STRATEGY_LEND_AND_BORROW)
			continue;
		memset(unset.shares[s].borrow_gpus, 0,
		       sizeof(unset.shares[s].borrow_gpus));
		any = none = unset;
		unset.shares[s].borrow_limit = (struct qs_opt){ 0 };
		any.shares[s].borrow_limit = (struct qs_opt){ true, -1 };
		none.shares[s].borrow_limit = (struct qs_opt){ true, 0 };
		if (!same_plans(&unset, &any))
			return law_no(why, size, "share %s: unset is not -1",
				      world->shares[s].name);
		if (borrows(&none, s))
			return law_no(why, size,
				      "share %s borrows with limit 0",
				      world->shares[s].name);
		law_met += borrows(&any, s);
	}
	return true;
}
/* Law 14: texts end within their buffer, whatever its size. */
bool law_14(const struct law_world *world, char *why, size_t size)
{
	static const size_t sizes[] = { 1, 2, 7, 40, QS_REASON_MAX, 600 };
	struct planned p;
	bool kept = true;

	planned_make(&p, world, 0);
	for (uint32_t i = 0; i < p.plan->ndecisions && kept; i++) {
		const struct qs_decision *d = &p.plan->decisions[i];

		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			char text[3][700];

			memset(text, '~', sizeof(text));
			qs_explain_short(p.view.policy, d, text[0], sizes[k]);
			qs_explain_long(p.view.policy, p.plan, d, text[1],
					sizes[k]);
			for (uint32_t v = 0; v < d->nvictims; v++)
				qs_explain_victim(
					p.view.policy, d,
					&p.plan->victims[d->victims + v], 90,
					text[2], sizes[k]);
			for (int n = 0; n < 2 + (d->nvictims > 0); n++) {
				if (!memchr(text[n], '\0', sizes[k]) ||
				    text[n][sizes[k]] != '~')
					kept = law_no(
						why, size,
						"job %u: text %d leaves its "
						"buffer",
						d->id, n);
			}
			law_met++;
		}
	}
	planned_free(&p);
	return kept;
}
/* R4a, GPU by GPU. */
static void attribute(const struct law_world *world, int q, int t,
		      int64_t loans, int64_t lent[])
{
	memset(lent, 0, LAW_SHARES * sizeof(*lent));
	while (loans-- > 0) {
		int64_t most_idle = 0;
		int best = -1;

		for (int s = 0; s < world->nshares; s++) {
			const struct law_share *share = &world->shares[s];
			int64_t lends = share->capacity[t];
			int64_t idle = most(0, lends - law_used(world, s, t)) -
				       lent[s];

			if (share->lend_limit[t].set &&
			    share->lend_limit[t].value < lends)
				lends = share->lend_limit[t].value;
			if (share->queue != q || !share->listed[t] ||
			    share->strategy == QS_STRATEGY_RESERVE ||
			    lent[s] >= lends || idle <= most_idle)
				continue;
			most_idle = idle;
			best = s;
		}
		if (best < 0)
			return;
		lent[best]++;
	}
}

static int64_t loans_of(const struct law_world *world, int q, int t)
{
	int64_t sum = 0;

	for (int s = 0; s < world->nshares; s++) {
		if (world->shares[s].queue == q)
			sum += most(0, law_used(world, s, t) -
					       world->shares[s].capacity[t]);
	}
	for (int j = 0; j < world->njobs; j++) {
		if (world->jobs[j].queue == q && world->jobs[j].share < 0 &&
		    world->jobs[j].state != QS_JOB_PENDING)
			sum += world->jobs[j].gpus[t];
	}
	return sum;
}

/* Law 17, and the table of shares: it adds up to what the jobs hold. */
bool law_17(const struct law_world *world, char *why, size_t size)
{
	struct planned p;
	bool kept = true;

	planned_make(&p, world, 3);
	for (uint32_t i = 0; i < p.plan->nrows && kept; i++) {
		const struct qs_row *row = &p.plan->rows[i];
		int s = p.view.share_of[row->share], t = row->type;
		int q = world->shares[s].queue;
		int64_t used = law_used(world, s, t), lent[LAW_SHARES];
		int64_t capacity = world->shares[s].capacity[t];

		attribute(world, q, t, loans_of(world, q, t), lent);
		law_met += lent[s] > 0;
		kept = row->used == used && row->capacity == capacity &&
		       row->own == (used < capacity ? used : capacity) &&
		       row->own + row->borrowed + row->over_limit == used &&
		       (row->unlimited ?
				!row->over_limit :
				row->over_limit ==
					most(0, used - most(row->limit,
							    capacity))) &&
		       row->lent == lent[s] &&
		       row->own + row->lent + row->idle == capacity;
		if (!kept)
			law_no(why, size,
			       "share %s type %d: used %d own %d borrowed %d over "
			       "%d lent %d (%d) idle %d",
			       world->shares[s].name, t, (int)row->used,
			       (int)row->own, (int)row->borrowed,
			       (int)row->over_limit, (int)row->lent,
			       (int)lent[s], (int)row->idle);
	}
	planned_free(&p);
	return kept;
}

/* R6b: the answer at submission is the plan's. */
bool never_is_never(const struct law_world *world, char *why, size_t size)
{
	struct planned p;
	bool kept = true;

	planned_make(&p, world, 0);
	for (uint32_t i = 0; i < p.plan->ndecisions && kept; i++) {
		const struct qs_decision *d = &p.plan->decisions[i];
		const struct qs_job *job = &p.view.snap->jobs[d->job];
		struct qs_ask asks[LAW_TYPES];
		size_t failing;
		enum qs_code code;

		if (job->share < 0 || job->unknown_type)
			continue;
		for (uint32_t k = 0; k < job->ndemands; k++) {
			const struct qs_demand *demand =
				&p.view.snap->demands[job->demands + k];

			asks[k] = (struct qs_ask){ demand->type, demand->gpus };
		}
		code = qs_submit_never(p.view.policy, job->share, asks,
				       job->ndemands, &failing);
		law_met += code != QS_CODE_NONE;
		kept = (code != QS_CODE_NONE) ==
			       (d->verdict == QS_VERDICT_NEVER) &&
		       (code == QS_CODE_NONE || code == d->code);
		if (!kept)
			law_no(why, size,
			       "job %u: %s at submission, %s in the plan",
			       d->id, qs_code_name(code),
			       qs_code_name(d->code));
	}
	planned_free(&p);
	return kept;
}

/* What `qshare` tells about a running job: own and beyond by R4, and that who
 * is the first to go is who would go for one GPU. */
bool turns_are_true(const struct law_world *world, char *why, size_t size)
{
	struct qs_turn *turns = NULL;
	struct law_view view;
	struct state st;
	bool kept = true;
	uint32_t n = 0;

	law_view_make(&view, world, 5);
	ck_assert_int_eq(qs_turns_make(view.snap, &turns, &n), 0);
	for (uint32_t i = 0; i < n && kept; i++) {
		const struct qs_turn *turn = &turns[i];
		const struct law_job *job =
			&world->jobs[view.job_of[turn->job]];
		int64_t beyond = -1;

		state_init(&st, world, job->queue);
		for (int h = 0; h < st.nholders; h++) {
			if (st.holders[h].id == job->id)
				beyond = state_beyond(&st, h, turn->type, NOW);
		}
		law_met += beyond > 0;
		kept = turn->own + turn->beyond == job->gpus[turn->type] &&
		       turn->beyond == beyond;
		if (!kept)
			law_no(why, size, "job %u: own %u beyond %u, by R4 %d",
			       job->id, turn->own, turn->beyond, (int)beyond);
	}
	free(turns);
	law_view_free(&view);
	return kept;
}
