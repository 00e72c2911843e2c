/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.c - what became of the jobs: waits, ends, preemptions, repeated work
 *
 * Called after the sweep, which found out who began as borrowed. Each figure of
 * a spread is kept until all runs were seen, then sorted by share.
 */
#include "report/outcome.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/array.h"

enum kind {
	WAIT_OWN,
	WAIT_BORROWING,
	WAIT_AGAIN,
	RECLAIM,
	TURNAROUND,
	RUN_TIME,
	KINDS,
};

struct figure {
	int64_t value;
	int32_t share;
};

struct figures {
	struct figure *items;
	uint32_t n, max;
};

struct work {
	const struct qs_runs *runs;
	struct qs_measures *m;
	int64_t now;
	struct figures figures[KINDS];
	bool no_memory;
};

static int32_t share_of(const struct work *w, const struct qs_run *run)
{
	return run->share >= 0 && run->share < w->m->nshares ? run->share :
							       w->m->nshares;
}

static bool within(const struct work *w, int64_t when)
{
	return when != QS_TIME_NONE && when >= w->m->begin && when < w->m->end;
}

static void note(struct work *w, enum kind kind, const struct qs_run *run,
		 int64_t value)
{
	struct figures *f = &w->figures[kind];

	if (!qs_array_room((void **)&f->items, &f->max, (uint64_t)f->n + 1,
			   sizeof(*f->items))) {
		w->no_memory = true;
		return;
	}
	f->items[f->n++] = (struct figure){ value, share_of(w, run) };
}

static int64_t duration(const struct work *w, const struct qs_run *run)
{
	int64_t end = run->end;

	if (!qs_run_started(run))
		return 0;
	if (end == QS_TIME_NONE)
		end = w->now;
	return end > run->start ? end - run->start : 0;
}

static int64_t gpus(const struct work *w, const struct qs_run *run)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < run->ndemands; k++)
		sum += w->runs->demands[run->demands + k].gpus;
	return sum;
}

/* Of an interrupted run: seconds that were for nothing. */
static int64_t repeated(const struct work *w, const struct qs_run *run)
{
	int64_t whole = duration(w, run);

	if (!qs_run_interrupted(run))
		return 0;
	if (run->repeat_sec == QS_TIME_NONE || run->repeat_sec > whole)
		return whole;
	return run->repeat_sec;
}

static bool began_borrowed(const struct work *w, uint32_t i)
{
	const struct qs_run *run = &w->runs->items[i];

	return run->borrow_known ? run->borrow : w->m->run_borrowed[i];
}

static void note_wait(struct work *w, uint32_t i)
{
	const struct qs_run *run = &w->runs->items[i], *before = run - 1;
	bool first = qs_runs_first(w->runs, i);
	int64_t since =
		run->eligible != QS_TIME_NONE ? run->eligible : run->submit;
	enum kind kind = began_borrowed(w, i) ? WAIT_BORROWING : WAIT_OWN;

	if (!first && before->ended == QS_RUN_RESIZED)
		return;
	w->m->outcome[share_of(w, run)].started++;
	if (!first) {
		if (!qs_run_interrupted(before))
			return;
		kind = WAIT_AGAIN;
		since = before->end;
	}
	if (since == QS_TIME_NONE)
		return;
	if (since > run->start) {
		w->m->start_before_submit++;
		since = run->start;
	}
	note(w, kind, run, run->start - since);
}

