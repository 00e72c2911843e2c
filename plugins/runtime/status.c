/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.c - the answer to "status": the table of shares and what goes on
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks: it
 * reads the last view that the thread has published. It blocks on nothing. Its
 * surprise: a limit without bound is null, and a BorrowLimit that the file does
 * not give is null too, never -1 (law 11).
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"

#include "runtime/answer.h"

void qs_answer_number(struct json_object *to, const char *key, int64_t value)
{
	json_object_object_add(to, key, json_object_new_int64(value));
}

void qs_answer_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key,
			       text ? json_object_new_string(text) : NULL);
}

struct json_object *qs_answer_list(struct json_object *to, const char *key)
{
	struct json_object *list = json_object_new_array();

	json_object_object_add(to, key, list);
	return list;
}

void qs_answer_early(struct json_object *to)
{
	json_object_object_add(to, "later", json_object_new_boolean(1));
	qs_answer_text(to, "error",
		       "slurmctld has not looked at its jobs yet: try again in "
		       "a moment");
}

/* A line of it, xmalloc'ed. json-c prints strings with whatever bytes are in
 * them; with some that are not UTF-8 it would be no JSON. */
static char *line_of(const char *text)
{
	size_t n = qs_utf8_span(text);
	char *line = NULL;

	while (text[n]) {
		xstrfmtcat(line, "%.*s" QS_UTF8_BAD, (int)n, text);
		text += n + 1;
		n = qs_utf8_span(text);
	}
	xstrfmtcat(line, "%s\n", text);
	return line;
}

char *qs_answer_print(struct json_object *answer)
{
	const char *text = json_object_to_json_string_ext(
		answer,
		JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	char *line = line_of(text ? text : "{}");

	json_object_put(answer);
	return line;
}

static void put_policy(struct json_object *to)
{
	struct json_object *policy = json_object_new_object();

	qs_answer_text(policy, "file", qs_rt.policy_file);
	qs_answer_number(policy, "loaded", qs_rt.policy_loaded);
	json_object_object_add(policy, "valid",
			       json_object_new_boolean(!qs_rt.policy_error[0]));
	qs_answer_text(policy, "error",
		       qs_rt.policy_error[0] ? qs_rt.policy_error : NULL);
	json_object_object_add(to, "policy", policy);
}

static void put_share(struct json_object *list, const struct qs_policy *policy,
		      const struct qs_row *row)
{
	const struct qs_share *share = &policy->shares[row->share];
	struct json_object *out = json_object_new_object();

	qs_answer_text(out, "share", share->name);
	qs_answer_text(out, "queue", policy->queues[share->queue].name);
	qs_answer_text(out, "type", policy->types[row->type].name);
	qs_answer_number(out, "capacity", row->capacity);
	if (row->unlimited)
		json_object_object_add(out, "limit", NULL);
	else
		qs_answer_number(out, "limit", row->limit);
	qs_answer_number(out, "used", row->used);
	qs_answer_number(out, "own", row->own);
	qs_answer_number(out, "borrowed", row->borrowed);
	qs_answer_number(out, "over_limit", row->over_limit);
	qs_answer_number(out, "lent", row->lent);
	qs_answer_number(out, "idle", row->idle);
	qs_answer_number(out, "waiting", row->waiting);
	qs_answer_text(out, "strategy", qs_strategy_name(share->strategy));
	if (share->borrow_limit.set)
		qs_answer_number(out, "borrow_limit",
				 share->borrow_limit.value);
	else
		json_object_object_add(out, "borrow_limit", NULL);
	qs_answer_text(out, "in_share_preemption",
		       share->in_share_preemption ? "ENABLED" : "DISABLED");
	qs_answer_text(out, "state", share->enabled ? "ENABLED" : "DISABLED");
	json_object_array_add(list, out);
}

int64_t qs_answer_in_service(const struct qs_view *view, int queue, int type)
{
	const struct qs_snapshot *snap = view->snap;
	size_t T = (size_t)view->policy->ntypes;
	int64_t sum = 0;

	for (uint32_t i = 0; i < snap->nnodes; i++)
		if (snap->nodes[i].queue == queue &&
		    snap->nodes[i].state == QS_NODE_UP)
			sum += snap->node_gpus[i * T + (size_t)type];
	for (uint32_t i = 0; i < snap->nplaced; i++) {
		const struct qs_placed *p = &snap->placed[i];

		if (p->type == type && snap->nodes[p->node].queue == queue &&
		    snap->nodes[p->node].state == QS_NODE_DRAIN)
			sum += p->gpus;
	}
	return sum;
}

/* What jobs of removed shares hold (R16). */
static int64_t removed_used(const struct qs_view *view, int queue, int type)
{
	const struct qs_snapshot *snap = view->snap;
	int64_t sum = 0;

	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];

		if (job->share >= 0 || job->queue != queue ||
		    job->state == QS_JOB_PENDING)
			continue;
		for (uint32_t k = 0; k < job->ndemands; k++)
			if (snap->demands[job->demands + k].type == type)
				sum += snap->demands[job->demands + k].gpus;
	}
	return sum;
}

