/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_state.h - the planner's working tables; private to src/engine/plan*.c
 *
 * Counts are kept so that questions can be asked without copying:
 *   NOW        everything that is held counts, also what is ending
 *   ENDED      what is ending is gone: idle and ending GPUs are counted before
 *              any job is stopped (R9, law 5)
 *   REAL       what is held at this very instant: who waits for an end (a start
 *              with victims, a claimant) does not count yet
 *   UNCLAIMED  like ENDED, and nothing is kept for waiting jobs; only asked to
 *              tell why a job waits
 * A victim is a job that was moved from running to ending.
 *
 * Shares of the policy come first; behind them one pseudo share per queue
 * stands for jobs of removed shares: capacity 0, all of it on loan (R16).
 */
#ifndef QS_PLAN_STATE_H
#define QS_PLAN_STATE_H

#include "plan.h"

enum qs_view {
	QS_VIEW_NOW,
	QS_VIEW_REAL, /* for what is owed only */
	QS_VIEW_ENDED,
	QS_VIEW_UNCLAIMED,
	QS_VIEWS,
};

/* A share and a type. Units: GPUs. The first three, and the queue, are the
 * policy's; asked so often that they are kept with the counts. */
struct qs_cell {
	int64_t capacity;
	int64_t lends;    /* at most (R3a); 0 for removed shares */
	int64_t limit;    /* R3; INT64_MAX: unlimited, and for removed shares */
	int64_t held;     /* by running and ending jobs and started ones */
	int64_t ending;   /* the part of held that is on its way out */
	int64_t waiting;  /* the part of held that waits for an end */
	int64_t reserved; /* the part of held that waiting jobs keep (R9) */
	/* Job indexes in R4's order, without those that ended before the
	 * plan was made; victims stay and are skipped. */
	uint32_t *order;
	uint32_t n, max;
	uint32_t lowest; /* priority of any in it; good while n > 0 */
	int32_t queue;
	bool sorted; /* it is in that order; see qs_order_sort() */
	/* What the share's waiting jobs can take as own of what will be idle;
	 * good while wanted_at is state->version + 1. See plan_owners.c. */
	int64_t wanted;
	uint64_t wanted_at;
	int64_t stuck;  /* the part of qs_state.stuck that it has */
	bool may_stick; /* one of its jobs is on a node that is not up */
	/* R9: own room is kept for this claimant (id), 0: for nobody. */
	uint32_t own_for;
};

/* Loans and what is lent of a queue's type, before any question; kept while
 * nothing changes. */
struct qs_sums {
	int64_t loans, lent;
	uint64_t at; /* state->touched + 1 when they were made; 0: never */
};

/* A search of nodes that found none; kept while nothing changes, since jobs
 * that ask for as much or more would search in vain too. */
struct qs_vain {
	uint64_t at; /* state->touched + 1 when it was made; 0: never */
	int32_t queue, nodeset;
	uint32_t claimed_on; /* 0, or as in qs_job: where it is claimed */
	uint64_t partitions;
	uint32_t nodes;      /* wanted, or QS_NODES_ANY */
	uint32_t gpus, cpus; /* in total */
};

/* What one node must give a job: GPUs by demand, and CPUs. */
struct qs_need {
	uint32_t gpus[QS_TYPES_MAX];
	uint32_t cpus;
};

/* GPUs of a type in a node, as placement sees them. */
struct qs_slot {
	int32_t now;      /* free */
	int32_t ending;   /* held by ending jobs */
	int32_t waiting;  /* places of jobs that wait for an end */
	int32_t reserved; /* kept for waiting jobs */
};

/* CPUs of a node; INT64_MAX / 4: no limit. */
struct qs_cpus {
	int64_t now, ending;
};

/* Nodes that one kind of job may use; kept for the next job of the kind. */
struct qs_usable {
	bool made;
	int32_t queue, nodeset;
	uint32_t claimed_on; /* 0, or as in qs_job: where it is claimed */
	uint64_t partitions;
	uint32_t *nodes, n, max;
};

/* A job that may be a victim of the claimant at hand. What R10 compares is
 * copied from the job: it is asked again and again. */
