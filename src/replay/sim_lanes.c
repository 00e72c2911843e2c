/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_lanes.c - which waiting jobs the planner has to be shown
 *
 * A queue of ten thousand jobs is not planned anew for each job that ends. Of
 * jobs that ask for the same in the same share, all that matters is the first
 * few: when one of them must wait and nothing is kept for it, so must those
 * behind it. And under InShareOrder=STRICT nobody matters who stands behind
 * one that waits for quota. So a few are offered from the front of each line,
 * and after the plan it is asked whether any that was not offered could have
 * been served; then more are offered and it is planned again. The result is
 * the same as if all had been offered; a test compares (wish.whole_queue).
 *
 * Called by sim_look.c and sim_jobs.c. Linear in lanes and in what is offered;
 * a job goes in and out of its lane at the cost of its distance to an end.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"
#include "replay/sim_inner.h"

#define NOBODY UINT32_MAX

static const struct qs_trace_job *trace_job(const struct qs_sim *sim,
					    uint32_t job)
{
	return &sim->trace->jobs[job];
}

struct qs_wait_line *qs_lane_line(const struct qs_sim *sim, uint32_t job)
{
	int32_t share = sim->share_of[trace_job(sim, job)->share];
	int32_t type = sim->type_of[trace_job(sim, job)->type];

	return &sim->lines[(size_t)share * (size_t)sim->policy->ntypes +
			   (size_t)type];
}

/* R6a among waiting jobs without a claim. */
static bool ranks_before(const struct qs_sim *sim, uint32_t a, uint32_t b)
{
	uint32_t pa = trace_job(sim, a)->priority;
	uint32_t pb = trace_job(sim, b)->priority;

	if (pa != pb)
		return pa > pb;
	return a < b; /* by eligible time, then id */
}

static bool is_of(const struct qs_lane *lane, const struct qs_trace_job *job,
		  bool displaced)
{
	return lane->gpus == job->gpus && lane->priority == job->priority &&
	       lane->displaced == displaced;
}

static struct qs_lane *lane_of(struct qs_sim *sim, uint32_t job)
{
	struct qs_wait_line *line = qs_lane_line(sim, job);
	const struct qs_trace_job *t = trace_job(sim, job);
	bool displaced = sim->jobs[job].displaced;
	uint32_t i = 0;

	while (i < line->nlanes && !is_of(&line->lanes[i], t, displaced))
		i++;
	return i < line->nlanes ? &line->lanes[i] : NULL;
}

static struct qs_lane *add_lane(struct qs_sim *sim, uint32_t job)
{
	struct qs_wait_line *line = qs_lane_line(sim, job);

	if (!qs_array_room((void **)&line->lanes, &line->max,
			   (uint64_t)line->nlanes + 1, sizeof(*line->lanes))) {
		sim->no_memory = true;
		return NULL;
	}
	line->lanes[line->nlanes] = (struct qs_lane){
		.gpus = trace_job(sim, job)->gpus,
		.priority = trace_job(sim, job)->priority,
		.displaced = sim->jobs[job].displaced,
	};
	return &line->lanes[line->nlanes++];
}

