/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.h - what becomes of a submission, or of a change of a waiting job
 *
 * R1, R2a, R6b, R12a, R15. Under slurmctld's conf, job, node and partition
 * read locks; takes the association read lock. Reentrant: job_submit runs in
 * several threads at once from Slurm 23.02 on.
 */
#ifndef QS_JOB_SUBMIT_JUDGE_H
#define QS_JOB_SUBMIT_JUDGE_H

#include "compat/compat.h"

#include "engine/submit.h"

struct qs_answer {
	int rc; /* SLURM_SUCCESS, or the code of the refusal */
	/* The refusal; or what the user should know, one line each; or "". */
	char text[3 * QS_TEXT_MAX];
};

/* May change desc: typed GPUs, number of nodes, the words for the runtime. */
void qs_judge_submit(const struct qs_policy *policy, job_desc_msg_t *desc,
		     uint32_t submit_uid, struct qs_answer *answer);

/* The same for a change of a pending job; job stays as it is. */
void qs_judge_change(const struct qs_policy *policy, job_desc_msg_t *desc,
		     const job_record_t *job, uint32_t uid,
		     struct qs_answer *answer);

#endif
