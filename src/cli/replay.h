/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - qshare replay: what was asked for, and the results
 */
#ifndef QS_CLI_REPLAY_H
#define QS_CLI_REPLAY_H

#include <stdio.h>

#include "cli/cli.h"
#include "replay/replay.h"

#define QS_REPLAY_NAME "replay"
/* Policies on one command line, their changes included. */
#define QS_REPLAY_POLICIES 256
#define QS_REPLAY_NODES    64

enum qs_replay_format {
	QS_REPLAY_TABLE,
	QS_REPLAY_JSON,
	QS_REPLAY_CSV,
};

/* --policy, and the --policy-at that follow it. */
struct qs_replay_given {
	char name[64];
	/* [n] read once to be measured by; the first since ever */
	struct qs_sim_policy *policies;
	const char **files;
	uint32_t n;
};

struct qs_replay_args {
	const char *trace; /* "-": standard input */
	struct qs_replay_given *given;
	uint32_t ngiven;
	struct qs_sim_nodes nodes[QS_REPLAY_NODES];
	struct qs_sim_wish sim;
	bool baselines, quiet, color;
	enum qs_replay_format format;
	int64_t begin, end; /* QS_TIME_NONE: all */
	const char *runs;   /* where every run is written, or NULL */
};

/* One policy and what came of it. */
struct qs_replay_result {
	char name[64];
	enum qs_replay_kind kind;
	struct qs_replay replay;
};

/* replay_args.c. Returns 0, or an exit code with the reason on stderr; -1: it
 * was --help, and is printed. */
int qs_replay_args_read(struct qs_replay_args *args, int argc, char **argv);
void qs_replay_args_free(struct qs_replay_args *args);
/* replay_read.c. NULL with the reason on stderr. policy: for what sacct wrote,
 * the one by which its accounts are understood. */
struct qs_trace *qs_replay_read(const char *path,
				const struct qs_policy *policy);
/* The nodes of a scenario file, into args. As qs_replay_args_read(). */
int qs_replay_read_nodes(struct qs_replay_args *args, const char *path);
/* replay_print.c. A cell of csv: a name may have a comma or a quote in it. */
void qs_replay_csv(FILE *file, const char *text);
/* Returns 0, or -1 with errno ENOMEM. */
int qs_replay_print(const struct qs_replay_args *args,
		    const struct qs_trace *trace,
		    const struct qs_replay_result *results, uint32_t n);

#endif
