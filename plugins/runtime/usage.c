/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage.c - what a job's limits are judged by, as it will be
 *
 * The counters of a job's QOS (whole, for its user, for its account) and of its
 * associations: only these are asked when Slurm judges the job. limits.c adds
 * who is coming and takes off who leaves, asks Slurm, and has every number put
 * back, all under the association manager's write lock, so nobody sees it.
 *
 * Slurm itself does so for the parts of a het job in backfill: begin and end of
 * the accounting, acct_policy_job_begin() and _fini(), one after the other. Both
 * do more: they take the lock one by one, so that clients see the numbers
 * between, stop the job's ageing and may split an array for that, take a job in
 * several partitions off the submitted jobs of all but one for good, and report
 * an error for each job that is not part of a het job.
 *
 * Its surprises: what comes to run until its time limit is counted with it
 * (GrpTRESRunMins), but what leaves does not give that back, since what is left
 * of it is known to the priority plugin only. And nodes are counted per job, also
 * where jobs share them. Both err to the side on which nobody is stopped.
 */
#include "runtime/usage.h"

#include <stdlib.h>

#include "engine/array.h"

#include "src/slurmctld/acct_policy.h"

static bool add(struct qs_usage *usage, const struct qs_counter *counter)
{
	if (!qs_array_room((void **)&usage->counters, &usage->max,
			   (uint64_t)usage->n + 1, sizeof(*usage->counters)))
		return false;
	usage->counters[usage->n] = *counter;
	usage->counters[usage->n++].jobs_were = *counter->jobs;
	return true;
}

static bool add_part(struct qs_usage *usage, enum qs_scope scope,
		     const void *qos, slurmdb_used_limits_t *part)
{
	return add(usage, &(struct qs_counter){
				  .scope = scope,
				  .of = qos,
				  .jobs = &part->jobs,
				  .tres = part->tres,
				  .run_secs = qs_compat_run_secs(part),
			  });
}

static bool add_qos(struct qs_usage *usage, slurmdb_qos_rec_t *qos)
{
	const job_record_t *job = usage->job;
	slurmdb_qos_usage_t *of = qos ? qos->usage : NULL;

	if (!of)
		return true;
	return add(usage,
		   &(struct qs_counter){
			   .scope = QS_SCOPE_QOS,
			   .of = qos,
			   .jobs = &of->grp_used_jobs,
			   .tres = of->grp_used_tres,
			   .run_secs = of->grp_used_tres_run_secs,
		   }) &&
	       add_part(usage, QS_SCOPE_USER, qos,
			acct_policy_get_user_used_limits(&of->user_limit_list,
							 job->user_id)) &&
	       add_part(usage, QS_SCOPE_ACCOUNT, qos,
			acct_policy_get_acct_used_limits(&of->acct_limit_list,
							 job->assoc_ptr->acct));
}

static bool add_assocs(struct qs_usage *usage)
{
	slurmdb_assoc_rec_t *assoc = usage->job->assoc_ptr;

	for (; assoc && assoc->usage; assoc = assoc->usage->parent_assoc_ptr) {
		slurmdb_assoc_usage_t *of = assoc->usage;

		if (!add(usage, &(struct qs_counter){
					.scope = QS_SCOPE_ASSOC,
					.of = assoc,
					.jobs = &of->used_jobs,
					.tres = of->grp_used_tres,
					.run_secs = of->grp_used_tres_run_secs,
				}))
			return false;
	}
	return true;
}

/* Both arrays of a counter, one after the other. */
static uint64_t *kept(const struct qs_usage *usage, uint32_t counter)
{
	return usage->were + (size_t)counter * 2 * (size_t)slurmctld_tres_cnt;
}

static bool keep(struct qs_usage *usage)
{
	size_t cnt = (size_t)slurmctld_tres_cnt;

	usage->were = calloc((size_t)usage->n * 2 * cnt + 1, sizeof(uint64_t));
	for (uint32_t i = 0; usage->were && i < usage->n; i++) {
		const struct qs_counter *c = &usage->counters[i];

		if (c->tres)
			memcpy(kept(usage, i), c->tres, cnt * sizeof(uint64_t));
		if (c->run_secs)
			memcpy(kept(usage, i) + cnt, c->run_secs,
			       cnt * sizeof(uint64_t));
	}
	return usage->were;
}

bool qs_usage_open(struct qs_usage *usage, job_record_t *job)
{
	slurmdb_qos_rec_t *first, *second;

	*usage = (struct qs_usage){ .job = job };
	if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS) ||
	    !job->assoc_ptr)
		return true;
	acct_policy_set_qos_order(job, &first, &second);
	if (add_qos(usage, first) && add_qos(usage, second) &&
	    add_assocs(usage) && keep(usage))
		return true;
	free(usage->counters);
	*usage = (struct qs_usage){ 0 };
	return false;
}

