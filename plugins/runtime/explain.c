/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.c - the answer to "explain JOBID" (R21, R22)
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks; reads
 * the last published view, the records and the ring of preemptions. The
 * sentences are the engine's. Its surprise: which of a running job's GPUs are
 * own and which borrowed is a property of the moment (R4), so two answers
 * about a job that nobody touched may differ.
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/turns.h"

#include "runtime/answer.h"

static char *fail(const char *word, const char *what)
{
	struct json_object *answer = json_object_new_object();
	char text[160];

	snprintf(text, sizeof(text), "%s%s%s", word, *word ? ": " : "", what);
	qs_answer_text(answer, "error", text);
	return qs_answer_print(answer);
}

/* The job's place in the view, -1 if it has none; id gets a plain job id to
 * look for elsewhere, 0 for a task that is none of the view's: the array's own
 * number is another task's by then. */
static int64_t find(const struct qs_view *view, const struct qs_words *words,
		    uint32_t *id)
{
	bool task = words->form == QS_JOB_FORM_TASK;

	*id = words->job;
	for (uint32_t i = 0; i < view->snap->njobs; i++) {
		const struct qs_seen *seen = &view->seen[i];

		if (!task && seen->id == words->job)
			return i;
		if (task && seen->array_job == words->job &&
		    seen->array_task == words->part) {
			*id = seen->id;
			return i;
		}
	}
	if (!task)
		return -1;
	/* A task that waits is part of the array's own record. */
	for (uint32_t i = 0; i < view->snap->njobs; i++)
		if (view->seen[i].id == words->job &&
		    view->seen[i].array_task == NO_VAL &&
		    view->snap->jobs[i].state == QS_JOB_PENDING)
			return i;
	*id = 0;
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

/* What a running job has as own and beyond, by type (R4), and how safe it
 * is: its turn among the victims, by the type where it is soonest. */
static void put_held(struct json_object *to, struct json_object *own,
		     struct json_object *borrowed, const struct qs_view *view,
		     uint32_t at)
{
	uint32_t n = view->nturns, first = 0, most = 0;
	const struct qs_turn *turns = view->turns;
	int64_t until = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *type = view->policy->types[turns[i].type].name;

		if (turns[i].job != at)
			continue;
		if (turns[i].own)
			qs_answer_number(own, type, turns[i].own);
		if (turns[i].beyond)
			qs_answer_number(borrowed, type, turns[i].beyond);
		until = turns[i].protected_until > until ?
				turns[i].protected_until :
				until;
		if (turns[i].turn && (!first || turns[i].turn < first)) {
			first = turns[i].turn;
			most = qs_answer_victims(view, turns, n, &turns[i]);
		}
	}
	qs_answer_number(to, "turn", first);
	qs_answer_number(to, "victims", most);
	if (until)
		qs_answer_number(to, "protected_until", until);
	else
		json_object_object_add(to, "protected_until", NULL);
}

static void put_gpus(struct json_object *to, const struct qs_view *view,
		     uint32_t at, const struct qs_decision *d)
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
	if (!d)
		put_held(to, own, borrowed, view, at);
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
		const struct qs_past *past =
			&qs_rt.history[(qs_rt.history_next - 1 - i) %
				       QS_HISTORY_MAX];
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

void qs_answer_reason(const struct qs_view *view, uint32_t at,
		      const struct qs_decision *d, char *text, size_t size)
{
	char reason[QS_REASON_MAX] = "";

	qs_explain_short(view->policy, d, reason, sizeof(reason));
	if (d->code == QS_CODE_HELD)
		snprintf(text, size, "%s (%s)", reason,
			 qs_compat_reason(view->seen[at].reason));
	else
		snprintf(text, size, "%s", reason);
}

static void put_decision(struct json_object *to, const struct qs_view *view,
			 uint32_t at, const struct qs_decision *d)
{
	const char *slurm = qs_view_slurm_says(view, at);
	char text[2048], reason[QS_REASON_MAX + 64], all[2200];

	if (!strncmp(slurm, QS_WHY_LIMIT, sizeof(QS_WHY_LIMIT) - 1)) {
		snprintf(
			text, sizeof(text),
			"Its share would let it start, but in Slurm %s. So it takes nothing back and holds up nobody.",
			slurm);
		slurm = "";
	} else if (d->code == QS_CODE_HELD) {
		snprintf(
			text, sizeof(text),
			"Slurm has it wait for a reason that is not its share's: %s. Meanwhile it takes nothing back and holds up nobody.",
			qs_compat_reason(view->seen[at].reason));
	} else {
		qs_explain_long(view->policy, view->plan, d, text,
				sizeof(text));
	}
	qs_answer_reason(view, at, d, reason, sizeof(reason));
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
	const struct qs_decision *d =
		job->state == QS_JOB_PENDING ?
			qs_plan_find(view->plan, job->id) :
			NULL;

	qs_answer_text(to, "state", state_name(job));
	qs_answer_text(to, "share",
		       job->share >= 0 ? view->policy->shares[job->share].name :
					 NULL);
	qs_answer_text(to, "queue", view->policy->queues[job->queue].name);
	if (d)
		put_decision(to, view, i, d);
	else
		put_stop(to, job->id);
	put_gpus(to, view, i, d);
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
		qs_answer_number(
			to, "retries",
			view->policy->shares[share].preempt_retries.value);
}

static bool remembered(uint32_t id)
{
	for (uint32_t i = 0; i < qs_rt.history_n; i++)
		if (qs_rt.history[i].victim == id)
			return true;
	return false;
}

/* Whose job it is; false: that is not known any more. */
static bool owner_of(const struct qs_view *view, int64_t at,
		     const struct qs_jobrec *rec, uint32_t *user)
{
	if (at < 0 && !rec)
		return false;
	*user = at >= 0 ? view->seen[at].user : rec->user;
	return at >= 0 || rec->submit;
}

char *qs_explain_json(const struct qs_words *words, const uint32_t *only)
{
	const struct qs_view *view = qs_rt.view;
	const struct qs_jobrec *rec;
	struct json_object *answer;
	char word[QS_WORDS_JOB_MAX];
	uint32_t id = 0, user;
	char *news;
	int64_t at;

	qs_words_job(words, word);
	if (words->form == QS_JOB_FORM_BAD)
		return fail(word, "give a job id: 12, 12_3 or 12+1");
	if (!view) {
		answer = json_object_new_object();
		qs_answer_early(answer);
		return qs_answer_print(answer);
	}
	at = find(view, words, &id);
	rec = qs_jobrec_find(id);
	/* Not seen yet? */
	if (at < 0 && !remembered(id) && (news = qs_answer_if_news()))
		return news;
	if (only && (!owner_of(view, at, rec, &user) || user != *only))
		at = -2;
	if (at == -2 || (at < 0 && !remembered(id) && !(rec && rec->ours)))
		return fail(word, "no such job waits or runs in a quota share");
	if (at >= 0 && !view->turns &&
	    view->snap->jobs[at].state != QS_JOB_PENDING)
		return qs_answer_later(QS_LATER_TURNS);
	answer = json_object_new_object();
	if (words->form == QS_JOB_FORM_PLAIN)
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
