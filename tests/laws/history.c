/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.c - see history.h
 *
 * Laws held here: those of watch.h, 7 (histories settle), 10 and 4 (a plan does
 * not depend on the order in which the world is read), and that no owner is left
 * waiting when all is quiet.
 */
#include "history.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "history_run.h"
#include "oracle.h"
#include "planned.h"

#define BUSY_STEPS  30
#define QUIET_STEPS 80
#define STEP_SEC    4

struct law_history_stats law_history_stats;

static bool no(struct history *h, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool no(struct history *h, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(h->why, h->size, format, args);
	va_end(args);
	return false;
}

static struct fate *fate_of(struct history *h, uint32_t id)
{
	for (int i = 0; i < h->nfates; i++) {
		if (h->fates[i].id == id)
			return &h->fates[i];
	}
	h->fates[h->nfates] = (struct fate){ .id = id };
	return &h->fates[h->nfates++];
}

void law_history_forget(struct history *h, uint32_t id)
{
	for (int i = 0; i < h->nfates; i++) {
		if (h->fates[i].id == id)
			h->fates[i--] = h->fates[--h->nfates];
	}
}

static struct law_job *job_of(struct history *h, uint32_t id)
{
	int j = world_find(&h->w, id);

	return j < 0 ? NULL : &h->w.jobs[j];
}

static void give_up(struct law_job *job)
{
	job->claim = false;
	job->claim_on = 0;
	job->claim_owed = 0;
}

static int victims_left(struct history *h, uint32_t claimant)
{
	int n = 0;

	for (int i = 0; i < h->nfates; i++)
		n += h->fates[i].for_id == claimant;
	return n;
}

/* R11, R12a, R14: a victim whose grace is over is gone, or waits again. */
static void victim_goes(struct history *h, struct law_job *job,
			const struct fate *fate)
{
	struct fate *claimant = NULL;

	for (int i = 0; i < h->nfates; i++) {
		if (h->fates[i].id == fate->for_id)
			claimant = &h->fates[i];
	}
	if (claimant)
		claimant->freed = h->w.now;
	if (!job->requeue) {
		law_world_drop_job(&h->w, (int)(job - h->w.jobs));
		return;
	}
	law_history_stats.requeued++;
	job->state = QS_JOB_PENDING;
	job->ends = false;
	job->preempted++;
	job->displaced_by = fate->for_id;
	memset(job->on, 0, sizeof(job->on));
}

static void time_passes(struct history *h)
{
	h->w.now += STEP_SEC;
	for (int i = h->nfates - 1; i >= 0; i--) {
		struct fate fate = h->fates[i];
		struct law_job *job = job_of(h, fate.id);

		if (!job) {
			h->fates[i] = h->fates[--h->nfates];
			continue;
		}
		if (fate.for_id && fate.goes <= h->w.now) {
			h->fates[i] = h->fates[--h->nfates];
			victim_goes(h, job, &fate);
			continue;
		}
		/* R9: a claim does not outlive its time. */
		if (job->claim && !victims_left(h, fate.id) && fate.freed &&
		    h->w.now - fate.freed >
			    h->w.queues[job->queue].claim_timeout)
			give_up(job);
	}
}

/* One task of an array becomes a job of its own. */
static struct law_job *take_task(struct history *h, int j)
{
	struct law_job *job = &h->w.jobs[j], *task;

	if (job->copies < 2)
		return job;
	task = &h->w.jobs[h->w.njobs++];
	*task = *job;
	task->id = h->next_id++;
	task->copies = 1;
	job->copies--;
	give_up(job);
	return task;
}

static void apply_victims(struct history *h, const struct planned *p,
			  const struct qs_decision *d, struct law_job *job)
{
	job->claim = true;
	job->claimed = ++h->claims;
	if (d->owed_before > job->claim_owed)
		job->claim_owed = d->owed_before;
	for (uint32_t i = 0; i < d->nplaces; i++)
		job->claim_on |=
			1u
			<< p->view.node_of[p->plan->places[d->places + i].node];
	*fate_of(h, job->id) = (struct fate){ .id = job->id };
	for (uint32_t i = 0; i < d->nvictims; i++) {
		uint32_t id = p->plan->victims[d->victims + i].id;
		struct law_job *victim = job_of(h, id);
		struct fate *fate = fate_of(h, id);

		victim->ends = true;
		fate->for_id = job->id;
		fate->goes =
			h->w.now + STEP_SEC * law_random_range(&h->r, 1, 3);
		law_history_stats.stops++;
	}
}

static bool apply(struct history *h, const struct planned *p,
		  const struct qs_decision *d)
{
	int j = planned_job(p, d->job);
	struct law_job *job = &h->w.jobs[j];
	bool task = d->verdict == QS_VERDICT_START && job->copies > 1;

	if (!law_watch_decision(&h->watch, p->view.snap, p->plan, d,
				task ? h->next_id : d->id, h->why, h->size))
		return false;
	if (d->verdict != QS_VERDICT_START) {
		/* Its place went to an owner: the claim has no more meaning,
		 * and it may ask again. */
		if (job->claim && !d->reserves)
			give_up(job);
		return true;
	}
	h->moved = true;
	if (h->w.njobs >= LAW_JOBS)
		return true;
	job = take_task(h, j);
	if (d->nvictims) {
		apply_victims(h, p, d, job);
		return true;
	}
	law_history_stats.starts++;
	law_history_stats.borrows += d->how == QS_HOW_BORROW;
	law_history_stats.owners_served += d->how == QS_HOW_OWN;
	law_history_forget(h, job->id);
	job->state = QS_JOB_RUNNING;
	give_up(job);
	job->start = h->w.now;
	for (uint32_t i = 0; i < d->nplaces; i++) {
		const struct qs_placed *at = &p->plan->places[d->places + i];

		job->on[p->view.node_of[at->node]][at->type] += at->gpus;
	}
	return true;
}

/* QS_LAWS_TRACE=1: the story of a history that went wrong. */
static void trace(const struct history *h, const struct planned *p)
{
	printf("%d:", (int)h->w.now);
	for (uint32_t i = 0; i < p->plan->ndecisions; i++) {
		const struct qs_decision *d = &p->plan->decisions[i];

		if (d->verdict == QS_VERDICT_NEVER || d->code == QS_CODE_ORDER)
			continue;
		printf(" %u%s %s%s%s", d->id,
		       h->w.jobs[planned_job(p, d->job)].claim ? "(claim)" : "",
		       qs_how_name(d->how), qs_code_name(d->code),
		       d->reserves ? "(reserves)" : "");
		for (uint32_t k = 0; k < d->nvictims; k++)
			printf(" -%u", p->plan->victims[d->victims + k].id);
		for (uint32_t k = 0; k < d->nplaces; k++)
			printf(" @%s",
			       p->view.snap
				       ->nodes[p->plan->places[d->places + k]
						       .node]
				       .name);
		printf(";");
	}
	printf("\n");
}

static bool plan_step(struct history *h)
{
	bool checks = !law_random_one_in(&h->r, 4);
	struct planned p;
	bool kept;

	h->before = h->w;
	h->moved = false;
	planned_make(&p, &h->before, law_random_next(&h->r) | 1);
	if (getenv("QS_LAWS_TRACE"))
		trace(h, &p);
	kept = law_watch_plan(&h->watch, p.view.snap, h->why, h->size);
	if (kept && checks && !h->kind->taste.types && !h->kind->node_news)
		kept = law_oracle_agrees(&h->before, &p.view, p.plan, h->why,
					 h->size);
	for (uint32_t i = 0; i < p.plan->ndecisions && kept; i++)
		kept = apply(h, &p, &p.plan->decisions[i]);
	planned_free(&p);
	law_history_stats.steps++;
	return kept;
}

/* When nothing moves any more: does an owner still wait? */
static bool check_owners(struct history *h)
{
	struct planned p;
	bool kept;

	planned_make(&p, &h->w, 0);
	kept = law_watch_rest(p.view.snap, p.plan, h->why, h->size);
	planned_free(&p);
	return kept;
}

static bool play(struct history *h)
{
	int still = 0, busy = BUSY_STEPS;

	if (h->cut && h->cut->steps && h->cut->steps < busy)
		busy = h->cut->steps;
	for (int step = 0; step < busy; step++) {
		law_history_news(h);
		if (!plan_step(h))
			return false;
		time_passes(h);
	}
	for (int step = 0; step < QUIET_STEPS; step++) {
		if (!plan_step(h))
			return false;
		time_passes(h);
		law_history_stats.settled_in++;
		/* Longer than any grace time, protection or claim. */
		still = h->moved ? 0 : still + 1;
		if (still > 12)
			return check_owners(h);
	}
	return no(h, "it does not come to rest");
}

bool law_history_run(const struct law_history_kind *kind, uint64_t seed,
		     const struct law_history_cut *cut, struct law_world *world,
		     char *why, size_t size)
{
	struct history h = {
		.kind = kind, .cut = cut, .why = why, .size = size
	};
	bool kept;

	h.r.state = seed;
	law_world_random(&h.w, &h.r, &kind->taste);
	h.w.njobs = 0;
	for (int q = 0; q < h.w.nqueues; q++) {
		if (!kind->policies)
			memset(h.w.queues[q].capacity, 0,
			       sizeof(h.w.queues[q].capacity));
		h.w.queues[q].enabled = true;
	}
	h.next_id = 1;
	law_history_stats.histories++;
	kept = play(&h);
	law_history_stats.claims_kept += h.watch.claims_kept;
	law_watch_free(&h.watch);
	*world = h.before;
	return kept;
}
