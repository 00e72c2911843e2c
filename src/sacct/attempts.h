/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempts.h - records of accounting into runs
 *
 * Records of a job are put in order and repaired where Slurm's are known to be
 * odd, GPUs are counted by type, the share is found (R1). What cannot be used
 * is noted. All records first, then once qs_attempts_finish().
 */
#ifndef QS_SACCT_ATTEMPTS_H
#define QS_SACCT_ATTEMPTS_H

#include "report/quota_history.h"
#include "report/runs.h"
#include "sacct/accounts.h"
#include "sacct/record.h"

/* What records need to be understood. Pointers must outlive the attempts. */
struct qs_attempts_wish {
	/* Complete; may get one more type, "(unknown)". */
	struct qs_quota_history *history;
	const struct qs_accounts *accounts; /* NULL: no tree */
	/* The only GPU type of all these nodes ("n[1-4]"), as gres.conf names
	 * it, or NULL. For sites that do not track types; may be NULL. */
	const char *(*type_of)(const char *nodes, void *arg);
	void *type_arg;
	struct qs_problems *problems;
};

/* What is worth telling beside the runs. */
struct qs_attempts_facts {
	uint64_t records, without_gpus, other_partitions, duplicates;
	/* Runs whose GPUs had no type in the record: the type came from their
	 * nodes, or from there being one type only. */
	uint64_t typed_by_nodes, typed_by_policy;
	int64_t first, last; /* times in the records; QS_TIME_NONE: none */
};

struct qs_attempts;

/* NULL with errno ENOMEM. */
struct qs_attempts *qs_attempts_new(const struct qs_attempts_wish *wish);
void qs_attempts_free(struct qs_attempts *attempts);
/* A qs_sacct_fn; arg is the struct qs_attempts. */
int qs_attempts_add(const struct qs_sacct_record *record, void *arg);
/* Adds the runs, sealed, to *runs. Returns 0, or -1 with errno ENOMEM. */
int qs_attempts_finish(struct qs_attempts *attempts, struct qs_runs *runs,
		       struct qs_attempts_facts *facts);

#endif
