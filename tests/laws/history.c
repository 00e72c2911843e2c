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

#include "oracle.h"
#include "planned.h"
#include "watch.h"

#define BUSY_STEPS  30
#define QUIET_STEPS 80
#define STEP_SEC    4
#define MOST_JOBS   22

struct law_history_stats law_history_stats;

/* What is known of a job beside the world. */
struct fate {
	uint32_t id;
	int64_t goes;    /* victim: when its grace time is over */
	uint32_t for_id; /* victim: whose */
	int64_t freed;   /* claimant: when the last victim went */
};

struct history {
	const struct law_history_kind *kind;
	const struct law_history_cut *cut; /* or NULL */
	uint32_t submissions;
	struct law_random r;
	struct law_world w;
	struct law_world before; /* the last plan */
	struct fate fates[LAW_JOBS];
	int nfates;
	struct law_watch watch;
	uint32_t next_id;
	int64_t claims; /* made so far */
	bool moved;     /* something came of the last plan */
	char *why;
	size_t size;
};

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

static void forget(struct history *h, uint32_t id)
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

static void submit(struct history *h)
{
	struct law_job *job = &h->w.jobs[h->w.njobs];
	uint32_t most = h->kind->taste.many ? 5 : 3, number;
	bool any = false;

	if (h->w.njobs >= MOST_JOBS)
		return;
	memset(job, 0, sizeof(*job));
	job->id = h->next_id++;
	job->share = (int)law_random_below(&h->r, (uint32_t)h->w.nshares);
	job->queue = h->w.shares[job->share].queue;
	job->state = QS_JOB_PENDING;
	job->requeue = !law_random_one_in(&h->r, 5);
	job->priority = law_random_below(&h->r, 3);
	job->copies = 1;
	job->eligible = h->w.now;
	for (int t = 0; t < h->w.ntypes; t++) {
		uint32_t own = h->w.shares[job->share].capacity[t];

		if (!h->w.shares[job->share].listed[t] ||
		    (any && !law_random_one_in(&h->r, 3)))
			continue;
		job->gpus[t] = law_random_range(&h->r, 1,
						own && own < most ? own : most);
		any = true;
	}
	if (!any)
		return;
	if (h->w.has_nodes && law_random_one_in(&h->r, 3))
		job->need_nodes = 1;
	if (law_random_one_in(&h->r, 8))
		job->copies = law_random_range(&h->r, 2, 4);
	number = h->submissions++;
	if (h->cut && number < LAW_SUBMISSIONS && h->cut->without[number])
		return;
	h->w.njobs++;
}

static void finish_one(struct history *h)
{
	int j;

	if (!h->w.njobs)
		return;
	j = (int)law_random_below(&h->r, (uint32_t)h->w.njobs);
	if (h->w.jobs[j].state == QS_JOB_PENDING &&
	    (h->w.jobs[j].claim || !law_random_one_in(&h->r, 4)) &&
	    !law_random_one_in(&h->r, 10))
		return;
	/* An end, a cancellation, or a victim that is done in its grace. */
	forget(h, h->w.jobs[j].id);
	law_world_drop_job(&h->w, j);
}

static void change_policy(struct history *h)
{
	struct law_share *s =
		&h->w.shares[law_random_below(&h->r, (uint32_t)h->w.nshares)];

	for (int t = 0; t < h->w.ntypes; t++) {
		if (s->listed[t])
			s->capacity[t] = law_random_range(&h->r, 1, 6);
	}
	if (law_random_one_in(&h->r, 2))
		s->strategy = (enum qs_strategy)law_random_below(&h->r, 3);
	s->in_share = law_random_one_in(&h->r, 2);
	if (s->strategy != QS_STRATEGY_LEND_AND_BORROW) {
		s->borrow_limit.set = false;
		memset(s->borrow_gpus, 0, sizeof(s->borrow_gpus));
	}
	/* Who displaces whom begins anew (law 7). */
	for (int j = 0; j < h->w.njobs; j++)
		h->w.jobs[j].displaced_by = 0;
	law_watch_news(&h->watch);
}

static void change_nodes(struct history *h)
{
	int n = (int)law_random_below(&h->r, (uint32_t)h->w.nnodes);
	struct law_node *node = &h->w.nodes[n];

	if (node->state != QS_NODE_UP)
		node->state = QS_NODE_UP;
	else
		node->state = law_random_one_in(&h->r, 2) ? QS_NODE_DOWN :
							    QS_NODE_DRAIN;
	/* What ran on a node that went down was requeued, not by us. */
	for (int j = 0; j < h->w.njobs && node->state == QS_NODE_DOWN; j++) {
		struct law_job *job = &h->w.jobs[j];
		uint32_t here = job->on[n][0] + job->on[n][1] + job->on[n][2];

		if (job->state == QS_JOB_PENDING || !here)
			continue;
		forget(h, job->id);
		job->state = QS_JOB_PENDING;
		job->ends = false;
		memset(job->on, 0, sizeof(job->on));
	}
	law_watch_news(&h->watch);
}

static void change_priority(struct history *h)
{
	struct law_job *job;

	if (!h->w.njobs)
		return;
	job = &h->w.jobs[law_random_below(&h->r, (uint32_t)h->w.njobs)];
	job->priority = law_random_below(&h->r, 4);
}

static void things_happen(struct history *h)
{
	uint32_t n = law_random_below(&h->r, 4);

	while (n--) {
		uint32_t what = law_random_below(&h->r, 20);

		if (what < 11)
			submit(h);
		else if (what < 17)
			finish_one(h);
		else if (what == 17)
			change_priority(h);
		else if (what == 18 && h->kind->policies)
			change_policy(h);
		else if (what == 19 && h->kind->node_news && h->w.nnodes)
			change_nodes(h);
	}
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
	forget(h, job->id);
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
		things_happen(h);
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
