/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempts.c - records of accounting into runs
 *
 * Called by the readers, record by record, in any order; several files may have
 * the same record. A record is kept as a run that is not in its place yet. Its
 * surprise: the share is that of the policy in force at the submission, as far
 * as the history goes back, unless the record's AdminComment names one.
 */
#include "sacct/attempts_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"
#include "engine/submit.h"
#include "sacct/comment.h"
#include "sacct/tres.h"

#define UNKNOWN_TYPE "(unknown)"
/* Year 2242: sums of GPU-seconds have room for what comes before. */
#define TIME_MAX (INT64_C(1) << 33)

struct qs_attempts *qs_attempts_new(const struct qs_attempts_wish *wish)
{
	struct qs_attempts *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->wish = *wish;
	a->unknown = -1;
	a->facts.first = a->facts.last = QS_TIME_NONE;
	return a;
}

void qs_attempts_free(struct qs_attempts *a)
{
	if (!a)
		return;
	free(a->drafts);
	free(a->demands);
	free(a);
}

static const struct {
	const char *word;
	enum qs_run_end end;
} states[] = {
	{ "BOOT_FAIL", QS_RUN_FAILED },     { "CANCELLED", QS_RUN_CANCELLED },
	{ "COMPLETED", QS_RUN_COMPLETED },  { "COMPLETING", QS_RUN_RUNNING },
	{ "CONFIGURING", QS_RUN_RUNNING },  { "DEADLINE", QS_RUN_CANCELLED },
	{ "FAILED", QS_RUN_FAILED },        { "LAUNCH_FAILED", QS_RUN_FAILED },
	{ "NODE_FAIL", QS_RUN_NODE_FAIL },  { "OUT_OF_MEMORY", QS_RUN_FAILED },
	{ "PENDING", QS_RUN_WAITING },      { "PREEMPTED", QS_RUN_PREEMPTED },
	{ "RECONFIG_FAIL", QS_RUN_FAILED }, { "REQUEUED", QS_RUN_REQUEUED },
	{ "REQUEUE_FED", QS_RUN_REQUEUED }, { "REQUEUE_HOLD", QS_RUN_REQUEUED },
	{ "RESIZING", QS_RUN_RESIZED },     { "RUNNING", QS_RUN_RUNNING },
	{ "SIGNALING", QS_RUN_RUNNING },    { "SPECIAL_EXIT", QS_RUN_REQUEUED },
	{ "STAGE_OUT", QS_RUN_RUNNING },    { "STOPPED", QS_RUN_RUNNING },
	{ "SUSPENDED", QS_RUN_RUNNING },    { "TIMEOUT", QS_RUN_TIMEOUT },
};

static enum qs_run_end end_of(struct qs_attempts *a,
			      const struct qs_sacct_record *rec)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (!strcmp(states[i].word, rec->state))
			return states[i].end;
	qs_problems_note(a->wish.problems,
			 "records with a state that is not known, counted as "
			 "FAILED",
			 "job %llu: %.40s", (unsigned long long)rec->job,
			 rec->state);
	return QS_RUN_FAILED;
}

/* Pending jobs may have a list of partitions: the first that a queue has. */
static int queue_of(const struct qs_policy *policy, const char *partitions)
{
	char name[256];

	while (*partitions) {
		size_t n = strcspn(partitions, ",");
		int queue;

		snprintf(name, sizeof(name), "%.*s", (int)n, partitions);
		queue = qs_policy_queue_of(policy, name);
		if (queue >= 0)
			return queue;
		partitions += n + (partitions[n] == ',');
	}
	return -1;
}

static int ask_share(struct qs_attempts *a, const struct qs_policy *policy,
		     int queue, const char *account)
{
	static const struct qs_accounts none;
	const char *chain[QS_ACCOUNTS_DEPTH];
	char text[QS_TEXT_MAX];
	size_t n = qs_accounts_chain(
		a->wish.accounts ? a->wish.accounts : &none, account, chain);

	return qs_submit_share(policy, queue, NULL, chain, n, text,
			       sizeof(text));
}

