/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.c - see watch.h
 */
#include "watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"

static bool no(char *why, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool no(char *why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return false;
}

static void need(bool memory)
{
	if (memory)
		return;
	fprintf(stderr, "out of memory\n");
	exit(99);
}

static struct law_fate *fate_of(struct law_watch *watch, uint32_t id)
{
	uint32_t had = watch->nfates;

	if (id >= had) {
		uint32_t max = had ? had * 2 : 64;

		while (max <= id)
			max *= 2;
		watch->fates =
			realloc(watch->fates, max * sizeof(*watch->fates));
		need(watch->fates != NULL);
		memset(watch->fates + had, 0,
		       (max - had) * sizeof(*watch->fates));
		watch->nfates = max;
	}
	return &watch->fates[id];
}

void law_watch_free(struct law_watch *watch)
{
	free(watch->fates);
	free(watch->pairs);
	memset(watch, 0, sizeof(*watch));
}

/* Something that no plan could know. all: every claim may have lost its reason,
 * not only those that borrow. */
static void disturb(struct law_watch *watch, bool all)
{
	for (uint32_t id = 0; id < watch->nfates; id++) {
		if (all || watch->fates[id].borrows)
			watch->fates[id].disturbed++;
	}
	watch->npairs = 0;
}

void law_watch_news(struct law_watch *watch)
{
	watch->bent = true;
	disturb(watch, true);
}

/* What became of a job since the last plan that nobody could know. */
static void look_at(struct law_watch *watch, const struct qs_job *job)
{
	struct law_fate *fate = fate_of(watch, job->id);
	bool running = job->state != QS_JOB_PENDING;

	if (fate->known && fate->priority != job->priority)
		disturb(watch, true);
	/* Submitted, or back from a node that went down. The task of an array
	 * that starts, or is to, was here before. */
	if (fate->known ? fate->running && !running && !fate->for_id :
			  !running && !job->claim)
		disturb(watch, false);
	/* It may stay after all, and others had counted it as gone. */
	if (fate->for_id && running && !job->ends)
		disturb(watch, true);
	if (fate->for_id && (!running || !job->ends))
		fate->for_id = 0;
	if (!job->claim)
		fate->claim = false;
	fate->seen = true;
	fate->running = running;
	fate->requeue = job->requeue;
	fate->priority = job->priority;
}

static void compare(struct law_watch *watch, const struct qs_snapshot *snap)
{
	for (uint32_t i = 0; i < snap->njobs; i++)
		look_at(watch, &snap->jobs[i]);
	for (uint32_t id = 0; id < watch->nfates; id++) {
		struct law_fate *fate = &watch->fates[id];

		/* An end, a cancellation, a victim done in its grace time; one
		 * that cannot be requeued was to go. */
		if (fate->known && !fate->seen) {
			if (!fate->for_id || fate->requeue)
				disturb(watch, false);
			memset(fate, 0, sizeof(*fate));
		}
		fate->known = fate->seen;
		fate->seen = false;
	}
}

static int64_t used(const struct qs_snapshot *snap, int share, int type)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];
		const struct qs_demand *d = qs_snapshot_demands(snap, job);

		if (job->share != share || job->state == QS_JOB_PENDING)
			continue;
		for (uint32_t k = 0; k < job->ndemands; k++) {
			if (d[k].type == type)
				sum += d[k].gpus;
		}
	}
	return sum;
}

/* R6 and law 16, at this instant. */
static bool check_sums(const struct qs_snapshot *snap, int queue, int type,
		       char *why, size_t size)
{
	const struct qs_policy *policy = snap->policy;
	int64_t loans = 0, lent = 0;

	for (int s = 0; s < policy->nshares; s++) {
		const struct qs_quota *quota = qs_policy_quota(policy, s, type);
		int64_t beyond = used(snap, s, type) - quota->capacity, lends;

		if (policy->shares[s].queue != queue)
			continue;
		if (beyond > 0) {
			loans += beyond;
			continue;
		}
		lends = quota->lend_limit.set ? quota->lend_limit.value :
						quota->capacity;
		if (policy->shares[s].strategy != QS_STRATEGY_RESERVE)
			lent += -beyond < lends ? -beyond : lends;
	}
	return loans <= lent ||
	       no(why, size, "%d GPUs are on loan, %d are lent", (int)loans,
		  (int)lent);
}

