/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * equal.c - are two policies the same agreement?
 *
 * Called by tests, and wherever a reload has to know whether anything changed.
 * Both must be as the reader makes them: sorted. Line numbers do not count.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"

struct difference {
	char *text;
	size_t size;
	char where[QS_NAME_MAX + 16]; /* "share A: " */
};

static bool differs(struct difference *to, const char *what)
{
	if (to->text && to->size)
		snprintf(to->text, to->size, "%s%s", to->where, what);
	return false;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : !a && !b;
}

static bool same_names(const struct qs_names *a, const struct qs_names *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->items[i], b->items[i]))
			return false;
	return true;
}

static bool same_opt(const struct qs_opt *a, const struct qs_opt *b)
{
	return a->set == b->set && (!a->set || a->value == b->value);
}

#define SAME(to, test, what)                      \
	do {                                      \
		if (!(test))                      \
			return differs(to, what); \
	} while (0)

static bool same_type(const struct qs_type *a, const struct qs_type *b,
		      struct difference *to)
{
	snprintf(to->where, sizeof(to->where), "type %.100s: ", a->name);
	SAME(to, !strcmp(a->name, b->name), "GpuType");
	SAME(to, same_names(&a->gres, &b->gres), "Slurm");
	SAME(to, same_text(a->instance, b->instance), "Instance");
	return true;
}

static bool same_queue(const struct qs_policy *pa, const struct qs_policy *pb,
		       int q, struct difference *to)
{
	const struct qs_queue *a = &pa->queues[q], *b = &pb->queues[q];

	snprintf(to->where, sizeof(to->where), "queue %s: ", a->name);
	SAME(to, !strcmp(a->name, b->name), "Queue");
	SAME(to, same_names(&a->partitions, &b->partitions), "Partitions");
	for (int t = 0; t < pa->ntypes; t++)
		SAME(to, same_opt(&a->capacity[t], &b->capacity[t]),
		     "Capacity");
	SAME(to, a->enabled == b->enabled, "State");
	SAME(to, a->default_share == b->default_share, "DefaultShare");
	SAME(to, a->untyped == b->untyped, "UntypedGpus");
	SAME(to, a->never_fits_rejects == b->never_fits_rejects, "NeverFits");
	SAME(to, a->in_share_order == b->in_share_order, "InShareOrder");
	SAME(to, a->idle_assignment == b->idle_assignment,
	     "IdleResourceAssignment");
	for (int i = 0; i < QS_VICTIM_STEPS; i++)
		SAME(to, a->victim_order[i] == b->victim_order[i],
		     "VictimOrder");
	SAME(to, a->grace_sec == b->grace_sec, "GraceTime");
	SAME(to, a->claim_timeout_sec == b->claim_timeout_sec, "ClaimTimeout");
	SAME(to, a->non_requeue_borrow == b->non_requeue_borrow,
	     "NonRequeueBorrow");
	return true;
}

static bool same_share(const struct qs_policy *pa, const struct qs_policy *pb,
		       int s, struct difference *to)
{
	const struct qs_share *a = &pa->shares[s], *b = &pb->shares[s];

	snprintf(to->where, sizeof(to->where), "share %s: ", a->name);
	SAME(to, !strcmp(a->name, b->name), "Share");
	SAME(to, a->queue == b->queue, "Queue");
	SAME(to, same_names(&a->accounts, &b->accounts), "Accounts");
	for (int t = 0; t < pa->ntypes; t++) {
		const struct qs_quota *qa = qs_policy_quota(pa, s, t);
		const struct qs_quota *qb = qs_policy_quota(pb, s, t);

		SAME(to, qa->listed == qb->listed, "Capacity");
		SAME(to, qa->capacity == qb->capacity, "Capacity");
		SAME(to, same_opt(&qa->borrow_gpus, &qb->borrow_gpus),
		     "BorrowGpus");
		SAME(to, same_opt(&qa->lend_limit, &qb->lend_limit),
		     "LendLimit");
	}
	SAME(to, a->strategy == b->strategy, "Strategy");
	SAME(to, same_opt(&a->borrow_limit, &b->borrow_limit), "BorrowLimit");
	SAME(to, a->in_share_preemption == b->in_share_preemption,
	     "InSharePreemption");
	SAME(to, a->enabled == b->enabled, "State");
	SAME(to, a->min_runtime_sec == b->min_runtime_sec, "MinRuntime");
	SAME(to, same_opt(&a->grace_sec, &b->grace_sec), "GraceTime");
	SAME(to, same_opt(&a->preempt_retries, &b->preempt_retries),
	     "PreemptRetries");
	SAME(to, a->max_user_priority == b->max_user_priority,
	     "MaxUserPriority");
	SAME(to, same_text(a->owner, b->owner), "Owner");
	SAME(to, same_text(a->note, b->note), "Note");
	return true;
}

bool qs_conf_equal(const struct qs_policy *a, const struct qs_policy *b,
		   char *what, size_t size)
{
	struct difference to = { .text = what, .size = size };

	SAME(&to, a->mode == b->mode, "Mode");
	SAME(&to, a->admin_comment == b->admin_comment, "AdminComment");
	SAME(&to, same_text(a->audit_log, b->audit_log), "AuditLog");
	SAME(&to, same_text(a->event_log, b->event_log), "EventLog");
	SAME(&to, a->ntypes == b->ntypes, "the number of types");
	SAME(&to, a->nqueues == b->nqueues, "the number of queues");
	SAME(&to, a->nshares == b->nshares, "the number of shares");
	for (int t = 0; t < a->ntypes; t++)
		if (!same_type(&a->types[t], &b->types[t], &to))
			return false;
	for (int q = 0; q < a->nqueues; q++)
		if (!same_queue(a, b, q, &to))
			return false;
	for (int s = 0; s < a->nshares; s++)
		if (!same_share(a, b, s, &to))
			return false;
	return true;
}
