/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * case.h - one request before the judge, shared by judge.c and shape.c
 */
#ifndef QS_JOB_SUBMIT_CASE_H
#define QS_JOB_SUBMIT_CASE_H

#include "host/request_desc.h"

#include "job_submit/judge.h"

struct qs_case {
	const struct qs_policy *policy;
	job_desc_msg_t *desc;
	const job_record_t *job; /* NULL at submission */
	struct qs_answer *answer;
	struct qs_form form;
	int queue, share;
	struct qs_pool pool;
	struct qs_node_range nodes;
	struct qs_request request;
	bool read_only;     /* R19: nothing in desc is changed */
	bool ours;          /* in a queue, and asks for GPUs */
	const char *whatif; /* it only asks, see whatif.h; or NULL */
};

/* Refuse: code and text. Always returns -1. */
int qs_case_refuse(struct qs_case *c, int rc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Something that the user should know; adds a line. */
void qs_case_note(struct qs_case *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * R2a: untyped GPUs become GPUs of a type, and whole nodes of several types
 * nodes of one. Fills pool. Returns 0, or -1 with the refusal in the answer.
 */
int qs_case_type(struct qs_case *c);

/*
 * R2 and R6b: settle the number of nodes where GPUs depend on it, and judge
 * whether the request can ever start. Fills nodes and request. Returns 0, or
 * -1 with the refusal in the answer.
 */
int qs_case_size(struct qs_case *c);

#endif
