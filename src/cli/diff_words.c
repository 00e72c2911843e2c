/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_words.c - where two policies differ, and what that means
 *
 * Called by `qshare diff`. Never blocks. Its surprise: what follows from other
 * keys is said too, such as the limit that a lower Capacity brings along,
 * because the limit is what people run into.
 */
#include "cli/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct words {
	struct json_object *list;
	const struct qs_policy *old, *new;
	char where[QS_NAME_MAX + 16];
};

static void put(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key,
			       text ? json_object_new_string(text) : NULL);
}

static void add(struct words *w, const char *key, const char *old,
		const char *new, const char *means)
{
	struct json_object *out = json_object_new_object();

	put(out, "where", w->where);
	put(out, "key", key);
	put(out, "old", old);
	put(out, "new", new);
	put(out, "means", means);
	json_object_array_add(w->list, out);
}

/* The same text: nothing to say. */
static void text(struct words *w, const char *key, const char *old,
		 const char *new, const char *means)
{
	if (strcmp(old ? old : "", new ? new : ""))
		add(w, key, old, new, means);
}

static const char *number(int64_t value, char *out, size_t size)
{
	if (value == INT64_MAX)
		snprintf(out, size, "unlimited");
	else
		snprintf(out, size, "%" PRId64, value);
	return out;
}

static void numbers(struct words *w, const char *key, int64_t old, int64_t new,
		    const char *means)
{
	char a[32], b[32];

	if (old != new)
		add(w, key, number(old, a, sizeof(a)),
		    number(new, b, sizeof(b)), means);
}

/* Unset is not any number (law 11). */
static void opts(struct words *w, const char *key, const struct qs_opt *old,
		 const struct qs_opt *new, const char *means)
{
	char a[32], b[32];

	if (old->set == new->set && (!old->set || old->value == new->value))
		return;
	add(w, key, old->set ? number(old->value, a, sizeof(a)) : NULL,
	    new->set ? number(new->value, b, sizeof(b)) : NULL, means);
}

static void words_of(const struct qs_names *names, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < names->n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "," : "",
				      names->items[i]);
}

static void lists(struct words *w, const char *key, const struct qs_names *old,
		  const struct qs_names *new, const char *means)
{
	char a[1024], b[1024];

	words_of(old, a, sizeof(a));
	words_of(new, b, sizeof(b));
	text(w, key, a, b, means);
}

static const char *enabled(bool yes)
{
	return yes ? "ENABLED" : "DISABLED";
}

/* The index of a type of one policy in the other, -1 if it has none. */
static int same_type(const struct qs_policy *from, int type,
		     const struct qs_policy *to)
{
	return type < 0 ? -1 : qs_policy_find_type(to, from->types[type].name);
}

struct cell {
	bool listed;
	int64_t capacity, limit, lends;
};

static struct cell cell_of(const struct qs_policy *policy, int share, int type)
{
	struct cell cell = { .limit = 0 };

	if (share < 0 || type < 0 ||
	    !qs_policy_quota(policy, share, type)->listed)
		return cell;
	cell.listed = true;
	cell.capacity = qs_policy_quota(policy, share, type)->capacity;
	cell.limit = qs_policy_limit(policy, share, type);
	cell.lends = qs_policy_lends(policy, share, type);
	return cell;
}

static void keyed(char *out, size_t size, const char *key, const char *type)
{
	snprintf(out, size, "%s %.100s", key, type);
}

static void say_cell(struct words *w, const struct cell *old,
		     const struct cell *new, const char *type)
{
	char key[160], means[160];

	if (!old->listed && !new->listed)
		return;
	if (old->listed != new->listed) {
		keyed(key, sizeof(key), "Capacity", type);
		snprintf(means, sizeof(means),
			 new->listed ? "it may use this type from now on" :
				       "it may not use this type any more; its "
				       "running jobs of it become borrowed");
		add(w, key, old->listed ? "listed" : NULL,
		    new->listed ? "listed" : NULL, means);
	}
	keyed(key, sizeof(key), "Capacity", type);
	snprintf(means, sizeof(means), "it owns %" PRId64 " %s",
		 new->capacity > old->capacity ? new->capacity - old->capacity :
						 old->capacity - new->capacity,
		 new->capacity > old->capacity ?
			 "more" :
			 "fewer; what its jobs hold beyond can be taken back");
	numbers(w, key, old->capacity, new->capacity, means);
	keyed(key, sizeof(key), "limit", type);
	numbers(w, key, old->limit, new->limit,
		new->limit < old->limit ?
			"jobs above it run on, but can be taken back (R8a)" :
			"it may use more");
	keyed(key, sizeof(key), "lends", type);
	numbers(w, key, old->lends, new->lends,
		new->lends < old->lends ?
			"others can borrow fewer of its idle GPUs" :
			"others can borrow more of its idle GPUs");
}

