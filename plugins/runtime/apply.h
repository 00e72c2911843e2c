/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apply.h - between apply.c (grants, reasons) and apply_claim.c (victims)
 */
#ifndef QS_RUNTIME_APPLY_H
#define QS_RUNTIME_APPLY_H

#include "runtime/look.h"

/* Longest text in a state_desc, with the end. */
#define QS_DESC_SIZE (QS_REASON_MAX + 96)
/* Texts of which only the numbers changed are renewed so often. */
#define QS_REFRESH_US 1000000

/* Has a job to be changed under the write locks? */
enum qs_todo {
	QS_TODO_NOTHING,
	QS_TODO_ALONG, /* if they are taken anyway */
	QS_TODO_NOW,
};

/* What the plan says for one job. */
struct qs_want {
	uint32_t grants; /* tasks that may start now */
	uint32_t claims; /* tasks that start once others are gone */
	uint32_t coming; /* tasks that start with nobody else stopped */
	uint32_t served; /* tasks whose decision was read so far */
	bool refused;    /* a task was; those behind it would be, too */
	uint32_t rank;   /* from 1, in the plan's order */
	const struct qs_decision *grant; /* the first of the grants */
	const struct qs_decision *say;   /* what a waiting job is told */
	uint64_t said; /* sum of what its text is made of; 0: not known */
	uint8_t todo;  /* enum qs_todo */
};

/* The text that a waiting job shows. */
void qs_apply_text(const struct qs_view *view, const struct qs_want *want,
		   uint32_t job, char *text, size_t size);

/* Fills todo of all. Is anything to be done now? qs_rt.lock held. */
bool qs_apply_todo(const struct qs_view *view, struct qs_want *wants,
		   bool enforce);

/* Gives the write locks up for a moment if they were held for QS_HOLD_US. False:
 * what the plan says is not good any more. */
bool qs_apply_breathe(struct qs_view *view, struct qs_want *wants);
/* Decisions with victims: confirm with Slurm, remember. Write locks held; false
 * as above. */
bool qs_apply_claims(struct qs_view *view, struct qs_want *wants);

/* coming.c: fills coming of all, for qs_coming_each(); view and wants must stay
 * until qs_coming_drop(). False: no memory. No lock needed. */
bool qs_coming_gather(const struct qs_view *view, struct qs_want *wants);
void qs_coming_drop(void);
/* Is what ends kept for it? */
bool qs_coming_waits(const struct qs_decision *decision);
/* For so many tasks the snapshot's job had claimed. */
uint32_t qs_coming_claimed(const struct qs_view *view, uint32_t index);
/* R19: the same are only written down. No lock held. */
void qs_apply_observe(const struct qs_view *view, const struct qs_want *wants);

#endif
