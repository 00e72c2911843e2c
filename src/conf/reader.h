/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - the steps from a checked document to a sealed policy
 *
 * Private to src/conf. Each step returns 0, or -1 with reader->err.
 */
#ifndef QS_READER_H
#define QS_READER_H

#include "conf/conf.h"
#include "conf/keys.h"

struct qs_reader {
	struct qs_document doc;
	struct qs_policy *policy;
	/* the record of each of the policy's queues and shares */
	const struct qs_record **queue_records, **share_records;
	struct qs_warnings *warnings; /* or NULL */
	struct qs_error *err;
};

/* types.c: the types, from GpuType lines and from all counts. */
int qs_reader_types(struct qs_reader *reader);
/* Calls the function for each TYPE:COUNT of the token, if there is one, until
 * it returns non-zero, and returns that. type: index, -1 if unknown. */
int qs_reader_counts(struct qs_reader *reader, const struct qs_record *record,
		     const char *key,
		     int (*each)(struct qs_reader *reader,
				 const struct qs_record *record,
				 const struct qs_token *token, int type,
				 const char *name, uint32_t count, void *arg),
		     void *arg);
/* queues.c: names, values and pools of the queues; then references. */
int qs_reader_queues(struct qs_reader *reader);
int qs_reader_queue_references(struct qs_reader *reader);
/* shares.c: everything of the shares. */
int qs_reader_shares(struct qs_reader *reader);
/* warnings.c: what is allowed, but hardly meant. */
void qs_reader_warn(struct qs_reader *reader);

/* The records of a kind, sorted by name; refuses doubled names. */
int qs_reader_collect(struct qs_reader *reader, enum qs_kind kind,
		      const struct qs_record ***records, int *n);
/* A fresh copy of the token's value in *to; nothing if there is no token. */
int qs_reader_string(struct qs_reader *reader, const struct qs_record *record,
		     const char *key, char **to);
int qs_reader_names(struct qs_reader *reader, const struct qs_record *record,
		    const char *key, struct qs_names *to);
/* The number, or the default if there is no token. */
int64_t qs_record_number(const struct qs_record *record, const char *key,
			 int64_t absent);
struct qs_opt qs_record_opt(const struct qs_record *record, const char *key);
/* The index in words, or the default. */
int qs_record_choice(const struct qs_record *record, const char *key,
		     const char *const *words, int absent);
/* The queue to use when a Share line names none; its default value from the
 * policy where a queue has no UntypedGpus: the only type, else -1. */
int qs_conf_default_untyped(const struct qs_policy *policy, int queue);

#endif
