/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy_kept.c - the policy in force, handed on to the next slurmctld (R18)
 *
 * From Slurm 23.11 on `scontrol reconfigure` starts a new slurmctld in the
 * place of the old one. For it a policy file with an error would be an error at
 * the start. So the policy that is in force, and how often the file was read,
 * are left in StateSaveLocation/quota_share.policy, and a slurmctld that
 * replaces another begins with them. Called by qs_policy_load(). Blocks on the
 * file system.
 *
 * Its surprise: a slurmctld that is started, and not by a reconfigure, does
 * not look at it. Who starts a cluster wants the policy that the file has.
 */
#include "runtime/inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/load.h"

#include "runtime/answer.h"
#include "runtime/file.h"

#define FILE_NAME "quota_share.policy"
#define HEAD      "# quota_share 1 "
#define BYTES_MAX ((size_t)16 * 1024 * 1024)

static void path_of(char *path, size_t size)
{
	snprintf(path, size, "%s/" FILE_NAME, qs_state_folder());
}

void qs_policy_keep(void)
{
	const struct qs_policy *policy = qs_runtime_policy_get();
	char *text = policy ? qs_conf_print(policy) : NULL;
	char path[4096], head[160];
	const char *why;

	qs_runtime_policy_put(policy);
	if (!text)
		return;
	slurm_mutex_lock(&qs_rt.lock);
	snprintf(head, sizeof(head),
		 HEAD "%" PRIu64 " %" PRIu64 " %" PRId64 " %016" PRIx64 "\n",
		 qs_rt.generation, qs_answer_policy_attempts(),
		 qs_rt.policy_loaded, qs_text_sum(text, strlen(text)));
	slurm_mutex_unlock(&qs_rt.lock);
	path_of(path, sizeof(path));
	if (qs_file_replace(path, head, text, strlen(text), &why))
		error("quota_share: %s: cannot write: %s; a reconfigure with an error in the policy file would stop slurmctld",
		      path, why);
	free(text);
}

struct qs_policy *qs_policy_kept(void)
{
	const char *problem, *body;
	uint64_t generation, attempts, sum;
	struct qs_policy *policy = NULL;
	struct qs_error err;
	int64_t loaded;
	char path[4096];
	char *text;
	size_t n;

	path_of(path, sizeof(path));
	if (qs_load_file(path, BYTES_MAX, &text, &n, NULL, &problem)) {
		info("quota_share: %s: %s: the policy is read as at a start",
		     path, problem);
		return NULL;
	}
	body = strchr(text, '\n');
	if (body &&
	    sscanf(text, HEAD "%" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNx64,
		   &generation, &attempts, &loaded, &sum) == 4 &&
	    sum == qs_text_sum(body + 1, strlen(body + 1)))
		policy = qs_conf_read_text(path, NULL, body + 1,
					   strlen(body + 1), NULL, &err);
	free(text);
	if (!policy) {
		error("quota_share: %s is damaged: the policy is read as at a start",
		      path);
		return NULL;
	}
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.generation = generation;
	qs_rt.policy_loaded = loaded;
	qs_answer_policy_begin(attempts);
	slurm_mutex_unlock(&qs_rt.lock);
	return policy;
}
