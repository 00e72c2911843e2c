/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look_job.c - one job of slurmctld's list in the engine's terms
 *
 * Part of the look (look.c): same caller, same read locks. Takes qs_rt.lock
 * for moments only. A het job is one job here, under its leader's id.
 */
#include "runtime/look.h"

#include <stdlib.h>
#include <string.h>

#include "engine/array.h"

#include "host/nodes.h"
#include "host/parts.h"

static void add_demand(struct qs_look *look, uint16_t type, uint32_t gpus)
{
	for (uint32_t i = 0; i < look->ndemands; i++) {
		if (look->demands[i].type == type) {
			look->demands[i].gpus += gpus;
			return;
		}
	}
	if (look->ndemands < QS_TYPES_MAX)
		look->demands[look->ndemands++] =
			(struct qs_demand){ .gpus = gpus, .type = type };
}

/*
 * Slurm gives each component of a het job nodes of its own. Where all want the
 * same on each node, but for one GPU, that is a number of nodes to be spread
 * over evenly; else only Slurm's own test (ask.c) knows.
 */
static void add_component_nodes(struct qs_look *look,
				const struct qs_request *request)
{
	uint32_t nodes = request->need_nodes, gpus;

	if (request->ndemands != 1 || look->ndemands != 1 ||
	    nodes == QS_NODES_ANY || request->demands[0].gpus % nodes) {
		look->uneven = true;
	} else {
		gpus = request->demands[0].gpus / nodes;
		look->least =
			look->most && look->least < gpus ? look->least : gpus;
		look->most = look->most > gpus ? look->most : gpus;
		look->uneven |= look->most - look->least > 1;
	}
	look->need_nodes =
		look->uneven ? QS_NODES_ANY : look->need_nodes + nodes;
}

static uint64_t partitions_of(const struct qs_look *look,
			      const job_record_t *job, int queue)
{
	const struct qs_policy *policy = look->view->policy;
	uint64_t bits = 0;
	part_record_t *part;
	list_itr_t *it;

	if (job->part_ptr_list && IS_JOB_PENDING(job)) {
		it = list_iterator_create(job->part_ptr_list);
		while ((part = list_next(it)))
			bits |= qs_nodes_part_bit(policy, queue, part->name);
		list_iterator_destroy(it);
	} else if (job->part_ptr) {
		bits = qs_nodes_part_bit(policy, queue, job->part_ptr->name);
	}
	return bits;
}

static void measure_pending(struct qs_look *look, job_record_t *job, int queue)
{
	struct qs_request request;

	if (!qs_request_may_be_gpu(job))
		return;
	qs_request_of_record(look->view->policy, queue, job, &request);
	if (!request.gpu)
		return;
	look->by_pool |= request.by_pool;
	look->partitions |= partitions_of(look, job, queue);
	for (uint32_t i = 0; i < request.ndemands; i++)
		add_demand(look, request.demands[i].type,
			   request.demands[i].gpus);
	look->unknown_type |= request.unknown_type;
	if (job->het_job_id)
		add_component_nodes(look, &request);
	else
		look->need_nodes = request.need_nodes;
	/* Where CPUs can be shared their number says nothing. */
	if (!(job->details && job->details->overcommit) &&
	    !(job->part_ptr && (job->part_ptr->max_share & ~SHARED_FORCE) > 1))
		look->cpus += request.cpus;
}

void qs_look_place(struct qs_look *look, const struct qs_placed *place)
{
	struct qs_alloc *alloc = &look->alloc;

	if (!qs_array_room((void **)&alloc->placed, &alloc->max,
			   (uint64_t)alloc->nplaced + 1,
			   sizeof(*alloc->placed))) {
		look->failed = true;
		return;
	}
	alloc->placed[alloc->nplaced++] = *place;
}

static void measure_held(struct qs_look *look, job_record_t *job, int queue)
{
	struct qs_alloc one = { 0 };
	uint32_t before = look->alloc.nplaced;

	/* Only het jobs come here more than once. */
	if (qs_alloc_job(look->view->policy, job,
			 look->alloc.nplaced ? &one : &look->alloc, NULL))
		look->failed = true;
	for (uint32_t i = 0; !look->failed && i < one.nplaced; i++)
		qs_look_place(look, &one.placed[i]);
	qs_alloc_free(&one);
	look->cpus += job->total_cpus;
	if (look->alloc.nplaced > before)
		look->partitions |= partitions_of(look, job, queue);
}

static bool completes(const job_record_t *job)
{
	return IS_JOB_COMPLETING(job);
}