struct qs_candidate {
	uint32_t job, id;
	uint32_t sid;
	uint32_t priority;
	int64_t start;
	uint32_t gpus;   /* it holds of the wanted types */
	uint32_t beyond; /* of these beyond its share's capacity now */
	uint32_t had;    /* the same when it was picked (R22) */
	uint32_t here;   /* it holds of them on the node looked at */
	uint8_t chosen;  /* enum qs_chosen, once it was picked */
	bool out;        /* may not be picked (any more) */
	bool over_limit;
	bool shifts; /* picking it made others' GPUs own */
};

/* A candidate on a node; the seats of one node are a list. */
struct qs_seat {
	uint32_t node, cand;
	uint32_t gpus; /* it holds there of the wanted types */
	uint32_t next; /* index + 1, 0: the last */
};

/* Which jobs may be victims. */
enum qs_kind {
	QS_KIND_CROSS,    /* R7 */
	QS_KIND_IN_SHARE, /* R8 */
};

struct qs_state {
	const struct qs_snapshot *snap;
	const struct qs_policy *policy;
	struct qs_plan *plan;
	uint32_t ntypes, nsids; /* nsids: shares and pseudo shares */
	struct qs_cell *cells;  /* [sid * ntypes + type] */
	/* [queue * ntypes + type] GPUs in service less those promised, and how
	 * many leave service when what is ending has ended: on nodes that are
	 * not up. See qs_service_out(). */
	int64_t *spare, *leaving;
	bool all_up;          /* no node is down or drained */
	int64_t *stuck;       /* same shape: loans on nodes that are not up */
	uint32_t *share_rank; /* [sid] place by name */

	/* Nodes as placement sees them; without nodes one per queue. */
	uint32_t nnodes;
	struct qs_slot *slots;    /* [node * ntypes + type] */
	struct qs_cpus *cpus;     /* [node] */
	uint32_t *node_rank;      /* place by name */
	struct qs_usable *usable; /* see qs_place_usable() */
	struct qs_vain *vain;     /* [(type * QS_VIEWS + view) * 2 + down] */
	uint32_t *pending;        /* jobs that wait */
	uint32_t npending, pending_max;
	bool *gone;        /* [job] ending: from the start, or a victim */
	uint32_t *started; /* [job] tasks decided START or kept for */

	/* Scratch of one placement: nodes taken and the places found. */
	uint32_t *stamp; /* [node] == stamp_now: taken */
	uint32_t stamp_now;
	struct qs_placed *places;
	uint32_t nplaces, places_max;
	struct qs_rank_key {
		int64_t key;
		uint32_t node;
	} * keys; /* [nnodes] */

	/* Scratch of one choice of victims. Candidates stand share by share:
	 * cands_from[sid] is the first of a share, up to cands_to[sid]. */
	struct qs_candidate *cands;
	uint32_t ncands, cands_max;
	uint32_t *cands_from, *cands_to; /* [sid] */
	uint32_t *cand_of;               /* [job] index + 1 in cands, or 0 */
	uint32_t *picked; /* indexes in cands, in the order of R10 */
	uint32_t npicked;
	enum qs_kind kind;   /* of the candidates collected last */
	uint64_t needed;     /* bit per demand: beyond counts only these */
	int64_t owed_before; /* the most of a type, before anybody went */
	/* Where the candidates sit; made when first asked for. */
	bool seated;
	struct qs_seat *seats;
	uint32_t nseats, seats_max;
	uint32_t *seat_of;      /* [node] index + 1, 0: none */
	uint32_t *on_node;      /* candidates on the node looked at */
	bool ignore_protection; /* asked to tell PROTECTED from others */
	bool owners_first;      /* what owners wait for is not lendable */
	bool where_claimed;     /* only nodes of the job's claim will do */

	uint32_t borrower; /* id of the last that this plan lets borrow */
	uint32_t claimant; /* id of a job that GPUs are kept for, or 0 */
	uint64_t version;  /* rises with every job that is charged */
	/* Stands for how cells and nodes are: another number whenever they may
	 * have changed, never a number again. */
	uint64_t touched, touches;
	struct qs_sums *sums; /* [(queue * ntypes + type) * QS_VIEWS + view] */
	/* A candidate was passed over for its MinRuntime (R13). */
	bool saw_protected;
	int64_t protected_until;
	bool no_memory;
};

/* Cells or nodes change now. */
static inline void qs_state_touch(struct qs_state *state)
{
	state->touched = ++state->touches;
}