bool law_watch_plan(struct law_watch *watch, const struct qs_snapshot *snap,
		    char *why, size_t size)
{
	compare(watch, snap);
	for (int q = 0; q < snap->policy->nqueues && !watch->bent; q++) {
		for (int t = 0; t < snap->policy->ntypes; t++) {
			if (!check_sums(snap, q, t, why, size))
				return false;
		}
	}
	return true;
}

/* Law 7. */
static bool check_pair(struct law_watch *watch, uint32_t victim,
		       uint32_t claimant, char *why, size_t size)
{
	for (uint32_t i = 0; i < watch->npairs; i++) {
		if (watch->pairs[i].victim == victim &&
		    watch->pairs[i].claimant == claimant)
			return no(why, size,
				  "job %u displaces %u a second time", claimant,
				  victim);
	}
	need(qs_array_room((void **)&watch->pairs, &watch->pairs_max,
			   (uint64_t)watch->npairs + 1, sizeof(*watch->pairs)));
	watch->pairs[watch->npairs++] = (struct law_pair){ victim, claimant };
	return true;
}

static void forget_pairs(struct law_watch *watch, uint32_t claimant)
{
	for (uint32_t i = watch->npairs; i > 0; i--) {
		if (watch->pairs[i - 1].claimant == claimant)
			watch->pairs[i - 1] = watch->pairs[--watch->npairs];
	}
}

static bool any_ends(const struct qs_snapshot *snap)
{
	for (uint32_t i = 0; i < snap->njobs; i++) {
		if (snap->jobs[i].ends)
			return true;
	}
	return false;
}

static bool any_victim(const struct law_watch *watch, uint32_t claimant)
{
	for (uint32_t id = 0; id < watch->nfates; id++) {
		if (watch->fates[id].for_id == claimant)
			return true;
	}
	return false;
}

/* Did an owner of another share get something in this plan? A claimant that
 * will borrow gives way to owners who could not be served before. */
static bool owner_served(const struct qs_snapshot *snap,
			 const struct qs_plan *plan, int share)
{
	for (uint32_t i = 0; i < plan->ndecisions; i++) {
		const struct qs_decision *d = &plan->decisions[i];

		if (snap->jobs[d->job].share != share &&
		    (d->how == QS_HOW_OWN || d->how == QS_HOW_RECLAIM ||
		     d->reserves))
			return true;
	}
	return false;
}

/* Laws 6 and 15: what became of the claim. */
static bool check_claim(struct law_watch *watch, const struct qs_snapshot *snap,
			const struct qs_plan *plan, const struct qs_decision *d,
			char *why, size_t size)
{
	const struct law_fate *fate = fate_of(watch, d->id);
	bool victims;

	if (!fate->claim || fate->disturbed)
		return true;
	if (fate->borrows && owner_served(snap, plan, snap->jobs[d->job].share))
		return true;
	victims = any_victim(watch, d->id);
	watch->claims_kept++;
	if (d->nvictims)
		return no(why, size, "claimant %u takes further victims",
			  d->id);
	if (victims && d->verdict != QS_VERDICT_START && !d->reserves)
		return no(why, size, "claimant %u does not reserve: %s", d->id,
			  qs_code_name(d->code));
	/* It may also need what was on its way out when it claimed. */
	if (!victims && d->verdict != QS_VERDICT_START &&
	    !(d->code == QS_CODE_ENDING && d->reserves && any_ends(snap)))
		return no(why, size, "claimant %u has its place and waits: %s",
			  d->id, qs_code_name(d->code));
	return true;
}