/* By binary search: the share of a job. Of a job that is not there: none. */
static int32_t share_of_job(const struct work *w, uint64_t job)
{
	uint32_t low = 0, high = w->runs->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (w->runs->items[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	if (!job || low == w->runs->n || w->runs->items[low].job != job)
		return w->m->nshares;
	return share_of(w, &w->runs->items[low]);
}

static void note_preemption(struct work *w, const struct qs_run *run,
			    struct qs_outcome *outcome)
{
	size_t width = (size_t)w->m->nshares + 1;
	size_t by = (size_t)share_of_job(w, run->by);

	if (run->cause < QS_CAUSES)
		outcome->preempted[run->cause]++;
	outcome->retry_limit += run->retry_limit;
	w->m->preemptions[by * width + (size_t)share_of(w, run)]++;
}

/* The whole job, from its first run that is known. */
static void note_completion(struct work *w, uint32_t i,
			    struct qs_outcome *outcome)
{
	const struct qs_run *last = &w->runs->items[i];
	int64_t run_time = 0, good = 0;
	uint32_t first = i;

	for (;; first--) {
		const struct qs_run *run = &w->runs->items[first];

		run_time += duration(w, run);
		good += gpus(w, run) * (duration(w, run) - repeated(w, run));
		if (qs_runs_first(w->runs, first))
			break;
	}
	outcome->completed_gpu_sec += good;
	note(w, RUN_TIME, last, run_time);
	if (w->runs->items[first].submit != QS_TIME_NONE)
		note(w, TURNAROUND, last,
		     last->end - w->runs->items[first].submit);
}

static void note_end(struct work *w, uint32_t i)
{
	const struct qs_run *run = &w->runs->items[i];
	struct qs_outcome *outcome = &w->m->outcome[share_of(w, run)];
	int64_t lost = gpus(w, run) * repeated(w, run);

	outcome->ended[run->ended]++;
	outcome->requeued += run->requeued;
	outcome->repeated += lost;
	if (run->ended == QS_RUN_PREEMPTED) {
		outcome->repeated_preempted += lost;
		note_preemption(w, run, outcome);
	}
	if (run->ended == QS_RUN_COMPLETED && qs_runs_last(w->runs, i))
		note_completion(w, i, outcome);
}

/* How the job stood when the window ended. */
static void note_standing(struct work *w, const struct qs_run *run)
{
	struct qs_outcome *outcome = &w->m->outcome[share_of(w, run)];
	bool over = run->end != QS_TIME_NONE && run->end < w->m->end;

	if (run->submit != QS_TIME_NONE && run->submit >= w->m->end)
		return;
	if (qs_run_started(run) && run->start < w->m->end)
		outcome->running += !over;
	else if (run->ended != QS_RUN_WITHDRAWN || !over)
		outcome->waiting++;
}

static void look_at(struct work *w, uint32_t i)
{
	struct qs_run *run = &w->runs->items[i];
	bool started = qs_run_started(run);

	if (qs_runs_first(w->runs, i) && within(w, run->submit))
		w->m->outcome[share_of(w, run)].submitted++;
	if (started && run->end != QS_TIME_NONE && run->end < run->start)
		w->m->end_before_start++;
	if (started && within(w, run->start)) {
		note_wait(w, i);
		if (run->claimed != QS_TIME_NONE && run->claimed <= run->start)
			note(w, RECLAIM, run, run->start - run->claimed);
	}
	if (within(w, run->end))
		note_end(w, i);
	note_standing(w, run);
}

static int by_share(const void *a, const void *b)
{
	const struct figure *x = a, *y = b;

	return x->share < y->share ? -1 : x->share > y->share;
}

static struct qs_spread *spread_in(struct qs_outcome *outcome, enum kind kind)
{
	switch (kind) {
	case WAIT_OWN:
		return &outcome->wait_own;
	case WAIT_BORROWING:
		return &outcome->wait_borrowing;
	case WAIT_AGAIN:
		return &outcome->wait_again;
	case RECLAIM:
		return &outcome->reclaim;
	case TURNAROUND:
		return &outcome->turnaround;
	case RUN_TIME:
	case KINDS:
		break;
	}
	return &outcome->run_time;
}

/* A share's figures, then those of all shares. */
static bool spread_out(struct work *w, enum kind kind)
{
	struct figures *f = &w->figures[kind];
	int64_t *values = malloc(((size_t)f->n + 1) * sizeof(*values));
	uint32_t i = 0;

	if (!values)
		return false;
	if (f->n)
		qsort(f->items, f->n, sizeof(*f->items), by_share);
	for (uint32_t k = 0; k < f->n; k++)
		values[k] = f->items[k].value;
	while (i < f->n) {
		int32_t share = f->items[i].share;
		uint32_t from = i;

		while (i < f->n && f->items[i].share == share)
			i++;
		*spread_in(&w->m->outcome[share], kind) =
			qs_spread_of(values + from, i - from);
	}
	*spread_in(&w->m->outcome[w->m->nshares + 1], kind) =
		qs_spread_of(values, f->n);
	free(values);
	return true;
}

static void add_up(struct qs_measures *m)
{
	struct qs_outcome *all = &m->outcome[m->nshares + 1];

	for (int32_t s = 0; s <= m->nshares; s++) {
		const struct qs_outcome *one = &m->outcome[s];

		all->submitted += one->submitted;
		all->started += one->started;
		for (int e = 0; e < QS_RUN_ENDS; e++)
			all->ended[e] += one->ended[e];
		for (int c = 0; c < QS_CAUSES; c++)
			all->preempted[c] += one->preempted[c];
		all->requeued += one->requeued;
		all->retry_limit += one->retry_limit;
		all->running += one->running;
		all->waiting += one->waiting;
		all->repeated += one->repeated;
		all->repeated_preempted += one->repeated_preempted;
		all->completed_gpu_sec += one->completed_gpu_sec;
	}
}

int qs_outcome_make(const struct qs_runs *runs, int64_t now,
		    struct qs_measures *m)
{
	struct work w = { .runs = runs, .m = m, .now = now };

	for (uint32_t i = 0; i < runs->n; i++)
		look_at(&w, i);
	for (enum kind kind = 0; kind < KINDS; kind++) {
		if (!spread_out(&w, kind))
			w.no_memory = true;
		free(w.figures[kind].items);
	}
	add_up(m);
	if (w.no_memory)
		errno = ENOMEM;
	return w.no_memory ? -1 : 0;
}
