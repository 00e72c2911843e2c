/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.c - who stands where in a queue, and since when
 *
 * Called by our thread after each plan, before the view is published; takes
 * qs_rt.lock. A place is that in which the plan has served the jobs (R6c),
 * without those that Slurm itself holds back. Only the first of a queue and of a
 * share are told, so only these have a record; since when is copied from the view
 * before. Its surprise: that is not kept over a restart; then all places are new.
 */
#include "runtime/inner.h"

#include <stdlib.h>

static struct qs_front *front_of(struct qs_view *view, uint32_t job)
{
	struct qs_seen *seen = &view->seen[job];

	if (!seen->front) {
		view->fronts[view->nfronts++] =
			(struct qs_front){ .id = view->snap->jobs[job].id,
					   .job = job };
		seen->front = view->nfronts;
	}
	return &view->fronts[seen->front - 1];
}

/* Numbers them: the first decision of each waiting job counts. */
static void number(struct qs_view *view, uint32_t *told, bool *has_first)
{
	const int64_t now = view->snap->now;

	for (uint32_t i = 0; i < view->plan->ndecisions; i++) {
		const struct qs_decision *d = &view->plan->decisions[i];
		const struct qs_job *job = &view->snap->jobs[d->job];
		struct qs_front *front;

		if (d->code == QS_CODE_HELD || view->seen[d->job].front ||
		    told[job->queue] == QS_PLACES_MAX)
			continue;
		front = front_of(view, d->job);
		front->place = ++told[job->queue];
		front->place_since = now;
	}
	for (uint32_t i = 0; i < view->plan->ndecisions; i++) {
		const struct qs_decision *d = &view->plan->decisions[i];

		if (d->code == QS_CODE_HELD || d->share < 0 ||
		    has_first[d->share])
			continue;
		has_first[d->share] = true;
		front_of(view, d->job)->first_since = now;
	}
}

static int compare(const void *a, const void *b)
{
	const struct qs_front *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Since when: as before, if the view before had it there too. */
static void date(struct qs_front *front, const struct qs_view *before)
{
	const struct qs_front *was =
		before->nfronts ?
			bsearch(front, before->fronts, before->nfronts,
				sizeof(*front), compare) :
			NULL;

	if (!was)
		return;
	if (was->place == front->place)
		front->place_since = was->place_since;
	if (was->first_since && front->first_since)
		front->first_since = was->first_since;
}

void qs_places_note(struct qs_view *view)
{
	const size_t nqueues = (size_t)view->policy->nqueues;
	const size_t nshares = (size_t)view->policy->nshares;
	uint32_t *told = calloc(nqueues + 1, sizeof(*told));
	bool *has_first = calloc(nshares + 1, sizeof(*has_first));

	view->fronts = calloc(nqueues * QS_PLACES_MAX + nshares + 1,
			      sizeof(*view->fronts));
	if (told && has_first && view->fronts)
		number(view, told, has_first);
	free(told);
	free(has_first);
	if (!view->nfronts)
		return;
	qsort(view->fronts, view->nfronts, sizeof(*view->fronts), compare);
	for (uint32_t i = 0; i < view->nfronts; i++)
		view->seen[view->fronts[i].job].front = i + 1;
	slurm_mutex_lock(&qs_rt.lock);
	for (uint32_t i = 0; qs_rt.view && i < view->nfronts; i++)
		date(&view->fronts[i], qs_rt.view);
	slurm_mutex_unlock(&qs_rt.lock);
}
