/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look.c - one look at slurmctld's nodes and jobs: the snapshot for the plan
 *
 * Called by our thread; takes conf, job, node, partition and federation read
 * locks, so it waits for whoever writes, and holds them for one pass over
 * the job list. job_list is the truth: nothing of ours decides what is used, so
 * a restart changes nothing (R20). The ledger kept by events is compared with
 * what is seen here.
 *
 * "open" is the word for a waiting job that waits for nothing but us: not
 * held, no dependency, begin time past, no other limit. Only open jobs take
 * part in the plan and get our reason; Slurm keeps the word for all others.
 * Its surprise: job_independent() does not even look at the dependency of a
 * job that has our reason, so a job that ceases to be open loses it.
 */
#include "runtime/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"

#include "host/het.h"
#include "host/nodes.h"
#include "host/parts.h"
#include "host/request.h"

#include "runtime/mix.h"

static const slurmctld_lock_t read_locks = { .conf = READ_LOCK,
					     .job = READ_LOCK,
					     .node = READ_LOCK,
					     .part = READ_LOCK,
					     .fed = READ_LOCK };

bool qs_look_ours_shown(const job_record_t *job)
{
	return job->state_reason == FAIL_BURST_BUFFER_OP && job->state_desc &&
	       !strncmp(job->state_desc, QS_DESC_PREFIX,
			sizeof(QS_DESC_PREFIX) - 1);
}

/* CPUs and GPUs that a job takes which no share is charged for. */
static void add_other(struct qs_look *look, job_record_t *job)
{
	struct qs_snapshot *snap = look->view->snap;
	const job_resources_t *res = job->job_resrcs;
	int at = -1;

	if (!qs_look_holds(job) ||
	    qs_alloc_job(snap->policy, job, &look->alloc, NULL))
		return;
	for (uint32_t i = 0; i < look->alloc.nplaced; i++) {
		const struct qs_placed *p = &look->alloc.placed[i];
		int32_t node = look->view->node_map[p->node];

		if (node >= 0)
			snap->node_gpus_other
				[(size_t)node * (size_t)snap->policy->ntypes +
				 p->type] += p->gpus;
	}
	if (!res || !res->node_bitmap || !res->cpus || IS_JOB_COMPLETING(job))
		return;
	for (int i = 0; i < node_record_count; i++) {
		if (!bit_test(res->node_bitmap, i))
			continue;
		at++;
		if (look->view->node_map[i] >= 0)
			snap->nodes[look->view->node_map[i]].cpus_busy +=
				res->cpus[at];
	}
}

/* The same of a job with all its components, but for those that this queue
 * charges for; -1: none does. */
static void add_others(struct qs_look *look, job_record_t *job, int queue)
{
	const struct qs_policy *policy = look->view->policy;
	struct qs_parts parts = qs_parts_of(job);
	job_record_t *one;

	while ((one = qs_parts_next(&parts)))
		if (queue < 0 || qs_nodes_queue(policy, one) != queue)
			add_other(look, one);
	qs_parts_end(&parts);
}

/* Not charged to any share: takes no part, and what we made of it while it did
 * is to be taken back (apply_strays() in apply.c). */
