/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep.c - through the window from instant to instant
 *
 * At an instant runs end, then a policy comes into force, then runs start; what
 * was until then is added up first. A pool is a queue's GPUs of one type: only
 * pools in which something changed are looked at. One more queue, the last, has
 * nothing but the runs of no share: they own nothing and nobody lends to them.
 */
#include "report/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ledger.h"
#include "report/split.h"

struct edge {
	int64_t at;
	uint32_t run;
};

struct cell {
	struct qs_row row;
	int64_t used;
	struct qs_split split;
};

struct pool {
	int64_t since; /* counted up to here */
	int64_t unowned;
	bool dirty;
};

struct sweep {
	const struct qs_quota_history *history;
	const struct qs_runs *runs;
	struct qs_measures *m;
	const struct qs_quota_period *period;
	struct cell *cells;   /* [(nshares + 1) * ntypes] */
	struct pool *pools;   /* [(nqueues + 1) * ntypes] */
	int32_t *queue_of;    /* [nshares + 1] in this period */
	int32_t *members;     /* shares by queue, then name */
	int32_t *first;       /* [nqueues + 2] of a queue in members */
	struct qs_row **rows; /* scratch */
	struct qs_split_out out;
	struct edge *starts, *ends;
	uint32_t nedges;
	int64_t until;
};

static struct cell *cell_of(const struct sweep *s, int32_t share, int32_t type)
{
	return &s->cells[share * s->m->ntypes + type];
}

static struct pool *pool_of(const struct sweep *s, int32_t queue, int32_t type)
{
	return &s->pools[queue * s->m->ntypes + type];
}

static int32_t share_of(const struct sweep *s, const struct qs_run *run)
{
	return run->share >= 0 && run->share < s->m->nshares ? run->share :
							       s->m->nshares;
}

static void add_use(struct qs_use *use, const struct qs_row *row,
		    int64_t seconds)
{
	use->capacity += row->capacity * seconds;
	use->used += row->used * seconds;
	use->own += row->own * seconds;
	use->borrowed += (row->borrowed + row->over_limit) * seconds;
	use->over_limit += row->over_limit * seconds;
	use->lent += row->lent * seconds;
	use->idle += row->idle * seconds;
}

static int64_t slice_begin(const struct qs_measures *m, uint32_t slice)
{
	return m->begin + (m->end - m->begin) * slice / m->slices;
}

static void add_timeline(struct sweep *s, int32_t share, int32_t type,
			 int64_t from, int64_t to)
{
	struct qs_measures *m = s->m;
	const struct qs_row *row = &cell_of(s, share, type)->row;
	uint32_t slice =
		(uint32_t)((from - m->begin) * m->slices / (m->end - m->begin));

	while (slice && slice_begin(m, slice) > from)
		slice--;
	while (from < to) {
		int64_t next = slice_begin(m, slice + 1);
		int64_t stop = next < to ? next : to;
		size_t at = ((size_t)slice * ((size_t)m->nshares + 1) +
			     (size_t)share) *
				    (size_t)m->ntypes +
			    (size_t)type;

		if (stop > from)
			add_use(&m->timeline[at], row, stop - from);
		from = stop > from ? stop : from;
		slice++;
	}
}

/* Loans of an instant, spread over those who lend in it. */
static void add_matrix(struct sweep *s, int32_t queue, int32_t type,
		       int64_t seconds)
{
	struct qs_measures *m = s->m;
	int64_t unowned = pool_of(s, queue, type)->unowned;
	int32_t from = s->first[queue], to = s->first[queue + 1];
	size_t width = (size_t)m->nshares + 1;
	int64_t loans = 0;

	for (int32_t i = from; i < to; i++) {
		const struct qs_row *row =
			&cell_of(s, s->members[i], type)->row;

		loans += row->borrowed + row->over_limit;
	}
	if (!loans)
		return;
	for (int32_t i = from; i < to; i++) {
		int32_t b = s->members[i];
		const struct qs_row *row = &cell_of(s, b, type)->row;
		double part = (double)(row->borrowed + row->over_limit) *
			      (double)seconds / (double)loans;

		if (part <= 0)
			continue;
		m->matrix[(size_t)m->nshares * width + (size_t)b] +=
			part * (double)unowned;
		for (int32_t k = from; k < to; k++) {
			int32_t o = s->members[k];

			m->matrix[(size_t)o * width + (size_t)b] +=
				part * (double)cell_of(s, o, type)->row.lent;
		}
	}
}

static void accrue(struct sweep *s, int32_t queue, int32_t type, int64_t now)
{
	struct pool *pool = pool_of(s, queue, type);
	int64_t seconds = now - pool->since;

	if (seconds <= 0)
		return;
	for (int32_t i = s->first[queue]; i < s->first[queue + 1]; i++) {
		int32_t share = s->members[i];

		add_use(&s->m->use[share * s->m->ntypes + type],
			&cell_of(s, share, type)->row, seconds);
		if (s->m->slices)
			add_timeline(s, share, type, pool->since, now);
	}
	s->m->unowned[type] += pool->unowned * seconds;
	add_matrix(s, queue, type, seconds);
	pool->since = now;
}

