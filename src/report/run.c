/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - words for the end of a run
 */
#include "report/run.h"

const char *qs_run_end_name(enum qs_run_end end)
{
	static const char *const names[QS_RUN_ENDS] = {
		[QS_RUN_COMPLETED] = "COMPLETED",
		[QS_RUN_FAILED] = "FAILED",
		[QS_RUN_CANCELLED] = "CANCELLED",
		[QS_RUN_TIMEOUT] = "TIMEOUT",
		[QS_RUN_NODE_FAIL] = "NODE_FAIL",
		[QS_RUN_PREEMPTED] = "PREEMPTED",
		[QS_RUN_REQUEUED] = "REQUEUED",
		[QS_RUN_RESIZED] = "RESIZED",
		[QS_RUN_RUNNING] = "RUNNING",
		[QS_RUN_WAITING] = "WAITING",
		[QS_RUN_WITHDRAWN] = "WITHDRAWN",
	};

	return end < QS_RUN_ENDS ? names[end] : "?";
}

const char *qs_run_cause_name(enum qs_run_cause cause)
{
	static const char *const names[QS_CAUSES] = {
		[QS_CAUSE_NONE] = "",
		[QS_CAUSE_UNKNOWN] = "UNKNOWN",
		[QS_CAUSE_QUOTA] = "QUOTA",
		[QS_CAUSE_PLACEMENT] = "PLACEMENT",
		[QS_CAUSE_PRIORITY] = "PRIORITY",
	};

	return cause < QS_CAUSES ? names[cause] : "?";
}