/* R9: does it still have the claim? Of an array as many tasks have as others
 * were stopped for. */
static inline bool qs_state_claims(const struct qs_state *state,
				   const struct qs_job *job)
{
	uint32_t tasks = job->claim_tasks ? job->claim_tasks : 1;

	return job->claim && state->started[job - state->snap->jobs] < tasks;
}

static inline uint32_t qs_state_sid(const struct qs_state *state,
				    const struct qs_job *job)
{
	if (job->share >= 0)
		return (uint32_t)job->share;
	return (uint32_t)(state->policy->nshares + job->queue);
}

static inline int32_t qs_state_queue(const struct qs_state *state,
				     const struct qs_job *job)
{
	return job->share >= 0 ? state->policy->shares[job->share].queue :
				 job->queue;
}

static inline int32_t qs_state_sid_queue(const struct qs_state *state,
					 uint32_t sid)
{
	if (sid < (uint32_t)state->policy->nshares)
		return state->policy->shares[sid].queue;
	return (int32_t)sid - state->policy->nshares;
}

static inline struct qs_cell *qs_state_cell(const struct qs_state *state,
					    uint32_t sid, uint32_t type)
{
	return &state->cells[sid * state->ntypes + type];
}

static inline struct qs_slot *qs_state_slot(const struct qs_state *state,
					    uint32_t node, uint32_t type)
{
	return &state->slots[(size_t)node * state->ntypes + type];
}

static inline const struct qs_demand *
qs_state_demands(const struct qs_state *state, const struct qs_job *job)
{
	return qs_snapshot_demands(state->snap, job);
}

static inline int64_t qs_cell_held(const struct qs_cell *cell,
				   enum qs_view view)
{
	if (view == QS_VIEW_NOW)
		return cell->held;
	if (view == QS_VIEW_REAL)
		return cell->held - cell->waiting;
	if (view == QS_VIEW_ENDED)
		return cell->held - cell->ending;
	return cell->held - cell->ending - cell->reserved;
}

/* plan_state.c */

/* Build all tables. false with state->no_memory when memory is short; the
 * caller still calls qs_state_free(). */
bool qs_state_init(struct qs_state *state, const struct qs_snapshot *snap);
void qs_state_free(struct qs_state *state);
/* Move a running job to ending, or back. */
void qs_state_set_gone(struct qs_state *state, uint32_t job, bool gone);
/* How a job is charged that the plan counts as started. */
enum qs_start {
	QS_START_NOW,
	QS_START_LATER, /* once its victims are gone */
	QS_START_KEPT,  /* it waits, and what it needs is kept for it (R9) */
};
/* Take places of a waiting job off what is free on nodes for others, as for one
 * for whom they are kept (1), or give them back (-1). */
void qs_state_hold(struct qs_state *state, uint32_t job,
		   const struct qs_placed *places, uint32_t n, int sign);
/* Charge a waiting job, on the places in the scratch. */
void qs_state_start(struct qs_state *state, uint32_t job, enum qs_start how);

/* plan_service.c */

/* Fill state->spare and state->leaving. */
void qs_service_count(struct qs_state *state);
/* GPUs of a type that were promised but are not in service: what jobs hold on
 * a drained node is in service until they have ended. */
static inline int64_t qs_service_out(const struct qs_state *state,
				     int32_t queue, uint32_t type,
				     enum qs_view view)
{
	size_t at = (size_t)queue * state->ntypes + type;
	int64_t out = -state->spare[at];

	if (view == QS_VIEW_ENDED || view == QS_VIEW_UNCLAIMED)
		out += state->leaving[at];
	return out > 0 ? out : 0;
}
/* GPUs of a slot on a node that is not up that leave service with what ends. */
static inline int64_t qs_slot_leaving(const struct qs_slot *slot)
{
	int64_t idle = slot->now > 0 ? slot->now : 0;
	int64_t later = (int64_t)slot->now + slot->ending;

	return later > idle ? later - idle : 0;
}
/* Fill state->stuck: loans that would give nobody anything if they came back.
 */
void qs_service_stuck(struct qs_state *state);
/* Again for one cell: somebody went, came back or started. */
void qs_service_restick(struct qs_state *state, uint32_t sid, uint32_t type);

