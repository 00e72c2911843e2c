/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * online_facts.h - what Slurm itself knows of a job
 */
#ifndef QS_CLI_ONLINE_FACTS_H
#define QS_CLI_ONLINE_FACTS_H

#include <json-c/json.h>

/*
 * The facts that qs_live_job() of aws/live.h takes, the caller's
 * (json_object_put). job: 12 or 12_3. NULL: Slurm does not know it (any more),
 * or cannot be asked; nothing is said. Call it after qs_online_ask(), which
 * finds the cluster. Waits for slurmctld.
 */
struct json_object *qs_online_facts(const char *job);

#endif