/* The nodes of a het job's components are not done at the same time. */
static bool some_completes(const job_record_t *job)
{
	return qs_parts_any(job, completes);
}

bool qs_look_holds(const job_record_t *job)
{
	return IS_JOB_COMPLETING(job) ||
	       !(IS_JOB_PENDING(job) || IS_JOB_FINISHED(job));
}

bool qs_look_over(const job_record_t *job)
{
	return IS_JOB_FINISHED(job) && !some_completes(job);
}

uint8_t qs_look_state(const job_record_t *job)
{
	if (IS_JOB_COMPLETING(job) ||
	    ((IS_JOB_PENDING(job) || IS_JOB_FINISHED(job)) &&
	     some_completes(job)))
		return QS_JOB_COMPLETING;
	if (IS_JOB_PENDING(job))
		return QS_JOB_PENDING;
	return IS_JOB_SUSPENDED(job) ? QS_JOB_SUSPENDED : QS_JOB_RUNNING;
}

bool qs_look_measure(struct qs_look *look, job_record_t *job, int queue)
{
	list_itr_t *it;
	job_record_t *one;

	look->alloc.nplaced = look->ndemands = 0;
	look->cpus = 0;
	look->partitions = 0;
	look->need_nodes = QS_NODES_ANY;
	look->least = look->most = 0;
	look->uneven = look->unknown_type = look->by_pool = false;
	look->state = qs_look_state(job);
	if (!job->het_job_list) {
		if (look->state == QS_JOB_PENDING)
			measure_pending(look, job, queue);
		else
			measure_held(look, job, queue);
	} else {
		it = list_iterator_create(job->het_job_list);
		while ((one = list_next(it))) {
			/* What it has elsewhere is none of ours. */
			if (qs_nodes_queue(look->view->policy, one) != queue)
				continue;
			if (look->state == QS_JOB_PENDING)
				measure_pending(look, one, queue);
			else if (qs_look_holds(one))
				measure_held(look, one, queue);
		}
		list_iterator_destroy(it);
	}
	for (uint32_t i = 0; i < look->alloc.nplaced; i++)
		add_demand(look, look->alloc.placed[i].type,
			   look->alloc.placed[i].gpus);
	return look->ndemands || look->unknown_type;
}

/* May our reason stand in place of this one? All others are Slurm's to say. */
static bool reason_is_open(uint32_t reason)
{
	switch (reason) {
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	case WAIT_RESOURCES:
	case WAIT_NODE_NOT_AVAIL:
	case WAIT_BURST_BUFFER_RESOURCE:
	case WAIT_BURST_BUFFER_STAGING:
	case WAIT_TIME:
	case WAIT_CLEANING:
	case WAIT_LICENSES: /* if others with GPUs hold them: is_open() */
	case FAIL_BURST_BUFFER_OP:
		return true;
	default:
		return false;
	}
}

static uint32_t copies_of(const job_record_t *job)
{
	const job_array_struct_t *array = job->array_recs;
	uint32_t copies;

	if (!array || !array->task_id_bitmap || array->task_cnt < 2)
		return 1;
	copies = array->task_cnt;
	if (array->max_run_tasks) {
		uint32_t left =
			array->max_run_tasks > array->tot_run_tasks ?
				array->max_run_tasks - array->tot_run_tasks :
				0;

		copies = left < copies ? left : copies;
	}
	return copies;
}

/*
 * slurmctld lets a job wait for its begin time, which it sets to the moment
 * when the job became able to run. Where the clock is set back that moment is
 * to come again, and its owner would wait for as long as the step.
 */
static void note_step(const struct qs_look *look, const job_record_t *job,
		      struct qs_jobrec *rec)
{
	int64_t begin = job->details ? (int64_t)job->details->begin_time : 0;

	if (begin <= look->now)
		rec->fix_clock = false;
	else if (look->set_back && begin <= look->now + look->set_back)
		rec->fix_clock = true;
	if (look->set_back && rec->eligible > look->now)
		rec->eligible -= look->set_back;
}

/* As deadline_ok() of Slurm's schedulers, which cancels it before it asks us;
 * up to 23.02 only they look at that, and not while our reason is shown. */
bool qs_look_too_late(const job_record_t *job, int64_t now)
{
	uint32_t minutes = job->time_min && job->time_min != NO_VAL ?
				   job->time_min :
				   job->time_limit;

	return job->deadline && job->deadline != NO_VAL && minutes != NO_VAL &&
	       minutes != INFINITE &&
	       job->deadline < now + (int64_t)minutes * 60;
}

