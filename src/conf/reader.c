/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.c - quota_share.conf into a sealed policy
 *
 * Called by qshare and, at start-up and reload, by slurmctld's runtime: never
 * while it holds a lock, because files are read. All or nothing (R18).
 */
#include "conf/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int qs_reader_string(struct qs_reader *reader, const struct qs_record *record,
		     const char *key, char **to)
{
	const struct qs_token *token = qs_record_get(record, key);

	if (!token)
		return 0;
	*to = strdup(token->value);
	return *to ? 0 : qs_error_memory(reader->err);
}

int qs_reader_names(struct qs_reader *reader, const struct qs_record *record,
		    const char *key, struct qs_names *to)
{
	const struct qs_token *token = qs_record_get(record, key);
	const char *at = token ? token->value : NULL, *name;
	int64_t n;

	while ((n = qs_value_next(&at, &name)) >= 0)
		if (qs_names_add(to, name, (size_t)n))
			return qs_error_memory(reader->err);
	return 0;
}

struct qs_opt qs_record_opt(const struct qs_record *record, const char *key)
{
	const struct qs_token *token = qs_record_get(record, key);
	struct qs_opt opt = { 0 };

	if (token)
		opt.set = !qs_value_number(token->value, &opt.value);
	return opt;
}

int64_t qs_record_number(const struct qs_record *record, const char *key,
			 int64_t absent)
{
	struct qs_opt opt = qs_record_opt(record, key);

	return opt.set ? opt.value : absent;
}

int qs_record_choice(const struct qs_record *record, const char *key,
		     const char *const *words, int absent)
{
	const struct qs_token *token = qs_record_get(record, key);

	return token ? qs_value_word(token->value, words) : absent;
}

static int by_name(const void *a, const void *b)
{
	const struct qs_record *ra = *(const struct qs_record *const *)a;
	const struct qs_record *rb = *(const struct qs_record *const *)b;
	int order = strcmp(ra->tokens[0].value, rb->tokens[0].value);

	/* equal names: in the file's order, for the message */
	return order ? order : (ra > rb) - (ra < rb);
}

int qs_reader_collect(struct qs_reader *reader, enum qs_kind kind,
		      const struct qs_record ***records, int *n)
{
	const struct qs_document *doc = &reader->doc;
	const struct qs_record **found =
		calloc(doc->nrecords + 1, sizeof(*found));

	*records = found;
	*n = 0;
	if (!found)
		return qs_error_memory(reader->err);
	for (size_t i = 0; i < doc->nrecords; i++)
		if (doc->records[i].kind == (int)kind)
			found[(*n)++] = &doc->records[i];
	qsort(found, (size_t)*n, sizeof(*found), by_name);
	for (int i = 1; i < *n; i++) {
		struct qs_place at =
			qs_record_place(found[i], &found[i]->tokens[0]);

		if (strcmp(found[i]->tokens[0].value,
			   found[i - 1]->tokens[0].value))
			continue;
		return qs_error_set(reader->err, &at, "the name is taken", NULL,
				    "a name of its own; %.120s:%u has "
				    "this one",
				    found[i - 1]->file, found[i - 1]->line);
	}
	return 0;
}

/* The record before this one that has the key, NULL. */
static const struct qs_record *earlier(const struct qs_document *doc,
				       const struct qs_record *record,
				       const char *key)
{
	for (const struct qs_record *r = doc->records; r < record; r++)
		if (r->kind == QS_KIND_FILE && qs_record_get(r, key))
			return r;
	return NULL;
}

