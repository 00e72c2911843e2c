/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claim.c - capacity that is being freed for one waiting job (R9)
 *
 * A claim begins when the plan says that a job starts once certain others are
 * gone, and Slurm itself has agreed (qs_ask_without()). It ends when the job
 * starts, leaves the queue, is held, is not borne out by a later plan, or
 * ClaimTimeout after its last victim is gone. What it has not stopped by then
 * is left alone. Called by our thread and, for ends and begins, by callbacks,
 * which only mark a claim dead.
 */
#include "runtime/answer.h"
#include "runtime/inner.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/node_conf.h"

struct qs_claim *qs_claim_find(uint32_t claimant)
{
	struct qs_claim *claim;

	for (claim = qs_rt.claims; claim; claim = claim->next)
		if (claim->claimant == claimant && !claim->dead)
			break;
	return claim;
}

/* The names of a decision's nodes, separated by commas; malloc'ed. */
static char *node_names(const struct qs_view *view,
			const struct qs_decision *decision)
{
	const struct qs_placed *p = view->plan->places + decision->places;
	size_t size = 1, n = 0;
	char *names;

	for (uint32_t i = 0; i < decision->nplaces; i++)
		size += strlen(view->snap->nodes[p[i].node].name) + 1;
	names = calloc(size, 1);
	for (uint32_t i = 0; names && i < decision->nplaces; i++) {
		if (i && p[i].node == p[i - 1].node)
			continue;
		n += (size_t)snprintf(names + n, size - n, "%s%s", n ? "," : "",
				      view->snap->nodes[p[i].node].name);
	}
	return names;
}

/* Both lists as one; frees them. NULL: no memory. */
static char *merge(char *a, char *b)
{
	bitstr_t *nodes = NULL, *more = NULL;
	char *names, *all = NULL;

	(void)qs_compat_nodes(a, true, &nodes);
	(void)qs_compat_nodes(b, true, &more);
	if (nodes && more) {
		bit_or(nodes, more);
		names = bitmap2node_name(nodes);
		all = strdup(names ? names : "");
		xfree(names);
	}
	FREE_NULL_BITMAP(nodes);
	FREE_NULL_BITMAP(more);
	free(a);
	free(b);
	return all;
}

static uint32_t timeout_of(const struct qs_view *view,
			   const struct qs_decision *decision)
{
	const struct qs_job *job = &view->snap->jobs[decision->job];

	return view->policy->queues[job->queue].claim_timeout_sec;
}

struct qs_claim *qs_claim_add(const struct qs_view *view,
			      const struct qs_decision *decision, bool again)
{
	struct qs_claim *claim = qs_claim_find(decision->id);
	char *names = node_names(view, decision);

	if (!claim) {
		claim = calloc(1, sizeof(*claim));
		if (!claim) {
			free(names);
			return NULL;
		}
		claim->claimant = decision->id;
		claim->order = ++qs_rt.claims_made;
		claim->decided = qs_now();
		claim->next = qs_rt.claims;
		qs_rt.claims = claim;
		qs_rt.count.claims++;
	}
	/* Each task of an array has places of its own. */
	if (claim->nodes && names &&
	    view->snap->jobs[decision->job].copies > 1) {
		claim->nodes = merge(claim->nodes, names);
	} else {
		free(claim->nodes);
		claim->nodes = names;
	}
	claim->gone_us = 0;
	claim->timeout_sec = timeout_of(view, decision);
	if (decision->owed_before > claim->owed_before)
		claim->owed_before = decision->owed_before;
	if (!again || !claim->tasks)
		claim->tasks++;
	claim->how = decision->how;
	claim->code = decision->code;
	qs_log_later(
		"claim",
		",\"job\":%u,\"how\":\"%s\",\"code\":\"%s\",\"victims\":%u",
		claim->claimant, qs_how_name(claim->how),
		qs_code_name(claim->code), decision->nvictims);
	qs_rt.state_dirty = true;
	return claim;
}

