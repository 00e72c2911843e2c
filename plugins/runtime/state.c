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
#include "runtime/state.h"

#include <errno.h>
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
	all = qs_state_out();
	slurm_mutex_unlock(&qs_rt.lock);
	text = json_object_to_json_string_length(all, JSON_C_TO_STRING_PLAIN,
						 &n);
	path_of(path, sizeof(path));
	if (text) {
		snprintf(head, sizeof(head),
			 "quota_share %d %zu %016" PRIx64 "\n", FORMAT_VERSION,
			 n, qs_text_sum(text, n));
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
	    sum != qs_text_sum(body, length)) {
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
	qs_state_in(all);
	slurm_mutex_unlock(&qs_rt.lock);
	json_object_put(all);
	info("quota_share: state of %u jobs recovered", qs_rt.nrecs);
}
