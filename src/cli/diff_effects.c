/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_effects.c - what another policy does to the jobs of now
 *
 * Called by `qshare diff`. Never blocks. The planner decides for both
 * policies, and what differs is told (R23). Its surprise: a lower capacity
 * alone stops nobody (R8a); who is stopped is stopped for a waiting job.
 */
#include "cli/diff.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan.h"
#include "engine/turns.h"

/* One side: a snapshot and what follows from it. */
struct side {
	const struct qs_snapshot *snap;
	struct qs_turn *turns;
	uint32_t nturns;
	struct qs_plan *plan;
	/* by job of the snapshot */
	uint32_t *own, *beyond, *turn;
	const struct qs_decision **says; /* NULL: does not wait */
	uint32_t *stopped_for;           /* 0: not stopped */
};

static void side_clear(struct side *side)
{
	free(side->turns);
	qs_plan_free(side->plan);
	free(side->own);
	free(side->beyond);
	free(side->turn);
	free(side->says);
	free(side->stopped_for);
}

static bool side_init(struct side *side, const struct qs_snapshot *snap)
{
	size_t n = (size_t)snap->njobs + 1;

	side->snap = snap;
	side->plan = qs_plan_make(snap);
	side->own = calloc(n, sizeof(*side->own));
	side->beyond = calloc(n, sizeof(*side->beyond));
	side->turn = calloc(n, sizeof(*side->turn));
	side->says = calloc(n, sizeof(*side->says));
	side->stopped_for = calloc(n, sizeof(*side->stopped_for));
	return side->plan && side->own && side->beyond && side->turn &&
	       side->says && side->stopped_for &&
	       !qs_turns_make(snap, &side->turns, &side->nturns);
}

static void side_fill(struct side *side)
{
	for (uint32_t i = 0; i < side->nturns; i++) {
		const struct qs_turn *turn = &side->turns[i];

		side->own[turn->job] += turn->own;
		side->beyond[turn->job] += turn->beyond;
		if (turn->turn && (!side->turn[turn->job] ||
				   turn->turn < side->turn[turn->job]))
			side->turn[turn->job] = turn->turn;
	}
	for (uint32_t i = 0; i < side->plan->ndecisions; i++) {
		const struct qs_decision *d = &side->plan->decisions[i];

		/* The first task of an array stands for all. */
		if (!side->says[d->job])
			side->says[d->job] = d;
		for (uint32_t k = 0; k < d->nvictims; k++)
			side->stopped_for[side->plan->victims[d->victims + k]
						  .job] = d->id;
	}
}

/* Where the other side has the job, or -1. Both are in the same order, and
 * the later one may lack some. */
static int64_t find(const struct qs_snapshot *snap, uint32_t id, uint32_t *at)
{
	for (uint32_t i = 0; i < snap->njobs; i++) {
		uint32_t k = (*at + i) % snap->njobs;

		if (snap->jobs[k].id != id)
			continue;
		*at = k + 1 < snap->njobs ? k + 1 : 0;
		return k;
	}
	return -1;
}

static void put(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key,
			       text ? json_object_new_string(text) : NULL);
}

static struct json_object *add(struct json_object *list,
			       const struct side *side, uint32_t i,
			       const char *effect, const char *text)
{
	const struct qs_job *job = &side->snap->jobs[i];
	struct json_object *out = json_object_new_object();

	json_object_object_add(out, "job", json_object_new_int64(job->id));
	put(out, "share",
	    job->share < 0 ? NULL :
			     side->snap->policy->shares[job->share].name);
	put(out, "state", job->state == QS_JOB_PENDING ? "PENDING" : "RUNNING");
	put(out, "effect", effect);
	put(out, "text", text);
	json_object_array_add(list, out);
	return out;
}

