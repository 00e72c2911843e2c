/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document.c - a configuration file as records of Key=Value tokens
 *
 * Called by the policy reader, at start-up and reload of slurmctld too, so it
 * must not hang: only regular files are opened. Blocks on the file system.
 *
 * The surprises: as in slurm.conf a '#' begins a comment also in the middle
 * of an unquoted value, and a backslash that ends a comment continues nothing.
 * Other than there, a backslash inside quotes protects '"' and '\'.
 */
#include "conf/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/load.h"
#include "conf/utf8.h"

/* A file being read, and the files that led to it. */
struct frame {
	const struct frame *parent;
	unsigned depth;
	struct qs_file_id id;
};

struct source {
	struct qs_document *doc;
	const struct frame *frame;
	const char *name; /* the document's */
	const char *dir;
	const char *at, *end;
	unsigned line;
	struct qs_error *err;
};

struct text {
	char *chars;
	size_t n, max;
};

static int read_path(struct qs_document *doc, const struct frame *parent,
		     const char *path, const struct qs_place *from,
		     struct qs_error *err);

static int text_add(struct text *text, char c)
{
	if (text->n + 1 >= text->max) {
		size_t max = text->max ? text->max * 2 : 64;
		char *chars = realloc(text->chars, max);

		if (!chars)
			return -1;
		text->chars = chars;
		text->max = max;
	}
	text->chars[text->n++] = c;
	text->chars[text->n] = '\0';
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static bool at_line_end(const struct source *src)
{
	return src->at == src->end || *src->at == '\n' || *src->at == '#';
}

/* At a backslash that is the last thing in its line: go to the next line. */
static bool take_continuation(struct source *src)
{
	const char *at = src->at;

	if (at == src->end || *at != '\\')
		return false;
	for (at++; at < src->end && is_blank(*at); at++)
		;
	if (at < src->end && *at == '#' && at > src->at + 1)
		while (at < src->end && *at != '\n')
			at++;
	if (at < src->end && *at != '\n')
		return false;
	src->at = at < src->end ? at + 1 : at;
	src->line++;
	return true;
}

static bool skip_blanks(struct source *src)
{
	const char *begin = src->at;

	while (src->at < src->end) {
		if (is_blank(*src->at))
			src->at++;
		else if (!take_continuation(src))
			break;
	}
	return src->at != begin;
}

static void skip_line(struct source *src)
{
	while (src->at < src->end && *src->at != '\n')
		src->at++;
	if (src->at < src->end)
		src->at++;
	src->line++;
}

static int fail(struct source *src, unsigned line, const char *key,
		const char *value, const char *problem, const char *expected)
{
	struct qs_place at = { src->name, line, key, value };

	return qs_error_set(src->err, &at, problem, NULL, "%s", expected);
}

static int read_quoted(struct source *src, struct text *value, const char *key)
{
	unsigned line = src->line;

	src->at++;
	while (src->at < src->end && *src->at != '"') {
		char c = *src->at;

		if (c == '\n')
			break;
		if (c == '\\' && take_continuation(src))
			continue;
		if (c == '\\' && src->at + 1 < src->end &&
		    (src->at[1] == '"' || src->at[1] == '\\'))
			c = *++src->at;
		if (text_add(value, c))
			return qs_error_memory(src->err);
		src->at++;
	}
	if (src->at == src->end || *src->at != '"')
		return fail(src, line, key, value->chars,
			    "the quote is not closed in this line",
			    "a second '\"'");
	src->at++;
	if (!at_line_end(src) && !is_blank(*src->at) && *src->at != '\\')
		return fail(src, src->line, key, value->chars,
			    "text follows the closing quote",
			    "a blank or the end of the line");
	return 0;
}

static int read_bare(struct source *src, struct text *value, const char *key)
{
	while (!at_line_end(src) && !is_blank(*src->at)) {
		if (*src->at == '\\') {
			const char *at = src->at;
			unsigned line = src->line;

			/* the next line begins a new token */
			if (take_continuation(src)) {
				src->at = at;
				src->line = line;
				break;
			}
		}
		if (*src->at == '"')
			return fail(src, src->line, key, value->chars,
				    "a quote in the middle of a value",
				    "the whole value in quotes, or none");
		if (text_add(value, *src->at))
			return qs_error_memory(src->err);
		src->at++;
	}
	return 0;
}

/* "Owner= Note=x" means that Owner has no value, not that it is "Note=x". */
static bool looks_like_key(const char *at, const char *end)
{
	const char *begin = at;

	while (at < end && is_key_char(*at))
		at++;
	return at > begin && at < end && *at == '=';
}

/* Behind the '='. */
static int read_value(struct source *src, const char *key, unsigned line,
		      struct text *value)
{
	bool blanks = skip_blanks(src);

	if (text_add(value, '\0'))
		return qs_error_memory(src->err);
	value->n = 0;
	if (at_line_end(src) || (blanks && looks_like_key(src->at, src->end)))
		return fail(src, line, key, NULL, "it has no value",
			    "Key=Value");
	if (*src->at == '"')
		return read_quoted(src, value, key);
	return read_bare(src, value, key);
}

static int check_characters(struct source *src, unsigned line, const char *key,
			    const struct text *value)
{
	for (size_t i = 0; i < value->n;) {
		unsigned char c = (unsigned char)value->chars[i];
		size_t n = qs_utf8_length(value->chars + i);

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return fail(src, line, key, value->chars,
				    "a control character in a value",
				    "a text file");
		if (!n)
			return fail(src, line, key, value->chars,
				    "a character that is not UTF-8",
				    "a text file in ASCII or UTF-8");
		i += n;
	}
	return 0;
}

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
	struct qs_place at = { src->name, line, "Include", name };
	char *path;
	int rc;

	if (!src->dir)
		return qs_error_set(src->err, &at, NULL, NULL,
				    "no Include here: there is no folder that "
				    "it could be relative to");
	path = path_join(src->dir, name);
	if (!path)
		return qs_error_memory(src->err);
	rc = read_path(src->doc, src->frame, path, &at, src->err);
	free(path);
	return rc;
}

