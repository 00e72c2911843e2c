/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_facts.c - what the event log remembers of one job
 *
 * Called by describe-jobs for jobs that slurmctld has forgotten. Blocks on the
 * file system. Its surprise: ids are used again, so what was told before the
 * job was queued is about another one.
 */
#include "cli/events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aws/live.h"
#include "cli/online.h"

struct search {
	const char *id; /* 12 or 12_3 */
	int64_t job;    /* its number; 0: not yet known */
	struct json_object *facts;
	struct json_object *history; /* preemptions, oldest first */
};

static void put_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static void put_number(struct json_object *to, const char *key, int64_t value)
{
	json_object_object_add(to, key, json_object_new_int64(value));
}

static void begin(struct search *search)
{
	json_object_put(search->facts);
	json_object_put(search->history);
	search->facts = json_object_new_object();
	search->history = json_object_new_array();
	put_text(search->facts, "id", search->id);
}

static void note_end(struct search *search, struct json_object *event)
{
	struct json_object *again = NULL;
	int64_t start = qs_online_number(event, "start", 0);
	char text[64];

	json_object_object_get_ex(event, "requeued", &again);
	if (json_object_get_boolean(again)) {
		put_text(search->facts, "state", "PENDING");
		return;
	}
	put_text(search->facts, "state",
		 qs_online_text(event, "state", "UNKNOWN"));
	put_number(search->facts, "end",
		   start + qs_online_number(event, "run", 0));
	put_text(search->facts, "reason",
		 qs_live_end_text(qs_online_number(event, "exit_code", 0),
				  qs_online_number(event, "signal", 0), text,
				  sizeof(text)));
}

/* As the runtime tells it in the answer to "explain". */
static void note_preemption(struct search *search, struct json_object *event)
{
	struct json_object *past = json_object_new_object();

	put_number(past, "time", qs_events_time(event));
	put_number(past, "run", qs_online_number(event, "run", 0));
	put_text(past, "text", qs_online_text(event, "text", ""));
	json_object_array_add(search->history, past);
}

static int note(struct json_object *event, void *arg)
{
	struct search *search = arg;
	const char *what = qs_online_text(event, "event", "");
	const char *id = qs_online_text(event, "id", NULL);
	int64_t job = qs_online_number(event, "job", 0);
	bool queued = !strcmp(what, "queued");

	if (id && !strcmp(id, search->id))
		search->job = job;
	if (!job || job != search->job || (id && strcmp(id, search->id)))
		return 0;
	if (queued || !search->facts)
		begin(search);
	if (queued) {
		put_number(search->facts, "submit", qs_events_time(event));
		put_text(search->facts, "state", "PENDING");
	}
	if (qs_online_text(event, "queue", NULL)) {
		put_text(search->facts, "queue",
			 qs_online_text(event, "queue", ""));
		put_text(search->facts, "share",
			 qs_online_text(event, "share", ""));
	}
	if (!strcmp(what, "start")) {
		put_text(search->facts, "state", "RUNNING");
		put_number(search->facts, "start",
			   qs_online_number(event, "start", 0));
	} else if (!strcmp(what, "end")) {
		note_end(search, event);
	} else if (!strcmp(what, "withdrawn")) {
		put_text(search->facts, "state",
			 qs_online_text(event, "state", "CANCELLED"));
		put_number(search->facts, "end", qs_events_time(event));
		put_text(search->facts, "reason",
			 "Cancelled before it started");
	} else if (!strcmp(what, "preemption_completed")) {
		note_preemption(search, event);
	}
	return 0;
}

/* Newest first. */
static struct json_object *explain_of(struct json_object *history)
{
	struct json_object *to = json_object_new_object();
	struct json_object *list = json_object_new_array();
	size_t n = json_object_array_length(history);

	put_number(to, "preempted", (int64_t)n);
	for (size_t i = n; i > 0; i--)
		json_object_array_add(list,
				      json_object_get(json_object_array_get_idx(
					      history, i - 1)));
	json_object_object_add(to, "history", list);
	return to;
}

int qs_events_facts(const char *path, const char *id,
		    struct json_object **facts, struct json_object **explain)
{
	struct search search = { .id = id };
	size_t bad;
	char *end;

	*facts = *explain = NULL;
	search.job = strtoll(id, &end, 10);
	if (*end)
		search.job = 0;
	if (qs_events_read(path, note, &search, &bad) || !search.facts) {
		json_object_put(search.facts);
		json_object_put(search.history);
		return -1;
	}
	*facts = search.facts;
	*explain = explain_of(search.history);
	json_object_put(search.history);
	return 0;
}
