/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_json.c - what state.c keeps, as JSON and back
 *
 * Called by state.c under qs_rt.lock; nothing here blocks. A field that is not
 * there is 0 or "", so a file of an earlier version can be read. Its surprise:
 * times that something waits for are of this boot's clock, and are brought to
 * this one's when they are read (qs_mono_recall()).
 */
#include "runtime/state.h"

#include <stdlib.h>
#include <string.h>

static void put(struct json_object *to, const char *key, int64_t value)
{
	if (value)
		json_object_object_add(to, key, json_object_new_int64(value));
}

static void put_text(struct json_object *to, const char *key, const char *text)
{
	if (text && text[0])
		json_object_object_add(to, key, json_object_new_string(text));
}

static int64_t get(struct json_object *from, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(from, key, &value) ?
		       json_object_get_int64(value) :
		       0;
}

static void get_text(struct json_object *from, const char *key, char *text,
		     size_t size)
{
	struct json_object *value;

	text[0] = '\0';
	if (json_object_object_get_ex(from, key, &value))
		snprintf(text, size, "%s", json_object_get_string(value));
}

/* Is there anything in it that slurmctld does not keep itself? */
static bool worth(const struct qs_jobrec *rec)
{
	return rec->known &&
	       (rec->preempted || rec->displaced_by || rec->requeued ||
		rec->fix_begin || rec->priority_set);
}

static struct json_object *job_out(const struct qs_jobrec *rec)
{
	struct json_object *job = json_object_new_object();

	put(job, "id", rec->id);
	put(job, "user", rec->user);
	put(job, "submit", rec->submit);
	put(job, "restarts", rec->restarts);
	put(job, "priority", rec->priority);
	if (rec->retries.set)
		json_object_object_add(
			job, "retries",
			json_object_new_int64(rec->retries.value));
	put(job, "preempted", rec->preempted);
	put(job, "displaced_by", rec->displaced_by);
	put(job, "displaced_under", (int64_t)rec->displaced_under);
	put(job, "eligible", rec->eligible);
	put(job, "requeued", rec->requeued);
	put(job, "fix_begin", rec->fix_begin);
	put(job, "resubmit", rec->resubmit);
	put(job, "unhold", rec->unhold);
	put(job, "stopped_start", rec->stopped_start);
	put(job, "stopped_restarts", rec->stopped_restarts);
	put(job, "stopped_done", rec->stopped_done);
	put(job, "stopped_requeue", rec->stopped_requeue);
	put(job, "priority_set", rec->priority_set);
	return job;
}

static void job_in(struct json_object *job)
{
	struct qs_jobrec *rec = qs_jobrec_add((uint32_t)get(job, "id"));
	struct json_object *value;

	if (!rec)
		return;
	rec->user = (uint32_t)get(job, "user");
	rec->submit = get(job, "submit");
	rec->restarts = (uint32_t)get(job, "restarts");
	rec->priority = (uint32_t)get(job, "priority");
	rec->retries.set = json_object_object_get_ex(job, "retries", &value);
	if (rec->retries.set)
		rec->retries.value = json_object_get_int64(value);
	rec->preempted = (uint32_t)get(job, "preempted");
	rec->displaced_by = (uint32_t)get(job, "displaced_by");
	rec->displaced_under = (uint64_t)get(job, "displaced_under");
	rec->eligible = get(job, "eligible");
	rec->requeued = get(job, "requeued");
	rec->fix_begin = get(job, "fix_begin");
	rec->resubmit = get(job, "resubmit");
	rec->unhold = get(job, "unhold");
	rec->stopped_start = get(job, "stopped_start");
	rec->stopped_restarts = (uint32_t)get(job, "stopped_restarts");
	rec->stopped_done = get(job, "stopped_done");
	rec->stopped_requeue = get(job, "stopped_requeue");
	rec->priority_set = get(job, "priority_set");
	rec->known = true;
}

/* The clock by which a file's times were written; set while it is read. */
static struct {
	char boot[64];
	int64_t written_us;
} saved;

static int64_t recall(struct json_object *from, const char *key)
{
	return qs_mono_recall(saved.boot, saved.written_us, get(from, key));
}

