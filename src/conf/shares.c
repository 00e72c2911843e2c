/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares.c - the shares of a policy, and what each owns
 *
 * Called by reader.c when types and queues are there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "conf/reader.h"

static struct qs_quota *quota_of(struct qs_reader *reader, int share, int type)
{
	struct qs_policy *policy = reader->policy;

	return &policy->quotas[(size_t)share * (size_t)policy->ntypes +
			       (size_t)type];
}

static int set_capacity(struct qs_reader *reader,
			const struct qs_record *record,
			const struct qs_token *token, int type,
			const char *name, uint32_t count, void *arg)
{
	struct qs_quota *quota = quota_of(reader, *(const int *)arg, type);

	(void)record;
	(void)token;
	(void)name;
	quota->listed = true;
	quota->capacity = count;
	return 0;
}

/* A type of BorrowGpus or LendLimit that the share does not list. */
static int not_listed(struct qs_reader *reader, const struct qs_record *record,
		      const struct qs_token *token, const char *name)
{
	struct qs_place at = qs_record_place(record, token);
	char problem[QS_WORD_MAX + 64];

	snprintf(problem, sizeof(problem),
		 "%.200s is not in the share's Capacity", name);
	return qs_error_set(reader->err, &at, problem, NULL,
			    "types of the share's Capacity, which may say "
			    "TYPE:0 for a type that is only borrowed");
}

static int set_borrow(struct qs_reader *reader, const struct qs_record *record,
		      const struct qs_token *token, int type, const char *name,
		      uint32_t count, void *arg)
{
	struct qs_quota *quota =
		type < 0 ? NULL : quota_of(reader, *(const int *)arg, type);

	if (!quota || !quota->listed)
		return not_listed(reader, record, token, name);
	quota->borrow_gpus = (struct qs_opt){ true, count };
	return 0;
}

static int set_lend(struct qs_reader *reader, const struct qs_record *record,
		    const struct qs_token *token, int type, const char *name,
		    uint32_t count, void *arg)
{
	struct qs_quota *quota =
		type < 0 ? NULL : quota_of(reader, *(const int *)arg, type);

	if (!quota || !quota->listed)
		return not_listed(reader, record, token, name);
	quota->lend_limit = (struct qs_opt){ true, count };
	return 0;
}

static int check_zero(struct qs_reader *reader, const struct qs_record *record,
		      const struct qs_token *token, int type, const char *name,
		      uint32_t count, void *arg)
{
	struct qs_place at = qs_record_place(record, token);
	char problem[QS_WORD_MAX + 64];

	if (count || quota_of(reader, *(const int *)arg, type)->borrow_gpus.set)
		return 0;
	snprintf(problem, sizeof(problem), "%.200s:0 without BorrowGpus", name);
	return qs_error_set(reader->err, &at, problem, NULL,
			    "a count of 1 or more, or BorrowGpus=%.80s:COUNT "
			    "in the same line",
			    name);
}

/* Keys that only some strategies know (R3, R3a). */
static int check_strategy(struct qs_reader *reader,
			  const struct qs_record *record,
			  const struct qs_share *share)
{
	static const char *const borrowing[] = { "BorrowLimit", "BorrowGpus",
						 NULL };
	const struct qs_token *token;
	struct qs_place at;
	char problem[64];

	snprintf(problem, sizeof(problem), "the share is %s",
		 qs_strategy_name(share->strategy));
	for (int i = 0; borrowing[i]; i++) {
		token = qs_record_get(record, borrowing[i]);
		if (!token || share->strategy == QS_STRATEGY_LEND_AND_BORROW)
			continue;
		at = qs_record_place(record, token);
		return qs_error_set(reader->err, &at, problem, NULL,
				    "%s with Strategy=LEND_AND_BORROW only",
				    borrowing[i]);
	}
	token = qs_record_get(record, "LendLimit");
	if (token && share->strategy == QS_STRATEGY_RESERVE) {
		at = qs_record_place(record, token);
		return qs_error_set(reader->err, &at, problem, NULL,
				    "LendLimit with a Strategy that lends");
	}
	return 0;
}

static int set_queue(struct qs_reader *reader, const struct qs_record *record,
		     struct qs_share *share)
{
	const struct qs_policy *policy = reader->policy;
	const struct qs_token *token = qs_record_get(record, "Queue");
	struct qs_place at =
		qs_record_place(record, token ? token : &record->tokens[0]);
	struct qs_nearest nearest;

	if (!token && policy->nqueues > 1)
		return qs_error_set(reader->err, &at, "it names no queue", NULL,
				    "Queue= in each Share line where "
				    "there are several queues");
	share->queue = token ? qs_policy_find_queue(policy, token->value) : 0;
	if (share->queue >= 0)
		return 0;
	qs_nearest_init(&nearest, token->value);
	for (int q = 0; q < policy->nqueues; q++)
		qs_nearest_offer(&nearest, policy->queues[q].name);
	return qs_error_set(reader->err, &at, "there is no such queue",
			    qs_nearest_get(&nearest),
			    "the name of a Queue line");
}