/* plan_order.c */

/* GPUs of a type that a job holds, or all tasks of it that this plan starts. */
uint32_t qs_order_gpus(const struct qs_state *state, uint32_t job,
		       uint32_t type);
/* Bring a cell's jobs into R4's order: priority (high first), start (old
 * first), job id (low first). Done when first asked for: most cells never are.
 */
void qs_order_sort(struct qs_state *state, struct qs_cell *cell);
/* Add a job to a cell, anywhere; false with state->no_memory. */
bool qs_order_append(struct qs_state *state, struct qs_cell *cell,
		     uint32_t job);
/* Add a job that starts in this plan, in its place if the cell is in order. */
void qs_order_insert(struct qs_state *state, struct qs_cell *cell,
		     uint32_t job);

/* plan_quota.c */

/* R5: with all its types inside the share's capacity. */
bool qs_quota_entitled(const struct qs_state *state, const struct qs_job *job,
		       enum qs_view view);
/* Loans of a type beyond what is lent, after the job started as own: GPUs
 * that must come back first, more than were owed before. */
int64_t qs_quota_owed(const struct qs_state *state, const struct qs_job *job,
		      const struct qs_demand *demand, enum qs_view view,
		      int64_t owed_before);
/* The same without the job: what is owed already. */
int64_t qs_quota_owed_before(const struct qs_state *state, int32_t queue,
			     uint32_t type, enum qs_view view);
/* What was owed before the job's start, so that owed tells what it adds. For a
 * claimant: what will be owed once all that is ending is gone and it runs. */
int64_t qs_quota_base(const struct qs_state *state, const struct qs_job *job,
		      const struct qs_demand *demand, enum qs_view view);
/* R6 for one type: what can be lent to the share, and what of the demand
 * would be borrowed. */
int64_t qs_quota_lendable(const struct qs_state *state, uint32_t sid,
			  uint32_t type, enum qs_view view);
int64_t qs_quota_borrows(const struct qs_state *state, const struct qs_job *job,
			 const struct qs_demand *demand, enum qs_view view);
/* R3 and R6 for all types. code tells which of them fails, for which demand:
 * LIMIT or NOTHING_LENDABLE. before: what was owed of each demand's type before
 * victims were chosen; NULL: what is owed now. */
bool qs_quota_may_borrow(const struct qs_state *state, const struct qs_job *job,
			 enum qs_view view, const int64_t *before,
			 enum qs_code *code, uint32_t *failing);
/* R12a: may this job borrow at all? */
bool qs_quota_borrower(const struct qs_state *state, const struct qs_job *job);
/* GPUs short of letting the job start by R5 or R6 without loans of others
 * being touched; 0 if quota is fine. What in-share victims must free (R8). */
int64_t qs_quota_short(const struct qs_state *state, const struct qs_job *job,
		       enum qs_view view, const int64_t *before);
/* R10 step 1, FAIR: what a share holds beyond its capacity, by capacity, of
 * the job's types the one where it is worst. Capacity 0 counts as infinite. */
struct qs_ratio {
	int64_t beyond, capacity;
};
struct qs_ratio qs_quota_ratio(const struct qs_state *state,
			       const struct qs_job *job, uint32_t sid,
			       enum qs_view view);
/* Above 0: a is the larger. */
int qs_ratio_compare(struct qs_ratio a, struct qs_ratio b);
/* Can the job start in this view as own or by R6, without anybody stopped? */
bool qs_quota_startable(const struct qs_state *state, const struct qs_job *job,
			enum qs_view view);
void qs_quota_facts(const struct qs_state *state, const struct qs_job *job,
		    uint32_t demand, struct qs_facts *facts);

/* plan_usable.c */

/* The nodes that the job may use and that have GPUs of what each of its nodes
 * must give, ascending; *n: how many. down: as if all nodes were up. Good
 * until another job is asked about. */
const uint32_t *qs_place_usable(struct qs_state *state,
				const struct qs_job *job, bool down,
				uint32_t *n);
void qs_place_free_usable(struct qs_state *state);
/* May the job use the node at all? */
bool qs_place_may_use(const struct qs_state *state, const struct qs_job *job,
		      uint32_t node, bool down);

/* plan_place.c */

/* Can the nodes take the job? */
bool qs_place_exists(struct qs_state *state, const struct qs_job *job,
		     enum qs_view view, bool down);
