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

/* Beside QS_ENV_SHARE (the share that the job was given): there only if the
 * user named it with --quota-share. */
#define QS_ENV_ASKED "QUOTA_SHARE_ASKED"

struct qs_request {
	/* It asks for GPUs, or for whole nodes that hold some. All else is
	 * zero if not. */
	bool gpu;
	bool whole_nodes;  /* gets all that is on its nodes (--exclusive) */
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
 * The share of a job record: the one that it was given when it was submitted
 * (QS_SHARE_REMOVED if the policy has it no more, or has it in another queue),
 * else, for jobs that were there before these plugins, by R1. -2: R1 gives
 * none; text says why. Takes the association read lock in the last two cases.
 */
#define QS_SHARE_NONE (-2)
int qs_request_share(const struct qs_policy *policy, int queue,
		     const job_record_t *job, char *text, size_t size);

/*
 * R1 for a submission or change. account NULL or "": the user's default.
 * Takes the association read lock. As qs_submit_share().
 */
int qs_request_share_by(const struct qs_policy *policy, int queue,
			const char *wanted, uint32_t uid, const char *account,
			const char *partition, char *text, size_t size);

#endif
