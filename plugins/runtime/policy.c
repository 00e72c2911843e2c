/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.c - the policy in force, and how another takes its place (R18)
 *
 * Loaded by the first plugin's init() and by slurmctld's reconfigure; read by
 * everybody. A reader holds a reference, so that a policy is replaced as a
 * whole without waiting for anyone. Loading blocks on the file system. Its
 * surprise: a broken file at start is fatal(), on purpose and only there:
 * slurmctld without its policy would let everybody in.
 */
#include "runtime/inner.h"

#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#include "runtime/answer.h"

#define FILE_NAME "quota_share.conf"
static struct qs_policy_ref *replaced;

const struct qs_policy *qs_runtime_policy_get(void)
{
	const struct qs_policy *policy = NULL;

	slurm_mutex_lock(&qs_rt.lock);
	if (qs_rt.policy) {
		qs_rt.policy->refs++;
		policy = qs_rt.policy->policy;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	return policy;
}

static void free_ref(struct qs_policy_ref *ref)
{
	if (!ref)
		return;
	qs_policy_free(ref->policy);
	free(ref);
}

void qs_runtime_policy_put(const struct qs_policy *policy)
{
	struct qs_policy_ref **at, *dead = NULL;

	if (!policy)
		return;
	slurm_mutex_lock(&qs_rt.lock);
	if (qs_rt.policy && qs_rt.policy->policy == policy) {
		qs_rt.policy->refs--;
	} else {
		for (at = &replaced; *at; at = &(*at)->next)
			if ((*at)->policy == policy)
				break;
		if (*at && !--(*at)->refs) {
			dead = *at;
			*at = dead->next;
		}
	}
	slurm_mutex_unlock(&qs_rt.lock);
	free_ref(dead);
}

static void replace(struct qs_policy_ref *ref)
{
	struct qs_policy_ref *old;

	slurm_mutex_lock(&qs_rt.lock);
	old = qs_rt.policy;
	qs_rt.policy = ref;
	if (ref) {
		qs_answer_policy_tried();
		qs_rt.policy_loaded = qs_now();
		qs_rt.generation++;
	}
	if (old && old->refs) {
		old->next = replaced;
		replaced = old;
		old = NULL;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	free_ref(old);
}

/* The policy file stands beside slurm.conf. */
static void find_file(void)
{
	const char *path = slurm_conf.slurm_conf ? slurm_conf.slurm_conf : "";
	const char *slash = strrchr(path, '/');

	snprintf(qs_rt.policy_file, sizeof(qs_rt.policy_file), "%.*s%s",
		 slash ? (int)(slash - path + 1) : 0, path, FILE_NAME);
}

/* Line numbers and spelling do not count. */
static uint64_t sum_of(const struct qs_policy *policy)
{
	char *text = qs_conf_print(policy);
	uint64_t sum = text ? qs_text_sum(text, strlen(text)) : 0;

	free(text);
	return sum;
}

static struct qs_policy_ref *read_file(struct qs_error *err)
{
	struct qs_warnings *warnings = calloc(1, sizeof(*warnings));
	struct qs_policy_ref *ref = calloc(1, sizeof(*ref));

	if (!ref || !warnings)
		qs_error_memory(err);
	else
		ref->policy =
			qs_conf_read_file(qs_rt.policy_file, warnings, err);
	if (ref && ref->policy)
		ref->sum = sum_of(ref->policy);
	for (size_t i = 0; warnings && i < warnings->n; i++)
		info("quota_share: warning: %s", warnings->items[i].text);
	free(warnings);
	if (ref && !ref->policy) {
		free(ref);
		ref = NULL;
	}
	return ref;
}

static void audit(const struct qs_policy *old, const struct qs_policy *new)
{
	char what[256] = "", file[300], difference[300];
	char *was = old ? qs_conf_print(old) : NULL;
	char *is = qs_conf_print(new);
	char *quoted = malloc(2 * (size_t)QS_AUDIT_POLICY_MAX);

	if (quoted && !(old && qs_conf_equal(old, new, what, sizeof(what))))
		qs_log_line(
			QS_LOG_AUDIT, old ? "policy_changed" : "policy_loaded",
			",\"file\":%s,\"difference\":%s,\"old\":%s,\"new\":%s",
			qs_log_quote(qs_rt.policy_file, file, sizeof(file)),
			old ? qs_log_quote(what, difference,
					   sizeof(difference)) :
			      "null",
			was ? qs_log_quote(was, quoted, QS_AUDIT_POLICY_MAX) :
			      "null",
			qs_log_quote(is ? is : "", quoted + QS_AUDIT_POLICY_MAX,
				     QS_AUDIT_POLICY_MAX));
	free(quoted);
	free(was);
	free(is);
}

/* Puts the policy in force that the slurmctld had which this one replaces.
 * False: it replaces none, or that is not known. */
static bool take_over(void)
{
	struct qs_policy_ref *ref;
	struct qs_policy *policy;

	if (!qs_compat_replaces())
		return false;
	policy = qs_policy_kept();
	ref = policy ? calloc(1, sizeof(*ref)) : NULL;
	if (!ref) {
		qs_policy_free(policy);
		return false;
	}
	ref->policy = policy;
	ref->sum = sum_of(policy);
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.policy = ref;
	slurm_mutex_unlock(&qs_rt.lock);
	return true;
}

static int load(bool at_start)
{
	static bool untold; /* what was read while it stood by */
	const struct qs_policy *old;
	struct qs_error err = { 0 };
	struct qs_policy_ref *ref;

	find_file();
	if (at_start && take_over())
		at_start = false;
	old = qs_runtime_policy_get();
	ref = read_file(&err);
	if (!ref && at_start)
		fatal("quota_share: %s", err.text);
	slurm_mutex_lock(&qs_rt.lock);
	snprintf(qs_rt.policy_error, sizeof(qs_rt.policy_error), "%s",
		 ref ? "" : err.text);
	if (!ref)
		qs_answer_policy_tried();
	slurm_mutex_unlock(&qs_rt.lock);
	if (!ref) {
		error("quota_share: the policy stays as it was: %s", err.text);
		qs_log_line(QS_LOG_AUDIT, "policy_refused", ",\"error\":%s",
			    qs_log_quote(err.text, (char[1200]){ 0 }, 1200));
		qs_runtime_policy_put(old);
		return -1;
	}
	/* The audit log tells what was in force when: not what one reads that
	 * stands by, until it takes over. */
	if (at_start && qs_compat_stood_by()) {
		untold = true;
	} else {
		audit(untold ? NULL : old, ref->policy);
		untold = false;
	}
	qs_runtime_policy_put(old);
	info("quota_share: policy of %s is in force: %d queues, %d shares, %s",
	     qs_rt.policy_file, ref->policy->nqueues, ref->policy->nshares,
	     ref->policy->mode == QS_MODE_OBSERVE ? "observing only" :
						    "enforcing");
	replace(ref);
	return 0;
}

int qs_policy_load(bool at_start)
{
	int rc = load(at_start);

	/* While it stands by another policy is in force. */
	if (QS_RECONF_REPLACES && !(at_start && qs_compat_stood_by()))
		qs_policy_keep();
	return rc;
}

void qs_policy_warn_removed(const struct qs_view *view)
{
	static uint64_t told; /* our thread only */
	uint32_t hold = 0, wait = 0;
	uint64_t generation;
	bool current;

	slurm_mutex_lock(&qs_rt.lock);
	generation = qs_rt.generation;
	current = qs_rt.policy && qs_rt.policy->policy == view->policy;
	slurm_mutex_unlock(&qs_rt.lock);
	if (!current || told == generation)
		return;
	told = generation;
	for (uint32_t i = 0; i < view->snap->njobs; i++) {
		if (view->snap->jobs[i].share != QS_SHARE_REMOVED)
			continue;
		if (view->snap->jobs[i].state == QS_JOB_PENDING)
			wait++;
		else
			hold++;
	}
	if (hold || wait)
		info("quota_share: warning: the policy does not have the share of %u running and %u waiting jobs any more: what runs is charged as borrowed until it ends, what waits stays pending",
		     hold, wait);
}

void qs_policy_drop(void)
{
	replace(NULL);
}
