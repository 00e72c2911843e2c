/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - a record of Slurm's accounting, however it was written
 *
 * sacct writes text (--parsable2) and JSON, each a little different in each
 * version of Slurm; both readers make this of it. What a record means is not
 * judged here: see attempts.h.
 */
#ifndef QS_SACCT_RECORD_H
#define QS_SACCT_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "conf/error.h"
#include "report/problems.h"
#include "report/run.h"

/* Texts are never NULL; "" is not known. Good during the call only. */
struct qs_sacct_record {
	uint64_t job;      /* JobIDRaw: one for each task and het component */
	uint64_t db_index; /* DBIndex, 0: not known */
	const char *id;    /* as people write it: 12_3, 24+1; "" in JSON */
	const char *user, *account, *partition, *nodes, *admin_comment;
	/* "COMPLETED"; "CANCELLED by 17" and the like are that word only */
	const char *state;
	/* As TRES text: "cpu=1,gres/gpu:a100=2,gres/gpu=2". */
	const char *alloc_tres, *req_tres;
	/* Epoch seconds, or QS_TIME_NONE. */
	int64_t submit, eligible, start, end;
	int64_t priority; /* -1: not known */
	/* The reader saw the field at all: without, "" says nothing. */
	bool has_account, has_req_tres;
	const char *where; /* file and line or record, for problems */
};

/* Returns 0, or non-zero to stop. */
typedef int (*qs_sacct_fn)(const struct qs_sacct_record *record, void *arg);

/*
 * Read what sacct wrote, text or JSON, record by record: memory does not grow
 * with the file. name: what errors call it. Steps are left out. Returns 0, what
 * fn returned if not 0, or -1 with *err if it is no such output at all. What is
 * wrong in single records is noted in problems. Blocks on the file.
 */
int qs_sacct_read(FILE *file, const char *name, qs_sacct_fn fn, void *arg,
		  struct qs_problems *problems, struct qs_error *err);

/* The fields to ask sacct for, so that all versions understand. */
extern const char qs_sacct_fields[];

/* Private: the two readers, by the first character of the file. */
int qs_sacct_read_text(FILE *file, const char *name, qs_sacct_fn fn, void *arg,
		       struct qs_problems *problems, struct qs_error *err);
int qs_sacct_read_json(FILE *file, const char *name, qs_sacct_fn fn, void *arg,
		       struct qs_problems *problems, struct qs_error *err);
/* Cuts a state to its word, in place. */
void qs_sacct_state(char *state);

#endif
