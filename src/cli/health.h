/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health.h - is a queue all right? Before its table, and for monitoring
 */
#ifndef QS_CLI_HEALTH_H
#define QS_CLI_HEALTH_H

#include <json-c/json.h>

#include "cli/cli.h"

/*
 * One line a queue of the answer to "status", its problems below it. queue
 * NULL: all. Returns how many of them are not healthy, -1 if the answer has no
 * queues.
 */
int qs_health_print(struct json_object *answer, const char *queue,
		    const struct qs_cli_output *out, FILE *file);

/*
 * Does sbatch on this machine know --quota-share? 1: yes; 0: no, and the
 * answer's queues have got the problem SPANK_MISSING; -1: there is no sbatch
 * here. Waits for sbatch --help.
 */
int qs_health_spank(struct json_object *answer);

#endif
