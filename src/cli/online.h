/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * online.h - ask the runtime inside slurmctld, and change a job's priority
 *
 * All of qshare's dealings with libslurm. In a build without Slurm the two
 * functions that ask say so and fail. The print functions need no Slurm.
 */
#ifndef QS_CLI_ONLINE_H
#define QS_CLI_ONLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

#include "cli/cli.h"

/*
 * The runtime's answer to some words, as a JSON object, the caller's
 * (json_object_put). NULL: the reason is on stderr already. name is the
 * subcommand for messages. Waits for slurmctld as Slurm's own tools do, at
 * most MessageTimeout or so.
 */
struct json_object *qs_online_ask(const char *name, int argc,
				  const char *const *argv);
/* The same; where slurmctld shows nobody's job (PrivateData), NULL without a
 * word and *hidden. */
struct json_object *qs_online_ask_shown(const char *name, int argc,
					const char *const *argv, bool *hidden);

/* The same for one word, without a word about what went wrong. */
struct json_object *qs_online_try(const char *name, const char *word);

/* `scontrol reconfigure`. Returns 0, or -1 with the reason on stderr. */
int qs_online_reconfigure(const char *name);

/*
 * Ask slurmctld to set a job's priority in its share (R6a). Returns 0, or -1
 * with the reason on stderr. 0 only means that slurmctld took the update.
 */
int qs_online_set_priority(const char *name, const char *job,
			   uint32_t priority);

/* Is it 12, 12_3 or 12+1? */
bool qs_online_job_id(const char *text);

/* Fields of an answer; the default where there is no such field. */
int64_t qs_online_number(struct json_object *object, const char *key,
			 int64_t otherwise);
const char *qs_online_text(struct json_object *object, const char *key,
			   const char *otherwise);

/* An array of the answer; NULL if there is none. */
struct json_object *qs_online_list(struct json_object *answer, const char *key);
/* Does the answer to "status" know this queue? */
bool qs_online_has_queue(struct json_object *answer, const char *queue);

/* A command with --queue and the options of a table, about the answer to
 * "status": print gets it and returns an exit code; queue NULL: all. */
int qs_status_command(int argc, char **argv, const char *name,
		      void (*help)(void),
		      int (*print)(struct json_object *answer,
				   const char *queue,
				   const struct qs_cli_output *out));

/*
 * The answer to "status" as a table; queue NULL: all. Returns 0, -1 with errno
 * EINVAL if it is no such answer, ENOENT if there is no such queue, ENOMEM.
 */
int qs_status_print(struct json_object *answer, const char *queue,
		    const struct qs_cli_output *out, FILE *file);

/* The answer to "explain" in sentences. Returns 0, or -1 with errno EINVAL. */
int qs_explain_print(struct json_object *answer, FILE *file);

#endif
