/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kueue_notes.c - where a policy in Kueue does not mean the same
 *
 * Called by kueue.c. Never blocks. First what is so for any policy, then what
 * this one has and Kueue does not.
 */
#include <inttypes.h>
#include <string.h>

#include "aws/kueue.h"

/* Of the queue at hand. */
struct writer {
	const struct qs_policy *policy;
	struct qs_notes *notes;
	int queue;
	const char *name;
};

#define LOST(w, share, key, ...)                                      \
	qs_notes_add((w)->notes, QS_NOTE_LOST, (w)->name, share, key, \
		     __VA_ARGS__)
#define REMARK(w, share, key, ...)                                      \
	qs_notes_add((w)->notes, QS_NOTE_REMARK, (w)->name, share, key, \
		     __VA_ARGS__)

static void note_always(const struct writer *w)
{
	REMARK(w, NULL, "Accounts",
	       "an account is a namespace of its name here; each needs a "
	       "LocalQueue that points to the share's ClusterQueue, and "
	       "accounts below an account must be named too");
	REMARK(w, NULL, "GpuType",
	       "the ResourceFlavors have no nodeLabels: any node fits until "
	       "they name the labels of yours");
	REMARK(w, NULL, "Capacity",
	       "only nvidia.com/gpu is counted: cpu and memory need "
	       "excludeResourcePrefixes in Kueue's configuration, or quotas "
	       "of their own");
	REMARK(w, NULL, "VictimOrder",
	       "Kueue chooses whom to evict by priority and age, not by R10; "
	       "it counts quota, not nodes, so an eviction need not help");
	REMARK(w, NULL, "GraceTime",
	       "a pod's terminationGracePeriodSeconds says it");
}

static void note_pool(const struct writer *w)
{
	for (int t = 0; t < w->policy->ntypes; t++) {
		int64_t pool = qs_policy_pool(w->policy, w->queue, t);
		int64_t owned = qs_policy_promised(w->policy, w->queue, t);

		if (pool > owned)
			LOST(w, NULL, "Capacity",
			     "%" PRId64 " %.80s belong to no share and are not "
			     "lent; Kueue would lend a Cohort's own quota, so "
			     "it has none",
			     pool - owned, w->policy->types[t].name);
		else if (pool < owned)
			LOST(w, NULL, "Capacity",
			     "the pool has %" PRId64 " %.80s, its shares own "
			     "%" PRId64 "; Kueue believes the shares",
			     pool, w->policy->types[t].name, owned);
	}
}

static void note_queue(const struct writer *w)
{
	const struct qs_queue *queue = &w->policy->queues[w->queue];
	const enum qs_victim_step *order = queue->victim_order;

	if (w->policy->mode == QS_MODE_OBSERVE)
		LOST(w, NULL, "Mode", "Kueue will enforce at once");
	if (!w->policy->admin_comment)
		LOST(w, NULL, "AdminComment", "Kueue has no accounting");
	if (queue->partitions.n)
		LOST(w, NULL, "Partitions", "Kubernetes has none");
	if (!queue->enabled)
		REMARK(w, NULL, "State",
		       "stopPolicy Hold also holds what waits already");
	if (queue->default_share >= 0)
		REMARK(w, NULL, "DefaultShare",
		       "share %s takes all namespaces; each still needs its "
		       "LocalQueue",
		       w->policy->shares[queue->default_share].name);
	if (queue->untyped >= 0)
		REMARK(w, NULL, "UntypedGpus",
		       "a pod that names no type gets the first flavor with "
		       "quota, in the order of the list");
	if (!queue->never_fits_rejects)
		LOST(w, NULL, "NeverFits", "what never fits waits in any case");
	else
		REMARK(w, NULL, "NeverFits",
		       "what never fits is not refused, it waits");
	if (queue->in_share_order == QS_ORDER_STRICT)
		REMARK(w, NULL, "InShareOrder",
		       "StrictFIFO holds up jobs of other types too");
	if (queue->idle_assignment == QS_ASSIGN_FAIR)
		LOST(w, NULL, "IdleResourceAssignment",
		     "FAIR is Kueue's fair sharing, to be switched on in its "
		     "configuration");
	if (order[0] != QS_VICTIM_PRIORITY || order[1] != QS_VICTIM_FIT)
		LOST(w, NULL, "VictimOrder", "it cannot be chosen");
	if (queue->claim_timeout_sec != 120)
		LOST(w, NULL, "ClaimTimeout", "it cannot be chosen");
	if (!queue->non_requeue_borrow)
		LOST(w, NULL, "NonRequeueBorrow", "Kueue requeues all");
}

static bool has_percentage(const struct qs_share *share)
{
	return share->strategy == QS_STRATEGY_LEND_AND_BORROW &&
	       share->borrow_limit.set && share->borrow_limit.value > 0;
}

static void note_share(const struct writer *w, const struct qs_share *share)
{
	const char *name = share->name;

	if (has_percentage(share))
		REMARK(w, name, "BorrowLimit",
		       "%" PRId64 " %% are a number of GPUs here, which does "
		       "not follow the share's capacity",
		       share->borrow_limit.value);
	if (!share->enabled)
		REMARK(w, name, "State",
		       "stopPolicy Hold also holds what waits already");
	if (share->min_runtime_sec)
		LOST(w, name, "MinRuntime", "Kueue may evict at any time");
	if (share->grace_sec.set)
		LOST(w, name, "GraceTime", "it is said in the pods");
	if (share->preempt_retries.set)
		LOST(w, name, "PreemptRetries",
		     "Kueue requeues an evicted workload without limit");
	if (share->max_user_priority != QS_PRIORITY_MAX)
		LOST(w, name, "MaxUserPriority",
		     "it is said in WorkloadPriorityClasses and who may use "
		     "them");
	if (!share->accounts.n && w->policy->queues[w->queue].default_share < 0)
		REMARK(w, name, "Accounts",
		       "it has none, so no namespace is selected");
}

void qs_kueue_notes(const struct qs_policy *policy, int queue,
		    struct qs_notes *notes)
{
	const struct writer w = { policy, notes, queue,
				  policy->queues[queue].name };

	note_always(&w);
	note_pool(&w);
	note_queue(&w);
	for (int s = 0; s < policy->nshares; s++)
		if (policy->shares[s].queue == queue)
			note_share(&w, &policy->shares[s]);
}
