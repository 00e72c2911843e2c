/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_line.c - R6a and R6c: in which order waiting jobs are served
 *
 * A line per share and type, sorted once. A job's turn can come when it heads
 * the line of each type it wants. Among these, entitled jobs come first, by
 * eligible time; then borrowers by IdleResourceAssignment. Under STRICT the
 * jobs behind one that waits for quota are taken out of the race in one go.
 */
#include "plan_run.h"

#include <stdlib.h>

struct rank_key {
	uint32_t priority, id, job;
	int64_t eligible;
};

static int by_rank(const void *a, const void *b)
{
	const struct rank_key *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->eligible != y->eligible)
		return x->eligible < y->eligible ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static bool sort_line(struct qs_run *run, struct qs_line *line)
{
	struct rank_key *keys = malloc((line->n + 1) * sizeof(*keys));

	if (!keys) {
		run->state.no_memory = true;
		return false;
	}
	for (uint32_t i = 0; i < line->n; i++) {
		const struct qs_job *job =
			&run->state.snap->jobs[line->jobs[i]];

		keys[i] = (struct rank_key){ job->priority, job->id,
					     line->jobs[i], job->eligible };
	}
	qsort(keys, line->n, sizeof(*keys), by_rank);
	for (uint32_t i = 0; i < line->n; i++)
		line->jobs[i] = keys[i].job;
	line->block = line->n;
	free(keys);
	return true;
}

static bool append(struct qs_run *run, struct qs_line *line, uint32_t job)
{
	if (line->n == line->max) {
		uint32_t max = line->max ? line->max * 2 : 8;
		uint32_t *jobs = realloc(line->jobs, max * sizeof(*jobs));

		if (!jobs) {
			run->state.no_memory = true;
			return false;
		}
		line->jobs = jobs;
		line->max = max;
	}
	line->jobs[line->n++] = job;
	return true;
}

static struct qs_line *line_of(const struct qs_run *run,
			       const struct qs_job *job, uint32_t demand)
{
	return &run->lines[(size_t)job->share * run->state.ntypes +
			   qs_state_demands(&run->state, job)[demand].type];
}

/* Jobs that no rule lets take part: told at the end, and hold up nobody. */
static bool takes_part(const struct qs_run *run, const struct qs_job *job)
{
	return job->share >= 0 && job->ndemands && !job->held &&
	       !job->unplaceable && !job->unknown_type &&
	       !qs_line_refused(run->state.policy, job);
}

bool qs_line_refused(const struct qs_policy *policy, const struct qs_job *job)
{
	const struct qs_share *share = &policy->shares[job->share];

	return job->submitting &&
	       (!share->enabled || !policy->queues[share->queue].enabled);
}

bool qs_line_init(struct qs_run *run)
{
	const struct qs_snapshot *snap = run->state.snap;
	size_t nlines = (size_t)run->state.policy->nshares * run->state.ntypes;

	run->lines = calloc(nlines + 1, sizeof(*run->lines));
	run->decided = calloc(snap->njobs + 1, sizeof(*run->decided));
	run->left = calloc(snap->njobs + 1, sizeof(*run->left));
	run->late = calloc(snap->njobs + 1, sizeof(*run->late));
	run->claims = calloc(snap->njobs + 1, sizeof(*run->claims));
	if (!run->lines || !run->decided || !run->left || !run->late ||
	    !run->claims) {
		run->state.no_memory = true;
		return false;
	}
	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];

		if (job->state != QS_JOB_PENDING)
			continue;
		run->left[i] = job->copies ? job->copies : 1;
		if (!takes_part(run, job)) {
			run->late[run->nlate++] =
				(struct qs_late){ job->id, i };
			continue;
		}
		if (job->claim)
			run->claims[run->nclaims++] = i;
		for (uint32_t k = 0; k < job->ndemands; k++) {
			if (!append(run, line_of(run, job, k), i))
				return false;
		}
	}
	for (size_t l = 0; l < nlines; l++) {
		if (!sort_line(run, &run->lines[l]))
			return false;
	}
	return true;
}