/* Law 2, R7 and R8. */
static bool check_victim(const struct qs_snapshot *snap,
			 const struct qs_decision *d,
			 const struct qs_victim *victim, char *why, size_t size)
{
	const struct qs_job *job = &snap->jobs[d->job];
	const struct qs_job *other = &snap->jobs[victim->job];

	if (other->ends || other->state == QS_JOB_PENDING)
		return no(why, size, "job %u goes for two", victim->id);
	if (d->how == QS_HOW_RECLAIM) {
		if (other->share == job->share || !victim->beyond)
			return no(why, size, "own job %u goes for %u",
				  victim->id, d->id);
	} else if (other->share != job->share ||
		   other->priority >= job->priority) {
		return no(why, size, "job %u is not below %u", victim->id,
			  d->id);
	}
	return true;
}

static bool take_victims(struct law_watch *watch,
			 const struct qs_snapshot *snap,
			 const struct qs_plan *plan,
			 const struct qs_decision *d, uint32_t as, char *why,
			 size_t size)
{
	struct law_fate *fate = fate_of(watch, as);

	fate->claim = true;
	fate->borrows = d->how == QS_HOW_IN_SHARE;
	fate->disturbed = 0;
	for (uint32_t i = 0; i < d->nvictims; i++) {
		const struct qs_victim *victim = &plan->victims[d->victims + i];

		if (!check_victim(snap, d, victim, why, size) ||
		    !check_pair(watch, victim->id, as, why, size))
			return false;
		if (fate_of(watch, victim->id)->for_id)
			return no(why, size, "job %u goes for two", victim->id);
		fate_of(watch, victim->id)->for_id = as;
		watch->stops++;
	}
	return true;
}

bool law_watch_decision(struct law_watch *watch, const struct qs_snapshot *snap,
			const struct qs_plan *plan, const struct qs_decision *d,
			uint32_t as, char *why, size_t size)
{
	struct law_fate *fate;

	if (!check_claim(watch, snap, plan, d, why, size))
		return false;
	fate = fate_of(watch, d->id);
	if (d->verdict != QS_VERDICT_START) {
		/* Its place went to an owner: the claim has no more meaning,
		 * and it may ask again. */
		if (fate->claim && !d->reserves) {
			fate->claim = false;
			forget_pairs(watch, d->id);
		}
		return true;
	}
	/* Of an array only one task had it. */
	fate->claim = false;
	return !d->nvictims ||
	       take_victims(watch, snap, plan, d, as, why, size);
}

static bool is_entitled(const struct qs_snapshot *snap,
			const struct qs_job *job)
{
	const struct qs_demand *d = qs_snapshot_demands(snap, job);

	if (job->share < 0)
		return false;
	for (uint32_t k = 0; k < job->ndemands; k++) {
		if (used(snap, job->share, d[k].type) + d[k].gpus >
		    qs_policy_quota(snap->policy, job->share, d[k].type)
			    ->capacity)
			return false;
	}
	return true;
}

bool law_watch_rest(const struct qs_snapshot *snap, const struct qs_plan *plan,
		    char *why, size_t size)
{
	for (uint32_t i = 0; i < plan->ndecisions; i++) {
		const struct qs_decision *d = &plan->decisions[i];

		if (d->verdict == QS_VERDICT_WAIT && d->code != QS_CODE_ORDER &&
		    !(snap->has_nodes && (d->code == QS_CODE_PLACEMENT ||
					  d->code == QS_CODE_IN_SHARE_OFF ||
					  d->code == QS_CODE_NODES_DOWN)) &&
		    is_entitled(snap, &snap->jobs[d->job]))
			return no(why, size,
				  "owner %u waits when all is quiet: %s", d->id,
				  qs_code_name(d->code));
	}
	return true;
}
