/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_jobs.c - the answer to "jobs": who holds what, who waits, how safe
 *
 * Made by our thread from a view that nobody else has yet, with no lock held:
 * the victims' order costs as much as a small plan. Its surprise: who is being
 * stopped is of now, and not of the view.
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "engine/turns.h"

#include "runtime/answer.h"

/* A job that is on its way out: for whom, and when at the latest. */
struct going {
	uint32_t victim, claimant;
	int64_t at;
};

/* What is left of its time is counted by a clock of its own. */
static int64_t goes_at(const struct qs_stop *stop)
{
	int64_t since = stop->decided;

	if (stop->signalled_us)
		since = qs_now() -
			(qs_mono_us() - stop->signalled_us) / 1000000;
	return since + stop->grace_sec;
}

/* Those of now; the caller frees. n 0: none, or no memory. */
static struct going *all_going(uint32_t *n)
{
	const struct qs_stop *stop;
	struct going *all = NULL;
	uint32_t max = 0;

	*n = 0;
	slurm_mutex_lock(&qs_rt.lock);
	for (stop = qs_rt.stops; stop; stop = stop->next)
		max++;
	if (max)
		all = calloc(max, sizeof(*all));
	for (stop = qs_rt.stops; all && stop; stop = stop->next)
		if (stop->phase != QS_PHASE_SPARED)
			all[(*n)++] =
				(struct going){ stop->victim, stop->claimant,
						goes_at(stop) };
	slurm_mutex_unlock(&qs_rt.lock);
	return all;
}

uint32_t qs_answer_victims(const struct qs_view *view,
			   const struct qs_turn *turns, uint32_t n,
			   const struct qs_turn *like)
{
	int32_t queue = view->snap->jobs[like->job].queue;
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		if (turns[i].type == like->type && turns[i].turn > most &&
		    view->snap->jobs[turns[i].job].queue == queue)
			most = turns[i].turn;
	return most;
}

void qs_answer_id(struct json_object *to, const struct qs_view *view,
		  uint32_t at)
{
	const struct qs_seen *seen = &view->seen[at];
	char text[32];

	qs_answer_number(to, "job", seen->id);
	if (seen->array_job && seen->array_task != NO_VAL)
		snprintf(text, sizeof(text), "%u_%u", seen->array_job,
			 seen->array_task);
	else if (seen->array_job && view->snap->jobs[at].copies > 1)
		snprintf(text, sizeof(text), "%u_[%u]", seen->array_job,
			 view->snap->jobs[at].copies);
	else
		snprintf(text, sizeof(text), "%u", seen->id);
	qs_answer_text(to, "id", text);
}

/* A running job: what is own, and its turn, "of" so many. */
static void put_turns(struct json_object *to, const struct qs_view *view,
		      const struct qs_turn *turns, uint32_t n)
{
	struct json_object *own = json_object_new_object();
	struct json_object *borrowed = json_object_new_object();
	int64_t until = 0;
	uint32_t first = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *type = view->policy->types[turns[i].type].name;

		if (turns[i].own)
			qs_answer_number(own, type, turns[i].own);
		if (turns[i].beyond)
			qs_answer_number(borrowed, type, turns[i].beyond);
		if (turns[i].turn && (!first || turns[i].turn < first))
			first = turns[i].turn;
		if (turns[i].protected_until > until)
			until = turns[i].protected_until;
	}
	json_object_object_add(to, "own", own);
	json_object_object_add(to, "borrowed", borrowed);
	qs_answer_number(to, "turn", first);
	if (until)
		qs_answer_number(to, "protected_until", until);
	else
		json_object_object_add(to, "protected_until", NULL);
}

/* All entries of one job follow each other; *at is moved behind them. */
static uint32_t of_job(const struct qs_turn *turns, uint32_t n, uint32_t job,
		       uint32_t *at)
{
	uint32_t from;

	while (*at < n && turns[*at].job < job)
		(*at)++;
	from = *at;
	while (*at < n && turns[*at].job == job)
		(*at)++;
	return from;
}

static void put_gpus(struct json_object *to, const struct qs_view *view,
		     const struct qs_job *job)
{
	struct json_object *gpus = json_object_new_object();

	for (uint32_t k = 0; k < job->ndemands; k++) {
		const struct qs_demand *d =
			&view->snap->demands[job->demands + k];

		qs_answer_number(gpus, view->policy->types[d->type].name,
				 d->gpus);
	}
	json_object_object_add(to, "gpus", gpus);
}

/* The word for each waiting job, [njobs]: of an array the one about the tasks
 * that go on waiting. The caller frees. */
static const struct qs_decision **all_words(const struct qs_view *view)
{
	const struct qs_decision **words =
		calloc((size_t)view->snap->njobs + 1, sizeof(*words));

	for (uint32_t i = 0; words && i < view->plan->ndecisions; i++) {
		const struct qs_decision *d = &view->plan->decisions[i];

		if (!words[d->job] || d->verdict != QS_VERDICT_START)
			words[d->job] = d;
	}
	return words;
}

/* value 0: null */
static void put_some(struct json_object *to, const char *key, int64_t value)
{
	if (value)
		qs_answer_number(to, key, value);
	else
		json_object_object_add(to, key, NULL);
}

