/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document.h - a configuration file as records of Key=Value tokens
 *
 * Knows quotes, comments, continued lines and Include, but no key and no
 * value: keys.h judges those. Private to src/conf.
 */
#ifndef QS_DOCUMENT_H
#define QS_DOCUMENT_H

#include <stddef.h>

#include "conf/error.h"

/* Files that include files that include files ... at most so deep. */
#define QS_INCLUDE_DEPTH_MAX 8
/* No policy is larger; a wrong path to some huge file is. */
#define QS_FILE_BYTES_MAX (1024 * 1024)

struct qs_token {
	char *key, *value; /* owned; as written, without quotes */
	unsigned line;     /* where the token begins */
};

/* One logical line. */
struct qs_record {
	const char *file; /* the document's */
	unsigned line;
	struct qs_token *tokens;
	size_t ntokens; /* at least one */
	int kind;       /* enum qs_kind, set by qs_keys_check() */
};

struct qs_document {
	struct qs_record *records; /* in the order of the file */
	size_t nrecords;
	char **files; /* names, owned */
	size_t nfiles;
};

/* All return 0, or -1 with *err and errno. *doc must be zeroed before and is
 * to be given to qs_document_clear() in any case. */
int qs_document_read_file(struct qs_document *doc, const char *path,
			  struct qs_error *err);
/* name: what errors call it; dir: where Include looks, NULL: none allowed. */
int qs_document_read_text(struct qs_document *doc, const char *name,
			  const char *dir, const char *text, size_t n,
			  struct qs_error *err);
void qs_document_clear(struct qs_document *doc);

/* The token with this key, in any case; NULL if there is none. */
const struct qs_token *qs_record_get(const struct qs_record *record,
				     const char *key);
/* Place of a token, for qs_error_set(). */
struct qs_place qs_record_place(const struct qs_record *record,
				const struct qs_token *token);

#endif
