/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kueue.h - a policy as objects of Kueue (kueue.x-k8s.io/v1beta2)
 *
 * A type becomes a ResourceFlavor, a queue a Cohort, a share a ClusterQueue.
 * It is the nearest meaning, not the same; every difference is a note.
 */
#ifndef QS_KUEUE_H
#define QS_KUEUE_H

#include <json-c/json.h>

#include "aws/notes.h"
#include "conf/error.h"
#include "engine/policy.h"

/*
 * A List that kubectl takes, the caller's (json_object_put); NULL with *err
 * and errno. file: what messages call the policy, or NULL; queue: only this
 * one, NULL: all. *notes is added to. Pure.
 */
struct json_object *qs_kueue_export(const struct qs_policy *policy,
				    const char *file, const char *queue,
				    struct qs_notes *notes,
				    struct qs_error *err);

/* A name that Kubernetes takes; longer ones are cut. */
#define QS_KUEUE_NAME_MAX 253
void qs_kueue_name(char *to, size_t size, const char *name);

/* kueue_notes.c: what of the queue, of its shares and types is not the same. */
void qs_kueue_notes(const struct qs_policy *policy, int queue,
		    struct qs_notes *notes);

#endif