/* The first place that is not before the job. */
static uint32_t place_in(const struct qs_lane *lane, uint32_t job)
{
	uint32_t from = lane->head, to = lane->end;

	/* New ones come last. */
	if (from < to && lane->jobs[to - 1] < job)
		return to;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (lane->jobs[mid] < job)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool make_room(struct qs_lane *lane)
{
	uint32_t n = lane->end - lane->head;

	if (lane->end < lane->max)
		return true;
	/* Half empty in front: move instead of growing. */
	if (lane->head > n) {
		memmove(lane->jobs, lane->jobs + lane->head,
			n * sizeof(*lane->jobs));
		lane->head = 0;
		lane->end = n;
		return true;
	}
	return qs_array_room((void **)&lane->jobs, &lane->max,
			     (uint64_t)lane->end + 1, sizeof(*lane->jobs));
}

bool qs_lane_add(struct qs_sim *sim, uint32_t job)
{
	struct qs_lane *lane = lane_of(sim, job);
	uint32_t at;

	if (!lane)
		lane = add_lane(sim, job);
	if (!lane || !make_room(lane)) {
		sim->no_memory = true;
		return false;
	}
	at = place_in(lane, job);
	if (lane->head && at - lane->head < lane->end - at) {
		memmove(lane->jobs + lane->head - 1, lane->jobs + lane->head,
			(at - lane->head) * sizeof(*lane->jobs));
		lane->head--;
		at--;
	} else {
		memmove(lane->jobs + at + 1, lane->jobs + at,
			(lane->end - at) * sizeof(*lane->jobs));
		lane->end++;
	}
	lane->jobs[at] = job;
	sim->nwaiting++;
	return true;
}

void qs_lane_remove(struct qs_sim *sim, uint32_t job)
{
	struct qs_lane *lane = lane_of(sim, job);
	uint32_t at = place_in(lane, job);

	if (at - lane->head < lane->end - at) {
		memmove(lane->jobs + lane->head + 1, lane->jobs + lane->head,
			(at - lane->head) * sizeof(*lane->jobs));
		lane->head++;
	} else {
		memmove(lane->jobs + at, lane->jobs + at + 1,
			(lane->end - at - 1) * sizeof(*lane->jobs));
		lane->end--;
	}
	sim->nwaiting--;
}

void qs_lane_free_all(struct qs_sim *sim)
{
	for (uint32_t l = 0; sim->lines && l < sim->nlines; l++) {
		for (uint32_t i = 0; i < sim->lines[l].nlanes; i++)
			free(sim->lines[l].lanes[i].jobs);
		free(sim->lines[l].lanes);
	}
	free(sim->lines);
	sim->lines = NULL;
	sim->nlines = 0;
	sim->nwaiting = 0;
}

static bool is_strict(const struct qs_sim *sim, const struct qs_wait_line *line)
{
	size_t share =
		(size_t)(line - sim->lines) / (size_t)sim->policy->ntypes;
	int queue = sim->policy->shares[share].queue;

	return sim->policy->queues[queue].in_share_order == QS_ORDER_STRICT;
}

/* GPUs of a type that nobody holds, in or out of any share. */
static int64_t idle_of(const struct qs_sim *sim, uint32_t type)
{
	const struct qs_snapshot *snap = sim->snap;
	size_t T = (size_t)sim->policy->ntypes;
	int64_t idle = 0;

	if (snap->has_nodes) {
		for (uint32_t n = 0; n < snap->nnodes; n++)
			idle += snap->node_gpus[n * T + type];
	} else {
		for (int q = 0; q < sim->policy->nqueues; q++)
			idle += qs_policy_pool(sim->policy, q, (int)type);
	}
	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_demand *d =
			&snap->demands[snap->jobs[i].demands];

		if (snap->jobs[i].ndemands && d->type == type)
			idle -= d->gpus;
	}
	return idle > 0 ? idle : 0;
}

/* GPUs that running jobs and claimants of a line's share and type hold or are
 * to hold. */
static int64_t used_of(const struct qs_sim *sim,
		       const struct qs_wait_line *line)
{
	uint32_t T = (uint32_t)sim->policy->ntypes;
	uint32_t l = (uint32_t)(line - sim->lines);
	int64_t used = 0;

	for (uint32_t i = 0; i < sim->nrunning; i++) {
		const struct qs_job *job = &sim->snap->jobs[i];
		const struct qs_demand *d = &sim->snap->demands[job->demands];

		if (job->share == (int32_t)(l / T) && d->type == l % T)
			used += d->gpus;
	}
	for (uint32_t i = 0; i < sim->nclaims; i++) {
		uint32_t job = sim->claims[i].job;

		if (qs_lane_line(sim, job) == line)
			used += trace_job(sim, job)->gpus;
	}
	return used;
}

