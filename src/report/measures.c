/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measures.c - what sharing brought, in numbers
 *
 * Called by report and replay. Makes room for all results, then the sweep fills
 * in what is counted in GPU-seconds and outcome.c what became of the jobs.
 */
#include "report/measures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/outcome.h"
#include "report/sweep.h"

void qs_measures_free(struct qs_measures *m)
{
	free(m->use);
	free(m->outcome);
	free(m->unowned);
	free(m->out_of_service);
	free(m->matrix);
	free(m->preemptions);
	free(m->timeline);
	free(m->run_use);
	free(m->run_borrowed);
	memset(m, 0, sizeof(*m));
}

static bool make_room(struct qs_measures *m, const struct qs_runs *runs,
		      const struct qs_measures_wish *wish)
{
	size_t rows = (size_t)m->nshares + 1;
	size_t cells = rows * (size_t)m->ntypes;

	m->use = calloc(cells + 1, sizeof(*m->use));
	m->outcome = calloc(rows + 1, sizeof(*m->outcome));
	m->unowned = calloc((size_t)m->ntypes + 1, sizeof(*m->unowned));
	m->out_of_service =
		calloc((size_t)m->ntypes + 1, sizeof(*m->out_of_service));
	m->matrix = calloc(rows * rows, sizeof(*m->matrix));
	m->preemptions = calloc(rows * rows, sizeof(*m->preemptions));
	m->timeline = calloc(m->slices * cells + 1, sizeof(*m->timeline));
	m->run_borrowed = calloc((size_t)runs->n + 1, sizeof(*m->run_borrowed));
	if (wish->per_run)
		m->run_use =
			calloc((size_t)runs->ndemands + 1, sizeof(*m->run_use));
	return m->use && m->outcome && m->unowned && m->out_of_service &&
	       m->matrix && m->preemptions && m->timeline && m->run_borrowed &&
	       (m->run_use || !wish->per_run);
}

int qs_measures_make(const struct qs_quota_history *history,
		     const struct qs_runs *runs,
		     const struct qs_measures_wish *wish, struct qs_measures *m)
{
	int64_t until = wish->now < wish->end ? wish->now : wish->end;

	memset(m, 0, sizeof(*m));
	if (!history->nperiods || wish->end < wish->begin) {
		errno = EINVAL;
		return -1;
	}
	m->begin = wish->begin;
	m->end = wish->end;
	m->nshares = history->nshares;
	m->ntypes = history->ntypes;
	m->slices = wish->end > wish->begin ? wish->slices : 0;
	if (!make_room(m, runs, wish) || qs_sweep(history, runs, until, m) ||
	    qs_outcome_make(runs, until, m)) {
		qs_measures_free(m);
		errno = ENOMEM;
		return -1;
	}
	if (!wish->per_run) {
		free(m->run_borrowed);
		m->run_borrowed = NULL;
	}
	return 0;
}
