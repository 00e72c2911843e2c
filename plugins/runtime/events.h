/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - what happened between two looks: to the event log, to accounting
 */
#ifndef QS_RUNTIME_EVENTS_H
#define QS_RUNTIME_EVENTS_H

#include "compat/compat.h"

#include "engine/plan.h"

struct qs_jobrec;
struct qs_view;

/* Is there anything to note? Then the view's turns are needed. Our thread. */
bool qs_events_differ(const struct qs_view *view);
/* Our thread, before old is freed; old NULL: there was none. Writes to the
 * event log. No lock held. */
void qs_events_note(struct qs_view *old, const struct qs_view *view);
/* qs_rt.lock held. */
void qs_events_clear(void);

/* A job's run ends, or it leaves without one: how, for its line. rec may be
 * NULL. slurmctld's job write lock and qs_rt.lock held. */
void qs_events_ended(const job_record_t *job, struct qs_jobrec *rec);

/* Slurm's word for how a run ended. */
const char *qs_events_state(uint32_t job_state);

/* waits.c: who waits anew, who left without a run, who can never start. Our
 * thread, before old is freed; old NULL: there was none. No lock held. */
void qs_waits_note(const struct qs_view *old, const struct qs_view *view);

/* service.c: how many GPUs are in service, where that has changed. Our thread,
 * before old is freed; old NULL: there was none. No lock held. */
void qs_service_note(const struct qs_view *old, const struct qs_view *view);
/* qs_rt.lock held. */
void qs_service_clear(void);

/* observe.c. R19: Slurm started these jobs since the look of old, which may be
 * NULL. Our thread, no lock. */
void qs_observe_starts(struct qs_view *old, const struct qs_view *view,
		       const uint32_t *ids, uint32_t n);
/* R19: the k-th victim of a decision would be stopped. Our thread, no lock. */
void qs_observe_preempt(const struct qs_view *view,
			const struct qs_decision *decision, uint32_t k);
/* R19: a submission that would have been refused. Any thread, no lock of ours
 * held. */
void qs_runtime_would_refuse(uint32_t uid, const char *text);

/*
 * A job's run ends: what it was charged goes into its accounting record, unless
 * a site has a comment there. slurmctld's job write lock and qs_rt.lock held;
 * before the record is written.
 */
void qs_events_comment(job_record_t *job);

#endif
