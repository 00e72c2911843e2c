/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_service.c - which GPUs were out of service, from the event log
 *
 * Called by report_events.c for each line of the log, and at its end. Blocks on
 * nothing. Its surprise: a line tells what was before it, too. So what was down
 * when the log began, or went while slurmctld was not there, counts from the
 * log's begin or slurmctld's start on.
 */
#include "cli/report_service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/online.h"
#include "engine/array.h"

static void add(struct qs_report_service *s, int64_t at, int32_t queue,
		int32_t type, int64_t there, int64_t capacity)
{
	if (!qs_array_room((void **)&s->changes, &s->max, (uint64_t)s->n + 1,
			   sizeof(*s->changes))) {
		s->failed = true;
		return;
	}
	s->changes[s->n] = (struct qs_report_down){
		.at = at,
		.order = s->n,
		.queue = queue,
		.type = (uint16_t)type,
		.gpus = there < capacity ? capacity - there : 0,
		.there = there,
	};
	s->n++;
}

static const struct qs_report_down *last(const struct qs_report_service *s,
					 int32_t queue, int32_t type)
{
	for (uint32_t i = s->n; i > 0; i--)
		if (s->changes[i - 1].queue == queue &&
		    s->changes[i - 1].type == type)
			return &s->changes[i - 1];
	return NULL;
}

static int32_t find_queue(const struct qs_report *r, const char *name)
{
	for (int32_t i = 0; i < r->history.nqueues; i++)
		if (!strcmp(r->history.queues[i], name))
			return i;
	return -1;
}

void qs_report_service_take(const struct qs_report *r,
			    struct qs_report_service *s,
			    struct json_object *event, int64_t when)
{
	int32_t queue = find_queue(r, qs_online_text(event, "queue", ""));
	int32_t type = qs_quota_history_type(&r->history,
					     qs_online_text(event, "type", ""));
	int64_t capacity = qs_online_number(event, "capacity", 0);
	int64_t before = qs_online_number(event, "before", 0);
	const struct qs_report_down *was;

	if (!strcmp(qs_online_text(event, "event", ""), "runtime_started"))
		s->started = when;
	if (strcmp(qs_online_text(event, "event", ""), "service_changed") ||
	    queue < 0 || type < 0)
		return;
	was = last(s, queue, type);
	if (!was)
		add(s, r->events_first, queue, type, before, capacity);
	else if (was->there != before)
		add(s, s->started > was->at ? s->started : when, queue, type,
		    before, capacity);
	add(s, when, queue, type, qs_online_number(event, "in_service", 0),
	    capacity);
}

static int by_time(const void *a, const void *b)
{
	const struct qs_report_down *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

int qs_report_service_end(struct qs_report *r, struct qs_report_service *s)
{
	int rc = 0;

	if (s->failed) {
		errno = ENOMEM;
		rc = -1;
	}
	if (s->n)
		qsort(s->changes, s->n, sizeof(*s->changes), by_time);
	for (uint32_t i = 0; !rc && i < s->n; i++) {
		const struct qs_report_down *c = &s->changes[i];

		rc = qs_quota_history_service(&r->history, c->at, c->queue,
					      c->type, c->gpus);
	}
	free(s->changes);
	*s = (struct qs_report_service){ 0 };
	return rc;
}

void qs_report_service_say(struct qs_report *r)
{
	struct qs_report_unit unit = qs_report_unit(r);
	char text[200] = "";
	size_t n = 0;

	for (int32_t t = 0; t < r->m.ntypes; t++)
		if (r->m.out_of_service[t] > 0 && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%s%.1f %s", n ? ", " : "",
					      (double)r->m.out_of_service[t] /
						      unit.seconds,
					      r->history.types[t]);
	if (n)
		qs_report_note(r,
			       "Out of service, by the event log (%s): %s; "
			       "here that is idle or lent.",
			       unit.name, text);
	else
		qs_report_note(r, "The event log tells of no GPUs that went "
				  "out of service.");
}
