/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.c - a policy as canonical quota_share.conf
 *
 * Called by qshare. What is at its default is left out; a number that is set
 * is printed even if it is 0 or -1, because unset is something else (law 11).
 */
#include "conf/conf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "conf/keys.h"
#include "conf/reader.h"
#include "conf/utf8.h"

#define WIDTH 78

struct printer {
	FILE *file;
	size_t column; /* 0: a new line begins */
	bool bad;      /* a text that the syntax cannot hold */
};

/* One token, on the next line if this one would be too long. */
static void put(struct printer *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct printer *out, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0) {
		out->bad = true;
		return;
	}
	if (out->column && out->column + 1 + (size_t)n > WIDTH) {
		fputs(" \\\n       ", out->file);
		out->column = 7;
	}
	if (out->column) {
		putc(' ', out->file);
		out->column++;
	}
	va_start(args, fmt);
	vfprintf(out->file, fmt, args);
	va_end(args);
	out->column += (size_t)n;
}

static void end_line(struct printer *out)
{
	putc('\n', out->file);
	out->column = 0;
}

/* In quotes; nothing if there is no text. */
static void put_quoted(struct printer *out, const char *key, const char *text)
{
	char *quoted, *to;

	if (!text)
		return;
	quoted = malloc(2 * strlen(text) + 1);
	if (!quoted) {
		out->bad = true;
		return;
	}
	for (size_t i = 0; text[i] && !out->bad; i += qs_utf8_length(text + i))
		out->bad = !qs_utf8_length(text + i);
	for (to = quoted; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			out->bad = true;
		if (c == '"' || c == '\\')
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '\0';
	put(out, "%s=\"%s\"", key, quoted);
	free(quoted);
}

static void put_names(struct printer *out, const char *key,
		      const struct qs_names *names)
{
	char *list = NULL;
	size_t size;
	FILE *file;

	if (!names->n)
		return;
	file = open_memstream(&list, &size);
	if (!file) {
		out->bad = true;
		return;
	}
	for (size_t i = 0; i < names->n; i++)
		fprintf(file, "%s%s", i ? "," : "", names->items[i]);
	if (fclose(file))
		out->bad = true;
	else
		put(out, "%s=%s", key, list);
	free(list);
}

/* KEY=TYPE:COUNT,... of the types for which there is a number. */
static void put_counts(struct printer *out, const struct qs_policy *policy,
		       const char *key, const struct qs_opt *counts)
{
	struct qs_names list = { 0 };

	for (int t = 0; t < policy->ntypes; t++) {
		char text[QS_WORD_MAX + 24];

		if (!counts[t].set)
			continue;
		snprintf(text, sizeof(text), "%s:%" PRId64,
			 policy->types[t].name, counts[t].value);
		if (qs_names_add(&list, text, strlen(text)))
			out->bad = true;
	}
	put_names(out, key, &list);
	qs_names_clear(&list);
}

static bool is_counted(const struct qs_policy *policy, int type)
{
	for (int q = 0; q < policy->nqueues; q++)
		if (policy->queues[q].capacity &&
		    policy->queues[q].capacity[type].set)
			return true;
	for (int s = 0; s < policy->nshares; s++)
		if (qs_policy_quota(policy, s, type)->listed)
			return true;
	return false;
}

static void print_type(struct printer *out, const struct qs_policy *policy,
		       int t)
{
	const struct qs_type *type = &policy->types[t];
	bool plain =
		type->gres.n == 1 && !strcmp(type->gres.items[0], type->name);

	if (plain && !type->instance && is_counted(policy, t))
		return;
	put(out, "GpuType=%s", type->name);
	if (!plain)
		put_names(out, "Slurm", &type->gres);
	if (type->instance)
		put(out, "Instance=%s", type->instance);
	end_line(out);
}

static void print_victim_order(struct printer *out,
			       const struct qs_queue *queue)
{
	const enum qs_victim_step *order = queue->victim_order;

	if (order[0] == QS_VICTIM_PRIORITY && order[1] == QS_VICTIM_FIT)
		return;
	put(out, "VictimOrder=%s,%s,%s", qs_words_victim[order[0]],
	    qs_words_victim[order[1]], qs_words_victim[order[2]]);
}

static void print_queue(struct printer *out, const struct qs_policy *policy,
			int q)
{
	const struct qs_queue *queue = &policy->queues[q];

	put(out, "Queue=%s", queue->name);
	put_names(out, "Partitions", &queue->partitions);
	if (queue->capacity)
		put_counts(out, policy, "Capacity", queue->capacity);
	if (!queue->enabled)
		put(out, "State=DISABLED");
	if (queue->default_share >= 0)
		put(out, "DefaultShare=%s",
		    policy->shares[queue->default_share].name);
	if (queue->untyped != qs_conf_default_untyped(policy, q))
		put(out, "UntypedGpus=%s",
		    queue->untyped < 0 ? "REJECT" :
					 policy->types[queue->untyped].name);
	if (!queue->never_fits_rejects)
		put(out, "NeverFits=WAIT");
	if (queue->in_share_order != QS_ORDER_STRICT)
		put(out, "InShareOrder=%s",
		    qs_words_order[queue->in_share_order]);
	if (queue->idle_assignment != QS_ASSIGN_FIFO)
		put(out, "IdleResourceAssignment=%s",
		    qs_words_assign[queue->idle_assignment]);
	print_victim_order(out, queue);
	if (queue->grace_sec != 120)
		put(out, "GraceTime=%" PRIu32, queue->grace_sec);
	if (queue->claim_timeout_sec != 120)
		put(out, "ClaimTimeout=%" PRIu32, queue->claim_timeout_sec);
	if (!queue->non_requeue_borrow)
		put(out, "NonRequeueBorrow=NO");
	end_line(out);
}

static void put_opt(struct printer *out, const char *key,
		    const struct qs_opt *opt)
{
	if (opt->set)
		put(out, "%s=%" PRId64, key, opt->value);
}

static void print_quotas(struct printer *out, const struct qs_policy *policy,
			 int s)
{
	struct qs_opt capacity[QS_TYPES_MAX] = { 0 };
	struct qs_opt borrow[QS_TYPES_MAX] = { 0 };
	struct qs_opt lend[QS_TYPES_MAX] = { 0 };

	for (int t = 0; t < policy->ntypes; t++) {
		const struct qs_quota *quota = qs_policy_quota(policy, s, t);

		if (!quota->listed)
			continue;
		capacity[t] = (struct qs_opt){ true, quota->capacity };
		borrow[t] = quota->borrow_gpus;
		lend[t] = quota->lend_limit;
	}
	put_counts(out, policy, "Capacity", capacity);
	put_counts(out, policy, "BorrowGpus", borrow);
	put_counts(out, policy, "LendLimit", lend);
}

static void print_share(struct printer *out, const struct qs_policy *policy,
			int s)
{
	const struct qs_share *share = &policy->shares[s];

	put(out, "Share=%s", share->name);
	put(out, "Queue=%s", policy->queues[share->queue].name);
	put_names(out, "Accounts", &share->accounts);
	print_quotas(out, policy, s);
	put(out, "Strategy=%s", qs_strategy_name(share->strategy));
	put_opt(out, "BorrowLimit", &share->borrow_limit);
	put(out, "InSharePreemption=%s",
	    share->in_share_preemption ? "YES" : "NO");
	if (!share->enabled)
		put(out, "State=DISABLED");
	if (share->min_runtime_sec)
		put(out, "MinRuntime=%" PRIu32, share->min_runtime_sec);
	put_opt(out, "GraceTime", &share->grace_sec);
	put_opt(out, "PreemptRetries", &share->preempt_retries);
	if (share->max_user_priority != QS_PRIORITY_MAX)
		put(out, "MaxUserPriority=%" PRIu32, share->max_user_priority);
	put_quoted(out, "Owner", share->owner);
	put_quoted(out, "Note", share->note);
	end_line(out);
}

static void print_policy(struct printer *out, const struct qs_policy *policy)
{
	if (policy->mode != QS_MODE_ENFORCE) {
		put(out, "Mode=%s", qs_words_mode[policy->mode]);
		end_line(out);
	}
	if (!policy->admin_comment) {
		put(out, "AdminComment=NO");
		end_line(out);
	}
	if (policy->audit_log) {
		put_quoted(out, "AuditLog", policy->audit_log);
		end_line(out);
	}
	if (policy->event_log) {
		put_quoted(out, "EventLog", policy->event_log);
		end_line(out);
	}
	for (int t = 0; t < policy->ntypes; t++)
		print_type(out, policy, t);
	for (int q = 0; q < policy->nqueues; q++)
		print_queue(out, policy, q);
	for (int s = 0; s < policy->nshares; s++)
		print_share(out, policy, s);
}

char *qs_conf_print(const struct qs_policy *policy)
{
	struct printer out = { 0 };
	char *text = NULL;
	size_t size;
	bool failed;

	out.file = open_memstream(&text, &size);
	if (!out.file)
		return NULL;
	print_policy(&out, policy);
	failed = ferror(out.file) != 0;
	if (fclose(out.file))
		failed = true;
	if (!failed && !out.bad)
		return text;
	free(text);
	errno = failed ? ENOMEM : EINVAL;
	return NULL;
}
