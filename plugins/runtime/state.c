/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.c - what must survive a kill -9: counts, priorities, claims (R20)
 *
 * Written by our thread to StateSaveLocation/quota_share.state: a copy under
 * qs_rt.lock, then a new file, fsync and rename, with no lock held. Read once
 * when slurmctld starts. It says nothing about usage: job_list is the truth for
 * that. A file that is missing, cut off, damaged, of a later version or no plain
 * file is told, shown in the health lines and kept under another name; then
 * counts begin at 0 and nobody is stopped for old claims.
 *
 * The format is one line "quota_share 1 LENGTH SUM" and then JSON. Times that
 * something waits for are of the clock that nobody can set (time.c), so it says
 * which boot they belong to.
 */
#include "runtime/inner.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/load.h"

#include "runtime/file.h"

#define FILE_NAME      "quota_share.state"
#define FORMAT_VERSION 1
#define BYTES_MAX      ((size_t)256 * 1024 * 1024)

/* FNV-1a: tells a damaged file, not a forged one. */
uint64_t qs_state_sum(const char *text, size_t n)
{
	uint64_t sum = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	return sum;
}

static char folder[PATH_MAX];

const char *qs_state_folder(void)
{
	if (folder[0])
		return folder;
	return slurm_conf.state_save_location ? slurm_conf.state_save_location :
						"";
}

static void path_of(char *path, size_t size)
{
	snprintf(path, size, "%s/%s", qs_state_folder(), FILE_NAME);
}

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

/* qs_rt.lock held. */
static struct json_object *all_out(void)
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

int qs_state_save(void)
{
	char path[4096], head[96];
	const char *text, *why = "out of memory";
	struct json_object *all;
	bool told;
	size_t n;
	int rc = -1;

	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.state_dirty = false;
	all = all_out();
	slurm_mutex_unlock(&qs_rt.lock);
	text = json_object_to_json_string_length(all, JSON_C_TO_STRING_PLAIN,
						 &n);
	path_of(path, sizeof(path));
	if (text) {
		snprintf(head, sizeof(head),
			 "quota_share %d %zu %016" PRIx64 "\n", FORMAT_VERSION,
			 n, qs_state_sum(text, n));
		rc = qs_file_replace(path, head, text, n, &why);
	}
	json_object_put(all);
	slurm_mutex_lock(&qs_rt.lock);
	told = qs_rt.state_error[0];
	qs_rt.state_error[0] = '\0';
	qs_rt.count.state_saves++;
	if (rc) {
		snprintf(qs_rt.state_error, sizeof(qs_rt.state_error),
			 "%.400s: %.100s", path, why);
		qs_rt.count.state_errors++;
		qs_rt.state_dirty = true;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	if (rc && !told)
		error("quota_share: %s: cannot write: %s; until that works nobody is stopped",
		      path, why);
	else if (!rc && told)
		info("quota_share: %s: written again", path);
	return rc;
}

/* The JSON behind a good head line, or NULL with the reason. */
static struct json_object *parse(const char *text, size_t n, const char **why)
{
	unsigned version = 0;
	size_t length = 0;
	uint64_t sum = 0;
	const char *body = memchr(text, '\n', n);
	struct json_object *all;

	if (!body || sscanf(text, "quota_share %u %zu %" SCNx64, &version,
			    &length, &sum) != 3) {
		*why = "not such a file";
		return NULL;
	}
	body++;
	if (version > FORMAT_VERSION) {
		*why = "written by a later version";
		return NULL;
	}
	if (length != n - (size_t)(body - text) ||
	    sum != qs_state_sum(body, length)) {
		*why = "cut off or damaged";
		return NULL;
	}
	all = json_tokener_parse(body);
	*why = "not JSON";
	return all;
}

/* Kept beside it: a later version may know what to do with it, and a person
 * may want to see. */
static void refuse(const char *path, const char *why)
{
	char aside[4200] = "";
	bool kept;

	kept = !qs_file_set_aside(path, aside, sizeof(aside));
	slurm_mutex_lock(&qs_rt.lock);
	snprintf(qs_rt.state_lost, sizeof(qs_rt.state_lost),
		 "%.200s: %.80s%s%.200s", path, why, kept ? "; kept as " : "",
		 kept ? aside : "");
	error("quota_share: %s; preemption counts begin at 0, and nobody is stopped for an earlier claim",
	      qs_rt.state_lost);
	slurm_mutex_unlock(&qs_rt.lock);
}

/* Returns the text of a plain file, or NULL with *why; why NULL: there never
 * was one. The caller frees. */
static char *read_state(const char *path, size_t *n, const char **why)
{
	char *text = NULL;
	struct stat st;

	if (lstat(path, &st)) {
		*why = errno != ENOENT ?
			       strerror(errno) :
			       /* A log of an earlier run, so there was a state. */
			       qs_log_begun() ?
			       "it is missing, although this cluster has had one" :
			       NULL;
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		*why = "it is not a plain file";
		return NULL;
	}
	(void)qs_load_file(path, BYTES_MAX, &text, n, NULL, why);
	return text;
}

void qs_state_load(void)
{
	char path[4096];
	const char *why = "";
	struct json_object *all = NULL;
	char *text;
	size_t n = 0;

	if (!folder[0] && slurm_conf.state_save_location)
		snprintf(folder, sizeof(folder), "%s",
			 slurm_conf.state_save_location);

	path_of(path, sizeof(path));
	text = read_state(path, &n, &why);
	if (text)
		all = parse(text, n, &why);
	free(text);
	if (!all && why)
		refuse(path, why);
	if (!all) {
		debug("quota_share: %s: begun anew", path);
		qs_rt.abrupt = why;
		return;
	}
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.abrupt = !get(all, "closed") && !qs_compat_replaces();
	get_text(all, "boot", saved.boot, sizeof(saved.boot));
	saved.written_us = get(all, "written_us");
	qs_clock_recall(saved.boot, get(all, "written"), saved.written_us);
	qs_rt.count.preemptions = (uint64_t)get(all, "preemptions");
	each(all, "jobs", job_in);
	each(all, "claims", claim_in);
	each(all, "stops", stop_in);
	each(all, "history", past_in);
	slurm_mutex_unlock(&qs_rt.lock);
	json_object_put(all);
	info("quota_share: state of %u jobs recovered", qs_rt.nrecs);
}