/* May there be a claimant that goes beyond its share's capacity? */
static bool claims_a_loan(const struct qs_sim *sim)
{
	for (uint32_t i = 0; i < sim->nclaims; i++) {
		const struct qs_wait_line *line =
			qs_lane_line(sim, sim->claims[i].job);

		if (used_of(sim, line) >
		    sim->policy->quotas[line - sim->lines].capacity)
			return true;
	}
	return false;
}

/*
 * Offered at first: of a lane as many as can start on what is idle, and one
 * that cannot; of a line as many as the last plan had to know. owners: somebody
 * may ask what owners' waiting jobs can fill of what they lend: then all of
 * these must be there to be counted.
 */
static void set_limits(struct qs_sim *sim, struct qs_wait_line *line,
		       int64_t idle, int64_t capacity, bool owners)
{
	if (owners || sim->wish.whole_queue)
		line->want = UINT32_MAX;
	if (owners && idle < capacity)
		idle = capacity;
	for (uint32_t i = 0; i < line->nlanes; i++) {
		struct qs_lane *lane = &line->lanes[i];

		lane->limit = sim->wish.whole_queue ?
				      UINT32_MAX :
				      (uint32_t)(idle / lane->gpus) + 1;
	}
}

void qs_lane_begin(struct qs_sim *sim)
{
	uint32_t T = (uint32_t)sim->policy->ntypes;
	/* Who would stop a job of its own share to borrow (R8), and a claimant
	 * that will borrow (R9). */
	bool owners = sim->ranked || claims_a_loan(sim);

	for (uint32_t t = 0; t < T; t++) {
		int64_t idle = sim->nwaiting ? idle_of(sim, t) : 0;

		for (uint32_t l = t; l < sim->nlines; l += T)
			set_limits(sim, &sim->lines[l], idle,
				   sim->policy->quotas[l].capacity, owners);
	}
}

/* The best of those not taken yet, or NULL. */
static struct qs_lane *next_lane(const struct qs_sim *sim,
				 const struct qs_wait_line *line)
{
	struct qs_lane *best = NULL;

	for (uint32_t i = 0; i < line->nlanes; i++) {
		struct qs_lane *lane = &line->lanes[i];
		uint32_t at = lane->head + lane->taken;

		if (at >= lane->end || lane->taken >= lane->limit)
			continue;
		if (!best || ranks_before(sim, lane->jobs[at],
					  best->jobs[best->head + best->taken]))
			best = lane;
	}
	return best;
}

bool qs_lane_offer(struct qs_sim *sim)
{
	sim->noffered = 0;
	for (uint32_t l = 0; l < sim->nlines; l++) {
		struct qs_wait_line *line = &sim->lines[l];
		struct qs_lane *lane;

		line->taken = 0;
		line->blocker = line->served = NOBODY;
		for (uint32_t i = 0; i < line->nlanes; i++) {
			line->lanes[i].taken = 0;
			line->lanes[i].shut = false;
		}
		while (line->taken < line->want &&
		       (lane = next_lane(sim, line))) {
			if (!qs_array_room((void **)&sim->offered,
					   &sim->offered_max,
					   (uint64_t)sim->noffered + 1,
					   sizeof(*sim->offered))) {
				sim->no_memory = true;
				return false;
			}
			sim->offered[sim->noffered++] =
				lane->jobs[lane->head + lane->taken++];
			line->taken++;
		}
	}
	return true;
}

static bool claims(const struct qs_sim *sim, uint32_t job)
{
	return sim->jobs[job].state == QS_SIM_CLAIMS;
}

/* Claimants rank before everybody else of their share (R9). */
static bool holds_up_more(const struct qs_sim *sim, uint32_t job,
			  uint32_t blocker)
{
	if (blocker == NOBODY || claims(sim, job))
		return true;
	return !claims(sim, blocker) && ranks_before(sim, job, blocker);
}

