/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_print.c - events for people and as a table
 *
 * Called by events. Blocks only where the file does. Its surprise: an event
 * that this version does not know is shown with all its fields, so that an
 * older qshare hides nothing of a newer slurmctld.
 */
#include "cli/events.h"

#include <string.h>
#include <time.h>

#include "cli/duration.h"
#include "cli/online.h"

/* {"h100":2} as "2 h100"; "0" for {}. */
static void gpus_text(struct json_object *event, const char *key, char *text,
		      size_t size)
{
	struct json_object *gpus;
	size_t n = 0;

	snprintf(text, size, "0");
	if (!json_object_object_get_ex(event, key, &gpus) ||
	    !json_object_is_type(gpus, json_type_object))
		return;
	json_object_object_foreach(gpus, type, count)
	{
		if (n >= size)
			return;
		n += (size_t)snprintf(
			text + n, size - n, "%s%lld %s", n ? ", " : "",
			(long long)json_object_get_int64(count), type);
	}
}

static const char *local_time(struct json_object *event, char *text,
			      size_t size)
{
	time_t when = (time_t)qs_events_time(event);
	struct tm tm;

	if (!when || !localtime_r(&when, &tm) ||
	    !strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(text, size, "%s", qs_online_text(event, "time", "?"));
	return text;
}

static long long num(struct json_object *event, const char *key)
{
	return (long long)qs_online_number(event, key, 0);
}

static void say_holds(struct json_object *event, char *text, size_t size)
{
	char own[128], borrowed[128];

	gpus_text(event, "own", own, sizeof(own));
	gpus_text(event, "borrowed", borrowed, sizeof(borrowed));
	snprintf(text, size, "own %s, borrowed %s", own, borrowed);
}

/* "FAILED with exit code 7, "; "" where the log does not know. */
static void say_end(struct json_object *event, char *text, size_t size)
{
	const char *state = qs_online_text(event, "state", NULL);

	text[0] = '\0';
	if (!state)
		return;
	if (num(event, "signal"))
		snprintf(text, size, "%s by signal %lld, ", state,
			 num(event, "signal"));
	else if (num(event, "exit_code"))
		snprintf(text, size, "%s with exit code %lld, ", state,
			 num(event, "exit_code"));
	else
		snprintf(text, size, "%s, ", state);
}

/* The part of a line behind job and share; false: not known here. */
static bool say(struct json_object *event, const char *what, char *text,
		size_t size)
{
	char holds[300], span[32], end[80];

	say_holds(event, holds, sizeof(holds));
	if (!strcmp(what, "start")) {
		qs_duration_text(qs_online_number(event, "waited", 0), span,
				 sizeof(span));
		snprintf(text, size, "%s, waited %s", holds, span);
	} else if (!strcmp(what, "end")) {
		qs_duration_text(qs_online_number(event, "run", 0), span,
				 sizeof(span));
		say_end(event, end, sizeof(end));
		snprintf(text, size, "%sran %s, %s", end, span, holds);
	} else if (!strcmp(what, "loan")) {
		snprintf(text, size, "%s now", holds);
	} else if (!strcmp(what, "queued")) {
		gpus_text(event, "gpus", holds, sizeof(holds));
		snprintf(text, size, "waits for %s", holds);
	} else if (!strcmp(what, "withdrawn")) {
		snprintf(text, size, "%s before it started",
			 qs_online_text(event, "state", "gone"));
	} else if (!strcmp(what, "grant")) {
		snprintf(text, size, "may start (%s)",
			 qs_online_text(event, "how", "?"));
	} else if (!strcmp(what, "claim")) {
		snprintf(text, size, "%lld must go for it (%s, %s)",
			 num(event, "victims"),
			 qs_online_text(event, "how", "?"),
			 qs_online_text(event, "code", "?"));
	} else if (!strcmp(what, "claim_ended")) {
		snprintf(text, size, "after %lld s: %s", num(event, "after"),
			 qs_online_text(event, "why", "?"));
	} else if (!strcmp(what, "would_hold")) {
		snprintf(text, size, "would not have started: %s",
			 qs_online_text(event, "text", "?"));
	} else if (!strcmp(what, "would_preempt")) {
		snprintf(text, size, "would have gone for JobId=%lld (%s)",
			 num(event, "for"), qs_online_text(event, "code", "?"));
	} else if (!strcmp(what, "priority_changed")) {
		snprintf(text, size, "priority %lld, %lld before",
			 num(event, "priority"), num(event, "before"));
	} else if (!strcmp(what, "service_changed")) {
		snprintf(text, size,
			 "queue %s: %lld of %lld %s in service, %lld before",
			 qs_online_text(event, "queue", "?"),
			 num(event, "in_service"), num(event, "capacity"),
			 qs_online_text(event, "type", "?"),
			 num(event, "before"));
	} else if (qs_online_text(event, "text", NULL)) {
		snprintf(text, size, "%s", qs_online_text(event, "text", ""));
	} else {
		return false;
	}
	return true;
}

static enum qs_style style_of(const char *what)
{
	if (!strncmp(what, "preemption", 10) || !strncmp(what, "would_p", 7))
		return QS_STYLE_BAD;
	if (!strcmp(what, "start") || !strcmp(what, "grant"))
		return QS_STYLE_OWN;
	if (!strcmp(what, "loan") || !strncmp(what, "claim", 5))
		return QS_STYLE_BORROWED;
	return QS_STYLE_PLAIN;
}

/* All that is not said yet, as key=value. */
static void print_rest(struct json_object *event, FILE *file)
{
	json_object_object_foreach(event, key, value)
	{
		if (!strcmp(key, "time") || !strcmp(key, "event") ||
		    !strcmp(key, "job") || !strcmp(key, "share"))
			continue;
		fprintf(file, " %s=%s", key,
			json_object_is_type(value, json_type_string) ?
				json_object_get_string(value) :
				json_object_to_json_string(value));
	}
}

void qs_events_print(struct json_object *event, bool color, FILE *file)
{
	const char *what = qs_online_text(event, "event", "?");
	const char *share = qs_online_text(event, "share", NULL);
	char when[32], text[2048];

	fputs(local_time(event, when, sizeof(when)), file);
	putc(' ', file);
	qs_style_set(file, style_of(what), color);
	fputs(what, file);
	if (style_of(what) != QS_STYLE_PLAIN)
		qs_style_set(file, QS_STYLE_PLAIN, color);
	if (num(event, "job"))
		fprintf(file, " JobId=%lld", num(event, "job"));
	if (share)
		fprintf(file, " share %s", *share ? share : "(removed)");
	if (say(event, what, text, sizeof(text)))
		fprintf(file, ": %s", text);
	else
		print_rest(event, file);
	putc('\n', file);
}

void qs_events_columns(struct qs_table *table)
{
	static const char *const columns[] = { "time",     "event", "job",
					       "for",      "share", "own",
					       "borrowed", "text" };

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		qs_table_column(table, columns[i]);
}

static void add_number(struct qs_table *table, struct json_object *event,
		       const char *key)
{
	if (num(event, key))
		qs_table_number(table, num(event, key));
	else
		qs_table_none(table, "");
}

void qs_events_row(struct qs_table *table, struct json_object *event)
{
	const char *what = qs_online_text(event, "event", "");
	char text[2048];

	qs_table_row(table);
	qs_table_text(table, local_time(event, text, sizeof(text)));
	qs_table_text(table, what);
	add_number(table, event, "job");
	add_number(table, event, "for");
	qs_table_text(table, qs_online_text(event, "share", ""));
	gpus_text(event, "own", text, sizeof(text));
	qs_table_text(table, text);
	gpus_text(event, "borrowed", text, sizeof(text));
	qs_table_text(table, text);
	if (!say(event, what, text, sizeof(text)))
		text[0] = '\0';
	qs_table_text(table, text);
}
