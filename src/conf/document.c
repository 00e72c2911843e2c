/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document.c - a configuration file as records of Key=Value tokens
 *
 * Called by the policy reader, at start-up and reload of slurmctld too, so it
 * must not hang: only regular files are opened. Blocks on the file system.
 */
#include "conf/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/load.h"
#include "conf/scan.h"

/* A file being read, and the files that led to it. */
struct frame {
	const struct frame *parent;
	unsigned depth;
	struct qs_file_id id;
};

struct source {
	struct qs_document *doc;
	const struct frame *frame;
	const char *dir;
	struct qs_scan scan; /* scan.name is the document's */
};

static int read_path(struct qs_document *doc, const struct frame *parent,
		     const char *path, const struct qs_place *from,
		     struct qs_error *err);

/* The file's folder and a name; an absolute name stays. NULL: no memory. */
static char *path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir) + strlen(name) + 2;
	char *path;

	if (name[0] == '/')
		return strdup(name);
	path = malloc(n);
	if (path)
		snprintf(path, n, "%s/%s", dir, name);
	return path;
}

static int include(struct source *src, unsigned line, const char *name)
{
	struct qs_place at = { src->scan.name, line, "Include", name };
	char *path;
	int rc;

	if (!src->dir)
		return qs_error_set(src->scan.err, &at, NULL, NULL,
				    "no Include here: there is no folder that "
				    "it could be relative to");
	path = path_join(src->dir, name);
	if (!path)
		return qs_error_memory(src->scan.err);
	rc = read_path(src->doc, src->frame, path, &at, src->scan.err);
	free(path);
	return rc;
}

static int read_include(struct source *src, unsigned line)
{
	char *name;
	int rc;

	if (qs_scan_value(&src->scan, "Include", line, &name))
		return -1;
	qs_scan_blanks(&src->scan);
	if (qs_scan_at_end(&src->scan))
		rc = include(src, line, name);
	else
		rc = qs_scan_fail(&src->scan, line, "Include", name,
				  "more follows the file name",
				  "one file name");
	free(name);
	return rc;
}

static int record_add(struct source *src, struct qs_record *record, char *key,
		      char *value, unsigned line)
{
	struct qs_token *tokens;

	tokens = realloc(record->tokens,
			 (record->ntokens + 1) * sizeof(*tokens));
	if (!tokens) {
		free(key);
		free(value);
		return qs_error_memory(src->scan.err);
	}
	record->tokens = tokens;
	tokens[record->ntokens++] = (struct qs_token){ key, value, line };
	return 0;
}

static void record_clear(struct qs_record *record)
{
	for (size_t i = 0; i < record->ntokens; i++) {
		free(record->tokens[i].key);
		free(record->tokens[i].value);
	}
	free(record->tokens);
}

/* One token into the record; an Include line is carried out at once. */
static int read_token(struct source *src, struct qs_record *record)
{
	struct qs_scan *scan = &src->scan;
	unsigned line = scan->line;
	char *key, *value;
	int rc;

	if (qs_scan_key(scan, &key))
		return -1;
	qs_scan_blanks(scan);
	if (scan->at < scan->end && *scan->at == '=') {
		scan->at++;
		if (!qs_scan_value(scan, key, line, &value))
			return record_add(src, record, key, value, line);
		rc = -1;
	} else if (!record->ntokens && !strcasecmp(key, "Include")) {
		rc = read_include(src, line);
	} else {
		rc = qs_scan_fail(scan, line, key, NULL, "it has no value",
				  "Key=Value");
	}
	free(key);
	return rc;
}

static int document_add(struct source *src, struct qs_record *record)
{
	struct qs_document *doc = src->doc;
	struct qs_record *records;

	records = realloc(doc->records, (doc->nrecords + 1) * sizeof(*records));
	if (!records)
		return qs_error_memory(src->scan.err);
	doc->records = records;
	records[doc->nrecords++] = *record;
	return 0;
}

static int read_record(struct source *src)
{
	struct qs_record record = { .file = src->scan.name };

	for (;;) {
		qs_scan_blanks(&src->scan);
		if (qs_scan_at_end(&src->scan))
			break;
		if (!record.ntokens)
			record.line = src->scan.line;
		if (read_token(src, &record))
			goto fail;
	}
	qs_scan_line(&src->scan);
	if (!record.ntokens)
		return 0;
	if (!document_add(src, &record))
		return 0;
fail:
	record_clear(&record);
	return -1;
}

