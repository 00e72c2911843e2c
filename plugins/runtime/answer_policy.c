/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_policy.c - the answer to "policy": which file, tried how often, good?
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks. It
 * blocks on nothing. Whoever had the file read again waits here for "attempts"
 * or "pid" to change: from Slurm 23.11 on a reconfigure is a new process.
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/answer.h"

static uint64_t attempts;
/* StateSaveLocation as it was then: now it may be about to change. */
static char folder[2048];

void qs_answer_policy_tried(void)
{
	attempts++;
	snprintf(folder, sizeof(folder), "%s",
		 slurm_conf.state_save_location ?
			 slurm_conf.state_save_location :
			 "");
}

uint64_t qs_answer_policy_attempts(void)
{
	return attempts;
}

void qs_answer_policy_begin(uint64_t before)
{
	attempts = before;
}

static void put_log(struct json_object *to, const char *key, const char *given,
		    const char *name)
{
	char path[2200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	qs_answer_text(to, key, given ? given : path);
}

char *qs_policy_json(void)
{
	const struct qs_policy *policy =
		qs_rt.policy ? qs_rt.policy->policy : NULL;
	struct json_object *answer = json_object_new_object();

	qs_answer_text(answer, "version", QS_VERSION);
	qs_answer_number(answer, "pid", getpid());
	qs_answer_number(answer, "attempts", (int64_t)attempts);
	/* Until then most other questions have no answer. */
	qs_answer_number(answer, "looked", qs_rt.view != NULL);
	qs_answer_text(answer, "file", qs_rt.policy_file);
	qs_answer_number(answer, "loaded", qs_rt.policy_loaded);
	qs_answer_text(answer, "error_text",
		       qs_rt.policy_error[0] ? qs_rt.policy_error : NULL);
	if (policy) {
		qs_answer_text(answer, "mode",
			       policy->mode == QS_MODE_OBSERVE ? "OBSERVE" :
								 "ENFORCE");
		put_log(answer, "event_log", policy->event_log,
			"quota_share.events.jsonl");
		put_log(answer, "audit_log", policy->audit_log,
			"quota_share.audit.jsonl");
		qs_answer_number(answer, "queues", policy->nqueues);
		qs_answer_number(answer, "shares", policy->nshares);
	}
	return qs_answer_print(answer);
}
