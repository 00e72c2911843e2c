/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.c - what sacct --json writes
 *
 * The document is one object with an array "jobs". It is read job by job, so
 * that a year's file needs the memory of one job. Keys differ by version: what
 * was a number or null in 22.05 is {"set", "infinite", "number"} from 23.02 on,
 * "never" is null, 0 or 4294967294, and a state is a word or a list of words.
 */
#include "sacct/record.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* NO_VAL: how Slurm writes a time that is not there. */
#define NEVER 4294967294
/* The rest cannot be read, and that is noted. */
#define BROKEN (-2)

struct reader {
	FILE *file;
	const char *name;
	struct json_tokener *tokener;
	char buf[1 << 16];
	size_t at, n;
	uint64_t jobs;
	char tres[2][4096];
	char state[64];
	char where[300];
	qs_sacct_fn fn;
	void *arg;
	struct qs_problems *problems;
};

/* The next character, which is left; -1 at the end. */
static int peek(struct reader *r)
{
	if (r->at == r->n) {
		r->at = 0;
		r->n = fread(r->buf, 1, sizeof(r->buf), r->file);
	}
	return r->n ? (unsigned char)r->buf[r->at] : -1;
}

static int peek_token(struct reader *r)
{
	int c;

	while ((c = peek(r)) >= 0 && strchr(" \t\r\n,:", c) && c)
		r->at++;
	return c;
}

/* One whole value; NULL: it is broken, or the file ends in it. JSON's null is
 * NULL, too, but *good. */
static struct json_object *value(struct reader *r, bool *good)
{
	struct json_object *json = NULL;
	enum json_tokener_error error = json_tokener_continue;

	json_tokener_reset(r->tokener);
	while (error == json_tokener_continue && peek(r) >= 0) {
		json = json_tokener_parse_ex(r->tokener, r->buf + r->at,
					     (int)(r->n - r->at));
		error = json_tokener_get_error(r->tokener);
		r->at = error == json_tokener_success ?
				r->at + (size_t)r->tokener->char_offset :
				r->n;
	}
	*good = error == json_tokener_success;
	return json;
}

static struct json_object *get(struct json_object *json, const char *key)
{
	struct json_object *member = NULL;

	if (json_object_is_type(json, json_type_object))
		json_object_object_get_ex(json, key, &member);
	return member;
}

static const char *text(struct json_object *json, const char *key)
{
	struct json_object *member = get(json, key);

	return json_object_is_type(member, json_type_string) ?
		       json_object_get_string(member) :
		       "";
}

/* A number, also as {"set": true, "number": 1}; otherwise if it is not set. */
static int64_t number(struct json_object *json, const char *key,
		      int64_t otherwise)
{
	struct json_object *member = get(json, key);

	if (json_object_is_type(member, json_type_object)) {
		if (!json_object_get_boolean(get(member, "set")))
			return otherwise;
		member = get(member, "number");
	}
	if (!json_object_is_type(member, json_type_int) &&
	    !json_object_is_type(member, json_type_double))
		return otherwise;
	return json_object_get_int64(member);
}

static int64_t when(struct json_object *time, const char *key)
{
	int64_t value = number(time, key, 0);

	return value > 0 && value != NEVER ? value : QS_TIME_NONE;
}

/* ["PENDING", "RESIZING"]: the second word says what it is. */
static void take_state(struct reader *r, struct json_object *job)
{
	struct json_object *current = get(get(job, "state"), "current");
	const char *word = "";

	if (json_object_is_type(current, json_type_string))
		word = json_object_get_string(current);
	for (size_t i = 0; json_object_is_type(current, json_type_array) &&
			   i < json_object_array_length(current);
	     i++) {
		struct json_object *item =
			json_object_array_get_idx(current, i);
		const char *is = json_object_get_string(item);

		if (is && (!i || !strcmp(is, "RESIZING")))
			word = is;
	}
	snprintf(r->state, sizeof(r->state), "%s", word);
	qs_sacct_state(r->state);
}

/* The list as sacct writes it in text, GPUs only. */
static void take_tres(struct json_object *list, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		struct json_object *item = json_object_array_get_idx(list, i);
		const char *type = text(item, "type");
		const char *name = text(item, "name");
		int wrote;

		/* Anything shows that there was an allocation. */
		wrote = snprintf(out + n, size - n, "%s%s%s%s=%lld",
				 n ? "," : "", type, *name ? "/" : "", name,
				 (long long)number(item, "count", 0));
		if (wrote < 0 || (size_t)wrote >= size - n) {
			out[n] = '\0';
			return;
		}
		n += (size_t)wrote;
	}
}

