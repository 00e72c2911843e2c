/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_tags.c - what AWS cannot express of a policy: tags, and words
 *
 * Called by export.c for each queue and share. Never blocks. What is at the
 * default that import gives it is left out; a number that is set goes along
 * even if it is 0, because unset is something else (law 11).
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/export_run.h"
#include "aws/tags.h"
#include "conf/keys.h"

/* Whose tags are made. */
struct owner {
	struct qs_export_run *run;
	struct qs_aws_tags *tags;
	const char *queue, *share; /* for notes */
};

/* Keep a value as a tag if it may be, and tell. Returns 0, or -1. */
static int keep(const struct owner *to, const char *key, const char *suffix,
		bool list, const char *value, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
static int keep(const struct owner *to, const char *key, const char *suffix,
		bool list, const char *value, const char *fmt, ...)
{
	bool tags = to->run->options->tags;
	int rc = tags ? qs_tags_put(to->tags, key, suffix, value, list) : 1;
	char why[300];
	va_list args;

	if (rc < 0)
		return qs_error_memory(to->run->err);
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	qs_notes_add(to->run->notes, rc ? QS_NOTE_LOST : QS_NOTE_TAGGED,
		     to->queue, to->share, key, "%.200s%s%s%s%s", value,
		     *why ? ": " : "", why, rc ? "" : "; kept as a tag",
		     rc && tags ? "; too long for a tag" : "");
	return 0;
}

static int keep_number(const struct owner *to, const char *key, int64_t value,
		       const char *why)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	return keep(to, key, NULL, false, text, "%s", why);
}

/* a,b,c; the caller's (free). NULL: no memory. */
static char *join(const struct qs_names *names)
{
	size_t size = 1;
	char *text;

	for (size_t i = 0; i < names->n; i++)
		size += strlen(names->items[i]) + 1;
	text = calloc(1, size);
	for (size_t i = 0; text && i < names->n; i++) {
		if (i)
			strcat(text, ",");
		strcat(text, names->items[i]);
	}
	return text;
}

static int keep_names(const struct owner *to, const char *key,
		      const struct qs_names *names, const char *why)
{
	char *text = join(names);
	int rc;

	if (!text)
		return qs_error_memory(to->run->err);
	rc = keep(to, key, NULL, true, text, "%s", why);
	free(text);
	return rc;
}

/* TYPE:COUNT,... of the types that are exported; the others are lost. */
static int keep_counts(const struct owner *to, const char *key,
		       const struct qs_opt *counts, const char *why)
{
	const struct qs_export_run *run = to->run;
	size_t size = 1, n = 0;
	char *text;
	int rc = 0;

	for (int t = 0; t < run->policy->ntypes; t++)
		size += counts[t].set ?
				strlen(run->policy->types[t].name) + 24 :
				0;
	text = calloc(1, size);
	if (!text)
		return qs_error_memory(run->err);
	for (int t = 0; t < run->policy->ntypes; t++)
		if (counts[t].set)
			n += (size_t)snprintf(text + n, size - n,
					      "%s%s:%" PRId64, n ? "," : "",
					      run->policy->types[t].name,
					      counts[t].value);
	if (n)
		rc = keep(to, key, NULL, true, text, "%s", why);
	free(text);
	return rc;
}

static int keep_type(const struct owner *to, int t)
{
	const struct qs_type *type = &to->run->policy->types[t];
	const struct qs_instance *unit = to->run->units[t];
	bool plain =
		type->gres.n == 1 && !strcmp(type->gres.items[0], type->name);
	char *slurm, *text;
	size_t size;
	int rc;

	if (plain && !strcmp(type->name, unit->gpu))
		return 0;
	slurm = plain ? strdup("") : join(&type->gres);
	size = strlen(type->name) + (slurm ? strlen(slurm) : 0) + 2;
	text = malloc(size);
	if (slurm && text) {
		snprintf(text, size, "%s%s%s", type->name, plain ? "" : ",",
			 slurm);
		rc = keep(to, "GpuType", unit->name, true, text,
			  "the site's name of the GPU in %.80s", unit->name);
	} else {
		rc = qs_error_memory(to->run->err);
	}
	free(slurm);
	free(text);
	return rc;
}

/* The type that import makes UntypedGpus of by itself; -1: REJECT. */
static int only_type(const struct qs_export_run *run)
{
	int only = -1;

	for (int t = 0; t < run->policy->ntypes; t++) {
		if (!run->pool[t])
			continue;
		if (only >= 0)
			return -1;
		only = t;
	}
	return only;
}