static void put_waiting(struct json_object *to, const struct qs_view *view,
			uint32_t at, const struct qs_decision *d)
{
	const struct qs_job *job = &view->snap->jobs[at];
	const uint32_t has = view->seen[at].front;
	const struct qs_front none = { 0 },
			      *front = has ? &view->fronts[has - 1] : &none;
	char reason[QS_REASON_MAX + 64];

	qs_answer_number(to, "tasks", job->copies);
	qs_answer_number(to, "since", job->eligible);
	put_some(to, "place", front->place);
	put_some(to, "place_since", front->place_since);
	put_some(to, "first_since", front->first_since);
	if (!d)
		return;
	qs_answer_reason(view, at, d, reason, sizeof(reason));
	qs_answer_text(to, "verdict", qs_verdict_name(d->verdict));
	qs_answer_text(to, "how", qs_how_name(d->how));
	qs_answer_text(to, "code", qs_code_name(d->code));
	qs_answer_text(to, "reason", reason);
}

static void put_stop(struct json_object *to, uint32_t id,
		     const struct going *going, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (going[i].victim != id)
			continue;
		qs_answer_number(to, "stops_for", going[i].claimant);
		qs_answer_number(to, "stops_at", going[i].at);
		return;
	}
	json_object_object_add(to, "stops_for", NULL);
}

/* R12: the job's own, else its share's; null: no limit. */
static void put_retries(struct json_object *to, const struct qs_view *view,
			const struct qs_job *job)
{
	const struct qs_opt *retries = &job->retries;

	if (!retries->set && job->share >= 0)
		retries = &view->policy->shares[job->share].preempt_retries;
	if (retries->set)
		qs_answer_number(to, "retries", retries->value);
	else
		json_object_object_add(to, "retries", NULL);
}

static struct json_object *job_json(const struct qs_view *view, uint32_t i,
				    const struct qs_decision *word,
				    const struct qs_turn *turns, uint32_t n)
{
	static const char *const states[] = {
		[QS_JOB_PENDING] = "PENDING",
		[QS_JOB_RUNNING] = "RUNNING",
		[QS_JOB_SUSPENDED] = "SUSPENDED",
		[QS_JOB_COMPLETING] = "COMPLETING",
	};
	const struct qs_job *job = &view->snap->jobs[i];
	struct json_object *out = json_object_new_object();

	qs_answer_id(out, view, i);
	qs_answer_number(out, "uid", view->seen[i].user);
	qs_answer_text(out, "share",
		       job->share >= 0 ? view->policy->shares[job->share].name :
					 NULL);
	qs_answer_text(out, "queue", view->policy->queues[job->queue].name);
	qs_answer_text(out, "state", states[job->state]);
	qs_answer_number(out, "priority", job->priority);
	qs_answer_number(out, "preempted", job->preempted);
	put_retries(out, view, job);
	put_gpus(out, view, job);
	if (job->state == QS_JOB_PENDING) {
		put_waiting(out, view, i, word);
	} else {
		qs_answer_number(out, "since", job->start);
		put_turns(out, view, turns, n);
	}
	return out;
}

/* How many jobs of each queue and type could go. */
static void put_victims(struct json_object *answer, const struct qs_view *view,
			const struct qs_turn *turns, uint32_t n)
{
	struct json_object *list = qs_answer_list(answer, "victims");

	for (int q = 0; q < view->policy->nqueues; q++) {
		for (int t = 0; t < view->policy->ntypes; t++) {
			struct json_object *out;
			uint32_t most = 0;

			for (uint32_t i = 0; i < n; i++)
				if (turns[i].type == t &&
				    view->snap->jobs[turns[i].job].queue == q &&
				    turns[i].turn > most)
					most = turns[i].turn;
			if (!most)
				continue;
			out = json_object_new_object();
			qs_answer_text(out, "queue",
				       view->policy->queues[q].name);
			qs_answer_text(out, "type",
				       view->policy->types[t].name);
			qs_answer_number(out, "jobs", most);
			json_object_array_add(list, out);
		}
	}
}

static void put_jobs(struct json_object *answer, const struct qs_view *view,
		     const struct qs_decision **words)
{
	struct json_object *list = qs_answer_list(answer, "jobs"), *job;
	uint32_t at = 0, ngoing;
	struct going *going = all_going(&ngoing);

	for (uint32_t i = 0; i < view->snap->njobs; i++) {
		uint32_t from = of_job(view->turns, view->nturns, i, &at);

		job = job_json(view, i, words ? words[i] : NULL,
			       view->turns + from, at - from);
		if (view->snap->jobs[i].state != QS_JOB_PENDING)
			put_stop(job, view->snap->jobs[i].id, going, ngoing);
		json_object_array_add(list, job);
	}
	free(going);
}

char *qs_jobs_text(const struct qs_view *view)
{
	struct json_object *answer = json_object_new_object();
	const struct qs_decision **words = all_words(view);

	qs_answer_text(answer, "version", QS_VERSION);
	qs_answer_number(answer, "now", view->snap->now);
	put_jobs(answer, view, words);
	free(words);
	put_victims(answer, view, view->turns, view->nturns);
	return qs_answer_print(answer);
}
