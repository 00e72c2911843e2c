/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - the answers of the runtime in Prometheus's text format
 */
#ifndef QS_CLI_METRICS_H
#define QS_CLI_METRICS_H

#include <json-c/json.h>
#include <stdio.h>

/* status and metrics: answers to these words; NULL: slurmctld gave none. */
void qs_metrics_print(struct json_object *status, struct json_object *metrics,
		      FILE *file);

#endif
