/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - what a job asks for and for which share (R1, R2, R2a)
 *
 * Two readings of one request that must agree (law 9): the strings of
 * job_desc_msg_t while a job is submitted or changed, and the gres list of a
 * job record while it waits. Both end in the terms of request_text.h, and one
 * function there turns terms into GPUs.
 *
 * Locks: conf, job, node and partition read locks of slurmctld are held. The
 * association manager's read lock is taken inside by the functions that name
 * it, so it must not be held already.
 */
#ifndef QS_HOST_REQUEST_H
#define QS_HOST_REQUEST_H

#include "compat/compat.h"

#include "engine/snapshot.h"
#include "engine/submit.h"

#include "host/request_text.h"

/*
 * Beside QS_ENV_SHARE, which is the share that the job was given: the name
 * that the user asked for with --quota-share, if any, and "ACCOUNT@QUEUE" for
 * which the share was given. A job whose account or queue has changed since
 * (scontrol update, another policy) gets its share anew by R1; one whose share
 * left the policy keeps its name (R16).
 */
#define QS_ENV_ASKED "QUOTA_SHARE_ASKED"
#define QS_ENV_FOR   "QUOTA_SHARE_FOR"
/* Longest "ACCOUNT@QUEUE" that is kept, with the end. */
#define QS_FOR_MAX 512

struct qs_request {
	/* It asks for GPUs, or for whole nodes that hold some. All else is
	 * zero if not. */
	bool gpu;
	bool whole_nodes;  /* gets all that is on its nodes (--exclusive) */
	bool by_pool;      /* what it means depends on what nodes there are */
	bool unknown_type; /* see qs_job.unknown_type */
	char unknown[QS_TERM_TYPE_MAX]; /* the first such, as written */
	uint32_t need_nodes;            /* exact, or QS_NODES_ANY */
	uint32_t cpus;                  /* in total, at least */
	uint32_t ndemands;              /* one a type, none zero */
	struct qs_demand demands[QS_TYPES_MAX];
};

/*
 * A pending job's record, or the next task of a pending array's record. An
 * untyped term counts as the type of R2a; it is unknown where R2a gives none.
 * No allocation, no lock taken; a scan of the partition's nodes happens only
 * for untyped terms, whole nodes and open node counts.
 */
void qs_request_of_record(const struct qs_policy *policy, int queue,
			  const job_record_t *job, struct qs_request *request);

/*
 * Can the above find a GPU in it at all? Most jobs without GPUs are told by
 * this: neither is there a gres list, nor do they get whole nodes. For the gate:
 * some ten instructions, where the above clears kilobytes.
 */
bool qs_request_may_be_gpu(const job_record_t *job);

/*
 * The share of a job record: the one that it was given at submission
 * (QS_SHARE_REMOVED if the policy has it no more); by R1 if it was given none
 * or for another account or queue. QS_SHARE_NONE: R1 gives none; text says
 * why. Takes the association read lock where R1 is asked.
 */
#define QS_SHARE_NONE (-2)
int qs_request_share(const struct qs_policy *policy, int queue,
		     const job_record_t *job, char *text, size_t size);

/* The same, only from what it was given at submission; QS_SHARE_NONE where R1
 * has to be asked. Takes no lock. */
int qs_request_share_given(const struct qs_policy *policy, int queue,
			   const job_record_t *job);

/*
 * Was the priority that the job brought judged for this share? Not where the job
 * was none of ours when it was submitted, or was let in under OBSERVE although
 * it would have been refused, or has got another share since. Takes no lock.
 */
bool qs_request_judged(const struct qs_policy *policy, int share,
		       const job_record_t *job);

/* From now on it was. Job write lock. */
void qs_request_set_judged(const struct qs_policy *policy, int share,
			   job_record_t *job);

/*
 * R1 for a submission or change. account NULL or "": the user's default.
 * made_for gets the value for QS_ENV_FOR. Takes the association read lock.
 * Returns as qs_submit_share().
 */
int qs_request_share_by(const struct qs_policy *policy, int queue,
			const char *wanted, uint32_t uid, const char *account,
			const char *partition, char made_for[QS_FOR_MAX],
			char *text, size_t size);

#endif