/* R16 and who has no share: all of it is borrowed. */
static void row_without_policy(struct cell *cell)
{
	cell->row = (struct qs_row){ .share = -1,
				     .used = cell->used,
				     .borrowed = cell->used };
}

static void remake(struct sweep *s, int32_t queue, int32_t type, int64_t now)
{
	const struct qs_quota_period *period = s->period;
	struct pool *pool = pool_of(s, queue, type);
	uint32_t n = 0;
	int64_t loans = 0;

	pool->dirty = false;
	for (int32_t i = s->first[queue]; i < s->first[queue + 1]; i++) {
		int32_t share = s->members[i];
		struct cell *cell = cell_of(s, share, type);
		int32_t ps =
			share < s->m->nshares ? period->share_of[share] : -1;

		if (ps >= 0 && period->type_of[type] >= 0) {
			qs_ledger_row(period->policy, ps, period->type_of[type],
				      cell->used, 0, &cell->row);
			s->rows[n++] = &cell->row;
		} else {
			row_without_policy(cell);
		}
		loans += cell->row.borrowed + cell->row.over_limit;
		if (cell->split.dirty)
			qs_split_make(&cell->split, cell->row.capacity,
				      cell->used, now, &s->out);
	}
	pool->unowned = qs_ledger_lend(period->policy, s->rows, n, loans);
}

static void remake_dirty(struct sweep *s, int64_t now)
{
	for (int32_t q = 0; q <= s->history->nqueues; q++)
		for (int32_t t = 0; t < s->m->ntypes; t++)
			if (pool_of(s, q, t)->dirty)
				remake(s, q, t, now);
}

static int32_t queue_in(const struct sweep *s,
			const struct qs_quota_period *period, int32_t share)
{
	const struct qs_quota_history *h = s->history;
	int32_t ps = period->share_of[share];
	const char *name;

	if (ps < 0)
		return h->share_queue[share];
	name = period->policy->queues[period->policy->shares[ps].queue].name;
	for (int32_t q = 0; q < h->nqueues; q++)
		if (!strcmp(h->queues[q], name))
			return q;
	return h->share_queue[share];
}

/* Shares by queue and name; R4a wants them by name. */
static void list_members(struct sweep *s, const struct qs_quota_period *period)
{
	int32_t n = 0, nshares = s->m->nshares;

	for (int32_t i = 0; i < nshares; i++)
		s->queue_of[i] = queue_in(s, period, i);
	s->queue_of[nshares] = s->history->nqueues;
	for (int32_t q = 0; q < s->history->nqueues; q++) {
		s->first[q] = n;
		for (int32_t i = 0; i < nshares; i++) {
			int32_t at = n;

			if (s->queue_of[i] != q)
				continue;
			for (n++;
			     at > s->first[q] &&
			     strcmp(s->history->shares[i],
				    s->history->shares[s->members[at - 1]]) < 0;
			     at--)
				s->members[at] = s->members[at - 1];
			s->members[at] = i;
		}
	}
	s->first[s->history->nqueues] = n;
	s->members[n++] = nshares;
	s->first[s->history->nqueues + 1] = n;
}

static void accrue_all(struct sweep *s, int64_t now)
{
	for (int32_t q = 0; q <= s->history->nqueues; q++)
		for (int32_t t = 0; t < s->m->ntypes; t++)
			accrue(s, q, t, now);
}

/* All pools and splits are made anew at the end of this instant. */
static void enter_period(struct sweep *s, const struct qs_quota_period *period,
			 int64_t now)
{
	accrue_all(s, now);
	s->period = period;
	list_members(s, period);
	for (int32_t i = 0; i < (s->history->nqueues + 1) * s->m->ntypes; i++)
		s->pools[i].dirty = true;
	for (int32_t i = 0; i < (s->m->nshares + 1) * s->m->ntypes; i++)
		s->cells[i].split.dirty = true;
}

static bool change(struct sweep *s, uint32_t index, int64_t now, bool begins)
{
	const struct qs_run *run = &s->runs->items[index];
	int32_t share = share_of(s, run);

	for (uint32_t k = 0; k < run->ndemands; k++) {
		const struct qs_demand *d = &s->runs->demands[run->demands + k];
		struct cell *cell = cell_of(s, share, d->type);
		struct qs_held held = { .start = run->start,
					.job = run->job,
					.since = now,
					.priority = run->priority,
					.gpus = d->gpus,
					.run = index,
					.demand = run->demands + k };

		accrue(s, s->queue_of[share], d->type, now);
		pool_of(s, s->queue_of[share], d->type)->dirty = true;
		cell->split.dirty = true;
		cell->used += begins ? (int64_t)d->gpus : -(int64_t)d->gpus;
		if (!begins)
			qs_split_remove(&cell->split, &held, now, &s->out);
		else if (!qs_split_add(&cell->split, &held))
			return false;
	}
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->run < y->run ? -1 : x->run > y->run;
}

