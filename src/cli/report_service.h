/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_service.h - which GPUs were out of service, from the event log
 */
#ifndef QS_CLI_REPORT_SERVICE_H
#define QS_CLI_REPORT_SERVICE_H

#include <json-c/json.h>

#include "cli/report.h"

/* From a time on: so many of the queue's pool are out of service, and that many
 * are in service. */
struct qs_report_down {
	int64_t at;
	uint32_t order; /* among those of the same time */
	int32_t queue;
	uint16_t type;
	int64_t gpus, there;
};

/* All zero: nothing read yet. */
struct qs_report_service {
	struct qs_report_down *changes;
	uint32_t n, max;
	int64_t started; /* slurmctld, the last time; 0: not in the log */
	bool failed;     /* no memory */
};

/* A line of the log, in its order. */
void qs_report_service_take(const struct qs_report *report,
			    struct qs_report_service *service,
			    struct json_object *event, int64_t when);
/* All of them into the report's history; forgets them. Returns 0, or -1 with
 * errno. */
int qs_report_service_end(struct qs_report *report,
			  struct qs_report_service *service);
/* When it is measured: a sentence on it. */
void qs_report_service_say(struct qs_report *report);

#endif
