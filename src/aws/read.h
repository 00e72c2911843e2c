/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.h - documents of AWS Batch into a set-up
 *
 * A document is one JSON object: the output of describe-quota-share,
 * list-quota-shares, describe-scheduling-policies,
 * describe-service-environments or describe-job-queues; the input of a
 * create-… call; the bundle of an export; or a CloudFormation template. What
 * has no counterpart in a set-up is noted; what is wrong is an error with the
 * JSON path.
 */
#ifndef QS_READ_H
#define QS_READ_H

#include "aws/notes.h"
#include "aws/setup.h"
#include "conf/error.h"

/* No document is larger. */
#define QS_DOCUMENT_BYTES_MAX (16 * 1024 * 1024)

/*
 * Adds what the document has to the set-up. Call it for each document. Returns
 * 0, or -1 with *err and errno; the set-up can then only be cleared.
 */
int qs_setup_read(struct qs_setup *setup, struct qs_notes *notes,
		  const char *name, const char *text, size_t n,
		  struct qs_error *err);

#endif
