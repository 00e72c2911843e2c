/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h - what would become of a job
 */
#ifndef QS_CLI_WHATIF_H
#define QS_CLI_WHATIF_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Ask slurmctld by `sbatch --test-only` with these arguments of sbatch, n of
 * them. The answer, the caller's; NULL with the reason on stderr. Waits for
 * sbatch and then, for some seconds at most, for the planner.
 */
struct json_object *qs_whatif_sbatch(int n, char **args);

/* The same on a scenario file, by those options of sbatch that a scenario has
 * a word for. NULL with *code set and the reason on stderr. */
struct json_object *qs_whatif_scenario(const char *path, int n, char **args,
				       int *code);

/* The answer in sentences. Returns 0, or -1: it is no such answer. */
int qs_whatif_print(struct json_object *answer, bool color, FILE *file);

#endif