void qs_usage_close(struct qs_usage *usage)
{
	size_t cnt = (size_t)slurmctld_tres_cnt;

	for (uint32_t i = 0; i < usage->n; i++) {
		const struct qs_counter *c = &usage->counters[i];

		*c->jobs = c->jobs_were;
		if (c->tres)
			memcpy(c->tres, kept(usage, i), cnt * sizeof(uint64_t));
		if (c->run_secs)
			memcpy(c->run_secs, kept(usage, i) + cnt,
			       cnt * sizeof(uint64_t));
	}
	free(usage->were);
	free(usage->counters);
	*usage = (struct qs_usage){ 0 };
}

/* A job as the counters see it. */
struct member {
	const job_record_t *job;
	slurmdb_qos_rec_t *first, *second;
};

static bool is_below(const slurmdb_assoc_rec_t *assoc, const void *above)
{
	while (assoc && assoc != above)
		assoc = assoc->usage ? assoc->usage->parent_assoc_ptr : NULL;
	return assoc;
}

static bool counts(const struct qs_usage *usage, const struct qs_counter *c,
		   const struct member *m)
{
	const slurmdb_assoc_rec_t *assoc = m->job->assoc_ptr;

	if (c->scope == QS_SCOPE_ASSOC)
		return is_below(assoc, c->of);
	if (!assoc || (m->first != c->of && m->second != c->of))
		return false;
	if (c->scope == QS_SCOPE_USER)
		return m->job->user_id == usage->job->user_id;
	return c->scope == QS_SCOPE_QOS ||
	       !xstrcmp(assoc->acct, usage->job->assoc_ptr->acct);
}

static struct member member_of(job_record_t *job)
{
	struct member m = { .job = job };

	acct_policy_set_qos_order(job, &m.first, &m.second);
	return m;
}

/* As acct_policy_job_begin() counts: without energy, which is known only
 * afterwards. */
static bool is_counted(const uint64_t *tres, int i)
{
	return i != TRES_ARRAY_ENERGY && tres[i] != NO_CONSUME_VAL64;
}

/* Slurm adds to these: leave room. */
#define MOST (UINT64_MAX / 2)

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? MOST : product;
}

static void more(uint64_t *to, uint64_t by)
{
	if (__builtin_add_overflow(*to, by, to) || *to > MOST)
		*to = MOST;
}

/* As long as it may run: as select_nodes() sets it at the start. */
static uint64_t limit_secs(const job_record_t *job)
{
	uint64_t minutes = job->time_limit;
	double factor = job->qos_ptr ? job->qos_ptr->usage_factor : -1;

	if (minutes == NO_VAL && job->part_ptr) {
		minutes = job->part_ptr->default_time;
		if (minutes == NO_VAL)
			minutes = job->part_ptr->max_time;
	}
	if (factor < 0)
		return minutes * 60;
	return (uint64_t)((double)minutes * 60 * factor);
}

void qs_usage_more(struct qs_usage *usage, const job_record_t *other,
		   uint32_t tasks)
{
	const uint64_t *tres = other->tres_req_cnt;
	uint64_t secs = usage->n ? limit_secs(other) : 0;
	struct member m;

	if (!usage->n || !tres)
		return;
	m = member_of((job_record_t *)other);
	for (uint32_t k = 0; k < usage->n; k++) {
		struct qs_counter *c = &usage->counters[k];

		if (!counts(usage, c, &m))
			continue;
		*c->jobs += tasks;
		for (int i = 0; i < slurmctld_tres_cnt; i++) {
			uint64_t by;

			if (!tres[i] || !is_counted(tres, i))
				continue;
			by = times(tres[i], tasks);
			if (c->tres)
				more(&c->tres[i], by);
			if (c->run_secs)
				more(&c->run_secs[i], times(by, secs));
		}
	}
}

/* What has ended is off the counters already, since deallocate_nodes(), while
 * its nodes are still at work. */
static bool is_in(const job_record_t *job)
{
	return job->tres_alloc_cnt && !IS_JOB_COMPLETING(job) &&
	       (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job));
}

void qs_usage_less(struct qs_usage *usage, job_record_t *victim)
{
	const uint64_t *tres = victim->tres_alloc_cnt;
	struct member m;

	if (!usage->n || !is_in(victim))
		return;
	m = member_of(victim);
	for (uint32_t k = 0; k < usage->n; k++) {
		struct qs_counter *c = &usage->counters[k];

		if (!counts(usage, c, &m))
			continue;
		*c->jobs -= *c->jobs ? 1 : 0;
		for (int i = 0; c->tres && i < slurmctld_tres_cnt; i++)
			if (is_counted(tres, i))
				c->tres[i] -= c->tres[i] < tres[i] ?
						      c->tres[i] :
						      tres[i];
	}
}
