/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.h - the plain ways to divide a cluster, made of a policy
 *
 * What sharing is compared with. Both change a policy in place; it stays valid.
 */
#ifndef QS_BASELINE_H
#define QS_BASELINE_H

#include "engine/policy.h"

/* Rigid partitions: each share has what it owns, nothing is lent. */
void qs_baseline_rigid(struct qs_policy *policy);
/* One pool without shares: the first share of each queue owns all of it, and
 * serves first come first served (STRICT), or whoever fits (BEST_EFFORT). To
 * be used with qs_sim_wish.one_pool. */
void qs_baseline_pool(struct qs_policy *policy, enum qs_order order);

#endif
