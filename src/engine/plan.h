/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - the planner: who starts, who waits and why, who has to go
 *
 * SEMANTICS sections 2 to 5 as one pure function of a snapshot (R23). It reads
 * no clock and does no I/O; it allocates, so it is never called in a scheduler's
 * hot callbacks. One call evaluates all queues (R6c).
 */
#ifndef QS_PLAN_H
#define QS_PLAN_H

#include "ledger.h"
#include "snapshot.h"

enum qs_verdict {
	QS_VERDICT_START,
	QS_VERDICT_WAIT,
	QS_VERDICT_NEVER, /* R6b */
};

enum qs_how {
	QS_HOW_NONE,     /* verdict is not START */
	QS_HOW_OWN,      /* R5 */
	QS_HOW_BORROW,   /* R6 */
	QS_HOW_RECLAIM,  /* R7 */
	QS_HOW_IN_SHARE, /* R8 */
};

enum qs_code {
	QS_CODE_NONE,
	/* START */
	QS_CODE_QUOTA,
	QS_CODE_PLACEMENT, /* also WAIT: no node can take it */
	QS_CODE_PRIORITY,
	/* WAIT */
	QS_CODE_LIMIT,
	QS_CODE_NOTHING_LENDABLE,
	QS_CODE_ORDER,
	QS_CODE_ENDING,
	QS_CODE_CLAIMED,
	QS_CODE_PROTECTED,
	QS_CODE_NODES_DOWN,
	QS_CODE_HELD,
	QS_CODE_SHARE_DISABLED,
	QS_CODE_SHARE_REMOVED,
	QS_CODE_IN_SHARE_OFF,
	/* NEVER, in the order in which they are tried */
	QS_CODE_UNKNOWN_TYPE,
	QS_CODE_OVER_QUEUE,
	QS_CODE_OVER_LIMIT,
	QS_CODE_OVER_BORROW_LIMIT,
	QS_CODE_OVER_LENDABLE,
};

/* Which step of R10 put a victim before the next best candidate (R22). */
enum qs_chosen {
	QS_CHOSEN_ONLY,     /* there was no other candidate */
	QS_CHOSEN_SHARE,    /* step 1 */
	QS_CHOSEN_PRIORITY, /* step 2 */
	QS_CHOSEN_FIT,      /* step 3 */
	QS_CHOSEN_DURATION, /* step 4 */
	QS_CHOSEN_JOB_ID,   /* the last tie */
	QS_CHOSEN_PLACE,    /* its node is the one that costs least (R10a) */
};

struct qs_victim {
	uint32_t job; /* index in the snapshot */
	uint32_t id;
	uint32_t gpus;   /* it holds of the types wanted */
	uint32_t beyond; /* of these beyond its share's capacity */
	uint8_t chosen;  /* enum qs_chosen */
	bool over_limit; /* some of what it holds is over limit (R8a) */
};

/* Numbers behind a decision for one type, as they were when it was made. There is
 * one for each job that waits, so GPUs are counted in 32 bits; what is beyond them
 * stands as QS_FACT_MAX. */
#define QS_FACT_MAX INT32_MAX

struct qs_facts {
	int64_t until;   /* PROTECTED: when the first protection ends */
	uint32_t need;   /* GPUs the job asks of the type */
	uint32_t behind; /* ORDER: id of the job before it; CLAIMED: whose */
	int32_t capacity;
	int32_t limit;        /* QS_FACT_MAX: unlimited */
	int32_t used;         /* by the share, with the decisions before */
	int32_t lendable;     /* R6, to this share; may be negative */
	int32_t lendable_max; /* all that others could ever lend it */
	int32_t pool;         /* queue's capacity */
	int32_t ending;       /* GPUs of the type on their way out */
	int32_t missing;      /* GPUs out of service */
	uint16_t type;        /* the type that decides; first of the job's */
	bool own_room;        /* CLAIMED: it would fill that job's own room */
};

struct qs_decision {
	uint32_t job; /* index in the snapshot */
	uint32_t id;
	int32_t share;   /* index, or QS_SHARE_REMOVED */
	uint8_t verdict; /* enum qs_verdict */
	uint8_t how;     /* enum qs_how */
	uint8_t code;    /* enum qs_code */
	/* WAIT: what it needs is kept for it (R9) */
	bool reserves;
	/* START with victims: GPUs of a type that others owed before, at most.
	 * They were not this job's business, and while its victims go its
	 * claim must not be asked for them. */
	uint32_t owed_before;
	/* An array record is served once per task that starts; the tasks that
	 * wait share one decision. START: always 1. WAIT: tasks waiting. */
	uint32_t copies;
	/* ascending id; in plan->victims */
	uint32_t victims, nvictims;
	/* how the START is charged, per demand of the job; in plan->splits */
	uint32_t splits, nsplits;
	/* START with nodes given; by node name, then type; in plan->places */
	uint32_t places, nplaces;
	struct qs_facts facts;
};

/* START: of so many GPUs of a type, which part is own, which borrowed. */
struct qs_split {
	uint32_t own, borrowed;
	uint16_t type;
};

struct qs_plan {
	struct qs_decision *decisions; /* in the order they were served */
	uint32_t ndecisions;
	struct qs_victim *victims;
	uint32_t nvictims;
	struct qs_split *splits;
	uint32_t nsplits;
	struct qs_placed *places;
	uint32_t nplaces;
	/* the shares before the decisions; see qs_ledger_rows() */
	struct qs_row *rows;
	uint32_t nrows;
};

/*
 * Plan a snapshot. NULL with errno ENOMEM. The snapshot is not changed and
 * must outlive nothing: the plan holds no pointer into it.
 */
struct qs_plan *qs_plan_make(const struct qs_snapshot *snap);
void qs_plan_free(struct qs_plan *plan);

/* The decision of a job id; of an array record that starts some of its tasks
 * and keeps others waiting, the first START. NULL if there is none. */
const struct qs_decision *qs_plan_find(const struct qs_plan *plan, uint32_t id);

/* R6a, STRICT: does a job that waits with this code hold up those of its share
 * behind it, because it waits for quota? reserves: of its decision. */
bool qs_code_holds_up(enum qs_code code, bool reserves);

/* Words of SCENARIO.md; "" for NONE. Never NULL. */
const char *qs_verdict_name(enum qs_verdict verdict);
const char *qs_how_name(enum qs_how how);
const char *qs_code_name(enum qs_code code);

#endif