/* A name that lives as long as the document. */
static const char *intern(struct qs_document *doc, const char *name)
{
	char **files;
	char *copy;

	for (size_t i = 0; i < doc->nfiles; i++)
		if (!strcmp(doc->files[i], name))
			return doc->files[i];
	files = realloc(doc->files, (doc->nfiles + 1) * sizeof(*files));
	if (!files)
		return NULL;
	doc->files = files;
	copy = strdup(name);
	if (copy)
		files[doc->nfiles++] = copy;
	return copy;
}

static int read_source(struct qs_document *doc, const struct frame *frame,
		       const char *name, const char *dir, const char *text,
		       size_t n, struct qs_error *err)
{
	struct source src = {
		.doc = doc,
		.frame = frame,
		.dir = dir,
		.scan = { .name = intern(doc, name),
			  .at = text,
			  .end = text + n,
			  .line = 1,
			  .err = err },
	};

	if (!src.scan.name)
		return qs_error_memory(err);
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		src.scan.at += 3; /* byte order mark of some editors */
	while (src.scan.at < src.scan.end)
		if (read_record(&src))
			return -1;
	return 0;
}

static bool is_loop(const struct frame *frame)
{
	for (const struct frame *f = frame->parent; f; f = f->parent)
		if (f->id.dev == frame->id.dev && f->id.ino == frame->id.ino)
			return true;
	return false;
}

static int read_path(struct qs_document *doc, const struct frame *parent,
		     const char *path, const struct qs_place *from,
		     struct qs_error *err)
{
	struct frame frame = { .parent = parent,
			       .depth = parent ? parent->depth + 1 : 1 };
	const char *problem, *slash = strrchr(path, '/');
	char *text = NULL, *dir = NULL;
	size_t n;
	int rc = -1;

	if (frame.depth > QS_INCLUDE_DEPTH_MAX)
		return qs_error_set(err, from, "the files are nested too deep",
				    NULL, "at most %d files inside each other",
				    QS_INCLUDE_DEPTH_MAX);
	if (qs_load_file(path, QS_FILE_BYTES_MAX, &text, &n, &frame.id,
			 &problem))
		return qs_error_set(
			err, from, problem, NULL,
			"a readable file of at most 1 MiB%s",
			parent ?
				"" :
				"; quota_share.conf.example is one to begin with");
	if (is_loop(&frame)) {
		rc = qs_error_set(err, from, "the file includes itself", NULL,
				  "a file that is not being read already");
		goto out;
	}
	if (slash)
		dir = strndup(path, slash > path ? (size_t)(slash - path) : 1);
	else
		dir = strdup(".");
	if (dir)
		rc = read_source(doc, &frame, path, dir, text, n, err);
	else
		qs_error_memory(err);
out:
	free(dir);
	free(text);
	return rc;
}

int qs_document_read_file(struct qs_document *doc, const char *path,
			  struct qs_error *err)
{
	struct qs_place at = { .file = path };

	return read_path(doc, NULL, path, &at, err);
}

int qs_document_read_text(struct qs_document *doc, const char *name,
			  const char *dir, const char *text, size_t n,
			  struct qs_error *err)
{
	struct frame frame = { .depth = 1 };

	return read_source(doc, &frame, name, dir, text, n, err);
}

void qs_document_clear(struct qs_document *doc)
{
	for (size_t i = 0; i < doc->nrecords; i++)
		record_clear(&doc->records[i]);
	for (size_t i = 0; i < doc->nfiles; i++)
		free(doc->files[i]);
	free(doc->records);
	free(doc->files);
	memset(doc, 0, sizeof(*doc));
}

const struct qs_token *qs_record_get(const struct qs_record *record,
				     const char *key)
{
	for (size_t i = 0; i < record->ntokens; i++)
		if (!strcasecmp(record->tokens[i].key, key))
			return &record->tokens[i];
	return NULL;
}

struct qs_place qs_record_place(const struct qs_record *record,
				const struct qs_token *token)
{
	return (struct qs_place){ record->file, token->line, token->key,
				  token->value };
}