/* Mode, AuditLog and EventLog: once in all files together. */
static int read_file_keys(struct qs_reader *reader,
			  const struct qs_record *record)
{
	struct qs_policy *policy = reader->policy;

	for (size_t i = 0; i < record->ntokens; i++) {
		const struct qs_token *token = &record->tokens[i];
		const struct qs_record *first =
			earlier(&reader->doc, record, token->key);
		struct qs_place at = qs_record_place(record, token);

		if (first)
			return qs_error_set(reader->err, &at, "given twice",
					    NULL,
					    "it once in all files; %.120s:%u "
					    "has it too",
					    first->file, first->line);
	}
	policy->mode = (enum qs_mode)qs_record_choice(
		record, "Mode", qs_words_mode, (int)policy->mode);
	policy->admin_comment = !qs_record_choice(
		record, "AdminComment", qs_words_yes, !policy->admin_comment);
	if (qs_reader_string(reader, record, "AuditLog", &policy->audit_log))
		return -1;
	return qs_reader_string(reader, record, "EventLog", &policy->event_log);
}

static int read_files_keys(struct qs_reader *reader)
{
	const struct qs_document *doc = &reader->doc;

	for (size_t i = 0; i < doc->nrecords; i++)
		if (doc->records[i].kind == QS_KIND_FILE &&
		    read_file_keys(reader, &doc->records[i]))
			return -1;
	return 0;
}

static int interpret(struct qs_reader *reader)
{
	if (qs_keys_check(&reader->doc, reader->err) ||
	    read_files_keys(reader) || qs_reader_types(reader) ||
	    qs_reader_queues(reader) || qs_reader_shares(reader) ||
	    qs_reader_queue_references(reader))
		return -1;
	qs_reader_warn(reader);
	return 0;
}

/* Ends the reading, good or not: the policy, or NULL. Keeps errno. */
static struct qs_policy *finish(struct qs_reader *reader, int rc)
{
	int saved = errno;

	free(reader->queue_records);
	free(reader->share_records);
	qs_document_clear(&reader->doc);
	if (rc) {
		qs_policy_free(reader->policy);
		reader->policy = NULL;
	}
	errno = saved;
	return reader->policy;
}

static int begin(struct qs_reader *reader, struct qs_warnings *warnings,
		 struct qs_error *err)
{
	memset(err, 0, sizeof(*err));
	*reader = (struct qs_reader){
		.policy = qs_policy_new(),
		.warnings = warnings,
		.err = err,
	};
	return reader->policy ? 0 : qs_error_memory(err);
}

struct qs_policy *qs_conf_read_file(const char *path,
				    struct qs_warnings *warnings,
				    struct qs_error *err)
{
	struct qs_reader reader;
	int rc = begin(&reader, warnings, err);

	if (!rc)
		rc = qs_document_read_file(&reader.doc, path, err);
	if (!rc)
		rc = interpret(&reader);
	return finish(&reader, rc);
}

struct qs_policy *qs_conf_read_text(const char *name, const char *dir,
				    const char *text, size_t n,
				    struct qs_warnings *warnings,
				    struct qs_error *err)
{
	struct qs_reader reader;
	int rc = begin(&reader, warnings, err);

	if (!rc)
		rc = qs_document_read_text(&reader.doc, name, dir, text, n,
					   err);
	if (!rc)
		rc = interpret(&reader);
	return finish(&reader, rc);
}

struct qs_policy *qs_conf_read_lines(const char *name, const char *dir,
				     const char *const *lines, size_t n,
				     struct qs_warnings *warnings,
				     struct qs_error *err)
{
	struct qs_policy *policy;
	size_t size = 0, at = 0;
	char *text;

	for (size_t i = 0; i < n; i++) {
		struct qs_place place = { name, (unsigned)i + 1, NULL,
					  lines[i] };

		size += strlen(lines[i]) + 1;
		if (!strchr(lines[i], '\n'))
			continue;
		memset(err, 0, sizeof(*err));
		qs_error_set(err, &place, "a line break inside a line", NULL,
			     "one line in each string");
		return NULL;
	}
	text = malloc(size + 1);
	if (!text) {
		qs_error_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(lines[i]);

		memcpy(text + at, lines[i], length);
		at += length;
		text[at++] = '\n';
	}
	policy = qs_conf_read_text(name, dir, text, at, warnings, err);
	free(text);
	return policy;
}
