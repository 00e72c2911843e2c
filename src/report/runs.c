/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.c - a growing array of runs, sorted by job
 *
 * Called by the readers of accounting and by replay. Blocks on nothing. Its
 * surprise: attempts are counted by starts, so a run after a resize is of the
 * same attempt, and a job that waits again has the number of its next start.
 */
#include "report/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"

void qs_runs_free(struct qs_runs *runs)
{
	free(runs->items);
	free(runs->demands);
	memset(runs, 0, sizeof(*runs));
}

static void add_demand(struct qs_runs *runs, struct qs_run *run,
		       const struct qs_demand *demand)
{
	struct qs_demand *ours = &runs->demands[run->demands];

	if (!demand->gpus)
		return;
	for (uint32_t i = 0; i < run->ndemands; i++) {
		if (ours[i].type == demand->type) {
			ours[i].gpus += demand->gpus;
			return;
		}
	}
	ours[run->ndemands++] = *demand;
	runs->ndemands++;
}

struct qs_run *qs_runs_add(struct qs_runs *runs, const struct qs_run *run,
			   const struct qs_demand *demands, uint32_t ndemands)
{
	struct qs_run *new;

	if (!qs_array_room((void **)&runs->items, &runs->max,
			   (uint64_t)runs->n + 1, sizeof(*runs->items)) ||
	    !qs_array_room((void **)&runs->demands, &runs->demands_max,
			   (uint64_t)runs->ndemands + ndemands,
			   sizeof(*runs->demands)))
		return NULL;
	new = &runs->items[runs->n++];
	*new = *run;
	new->demands = runs->ndemands;
	new->ndemands = 0;
	for (uint32_t i = 0; i < ndemands; i++)
		add_demand(runs, new, &demands[i]);
	return new;
}

/* qsort() is not stable and has no place for a context. */
struct key {
	uint64_t job;
	int64_t submit, start;
	uint32_t attempt, at;
};

static int by_job(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->attempt && y->attempt && x->attempt != y->attempt)
		return x->attempt < y->attempt ? -1 : 1;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	/* What never started comes last. */
	if (x->start != y->start) {
		if (x->start == QS_TIME_NONE || y->start == QS_TIME_NONE)
			return x->start == QS_TIME_NONE ? 1 : -1;
		return x->start < y->start ? -1 : 1;
	}
	return x->at < y->at ? -1 : x->at > y->at;
}

static void count_attempts(struct qs_runs *runs)
{
	for (uint32_t i = 0; i < runs->n; i++) {
		struct qs_run *run = &runs->items[i];
		const struct qs_run *before = run - 1;

		if (run->attempt)
			continue;
		if (qs_runs_first(runs, i))
			run->attempt = 1;
		else
			run->attempt = before->attempt +
				       (before->ended != QS_RUN_RESIZED);
	}
}

int qs_runs_seal(struct qs_runs *runs)
{
	struct key *keys = malloc(((size_t)runs->n + 1) * sizeof(*keys));
	struct qs_run *sorted = malloc(((size_t)runs->n + 1) * sizeof(*sorted));

	if (!keys || !sorted) {
		free(keys);
		free(sorted);
		errno = ENOMEM;
		return -1;
	}
	for (uint32_t i = 0; i < runs->n; i++) {
		const struct qs_run *run = &runs->items[i];

		keys[i] = (struct key){ .job = run->job,
					.submit = run->submit,
					.start = run->start,
					.attempt = run->attempt,
					.at = i };
	}
	qsort(keys, runs->n, sizeof(*keys), by_job);
	for (uint32_t i = 0; i < runs->n; i++)
		sorted[i] = runs->items[keys[i].at];
	free(keys);
	free(runs->items);
	runs->items = sorted;
	runs->max = runs->n;
	count_attempts(runs);
	return 0;
}