static int take_job(struct reader *r, struct json_object *job)
{
	struct json_object *time = get(job, "time"), *tres = get(job, "tres");
	struct qs_sacct_record rec = { .id = "",
				       .has_account = get(job, "account"),
				       .has_req_tres = tres,
				       .where = r->where };
	int64_t id = number(job, "job_id", 0);

	r->jobs++;
	snprintf(r->where, sizeof(r->where), "%s: jobs[%llu]", r->name,
		 (unsigned long long)r->jobs - 1);
	take_state(r, job);
	if (id <= 0 || !time || !tres || !*r->state) {
		qs_problems_note(r->problems,
				 "records whose job id, state or times cannot "
				 "be read, left out",
				 "%s", r->where);
		return 0;
	}
	take_tres(get(tres, "allocated"), r->tres[0], sizeof(r->tres[0]));
	take_tres(get(tres, "requested"), r->tres[1], sizeof(r->tres[1]));
	rec.job = (uint64_t)id;
	rec.user = text(job, "user");
	rec.account = text(job, "account");
	rec.partition = text(job, "partition");
	rec.nodes = text(job, "nodes");
	rec.admin_comment = text(get(job, "comment"), "administrator");
	rec.state = r->state;
	rec.alloc_tres = r->tres[0];
	rec.req_tres = r->tres[1];
	rec.submit = when(time, "submission");
	rec.eligible = when(time, "eligible");
	rec.start = when(time, "start");
	rec.end = when(time, "end");
	rec.priority = number(job, "priority", -1);
	return r->fn(&rec, r->arg);
}

static int take_jobs(struct reader *r)
{
	int rc = 0, c;

	r->at++;
	while (!rc && (c = peek_token(r)) >= 0 && c != ']') {
		bool good;
		struct json_object *job = value(r, &good);

		if (!good) {
			json_object_put(job);
			qs_problems_note(r->problems,
					 "files that end or break within a "
					 "record; what follows is not known",
					 "%s after job %llu", r->name,
					 (unsigned long long)r->jobs);
			return BROKEN;
		}
		rc = take_job(r, job);
		json_object_put(job);
	}
	if (c == ']')
		r->at++;
	return rc;
}

/* What sacct itself said was wrong. */
static void take_errors(struct reader *r, struct json_object *list)
{
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++)
		qs_problems_note(r->problems, "errors that sacct reports", "%s",
				 json_object_to_json_string(
					 json_object_array_get_idx(list, i)));
}

/* Returns 0, BROKEN, what fn returned, or -1: no such output. */
static int document(struct reader *r)
{
	bool any = false;
	int c;

	r->at++; /* '{' */
	while ((c = peek_token(r)) == '"') {
		struct json_object *key, *member;
		bool good, jobs;

		key = value(r, &good);
		jobs = good && json_object_get_string(key) &&
		       !strcmp(json_object_get_string(key), "jobs");
		if (jobs && peek_token(r) == '[') {
			int rc = take_jobs(r);

			json_object_put(key);
			any = true;
			if (rc)
				return rc;
			continue;
		}
		peek_token(r);
		member = good ? value(r, &good) : NULL;
		if (good && json_object_get_string(key) &&
		    !strcmp(json_object_get_string(key), "errors"))
			take_errors(r, member);
		json_object_put(member);
		json_object_put(key);
		if (!good)
			break;
	}
	if (any && c != '}')
		qs_problems_note(r->problems,
				 "files that end or break within a record; "
				 "what follows is not known",
				 "%s", r->name);
	return any ? 0 : -1;
}

int qs_sacct_read_json(FILE *file, const char *name, qs_sacct_fn fn, void *arg,
		       struct qs_problems *problems, struct qs_error *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct qs_place at = { .file = name };
	int rc;

	if (r)
		r->tokener = json_tokener_new();
	if (!r || !r->tokener) {
		free(r);
		return qs_error_memory(err);
	}
	r->file = file;
	r->name = name;
	r->fn = fn;
	r->arg = arg;
	r->problems = problems;
	peek(r);
	rc = document(r);
	if (rc == -1)
		qs_error_set(err, &at, "there is no list of jobs in it", NULL,
			     "the output of sacct --json");
	json_tokener_free(r->tokener);
	free(r);
	return rc == BROKEN ? 0 : rc;
}
