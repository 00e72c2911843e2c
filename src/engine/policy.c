/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.c - look-ups and arithmetic on the agreement
 *
 * Called by everybody, also under a scheduler's locks: nothing here blocks, and
 * only qs_policy_new() allocates. Look-ups by name are linear: policies have
 * tens of shares and nobody looks up names in a hot place.
 */
#include "policy.h"

#include <stdlib.h>
#include <string.h>

struct qs_policy *qs_policy_new(void)
{
	struct qs_policy *policy = calloc(1, sizeof(*policy));

	if (policy)
		policy->admin_comment = true;
	return policy;
}

static void names_free(struct qs_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
}

void qs_policy_free(struct qs_policy *policy)
{
	if (!policy)
		return;
	for (int i = 0; i < policy->ntypes; i++) {
		free(policy->types[i].name);
		names_free(&policy->types[i].gres);
		free(policy->types[i].instance);
	}
	for (int i = 0; i < policy->nqueues; i++) {
		free(policy->queues[i].name);
		names_free(&policy->queues[i].partitions);
		free(policy->queues[i].capacity);
	}
	for (int i = 0; i < policy->nshares; i++) {
		free(policy->shares[i].name);
		names_free(&policy->shares[i].accounts);
		free(policy->shares[i].owner);
		free(policy->shares[i].note);
	}
	free(policy->types);
	free(policy->queues);
	free(policy->shares);
	free(policy->quotas);
	free(policy->audit_log);
	free(policy->event_log);
	free(policy);
}

static bool names_have(const struct qs_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (!strcmp(names->items[i], name))
			return true;
	}
	return false;
}

int qs_policy_find_share(const struct qs_policy *policy, const char *name)
{
	for (int i = 0; i < policy->nshares; i++) {
		if (!strcmp(policy->shares[i].name, name))
			return i;
	}
	return -1;
}

int qs_policy_find_queue(const struct qs_policy *policy, const char *name)
{
	for (int i = 0; i < policy->nqueues; i++) {
		if (!strcmp(policy->queues[i].name, name))
			return i;
	}
	return -1;
}

int qs_policy_find_type(const struct qs_policy *policy, const char *name)
{
	for (int i = 0; i < policy->ntypes; i++) {
		if (!strcmp(policy->types[i].name, name))
			return i;
	}
	return -1;
}

int qs_policy_find_gres(const struct qs_policy *policy, const char *gres_type)
{
	for (int i = 0; i < policy->ntypes; i++) {
		if (names_have(&policy->types[i].gres, gres_type))
			return i;
	}
	return -1;
}

int qs_policy_queue_of(const struct qs_policy *policy, const char *partition)
{
	for (int i = 0; i < policy->nqueues; i++) {
		if (!policy->queues[i].partitions.n ||
		    names_have(&policy->queues[i].partitions, partition))
			return i;
	}
	return -1;
}

int64_t qs_policy_limit(const struct qs_policy *policy, int share, int type)
{
	const struct qs_share *s = &policy->shares[share];
	const struct qs_quota *quota = qs_policy_quota(policy, share, type);
	int64_t capacity = quota->capacity;

	if (!quota->listed)
		return 0;
	if (s->strategy != QS_STRATEGY_LEND_AND_BORROW)
		return capacity;
	/* R3a replaces R3's percentage for this type. */
	if (quota->borrow_gpus.set)
		return capacity + quota->borrow_gpus.value;
	if (!s->borrow_limit.set || s->borrow_limit.value == QS_UNLIMITED)
		return INT64_MAX;
	return capacity + capacity * s->borrow_limit.value / 100;
}

int64_t qs_policy_lends(const struct qs_policy *policy, int share, int type)
{
	const struct qs_quota *quota = qs_policy_quota(policy, share, type);

	if (!quota->listed ||
	    policy->shares[share].strategy == QS_STRATEGY_RESERVE)
		return 0;
	if (quota->lend_limit.set && quota->lend_limit.value < quota->capacity)
		return quota->lend_limit.value;
	return quota->capacity;
}

int64_t qs_policy_promised(const struct qs_policy *policy, int queue, int type)
{
	int64_t sum = 0;

	for (int s = 0; s < policy->nshares; s++) {
		if (policy->shares[s].queue == queue)
			sum += qs_policy_quota(policy, s, type)->capacity;
	}
	return sum;
}

int64_t qs_policy_pool(const struct qs_policy *policy, int queue, int type)
{
	const struct qs_opt *capacity = policy->queues[queue].capacity;

	if (capacity && capacity[type].set)
		return capacity[type].value;
	return qs_policy_promised(policy, queue, type);
}

uint32_t qs_policy_grace(const struct qs_policy *policy, int share)
{
	const struct qs_share *s = &policy->shares[share];

	if (s->grace_sec.set)
		return (uint32_t)s->grace_sec.value;
	return policy->queues[s->queue].grace_sec;
}

const char *qs_strategy_name(enum qs_strategy strategy)
{
	switch (strategy) {
	case QS_STRATEGY_RESERVE:
		return "RESERVE";
	case QS_STRATEGY_LEND:
		return "LEND";
	case QS_STRATEGY_LEND_AND_BORROW:
		return "LEND_AND_BORROW";
	}
	return "?";
}