static bool is_open(const struct qs_look *look, const job_record_t *job,
		    const struct qs_jobrec *rec)
{
	return job->details && job->priority &&
	       !(job->bit_flags & JOB_DEPENDENT) && !IS_JOB_REVOKED(job) &&
	       (job->details->begin_time <= look->now || rec->fix_clock) &&
	       (reason_is_open(job->state_reason) ||
		qs_compat_other_qos(job)) &&
	       !look->lacks_licenses && copies_of(job) &&
	       !qs_look_too_late(job, look->now);
}

/* Seconds in which Slurm may take what it is offered. */
static int64_t patience(const struct qs_jobrec *rec, const job_record_t *job)
{
	bool queued = job->state_reason == WAIT_RESOURCES ||
		      job->state_reason == WAIT_PRIORITY;

	/* That does not change by waiting for a turn. */
	if (job->state_reason == WAIT_LICENSES || qs_compat_other_qos(job))
		return 0;
	return rec->entitled && queued ? QS_OFFER_OWN_SEC : QS_OFFER_SEC;
}

/* It was offered and Slurm did not take it: leave it alone for a while. */
static void give_up_offer(struct qs_jobrec *rec, const job_record_t *job)
{
	int64_t now = qs_tick();

	if (!rec->grant || !rec->offered ||
	    now - rec->offered < patience(rec, job))
		return;
	/* A busy scheduler has not come to it yet: that says nothing. */
	if ((int64_t)job->last_sched_eval == rec->sched_eval &&
	    now - rec->offered < 2 * QS_OFFER_OWN_SEC)
		return;
	rec->grant = 0;
	rec->offered = 0;
	qs_jobrec_rest(rec, QS_BACKOFF_LEAST_SEC,
		       qs_compat_reason(job->state_reason));
	verbose("quota_share: %pJ: Slurm has no place for it (%s): others go first for %d s",
		job, qs_compat_reason(job->state_reason), QS_BACKOFF_LEAST_SEC);
}

/* The pending part of the engine's job and of what we have seen. qs_rt.lock
 * held. */
static void fill_pending(struct qs_look *look, const job_record_t *job,
			 struct qs_jobrec *rec, struct qs_job *out,
			 struct qs_seen *seen)
{
	const struct qs_claim *claim = qs_claim_find(rec->id);
	const char *why;

	note_step(look, job, rec);
	seen->fix_clock = rec->fix_clock;
	seen->open = is_open(look, job, rec);
	seen->reason = job->state_reason;
	seen->ours_shown = qs_look_ours_shown(job);
	seen->same_text = seen->ours_shown && rec->desc &&
			  !strcmp(rec->desc, job->state_desc);
	seen->fix_begin = rec->fix_begin;
	/* Marked dependent until Slurm has looked at it for the first time. */
	if (!seen->open && !rec->kicked && job->priority &&
	    (job->bit_flags & JOB_DEPENDENT) && !job->details->depend_list)
		look->view->kick = rec->kicked = true;
	if (seen->open && !rec->eligible)
		rec->eligible = job->details->begin_time ?
					(int64_t)job->details->begin_time :
					look->now;
	/* Those of before slurmctld's start are in the log already. */
	seen->fresh = !rec->queued && (qs_rt.ledger_valid ||
				       (int64_t)job->details->submit_time >=
					       qs_rt.policy_loaded);
	rec->queued = true;
	/* What was freed for it is kept for ClaimTimeout (R9). */
	if (!claim || claim->dead)
		give_up_offer(rec, job);
	out->copies = copies_of(job);
	out->copies = out->copies ? out->copies : 1;
	out->held = !seen->open;
	out->eligible = rec->eligible ? rec->eligible : look->now;
	why = qs_jobrec_rests(rec);
	/* Only its further tasks rest, not those that could begin all the same. */
	if (why && rec->rest->but) {
		if (out->copies > rec->rest->but)
			out->copies = rec->rest->but;
		why = NULL;
	}
	out->unplaceable = why;
	seen->text = why ? strdup(why) : NULL;
	/* Under another policy who displaces whom begins anew (law 7). */
	if (!rec->displaced_under || !qs_rt.policy ||
	    rec->displaced_under == qs_rt.policy->sum)
		out->displaced_by = rec->displaced_by;
	out->claim = claim && !claim->dead;
	out->claimed = claim ? claim->order : 0;
	out->claim_owed = claim ? claim->owed_before : 0;
	out->claim_tasks = claim ? claim->tasks : 0;
	out->claimed_on = claim ? qs_look_claimed_on(look, claim) : 0;
}