static int fill(struct qs_reader *reader, const struct qs_record *record,
		struct qs_share *share)
{
	share->line = record->line;
	share->strategy = (enum qs_strategy)qs_record_choice(
		record, "Strategy", qs_words_strategy, 0);
	share->borrow_limit = qs_record_opt(record, "BorrowLimit");
	share->in_share_preemption =
		qs_record_choice(record, "InSharePreemption",
				 qs_words_preemption, 0) < 2;
	share->enabled = !qs_record_choice(record, "State", qs_words_state, 0);
	share->min_runtime_sec =
		(uint32_t)qs_record_number(record, "MinRuntime", 0);
	share->grace_sec = qs_record_opt(record, "GraceTime");
	share->preempt_retries = qs_record_opt(record, "PreemptRetries");
	share->max_user_priority = (uint32_t)qs_record_number(
		record, "MaxUserPriority", QS_PRIORITY_MAX);
	if (qs_reader_string(reader, record, "Share", &share->name) ||
	    qs_reader_string(reader, record, "Owner", &share->owner) ||
	    qs_reader_string(reader, record, "Note", &share->note) ||
	    qs_reader_names(reader, record, "Accounts", &share->accounts) ||
	    set_queue(reader, record, share))
		return -1;
	return check_strategy(reader, record, share);
}

/* Slurm keeps accounts in lower case: two spellings are one account (R1). */
static int check_accounts(struct qs_reader *reader, int s)
{
	const struct qs_policy *policy = reader->policy;
	const struct qs_share *share = &policy->shares[s];
	const struct qs_record *record = reader->share_records[s];
	const struct qs_token *token = qs_record_get(record, "Accounts");
	struct qs_place at;

	if (!token)
		return 0;
	at = qs_record_place(record, token);
	for (size_t i = 0; i < share->accounts.n; i++) {
		const char *name = share->accounts.items[i];

		if (qs_names_find_nocase(&share->accounts, name) != (int)i)
			return qs_error_set(reader->err, &at,
					    "an account is there twice", NULL,
					    "each account once; %.80s is there "
					    "in two spellings, and accounts "
					    "have no case",
					    name);
		for (int o = 0; o < s; o++) {
			if (policy->shares[o].queue != share->queue ||
			    qs_names_find_nocase(&policy->shares[o].accounts,
						 name) < 0)
				continue;
			return qs_error_set(reader->err, &at,
					    "an account of two shares", NULL,
					    "accounts that no other share of "
					    "the queue has; share %s has %.80s",
					    policy->shares[o].name, name);
		}
	}
	return 0;
}

static int fill_quotas(struct qs_reader *reader, int s)
{
	const struct qs_record *record = reader->share_records[s];

	if (qs_reader_counts(reader, record, "Capacity", set_capacity, &s) ||
	    qs_reader_counts(reader, record, "BorrowGpus", set_borrow, &s) ||
	    qs_reader_counts(reader, record, "LendLimit", set_lend, &s))
		return -1;
	return qs_reader_counts(reader, record, "Capacity", check_zero, &s);
}

static const char *queue_name(const struct qs_record *record)
{
	const struct qs_token *token = qs_record_get(record, "Queue");

	return token ? token->value : "";
}

static int by_queue_and_name(const void *a, const void *b)
{
	const struct qs_record *ra = *(const struct qs_record *const *)a;
	const struct qs_record *rb = *(const struct qs_record *const *)b;
	int order = strcmp(queue_name(ra), queue_name(rb));

	return order ? order : strcmp(ra->tokens[0].value, rb->tokens[0].value);
}

int qs_reader_shares(struct qs_reader *reader)
{
	struct qs_policy *policy = reader->policy;
	size_t cells;
	int n;

	if (qs_reader_collect(reader, QS_KIND_SHARE, &reader->share_records,
			      &n))
		return -1;
	/* with one queue the order is the names' whether it is named or not */
	if (policy->nqueues > 1 && n)
		qsort(reader->share_records, (size_t)n,
		      sizeof(*reader->share_records), by_queue_and_name);
	policy->shares = calloc(n ? (size_t)n : 1, sizeof(*policy->shares));
	cells = (size_t)n * (size_t)policy->ntypes;
	policy->quotas = calloc(cells ? cells : 1, sizeof(*policy->quotas));
	if (!policy->shares || !policy->quotas)
		return qs_error_memory(reader->err);
	policy->nshares = n;
	for (int s = 0; s < n; s++)
		if (fill(reader, reader->share_records[s],
			 &policy->shares[s]) ||
		    fill_quotas(reader, s) || check_accounts(reader, s))
			return -1;
	return 0;
}
