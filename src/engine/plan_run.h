/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_run.h - one evaluation (R6c): whose turn it is; private to plan*.c
 */
#ifndef QS_PLAN_RUN_H
#define QS_PLAN_RUN_H

#include "plan_state.h"
#include "submit.h"

/* Waiting jobs of one share that want one type, in R6a's order. */
struct qs_line {
	uint32_t *jobs;
	uint32_t n, max;
	uint32_t at;      /* the first that is not decided */
	uint32_t own_at;  /* the first not decided that is entitled */
	uint32_t block;   /* those behind this place wait (STRICT); n: nobody */
	uint32_t blocker; /* id of the job that they wait behind */
	uint32_t told;    /* of those, all before this place are decided */
	struct qs_bounds bounds; /* made when first asked for */
	bool bounded;
};

/* A place that is held for a claimant until it is its turn: places in
 * run->held. See plan_claims.c. */
struct qs_hold {
	uint32_t job;
	uint32_t places, nplaces;
};

struct qs_run {
	struct qs_state state;
	struct qs_line *lines; /* [share * ntypes + type] */
	size_t blocked;        /* before this line nobody blocked is left */
	bool *decided;         /* [job] */
	uint32_t *left;        /* [job] tasks not decided */
	struct qs_late {       /* jobs that are not served at all, by id */
		uint32_t id, job;
	} * late;
	uint32_t nlate;
	uint32_t *claims; /* jobs with a claim, by its time */
	uint32_t nclaims;
	struct qs_hold *holds;
	uint32_t nholds, holds_max;
	struct qs_placed *held;
	uint32_t nheld, held_max;
	/* The facts that were asked for last; see plan.c. */
	struct qs_facts facts;
	uint64_t facts_version;
	int32_t facts_share;
	bool facts_good;
	uint32_t decisions_max, victims_max, splits_max, places_max;
};

/* plan_line.c */
bool qs_line_init(struct qs_run *run);
void qs_line_free(struct qs_run *run);
/* Why a waiting job takes no part and holds up nobody: R6b, R15, R16, held,
 * unplaceable. NONE: it takes part. demand: the one that it is for. */
enum qs_code qs_line_excluded(const struct qs_run *run, uint32_t job,
			      uint32_t *demand);
/* The job to serve next, or -1. */
int64_t qs_line_next(struct qs_run *run);
/* The job is decided; leaves the lines. */
void qs_line_done(struct qs_run *run, uint32_t job);
/* R6a STRICT: the job waits for quota; those behind it do not start. Call
 * qs_line_blocked() until it gives -1 to get them. */
void qs_line_block(struct qs_run *run, uint32_t job);
int64_t qs_line_blocked(struct qs_run *run, uint32_t *behind);

/* plan_claims.c */

/* Bring the claims into their order. */
void qs_claims_sort(struct qs_run *run);
/* Hold a place for each task that has a claim, where one is found. */
void qs_claims_hold(struct qs_run *run);
/* It is the job's turn: what was held for it is free. */
void qs_claims_release(struct qs_run *run, uint32_t job);
/* For a while, nothing is held for anybody. */
void qs_claims_suspend(struct qs_run *run, bool suspend);
/* Can the job start beside all that is held, at once or when what is ending has
 * ended? */
bool qs_claims_leave_it(struct qs_run *run, const struct qs_job *job);

/* plan_try.c */

struct qs_trial {
	enum qs_verdict verdict;
	enum qs_how how;
	enum qs_code code;
	uint32_t demand; /* the one that decided */
	bool reserves;
	int64_t until;
	uint32_t behind;
	bool own_room;
};
/* R5 to R8 for one job. START: places and victims are in the state. */
void qs_try_job(struct qs_run *run, const struct qs_job *job,
		struct qs_trial *out);

/* plan_owners.c */

/* From now on, until state->owners_first is reset, GPUs of the job's types
 * that other shares' waiting jobs can take as own are not lendable. */
void qs_owners_first(struct qs_run *run, const struct qs_job *job);
/* Does what owners wait for leave the job what it would borrow? */
bool qs_owners_leave_it(struct qs_run *run, const struct qs_job *job);

#endif
