/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_text.h - the words of a GPU request and how many GPUs they mean
 *
 * Free of Slurm's headers so that it has a unit test of its own. Pure: no
 * allocation but in qs_terms_rewrite(), no lock, no global.
 *
 * A term is one type with its four ways of counting: --gpus (per job),
 * --gres and --gpus-per-node, --gpus-per-socket, --gpus-per-task. As in Slurm,
 * all strings of a job together make one term per type, and of two counts for
 * the same type in one string the last one holds.
 *
 * Only gres/gpu counts. shard and mps are parts of a GPU, so they are noticed;
 * licences and other gres are nobody's business here.
 */
#ifndef QS_HOST_REQUEST_TEXT_H
#define QS_HOST_REQUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest type name that is told apart, with the end. */
#define QS_TERM_TYPE_MAX 128
/* Most types in one request. */
#define QS_TERMS_MAX 64

enum qs_per {
	QS_PER_JOB,
	QS_PER_NODE,
	QS_PER_SOCKET,
	QS_PER_TASK,
	QS_PERS,
};

struct qs_term {
	char type[QS_TERM_TYPE_MAX]; /* "": untyped */
	uint64_t per[QS_PERS];       /* 0: not asked this way */
};

struct qs_terms {
	struct qs_term items[QS_TERMS_MAX];
	size_t n;
	bool parts; /* parts of GPUs (shard, mps) are asked for as well */
};

/* What else of a job decides the count. 0: not given. */
struct qs_shape {
	uint32_t min_nodes, max_nodes;
	uint32_t tasks;
	uint32_t tasks_per_node;
	uint32_t sockets_per_node;
	uint32_t tasks_per_gpu; /* --ntasks-per-gpu */
};

void qs_terms_init(struct qs_terms *terms);

/*
 * Add a comma list as Slurm's clients send it: "gres:gpu:a100:2,gres:gpu",
 * with "gres/" (later versions), or bare. Suffixes k, m, g, t, p of 1024.
 * text NULL or "" adds nothing. Returns 0, or -1 with errno EINVAL (no such
 * term can be; Slurm refuses it too) or E2BIG (more than QS_TERMS_MAX types).
 */
int qs_terms_parse(struct qs_terms *terms, enum qs_per per, const char *text);

/* Set one count; type NULL or "": untyped. 0 removes nothing, adds nothing.
 * Returns 0, or -1 with errno E2BIG. */
int qs_terms_set(struct qs_terms *terms, enum qs_per per, const char *type,
		 uint64_t count);

/*
 * --ntasks-per-gpu without any GPU request means untyped GPUs for all tasks.
 * Call when all strings are in.
 */
void qs_terms_complete(struct qs_terms *terms, const struct qs_shape *shape);

/* Some term is untyped and counts. */
bool qs_terms_untyped(const struct qs_terms *terms);
/* Some term counts by node or socket only: its sum depends on the number of
 * nodes. */
bool qs_terms_by_node(const struct qs_terms *terms);

/* How many nodes --gpus with --gpus-per-node fix; 0: they do not. */
uint32_t qs_terms_nodes(const struct qs_terms *terms);

/* R2: GPUs of a term in total on so many nodes; at most UINT32_MAX. */
uint64_t qs_term_gpus(const struct qs_term *term, const struct qs_shape *shape,
		      uint32_t nodes);

/*
 * R2a: text with the untyped gpu terms made terms of a type, everything else
 * as it was. A term of that type in the same text is added to, since two of
 * them would not add up. Returns a malloc'ed string, the caller's, or NULL
 * with errno ENOMEM or EINVAL.
 */
char *qs_terms_rewrite(const char *text, const char *type);

#endif
