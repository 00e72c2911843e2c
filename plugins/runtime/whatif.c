/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.c - questions about jobs that nobody submits: asked, planned, told
 *
 * See whatif.h for who calls what. Bounded: so many questions at a time, one
 * more takes the place of the oldest. Its surprise: the job
 * stands in the thread's own snapshot for the time of a plan, behind all
 * others, and is taken out again before anybody sees that. Who will fetch the
 * answer is not known then, so there are two.
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "conf/verdict.h"

#include "runtime/answer.h"
#include "runtime/whatif.h"

#define TICKETS    16
#define TEXT_BYTES 3200
/* Behind every real job where ids decide. */
#define ID UINT32_MAX

/* Of one question; all NULL: not yet planned. */
struct answers {
	struct json_object *whole;
	struct json_object *nameless; /* for who may not see others' jobs */
};

/* qs_rt.lock */
static struct ticket {
	char token[QS_WHATIF_TOKEN]; /* "": free */
	int64_t time;
	uint64_t generation; /* of the policy by which it was judged */
	struct qs_job job;
	struct qs_demand demands[QS_TYPES_MAX];
	uint32_t ndemands;
	char text[TEXT_BYTES];
	struct answers answers;
} tickets[TICKETS];

static void drop(struct answers *answers)
{
	json_object_put(answers->whole);
	json_object_put(answers->nameless);
	memset(answers, 0, sizeof(*answers));
}

static void clear(struct ticket *ticket)
{
	drop(&ticket->answers);
	memset(ticket, 0, sizeof(*ticket));
}

/* A free place, else the oldest. */
static struct ticket *take_place(void)
{
	struct ticket *oldest = &tickets[0];

	for (int i = 0; i < TICKETS; i++) {
		if (!tickets[i].token[0])
			return &tickets[i];
		if (tickets[i].time < oldest->time)
			oldest = &tickets[i];
	}
	clear(oldest);
	return oldest;
}

static struct ticket *find(const char *token)
{
	for (int i = 0; *token && i < TICKETS; i++)
		if (!strcmp(tickets[i].token, token))
			return &tickets[i];
	return NULL;
}

/* The same for everybody. */
static void say(struct answers *answers, const char *verdict, const char *text)
{
	struct json_object *out = json_object_new_object();

	qs_answer_text(out, "verdict", verdict);
	qs_answer_text(out, "text", text);
	answers->whole = out;
	answers->nameless = json_object_get(out);
}

void qs_runtime_whatif(const char *token, const struct qs_policy *policy,
		       const struct qs_whatif *ask)
{
	struct ticket *ticket;

	if (!*token || strlen(token) >= sizeof(ticket->token))
		return;
	slurm_mutex_lock(&qs_rt.lock);
	if (!find(token)) {
		ticket = take_place();
		strcpy(ticket->token, token);
		ticket->time = qs_now();
		if (qs_rt.policy && qs_rt.policy->policy == policy)
			ticket->generation = qs_rt.generation;
		ticket->job = ask->job;
		ticket->ndemands = ask->ndemands;
		memcpy(ticket->demands, ask->demands, sizeof(ticket->demands));
		snprintf(ticket->text, sizeof(ticket->text), "%s", ask->text);
		if (ask->verdict)
			say(&ticket->answers, ask->verdict, ask->text);
	}
	qs_rt.dirty = true;
	pthread_cond_signal(&qs_rt.wake);
	slurm_mutex_unlock(&qs_rt.lock);
}

/* False: no memory. */
static bool plan(struct qs_view *view, const struct ticket *ticket,
		 struct answers *answers)
{
	struct qs_snapshot *snap = view->snap;
	uint32_t njobs = snap->njobs, ndemands = snap->ndemands;
	struct qs_job job = ticket->job;
	struct qs_plan *made;

	job.id = ID;
	job.eligible = snap->now;
	job.submitting = true;
	if (qs_snapshot_add_job(snap, &job, ticket->demands, ticket->ndemands,
				NULL, 0) < 0)
		return false;
	made = qs_plan_make(snap);
	if (made) {
		answers->whole = qs_verdict_json(snap, made, njobs, true);
		answers->nameless = qs_verdict_json(snap, made, njobs, false);
	}
	qs_plan_free(made);
	snap->njobs = njobs;
	snap->ndemands = ndemands;
	return answers->whole && answers->nameless;
}

static void answer_to(struct qs_view *view, const struct ticket *ticket,
		      struct answers *answers)
{
	bool same;

	slurm_mutex_lock(&qs_rt.lock);
	same = qs_rt.policy && qs_rt.policy->policy == view->policy &&
	       qs_rt.generation == ticket->generation;
	slurm_mutex_unlock(&qs_rt.lock);
	if (!same) {
		say(answers, "UNKNOWN",
		    "the policy has just changed: ask again");
	} else if (plan(view, ticket, answers)) {
		qs_answer_text(answers->whole, "notes", ticket->text);
		qs_answer_text(answers->nameless, "notes", ticket->text);
	} else {
		drop(answers);
		say(answers, "UNKNOWN", "slurmctld is out of memory");
	}
}

/* The next that waits for a plan, copied; false: none. */
static bool next(struct ticket *copy)
{
	bool found = false;

	slurm_mutex_lock(&qs_rt.lock);
	for (int i = 0; i < TICKETS && !found; i++) {
		found = tickets[i].token[0] && !tickets[i].answers.whole;
		if (found)
			*copy = tickets[i];
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return found;
}

void qs_whatif_answer(struct qs_view *view)
{
	struct ticket *copy = NULL, *ticket;
	struct answers made;

	while ((copy = copy ? copy : calloc(1, sizeof(*copy))) && next(copy)) {
		memset(&made, 0, sizeof(made));
		answer_to(view, copy, &made);
		slurm_mutex_lock(&qs_rt.lock);
		ticket = find(copy->token);
		if (ticket && !ticket->answers.whole) {
			ticket->answers = made;
			memset(&made, 0, sizeof(made));
		}
		slurm_mutex_unlock(&qs_rt.lock);
		drop(&made);
	}
	free(copy);
}

char *qs_whatif_json(const char *token, bool jobs)
{
	struct ticket *ticket = find(token);
	struct json_object *answer;

	if (!ticket || !ticket->answers.whole) {
		answer = json_object_new_object();
		json_object_object_add(answer, "known",
				       json_object_new_boolean(!!ticket));
		json_object_object_add(answer, "ready",
				       json_object_new_boolean(0));
		return qs_answer_print(answer);
	}
	answer = json_object_get(jobs ? ticket->answers.whole :
					ticket->answers.nameless);
	clear(ticket); /* told once */
	json_object_object_add(answer, "ready", json_object_new_boolean(1));
	return qs_answer_print(answer);
}

void qs_whatif_clear(void)
{
	for (int i = 0; i < TICKETS; i++)
		clear(&tickets[i]);
}
