/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.c - questions about jobs that nobody submits: asked, planned, told
 *
 * See whatif.h for who calls what. Bounded: so many questions at a time, one
 * more takes the place of the oldest. Its surprise: the job
 * stands in the thread's own snapshot for the time of a plan, behind all
 * others, and is taken out again before anybody sees that.
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

/* qs_rt.lock */
static struct ticket {
	char token[QS_WHATIF_TOKEN]; /* "": free */
	int64_t time;
	uint64_t generation; /* of the policy by which it was judged */
	struct qs_job job;
	struct qs_demand demands[QS_TYPES_MAX];
	uint32_t ndemands;
	char text[TEXT_BYTES];
	struct json_object *answer; /* NULL: not yet planned */
} tickets[TICKETS];

static void clear(struct ticket *ticket)
{
	json_object_put(ticket->answer);
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

static struct json_object *say(const char *verdict, const char *text)
{
	struct json_object *out = json_object_new_object();

	qs_answer_text(out, "verdict", verdict);
	qs_answer_text(out, "text", text);
	return out;
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
			ticket->answer = say(ask->verdict, ask->text);
	}
	qs_rt.dirty = true;
	pthread_cond_signal(&qs_rt.wake);
	slurm_mutex_unlock(&qs_rt.lock);
}

static struct json_object *plan(struct qs_view *view,
				const struct ticket *ticket)
{
	struct qs_snapshot *snap = view->snap;
	uint32_t njobs = snap->njobs, ndemands = snap->ndemands;
	struct json_object *answer = NULL;
	struct qs_job job = ticket->job;
	struct qs_plan *made;

	job.id = ID;
	job.eligible = snap->now;
	job.submitting = true;
	if (qs_snapshot_add_job(snap, &job, ticket->demands, ticket->ndemands,
				NULL, 0) < 0)
		return NULL;
	made = qs_plan_make(snap);
	if (made)
		answer = qs_verdict_json(snap, made, njobs);
	qs_plan_free(made);
	snap->njobs = njobs;
	snap->ndemands = ndemands;
	return answer;
}

static struct json_object *answer_to(struct qs_view *view,
				     const struct ticket *ticket)
{
	struct json_object *answer;
	bool same;

	slurm_mutex_lock(&qs_rt.lock);
	same = qs_rt.policy && qs_rt.policy->policy == view->policy &&
	       qs_rt.generation == ticket->generation;
	slurm_mutex_unlock(&qs_rt.lock);
	if (!same)
		return say("UNKNOWN", "the policy has just changed: ask again");
	answer = plan(view, ticket);
	if (!answer)
		return say("UNKNOWN", "slurmctld is out of memory");
	qs_answer_text(answer, "notes", ticket->text);
	return answer;
}

/* The next that waits for a plan, copied; false: none. */
static bool next(struct ticket *copy)
{
	bool found = false;

	slurm_mutex_lock(&qs_rt.lock);
	for (int i = 0; i < TICKETS && !found; i++) {
		found = tickets[i].token[0] && !tickets[i].answer;
		if (found)
			*copy = tickets[i];
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return found;
}

void qs_whatif_answer(struct qs_view *view)
{
	struct ticket *copy = NULL, *ticket;
	struct json_object *answer;

	while ((copy = copy ? copy : calloc(1, sizeof(*copy))) && next(copy)) {
		answer = answer_to(view, copy);
		slurm_mutex_lock(&qs_rt.lock);
		ticket = find(copy->token);
		if (ticket && !ticket->answer) {
			ticket->answer = answer;
			answer = NULL;
		}
		slurm_mutex_unlock(&qs_rt.lock);
		json_object_put(answer);
	}
	free(copy);
}

char *qs_whatif_json(const char *token)
{
	struct ticket *ticket = find(token);
	struct json_object *answer;

	if (!ticket || !ticket->answer) {
		answer = json_object_new_object();
		json_object_object_add(answer, "known",
				       json_object_new_boolean(!!ticket));
		json_object_object_add(answer, "ready",
				       json_object_new_boolean(0));
		return qs_answer_print(answer);
	}
	answer = ticket->answer;
	ticket->answer = NULL;
	clear(ticket); /* told once */
	json_object_object_add(answer, "ready", json_object_new_boolean(1));
	return qs_answer_print(answer);
}

void qs_whatif_clear(void)
{
	for (int i = 0; i < TICKETS; i++)
		clear(&tickets[i]);
}
