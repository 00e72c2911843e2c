/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_aws.h - the event log as events of EventBridge
 */
#ifndef QS_CLI_EVENTS_AWS_H
#define QS_CLI_EVENTS_AWS_H

#include "aws/live.h"
#include "cli/events.h"

struct qs_events_aws {
	struct qs_live live;
	struct qs_live_events seen;
	struct qs_policy *policy; /* or NULL: capacity is in GPUs */
	struct qs_instances table;
};

/* Reads policy file and instance table. Returns 0, or -1 with the reason on
 * stderr. name: the command's. *state must be zeroed before, and is to be
 * given to the last one in any case. */
int qs_events_aws_begin(struct qs_events_aws *state, const char *name);
/* Prints a line's event if the filter takes the line. Call it for every line:
 * preemptions are counted. Returns 1 if stdout fails, else 0. */
int qs_events_aws_show(struct qs_events_aws *state,
		       const struct qs_events_filter *filter,
		       struct json_object *line);
void qs_events_aws_end(struct qs_events_aws *state);

#endif
