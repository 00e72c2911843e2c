/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look_kept.c - what was measured of a job is kept until the job is another
 *
 * Part of the look (look.c): same caller, same read locks. In a queue of ten
 * thousand nearly every job is as it was a second ago; to read its request, its
 * share and its partition anew took most of a look. What was measured is kept
 * with a print of what it was measured of: the places and sizes of the record's
 * parts, the policy, slurm.conf, the partitions.
 *
 * A record can be changed inside parts that stay where they are. That goes
 * through update_job(), which asks our job_submit plugin first; it makes us
 * forget (qs_runtime_changed()). Its surprise: that is not relied upon. One job
 * in KEPT_LOOKS is measured all the same, another one at each look, so whatever
 * else may change a record is seen within some seconds, and counted.
 *
 * Kept is only what is plain: one type; of a running job one node; no part of a
 * het job; a request that means the same whatever nodes there are; a share that
 * was given at submission and not since.
 */
#include "runtime/look.h"

#include "src/common/job_resources.h"

#include "runtime/mix.h"

#define KEPT_LOOKS 16

static uint64_t mix_place(uint64_t sum, const void *place)
{
	return qs_mix(sum, (uint64_t)(uintptr_t)place);
}

static uint64_t mix_details(uint64_t sum, const job_details_t *d)
{
	sum = mix_place(sum, d);
	sum = mix_place(sum, d->req_nodes);
	sum = mix_place(sum, d->mc_ptr);
	sum = qs_mix(sum, (uint64_t)d->min_nodes << 32 | d->max_nodes);
	sum = qs_mix(sum, (uint64_t)d->num_tasks << 32 | d->min_cpus);
	sum = qs_mix(sum, (uint64_t)d->cpus_per_task << 32 |
				  (uint64_t)d->ntasks_per_node << 16 |
				  (uint64_t)d->whole_node << 8 | d->overcommit);
	return qs_mix(sum, d->pn_min_memory);
}

/* 0: not to be kept. */
static uint64_t print_of(const struct qs_look *look, const job_record_t *job)
{
	uint64_t sum = look->base;

	if (job->het_job_id || !job->details || !job->partition ||
	    (job->job_state != JOB_PENDING && job->job_state != JOB_RUNNING &&
	     job->job_state != JOB_SUSPENDED))
		return 0;
	sum = qs_mix(sum, (uint64_t)job->job_id << 32 | job->job_state);
	sum = qs_mix(sum, (uint64_t)job->user_id << 32 | job->restart_cnt);
	sum = mix_place(sum, job->account);
	sum = mix_place(sum, job->partition);
	sum = mix_place(sum, job->part_ptr);
	sum = mix_place(sum, job->spank_job_env);
	sum = qs_mix(sum, job->spank_job_env_size);
	if (job->job_state == JOB_PENDING) {
		sum = mix_place(sum, job->gres_list_req);
		sum = mix_details(sum, job->details);
	} else {
		sum = mix_place(sum, job->gres_list_alloc);
		sum = mix_place(sum, job->job_resrcs);
		sum = mix_place(sum, job->node_bitmap);
		sum = qs_mix(sum, (uint64_t)job->start_time);
		sum = qs_mix(sum,
			     (uint64_t)job->total_cpus << 32 | job->node_cnt);
	}
	return sum ? sum : 1;
}

void qs_kept_begin(struct qs_look *look, uint64_t generation)
{
	uint64_t sum = qs_mix(qs_rt.reconfigs, generation);

	look->base = qs_mix(sum, (uint64_t)last_part_update);
}

bool qs_kept_use(struct qs_look *look, const job_record_t *job, int *queue,
		 int *share)
{
	const struct qs_kept *kept = NULL;
	const struct qs_jobrec *rec;

	look->print = print_of(look, job);
	look->kept = false;
	if (!look->print || (look->number + job->job_id) % KEPT_LOOKS == 0)
		return false;
	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(job->job_id);
	if (rec && rec->kept.print == look->print)
		kept = &rec->kept;
	if (kept) {
		*queue = kept->queue;
		*share = kept->share;
		look->partitions = kept->partitions;
		look->demands[0] = kept->demand;
		look->alloc.nplaced = 0;
		if (kept->place.gpus)
			qs_look_place(look, &kept->place);
		look->need_nodes = kept->need_nodes;
		look->cpus = kept->cpus;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	if (!kept)
		return false;
	look->ndemands = 1;
	look->kept = true;
	look->unknown_type = look->uneven = look->by_pool = false;
	look->least = look->most = 0;
	look->state = qs_look_state(job);
	look->given = true;
	return true;
}

static bool same(const struct qs_kept *a, const struct qs_kept *b)
{
	return a->partitions == b->partitions &&
	       a->demand.gpus == b->demand.gpus &&
	       a->demand.type == b->demand.type &&
	       a->place.node == b->place.node &&
	       a->place.gpus == b->place.gpus &&
	       a->place.type == b->place.type &&
	       a->need_nodes == b->need_nodes && a->cpus == b->cpus &&
	       a->queue == b->queue && a->share == b->share;
}

void qs_kept_note(const struct qs_look *look, struct qs_jobrec *rec, int queue,
		  int share)
{
	bool runs = look->state != QS_JOB_PENDING;
	struct qs_kept kept = { .print = look->print,
				.partitions = look->partitions,
				.need_nodes = look->need_nodes,
				.cpus = look->cpus,
				.queue = (int16_t)queue,
				.share = share };

	if (!look->print || !look->given || look->ndemands != 1 ||
	    look->unknown_type || look->by_pool ||
	    look->alloc.nplaced != (runs ? 1u : 0u)) {
		rec->kept.print = 0;
		return;
	}
	kept.demand = look->demands[0];
	if (runs)
		kept.place = look->alloc.placed[0];
	if (rec->kept.print == kept.print && !same(&rec->kept, &kept)) {
		qs_rt.count.kept_drift++;
		debug("quota_share: JobId=%u is not what a look had kept of it",
		      rec->id);
	}
	rec->kept = kept;
}
