/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - a share set-up as AWS Batch has it
 *
 * Between the JSON documents and a policy: read.h fills it from documents,
 * export.h from a policy; documents.h and import.h read it. Capacities are
 * instances here, not GPUs. Strings are owned and freed by qs_setup_clear().
 */
#ifndef QS_SETUP_H
#define QS_SETUP_H

#include "engine/policy.h"

/* AWS's limits. */
#define QS_AWS_SHARES_MAX   20   /* of a job queue */
#define QS_AWS_LIMITS_MAX   5    /* of a share, of an environment */
#define QS_AWS_TAGS_MAX     50   /* of anything */
#define QS_AWS_KEY_MAX      128  /* bytes of a tag's key */
#define QS_AWS_VALUE_MAX    256  /* and of its value */
#define QS_AWS_PRIORITY_MAX 1000 /* of a job queue */

struct qs_aws_limit {
	char *unit;  /* instance type */
	int64_t max; /* instances, at least 1 */
};

struct qs_aws_limits {
	struct qs_aws_limit *items;
	size_t n;
};

struct qs_aws_tag {
	char *key, *value;
};

struct qs_aws_tags {
	struct qs_aws_tag *items;
	size_t n;
};

/* Where an object came from, for messages. */
struct qs_aws_source {
	const char *file; /* the set-up's */
	char *path;       /* in it; "" is the whole */
	bool pascal;      /* CloudFormation: keys begin with a capital */
};

struct qs_aws_policy {
	char *name;
	bool quota; /* else it is a fair share policy, or neither */
	struct qs_aws_tags tags;
	struct qs_aws_source source;
};

struct qs_aws_environment {
	char *name;
	bool enabled;
	struct qs_aws_limits limits;
	struct qs_aws_tags tags;
	struct qs_aws_source source;
};

struct qs_aws_queue {
	char *name;
	char *policy, *environment; /* names, or NULL */
	bool enabled;
	int64_t priority;
	struct qs_aws_tags tags;
	struct qs_aws_source source;
};

struct qs_aws_share {
	char *name, *queue;
	bool enabled;
	enum qs_strategy strategy;
	struct qs_opt borrow_limit; /* law 11: unset, 0 and -1 differ */
	bool in_share_preemption;
	struct qs_aws_limits limits;
	struct qs_aws_tags tags;
	struct qs_aws_source source;
};

struct qs_setup {
	char *region, *account; /* NULL: unknown */
	struct qs_aws_policy *policies;
	size_t npolicies;
	struct qs_aws_environment *environments;
	size_t nenvironments;
	struct qs_aws_queue *queues;
	size_t nqueues;
	struct qs_aws_share *shares;
	size_t nshares;
	char **files; /* names of what was read */
	size_t nfiles;
};

void qs_setup_clear(struct qs_setup *setup);

/* A new zeroed last element; NULL with errno ENOMEM. Moves the others. */
struct qs_aws_policy *qs_setup_add_policy(struct qs_setup *setup);
struct qs_aws_environment *qs_setup_add_environment(struct qs_setup *setup);
struct qs_aws_queue *qs_setup_add_queue(struct qs_setup *setup);
struct qs_aws_share *qs_setup_add_share(struct qs_setup *setup);
/* Remembers a file's name; the copy, or NULL. */
const char *qs_setup_add_file(struct qs_setup *setup, const char *name);

/* Return 0, or -1 with errno ENOMEM. */
int qs_aws_limits_add(struct qs_aws_limits *limits, const char *unit,
		      int64_t max);
int qs_aws_tags_add(struct qs_aws_tags *tags, const char *key,
		    const char *value);

/* By exact name or key; NULL. */
struct qs_aws_policy *qs_setup_find_policy(const struct qs_setup *setup,
					   const char *name);
struct qs_aws_environment *
qs_setup_find_environment(const struct qs_setup *setup, const char *name);
struct qs_aws_queue *qs_setup_find_queue(const struct qs_setup *setup,
					 const char *name);
struct qs_aws_share *qs_setup_find_share(const struct qs_setup *setup,
					 const char *queue, const char *name);
struct qs_aws_limit *qs_aws_limits_find(const struct qs_aws_limits *limits,
					const char *unit);
const char *qs_aws_tags_find(const struct qs_aws_tags *tags, const char *key);

/* Puts everything in the order of names: the same set-up, the same text. */
void qs_setup_sort(struct qs_setup *setup);

#endif
