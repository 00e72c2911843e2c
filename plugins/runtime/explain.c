/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.c - the answer to "explain JOBID" (R21, R22)
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks; reads
 * the last published view, the records and the ring of preemptions. The
 * sentences are the engine's. Its surprise: which of a running job's GPUs are
 * own and which borrowed is a property of the moment (R4), so it is worked out
 * anew each time.
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/answer.h"

static char *fail(const char *word, const char *what)
{
	struct json_object *answer = json_object_new_object();
	char text[160];

	snprintf(text, sizeof(text), "%.40s: %s", word, what);
	qs_answer_text(answer, "error", text);
	return qs_answer_print(answer);
}

/* "12", "12_3", "12+1". Returns the place in the view, -1 if it has none; id
 * gets a plain job id to look for elsewhere. */
static int64_t find(const struct qs_view *view, const char *word, uint32_t *id)
{
	unsigned long job, part = 0;
	char *end;

	job = strtoul(word, &end, 10);
	if (end == word || job > UINT32_MAX)
		return -1;
	if (*end == '_' || *end == '+')
		part = strtoul(end + 1, NULL, 10);
	*id = (uint32_t)job;
	for (uint32_t i = 0; view && i < view->snap->njobs; i++) {
		const struct qs_seen *seen = &view->seen[i];

		if (*end != '_' && seen->id == job)
			return i;
		if (*end == '_' && seen->array_job == job &&
		    seen->array_task == part) {
			*id = seen->id;
			return i;
		}
	}
	/* A task that waits is part of the array's own record. */
	for (uint32_t i = 0; view && *end == '_' && i < view->snap->njobs; i++)
		if (view->seen[i].id == job)
			return i;
	return -1;
}

static const char *state_name(const struct qs_job *job)
{
	static const char *const names[] = {
		[QS_JOB_PENDING] = "PENDING",
		[QS_JOB_RUNNING] = "RUNNING",
		[QS_JOB_SUSPENDED] = "SUSPENDED",
		[QS_JOB_COMPLETING] = "COMPLETING",
	};

	return names[job->state];
}

static uint32_t of_type(const struct qs_snapshot *snap,
			const struct qs_job *job, uint16_t type)
{
	for (uint32_t k = 0; k < job->ndemands; k++)
		if (snap->demands[job->demands + k].type == type)
			return snap->demands[job->demands + k].gpus;
	return 0;
}

/* R4: does a fill the own capacity before b? */
static bool fills_before(const struct qs_job *a, const struct qs_job *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->start != b->start)
		return a->start < b->start;
	return a->id < b->id;
}

/* GPUs of a type that a running job has as own. */
static int64_t own_of(const struct qs_view *view, const struct qs_job *job,
		      uint16_t type)
{
	const struct qs_snapshot *snap = view->snap;
	int64_t left, gpus = of_type(snap, job, type);

	if (job->share < 0)
		return 0;
	left = qs_policy_quota(view->policy, job->share, type)->capacity;
	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_job *other = &snap->jobs[i];

		if (other != job && other->share == job->share &&
		    other->state != QS_JOB_PENDING &&
		    fills_before(other, job))
			left -= of_type(snap, other, type);
	}
	left = left > 0 ? left : 0;
	return left < gpus ? left : gpus;
}

static void put_gpus(struct json_object *to, const struct qs_view *view,
		     const struct qs_job *job, const struct qs_decision *d)
{
	struct json_object *own = json_object_new_object();
	struct json_object *borrowed = json_object_new_object();

	for (uint32_t k = 0; d && k < d->nsplits; k++) {
		const struct qs_split *s = &view->plan->splits[d->splits + k];
		const char *type = view->policy->types[s->type].name;

		if (s->own)
			qs_answer_number(own, type, s->own);
		if (s->borrowed)
			qs_answer_number(borrowed, type, s->borrowed);
	}
	for (uint32_t k = 0; !d && k < job->ndemands; k++) {
		const struct qs_demand *have =
			&view->snap->demands[job->demands + k];
		const char *type = view->policy->types[have->type].name;
		int64_t mine = own_of(view, job, have->type);

		if (mine)
			qs_answer_number(own, type, mine);
		if (have->gpus > mine)
			qs_answer_number(borrowed, type, have->gpus - mine);
	}
	json_object_object_add(to, "own", own);
	json_object_object_add(to, "borrowed", borrowed);
}

/* R6a: from 1. */
static int64_t position(const struct qs_view *view, const struct qs_job *job)
{
	int64_t before = 0;

	for (uint32_t i = 0; i < view->snap->njobs; i++) {
		const struct qs_job *o = &view->snap->jobs[i];

		if (o == job || o->state != QS_JOB_PENDING ||
		    o->share != job->share || o->queue != job->queue)
			continue;
		if (o->priority != job->priority)
			before += o->priority > job->priority;
		else if (o->eligible != job->eligible)
			before += o->eligible < job->eligible;
		else
			before += o->id < job->id;
	}
	return before + 1;
}

