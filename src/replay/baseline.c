/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.c - see baseline.h
 */
#include "replay/baseline.h"

void qs_baseline_rigid(struct qs_policy *policy)
{
	struct qs_opt unset = { false, 0 };

	for (int s = 0; s < policy->nshares; s++) {
		policy->shares[s].strategy = QS_STRATEGY_RESERVE;
		policy->shares[s].borrow_limit = unset;
		for (int t = 0; t < policy->ntypes; t++) {
			struct qs_quota *quota =
				&policy->quotas[s * policy->ntypes + t];

			quota->borrow_gpus = quota->lend_limit = unset;
		}
	}
}

static bool is_first(const struct qs_policy *policy, int share)
{
	for (int s = 0; s < share; s++) {
		if (policy->shares[s].queue == policy->shares[share].queue)
			return false;
	}
	return true;
}

void qs_baseline_pool(struct qs_policy *policy, enum qs_order order)
{
	qs_baseline_rigid(policy);
	for (int q = 0; q < policy->nqueues; q++)
		policy->queues[q].in_share_order = order;
	/* From the last to the first: a pool is the sum of what is owned. */
	for (int s = policy->nshares - 1; s >= 0; s--) {
		for (int t = 0; t < policy->ntypes; t++) {
			struct qs_quota *quota =
				&policy->quotas[s * policy->ntypes + t];
			int queue = policy->shares[s].queue;
			int64_t pool = qs_policy_pool(policy, queue, t);

			if (!is_first(policy, s))
				continue;
			for (int o = s; o < policy->nshares; o++) {
				struct qs_quota *other =
					&policy->quotas[o * policy->ntypes + t];

				if (policy->shares[o].queue != queue)
					continue;
				quota->listed |= other->listed;
				other->capacity = 0;
			}
			quota->capacity = (uint32_t)pool;
		}
	}
}
