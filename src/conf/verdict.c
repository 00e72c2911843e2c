/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.c - what a plan says of one waiting job, as JSON
 *
 * Called by slurmctld's runtime and by `qshare whatif`, so that both say the
 * same of the same job (R23). Never blocks.
 */
#include "conf/verdict.h"

#include "engine/explain.h"

/* Longest sentence about a decision. */
#define TEXT_MAX 2048

static void put_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key,
			       text ? json_object_new_string(text) : NULL);
}

static void put_number(struct json_object *to, const char *key, int64_t value)
{
	json_object_object_add(to, key, json_object_new_int64(value));
}

static const char *share_name(const struct qs_policy *policy, int32_t share)
{
	return share >= 0 ? policy->shares[share].name : NULL;
}

static void put_gpus(struct json_object *to, const struct qs_snapshot *snap,
		     const struct qs_job *job)
{
	struct json_object *gpus = json_object_new_object();

	for (uint32_t k = 0; k < job->ndemands; k++) {
		const struct qs_demand *d = &snap->demands[job->demands + k];

		put_number(gpus, snap->policy->types[d->type].name, d->gpus);
	}
	json_object_object_add(to, "gpus", gpus);
}

static void put_split(struct json_object *to, const struct qs_snapshot *snap,
		      const struct qs_plan *plan, const struct qs_decision *d)
{
	struct json_object *own = json_object_new_object();
	struct json_object *borrowed = json_object_new_object();

	for (uint32_t k = 0; k < d->nsplits; k++) {
		const struct qs_split *s = &plan->splits[d->splits + k];
		const char *type = snap->policy->types[s->type].name;

		if (s->own)
			put_number(own, type, s->own);
		if (s->borrowed)
			put_number(borrowed, type, s->borrowed);
	}
	json_object_object_add(to, "own", own);
	json_object_object_add(to, "borrowed", borrowed);
}

static void put_place(struct json_object *to, const struct qs_snapshot *snap,
		      const struct qs_plan *plan, const struct qs_decision *d)
{
	struct json_object *place = json_object_new_object(), *gpus;

	for (uint32_t k = 0; k < d->nplaces; k++) {
		const struct qs_placed *p = &plan->places[d->places + k];
		const char *node = snap->nodes[p->node].name;

		if (!json_object_object_get_ex(place, node, &gpus)) {
			gpus = json_object_new_object();
			json_object_object_add(place, node, gpus);
		}
		put_number(gpus, snap->policy->types[p->type].name, p->gpus);
	}
	json_object_object_add(to, "place", place);
}

static void put_victims(struct json_object *to, const struct qs_snapshot *snap,
			const struct qs_plan *plan, const struct qs_decision *d)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t k = 0; k < d->nvictims; k++) {
		const struct qs_victim *victim = &plan->victims[d->victims + k];
		const struct qs_job *job = &snap->jobs[victim->job];
		struct json_object *out = json_object_new_object();
		int64_t run = snap->now - job->start;
		char text[TEXT_MAX];

		qs_explain_victim(snap->policy, d, victim, run, text,
				  sizeof(text));
		put_number(out, "job", victim->id);
		put_text(out, "share", share_name(snap->policy, job->share));
		put_number(out, "gpus", victim->gpus);
		put_number(out, "borrowed", victim->beyond);
		put_number(out, "run", run);
		put_text(out, "text", text);
		json_object_array_add(list, out);
	}
	json_object_object_add(to, "victims", list);
}

static void put_total(struct json_object *to, const struct qs_plan *plan,
		      const struct qs_decision *d)
{
	struct json_object *total = json_object_new_object();
	int64_t gpus = 0;

	for (uint32_t k = 0; k < d->nvictims; k++)
		gpus += plan->victims[d->victims + k].gpus;
	put_number(total, "jobs", d->nvictims);
	put_number(total, "gpus", gpus);
	json_object_object_add(to, "victims_total", total);
}

static void put_words(struct json_object *to, const struct qs_snapshot *snap,
		      const struct qs_plan *plan, const struct qs_decision *d,
		      bool jobs)
{
	struct qs_decision said = *d;
	char text[TEXT_MAX];

	if (!jobs)
		said.facts.behind = 0;
	qs_explain_long(snap->policy, jobs ? plan : NULL, &said, text,
			sizeof(text));
	put_text(to, "text", text);
}

struct json_object *qs_verdict_json(const struct qs_snapshot *snap,
				    const struct qs_plan *plan, uint32_t job,
				    bool jobs)
{
	const struct qs_job *of = &snap->jobs[job];
	const struct qs_decision *d = qs_plan_find(plan, of->id);
	struct json_object *out = d ? json_object_new_object() : NULL;

	if (!out)
		return NULL;
	put_text(out, "share", share_name(snap->policy, of->share));
	put_text(out, "queue", snap->policy->queues[of->queue].name);
	put_gpus(out, snap, of);
	put_text(out, "verdict", qs_verdict_name(d->verdict));
	put_text(out, "how", qs_how_name(d->how));
	put_text(out, "code", qs_code_name(d->code));
	put_words(out, snap, plan, d, jobs);
	put_split(out, snap, plan, d);
	put_place(out, snap, plan, d);
	if (jobs)
		put_victims(out, snap, plan, d);
	else
		json_object_object_add(out, "victims", NULL);
	put_total(out, plan, d);
	return out;
}