static void note(struct qs_sim *sim, const struct qs_decision *d)
{
	uint32_t job = d->id - 1;
	struct qs_wait_line *line = qs_lane_line(sim, job);
	struct qs_lane *lane;

	if (d->verdict == QS_VERDICT_START || d->reserves) {
		if (!claims(sim, job) && (line->served == NOBODY ||
					  ranks_before(sim, line->served, job)))
			line->served = job;
	}
	if (d->verdict == QS_VERDICT_START)
		return;
	if (qs_code_holds_up((enum qs_code)d->code, d->reserves) &&
	    is_strict(sim, line) && holds_up_more(sim, job, line->blocker))
		line->blocker = job;
	if (d->reserves)
		return;
	/* A claimant has left its lane. */
	lane = claims(sim, job) ? NULL : lane_of(sim, job);
	if (lane && !lane->displaced)
		lane->shut = true;
}

/*
 * Does it matter what becomes of the first of the lane that was not offered?
 * It might be served; or, as it waits in any case, it might wait for quota and
 * hold up one behind it that was served (STRICT), or, being younger and of a
 * higher priority, let another share's job go first (R6c). stops: the plan stops
 * somebody, which may free more than was asked for, so that one who is like
 * another that was refused before may be served after it.
 */
static bool matters(const struct qs_sim *sim, const struct qs_wait_line *line,
		    const struct qs_lane *lane, bool stops)
{
	uint32_t at = lane->head + lane->taken, job;

	if (at >= lane->end)
		return false;
	job = lane->jobs[at];
	if ((!lane->shut || stops) && (line->blocker == NOBODY ||
				       (!claims(sim, line->blocker) &&
					ranks_before(sim, job, line->blocker))))
		return true;
	return line->served != NOBODY &&
	       (sim->ranked || is_strict(sim, line)) &&
	       ranks_before(sim, job, line->served);
}

static uint32_t more(uint32_t n)
{
	return n < UINT32_MAX / 4 ? n * 4 : UINT32_MAX;
}

/* Everything of a line that matters was offered; else more will be. */
static bool is_told(const struct qs_sim *sim, struct qs_wait_line *line,
		    bool stops)
{
	bool told = true, room = false;

	for (uint32_t i = 0; i < line->nlanes; i++) {
		struct qs_lane *lane = &line->lanes[i];

		if (!matters(sim, line, lane, stops))
			continue;
		told = false;
		if (lane->taken < lane->limit)
			room = true;
		else
			lane->limit = stops ? UINT32_MAX : more(lane->limit);
	}
	if (room)
		line->want = stops ? UINT32_MAX : more(line->want);
	return told;
}

/* How many of each line would have been enough, and one more. */
static void set_wants(struct qs_sim *sim)
{
	for (uint32_t l = 0; l < sim->nlines; l++)
		sim->lines[l].want = 1;
	for (uint32_t i = 0; i < sim->noffered; i++) {
		uint32_t job = sim->offered[i];
		struct qs_wait_line *line = qs_lane_line(sim, job);

		if (line->blocker == NOBODY || job == line->blocker ||
		    ranks_before(sim, job, line->blocker))
			line->want++;
	}
}

bool qs_lane_judge(struct qs_sim *sim, const struct qs_plan *plan)
{
	bool told = true;

	for (uint32_t i = 0; i < plan->ndecisions; i++)
		note(sim, &plan->decisions[i]);
	for (uint32_t l = 0; l < sim->nlines; l++)
		told &= is_told(sim, &sim->lines[l], plan->nvictims > 0);
	if (told)
		set_wants(sim);
	return told;
}

bool qs_lane_is_behind(const struct qs_sim *sim, uint32_t job)
{
	const struct qs_wait_line *line = qs_lane_line(sim, job);
	const struct qs_trace_job *t = trace_job(sim, job);

	if (line->blocker != NOBODY &&
	    (sim->jobs[line->blocker].state == QS_SIM_CLAIMS ||
	     ranks_before(sim, line->blocker, job)))
		return true;
	/* Behind one like it, in the order of submission. */
	for (uint32_t i = 0; i < line->nlanes; i++) {
		if (is_of(&line->lanes[i], t, false))
			return line->lanes[i].shut;
	}
	return false;
}
