/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_events.c - what the event log knows about runs that accounting has
 * not: whose they are, whether they began as borrowed, for whom they went
 *
 * Called by report once the runs are sealed. The log is read line by line; a
 * run is named by job and start. Its surprise: claims are told before the run
 * that they are for begins, so they are kept until then.
 */
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/events.h"
#include "cli/online.h"
#include "cli/report_service.h"
#include "engine/array.h"

struct claim {
	uint64_t job;
	int64_t when;
};

struct work {
	struct qs_report *report;
	struct claim *claims;
	uint32_t nclaims, max;
	uint64_t known;
	struct qs_report_service service;
};

/* The first run of a job; runs->n if there is none. */
static uint32_t first_run(const struct qs_runs *runs, uint64_t job)
{
	uint32_t low = 0, high = runs->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (runs->items[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The run of a job that began at start; NULL if there is none. */
static struct qs_run *run_at(struct qs_report *r, uint64_t job, int64_t start)
{
	for (uint32_t i = first_run(&r->runs, job);
	     i < r->runs.n && r->runs.items[i].job == job; i++)
		if (r->runs.items[i].start == start)
			return &r->runs.items[i];
	return NULL;
}

/* The last one that began by then. */
static struct qs_run *run_before(struct qs_report *r, uint64_t job,
				 int64_t when)
{
	struct qs_run *found = NULL;

	for (uint32_t i = first_run(&r->runs, job);
	     i < r->runs.n && r->runs.items[i].job == job; i++)
		if (r->runs.items[i].start != QS_TIME_NONE &&
		    r->runs.items[i].start <= when)
			found = &r->runs.items[i];
	return found;
}

static struct claim *claim_of(struct work *w, uint64_t job)
{
	for (uint32_t i = w->nclaims; i > 0; i--)
		if (w->claims[i - 1].job == job)
			return &w->claims[i - 1];
	return NULL;
}

static void forget(struct work *w, struct claim *claim)
{
	if (claim)
		*claim = w->claims[--w->nclaims];
}

/* Loans of the share's own jobs are no reclaim. */
static void take_claim(struct work *w, struct json_object *event, uint64_t job,
		       int64_t when)
{
	struct claim *claim = claim_of(w, job);

	if (strcmp(qs_online_text(event, "how", ""), "RECLAIM") ||
	    qs_online_number(event, "victims", 0) < 1)
		return;
	if (!claim) {
		if (!qs_array_room((void **)&w->claims, &w->max,
				   (uint64_t)w->nclaims + 1,
				   sizeof(*w->claims)))
			return;
		claim = &w->claims[w->nclaims++];
		claim->job = job;
	}
	claim->when = when;
}

static bool has_gpus(struct json_object *event, const char *key)
{
	struct json_object *gpus = NULL;

	return json_object_object_get_ex(event, key, &gpus) &&
	       json_object_is_type(gpus, json_type_object) &&
	       json_object_object_length(gpus) > 0;
}

static void take_start(struct work *w, struct json_object *event, uint64_t job,
		       int64_t when)
{
	struct qs_report *r = w->report;
	struct claim *claim = claim_of(w, job);
	int64_t start = qs_online_number(event, "start", when);
	struct qs_run *run = run_at(r, job, start);
	int32_t share = qs_quota_history_share(
		&r->history, qs_online_text(event, "share", ""));

	if (!run) {
		if (when >= r->begin && when < r->now)
			qs_problems_note(
				&r->problems,
				"runs of the event log that are not in "
				"accounting",
				"job %llu", (unsigned long long)job);
		forget(w, claim);
		return;
	}
	w->known++;
	run->borrow_known = true;
	run->borrow = has_gpus(event, "borrowed");
	if (share >= 0)
		for (uint32_t i = first_run(&r->runs, job);
		     i < r->runs.n && r->runs.items[i].job == job; i++)
			r->runs.items[i].share = share;
	if (claim && claim->when <= start)
		run->claimed = claim->when;
	forget(w, claim);
}

static void take_preemption(struct work *w, struct json_object *event,
			    uint64_t job, int64_t when)
{
	struct qs_report *r = w->report;
	int64_t run_sec = qs_online_number(event, "run", 0);
	struct qs_run *run = run_sec >= 0 && run_sec <= when ?
				     run_at(r, job, when - run_sec) :
				     NULL;
	const char *code = qs_online_text(event, "code", "");

	if (!run)
		run = run_before(r, job, when);
	if (!run) {
		if (when >= r->begin && when < r->now)
			qs_problems_note(&r->problems,
					 "preemptions of the event log whose "
					 "run is not in accounting",
					 "job %llu", (unsigned long long)job);
		return;
	}
	run->ended = QS_RUN_PREEMPTED;
	run->by = (uint64_t)qs_online_number(event, "for", 0);
	run->cause = QS_CAUSE_UNKNOWN;
	for (enum qs_run_cause c = QS_CAUSE_QUOTA; c < QS_CAUSES; c++)
		if (!strcmp(code, qs_run_cause_name(c)))
			run->cause = c;
	run->retry_limit =
		!strcmp(qs_online_text(event, "outcome", ""), "terminate");
}

static int take(struct json_object *event, void *arg)
{
	struct work *w = arg;
	struct qs_report *r = w->report;
	const char *word = qs_online_text(event, "event", "");
	uint64_t job = (uint64_t)qs_online_number(event, "job", 0);
	int64_t when = qs_events_time(event);

	if (!when) {
		qs_problems_note(&r->problems,
				 "lines of the event log without a time, left "
				 "out",
				 "%.60s", word);
		return 0;
	}
	if (!r->events_first)
		r->events_first = when;
	if (when < r->events_last)
		qs_problems_note(&r->problems,
				 "lines of the event log whose time goes back "
				 "(a clock was changed?)",
				 "%s", qs_online_text(event, "time", ""));
	r->events_last = when;
	if (when >= r->begin && when < r->end) {
		r->events++;
		if (!strcmp(word, "lines_lost"))
			r->events_lost +=
				(uint64_t)qs_online_number(event, "count", 0);
		r->restarts += !strcmp(word, "runtime_started");
		r->priority_changes += !strcmp(word, "priority_changed");
	}
	qs_report_service_take(r, &w->service, event, when);
	if (!strcmp(word, "claim"))
		take_claim(w, event, job, when);
	else if (!strcmp(word, "start"))
		take_start(w, event, job, when);
	else if (!strcmp(word, "preemption_completed"))
		take_preemption(w, event, job, when);
	return 0;
}

static void say_without(struct qs_report *r, const char *path, int error)
{
	qs_report_note(r,
		       "No event log (%s%s%s): which runs began as borrowed is "
		       "reconstructed from the policies and from which runs "
		       "overlapped; for whom a run was preempted and how fast "
		       "owners got theirs back is known only as far as the "
		       "records' AdminComment tells.",
		       path ? path : "its path is not known", path ? ": " : "",
		       path ? strerror(error) : "");
}

static void say_how(struct qs_report *r, const char *path, uint64_t known)
{
	char first[32], last[32];

	qs_report_time(r->events_first, first, sizeof(first));
	qs_report_time(r->events_last, last, sizeof(last));
	if (known == r->runs.n)
		qs_report_note(r,
			       "Loans at a start, preemptions and reclaims: "
			       "from the event log %s, %s to %s; it knows all "
			       "of the runs.",
			       path, first, last);
	else
		qs_report_note(
			r,
			"Loans at a start, preemptions and reclaims: "
			"from the event log %s, %s to %s; it knows %llu "
			"of %llu runs. The others are reconstructed from "
			"the policies and from which runs overlapped.",
			path, first, last, (unsigned long long)known,
			(unsigned long long)r->runs.n);
}

int qs_report_events(struct qs_report *r)
{
	char *path = qs_report_log_path(r, false);
	struct work w = { .report = r };
	size_t bad = 0;
	int rc = -1;

	if (path)
		rc = qs_events_read(path, take, &w, &bad);
	for (size_t i = 0; i < bad; i++)
		qs_problems_note(&r->problems,
				 "half-written lines of the event log, left "
				 "out",
				 "%s", path);
	free(w.claims);
	if (rc >= 0 && qs_report_service_end(r, &w.service))
		rc = -1;
	free(w.service.changes);
	if (rc < 0) {
		if (r->wish.events)
			qs_cli_error(QS_REPORT_NAME, "%s: %s", path,
				     strerror(errno));
		else
			say_without(r, path, errno);
		free(path);
		return r->wish.events ? QS_EXIT_ERROR : 0;
	}
	r->has_events = true;
	say_how(r, path, w.known);
	if (r->events_lost)
		qs_problems_note(&r->problems,
				 "gaps: lines that the event log could not "
				 "take",
				 "%llu lines",
				 (unsigned long long)r->events_lost);
	free(path);
	return 0;
}