static int read_include(struct source *src, unsigned line)
{
	struct text value = { 0 };
	int rc = read_value(src, "Include", line, &value);

	if (!rc)
		rc = check_characters(src, line, "Include", &value);
	if (!rc) {
		skip_blanks(src);
		if (!at_line_end(src))
			rc = fail(src, line, "Include", value.chars,
				  "more follows the file name",
				  "one file name");
	}
	if (!rc)
		rc = include(src, line, value.chars);
	free(value.chars);
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
		return qs_error_memory(src->err);
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

/* What stands where a key should: up to the next blank. */
static int fail_word(struct source *src)
{
	char word[64];
	size_t n = 0;

	while (src->at < src->end && !is_blank(*src->at) && *src->at != '\n' &&
	       n + 1 < sizeof(word))
		word[n++] = *src->at++;
	word[n] = '\0';
	return fail(src, src->line, NULL, word, NULL, "Key=Value");
}

/* One token into the record; an Include line is carried out at once.
 * Returns 0, or -1 with *err. */
static int read_token(struct source *src, struct qs_record *record)
{
	const char *begin = src->at;
	unsigned line = src->line;
	struct text value = { 0 };
	char *key;
	int rc;

	while (src->at < src->end && is_key_char(*src->at))
		src->at++;
	if (src->at == begin)
		return fail_word(src);
	key = strndup(begin, (size_t)(src->at - begin));
	if (!key)
		return qs_error_memory(src->err);
	skip_blanks(src);
	if (src->at == src->end || *src->at != '=') {
		if (!record->ntokens && !strcasecmp(key, "Include"))
			rc = read_include(src, line);
		else
			rc = fail(src, line, key, NULL, "it has no value",
				  "Key=Value");
		free(key);
		return rc;
	}
	src->at++;
	rc = read_value(src, key, line, &value);
	if (!rc)
		rc = check_characters(src, line, key, &value);
	if (!rc)
		return record_add(src, record, key, value.chars, line);
	free(key);
	free(value.chars);
	return rc;
}

static int document_add(struct source *src, struct qs_record *record)
{
	struct qs_document *doc = src->doc;
	struct qs_record *records;

	records = realloc(doc->records, (doc->nrecords + 1) * sizeof(*records));
	if (!records)
		return qs_error_memory(src->err);
	doc->records = records;
	records[doc->nrecords++] = *record;
	return 0;
}

static int read_record(struct source *src)
{
	struct qs_record record = { .file = src->name };

	for (;;) {
		skip_blanks(src);
		if (at_line_end(src))
			break;
		if (!record.ntokens)
			record.line = src->line;
		if (read_token(src, &record))
			goto fail;
	}
	skip_line(src);
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
		.name = intern(doc, name),
		.dir = dir,
		.at = text,
		.end = text + n,
		.line = 1,
		.err = err,
	};

	if (!src.name)
		return qs_error_memory(err);
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		src.at += 3; /* byte order mark of some editors */
	while (src.at < src.end)
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
		return qs_error_set(err, from, problem, NULL,
				    "a readable file of at most 1 MiB");
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
