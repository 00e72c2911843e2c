/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.c - who stands where in a queue, and since when
 *
 * Called by our thread after each plan; takes qs_rt.lock. A place is that in
 * which the plan has served the jobs (R6c), without those that Slurm itself
 * holds back. Only the first of a queue are told, so only these cost a look-up.
 * Its surprise: since when is not kept over a restart; then all places are
 * new.
 */
#include "runtime/inner.h"

#include <stdlib.h>

/* Numbers them: the first decision of each waiting job counts. */
static void number(struct qs_view *view, uint32_t *told, bool *has_first)
{
	for (uint32_t i = 0; i < view->plan->ndecisions; i++) {
		const struct qs_decision *d = &view->plan->decisions[i];
		const struct qs_job *job = &view->snap->jobs[d->job];
		struct qs_seen *seen = &view->seen[d->job];

		if (d->code == QS_CODE_HELD || seen->place ||
		    told[job->queue] == QS_PLACES_MAX)
			continue;
		seen->place = ++told[job->queue];
	}
	for (uint32_t i = 0; i < view->plan->ndecisions; i++) {
		const struct qs_decision *d = &view->plan->decisions[i];

		if (d->code == QS_CODE_HELD || d->share < 0 ||
		    has_first[d->share])
			continue;
		has_first[d->share] = true;
		view->seen[d->job].first_since = view->snap->now;
	}
}

/* Since when: as before, if the look before had it there too. */
static void date(struct qs_view *view, struct qs_seen *seen,
		 struct qs_jobrec *rec, uint64_t before)
{
	if (seen->place) {
		if (rec->place_look != before || rec->place != seen->place)
			rec->place_since = view->snap->now;
		rec->place = seen->place;
		rec->place_look = view->number;
		seen->place_since = rec->place_since;
	}
	if (seen->first_since) {
		if (rec->first_look != before)
			rec->first_since = view->snap->now;
		rec->first_look = view->number;
		seen->first_since = rec->first_since;
	}
}

void qs_places_note(struct qs_view *view)
{
	static uint64_t before; /* our thread only */
	uint32_t *told =
		calloc((size_t)view->policy->nqueues + 1, sizeof(*told));
	bool *has_first =
		calloc((size_t)view->policy->nshares + 1, sizeof(*has_first));

	if (told && has_first)
		number(view, told, has_first);
	free(told);
	free(has_first);
	slurm_mutex_lock(&qs_rt.lock);
	for (uint32_t i = 0; i < view->snap->njobs; i++) {
		struct qs_seen *seen = &view->seen[i];
		struct qs_jobrec *rec;

		if (!seen->place && !seen->first_since)
			continue;
		rec = qs_jobrec_find(view->snap->jobs[i].id);
		if (rec)
			date(view, seen, rec, before);
	}
	slurm_mutex_unlock(&qs_rt.lock);
	before = view->number;
}