static void put_total(struct json_object *list, const struct qs_view *view,
		      int queue, int type)
{
	struct json_object *out;
	struct qs_row sum = { 0 };
	bool any = false;

	for (uint32_t i = 0; i < view->plan->nrows; i++) {
		const struct qs_row *row = &view->plan->rows[i];

		if (row->type != type ||
		    view->policy->shares[row->share].queue != queue)
			continue;
		any = true;
		sum.used += row->used;
		sum.own += row->own;
		sum.borrowed += row->borrowed;
		sum.over_limit += row->over_limit;
		sum.lent += row->lent;
		sum.idle += row->idle;
		sum.waiting += row->waiting;
	}
	if (!any)
		return;
	sum.used += removed_used(view, queue, type);
	out = json_object_new_object();
	qs_answer_text(out, "queue", view->policy->queues[queue].name);
	qs_answer_text(out, "type", view->policy->types[type].name);
	qs_answer_number(out, "capacity",
			 qs_policy_pool(view->policy, queue, type));
	qs_answer_number(out, "in_service",
			 qs_answer_in_service(view, queue, type));
	qs_answer_number(out, "used", sum.used);
	qs_answer_number(out, "own", sum.own);
	qs_answer_number(out, "borrowed", sum.borrowed);
	qs_answer_number(out, "over_limit", sum.over_limit);
	qs_answer_number(out, "lent", sum.lent);
	qs_answer_number(out, "idle", sum.idle);
	qs_answer_number(out, "waiting", sum.waiting);
	json_object_array_add(list, out);
}

static void put_queues(struct json_object *to, const struct qs_view *view)
{
	struct json_object *queues = qs_answer_list(to, "queues");
	struct json_object *totals = qs_answer_list(to, "totals");

	for (int q = 0; q < view->policy->nqueues; q++) {
		const struct qs_queue *queue = &view->policy->queues[q];
		struct json_object *out = json_object_new_object();

		qs_answer_text(out, "queue", queue->name);
		qs_answer_text(out, "state",
			       queue->enabled ? "ENABLED" : "DISABLED");
		qs_answer_health(out, view, q);
		json_object_array_add(queues, out);
		for (int t = 0; t < view->policy->ntypes; t++)
			put_total(totals, view, q, t);
	}
}

static const char *phase_name(uint8_t phase)
{
	switch (phase) {
	case QS_PHASE_NEW:
		return "DECIDED";
	case QS_PHASE_GRACE:
		return "GRACE";
	case QS_PHASE_KILL:
		return "STOPPING";
	default:
		return "ENDING";
	}
}

