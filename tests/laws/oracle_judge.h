/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_judge.h - what the rules say about one waiting job at one moment
 *
 * Internal to the oracle.
 */
#ifndef LAW_ORACLE_JUDGE_H
#define LAW_ORACLE_JUDGE_H

#include "oracle_state.h"

#define CODE(c) (1u << QS_CODE_##c)

struct judgement {
	enum qs_verdict verdict;
	enum qs_how how;
	uint32_t codes; /* bits: any of these is right */
	bool exact;     /* the victims are exactly those below */
	bool either;    /* START with victims or WAIT: rules leave it open */
	uint32_t reserve_codes; /* bits: waiting for these keeps its need */
	uint32_t nvictims;
	uint32_t victims[LAW_HOLDERS]; /* holders */
};

/* R5: asked with what ends still counted as used. */
bool law_entitled(const struct state *st, const struct law_job *job);
/* R5 without a debt, or R6, for all types of the job. */
bool law_own_or_borrow(struct state *st, const struct law_job *job,
		       enum when when);

/* The same of one type. */
bool law_own_or_borrow_type(struct state *st, const struct law_job *job, int t,
			    enum when when);
/* What the start adds to the debt; what was owed before is taken with nobody
 * gone, or as the job's claim has it. */
int64_t law_owed(struct state *st, const struct law_job *job, int t,
		 enum when when);

/* Would the job be own, as things are then? */
bool law_will_be_own(const struct state *st, const struct law_job *job,
		     enum when when);
/* R9: does a claimant of the share wait for own room of the type? Who goes
 * beyond would fill that by R4; one with a claim was asked before. */
bool law_own_is_kept(const struct state *st, const struct law_job *job, int t);

void law_judge(struct state *st, const struct law_job *job,
	       struct judgement *out);

/* Is the holder one that R7 (or R8) may take for this job? */
bool law_may_take(struct state *st, const struct law_job *job, int holder,
		  enum qs_how how, bool protected_too);
/* Would the job start without the holders marked gone? */
bool law_suffices(struct state *st, const struct law_job *job, enum qs_how how);
/* R7 once more for all that are marked gone: is each still beyond, of a type
 * still lacking, while the others are gone? Else an own job is taken (law 2).
 * strict: nodes that lack only the types together need nobody. */
bool law_all_may_go(struct state *st, const struct law_job *job,
		    enum qs_how how, bool protected_too, bool strict);
/*
 * 0: there is no set; 2: there is one, and it must be found; 1: there is one
 * that the rules do not lead to without doubt: it takes a job which would be
 * own by then, or serves several types at once.
 */
int law_search(struct state *st, const struct law_job *job, enum qs_how how,
	       bool protected_too, struct judgement *out);

#endif