/* R1, remembered. */
static int share_by_account(struct qs_attempts *a,
			    const struct qs_policy *policy, int queue,
			    const char *account)
{
	uint32_t hash = 2166136261u;
	struct qs_memo *memo;

	for (const char *c = account; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	memo = &a->memo[hash % QS_MEMO];
	if (memo->policy == policy && memo->queue == queue &&
	    !strcmp(memo->account, account))
		return memo->share;
	if (strlen(account) >= sizeof(memo->account))
		return ask_share(a, policy, queue, account);
	strcpy(memo->account, account);
	memo->policy = policy;
	memo->queue = queue;
	memo->share = ask_share(a, policy, queue, account);
	return memo->share;
}

static void find_share(struct qs_attempts *a, const struct qs_sacct_record *rec,
		       const struct qs_policy *policy, int queue,
		       struct qs_run *run)
{
	int share = share_by_account(a, policy, queue, rec->account);

	if (share >= 0) {
		run->share = qs_quota_history_share(a->wish.history,
						    policy->shares[share].name);
		return;
	}
	if (!*rec->account)
		qs_problems_note(a->wish.problems,
				 "runs without an account: of no share",
				 "job %llu of user %.40s",
				 (unsigned long long)rec->job,
				 *rec->user ? rec->user : "(unknown)");
	else
		qs_problems_note(a->wish.problems,
				 "runs whose account no share lists: of no "
				 "share",
				 "job %llu, account %.60s",
				 (unsigned long long)rec->job, rec->account);
}

static bool add_demand(struct qs_attempts *a, struct qs_run *run, int32_t type,
		       int64_t gpus)
{
	if (!qs_array_room((void **)&a->demands, &a->demands_max,
			   (uint64_t)a->ndemands + 1, sizeof(*a->demands)))
		return false;
	a->demands[a->ndemands++] = (struct qs_demand){
		.gpus = gpus > QS_GPUS_MAX ? QS_GPUS_MAX : (uint32_t)gpus,
		.type = (uint16_t)type,
	};
	run->ndemands++;
	return true;
}

/* The history's type of GPUs that have none in the record. */
static int32_t type_of_untyped(struct qs_attempts *a,
			       const struct qs_sacct_record *rec)
{
	struct qs_quota_history *h = a->wish.history;
	const char *name = NULL;
	int32_t type = -1;

	if (a->wish.type_of)
		name = a->wish.type_of(rec->nodes, a->wish.type_arg);
	if (name)
		type = qs_quota_history_gres(h, name);
	if (type >= 0) {
		a->facts.typed_by_nodes++;
		return type;
	}
	if (h->ntypes == 1 || (h->ntypes == 2 && a->unknown >= 0 && !name)) {
		a->facts.typed_by_policy++;
		return 0;
	}
	qs_problems_note(a->wish.problems,
			 "runs with GPUs of which neither the record nor their "
			 "nodes tell the type: counted as type " UNKNOWN_TYPE,
			 "job %llu on %.60s", (unsigned long long)rec->job,
			 *rec->nodes ? rec->nodes : "unknown nodes");
	if (a->unknown < 0)
		a->unknown = qs_quota_history_add_type(h, UNKNOWN_TYPE);
	return a->unknown;
}

static bool add_demands(struct qs_attempts *a,
			const struct qs_sacct_record *rec, struct qs_run *run)
{
	struct qs_tres_gpu gpus[QS_TRES_MAX];
	int64_t untyped;
	size_t n = qs_tres_gpus(rec->alloc_tres, gpus, &untyped);

	run->demands = a->ndemands;
	for (size_t i = 0; i < n; i++) {
		char name[128];
		int32_t type;

		snprintf(name, sizeof(name), "%.*s", (int)gpus[i].n,
			 gpus[i].type);
		type = qs_quota_history_gres(a->wish.history, name);
		if (type < 0) {
			qs_problems_note(a->wish.problems,
					 "runs with GPUs of a type that is in "
					 "no policy: these GPUs left out",
					 "job %llu: %.60s",
					 (unsigned long long)rec->job, name);
			continue;
		}
		if (!add_demand(a, run, type, gpus[i].count))
			return false;
	}
	if (untyped) {
		int32_t type = type_of_untyped(a, rec);

		if (type < 0 || !add_demand(a, run, type, untyped))
			return false;
	}
	return true;
}

static bool asks_for_gpus(const char *tres)
{
	struct qs_tres_gpu gpus[QS_TRES_MAX];
	int64_t untyped;

	return qs_tres_gpus(tres, gpus, &untyped) || untyped;
}

static void seen(struct qs_attempts *a, int64_t time)
{
	if (time == QS_TIME_NONE)
		return;
	if (a->facts.first == QS_TIME_NONE || time < a->facts.first)
		a->facts.first = time;
	if (a->facts.last == QS_TIME_NONE || time > a->facts.last)
		a->facts.last = time;
}

/* What quota shares wrote about this very run (others may be older). */
static void take_comment(struct qs_attempts *a,
			 const struct qs_sacct_record *rec, struct qs_run *run)
{
	struct qs_comment comment;
	int32_t share;

	if (!qs_comment_parse(rec->admin_comment, &comment))
		return;
	share = qs_quota_history_share(a->wish.history, comment.share);
	if (share >= 0)
		run->share = share;
	if (comment.start != run->start)
		return;
	if (comment.by) {
		run->ended = QS_RUN_PREEMPTED;
		run->by = comment.by;
		run->cause = comment.cause;
	}
}

static void take_times(struct qs_attempts *a, const struct qs_sacct_record *rec,
		       struct qs_run *run)
{
	run->submit = rec->submit;
	run->eligible = rec->eligible;
	run->start = rec->start;
	run->end = rec->end;
	run->claimed = run->repeat_sec = QS_TIME_NONE;
	seen(a, rec->submit);
	seen(a, rec->start);
	seen(a, rec->end);
	/* Nothing was allocated: nothing ran, whatever Start says. */
	if (!*rec->alloc_tres || run->start == QS_TIME_NONE) {
		run->start = QS_TIME_NONE;
		if (run->ended == QS_RUN_CANCELLED)
			run->ended = QS_RUN_WITHDRAWN;
		return;
	}
	if (run->end == QS_TIME_NONE && run->ended != QS_RUN_RUNNING)
		qs_problems_note(a->wish.problems,
				 "runs that are over without an end: counted "
				 "as running until the end of the report",
				 "job %llu", (unsigned long long)rec->job);
	if (run->end != QS_TIME_NONE && run->end < run->start)
		qs_problems_note(a->wish.problems,
				 "runs that end before they start (a clock was "
				 "changed?): counted without length",
				 "job %llu", (unsigned long long)rec->job);
}

static bool keep(struct qs_attempts *a, const struct qs_sacct_record *rec,
		 struct qs_run *run)
{
	struct qs_draft *draft;

	if (!qs_array_room((void **)&a->drafts, &a->max, (uint64_t)a->n + 1,
			   sizeof(*a->drafts)))
		return false;
	if (run->start != QS_TIME_NONE) {
		if (!add_demands(a, rec, run))
			return false;
		/* All of a type that is not ours, which is noted. */
		if (!run->ndemands)
			return true;
	}
	draft = &a->drafts[a->n++];
	*draft = (struct qs_draft){ .run = *run,
				    .db_index = rec->db_index,
				    .wants_gpus = asks_for_gpus(rec->req_tres),
				    .asked = rec->has_req_tres };
	return true;
}

/* Not our business: no GPUs, or not in a queue. */
static bool is_other(struct qs_attempts *a, const struct qs_sacct_record *rec,
		     int queue)
{
	bool ran = *rec->alloc_tres;
	bool gpus = asks_for_gpus(ran ? rec->alloc_tres : rec->req_tres);

	if (!gpus && (ran || rec->has_req_tres))
		a->facts.without_gpus++;
	else if (queue < 0)
		a->facts.other_partitions++;
	else
		return false;
	return true;
}

static bool time_is_good(int64_t time)
{
	return time == QS_TIME_NONE || (time >= 0 && time < TIME_MAX);
}

static bool times_are_good(const struct qs_sacct_record *rec)
{
	return rec->submit != QS_TIME_NONE && time_is_good(rec->submit) &&
	       time_is_good(rec->eligible) && time_is_good(rec->start) &&
	       time_is_good(rec->end);
}

int qs_attempts_add(const struct qs_sacct_record *rec, void *arg)
{
	struct qs_attempts *a = arg;
	const struct qs_policy *policy;
	struct qs_run run = { .job = rec->job, .share = QS_RUN_NO_SHARE };
	int queue;

	a->facts.records++;
	if (!strcmp(rec->state, "REVOKED"))
		return 0;
	if (!times_are_good(rec)) {
		qs_problems_note(a->wish.problems,
				 "records without a time of submission, or "
				 "with times that cannot be, left out",
				 "%s", rec->where);
		return 0;
	}
	policy = qs_quota_history_at(a->wish.history, rec->submit)->policy;
	queue = queue_of(policy, rec->partition);
	if (is_other(a, rec, queue))
		return 0;
	run.ended = (uint8_t)end_of(a, rec);
	if (run.ended == QS_RUN_PREEMPTED)
		run.cause = QS_CAUSE_UNKNOWN;
	take_times(a, rec, &run);
	take_comment(a, rec, &run);
	if (run.share == QS_RUN_NO_SHARE)
		find_share(a, rec, policy, queue, &run);
	return keep(a, rec, &run) ? 0 : (errno = ENOMEM, -1);
}