static int keep_untyped(const struct owner *to)
{
	const struct qs_export_run *run = to->run;
	int untyped = run->policy->queues[run->queue].untyped;

	if (untyped == only_type(run))
		return 0;
	if (untyped >= 0 && !run->pool[untyped]) {
		qs_notes_add(run->notes, QS_NOTE_LOST, to->queue, NULL,
			     "UntypedGpus", "%.80s is not exported",
			     run->policy->types[untyped].name);
		return 0;
	}
	return keep(to, "UntypedGpus", NULL, false,
		    untyped < 0 ? "REJECT" : run->policy->types[untyped].name,
		    "jobs of AWS name an instance type");
}

static int keep_default_share(const struct owner *to)
{
	const struct qs_export_run *run = to->run;
	int share = run->policy->queues[run->queue].default_share;

	if (share < 0)
		return 0;
	if (run->shares[share])
		return keep(to, "DefaultShare", NULL, false,
			    run->policy->shares[share].name,
			    "AWS refuses a job that names no share");
	qs_notes_add(run->notes, QS_NOTE_LOST, to->queue, NULL, "DefaultShare",
		     "share %s is not exported",
		     run->policy->shares[share].name);
	return 0;
}

/* A Capacity that is what the shares own is a number of its own (law 11), but
 * import cannot tell from the environment, which always has one. */
static int keep_capacity(const struct owner *to)
{
	const struct qs_export_run *run = to->run;
	const struct qs_policy *policy = run->policy;
	const struct qs_opt *own = policy->queues[run->queue].capacity;
	struct qs_opt counts[QS_TYPES_MAX] = { 0 };

	for (int t = 0; own && t < policy->ntypes; t++) {
		int64_t sum = 0;

		for (int s = 0; s < policy->nshares; s++)
			if (run->shares[s] &&
			    policy->shares[s].queue == run->queue)
				sum += *qs_export_count(run, s, t);
		if (own[t].set && run->pool[t] && sum == run->pool[t])
			counts[t] = (struct qs_opt){
				true, run->pool[t] * run->units[t]->gpus
			};
	}
	return keep_counts(to, "Capacity", counts,
			   "it is what the shares own together, and stays it "
			   "when they change");
}

static int keep_victim_order(const struct owner *to)
{
	const enum qs_victim_step *order =
		to->run->policy->queues[to->run->queue].victim_order;
	char text[64];

	if (order[0] == QS_VICTIM_PRIORITY && order[1] == QS_VICTIM_FIT)
		return 0;
	snprintf(text, sizeof(text), "%s,%s,%s", qs_words_victim[order[0]],
		 qs_words_victim[order[1]], qs_words_victim[order[2]]);
	return keep(to, "VictimOrder", NULL, true, text,
		    "AWS chooses by a rule of its own");
}

static int keep_choices(const struct owner *to)
{
	const struct qs_queue *queue = &to->run->policy->queues[to->run->queue];

	if (!queue->never_fits_rejects &&
	    keep(to, "NeverFits", NULL, false, "WAIT",
		 "AWS has no such setting"))
		return -1;
	if (queue->in_share_order != QS_ORDER_STRICT &&
	    keep(to, "InShareOrder", NULL, false,
		 qs_words_order[queue->in_share_order],
		 "AWS has no such setting"))
		return -1;
	if (queue->idle_assignment != QS_ASSIGN_FIFO &&
	    keep(to, "IdleResourceAssignment", NULL, false,
		 qs_words_assign[queue->idle_assignment],
		 "AWS knows FIFO only, and will use it"))
		return -1;
	if (!queue->non_requeue_borrow &&
	    keep(to, "NonRequeueBorrow", NULL, false, "NO",
		 "AWS requeues every job that it preempts"))
		return -1;
	if (queue->grace_sec != 120 &&
	    keep_number(to, "GraceTime", queue->grace_sec, "AWS gives 120 s"))
		return -1;
	if (queue->claim_timeout_sec != 120 &&
	    keep_number(to, "ClaimTimeout", queue->claim_timeout_sec,
			"AWS has no such setting"))
		return -1;
	return keep_victim_order(to);
}

