/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h - a request that asks what would become of it; see runtime/whatif.h
 */
#ifndef QS_JOB_SUBMIT_WHATIF_H
#define QS_JOB_SUBMIT_WHATIF_H

#include "job_submit/case.h"

/* Does the request only ask? Borrowed from it; NULL: it is a real one. */
const char *qs_whatif_token(const job_desc_msg_t *desc);
/* Leave the judged request with the runtime, and refuse it. ours: it is in a
 * queue and asks for GPUs. */
void qs_whatif_leave(struct qs_case *c, const char *token, bool ours);

#endif
