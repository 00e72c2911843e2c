/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - what happened between two looks: to the event log, to accounting
 */
#ifndef QS_RUNTIME_EVENTS_H
#define QS_RUNTIME_EVENTS_H

#include "compat/compat.h"

#include "engine/plan.h"

struct qs_stop;
struct qs_view;

/* Our thread, before old is freed; old NULL: there was none. Writes to the
 * event log. No lock held. */
void qs_events_note(struct qs_view *old, const struct qs_view *view);
/* qs_rt.lock held. */
void qs_events_clear(void);

/* R19: the k-th victim of a decision would be stopped. Our thread, no lock. */
void qs_events_would_preempt(const struct qs_view *view,
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

/* A log of more than so many bytes becomes PATH.1, that one PATH.2, … ; the
 * oldest goes. Called before a line is written, with the open file. True: it
 * was moved, open it anew. */
#define QS_LOG_BYTES (32L * 1024 * 1024)
#define QS_LOG_KEPT  4
bool qs_events_rotate(const char *path, int fd);

#endif
