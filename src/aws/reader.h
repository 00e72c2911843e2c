/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - state while documents of AWS are read. Private to read*.c.
 */
#ifndef QS_AWS_READER_H
#define QS_AWS_READER_H

#include "aws/arn.h"
#include "aws/read.h"
#include "conf/strict.h"

struct qs_aws_reader {
	struct qs_setup *setup;
	struct qs_notes *notes;
	struct qs_error *err;
	const char *file; /* the set-up's copy of the name */
	bool pascal;      /* CloudFormation: keys begin with a capital */
};

/* All functions return 0, or -1 with *err, unless they say otherwise. */

/* read_fields.c */

/* A key as this document spells it; key is the API's spelling. */
const char *qs_read_key(const struct qs_aws_reader *reader, const char *key);
bool qs_read_has(const struct qs_aws_reader *reader, const struct qs_json *at,
		 const char *key);
/* Keys that are not in the list: refused if they look like one, else noted. */
int qs_read_keys(struct qs_aws_reader *reader, const struct qs_json *at,
		 const char *const *known);
/* An enum; words is NULL-terminated. *index is left alone if the key is not
 * there and required is false. */
int qs_read_choice(const struct qs_aws_reader *reader, const struct qs_json *at,
		   const char *key, bool required, const char *const *words,
		   int *index);
/* ENABLED, DISABLED; true if it is not there. */
int qs_read_state(const struct qs_aws_reader *reader, const struct qs_json *at,
		  bool *enabled);
/* A whole number; in CloudFormation its digits as a string too. */
int qs_read_number(const struct qs_aws_reader *reader, const struct qs_json *at,
		   const char *key, int64_t min, int64_t max, int64_t *value,
		   bool *present);
/* A name by itself, *name the caller's (free). */
int qs_read_name(const struct qs_aws_reader *reader, const struct qs_json *at,
		 const char *key, char **name);
/* A name or an ARN, which tells region and account. *name is the name's part,
 * the caller's; NULL if the key is not there and required is false. */
int qs_read_reference(struct qs_aws_reader *reader, const struct qs_json *at,
		      const char *key, bool required, enum qs_arn_kind kind,
		      char **name);
int qs_read_limits(struct qs_aws_reader *reader, const struct qs_json *at,
		   struct qs_aws_limits *limits);
int qs_read_tags(struct qs_aws_reader *reader, const struct qs_json *at,
		 struct qs_aws_tags *tags);
int qs_read_source(const struct qs_aws_reader *reader, const struct qs_json *at,
		   struct qs_aws_source *source);
/* An error about what was read before: "name: it is there twice". */
int qs_read_twice(const struct qs_aws_reader *reader, const struct qs_json *at,
		  const char *key, const struct qs_aws_source *first);

/* read_objects.c: one object each; name: of an object whose own name
 * CloudFormation would make up, or NULL. */
int qs_read_policy(struct qs_aws_reader *reader, const struct qs_json *at,
		   const char *name);
int qs_read_environment(struct qs_aws_reader *reader, const struct qs_json *at,
			const char *name);
int qs_read_queue(struct qs_aws_reader *reader, const struct qs_json *at,
		  const char *name);
int qs_read_share(struct qs_aws_reader *reader, const struct qs_json *at,
		  const char *name);

/* read_cfn.c: the document is a template. */
int qs_read_template(struct qs_aws_reader *reader, const struct qs_json *at);

#endif