static void put_history(struct json_object *to, uint32_t id)
{
	struct json_object *list = qs_answer_list(to, "history");
	unsigned told = 0;

	for (uint32_t i = 0; i < qs_rt.history_n && told < QS_HISTORY_JOB;
	     i++) {
		const struct qs_past *past = &qs_rt.history[
			(qs_rt.history_next - 1 - i) % QS_HISTORY_MAX];
		struct json_object *out;

		if (past->victim != id)
			continue;
		told++;
		out = json_object_new_object();
		qs_answer_number(out, "time", past->time);
		qs_answer_number(out, "for", past->claimant);
		qs_answer_text(out, "how", qs_how_name(past->how));
		qs_answer_text(out, "code", qs_code_name(past->code));
		qs_answer_text(out, "rule", qs_chosen_name(past->chosen));
		qs_answer_number(out, "run", past->run_sec);
		qs_answer_number(out, "gpus", past->gpus);
		qs_answer_number(out, "borrowed", past->beyond);
		qs_answer_text(out, "text", past->text);
		json_object_array_add(list, out);
	}
}

static void put_decision(struct json_object *to, const struct qs_view *view,
			 const struct qs_decision *d, const char *slurm)
{
	char text[2048], reason[QS_REASON_MAX], all[2200];

	qs_explain_long(view->policy, view->plan, d, text, sizeof(text));
	qs_explain_short(view->policy, d, reason, sizeof(reason));
	qs_answer_text(to, "verdict", qs_verdict_name(d->verdict));
	qs_answer_text(to, "how", qs_how_name(d->how));
	qs_answer_text(to, "code", qs_code_name(d->code));
	if (slurm[0])
		snprintf(all, sizeof(all),
			 "Slurm found no place for it lately (%s). %s", slurm,
			 text);
	qs_answer_text(to, "text", slurm[0] ? all : text);
	qs_answer_text(to, "reason", reason);
}

/* Is it on its way out? For whom? */
static void put_stop(struct json_object *to, uint32_t id)
{
	const struct qs_stop *stop = qs_stop_find(id);

	if (!stop)
		return;
	qs_answer_text(to, "text", stop->text);
	qs_answer_number(to, "stopped_for", stop->claimant);
}

static void put_job(struct json_object *to, const struct qs_view *view,
		    uint32_t i)
{
	const struct qs_job *job = &view->snap->jobs[i];
	const struct qs_decision *d = job->state == QS_JOB_PENDING ?
		qs_plan_find(view->plan, job->id) : NULL;

	qs_answer_text(to, "state", state_name(job));
	qs_answer_text(to, "share", job->share >= 0 ?
		       view->policy->shares[job->share].name : NULL);
	qs_answer_text(to, "queue", view->policy->queues[job->queue].name);
	if (d)
		put_decision(to, view, d, job->unplaceable ?
			     view->seen[i].text : "");
	else
		put_stop(to, job->id);
	put_gpus(to, view, job, d);
	if (job->state == QS_JOB_PENDING)
		qs_answer_number(to, "position", position(view, job));
}

static void put_record(struct json_object *to, const struct qs_jobrec *rec)
{
	qs_answer_number(to, "priority", rec ? rec->priority : 0);
	qs_answer_number(to, "preempted", rec ? rec->preempted : 0);
	if (rec && rec->retries.set)
		qs_answer_number(to, "retries", rec->retries.value);
	else
		json_object_object_add(to, "retries", NULL);
}

/* The share's PreemptRetries where the job has none of its own (R12). */
static void put_share_retries(struct json_object *to,
			      const struct qs_view *view, int64_t at,
			      const struct qs_jobrec *rec)
{
	int32_t share = at >= 0 ? view->snap->jobs[at].share : -1;

	if (share >= 0 && !(rec && rec->retries.set) &&
	    view->policy->shares[share].preempt_retries.set)
		qs_answer_number(to, "retries",
			view->policy->shares[share].preempt_retries.value);
}

static bool remembered(uint32_t id)
{
	for (uint32_t i = 0; i < qs_rt.history_n; i++)
		if (qs_rt.history[i].victim == id)
			return true;
	return false;
}

char *qs_explain_json(const char *word)
{
	const struct qs_view *view = qs_rt.view;
	const struct qs_jobrec *rec;
	struct json_object *answer;
	uint32_t id = 0;
	int64_t at;

	if (!view)
		return fail(word, "slurmctld has not looked at its jobs yet: try again in a moment");
	at = find(view, word, &id);
	rec = qs_jobrec_find(id);
	if (at < 0 && !remembered(id) && !(rec && rec->ours))
		return fail(word, "no such job waits or runs in a quota share");
	answer = json_object_new_object();
	if (strspn(word, "0123456789") == strlen(word))
		qs_answer_number(answer, "job", id);
	else
		qs_answer_text(answer, "job", word);
	if (at >= 0)
		put_job(answer, view, (uint32_t)at);
	put_record(answer, rec);
	put_share_retries(answer, view, at, rec);
	put_history(answer, id);
	return qs_answer_print(answer);
}
