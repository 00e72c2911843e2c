/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * submit.c - R1, R2a, R6b, R12: what one request means and whether it can be
 *
 * Called at submission (under whatever locks the caller holds: nothing blocks
 * or allocates here) and by the planner, for every waiting job, for R6b.
 */
#include "submit.h"

#include <string.h>

#include "text.h"

/* R6b: AWS's texts, letter by letter (AWS Batch, status reasons of a job that
 * is misconfigured for its queue; user guide, 2026). */
#define AWS_OVER_QUEUE                                                      \
	"MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE - "              \
	"Service environment(s) associated with the job queue cannot meet " \
	"the capacity requirement of the job."
#define AWS_OVER_LIMIT                                        \
	"MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - " \
	"Job requirements exceed quota share capacity limits."
#define AWS_OVER_BORROW_LIMIT                                             \
	"MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - "             \
	"Job requirements exceed quota share capacity limits and borrow " \
	"limits."
#define AWS_OVER_LENDABLE                                                \
	"MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - "            \
	"Job requires borrowing that exceeds all configured borrowable " \
	"capacity."

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Account names compare without case (R1), whatever the locale. */
static bool same_account(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

static bool lists_account(const struct qs_share *share, const char *account)
{
	for (size_t i = 0; i < share->accounts.n; i++) {
		if (same_account(share->accounts.items[i], account))
			return true;
	}
	return false;
}

static bool may_use(const struct qs_policy *policy, int share,
		    const char *const *accounts, size_t n)
{
	const struct qs_share *s = &policy->shares[share];

	if (policy->queues[s->queue].default_share == share)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (lists_account(s, accounts[i]))
			return true;
	}
	return false;
}

static void say_shares(const struct qs_policy *policy, int queue,
		       const char *const *accounts, size_t n, char *text,
		       size_t size)
{
	const char *sep = " ";

	for (int s = 0; s < policy->nshares; s++) {
		if (policy->shares[s].queue != queue ||
		    !may_use(policy, s, accounts, n))
			continue;
		qs_text_say(text, size, "%s%s", sep, policy->shares[s].name);
		sep = ", ";
	}
	if (*sep == ' ')
		qs_text_say(text, size,
			    " none; ask an admin to add the account to a "
			    "share, or submit with another --account");
}

static int refuse_share(const struct qs_policy *policy, int queue,
			const char *wanted, const char *const *accounts,
			size_t n, char *text, size_t size)
{
	text[0] = '\0';
	if (wanted)
		qs_text_say(text, size,
			    "account %s may not use the quota share %s of ",
			    n ? accounts[0] : "(none)", wanted);
	else if (n)
		qs_text_say(text, size,
			    "account %s belongs to no quota share of ",
			    accounts[0]);
	else
		qs_text_say(
			text, size,
			"the job has no account, so it belongs to no quota share "
			"of ");
	qs_text_say(text, size, "queue %s; shares it could ask for:",
		    policy->queues[queue].name);
	say_shares(policy, queue, accounts, n, text, size);
	return -1;
}

int qs_submit_share(const struct qs_policy *policy, int queue,
		    const char *wanted, const char *const *accounts, size_t n,
		    char *text, size_t size)
{
	if (wanted) {
		int share = qs_policy_find_share(policy, wanted);

		if (share < 0 || policy->shares[share].queue != queue ||
		    !may_use(policy, share, accounts, n))
			return refuse_share(policy, queue, wanted, accounts, n,
					    text, size);
		return share;
	}
	for (size_t i = 0; i < n; i++) {
		for (int s = 0; s < policy->nshares; s++) {
			if (policy->shares[s].queue == queue &&
			    lists_account(&policy->shares[s], accounts[i]))
				return s;
		}
	}
	if (policy->queues[queue].default_share >= 0)
		return policy->queues[queue].default_share;
	return refuse_share(policy, queue, NULL, accounts, n, text, size);
}

int qs_submit_untyped(const struct qs_policy *policy, int queue,
		      uint64_t present, char *text, size_t size)
{
	int only = -1, found = 0;

	for (int t = 0; t < policy->ntypes; t++) {
		if (present >> t & 1) {
			only = t;
			found++;
		}
	}
	if (found == 1)
		return only;
	if (policy->queues[queue].untyped >= 0)
		return policy->queues[queue].untyped;
	text[0] = '\0';
	qs_text_say(
		text, size,
		"the request names no GPU type, and there are several; ask for "
		"one of them:");
	for (int t = 0; t < policy->ntypes; t++) {
		if (found ? present >> t & 1 :
			    qs_policy_promised(policy, queue, t) > 0)
			qs_text_say(text, size, " gpu:%s:N",
				    policy->types[t].gres.items[0]);
	}
	return -1;
}

static int64_t lendable_max(const struct qs_policy *policy, int share, int type)
{
	int64_t sum = 0;

	for (int s = 0; s < policy->nshares; s++) {
		if (s != share &&
		    policy->shares[s].queue == policy->shares[share].queue)
			sum += qs_policy_lends(policy, s, type);
	}
	return sum;
}

void qs_submit_bounds(const struct qs_policy *policy, int share, int type,
		      struct qs_bounds *bounds)
{
	const struct qs_quota *quota = qs_policy_quota(policy, share, type);