/* The same, and places for it are left in state->places. A claimant gets
 * those that it claimed, if they will do (R9). */
bool qs_place_find(struct qs_state *state, const struct qs_job *job,
		   enum qs_view view, bool down);
/* The same on the nodes of its claim only. */
bool qs_place_find_claimed(struct qs_state *state, const struct qs_job *job,
			   enum qs_view view);
/* What each of the nodes from..n of an even spread must give; *n is the
 * number of nodes with this same need, starting at the given one. The needs
 * that follow are nowhere larger. */
void qs_place_need(const struct qs_state *state, const struct qs_job *job,
		   uint32_t nodes, uint32_t at, struct qs_need *need,
		   uint32_t *n);
/* Nodes that the job asks for; 0: any. */
static inline uint32_t qs_place_nodes(const struct qs_state *state,
				      const struct qs_job *job)
{
	return state->snap->has_nodes ? job->need_nodes : 1;
}

static inline int64_t qs_place_free(const struct qs_state *state, uint32_t node,
				    uint32_t type, enum qs_view view)
{
	const struct qs_slot *slot = qs_state_slot(state, node, type);
	int32_t some =
		slot->ending < slot->waiting ? slot->ending : slot->waiting;

	/* Who waits for an end takes what ends first, and of what is idle
	 * only the rest: both were taken off what is free now. */
	if (view == QS_VIEW_NOW)
		return slot->now + some;
	if (view == QS_VIEW_UNCLAIMED)
		return slot->now + slot->ending + slot->reserved;
	return slot->now + slot->ending;
}

static inline int64_t qs_place_cpus(const struct qs_state *state, uint32_t node,
				    enum qs_view view)
{
	const struct qs_cpus *cpus = &state->cpus[node];

	return view == QS_VIEW_NOW ? cpus->now : cpus->now + cpus->ending;
}

/* plan_cands.c */

/* R8: is anybody of a lower priority in the job's share? Without this most
 * jobs of most shares would be asked for victims that cannot be. */
bool qs_cands_any_lower(const struct qs_state *state, const struct qs_job *job);
/* Collect the jobs that may be victims of this one, with what is beyond. */
bool qs_cands_collect(struct qs_state *state, const struct qs_job *job,
		      enum qs_kind kind);
/* Beyond parts of one share's candidates, after a victim was added or dropped;
 * R7 is asked of what is true now. */
void qs_cands_refresh(struct qs_state *state, const struct qs_job *job,
		      uint32_t sid);
/* R10 steps 1 to 4: the best of list for what is still needed; -1 if none is
 * left. list: n indexes in cands, ascending; NULL: all of them. on_node: fit
 * is what it frees on the node looked at. */
int64_t qs_cands_best(struct qs_state *state, const struct qs_job *job,
		      const uint32_t *list, uint32_t n, int64_t need,
		      bool on_node);
/* From now on only these demands (bits) are still in need: a job that holds
 * nothing beyond of their types is no candidate (R7: "when its borrowed part is
 * needed"). */
void qs_cands_need(struct qs_state *state, const struct qs_job *job,
		   uint64_t needed);
/* R10 step 1: does share a, which has ratio x, pay before share b with y? */
bool qs_cands_share_first(const struct qs_state *state, struct qs_ratio x,
			  uint32_t a, struct qs_ratio y, uint32_t b);
/* Make a candidate a victim, or take it back. */
void qs_cands_pick(struct qs_state *state, const struct qs_job *job,
		   uint32_t cand);
void qs_cands_unpick(struct qs_state *state, const struct qs_job *job,
		     uint32_t cand);

/* plan_victims.c */

/* Choose victims so that the job can start when they and all that is ending
 * are gone. True: they are in state->picked, moved to ending, and the places
 * found. False: nothing is changed. */
bool qs_victims_choose(struct qs_state *state, const struct qs_job *job,
		       enum qs_kind kind);
/* Undo a choice that was only asked for. */
void qs_victims_undo(struct qs_state *state);

/* plan_nodes.c */

/* Pick victims node by node until the nodes can take the job: the nodes that
 * cost least (R10a). False: nothing is picked. */
bool qs_nodes_clear(struct qs_state *state, const struct qs_job *job);

#endif
