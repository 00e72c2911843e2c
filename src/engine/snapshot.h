/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - nodes and jobs at one instant: all that the planner looks at
 *
 * Who calls the planner (the plugins' runtime, qshare plan, replay) fills one
 * of these. Everything is indexes and numbers, so that a copy is cheap and no
 * Slurm type is needed. The snapshot owns its arrays when it was made by
 * qs_snapshot_new(); names of nodes are owned too.
 *
 * Order of jobs, nodes, demands and placements is free: the planner's result
 * does not depend on it (law 4).
 */
#ifndef QS_SNAPSHOT_H
#define QS_SNAPSHOT_H

#include "policy.h"

enum qs_job_state {
	QS_JOB_PENDING,
	QS_JOB_RUNNING,
	QS_JOB_SUSPENDED,
	QS_JOB_COMPLETING, /* ended; some nodes have not finished with it */
};

/* So many GPUs of one type, in total over the job. */
struct qs_demand {
	uint32_t gpus;
	uint16_t type;
};

/* So many GPUs of one type on one node. */
struct qs_placed {
	uint32_t node;
	uint32_t gpus;
	uint16_t type;
};

/* share of a job whose share is no longer in the policy (R16) */
#define QS_SHARE_REMOVED (-1)
/* need_nodes: as few as hold it */
#define QS_NODES_ANY 0
/* only: no restriction to certain nodes */
#define QS_NODESET_ALL (-1)

/* What the planner reads of each job that runs stands first: there are many of
 * them, and memory is what takes the time. */
struct qs_job {
	uint32_t id;
	int32_t share; /* index, or QS_SHARE_REMOVED */
	int32_t queue; /* index; matters when the share is removed */
	uint8_t state; /* enum qs_job_state */
	/* R12a: may be requeued */
	bool requeue : 1;
	bool held : 1; /* user or admin hold, or another limit's hold */
	/* On its way out: completing, or being stopped by us already. */
	bool ends : 1;
	/* R9: capacity was or is being freed for this waiting job. */
	bool claim : 1;
	/* Asked at submission (R15: a disabled share takes no new job). */
	bool submitting : 1;
	/* R7: only told by the caller after the scheduler itself could not
	 * place it although we let it: reclaims nothing, holds up nobody. */
	bool unplaceable : 1;
	/* PENDING: it asks for a type that the policy does not know; such a
	 * demand is not in the list. */
	bool unknown_type : 1;
	uint32_t priority; /* in the share, 0..QS_PRIORITY_MAX */
	uint32_t cpus;     /* in total */
	int64_t start;     /* last start, seconds; 0 while pending */
	/* PENDING: what it asks. Others: what it holds (R2), by type.
	 * [ndemands], one entry a type, none zero. */
	uint32_t demands, ndemands; /* first and number in snapshot->demands */
	/* Not PENDING: where. Empty if nodes are not given. */
	uint32_t placed, nplaced; /* first and number in snapshot->placed */
	uint32_t need_nodes;      /* exact number, or QS_NODES_ANY */
	/* Waiting tasks of an array that share this record; 1 otherwise. */
	uint32_t copies;
	/* R14: the job that displaced this one last, 0 if none. */
	uint32_t displaced_by;
	int32_t nodeset;    /* index into snapshot's nodesets, or _ALL */
	uint32_t preempted; /* R12: preemptions of ours so far */
	/* The nodes that the claim is of: 1 + index into the snapshot's
	 * nodesets; 0: not known. */
	uint32_t claimed_on;
	/* qs_decision.owed_before of the decision that it comes from. */
	uint32_t claim_owed;
	/* For how many tasks of an array it is; 0 counts as 1. */
	uint32_t claim_tasks;
	struct qs_opt retries;
	int64_t eligible; /* seconds */
	/* Which claim was made before which: any number that rises. */
	int64_t claimed;
	uint64_t partitions; /* bits of the queue's partitions; 0 = all */
};

enum qs_node_state {
	QS_NODE_UP,
	QS_NODE_DOWN,  /* holds nothing, takes nothing */
	QS_NODE_DRAIN, /* takes nothing new */
};

struct qs_node {
	char *name;
	int32_t queue;       /* index */
	uint8_t state;       /* enum qs_node_state */
	uint32_t cpus;       /* 0: no limit */
	uint32_t cpus_busy;  /* used by jobs that are not in the snapshot */
	uint64_t partitions; /* bits, see qs_job.partitions; 0 = all */
};

struct qs_snapshot {
	const struct qs_policy *policy; /* not owned */
	int64_t now;                    /* seconds */
	/* false: one pool without node structure, as large as the queue's */
	bool has_nodes;
	bool shuffled; /* nodes were not added by name */
	struct qs_node *nodes;
	uint32_t nnodes;
	/* [node * policy->ntypes + type] GPUs in the node */
	uint32_t *node_gpus;
	/* same shape: GPUs held by jobs that no share is charged for */
	uint32_t *node_gpus_other;
	struct qs_job *jobs;
	uint32_t njobs;
	struct qs_demand *demands;
	uint32_t ndemands;
	struct qs_placed *placed;
	uint32_t nplaced;
	/* Node sets by which single jobs are restricted (node lists, features
	 * and the like): nodesets[i] has a bit per node, as bytes. */
	uint8_t **nodesets;
	uint32_t nnodesets;

	/* growth, private to snapshot.c */
	uint32_t jobs_max, demands_max, placed_max, nodes_max;
	uint32_t unused; /* demands and places of removed jobs */
};

/* A job's demands and places; NULL where it has none. */
static inline const struct qs_demand *
qs_snapshot_demands(const struct qs_snapshot *snap, const struct qs_job *job)
{
	return job->ndemands ? &snap->demands[job->demands] : NULL;
}

static inline const struct qs_placed *
qs_snapshot_placed(const struct qs_snapshot *snap, const struct qs_job *job)
{
	return job->nplaced ? &snap->placed[job->placed] : NULL;
}

/* Empty snapshot; NULL with errno ENOMEM. */
struct qs_snapshot *qs_snapshot_new(const struct qs_policy *policy,
				    int64_t now);
void qs_snapshot_free(struct qs_snapshot *snap);
/* Room for as many jobs as another snapshot has, and some more: without it arrays
 * double, and up to half of them is never used. Reads the numbers only. -1: no
 * memory, which harms nothing yet. */
int qs_snapshot_reserve(struct qs_snapshot *snap,
			const struct qs_snapshot *like);
/* Forgets jobs, keeps memory: for callers that refill it again and again. */
void qs_snapshot_clear_jobs(struct qs_snapshot *snap);

/*
 * Add a node; gpus has policy->ntypes counts. Returns its index, or -1 with
 * errno ENOMEM. Nodes must be added before jobs that are placed on them.
 */
int64_t qs_snapshot_add_node(struct qs_snapshot *snap,
			     const struct qs_node *node, const uint32_t *gpus);
/*
 * Add a job with its demands and places (copied; demands of the same type are
 * added up, zero counts are dropped; places of one node stand together, those
 * of one node and type may repeat). The indexes inside *job are set here.
 * Returns the job's index, or -1 with errno ENOMEM. The pointer to the new job
 * stays good until the next add.
 */
int64_t qs_snapshot_add_job(struct qs_snapshot *snap, const struct qs_job *job,
			    const struct qs_demand *demands, uint32_t ndemands,
			    const struct qs_placed *placed, uint32_t nplaced);
/*
 * Forget one job; the last one takes its index. What it held stays in the
 * arrays until so much is unused that they are packed.
 */
void qs_snapshot_remove_job(struct qs_snapshot *snap, uint32_t job);
/* Forget all but the first n jobs, nothing having been removed since the others
 * were added. */
void qs_snapshot_keep_jobs(struct qs_snapshot *snap, uint32_t n);
/* Forget all but the first n node sets; no job that is left may be of one. */
void qs_snapshot_keep_nodesets(struct qs_snapshot *snap, uint32_t n);
/*
 * Add a node set: n bytes with bit i for node i (byte i/8, bit i%8), copied.
 * Returns its index, or -1 with errno ENOMEM.
 */
int32_t qs_snapshot_add_nodeset(struct qs_snapshot *snap, const uint8_t *bits,
				size_t n);

#endif
