/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apply_claim.c - decisions with victims become claims, or are refused
 *
 * Called by our thread under the write locks, before grants are made. Nobody
 * is stopped here: claims and stops are only remembered, then saved, and
 * qs_stop_act() does the rest. A decision that Slurm does not confirm stops
 * nobody (law 1); its job takes no part for a while and says why.
 */
#include "runtime/apply.h"
#include "runtime/events.h"
#include "runtime/look.h"

#include <stdlib.h>
#include <string.h>

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool runs_as_seen(const struct qs_view *view,
			 const struct qs_victim *victim)
{
	const job_record_t *job = find_job_record(victim->id);

	return job && !IS_JOB_COMPLETING(job) &&
	       (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) &&
	       (int64_t)job->start_time == view->snap->jobs[victim->job].start;
}

/* The decision's victims and all who are on their way out already: the plan
 * counts on what they free, so Slurm must be asked without them too. The
 * caller frees. NULL: no memory, or a victim is not as it was. */
static uint32_t *leaving(const struct qs_view *view,
			 const struct qs_decision *decision, uint32_t *n)
{
	const struct qs_victim *victims =
		view->plan->victims + decision->victims;
	uint32_t max = decision->nvictims;
	uint32_t *ids;

	*n = 0;
	for (uint32_t i = 0; i < decision->nvictims; i++)
		if (!runs_as_seen(view, &victims[i]))
			return NULL;
	slurm_mutex_lock(&qs_rt.lock);
	for (struct qs_stop *stop = qs_rt.stops; stop; stop = stop->next)
		max++;
	ids = calloc(max + 1, sizeof(*ids));
	for (struct qs_stop *stop = qs_rt.stops; ids && stop; stop = stop->next)
		if (stop->phase != QS_PHASE_SPARED)
			ids[(*n)++] = stop->victim;
	slurm_mutex_unlock(&qs_rt.lock);
	for (uint32_t i = 0; ids && i < decision->nvictims; i++)
		ids[(*n)++] = victims[i].id;
	if (ids)
		qsort(ids, *n, sizeof(*ids), compare_ids);
	return ids;
}

static void refuse(const struct qs_decision *decision, uint32_t coming,
		   bool again, const char *why)
{
	struct qs_jobrec *rec;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(decision->id);
	if (rec)
		qs_jobrec_rest(rec, QS_BACKOFF_LEAST_SEC, why);
	/* What it had stopped already for this start is spared. What other
	 * tasks have claimed is good, and they do not rest. */
	if (rec && rec->rest && !again)
		rec->rest->but = coming;
	if (again)
		qs_claim_ended(decision->id, true);
	qs_rt.count.claims_refused++;
	qs_rt.dirty = true;
	slurm_mutex_unlock(&qs_rt.lock);
	verbose("quota_share: JobId=%u stops nobody: %s", decision->id, why);
}

static void claim(const struct qs_view *view,
		  const struct qs_decision *decision, bool again)
{
	const struct qs_victim *victims =
		view->plan->victims + decision->victims;
	struct qs_claim *made;

	slurm_mutex_lock(&qs_rt.lock);
	made = qs_claim_add(view, decision, again);
	for (uint32_t i = 0; made && i < decision->nvictims; i++)
		qs_stop_add(view, decision, &victims[i]);
	slurm_mutex_unlock(&qs_rt.lock);
	verbose("quota_share: JobId=%u claims what %u jobs hold (%s, %s)",
		decision->id, decision->nvictims, qs_how_name(decision->how),
		qs_code_name(decision->code));
}

/* again: for a task that has the claim already. */
static void try_claim(struct qs_view *view, struct qs_want *want,
		      const struct qs_decision *decision, bool again)
{
	const struct qs_seen *seen = &view->seen[decision->job];
	job_record_t *job = find_job_record(decision->id);
	char why[QS_WHY_SIZE] = "";
	bitstr_t *places;
	uint32_t *ids, n;

	/* Slurm may not have judged it yet: first it must be independent. */
	if (!job || !IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job) ||
	    !seen->open || job->user_id != seen->user ||
	    (job->bit_flags & JOB_DEPENDENT) || !job->priority ||
	    qs_look_too_late(job, qs_now()))
		return;
	ids = leaving(view, decision, &n);
	if (!ids) {
		qs_runtime_wake();
		return;
	}
	places = qs_view_places(view, decision);
	/* It is asked about beside those who are coming. */
	if (again && want->coming)
		want->coming--;
	if (qs_ask_without(job, ids, n, places, why, sizeof(why)) &&
	    !qs_memory_short(view, decision, ids, n, why, sizeof(why))) {
		claim(view, decision, again);
		want->coming++;
	} else {
		refuse(decision, want->coming, again, why);
		want->refused = true;
	}
	FREE_NULL_BITMAP(places);
	free(ids);
}

static bool claims_are_wanted(const struct qs_view *view,
			      const struct qs_want *wants)
{
	uint32_t i = 0;

	while (i < view->snap->njobs && !wants[i].claims)
		i++;
	return i < view->snap->njobs;
}

/* The tasks of an array are served one by one, those with claims first. */
static bool has_claim(const struct qs_view *view, struct qs_want *want,
		      const struct qs_decision *decision)
{
	if (decision->verdict != QS_VERDICT_START && !qs_coming_waits(decision))
		return false;
	return want->served++ < qs_coming_claimed(view, decision->job);
}

static bool try_claims(struct qs_view *view, struct qs_want *wants)
{
	for (uint32_t i = 0; i < view->plan->ndecisions; i++) {
		const struct qs_decision *decision = &view->plan->decisions[i];
		struct qs_want *want = &wants[decision->job];
		bool again = has_claim(view, want, decision);

		if (decision->verdict != QS_VERDICT_START ||
		    !decision->nvictims || want->refused)
			continue;
		if (!qs_apply_breathe(view, wants))
			return false;
		try_claim(view, want, decision, again);
	}
	return true;
}

bool qs_apply_claims(struct qs_view *view, struct qs_want *wants)
{
	bool good = true;

	if (claims_are_wanted(view, wants)) {
		/* Without memory nobody is stopped. */
		good = !qs_coming_gather(view, wants) ||
		       try_claims(view, wants);
		qs_coming_drop();
	}
	return good && !qs_shutting_down();
}

void qs_apply_observe(const struct qs_view *view, const struct qs_want *wants)
{
	for (uint32_t i = 0; i < view->snap->njobs; i++) {
		struct qs_jobrec *rec;
		bool tell;

		slurm_mutex_lock(&qs_rt.lock);
		rec = qs_jobrec_find(view->seen[i].id);
		tell = rec && wants[i].claims && !rec->told;
		if (rec)
			rec->told = wants[i].claims;
		slurm_mutex_unlock(&qs_rt.lock);
		if (!tell)
			continue;
		for (uint32_t k = 0; k < wants[i].say->nvictims; k++)
			qs_observe_preempt(view, wants[i].say, k);
	}
}