	bounds->listed = quota->listed;
	bounds->pool =
		qs_policy_pool(policy, policy->shares[share].queue, type);
	bounds->limit = qs_policy_limit(policy, share, type);
	bounds->most = quota->capacity + lendable_max(policy, share, type);
}

enum qs_code qs_submit_never_of(const struct qs_policy *policy, int share,
				const struct qs_bounds *bounds, int64_t gpus)
{
	if (!bounds->listed)
		return QS_CODE_UNKNOWN_TYPE;
	if (gpus > bounds->pool)
		return QS_CODE_OVER_QUEUE;
	if (gpus > bounds->limit)
		return policy->shares[share].strategy ==
				       QS_STRATEGY_LEND_AND_BORROW ?
			       QS_CODE_OVER_BORROW_LIMIT :
			       QS_CODE_OVER_LIMIT;
	return gpus > bounds->most ? QS_CODE_OVER_LENDABLE : QS_CODE_NONE;
}

static enum qs_code never_of(const struct qs_policy *policy, int share,
			     const struct qs_ask *ask)
{
	struct qs_bounds bounds;

	if (ask->type < 0)
		return QS_CODE_UNKNOWN_TYPE;
	qs_submit_bounds(policy, share, ask->type, &bounds);
	return qs_submit_never_of(policy, share, &bounds, ask->gpus);
}

enum qs_code qs_submit_never(const struct qs_policy *policy, int share,
			     const struct qs_ask *asks, size_t n,
			     size_t *failing)
{
	enum qs_code first = QS_CODE_NONE;

	*failing = 0;
	for (size_t i = 0; i < n; i++) {
		enum qs_code code = never_of(policy, share, &asks[i]);

		if (qs_submit_sooner(code, first)) {
			first = code;
			*failing = i;
		}
	}
	return first;
}

static void say_types(const struct qs_policy *policy, int share, char *text,
		      size_t size)
{
	const char *sep = "";

	for (int t = 0; t < policy->ntypes; t++) {
		if (!qs_policy_quota(policy, share, t)->listed)
			continue;
		qs_text_say(text, size, "%s%s", sep,
			    policy->types[t].gres.items[0]);
		sep = ", ";
	}
}

void qs_submit_never_text(const struct qs_policy *policy, int share,
			  enum qs_code code, const char *type_name,
			  const struct qs_ask *ask, char *text, size_t size)
{
	const struct qs_share *s = &policy->shares[share];
	long long gpus = (long long)ask->gpus, most = 0, pool = 0, capacity = 0;
	long long lendable = 0;

	text[0] = '\0';
	if (code == QS_CODE_UNKNOWN_TYPE) {
		qs_text_say(text, size,
			    "quota share %s has no GPU type %s; it can use: ",
			    s->name, type_name);
		say_types(policy, share, text, size);
		return;
	}
	if (ask->type >= 0) {
		int64_t limit = qs_policy_limit(policy, share, ask->type);

		capacity = qs_policy_quota(policy, share, ask->type)->capacity;
		pool = (long long)qs_policy_pool(policy, s->queue, ask->type);
		lendable = (long long)lendable_max(policy, share, ask->type);
		most = capacity + lendable;
		if (limit < most)
			most = (long long)limit;
		if (pool < most)
			most = pool;
	}
	switch (code) {
	case QS_CODE_OVER_QUEUE:
		qs_text_say(text, size,
			    AWS_OVER_QUEUE
			    " The job asks for %lld %s, queue %s has "
			    "%lld.",
			    gpus, type_name, policy->queues[s->queue].name,
			    pool);
		break;
	case QS_CODE_OVER_LIMIT:
		qs_text_say(text, size,
			    AWS_OVER_LIMIT
			    " The job asks for %lld %s, quota share %s "
			    "(%s) has a limit of %lld.",
			    gpus, type_name, s->name,
			    qs_strategy_name(s->strategy), capacity);
		break;
	case QS_CODE_OVER_BORROW_LIMIT:
		qs_text_say(
			text, size,
			AWS_OVER_BORROW_LIMIT
			" The job asks for %lld %s, quota "
			"share %s owns %lld and may use at "
			"most %lld with what it borrows.",
			gpus, type_name, s->name, capacity,
			(long long)qs_policy_limit(policy, share, ask->type));
		break;
	case QS_CODE_OVER_LENDABLE:
		qs_text_say(text, size,
			    AWS_OVER_LENDABLE
			    " The job asks for %lld %s, quota share "
			    "%s owns %lld and the others lend at "
			    "most %lld.",
			    gpus, type_name, s->name, capacity, lendable);
		break;
	default:
		return;
	}
	qs_text_say(text, size, " Ask for at most %lld %s.", most, type_name);
}

enum qs_outcome qs_submit_outcome(const struct qs_policy *policy, int share,
				  const struct qs_opt *retries,
				  uint32_t preempted, bool requeue)
{
	struct qs_opt limit = *retries;

	if (!requeue)
		return QS_OUTCOME_CANCEL;
	if (!limit.set && share >= 0)
		limit = policy->shares[share].preempt_retries;
	/* preempted counts those that were; this one is number preempted+1 */
	if (limit.set && (int64_t)preempted >= limit.value)
		return QS_OUTCOME_TERMINATE;
	return QS_OUTCOME_REQUEUE;
}
