/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_fields.c - the measures by name, for JSON and CSV
 */
#include "cli/report_fields.h"

#include <string.h>

#define USE(m)                                                            \
	{                                                                 \
#m "_gpu_sec", "GPU-seconds", offsetof(struct qs_use, m), \
			QS_FIELD_AMOUNT                                   \
	}
#define COUNT(name, m)                                                        \
	{                                                                     \
		name, "count", offsetof(struct qs_outcome, m), QS_FIELD_COUNT \
	}
#define ENDED(name, end)                                     \
	{                                                    \
		name, "count",                               \
			offsetof(struct qs_outcome, ended) + \
				(end) * sizeof(uint32_t),    \
			QS_FIELD_COUNT                       \
	}
#define CAUSED(name, cause)                                      \
	{                                                        \
		name, "count",                                   \
			offsetof(struct qs_outcome, preempted) + \
				(cause) * sizeof(uint32_t),      \
			QS_FIELD_COUNT                           \
	}
#define AMOUNT(name, m)                                              \
	{                                                            \
		name, "GPU-seconds", offsetof(struct qs_outcome, m), \
			QS_FIELD_AMOUNT                              \
	}
#define SPREAD(name, m)                                          \
	{                                                        \
		name, "seconds", offsetof(struct qs_outcome, m), \
			QS_FIELD_SPREAD                          \
	}

const struct qs_field qs_use_fields[] = {
	USE(capacity),   USE(used), USE(own),  USE(borrowed),
	USE(over_limit), USE(lent), USE(idle), { 0 },
};

const struct qs_field qs_outcome_fields[] = {
	COUNT("submitted", submitted),
	COUNT("started", started),
	ENDED("completed", QS_RUN_COMPLETED),
	ENDED("failed", QS_RUN_FAILED),
	ENDED("cancelled", QS_RUN_CANCELLED),
	ENDED("timeout", QS_RUN_TIMEOUT),
	ENDED("node_fail", QS_RUN_NODE_FAIL),
	ENDED("preempted", QS_RUN_PREEMPTED),
	CAUSED("preempted_quota", QS_CAUSE_QUOTA),
	CAUSED("preempted_placement", QS_CAUSE_PLACEMENT),
	CAUSED("preempted_priority", QS_CAUSE_PRIORITY),
	CAUSED("preempted_unknown", QS_CAUSE_UNKNOWN),
	ENDED("requeued_by_hand", QS_RUN_REQUEUED),
	ENDED("withdrawn", QS_RUN_WITHDRAWN),
	COUNT("requeued", requeued),
	COUNT("retry_limit", retry_limit),
	COUNT("running", running),
	COUNT("waiting", waiting),
	AMOUNT("completed_gpu_sec", completed_gpu_sec),
	AMOUNT("repeated_gpu_sec", repeated),
	AMOUNT("repeated_preempted_gpu_sec", repeated_preempted),
	SPREAD("wait_own_sec", wait_own),
	SPREAD("wait_borrowing_sec", wait_borrowing),
	SPREAD("wait_again_sec", wait_again),
	SPREAD("reclaim_sec", reclaim),
	SPREAD("turnaround_sec", turnaround),
	SPREAD("run_time_sec", run_time),
	{ 0 },
};

const char *const qs_spread_parts[QS_SPREAD_PARTS] = { "n", "median", "p90",
						       "max" };

int64_t qs_spread_part(const struct qs_spread *spread, int part)
{
	const int64_t parts[QS_SPREAD_PARTS] = { spread->n, spread->median,
						 spread->p90, spread->max };

	return parts[part];
}

int64_t qs_field_value(const struct qs_field *field, const void *object)
{
	const void *at = (const char *)object + field->offset;

	if (field->kind == QS_FIELD_COUNT)
		return *(const uint32_t *)at;
	return field->kind == QS_FIELD_AMOUNT ? *(const int64_t *)at : 0;
}

const struct qs_spread *qs_field_spread(const struct qs_field *field,
					const void *object)
{
	const void *at = (const char *)object + field->offset;

	return field->kind == QS_FIELD_SPREAD ? at : NULL;
}

void qs_job_counts(const struct qs_outcome *outcome,
		   uint32_t counts[QS_JOB_COUNTS])
{
	const uint32_t *ended = outcome->ended;
	const uint32_t all[QS_JOB_COUNTS] = {
		outcome->submitted,
		outcome->started,
		ended[QS_RUN_COMPLETED],
		ended[QS_RUN_FAILED] + ended[QS_RUN_TIMEOUT],
		ended[QS_RUN_CANCELLED] + ended[QS_RUN_WITHDRAWN],
		ended[QS_RUN_PREEMPTED],
		ended[QS_RUN_NODE_FAIL],
		outcome->requeued,
		outcome->retry_limit,
		outcome->running,
		outcome->waiting,
	};

	memcpy(counts, all, sizeof(all));
}