static void log_end(const struct qs_claim *claim, const char *why)
{
	qs_log_later("claim_ended",
		     ",\"job\":%u,\"after\":%" PRId64 ",\"why\":\"%s\"",
		     claim->claimant, qs_since(claim->decided), why);
}

void qs_claim_ended(uint32_t claimant, bool all)
{
	struct qs_claim *claim = qs_claim_find(claimant);

	if (!claim)
		return;
	if (!all && claim->tasks > 1) {
		claim->tasks--;
		return;
	}
	if (!all)
		qs_metrics_reclaimed(qs_since(claim->decided));
	claim->dead = true;
	log_end(claim, all ? "the job left the queue" : "the job began");
	qs_rt.state_dirty = true;
}

static void time_out(const struct qs_claim *claim)
{
	struct qs_jobrec *rec = qs_jobrec_find(claim->claimant);

	qs_rt.count.claims_timed_out++;
	log_end(claim, "its place was not taken in time");
	info("quota_share: JobId=%u did not start within %u s after its place was free: the claim is given up",
	     claim->claimant, claim->timeout_sec);
	if (rec)
		qs_jobrec_rest(rec, QS_BACKOFF_SEC,
			       "its freed place was not taken in time");
}

static struct qs_job *waiting_job(struct qs_view *view, uint32_t id)
{
	struct qs_job *job = qs_view_job(view, id);

	return job && job->state == QS_JOB_PENDING ? job : NULL;
}

void qs_claim_sweep(struct qs_view *view)
{
	const bool observes = view->policy->mode == QS_MODE_OBSERVE;
	int64_t now = qs_mono_us();
	struct qs_claim **at, *claim;

	slurm_mutex_lock(&qs_rt.lock);
	qs_stop_sweep(view);
	at = &qs_rt.claims;
	while ((claim = *at)) {
		struct qs_job *job = waiting_job(view, claim->claimant);

		if (!job || job->held)
			claim->dead = true;
		/* R19: none is preempted. Who was told to go is spared. */
		if (observes && !claim->dead) {
			claim->dead = true;
			log_end(claim, "the policy only observes");
		}
		if (!claim->dead && qs_stop_pending(claim->claimant)) {
			claim->gone_us = 0;
		} else if (!claim->dead && !claim->gone_us) {
			claim->gone_us = now;
			qs_rt.state_dirty = true;
		} else if (!claim->dead &&
			   now >= claim->gone_us + (int64_t)claim->timeout_sec *
							   1000000) {
			time_out(claim);
			claim->dead = true;
			if (job)
				job->unplaceable = true;
		}
		if (!claim->dead) {
			at = &claim->next;
			continue;
		}
		if (job)
			job->claim = false;
		*at = claim->next;
		free(claim->nodes);
		free(claim);
		qs_rt.state_dirty = true;
	}
	slurm_mutex_unlock(&qs_rt.lock);
}

/* A claim that the plan does not keep ends. Victims not yet stopped are spared:
 * better that than to stop one for a start that is not foreseen any more. And
 * it must not come back later and take what was freed for somebody else. */
void qs_claim_check(const struct qs_view *view)
{
	slurm_mutex_lock(&qs_rt.lock);
	for (struct qs_claim *claim = qs_rt.claims; claim;
	     claim = claim->next) {
		const struct qs_decision *decision =
			qs_plan_find(view->plan, claim->claimant);

		if (!claim->dead && decision &&
		    decision->verdict != QS_VERDICT_START &&
		    !decision->reserves) {
			verbose("quota_share: JobId=%u: the claim is not borne out any more (%s)",
				claim->claimant, qs_code_name(decision->code));
			claim->dead = true;
			log_end(claim, qs_code_name(decision->code));
			qs_rt.state_dirty = true;
		}
	}
	slurm_mutex_unlock(&qs_rt.lock);
}

void qs_claim_clear(void)
{
	struct qs_claim *claim;

	while ((claim = qs_rt.claims)) {
		qs_rt.claims = claim->next;
		free(claim->nodes);
		free(claim);
	}
}
