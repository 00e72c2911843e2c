/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_submit_quota_share.c - the door at which jobs come in
 *
 * JobSubmitPlugins=quota_share. slurmctld calls job_submit() with its conf,
 * job, node and partition read locks, job_modify() with the job write lock; up
 * to 22.05 one call at a time, later several at once, so nothing here is
 * global but what belongs to a thread. May block on the association manager's
 * read lock. Its surprise: job_modify() comes before slurmctld has checked
 * whether the caller may touch the job at all, so what takes effect here is
 * checked here.
 */
#include "compat/compat.h"

#include <string.h>

#include "host/het.h"
#include "host/request.h"
#include "job_submit/judge.h"
#include "runtime/runtime.h"

const char plugin_name[] = "Quota shares: judges submissions and changes";
const char plugin_type[] = "job_submit/quota_share";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

extern int init(void);
extern QS_FINI_TYPE fini(void);
extern int job_submit(job_desc_msg_t *desc, uint32_t submit_uid,
		      char **err_msg);
extern int job_modify(QS_JOB_MODIFY_ARGS(desc, job, submit_uid, err_msg));

extern int init(void)
{
	return qs_runtime_init(plugin_type);
}

extern QS_FINI_TYPE fini(void)
{
	qs_runtime_fini(plugin_type);
	QS_FINI_RETURN;
}

/* Another plugin may have left a message already. */
static void tell(char **err_msg, const char *text)
{
	if (!err_msg || !*text)
		return;
	xstrfmtcat(*err_msg, "%s%s", *err_msg ? "\n" : "", text);
}

extern int job_submit(job_desc_msg_t *desc, uint32_t submit_uid, char **err_msg)
{
	const struct qs_policy *policy = qs_runtime_policy_get();
	struct qs_answer answer;

	if (!policy)
		return SLURM_SUCCESS;
	qs_judge_submit(policy, desc, submit_uid, &answer);
	qs_runtime_policy_put(policy);
	if (answer.rc != SLURM_SUCCESS)
		verbose("quota_share: uid %u: job refused: %s", submit_uid,
			answer.text);
	tell(err_msg, answer.text);
	return answer.rc;
}

/*
 * R6a, who may: operators all; the job's owner and coordinators of its account
 * up to the share's MaxUserPriority.
 */
static int may_set(const job_record_t *job, uint32_t uid, int64_t priority,
		   const struct qs_share *share)
{
	if (validate_operator(uid))
		return SLURM_SUCCESS;
	if (uid != job->user_id && !qs_compat_is_coord(uid, job->account))
		return ESLURM_ACCESS_DENIED;
	if (priority > share->max_user_priority)
		return ESLURM_ACCOUNTING_POLICY;
	return SLURM_SUCCESS;
}

/* `qshare priority`: an update that carries nothing but this word. */
static int set_priority(const struct qs_policy *policy, job_desc_msg_t *desc,
			job_record_t *job, uint32_t uid)
{
	struct qs_het_home home;
	char text[QS_TEXT_MAX];
	struct qs_opt priority;
	int share = QS_SHARE_NONE, rc;

	rc = qs_env_number(desc->spank_job_env, desc->spank_job_env_size,
			   QS_ENV_PRIORITY, QS_PRIORITY_MAX, &priority);
	if (rc == 1)
		return SLURM_SUCCESS;
	if (rc < 0)
		return EINVAL;
	qs_het_find(policy, job, &home);
	if (home.queue >= 0)
		share = qs_request_share(policy, home.queue, home.by, text,
					 sizeof(text));
	if (share < 0)
		return ESLURM_NOT_SUPPORTED;
	rc = may_set(job, uid, priority.value, &policy->shares[share]);
	if (rc != SLURM_SUCCESS) {
		info("quota_share: %pJ: uid %u may not set priority %lld in share %s",
		     job, uid, (long long)priority.value,
		     policy->shares[share].name);
		return rc;
	}
	if (!qs_request_judged(policy, share, home.by))
		qs_request_set_judged(policy, share, home.by);
	qs_runtime_set_priority(home.by, (uint32_t)priority.value);
	return SLURM_SUCCESS;
}

extern int job_modify(QS_JOB_MODIFY_ARGS(desc, job, submit_uid, err_msg))
{
	const struct qs_policy *policy = qs_runtime_policy_get();
	struct qs_answer answer;
	int rc;

	qs_runtime_changed(job);
	if (!policy)
		return SLURM_SUCCESS;
	memset(&answer, 0, sizeof(answer));
	rc = set_priority(policy, desc, job, submit_uid);
	if (rc == SLURM_SUCCESS && IS_JOB_PENDING(job)) {
		qs_judge_change(policy, desc, job, submit_uid, &answer);
		rc = answer.rc;
	}
	qs_runtime_policy_put(policy);
	if (answer.text[0])
		info("quota_share: %pJ: uid %u: change %s: %s", job, submit_uid,
		     answer.rc == SLURM_SUCCESS ? "accepted" : "refused",
		     answer.text);
#if QS_HAVE_MODIFY_TEXT
	tell(err_msg, answer.text);
#endif
	return rc;
}
