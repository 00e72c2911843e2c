/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - what another policy would change: in words, and for the jobs of now
 */
#ifndef QS_CLI_DIFF_H
#define QS_CLI_DIFF_H

#include <json-c/json.h>

#include "engine/policy.h"
#include "engine/snapshot.h"

/*
 * Where two policies differ, the caller's (json_object_put): an array of
 * { "where", "key", "old", "new", "means" }, old or new null where there is
 * none, means null where the numbers say it all. Empty: they are the same.
 */
struct json_object *qs_diff_words(const struct qs_policy *old,
				  const struct qs_policy *new);

/*
 * The snapshot under another policy, matched by the names of types, shares,
 * queues and partitions; a share that is gone makes its jobs those of a removed
 * share (R16), what is in no queue is left out. NULL with errno ENOMEM.
 */
struct qs_snapshot *qs_diff_remap(const struct qs_snapshot *snap,
				  const struct qs_policy *policy);

/*
 * What the new policy does to the jobs of now, the caller's: an array of
 * { "job", "share", "state", "effect", "text", … }. effect: BORROWED (own GPUs
 * become borrowed), OWN (the other way round), STOPS (it would be preempted at
 * once), STARTS, WAITS, NEVER. NULL with errno ENOMEM.
 */
struct json_object *qs_diff_effects(const struct qs_snapshot *now,
				    const struct qs_snapshot *then);

#endif