static struct json_object *claim_out(const struct qs_claim *claim)
{
	struct json_object *out = json_object_new_object();

	put(out, "claimant", claim->claimant);
	put(out, "order", claim->order);
	put(out, "decided", claim->decided);
	put(out, "gone_us", claim->gone_us);
	put(out, "timeout", claim->timeout_sec);
	put(out, "owed_before", claim->owed_before);
	put(out, "tasks", claim->tasks);
	put(out, "how", claim->how);
	put(out, "code", claim->code);
	put_text(out, "nodes", claim->nodes);
	return out;
}

static void claim_in(struct json_object *in)
{
	struct qs_claim *claim = calloc(1, sizeof(*claim));
	struct json_object *value;

	if (!claim)
		return;
	claim->claimant = (uint32_t)get(in, "claimant");
	claim->order = get(in, "order");
	if (claim->order > qs_rt.claims_made)
		qs_rt.claims_made = claim->order;
	claim->decided = get(in, "decided");
	claim->gone_us = recall(in, "gone_us");
	claim->timeout_sec = (uint32_t)get(in, "timeout");
	claim->owed_before = (uint32_t)get(in, "owed_before");
	claim->tasks = (uint32_t)get(in, "tasks");
	claim->how = (uint8_t)get(in, "how");
	claim->code = (uint8_t)get(in, "code");
	if (json_object_object_get_ex(in, "nodes", &value))
		claim->nodes = strdup(json_object_get_string(value));
	claim->next = qs_rt.claims;
	qs_rt.claims = claim;
}

static struct json_object *stop_out(const struct qs_stop *stop)
{
	struct json_object *out = json_object_new_object();

	put(out, "victim", stop->victim);
	put(out, "claimant", stop->claimant);
	put(out, "start", stop->start);
	put(out, "restarts", stop->restarts);
	put(out, "decided", stop->decided);
	put(out, "signalled_us", stop->signalled_us);
	put(out, "grace", stop->grace_sec);
	put(out, "phase", stop->phase);
	put(out, "outcome", stop->outcome);
	put(out, "how", stop->how);
	put(out, "code", stop->code);
	put(out, "chosen", stop->chosen);
	put(out, "counted", stop->counted);
	put(out, "ended", stop->ended);
	put(out, "shell_waits", stop->shell_waits);
	put(out, "again", stop->again);
	put(out, "gpus", stop->gpus);
	put(out, "beyond", stop->beyond);
	put_text(out, "share", stop->share);
	put_text(out, "text", stop->text);
	return out;
}

static void stop_in(struct json_object *in)
{
	struct qs_stop *stop = calloc(1, sizeof(*stop));

	if (!stop)
		return;
	stop->victim = (uint32_t)get(in, "victim");
	stop->claimant = (uint32_t)get(in, "claimant");
	stop->recovered = true;
	stop->start = get(in, "start");
	stop->restarts = (uint32_t)get(in, "restarts");
	stop->decided = get(in, "decided");
	stop->signalled_us = recall(in, "signalled_us");
	stop->grace_sec = (uint32_t)get(in, "grace");
	stop->phase = (uint8_t)get(in, "phase");
	if (stop->phase == QS_PHASE_GRACE && !stop->signalled_us)
		stop->signalled_us = qs_mono_us();
	stop->outcome = (uint8_t)get(in, "outcome");
	stop->how = (uint8_t)get(in, "how");
	stop->code = (uint8_t)get(in, "code");
	stop->chosen = (uint8_t)get(in, "chosen");
	stop->counted = get(in, "counted");
	stop->ended = get(in, "ended");
	stop->shell_waits = get(in, "shell_waits");
	stop->again = get(in, "again");
	stop->gpus = (uint32_t)get(in, "gpus");
	stop->beyond = (uint32_t)get(in, "beyond");
	get_text(in, "share", stop->share, sizeof(stop->share));
	get_text(in, "text", stop->text, sizeof(stop->text));
	stop->next = qs_rt.stops;
	qs_rt.stops = stop;
}

static struct json_object *past_out(const struct qs_past *past)
{
	struct json_object *out = json_object_new_object();

