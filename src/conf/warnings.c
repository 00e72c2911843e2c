/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.c - what a policy may say, but hardly means
 *
 * Called by reader.c when the policy is sealed and good. Changes nothing.
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "conf/reader.h"

#define WARN(reader, record, ...)                                           \
	qs_warnings_add((reader)->warnings, (record)->file, (record)->line, \
			__VA_ARGS__)

/* R17, and what belongs to nobody and is therefore never lent (R6). */
static void warn_pool(struct qs_reader *reader, int q)
{
	const struct qs_policy *policy = reader->policy;
	const struct qs_queue *queue = &policy->queues[q];
	const struct qs_record *record = reader->queue_records[q];

	for (int t = 0; t < policy->ntypes; t++) {
		int64_t has = queue->capacity[t].value;
		int64_t promised = qs_policy_promised(policy, q, t);
		const char *type = policy->types[t].name;

		if (!queue->capacity[t].set || promised == has)
			continue;
		if (promised > has)
			WARN(reader, record,
			     "queue %s: its shares own %" PRId64 " %.80s, but "
			     "its Capacity is %" PRId64 ": an owner may wait "
			     "for GPUs that are not there (R17)",
			     queue->name, promised, type, has);
		else
			WARN(reader, record,
			     "queue %s: %" PRId64 " %.80s of its Capacity "
			     "belong to no share and are not lent (R6)",
			     queue->name, has - promised, type);
	}
}

static void warn_queue(struct qs_reader *reader, int q)
{
	const struct qs_policy *policy = reader->policy;
	const struct qs_queue *queue = &policy->queues[q];
	const struct qs_record *record = reader->queue_records[q];
	int shares = 0;

	for (int s = 0; s < policy->nshares; s++)
		shares += policy->shares[s].queue == q;
	if (!shares)
		WARN(reader, record,
		     "queue %s has no share: all its GPU jobs are refused",
		     queue->name);
	if (queue->default_share >= 0 &&
	    !policy->shares[queue->default_share].enabled)
		WARN(reader, record,
		     "queue %s: its DefaultShare %s is DISABLED", queue->name,
		     policy->shares[queue->default_share].name);
	if (!queue->claim_timeout_sec)
		WARN(reader, record,
		     "queue %s: with ClaimTimeout=0 a freed place is not kept "
		     "for the job it was freed for (R9)",
		     queue->name);
	warn_pool(reader, q);
}

/* May another share of the queue use what this one lends? */
static bool has_borrower(const struct qs_policy *policy, int lender, int type)
{
	for (int s = 0; s < policy->nshares; s++)
		if (s != lender &&
		    policy->shares[s].queue == policy->shares[lender].queue &&
		    qs_policy_limit(policy, s, type) >
			    qs_policy_quota(policy, s, type)->capacity)
			return true;
	return false;
}

static bool has_lender(const struct qs_policy *policy, int borrower, int type)
{
	for (int s = 0; s < policy->nshares; s++)
		if (s != borrower &&
		    policy->shares[s].queue == policy->shares[borrower].queue &&
		    qs_policy_lends(policy, s, type) > 0)
			return true;
	return false;
}

static bool wants(const struct qs_policy *policy, int s, int t)
{
	const struct qs_share *share = &policy->shares[s];
	const struct qs_quota *quota = qs_policy_quota(policy, s, t);

	if (!quota->listed || share->strategy != QS_STRATEGY_LEND_AND_BORROW)
		return false;
	if (quota->borrow_gpus.set)
		return quota->borrow_gpus.value > 0;
	return !share->borrow_limit.set || share->borrow_limit.value != 0;
}

