/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arn.h - Amazon Resource Names of AWS Batch, and the names in them
 */
#ifndef QS_ARN_H
#define QS_ARN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/policy.h"

/* What stands for a region or account that nobody gave. */
#define QS_ARN_REGION  "REGION"
#define QS_ARN_ACCOUNT "ACCOUNT"

/* arn:aws:batch:REGION:ACCOUNT:job-queue/QUEUE/quota-share/NAME */
#define QS_ARN_MAX 512

enum qs_arn_kind {
	QS_ARN_JOB_QUEUE,
	QS_ARN_QUOTA_SHARE,
	QS_ARN_SCHEDULING_POLICY,
	QS_ARN_SERVICE_ENVIRONMENT,
	QS_ARN_SERVICE_JOB,
};

struct qs_arn {
	char region[32], account[16]; /* "" where the ARN has none */
	char queue[QS_NAME_MAX + 1];  /* of a quota share */
	char name[QS_NAME_MAX + 1];
};

bool qs_arn_is_region(const char *text);
bool qs_arn_is_account(const char *text); /* 12 digits */

/* A name, or an ARN of that kind. Returns 0, or -1 if it is neither. Region
 * and account that are placeholders come out empty. */
int qs_arn_read(const char *text, enum qs_arn_kind kind, struct qs_arn *arn);

/* region, account NULL: the placeholders. queue: of a quota share, else NULL.
 * The partition follows from the region. */
void qs_arn_print(char *text, size_t size, enum qs_arn_kind kind,
		  const char *region, const char *account, const char *queue,
		  const char *name);

#endif