/* Keys of the whole file, with every queue: each can be imported alone. */
static int keep_file(const struct owner *to)
{
	const struct qs_policy *policy = to->run->policy;

	if (policy->mode == QS_MODE_OBSERVE &&
	    keep(to, "Mode", NULL, false, "OBSERVE",
		 "AWS will enforce the shares from the first job on"))
		return -1;
	if (!policy->admin_comment &&
	    keep(to, "AdminComment", NULL, false, "NO",
		 "AWS has no accounting records of Slurm's"))
		return -1;
	if (policy->audit_log && keep(to, "AuditLog", NULL, false,
				      policy->audit_log, "AWS has CloudTrail"))
		return -1;
	if (policy->event_log && keep(to, "EventLog", NULL, false,
				      policy->event_log, "AWS has EventBridge"))
		return -1;
	return 0;
}

int qs_export_queue_tags(struct qs_export_run *run, struct qs_aws_tags *tags)
{
	const struct qs_queue *queue = &run->policy->queues[run->queue];
	struct owner to = { run, tags, queue->name, NULL };

	if (queue->partitions.n &&
	    keep_names(&to, "Partitions", &queue->partitions,
		       "AWS has no partitions"))
		return -1;
	for (int t = 0; t < run->policy->ntypes; t++)
		if (run->pool[t] && keep_type(&to, t))
			return -1;
	if (keep_capacity(&to) || keep_default_share(&to) ||
	    keep_untyped(&to) || keep_choices(&to))
		return -1;
	return keep_file(&to);
}

/* Import names the account after the share, as Slurm stores names. */
static bool has_default_account(const struct qs_share *share)
{
	const char *name = share->name, *account;

	if (share->accounts.n != 1)
		return false;
	for (account = share->accounts.items[0]; *account; account++, name++)
		if (tolower((unsigned char)*name) != *account)
			return false;
	return !*name;
}

/* How much AWS lets the share borrow where we have BorrowGpus. */
static const char *borrows(const struct qs_share *share, char *text,
			   size_t size)
{
	if (!share->borrow_limit.set ||
	    share->borrow_limit.value == QS_UNLIMITED)
		return "without limit";
	if (!share->borrow_limit.value)
		return "nothing";
	snprintf(text, size, "up to %" PRId64 " %%", share->borrow_limit.value);
	return text;
}

/* R3a, of the types that are exported; the others are told of already. */
static int keep_extensions(const struct owner *to, int s)
{
	const struct qs_export_run *run = to->run;
	struct qs_opt borrow[QS_TYPES_MAX] = { 0 }, lend[QS_TYPES_MAX] = { 0 };
	char much[48], why[160];

	for (int t = 0; t < run->policy->ntypes; t++) {
		if (!*qs_export_count(run, s, t))
			continue;
		borrow[t] = qs_policy_quota(run->policy, s, t)->borrow_gpus;
		lend[t] = qs_policy_quota(run->policy, s, t)->lend_limit;
	}
	snprintf(why, sizeof(why),
		 "AWS knows no number of GPUs here and lets the share borrow "
		 "%s",
		 borrows(&run->policy->shares[s], much, sizeof(much)));
	if (keep_counts(to, "BorrowGpus", borrow, why))
		return -1;
	return keep_counts(to, "LendLimit", lend, "AWS lends all that is idle");
}

static int keep_times(const struct owner *to, const struct qs_share *share)
{
	if (share->min_runtime_sec &&
	    keep_number(to, "MinRuntime", share->min_runtime_sec,
			"AWS may preempt a job however short it has run"))
		return -1;
	if (share->grace_sec.set &&
	    keep_number(to, "GraceTime", share->grace_sec.value,
			"AWS gives 120 s"))
		return -1;
	if (share->preempt_retries.set &&
	    keep_number(to, "PreemptRetries", share->preempt_retries.value,
			"AWS takes it from each job, as "
			"preemptionRetriesBeforeTermination"))
		return -1;
	if (share->max_user_priority != QS_PRIORITY_MAX &&
	    keep_number(to, "MaxUserPriority", share->max_user_priority,
			"AWS lets everybody ask for 9999"))
		return -1;
	return 0;
}

int qs_export_share_tags(struct qs_export_run *run, int s,
			 struct qs_aws_tags *tags)
{
	const struct qs_share *share = &run->policy->shares[s];
	struct owner to = { run, tags, run->policy->queues[run->queue].name,
			    share->name };

	if (!has_default_account(share) &&
	    keep_names(&to, "Accounts", &share->accounts,
		       "AWS has no accounts in this sense; who may use a share "
		       "is said in IAM"))
		return -1;
	if (keep_extensions(&to, s) || keep_times(&to, share))
		return -1;
	if (share->owner &&
	    keep(&to, "Owner", NULL, false, share->owner, "%s", ""))
		return -1;
	return share->note ?
		       keep(&to, "Note", NULL, false, share->note, "%s", "") :
		       0;
}