static void say_cells(struct words *w, int s, int n)
{
	for (int t = 0; t < w->new->ntypes; t++) {
		int was = same_type(w->new, t, w->old);
		struct cell old = cell_of(w->old, s, was);
		struct cell new = cell_of(w->new, n, t);

		say_cell(w, &old, &new, w->new->types[t].name);
	}
	for (int t = 0; t < w->old->ntypes; t++) {
		struct cell old = cell_of(w->old, s, t), none = { .limit = 0 };

		if (same_type(w->old, t, w->new) < 0)
			say_cell(w, &old, &none, w->old->types[t].name);
	}
}

static const char *strategy_means(enum qs_strategy old, enum qs_strategy new)
{
	bool lent = old != QS_STRATEGY_RESERVE;
	bool lends = new != QS_STRATEGY_RESERVE;

	if (lent && !lends)
		return "its idle GPUs are for itself only; loans run on until "
		       "they are taken back";
	if (!lent && lends)
		return "others may use its idle GPUs; it gets them back by "
		       "preemption";
	return new == QS_STRATEGY_LEND_AND_BORROW ?
		       "it may borrow idle GPUs of others" :
		       "it may not borrow any more";
}

static void say_share(struct words *w, int s, int n)
{
	const struct qs_share *a = &w->old->shares[s], *b = &w->new->shares[n];

	text(w, "Queue", w->old->queues[a->queue].name,
	     w->new->queues[b->queue].name,
	     "its running jobs count as those of a removed share there (R16)");
	lists(w, "Accounts", &a->accounts, &b->accounts,
	      "submitted jobs keep their share; new ones go by this (R1)");
	say_cells(w, s, n);
	if (a->strategy != b->strategy)
		add(w, "Strategy", qs_strategy_name(a->strategy),
		    qs_strategy_name(b->strategy),
		    strategy_means(a->strategy, b->strategy));
	opts(w, "BorrowLimit", &a->borrow_limit, &b->borrow_limit, NULL);
	text(w, "InSharePreemption", enabled(a->in_share_preemption),
	     enabled(b->in_share_preemption),
	     b->in_share_preemption ?
		     "waiting jobs may stop running ones of lower priority in "
		     "the share" :
		     "no job of the share stops another of it any more");
	text(w, "State", enabled(a->enabled), enabled(b->enabled),
	     b->enabled ? "it takes new jobs again" :
			  "new jobs are refused, submitted ones run to their "
			  "end (R15)");
	numbers(w, "MinRuntime", a->min_runtime_sec, b->min_runtime_sec,
		"no preemption takes a job before it has run so long (R13)");
	opts(w, "GraceTime", &a->grace_sec, &b->grace_sec, NULL);
	opts(w, "PreemptRetries", &a->preempt_retries, &b->preempt_retries,
	     "unset: requeued however often (R12)");
	numbers(w, "MaxUserPriority", a->max_user_priority,
		b->max_user_priority, NULL);
	text(w, "Owner", a->owner, b->owner, NULL);
	text(w, "Note", a->note, b->note, NULL);
}

static void say_shares(struct words *w)
{
	for (int s = 0; s < w->old->nshares; s++) {
		int n = qs_policy_find_share(w->new, w->old->shares[s].name);

		snprintf(w->where, sizeof(w->where), "share %s",
			 w->old->shares[s].name);
		if (n >= 0)
			say_share(w, s, n);
		else
			add(w, "Share", w->old->shares[s].name, NULL,
			    "it is removed: its running jobs count as borrowed "
			    "until they end, its waiting ones stay pending "
			    "(R16)");
	}
	for (int n = 0; n < w->new->nshares; n++) {
		if (qs_policy_find_share(w->old, w->new->shares[n].name) >= 0)
			continue;
		snprintf(w->where, sizeof(w->where), "share %s",
			 w->new->shares[n].name);
		add(w, "Share", NULL, w->new->shares[n].name, "it is new");
		say_cells(w, -1, n);
	}
}

static const char *type_name(const struct qs_policy *policy, int type)
{
	return type < 0 ? "REJECT" : policy->types[type].name;
}

static void order_of(const struct qs_queue *queue, char *out, size_t size)
{
	static const char *const names[] = { "priority", "fit", "duration" };

	snprintf(out, size, "%s,%s,%s", names[queue->victim_order[0]],
		 names[queue->victim_order[1]], names[queue->victim_order[2]]);
}

static void say_pools(struct words *w, int q, int n)
{
	char key[160];

	for (int t = 0; t < w->new->ntypes; t++) {
		int was = same_type(w->new, t, w->old);
		int64_t new = qs_policy_pool(w->new, n, t);

		keyed(key, sizeof(key), "pool", w->new->types[t].name);
		numbers(w, key, was < 0 ? 0 : qs_policy_pool(w->old, q, was),
			new, NULL);
	}
}

