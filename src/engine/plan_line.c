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
#include <string.h>

#include "array.h"

struct rank_key {
	uint32_t priority, id, job;
	int64_t eligible, claimed;
	bool claim;
};

static int by_rank(const void *a, const void *b)
{
	const struct rank_key *x = a, *y = b;

	/* R9: what comes free for a claimant is nobody else's. */
	if (x->claim != y->claim)
		return x->claim ? -1 : 1;
	if (x->claim && x->claimed != y->claimed)
		return x->claimed < y->claimed ? -1 : 1;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->eligible != y->eligible)
		return x->eligible < y->eligible ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static bool sort_line(struct qs_run *run, struct qs_line *line)
{
	struct rank_key *keys;

	line->block = line->n;
	if (line->n < 2)
		return true;
	keys = malloc(line->n * sizeof(*keys));
	if (!keys) {
		run->state.no_memory = true;
		return false;
	}
	for (uint32_t i = 0; i < line->n; i++) {
		const struct qs_job *job =
			&run->state.snap->jobs[line->jobs[i]];

		keys[i] = (struct rank_key){
			.priority = job->priority,
			.id = job->id,
			.job = line->jobs[i],
			.eligible = job->eligible,
			.claimed = job->claimed,
			.claim = job->claim,
		};
	}
	qsort(keys, line->n, sizeof(*keys), by_rank);
	for (uint32_t i = 0; i < line->n; i++)
		line->jobs[i] = keys[i].job;
	free(keys);
	return true;
}

