/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobrec.c - what we remember of a job, by id
 *
 * All of it under qs_rt.lock; nothing here blocks. Records are made by the
 * thread and when a job begins, never in the gate. Its surprise: ids are used
 * again (MaxJobId, or a state folder that was emptied), so every record knows
 * whose it is.
 */
#include "runtime/inner.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 1024

static uint32_t slot(uint32_t id)
{
	return (id * UINT32_C(2654435761)) & (qs_rt.hash_size - 1);
}

uint32_t qs_jobrec_key(const job_record_t *job)
{
	return job->het_job_id ? job->het_job_id : job->job_id;
}

struct qs_jobrec *qs_jobrec_find(uint32_t id)
{
	struct qs_jobrec *rec;

	if (!qs_rt.hash_size)
		return NULL;
	for (rec = qs_rt.hash[slot(id)]; rec && rec->id != id; rec = rec->next)
		;
	return rec;
}

static bool grow(void)
{
	struct qs_jobrec **old = qs_rt.hash;
	uint32_t old_size = qs_rt.hash_size;
	uint32_t size = old_size ? old_size * 2 : FIRST_SIZE;
	struct qs_jobrec **hash = calloc(size, sizeof(*hash));

	if (!hash)
		return old_size != 0; /* full chains are slow, not wrong */
	qs_rt.hash = hash;
	qs_rt.hash_size = size;
	for (uint32_t i = 0; i < old_size; i++) {
		struct qs_jobrec *rec, *next;

		for (rec = old[i]; rec; rec = next) {
			next = rec->next;
			rec->next = hash[slot(rec->id)];
			hash[slot(rec->id)] = rec;
		}
	}
	free(old);
	return true;
}

struct qs_jobrec *qs_jobrec_add(uint32_t id)
{
	struct qs_jobrec *rec = qs_jobrec_find(id);

	if (rec)
		return rec;
	if (qs_rt.nrecs >= qs_rt.hash_size && !grow())
		return NULL;
	rec = calloc(1, sizeof(*rec));
	if (!rec)
		return NULL;
	rec->id = id;
	rec->seen = true;
	rec->next = qs_rt.hash[slot(id)];
	qs_rt.hash[slot(id)] = rec;
	qs_rt.nrecs++;
	return rec;
}

static void forget(struct qs_jobrec *rec)
{
	uint32_t id = rec->id;
	struct qs_jobrec *next = rec->next;
	bool held = rec->held, seen = rec->seen;

	qs_text_drop(rec->desc);
	free(rec->rest);
	*rec = (struct qs_jobrec){
		.id = id, .next = next, .held = held, .seen = seen
	};
}

/*
 * A requeue sets a later submit time and counts restarts up. A later submit
 * time of a job that was never requeued is another job's. Not so of one that
 * was: after a kill -9 slurmctld may do the second half of a requeue once more.
 * While a job is completing, the two are changed one after the other: wait.
 */
static bool other_job(const struct qs_jobrec *rec, const job_record_t *job)
{
	int64_t submit = job->details ? (int64_t)job->details->submit_time : 0;

	if (!rec->submit)
		return false;
	return rec->user != job->user_id ||
	       (submit > rec->submit && !job->restart_cnt);
}

void qs_jobrec_sync(struct qs_jobrec *rec, const job_record_t *job,
		    const job_record_t *by)
{
	struct qs_opt number;

	if (!job->details || IS_JOB_COMPLETING(job))
		return;
	if (other_job(rec, job))
		forget(rec);
	/* A lower count: slurmctld has forgotten a requeue after a kill -9. */
	if (rec->submit && job->restart_cnt > rec->restarts) {
		/* R14: who was preempted keeps the eligible time. Before a
		 * kill -9 it may only have been written that it would be. */
		if (!rec->requeued && !(rec->stopped_start &&
					rec->stopped_restarts == rec->restarts))
			rec->eligible = 0;
		rec->requeued = false;
	}
	rec->user = job->user_id;
	rec->submit = (int64_t)job->details->submit_time;
	rec->restarts = job->restart_cnt;
	if (rec->known)
		return;
	if (!qs_env_number(by->spank_job_env, by->spank_job_env_size,
			   QS_ENV_PRIORITY, QS_PRIORITY_MAX, &number))
		rec->priority = (uint32_t)number.value;
	if (!qs_env_number(by->spank_job_env, by->spank_job_env_size,
			   QS_ENV_RETRIES, UINT32_MAX, &number))
		rec->retries = number;
	rec->known = true;
}

void qs_jobrec_limit(struct qs_jobrec *rec, uint32_t most)
{
	if (rec->priority <= most)
		return;
	qs_log_later("priority_changed",
		     ",\"job\":%u,\"uid\":%u,\"before\":%u,\"priority\":%u",
		     rec->id, rec->user, rec->priority, most);
	rec->priority = most;
	qs_rt.state_dirty = true;
}

bool qs_jobrec_stopped(const struct qs_jobrec *rec, const job_record_t *job)
{
	return rec->stopped_done &&
	       rec->stopped_start == (int64_t)job->start_time &&
	       rec->stopped_restarts == job->restart_cnt;
}

void qs_jobrec_set_desc(struct qs_jobrec *rec, const char *text)
{
	const char *before = rec->desc;

	if (before && text && !strcmp(before, text))
		return;
	rec->desc = text ? qs_text_take(text) : NULL;
	qs_text_drop(before);
}

void qs_jobrec_rest(struct qs_jobrec *rec, int64_t least, const char *why)
{
	if (!rec->rest)
		rec->rest = calloc(1, sizeof(*rec->rest));
	if (!rec->rest)
		return;
	rec->rest->until = qs_tick() + QS_BACKOFF_SEC;
	rec->rest->least = qs_tick() + least;
	rec->rest->ends = qs_rt.ends;
	rec->rest->but = 0;
	snprintf(rec->rest->why, sizeof(rec->rest->why), "%s", why);
}

const char *qs_jobrec_rests(const struct qs_jobrec *rec)
{
	const struct qs_rest *rest = rec->rest;
	int64_t now = rest ? qs_tick() : 0;

	if (!rest || (now >= rest->least &&
		      (now >= rest->until || rest->ends != qs_rt.ends)))
		return NULL;
	return rest->why;
}

static void drop(struct qs_jobrec *rec)
{
	qs_text_drop(rec->desc);
	free(rec->rest);
	free(rec);
}

void qs_jobrec_sweep(void)
{
	for (uint32_t i = 0; i < qs_rt.hash_size; i++) {
		struct qs_jobrec **at = &qs_rt.hash[i], *rec;

		while ((rec = *at)) {
			if (!rec->seen && rec->gone) {
				*at = rec->next;
				drop(rec);
				qs_rt.nrecs--;
				continue;
			}
			rec->gone = !rec->seen;
			rec->seen = false;
			at = &rec->next;
		}
	}
}

void qs_jobrec_clear(void)
{
	for (uint32_t i = 0; i < qs_rt.hash_size; i++) {
		struct qs_jobrec *rec, *next;

		for (rec = qs_rt.hash[i]; rec; rec = next) {
			next = rec->next;
			drop(rec);
		}
	}
	free(qs_rt.hash);
	qs_rt.hash = NULL;
	qs_rt.hash_size = qs_rt.nrecs = 0;
}
