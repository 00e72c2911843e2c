/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history_news.c - what happens in a history by itself
 *
 * Jobs come, end and are cancelled, priorities, the policy and nodes change.
 * Called by history.c, before each plan of the busy time.
 */
#include <string.h>

#include "history_run.h"

#define MOST_JOBS 22

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
	law_history_forget(h, h->w.jobs[j].id);
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
		law_history_forget(h, job->id);
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

void law_history_news(struct history *h)
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