static bool append(struct qs_run *run, struct qs_line *line, uint32_t job)
{
	if (!qs_array_room((void **)&line->jobs, &line->max,
			   (uint64_t)line->n + 1, sizeof(*line->jobs))) {
		run->state.no_memory = true;
		return false;
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

static const struct qs_bounds *
bounds_of(const struct qs_run *run, const struct qs_job *job, uint32_t demand)
{
	struct qs_line *line = line_of(run, job, demand);

	if (!line->bounded)
		qs_submit_bounds(
			run->state.policy, job->share,
			qs_state_demands(&run->state, job)[demand].type,
			&line->bounds);
	line->bounded = true;
	return &line->bounds;
}

/* R6b. */
static enum qs_code never_code(const struct qs_run *run,
			       const struct qs_job *job, uint32_t *demand)
{
	const struct qs_demand *d = qs_state_demands(&run->state, job);
	enum qs_code first = QS_CODE_NONE;

	for (uint32_t k = 0; k < job->ndemands; k++) {
		enum qs_code code =
			qs_submit_never_of(run->state.policy, job->share,
					   bounds_of(run, job, k), d[k].gpus);

		if (!qs_submit_sooner(code, first))
			continue;
		first = code;
		*demand = k;
	}
	return first;
}

/* R15: a share or queue that takes no new jobs. */
static bool is_refused(const struct qs_policy *policy, const struct qs_job *job)
{
	const struct qs_share *share = &policy->shares[job->share];

	return job->submitting &&
	       (!share->enabled || !policy->queues[share->queue].enabled);
}

enum qs_code qs_line_excluded(const struct qs_run *run, uint32_t index,
			      uint32_t *demand)
{
	const struct qs_job *job = &run->state.snap->jobs[index];
	enum qs_code code;

	*demand = 0;
	if (job->share < 0)
		return QS_CODE_SHARE_REMOVED;
	if (job->unknown_type)
		return QS_CODE_UNKNOWN_TYPE;
	code = never_code(run, job, demand);
	if (code != QS_CODE_NONE)
		return code;
	if (is_refused(run->state.policy, job))
		return QS_CODE_SHARE_DISABLED;
	if (job->held)
		return QS_CODE_HELD;
	/* Told by the caller, or it asks for no GPU at all. */
	return job->unplaceable || !job->ndemands ? QS_CODE_PLACEMENT :
						    QS_CODE_NONE;
}

bool qs_line_init(struct qs_run *run)
{
	const struct qs_snapshot *snap = run->state.snap;
	size_t nlines = (size_t)run->state.policy->nshares * run->state.ntypes;

	run->lines = calloc(nlines + 1, sizeof(*run->lines));
	run->decided = calloc(snap->njobs + 1, sizeof(*run->decided));
	run->left = calloc(snap->njobs + 1, sizeof(*run->left));
	run->late = calloc(run->state.npending + 1, sizeof(*run->late));
	run->claims = calloc(run->state.npending + 1, sizeof(*run->claims));
	if (!run->lines || !run->decided || !run->left || !run->late ||
	    !run->claims) {
		run->state.no_memory = true;
		return false;
	}
	for (uint32_t p = 0; p < run->state.npending; p++) {
		uint32_t i = run->state.pending[p], demand;
		const struct qs_job *job = &snap->jobs[i];

		run->left[i] = job->copies ? job->copies : 1;
		if (qs_line_excluded(run, i, &demand) != QS_CODE_NONE) {
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
	free(run->holds);
	free(run->held);
}

static int64_t head(struct qs_run *run, struct qs_line *line)
{
	while (line->at < line->n && run->decided[line->jobs[line->at]])
		line->at++;
	return line->at < line->n ? (int64_t)line->jobs[line->at] : -1;
}

/*
 * The first entitled job of the line. Under BEST_EFFORT it may go before those
 * that rank higher and are not entitled. What the share holds only grows while
 * a plan is made, so who is passed over here never becomes entitled again.
 */
static int64_t own_head(struct qs_run *run, struct qs_line *line)
{
	const struct qs_job *jobs = run->state.snap->jobs;

	while (line->own_at < line->n) {
		uint32_t job = line->jobs[line->own_at];

		/* Nobody goes before a claimant of the own share (R9). */
		if (!run->decided[job] &&
		    (qs_state_claims(&run->state, &jobs[job]) ||
		     qs_quota_entitled(&run->state, &jobs[job], QS_VIEW_NOW)))
			break;
		line->own_at++;
	}
	return line->own_at < line->n ? (int64_t)line->jobs[line->own_at] : -1;
}

typedef int64_t head_fn(struct qs_run *run, struct qs_line *line);

/* Does it head the line of each type it wants? */
static bool is_ready(struct qs_run *run, uint32_t index, head_fn *first)
{
	const struct qs_job *job = &run->state.snap->jobs[index];

	for (uint32_t k = 0; k < job->ndemands; k++) {
		if (first(run, line_of(run, job, k)) != index)
			return false;
	}
	return true;
}

static bool is_best_effort(const struct qs_run *run, const struct qs_job *job)
{
	int32_t queue = qs_state_queue(&run->state, job);

	return run->state.policy->queues[queue].in_share_order ==
	       QS_ORDER_BEST_EFFORT;
}

/* Whose turn it would be in this line; -1: nobody's yet. */
static int64_t line_candidate(struct qs_run *run, struct qs_line *line)
{
	const struct qs_job *jobs = run->state.snap->jobs;
	int64_t job = head(run, line), own;

	if (job < 0)
		return -1;
	if (is_best_effort(run, &jobs[job])) {
		own = own_head(run, line);
		if (own >= 0 && is_ready(run, (uint32_t)own, own_head))
			return own;
	}
	return is_ready(run, (uint32_t)job, head) ? job : -1;
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
	int32_t other = qs_state_queue(state, b);

	/* Queues have nothing to do with each other: one after the other. */
	if (queue != other)
		return strcmp(state->policy->queues[queue].name,
			      state->policy->queues[other].name) < 0;
	if (a_entitled != b_entitled)
		return a_entitled;
	if (qs_state_claims(state, a) != qs_state_claims(state, b))
		return qs_state_claims(state, a);
	if (!a_entitled &&
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
		int64_t job = line_candidate(run, &run->lines[l]);
		bool entitled;

		if (job < 0 || job == best)
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

	if (is_best_effort(run, job))
		return;
	for (uint32_t k = 0; k < job->ndemands; k++) {
		struct qs_line *line = line_of(run, job, k);

		for (uint32_t i = 0; i < line->block; i++) {
			if (line->jobs[i] != index)
				continue;
			line->block = i;
			line->blocker = job->id;
			line->told = i + 1;
			if ((size_t)(line - run->lines) < run->blocked)
				run->blocked = (size_t)(line - run->lines);
			break;
		}
	}
}

/* Who was told once is decided, so each line is walked once for a block. */
int64_t qs_line_blocked(struct qs_run *run, uint32_t *behind)
{
	size_t nlines = (size_t)run->state.policy->nshares * run->state.ntypes;

	for (; run->blocked < nlines; run->blocked++) {
		struct qs_line *line = &run->lines[run->blocked];

		if (line->block >= line->n)
			continue;
		for (; line->told < line->n; line->told++) {
			if (run->decided[line->jobs[line->told]])
				continue;
			*behind = line->blocker;
			return line->jobs[line->told];
		}
	}
	return -1;
}
