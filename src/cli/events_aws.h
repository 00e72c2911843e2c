/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_aws.h - our event log as events of EventBridge
 */
#ifndef QS_CLI_EVENTS_AWS_H
#define QS_CLI_EVENTS_AWS_H

#include <stdio.h>

#include "aws/live.h"

/* No line of the log is longer. */
#define QS_EVENT_LINE_MAX 16384

/*
 * Reads a log to its end and writes an event a line for each line that has
 * one. A line that is no JSON (the last one may be half written, others were
 * edited) is told on stderr and left out. name: the subcommand, and file, for
 * messages. Returns 0, or -1: the log cannot be read.
 */
int qs_events_aws(const struct qs_live *live, const char *name,
		  const char *file, FILE *in, FILE *out);

#endif