static void note_held(struct qs_jobrec *rec, uint64_t number)
{
	rec->held_look = number;
	if (rec->held)
		return;
	rec->held = true;
	if (qs_rt.ledger_valid) {
		qs_rt.count.ledger_drift++;
		debug("quota_share: JobId=%u began unseen", rec->id);
	}
}

static void fill_job(struct qs_look *look, job_record_t *job,
		     struct qs_jobrec *rec, struct qs_job *out,
		     struct qs_seen *seen)
{
	qs_jobrec_sync(rec, job, look->by);
	rec->seen = rec->looked = rec->ours = true;
	out->id = rec->id;
	/* A share that was given has judged it. */
	if (!look->given && out->share >= 0 &&
	    !qs_request_judged(look->view->policy, out->share, look->by))
		qs_jobrec_limit(rec, look->view->policy->shares[out->share]
					     .max_user_priority);
	out->priority = rec->priority;
	out->preempted = rec->preempted;
	out->retries = rec->retries;
	out->requeue = job->details && job->details->requeue && job->batch_flag;
	out->start = (int64_t)job->start_time;
	if (out->state != QS_JOB_COMPLETING || IS_JOB_PENDING(job) ||
	    (job->job_state & JOB_REQUEUE))
		rec->alive_look = look->number;
	out->eligible = rec->eligible;
	if ((out->state == QS_JOB_RUNNING || out->state == QS_JOB_SUSPENDED) &&
	    qs_jobrec_stopped(rec, job))
		qs_stop_again(
			rec,
			out->share >= 0 ?
				look->view->policy->shares[out->share].name :
				"");
	if (out->state == QS_JOB_PENDING)
		fill_pending(look, job, rec, out, seen);
	else
		out->ends = out->state == QS_JOB_COMPLETING ||
			    qs_stop_find(rec->id);
	/* Nothing calls us when the last node is done. */
	if (out->state == QS_JOB_COMPLETING)
		look->view->soon = true;
	if (out->state == QS_JOB_RUNNING || out->state == QS_JOB_SUSPENDED)
		note_held(rec, look->number);
}

void qs_look_component(const job_record_t *job)
{
	struct qs_jobrec *rec;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(job->job_id);
	if (rec) {
		rec->seen = true;
		/* Only its leader is charged. */
		rec->held = false;
	}
	slurm_mutex_unlock(&qs_rt.lock);
}

/* Places by the snapshot's node indexes; those on other nodes are left out. */
static uint32_t map_places(struct qs_look *look)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < look->alloc.nplaced; i++) {
		struct qs_placed p = look->alloc.placed[i];

		if (look->view->node_map[p.node] < 0)
			continue;
		p.node = (uint32_t)look->view->node_map[p.node];
		look->alloc.placed[n++] = p;
	}
	return n;
}

int qs_look_add(struct qs_look *look, job_record_t *job, int queue, int share)
{
	struct qs_view *view = look->view;
	struct qs_job out = { .share = share,
			      .queue = queue,
			      .state = look->state,
			      .cpus = look->cpus,
			      .copies = 1,
			      .partitions = look->partitions,
			      .need_nodes = look->need_nodes,
			      .unknown_type = look->unknown_type,
			      .nodeset = QS_NODESET_ALL };
	struct qs_seen seen = { .id = job->job_id,
				.user = job->user_id,
				.array_job = job->array_job_id,
				.array_task = job->array_task_id };
	struct qs_jobrec *rec;

	if (!qs_array_room((void **)&view->seen, &view->seen_max,
			   (uint64_t)view->snap->njobs + 1,
			   sizeof(*view->seen)))
		return -1;
	look->lacks_licenses = out.state == QS_JOB_PENDING &&
			       job->state_reason == WAIT_LICENSES &&
			       !qs_licenses_may_come(job, &look->licenses);
	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_add(job->job_id);
	if (rec)
		fill_job(look, job, rec, &out, &seen);
	if (rec && !look->kept)
		qs_kept_note(look, rec, queue, share);
	slurm_mutex_unlock(&qs_rt.lock);
	if (!rec)
		return -1;
	if (out.state == QS_JOB_PENDING && job->details)
		out.nodeset = qs_look_nodeset(look, job);
	view->seen[view->snap->njobs] = seen;
	return qs_snapshot_add_job(view->snap, &out, look->demands,
				   look->ndemands, look->alloc.placed,
				   map_places(look)) < 0 ?
		       -1 :
		       0;
}