static void not_ours(struct qs_look *look, job_record_t *job)
{
	struct qs_view *view = look->view;
	struct qs_jobrec *rec;
	bool marked = false;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(job->job_id);
	if (rec) {
		rec->seen = true;
		rec->looked = true;
		rec->ours = false;
		rec->held = false;
		rec->kept.print = 0;
		rec->grant = 0;
		rec->offered = 0;
		qs_jobrec_set_desc(rec, NULL);
		marked = rec->rank || rec->fenced;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	/* Our reason is put on all components of a het job, and Slurm or an admin
	 * may take it from some. */
	if (IS_JOB_PENDING(job) &&
	    (marked || qs_parts_any(job, qs_look_ours_shown)) &&
	    qs_array_room((void **)&view->strays, &view->strays_max,
			  (uint64_t)view->nstrays + 1, sizeof(*view->strays)))
		view->strays[view->nstrays++] = job->job_id;
	add_others(look, job, -1);
}

static void refuse(struct qs_look *look, job_record_t *job, const char *text)
{
	struct qs_view *view = look->view;
	struct qs_jobrec *rec;

	if (!IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job)) {
		not_ours(look, job);
		return;
	}
	if (!qs_array_room((void **)&view->refused, &view->refused_max,
			   (uint64_t)view->nrefused + 1,
			   sizeof(*view->refused)))
		return;
	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_add(qs_jobrec_key(job));
	if (rec) {
		rec->seen = rec->looked = rec->ours = true;
		rec->grant = 0;
		rec->kept.print = 0;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	view->refused[view->nrefused].id = job->job_id;
	snprintf(view->refused[view->nrefused].text, QS_REASON_MAX, "%s", text);
	view->nrefused++;
}

/* QS_SHARE_NONE: it has none; text says why. */
static int share_of(struct qs_look *look, const struct qs_het_home *home,
		    char *text, size_t size)
{
	const struct qs_policy *policy = look->view->policy;
	int share;

	if (home->other >= 0) {
		qs_het_two_queues(policy, home->queue, home->other, text, size);
		return QS_SHARE_NONE;
	}
	share = qs_request_share_given(policy, home->queue, home->by);
	look->given = share >= 0;
	if (share == QS_SHARE_NONE)
		share = qs_request_share(policy, home->queue, home->by, text,
					 size);
	return share;
}

static void look_job(struct qs_look *look, job_record_t *job)
{
	const struct qs_policy *policy = look->view->policy;
	struct qs_het_home home;
	struct qs_jobrec *rec;
	char text[QS_REASON_MAX] = "";
	int queue, share;

	if (IS_JOB_COMPLETING(job))
		look->view->completing =
			qs_mix(look->view->completing, job->job_id);
	if (qs_look_over(job)) {
		slurm_mutex_lock(&qs_rt.lock);
		rec = qs_jobrec_find(job->job_id);
		if (rec)
			rec->seen = true;
		slurm_mutex_unlock(&qs_rt.lock);
		return;
	}
	if (job->het_job_id && job->het_job_offset) {
		/* Folded into the leader's. */
		qs_look_component(job);
		return;
	}
	look->by = job;
	if (!qs_kept_use(look, job, &queue, &share)) {
		qs_het_find(policy, job, &home);
		queue = home.queue;
		look->by = home.by;
		if (queue < 0 || !qs_look_measure(look, job, queue)) {
			not_ours(look, job);
			return;
		}
		share = share_of(look, &home, text, sizeof(text));
		if (share == QS_SHARE_NONE) {
			refuse(look, job, text);
			return;
		}
	}
	if (qs_look_add(look, job, queue, share))
		look->failed = true;
	if (job->het_job_list)
		add_others(look, job, queue);
}

/* Who left without a run, for the log. */
static void note_left(struct qs_view *view, struct qs_jobrec *rec)
{
	if (!rec->withdrawn)
		return;
	rec->withdrawn = false;
	if (qs_array_room((void **)&view->left, &view->left_max,
			  (uint64_t)view->nleft + 1, sizeof(*view->left)))
		view->left[view->nleft++] = rec->id;
}

/* What the ledger holds and no job does. */
static void check_ledger(const struct qs_look *look)
{
	slurm_mutex_lock(&qs_rt.lock);
	for (uint32_t i = 0; i < qs_rt.hash_size; i++) {
		for (struct qs_jobrec *rec = qs_rt.hash[i]; rec;
		     rec = rec->next) {
			note_left(look->view, rec);
			if (!rec->held || rec->held_look == look->number)
				continue;
			rec->held = false;
			if (qs_rt.ledger_valid) {
				qs_rt.count.ledger_drift++;
				debug("quota_share: JobId=%u ended unseen",
				      rec->id);
			}
		}
	}
	qs_rt.ledger_valid = true;
	qs_jobrec_sweep();
	slurm_mutex_unlock(&qs_rt.lock);
}

/* A job's end was told, but Slurm takes licences and nodes back only when its
 * nodes are done, and that nobody tells. Who was refused meanwhile is asked for
 * anew. */
static void note_done(const struct qs_view *view)
{
	slurm_mutex_lock(&qs_rt.lock);
	if (qs_rt.view && qs_rt.view->completing != view->completing)
		qs_rt.ends++;
	slurm_mutex_unlock(&qs_rt.lock);
}

static bool pass(struct qs_look *look)
{
	struct qs_view *view = look->view;
	list_itr_t *it;
	job_record_t *job;

	slurm_mutex_lock(&qs_rt.lock);
	view->begins = qs_rt.begins;
	slurm_mutex_unlock(&qs_rt.lock);
	view->nodes = node_record_count;
	view->node_map =
		malloc((size_t)(view->nodes + 1) * sizeof(*view->node_map));
	if (!view->node_map || qs_nodes_add(view->snap, view->node_map))
		return false;
	view->unheard = qs_nodes_unheard(view->policy);
	it = list_iterator_create(job_list);
	while (!look->failed && (job = list_next(it)))
		look_job(look, job);
	list_iterator_destroy(it);
	return !look->failed;
}

/* There will be about as many jobs as there were. */
static void reserve(struct qs_view *view)
{
	struct qs_snapshot like = { 0 };

	slurm_mutex_lock(&qs_rt.lock);
	if (qs_rt.view) {
		like.njobs = qs_rt.view->snap->njobs;
		like.ndemands = qs_rt.view->snap->ndemands;
		like.nplaced = qs_rt.view->snap->nplaced;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	(void)qs_snapshot_reserve(view->snap, &like);
	(void)qs_array_room((void **)&view->seen, &view->seen_max,
			    view->snap->jobs_max, sizeof(*view->seen));
}

struct qs_view *qs_view_look(void)
{
	static uint64_t number;
	struct qs_look look = { .now = qs_now(),
				.set_back = qs_clock_set_back(),
				.number = ++number };
	struct qs_view *view = calloc(1, sizeof(*view));
	uint64_t generation;
	int64_t began;
	bool good = false;

	if (look.set_back)
		info("quota_share: the clock was set back by %" PRId64
		     " s: jobs whose time had come do not wait for it again",
		     look.set_back);
	if (!view)
		return NULL;
	look.view = view;
	view->number = look.number;
	/* In this order: never is an old policy taken for a new one. */
	slurm_mutex_lock(&qs_rt.lock);
	generation = qs_rt.generation;
	slurm_mutex_unlock(&qs_rt.lock);
	view->policy = qs_runtime_policy_get();
	if (view->policy)
		view->snap = qs_snapshot_new(view->policy, look.now);
	if (view->snap) {
		reserve(view);
		lock_slurmctld(read_locks);
		began = qs_mono_us();
		qs_kept_begin(&look, generation);
		good = job_list && pass(&look);
		if (good) {
			check_ledger(&look);
			note_done(view);
		}
		unlock_slurmctld(read_locks);
		began = qs_mono_us() - began;
		slurm_mutex_lock(&qs_rt.lock);
		qs_rt.count.looks++;
		if ((uint64_t)began > qs_rt.count.look_us_max)
			qs_rt.count.look_us_max = (uint64_t)began;
		slurm_mutex_unlock(&qs_rt.lock);
	}
	qs_alloc_free(&look.alloc);
	qs_licenses_free(look.licenses);
	if (!good) {
		qs_view_free(view);
		view = NULL;
	}
	return view;
}
