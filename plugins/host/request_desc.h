/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_desc.h - what a submission, or a change of a waiting job, asks for
 *
 * The second reading of a request: the strings and numbers of job_desc_msg_t,
 * before slurmctld has made a record of them.
 */
#ifndef QS_HOST_REQUEST_DESC_H
#define QS_HOST_REQUEST_DESC_H

#include "host/request_wish.h"

/* Strings are borrowed from the message and the record. */
struct qs_form {
	struct qs_wish wish;
	const char *tres[QS_PERS]; /* by enum qs_per */
	const char *account;       /* or NULL */
};

/* Returns 0, or -1: a request that Slurm cannot read and will refuse. */
int qs_form_of_desc(const job_desc_msg_t *desc, struct qs_form *form);

/* What the job will ask for once desc has changed it: each thing from desc if
 * it is there, else from the record. Returns as above. */
int qs_form_of_change(const job_desc_msg_t *desc, const job_record_t *job,
		      struct qs_form *form);

/* Does the change touch anything that is judged: GPUs, nodes, account,
 * partition? */
bool qs_form_touched(const job_desc_msg_t *desc);

/* Put a new text in the message's string for one way of counting. */
void qs_form_set_tres(job_desc_msg_t *desc, enum qs_per per, const char *text);

#endif
