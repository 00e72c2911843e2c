/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.c - how many GPUs of a type are in service, to the event log
 *
 * Called by our thread after each look. Nodes have no callback that tells of
 * them, so what a look counts is compared with what was told last. Blocks on the
 * file system. Its surprise: what changes within some seconds of a line is told
 * later and in one, so that nodes that come back one by one, or one that goes up
 * and down, fill no log.
 */
#include "runtime/events.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/answer.h"
#include "runtime/inner.h"
#include "runtime/mix.h"

#define TELL_SEC 5 /* between two lines about changes at least */

/* GPUs by [queue * types + type] of the policy of the last view. */
struct counts {
	int n;
	int64_t gpus[];
};

struct change {
	int at;
	int64_t before, now;
};

/* Under qs_rt.lock. */
static struct counts *told;
static uint64_t signature;
static int64_t told_at; /* qs_tick() */

/* Of all that the counts follow from, for less than they cost. */
static uint64_t sign(const struct qs_view *view)
{
	const struct qs_snapshot *snap = view->snap;
	uint64_t sum = qs_mix(UINT64_C(0xcbf29ce484222325), qs_rt.generation);
	size_t T = (size_t)view->policy->ntypes;
	bool drains = false;

	for (uint32_t i = 0; i < snap->nnodes; i++) {
		const struct qs_node *node = &snap->nodes[i];

		sum = qs_mix(sum, (uint64_t)node->state << 32 |
					  (uint32_t)node->queue);
		for (size_t t = 0; t < T; t++)
			sum = qs_mix(sum, snap->node_gpus[i * T + t]);
		drains |= node->state == QS_NODE_DRAIN;
	}
	for (uint32_t i = 0; drains && i < snap->nplaced; i++) {
		const struct qs_placed *p = &snap->placed[i];

		if (snap->nodes[p->node].state == QS_NODE_DRAIN)
			sum = qs_mix(qs_mix(sum, p->node),
				     (uint64_t)p->type << 32 | p->gpus);
	}
	return sum;
}

static struct counts *count(const struct qs_view *view)
{
	int T = view->policy->ntypes, n = view->policy->nqueues * T;
	struct counts *now =
		calloc(1, sizeof(*now) + sizeof(now->gpus[0]) * (size_t)n);

	if (!now)
		return NULL;
	now->n = n;
	for (int i = 0; i < n; i++)
		now->gpus[i] = qs_answer_in_service(view, i / T, i % T);
	return now;
}

/* What was told, by the numbers that queues and types have in another policy.
 * Of what is new in it nothing was told: it is as it is now. */
static struct counts *renumber(const struct counts *was,
			       const struct qs_policy *old,
			       const struct qs_policy *new,
			       const struct counts *now)
{
	size_t size = sizeof(*now) + sizeof(now->gpus[0]) * (size_t)now->n;
	struct counts *copy = malloc(size);

	if (!copy)
		return NULL;
	memcpy(copy, now, size);
	for (int i = 0; i < copy->n; i++) {
		int q = qs_policy_find_queue(old,
					     new->queues[i / new->ntypes].name);
		int t = qs_policy_find_type(old,
					    new->types[i % new->ntypes].name);

		if (q >= 0 && t >= 0 && q * old->ntypes + t < was->n)
			copy->gpus[i] = was->gpus[q * old->ntypes + t];
	}
	return copy;
}

/* Is there anything to count? Forgets what was told where nodes have not
 * registered yet: these have not gone. */
static bool has_changed(bool other_policy, uint64_t sum)
{
	bool changed = false;

	slurm_mutex_lock(&qs_rt.lock);
	if (qs_rt.settling)
		qs_service_clear();
	else
		changed = !told || other_policy || sum != signature;
	slurm_mutex_unlock(&qs_rt.lock);
	return changed;
}

/* What differs from what was told, which it is then: *now is taken. The caller's
 * (free); NULL if nothing is to be told yet. qs_rt.lock held. */
static struct change *take(struct counts **now, uint64_t sum, uint32_t *n)
{
	struct change *changes;

	if (told && (*now)->n == told->n && told_at &&
	    qs_tick() < told_at + TELL_SEC)
		return NULL;
	changes = calloc((size_t)(*now)->n + 1, sizeof(*changes));
	for (int i = 0; changes && told && (*now)->n == told->n && i < told->n;
	     i++)
		if ((*now)->gpus[i] != told->gpus[i])
			changes[(*n)++] = (struct change){ i, told->gpus[i],
							   (*now)->gpus[i] };
	if (!changes)
		return NULL;
	free(told);
	told = *now;
	*now = NULL;
	signature = sum;
	if (*n)
		told_at = qs_tick();
	return changes;
}

static void log_change(const struct qs_policy *policy,
		       const struct change *change)
{
	int queue = change->at / policy->ntypes;
	int type = change->at % policy->ntypes;

	/* Names of queues and types need no escapes. */
	qs_log_line(QS_LOG_EVENT, "service_changed",
		    ",\"queue\":\"%s\",\"type\":\"%s\",\"before\":%" PRId64
		    ",\"in_service\":%" PRId64 ",\"capacity\":%" PRId64,
		    policy->queues[queue].name, policy->types[type].name,
		    change->before, change->now,
		    qs_policy_pool(policy, queue, type));
}

void qs_service_note(const struct qs_view *old, const struct qs_view *view)
{
	bool other = old && old->policy != view->policy;
	uint64_t sum = sign(view);
	struct counts *now, *same;
	struct change *changes;
	uint32_t n = 0;

	/* Counted without the lock, for which callbacks may wait. */
	if (!has_changed(other, sum) || !(now = count(view)))
		return;
	slurm_mutex_lock(&qs_rt.lock);
	if (told && other) {
		same = renumber(told, old->policy, view->policy, now);
		free(told);
		told = same;
	}
	changes = take(&now, sum, &n);
	slurm_mutex_unlock(&qs_rt.lock);
	free(now);
	for (uint32_t i = 0; i < n; i++)
		log_change(view->policy, &changes[i]);
	free(changes);
}

void qs_service_clear(void)
{
	free(told);
	told = NULL;
	told_at = 0;
}