static void put_claims(struct json_object *to)
{
	struct json_object *claims = qs_answer_list(to, "claims");
	struct json_object *stopping = qs_answer_list(to, "stopping");

	for (struct qs_claim *claim = qs_rt.claims; claim;
	     claim = claim->next) {
		struct json_object *out;

		if (claim->dead)
			continue;
		out = json_object_new_object();
		qs_answer_number(out, "job", claim->claimant);
		qs_answer_text(out, "how", qs_how_name(claim->how));
		qs_answer_text(out, "code", qs_code_name(claim->code));
		qs_answer_number(out, "since", claim->decided);
		if (claim->gone_us)
			qs_answer_number(
				out, "until",
				qs_now() + claim->timeout_sec -
					(qs_mono_us() - claim->gone_us) /
						1000000);
		else
			json_object_object_add(out, "until", NULL);
		json_object_array_add(claims, out);
	}
	for (struct qs_stop *stop = qs_rt.stops; stop; stop = stop->next) {
		struct json_object *out;

		if (stop->phase == QS_PHASE_SPARED)
			continue;
		out = json_object_new_object();
		qs_answer_number(out, "job", stop->victim);
		qs_answer_number(out, "for", stop->claimant);
		qs_answer_text(out, "phase", phase_name(stop->phase));
		qs_answer_number(out, "since", stop->decided);
		qs_answer_number(out, "grace", stop->grace_sec);
		qs_answer_text(out, "text", stop->text);
		json_object_array_add(stopping, out);
	}
}

static void put_counters(struct json_object *to)
{
	const struct qs_counters *c = &qs_rt.count;
	struct json_object *out = json_object_new_object();

	qs_answer_number(out, "rounds", (int64_t)c->rounds);
	qs_answer_number(out, "looks", (int64_t)c->looks);
	qs_answer_number(out, "applies", (int64_t)c->applies);
	qs_answer_number(out, "last_round", qs_rt.last_round);
	qs_answer_number(out, "plan_us_avg",
			 c->plans ? (int64_t)(c->plan_us / c->plans) : 0);
	qs_answer_number(out, "plan_us_max", (int64_t)c->plan_us_max);
	qs_answer_number(out, "look_us_max", (int64_t)c->look_us_max);
	qs_answer_number(out, "apply_us_max", (int64_t)c->apply_us_max);
	qs_answer_number(out, "act_us_max", (int64_t)c->act_us_max);
	qs_answer_number(out, "grants", (int64_t)c->grants);
	qs_answer_number(out, "claims", (int64_t)c->claims);
	qs_answer_number(out, "claims_refused", (int64_t)c->claims_refused);
	qs_answer_number(out, "claims_timed_out", (int64_t)c->claims_timed_out);
	qs_answer_number(out, "stops", (int64_t)c->stops);
	qs_answer_number(out, "spared", (int64_t)c->spared);
	qs_answer_number(out, "preemptions", (int64_t)c->preemptions);
	qs_answer_number(out, "ledger_drift", (int64_t)c->ledger_drift);
	qs_answer_number(out, "kept_drift", (int64_t)c->kept_drift);
	qs_answer_number(out, "rounds_woken", (int64_t)c->woken);
	qs_answer_number(out, "rounds_longer", (int64_t)c->later);
	qs_answer_number(out, "state_saves", (int64_t)c->state_saves);
	qs_answer_number(out, "state_errors", (int64_t)c->state_errors);
	qs_answer_number(out, "gate_asked", (int64_t)c->gate_asked);
	qs_answer_number(out, "gate_denied", (int64_t)c->gate_denied);
	qs_answer_number(out, "jobs_known", qs_rt.nrecs);
	json_object_object_add(to, "counters", out);
}

char *qs_status_json(bool jobs)
{
	const struct qs_view *view = qs_rt.view;
	const struct qs_policy *policy = view         ? view->policy :
					 qs_rt.policy ? qs_rt.policy->policy :
							NULL;
	struct json_object *answer = json_object_new_object(), *shares;

	qs_answer_text(answer, "version", QS_VERSION);
	qs_answer_number(answer, "generation", (int64_t)qs_rt.generation);
	qs_answer_text(answer, "mode",
		       policy && policy->mode == QS_MODE_OBSERVE ? "OBSERVE" :
								   "ENFORCE");
	put_policy(answer);
	if (view) {
		shares = qs_answer_list(answer, "shares");
		for (uint32_t i = 0; i < view->plan->nrows; i++)
			put_share(shares, policy, &view->plan->rows[i]);
		put_queues(answer, view);
	} else {
		qs_answer_early(answer);
	}
	if (jobs)
		put_claims(answer);
	put_counters(answer);
	return qs_answer_print(answer);
}