void qs_line_free(struct qs_run *run)
{
	size_t nlines = (size_t)run->state.policy->nshares * run->state.ntypes;

	for (size_t l = 0; run->lines && l < nlines; l++)
		free(run->lines[l].jobs);
	free(run->lines);
	free(run->decided);
	free(run->left);
	free(run->late);
	free(run->claims);
}

static int64_t head(struct qs_run *run, struct qs_line *line)
{
	while (line->at < line->n && run->decided[line->jobs[line->at]])
		line->at++;
	return line->at < line->n ? (int64_t)line->jobs[line->at] : -1;
}

static bool is_ready(struct qs_run *run, uint32_t index)
{
	const struct qs_job *job = &run->state.snap->jobs[index];

	for (uint32_t k = 0; k < job->ndemands; k++) {
		if (head(run, line_of(run, job, k)) != index)
			return false;
	}
	return true;
}

static bool earlier(const struct qs_job *a, const struct qs_job *b)
{
	if (a->eligible != b->eligible)
		return a->eligible < b->eligible;
	return a->id < b->id;
}

/* R6c: does a come before b? */
static bool served_before(const struct qs_run *run, const struct qs_job *a,
			  bool a_entitled, const struct qs_job *b,
			  bool b_entitled)
{
	const struct qs_state *state = &run->state;
	int32_t queue = qs_state_queue(state, a);

	if (a_entitled != b_entitled)
		return a_entitled;
	if (!a_entitled && queue == qs_state_queue(state, b) &&
	    state->policy->queues[queue].idle_assignment == QS_ASSIGN_FAIR) {
		int order = qs_ratio_compare(
			qs_quota_ratio(state, a, (uint32_t)a->share,
				       QS_VIEW_NOW),
			qs_quota_ratio(state, b, (uint32_t)b->share,
				       QS_VIEW_NOW));

		if (order)
			return order < 0;
	}
	return earlier(a, b);
}

int64_t qs_line_next(struct qs_run *run)
{
	const struct qs_job *jobs = run->state.snap->jobs;
	size_t nlines = (size_t)run->state.policy->nshares * run->state.ntypes;
	int64_t best = -1;
	bool best_entitled = false;

	for (size_t l = 0; l < nlines; l++) {
		int64_t job = head(run, &run->lines[l]);
		bool entitled;

		if (job < 0 || job == best || !is_ready(run, (uint32_t)job))
			continue;
		entitled =
			qs_quota_entitled(&run->state, &jobs[job], QS_VIEW_NOW);
		if (best < 0 || served_before(run, &jobs[job], entitled,
					      &jobs[best], best_entitled)) {
			best = job;
			best_entitled = entitled;
		}
	}
	return best;
}

void qs_line_done(struct qs_run *run, uint32_t job)
{
	run->decided[job] = true;
}

void qs_line_block(struct qs_run *run, uint32_t index)
{
	const struct qs_job *job = &run->state.snap->jobs[index];
	int32_t queue = qs_state_queue(&run->state, job);

	if (run->state.policy->queues[queue].in_share_order ==
	    QS_ORDER_BEST_EFFORT)
		return;
	for (uint32_t k = 0; k < job->ndemands; k++) {
		struct qs_line *line = line_of(run, job, k);

		for (uint32_t i = 0; i < line->block; i++) {
			if (line->jobs[i] == index) {
				line->block = i;
				line->blocker = job->id;
				break;
			}
		}
	}
}

int64_t qs_line_blocked(struct qs_run *run, uint32_t *behind)
{
	size_t nlines = (size_t)run->state.policy->nshares * run->state.ntypes;

	for (size_t l = 0; l < nlines; l++) {
		struct qs_line *line = &run->lines[l];

		if (head(run, line) < 0 || line->block >= line->n)
			continue;
		for (uint32_t i = line->at; i < line->n; i++) {
			if (i <= line->block || run->decided[line->jobs[i]])
				continue;
			*behind = line->blocker;
			return line->jobs[i];
		}
	}
	return -1;
}
