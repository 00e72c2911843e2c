/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.h - what a plan says of one waiting job, as JSON
 *
 * The answer to what-if, the same from slurmctld and from a scenario file.
 */
#ifndef QS_VERDICT_H
#define QS_VERDICT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "engine/plan.h"
#include "engine/snapshot.h"

/*
 * { "share", "queue", "gpus", "verdict", "how", "code", "text", "own",
 *   "borrowed", "place", "victims": [ { "job", "share", "gpus", "borrowed",
 *   "run", "text" } ], "victims_total": { "jobs", "gpus" } }; the caller's
 * (json_object_put). job: index in the snapshot that the plan was made of.
 * jobs: who asks may see others' jobs; else "victims" is null, and "text" names
 * none. NULL: no memory, or the job does not wait.
 */
struct json_object *qs_verdict_json(const struct qs_snapshot *snap,
				    const struct qs_plan *plan, uint32_t job,
				    bool jobs);

#endif
