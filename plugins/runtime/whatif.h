/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h - a question about a job that nobody submits
 *
 * `qshare whatif` runs `sbatch --test-only` with a comment that carries a
 * token. job_submit/quota_share judges that request as any other, leaves what
 * it means here, and refuses it. Our thread plans it in its next round, the RPC
 * hands out the answer once. So all of sbatch's options mean what they mean,
 * and nothing is planned while slurmctld's locks are held.
 */
#ifndef QS_RUNTIME_WHATIF_H
#define QS_RUNTIME_WHATIF_H

#include "engine/plan.h"
#include "engine/snapshot.h"

/* Before the token in a comment. */
#define QS_WHATIF_PREFIX "quota_share_whatif:"
/* Longest token, with the end. */
#define QS_WHATIF_TOKEN 64

struct qs_view;

struct qs_whatif {
	/* NULL: to be planned. Else the word instead: REFUSED, or NOT_OURS. */
	const char *verdict;
	/* The refusal, or what the user should know, or "". */
	const char *text;
	/* Of the policy by which it was judged. */
	struct qs_job job;
	struct qs_demand demands[QS_TYPES_MAX];
	uint32_t ndemands;
};

/* job_submit: slurmctld's read locks held. Copies everything. */
void qs_runtime_whatif(const char *token, const struct qs_policy *policy,
		       const struct qs_whatif *ask);

/* Our thread, with a view that has a plan and is not published yet. */
void qs_whatif_answer(struct qs_view *view);
/* RPC, qs_rt.lock held; xmalloc'ed. jobs: who asks may see others' jobs. */
char *qs_whatif_json(const char *token, bool jobs);
/* qs_rt.lock held. */
void qs_whatif_clear(void);

#endif
