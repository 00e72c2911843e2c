/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - the event log and the audit log, read again
 */
#ifndef QS_CLI_EVENTS_H
#define QS_CLI_EVENTS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"

struct qs_events_filter {
	const char *event; /* a word of the log, or a list of them; NULL: all */
	const char *share;
	int64_t job;          /* also those it is for; 0: all */
	int64_t user;         /* uid, -1: all */
	int64_t since, until; /* seconds; until 0: no end */
};

bool qs_events_match(const struct qs_events_filter *filter,
		     struct json_object *event);
/* "2026-11-29T20:42:32Z" of a line; 0 if it has no such time. */
int64_t qs_events_time(struct json_object *event);

/*
 * Calls fn for every line of a log and of what was rotated away from it,
 * oldest first, until it returns non-zero, and returns that. bad counts lines
 * that are no JSON objects. Returns -1 with errno if there is no such log.
 */
int qs_events_read(const char *path,
		   int (*fn)(struct json_object *event, void *arg), void *arg,
		   size_t *bad);

/* What people give as a time: 2026-11-29, 2026-11-29T10:00[:00], 10:00[:00]
 * (today), now, now-2hours (minutes, hours, days, weeks), @1764448952. now:
 * the time that "now" means. Returns 0, or -1. */
int qs_events_when(const char *text, int64_t now, int64_t *when);

/* One event as a line for people. */
void qs_events_print(struct json_object *event, bool color, FILE *file);
/* The columns of the table, and one event as a row of it. */
void qs_events_columns(struct qs_table *table);
void qs_events_row(struct qs_table *table, struct json_object *event);

/* What Mode=OBSERVE would have done, counted from events. */
struct qs_observed;
struct qs_observed *qs_observed_new(void);
void qs_observed_free(struct qs_observed *observed);
/* For qs_events_read(); arg is the struct qs_observed. */
int qs_observed_add(struct json_object *event, void *arg);
/* Prints the report. Returns 0, or -1 with errno. */
int qs_observed_print(const struct qs_observed *observed,
		      const struct qs_cli_output *out, FILE *file);

/*
 * What the log remembers of a job (12 or 12_3), for qs_live_job() of
 * aws/live.h: facts, and its preemptions as the answer to "explain" tells them.
 * Both are the caller's (json_object_put). Returns -1 if there is nothing.
 */
int qs_events_facts(const char *path, const char *id,
		    struct json_object **facts, struct json_object **explain);

/* The path of a log, the caller's (free): given, else as slurmctld says. NULL
 * with the reason on stderr. name: the command's. */
char *qs_events_path(const char *name, const char *given, bool audit);

#endif