static void say_running(struct json_object *list, const struct side *now,
			uint32_t i, const struct side *then, uint32_t k)
{
	char text[256];

	if (then->stopped_for[k] && !now->stopped_for[i]) {
		snprintf(text, sizeof(text),
			 "it is preempted at once, for JobId=%u",
			 then->stopped_for[k]);
		add(list, then, k, "STOPS", text);
	} else if (then->beyond[k] > now->beyond[i]) {
		snprintf(text, sizeof(text),
			 "%u instead of %u of its %u GPUs are borrowed: it can "
			 "be preempted",
			 then->beyond[k], now->beyond[i],
			 then->own[k] + then->beyond[k]);
		add(list, then, k, "BORROWED", text);
	} else if (then->beyond[k] < now->beyond[i]) {
		snprintf(text, sizeof(text),
			 "%u instead of %u of its %u GPUs are borrowed%s",
			 then->beyond[k], now->beyond[i],
			 then->own[k] + then->beyond[k],
			 then->beyond[k] ? "" :
					   ": no other share can take it back");
		add(list, then, k, "OWN", text);
	}
}

static void put_victims(struct json_object *out, char *text, size_t size,
			const struct side *side, const struct qs_decision *d)
{
	struct json_object *list = json_object_new_array();
	size_t n = strlen(text);

	for (uint32_t i = 0; i < d->nvictims; i++) {
		uint32_t id = side->plan->victims[d->victims + i].id;

		json_object_array_add(list, json_object_new_int64(id));
		if (n < size)
			n += (size_t)snprintf(
				text + n, size - n, "%s%u",
				i ? ", " : "; for it are preempted: ", id);
	}
	json_object_object_add(out, "victims", list);
	put(out, "text", text);
}

static const char *how_words(uint8_t how)
{
	switch (how) {
	case QS_HOW_OWN:
		return "on its share's own GPUs";
	case QS_HOW_BORROW:
		return "on borrowed GPUs";
	case QS_HOW_RECLAIM:
		return "on GPUs that its share takes back";
	default:
		return "in place of lower jobs of its share";
	}
}

static void say_waiting(struct json_object *list, const struct qs_decision *was,
			const struct side *then, uint32_t k)
{
	const struct qs_decision *is = then->says[k];
	char text[512];

	if (!is || !was || was->verdict == is->verdict)
		return;
	if (is->verdict == QS_VERDICT_START) {
		snprintf(text, sizeof(text), "it starts, %s",
			 how_words(is->how));
		put_victims(add(list, then, k, "STARTS", text), text,
			    sizeof(text), then, is);
	} else if (is->verdict == QS_VERDICT_NEVER) {
		snprintf(text, sizeof(text), "it can never start: %s",
			 qs_code_name(is->code));
		add(list, then, k, "NEVER", text);
	} else {
		snprintf(text, sizeof(text), "it waits: %s",
			 qs_code_name(is->code));
		add(list, then, k, "WAITS", text);
	}
}

static void compare(struct json_object *list, const struct side *now,
		    const struct side *then)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < now->snap->njobs; i++) {
		const struct qs_job *job = &now->snap->jobs[i];
		int64_t k = find(then->snap, job->id, &at);

		if (k < 0)
			add(list, now, i, "LEAVES",
			    "no queue has it any more: no share is charged");
		else if (job->state == QS_JOB_PENDING)
			say_waiting(list, now->says[i], then, (uint32_t)k);
		else if (job->state != QS_JOB_COMPLETING)
			say_running(list, now, i, then, (uint32_t)k);
	}
}

struct json_object *qs_diff_effects(const struct qs_snapshot *now,
				    const struct qs_snapshot *then)
{
	struct side a = { 0 }, b = { 0 };
	struct json_object *list = NULL;

	if (side_init(&a, now) && side_init(&b, then)) {
		side_fill(&a);
		side_fill(&b);
		list = json_object_new_array();
		compare(list, &a, &b);
	} else {
		errno = ENOMEM;
	}
	side_clear(&a);
	side_clear(&b);
	return list;
}