/* What of each run is in the window. */
static void find_edges(struct sweep *s)
{
	for (uint32_t i = 0; i < s->runs->n; i++) {
		const struct qs_run *run = &s->runs->items[i];
		int64_t begin = run->start, end = run->end;

		if (begin == QS_TIME_NONE || !run->ndemands)
			continue;
		if (begin < s->m->begin)
			begin = s->m->begin;
		if (end == QS_TIME_NONE || end > s->until)
			end = s->until;
		if (end <= begin)
			continue;
		s->starts[s->nedges] = (struct edge){ begin, i };
		s->ends[s->nedges++] = (struct edge){ end, i };
	}
	qsort(s->starts, s->nedges, sizeof(*s->starts), by_time);
	qsort(s->ends, s->nedges, sizeof(*s->ends), by_time);
}

/* Policies that were replaced before the window do not matter. */
static uint32_t first_period(const struct sweep *s)
{
	return (uint32_t)(qs_quota_history_at(s->history, s->m->begin) -
			  s->history->periods);
}

static bool go(struct sweep *s)
{
	const struct qs_quota_history *h = s->history;
	uint32_t start = 0, end = 0, period = first_period(s);

	enter_period(s, &h->periods[period++], s->m->begin);
	remake_dirty(s, s->m->begin);
	for (;;) {
		int64_t now = s->until;

		if (start < s->nedges && s->starts[start].at < now)
			now = s->starts[start].at;
		if (end < s->nedges && s->ends[end].at < now)
			now = s->ends[end].at;
		if (period < h->nperiods && h->periods[period].since < now)
			now = h->periods[period].since;
		if (now >= s->until)
			break;
		while (end < s->nedges && s->ends[end].at <= now)
			change(s, s->ends[end++].run, now, false);
		while (period < h->nperiods && h->periods[period].since <= now)
			enter_period(s, &h->periods[period++], now);
		while (start < s->nedges && s->starts[start].at <= now)
			if (!change(s, s->starts[start++].run, now, true))
				return false;
		remake_dirty(s, now);
	}
	accrue_all(s, s->until);
	for (int32_t i = 0; i < (s->m->nshares + 1) * s->m->ntypes; i++)
		qs_split_settle(&s->cells[i].split, s->until, &s->out);
	return true;
}

/* Each change counts to the end, less what it replaces. */
static bool add_service(const struct sweep *s)
{
	const struct qs_quota_history *h = s->history;
	int64_t *was = calloc((size_t)h->nqueues * (size_t)h->ntypes + 1,
			      sizeof(*was));

	for (uint32_t i = 0; was && i < h->nservice; i++) {
		const struct qs_service_change *c = &h->service[i];
		int64_t from = c->at < s->m->begin ? s->m->begin : c->at;
		int64_t *before = &was[c->queue * h->ntypes + c->type];

		if (from < s->until)
			s->m->out_of_service[c->type] +=
				(c->gpus - *before) * (s->until - from);
		*before = c->gpus;
	}
	free(was);
	return was;
}

static bool prepare(struct sweep *s)
{
	size_t nshares = (size_t)s->m->nshares + 1;
	size_t ntypes = (size_t)s->m->ntypes;
	size_t nqueues = (size_t)s->history->nqueues + 1;
	size_t nruns = (size_t)s->runs->n + 1;

	s->cells = calloc(nshares * ntypes + 1, sizeof(*s->cells));
	s->pools = calloc(nqueues * ntypes + 1, sizeof(*s->pools));
	s->queue_of = calloc(nshares, sizeof(*s->queue_of));
	s->members = calloc(nshares, sizeof(*s->members));
	s->first = calloc(nqueues + 1, sizeof(*s->first));
	s->rows = calloc(nshares, sizeof(*s->rows));
	s->starts = malloc(nruns * sizeof(*s->starts));
	s->ends = malloc(nruns * sizeof(*s->ends));
	if (!s->cells || !s->pools || !s->queue_of || !s->members ||
	    !s->first || !s->rows || !s->starts || !s->ends)
		return false;
	for (size_t i = 0; i < nqueues * ntypes; i++)
		s->pools[i].since = s->m->begin;
	return true;
}

static void clean(struct sweep *s)
{
	for (int32_t i = 0; s->cells && i < (s->m->nshares + 1) * s->m->ntypes;
	     i++)
		free(s->cells[i].split.held);
	free(s->cells);
	free(s->pools);
	free(s->queue_of);
	free(s->members);
	free(s->first);
	free(s->rows);
	free(s->starts);
	free(s->ends);
}

int qs_sweep(const struct qs_quota_history *history, const struct qs_runs *runs,
	     int64_t until, struct qs_measures *m)
{
	struct sweep s = { .history = history,
			   .runs = runs,
			   .m = m,
			   .until = until,
			   .out = { m->run_use, m->run_borrowed } };
	bool good = true;

	if (until > m->begin) {
		good = prepare(&s);
		if (good) {
			find_edges(&s);
			good = go(&s) && add_service(&s);
		}
		clean(&s);
	}
	if (!good)
		errno = ENOMEM;
	return good ? 0 : -1;
}