static void warn_quota(struct qs_reader *reader, int s, int t)
{
	const struct qs_policy *policy = reader->policy;
	const struct qs_share *share = &policy->shares[s];
	const struct qs_quota *quota = qs_policy_quota(policy, s, t);
	const struct qs_record *record = reader->share_records[s];
	const char *type = policy->types[t].name;
	int64_t limit = qs_policy_limit(policy, s, t);

	if (!limit)
		WARN(reader, record, "share %s can never use a %.80s GPU",
		     share->name, type);
	else if (wants(policy, s, t) && limit == quota->capacity)
		WARN(reader, record,
		     "share %s borrows no %.80s: %" PRId64 " %% of %" PRIu32
		     " is less than one GPU (R3)",
		     share->name, type, share->borrow_limit.value,
		     quota->capacity);
	else if (quota->borrow_gpus.set && !has_lender(policy, s, t))
		WARN(reader, record,
		     "share %s: no other share lends the %.80s GPUs of its "
		     "BorrowGpus",
		     share->name, type);
	if (quota->lend_limit.set && quota->lend_limit.value > quota->capacity)
		WARN(reader, record,
		     "share %s: LendLimit=%.80s:%" PRId64 " is more than it "
		     "owns (%" PRIu32 ")",
		     share->name, type, quota->lend_limit.value,
		     quota->capacity);
}

/* Said of a share only if it is so for all of its types: strategy and
 * BorrowLimit cannot be given type by type. */
static void warn_strategy(struct qs_reader *reader, int s)
{
	const struct qs_policy *policy = reader->policy;
	const struct qs_share *share = &policy->shares[s];
	int borrows = 0, borrowed = 0, lends = 0, lent = 0;

	for (int t = 0; t < policy->ntypes; t++) {
		if (wants(policy, s, t)) {
			borrows++;
			borrowed += has_lender(policy, s, t);
		}
		if (qs_policy_lends(policy, s, t)) {
			lends++;
			lent += has_borrower(policy, s, t);
		}
	}
	if (borrows && !borrowed)
		WARN(reader, reader->share_records[s],
		     "share %s may borrow, but no other share of its queue "
		     "lends what it could use",
		     share->name);
	if (lends && !lent && share->strategy == QS_STRATEGY_LEND)
		WARN(reader, reader->share_records[s],
		     "share %s lends, but no other share of its queue may "
		     "borrow what it has",
		     share->name);
}

static void warn_share(struct qs_reader *reader, int s)
{
	const struct qs_policy *policy = reader->policy;
	const struct qs_share *share = &policy->shares[s];

	if (!share->accounts.n &&
	    policy->queues[share->queue].default_share != s)
		WARN(reader, reader->share_records[s],
		     "share %s has no Accounts and is not the DefaultShare of "
		     "its queue: no job can be in it (R1)",
		     share->name);
	warn_strategy(reader, s);
	for (int t = 0; t < policy->ntypes; t++)
		if (qs_policy_quota(policy, s, t)->listed)
			warn_quota(reader, s, t);
}

static void warn_types(struct qs_reader *reader)
{
	const struct qs_policy *policy = reader->policy;

	for (int t = 0; t < policy->ntypes; t++)
		for (int o = 0; o < t; o++) {
			const struct qs_type *a = &policy->types[o];
			const struct qs_type *b = &policy->types[t];

			if (!strcasecmp(a->name, b->name))
				qs_warnings_add(reader->warnings, NULL, 0,
						"types %.80s and %.80s differ "
						"in case only, and are two "
						"types (R2c)",
						a->name, b->name);
			if (a->instance && b->instance &&
			    !strcmp(a->instance, b->instance))
				qs_warnings_add(reader->warnings, NULL, 0,
						"types %.80s and %.80s have "
						"the same Instance %.80s",
						a->name, b->name, a->instance);
		}
}

void qs_reader_warn(struct qs_reader *reader)
{
	if (!reader->warnings)
		return;
	warn_types(reader);
	for (int q = 0; q < reader->policy->nqueues; q++)
		warn_queue(reader, q);
	for (int s = 0; s < reader->policy->nshares; s++)
		warn_share(reader, s);
}