	put(out, "time", past->time);
	put(out, "victim", past->victim);
	put(out, "claimant", past->claimant);
	put(out, "run", past->run_sec);
	put(out, "gpus", past->gpus);
	put(out, "beyond", past->beyond);
	put(out, "how", past->how);
	put(out, "code", past->code);
	put(out, "chosen", past->chosen);
	put(out, "outcome", past->outcome);
	put_text(out, "share", past->share);
	put_text(out, "text", past->text);
	return out;
}

static void past_in(struct json_object *in)
{
	struct qs_past *past;

	if (!qs_rt.history)
		qs_rt.history = calloc(QS_HISTORY_MAX, sizeof(*past));
	if (!qs_rt.history)
		return;
	past = &qs_rt.history[qs_rt.history_next++ % QS_HISTORY_MAX];
	if (qs_rt.history_n < QS_HISTORY_MAX)
		qs_rt.history_n++;
	past->time = get(in, "time");
	past->victim = (uint32_t)get(in, "victim");
	past->claimant = (uint32_t)get(in, "claimant");
	past->run_sec = (uint32_t)get(in, "run");
	past->gpus = (uint32_t)get(in, "gpus");
	past->beyond = (uint32_t)get(in, "beyond");
	past->how = (uint8_t)get(in, "how");
	past->code = (uint8_t)get(in, "code");
	past->chosen = (uint8_t)get(in, "chosen");
	past->outcome = (uint8_t)get(in, "outcome");
	get_text(in, "share", past->share, sizeof(past->share));
	get_text(in, "text", past->text, sizeof(past->text));
}

static struct json_object *list(struct json_object *to, const char *key)
{
	struct json_object *array = json_object_new_array();

	json_object_object_add(to, key, array);
	return array;
}

struct json_object *qs_state_out(void)
{
	struct json_object *all = json_object_new_object();
	struct json_object *jobs = list(all, "jobs");
	struct json_object *claims = list(all, "claims");
	struct json_object *stops = list(all, "stops");
	struct json_object *history = list(all, "history");
	char boot[64];

	qs_boot_id(boot, sizeof(boot));
	put_text(all, "boot", boot);
	put(all, "written_us", qs_mono_us());
	put(all, "written", qs_now());
	put(all, "closed", qs_rt.closing);
	put(all, "preemptions", (int64_t)qs_rt.count.preemptions);
	for (uint32_t i = 0; i < qs_rt.hash_size; i++)
		for (struct qs_jobrec *rec = qs_rt.hash[i]; rec;
		     rec = rec->next)
			if (worth(rec))
				json_object_array_add(jobs, job_out(rec));
	for (struct qs_claim *claim = qs_rt.claims; claim; claim = claim->next)
		if (!claim->dead)
			json_object_array_add(claims, claim_out(claim));
	for (struct qs_stop *stop = qs_rt.stops; stop; stop = stop->next)
		json_object_array_add(stops, stop_out(stop));
	for (uint32_t i = 0; i < qs_rt.history_n; i++)
		json_object_array_add(
			history, past_out(&qs_rt.history[(qs_rt.history_next -
							  qs_rt.history_n + i) %
							 QS_HISTORY_MAX]));
	return all;
}

static void each(struct json_object *all, const char *key,
		 void (*in)(struct json_object *))
{
	struct json_object *array;

	if (!json_object_object_get_ex(all, key, &array) ||
	    !json_object_is_type(array, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct json_object *one = json_object_array_get_idx(array, i);

		if (json_object_is_type(one, json_type_object))
			in(one);
	}
}

void qs_state_in(struct json_object *all)
{
	get_text(all, "boot", saved.boot, sizeof(saved.boot));
	saved.written_us = get(all, "written_us");
	qs_clock_recall(saved.boot, get(all, "written"), saved.written_us);
	qs_rt.abrupt = !get(all, "closed") && !qs_compat_replaces();
	qs_rt.count.preemptions = (uint64_t)get(all, "preemptions");
	each(all, "jobs", job_in);
	each(all, "claims", claim_in);
	each(all, "stops", stop_in);
	each(all, "history", past_in);
}