static void say_queue(struct words *w, int q, int n)
{
	const struct qs_queue *a = &w->old->queues[q], *b = &w->new->queues[n];
	char was[64], now[64];

	lists(w, "Partitions", &a->partitions, &b->partitions,
	      "jobs of a partition that left the queue are charged to no "
	      "share");
	say_pools(w, q, n);
	text(w, "State", enabled(a->enabled), enabled(b->enabled),
	     b->enabled ? "it takes new jobs again" :
			  "new jobs are refused, submitted ones run to their "
			  "end (R15)");
	text(w, "DefaultShare",
	     a->default_share < 0 ? NULL :
				    w->old->shares[a->default_share].name,
	     b->default_share < 0 ? NULL :
				    w->new->shares[b->default_share].name,
	     NULL);
	text(w, "UntypedGpus", type_name(w->old, a->untyped),
	     type_name(w->new, b->untyped), NULL);
	text(w, "NeverFits", a->never_fits_rejects ? "REJECT" : "WAIT",
	     b->never_fits_rejects ? "REJECT" : "WAIT", NULL);
	text(w, "InShareOrder",
	     a->in_share_order == QS_ORDER_STRICT ? "STRICT" : "BEST_EFFORT",
	     b->in_share_order == QS_ORDER_STRICT ? "STRICT" : "BEST_EFFORT",
	     NULL);
	text(w, "IdleResourceAssignment",
	     a->idle_assignment == QS_ASSIGN_FIFO ? "FIFO" : "FAIR",
	     b->idle_assignment == QS_ASSIGN_FIFO ? "FIFO" : "FAIR", NULL);
	order_of(a, was, sizeof(was));
	order_of(b, now, sizeof(now));
	text(w, "VictimOrder", was, now, NULL);
	numbers(w, "GraceTime", a->grace_sec, b->grace_sec, NULL);
	numbers(w, "ClaimTimeout", a->claim_timeout_sec, b->claim_timeout_sec,
		NULL);
	text(w, "NonRequeueBorrow", a->non_requeue_borrow ? "YES" : "NO",
	     b->non_requeue_borrow ? "YES" : "NO", NULL);
}

static void say_queues(struct words *w)
{
	for (int q = 0; q < w->old->nqueues; q++) {
		int n = qs_policy_find_queue(w->new, w->old->queues[q].name);

		snprintf(w->where, sizeof(w->where), "queue %s",
			 w->old->queues[q].name);
		if (n >= 0)
			say_queue(w, q, n);
		else
			add(w, "Queue", w->old->queues[q].name, NULL,
			    "it is removed: jobs of its partitions are charged "
			    "to no share");
	}
	for (int n = 0; n < w->new->nqueues; n++) {
		if (qs_policy_find_queue(w->old, w->new->queues[n].name) >= 0)
			continue;
		snprintf(w->where, sizeof(w->where), "queue %s",
			 w->new->queues[n].name);
		add(w, "Queue", NULL, w->new->queues[n].name, "it is new");
	}
}

static void say_types(struct words *w)
{
	for (int t = 0; t < w->new->ntypes; t++) {
		int was = same_type(w->new, t, w->old);

		if (was < 0)
			continue;
		snprintf(w->where, sizeof(w->where), "type %.100s",
			 w->new->types[t].name);
		lists(w, "Slurm", &w->old->types[was].gres,
		      &w->new->types[t].gres, NULL);
		text(w, "Instance", w->old->types[was].instance,
		     w->new->types[t].instance, NULL);
	}
}

struct json_object *qs_diff_words(const struct qs_policy *old,
				  const struct qs_policy *new)
{
	struct words w = { json_object_new_array(), old, new, "" };

	snprintf(w.where, sizeof(w.where), "file");
	text(&w, "Mode", old->mode == QS_MODE_OBSERVE ? "OBSERVE" : "ENFORCE",
	     new->mode == QS_MODE_OBSERVE ? "OBSERVE" : "ENFORCE",
	     new->mode == QS_MODE_OBSERVE ?
		     "nothing is held back and nobody is preempted any more" :
		     "from now on jobs are held back and preempted");
	text(&w, "AdminComment", old->admin_comment ? "YES" : "NO",
	     new->admin_comment ? "YES" : "NO",
	     new->admin_comment ?
		     "accounting records of jobs say what was own and borrowed" :
		     "accounting records of jobs get no comment any more");
	text(&w, "AuditLog", old->audit_log, new->audit_log, NULL);
	text(&w, "EventLog", old->event_log, new->event_log, NULL);
	say_types(&w);
	say_queues(&w);
	say_shares(&w);
	return w.list;
}
