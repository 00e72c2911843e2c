/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_share.c - the share of a job (R1): its accounts, nearest first
 *
 * Called at submission and change of a job, and by the runtime for records
 * that carry no share. Takes the association manager's read lock, which comes
 * after slurmctld's locks and before ours. Its surprise: without slurmdbd
 * there is no tree, and the job's account is just a word that the user gave.
 */
#include "host/request.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "src/common/assoc_mgr.h"

#include "runtime/runtime.h"

/* No account tree is deeper; a loop in it ends here. */
#define DEPTH_MAX 32

struct chain {
	const char *names[DEPTH_MAX];
	size_t n;
};

static void add_name(struct chain *chain, const char *name)
{
	/* A user's association repeats the account's name above it. */
	if (!name || !*name || chain->n == DEPTH_MAX ||
	    (chain->n && !xstrcasecmp(chain->names[chain->n - 1], name)))
		return;
	chain->names[chain->n++] = name;
}

static void add_parents(struct chain *chain, const slurmdb_assoc_rec_t *assoc)
{
	for (int depth = 0; assoc && depth < DEPTH_MAX; depth++) {
		add_name(chain, assoc->acct);
		assoc = assoc->usage ? assoc->usage->parent_assoc_ptr : NULL;
	}
}

static slurmdb_assoc_rec_t *lookup(uint32_t uid, char *account, char *partition)
{
	slurmdb_assoc_rec_t key, *found = NULL;

	memset(&key, 0, sizeof(key));
	key.acct = account;
	key.partition = partition;
	key.uid = uid;
	/* Not enforcing: without slurmdbd it says nothing and finds none. */
	if (assoc_mgr_fill_in_assoc(acct_db_conn, &key, 0, &found, true) !=
	    SLURM_SUCCESS)
		return NULL;
	return found;
}

/*
 * The user's association with the account (the default account if none is
 * named), as slurmctld's _job_create() will find it. Where associations are
 * not enforced, it puts the default account in the place of one that is not
 * the user's. NULL: there is none at all.
 */
static slurmdb_assoc_rec_t *find_assoc(uint32_t uid, const char *account,
				       const char *partition)
{
	slurmdb_assoc_rec_t *found;
	char *name = NULL;

	if (account && *account) {
		name = xstrdup(account);
		xstrtolower(name);
	}
	found = lookup(uid, name, (char *)partition);
	if (!found && name)
		found = lookup(uid, NULL, (char *)partition);
	xfree(name);
	return found;
}

static void say_for(const struct qs_policy *policy, int queue,
		    const char *account, char made_for[QS_FOR_MAX])
{
	snprintf(made_for, QS_FOR_MAX, "%s@%s", account ? account : "",
		 policy->queues[queue].name);
	for (char *p = made_for; *p && *p != '@'; p++)
		*p = (char)tolower((unsigned char)*p);
}

int qs_request_share_by(const struct qs_policy *policy, int queue,
			const char *wanted, uint32_t uid, const char *account,
			const char *partition, char made_for[QS_FOR_MAX],
			char *text, size_t size)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK, .user = READ_LOCK };
	struct chain chain = { .n = 0 };
	int share;

	assoc_mgr_lock(&locks);
	add_parents(&chain, find_assoc(uid, account, partition));
	if (!chain.n)
		add_name(&chain, account);
	share = qs_submit_share(policy, queue, wanted, chain.names, chain.n,
				text, size);
	say_for(policy, queue, chain.n ? chain.names[0] : NULL, made_for);
	assoc_mgr_unlock(&locks);
	return share;
}

/* Was the share given for the account and queue that the job has now? */
static bool still_for(const struct qs_policy *policy, int queue,
		      const job_record_t *job)
{
	const char *was = qs_env_get(job->spank_job_env,
				     job->spank_job_env_size, QS_ENV_FOR);
	char now[QS_FOR_MAX];

	say_for(policy, queue, job->account, now);
	return was && !strcmp(was, now);
}

int qs_request_share_given(const struct qs_policy *policy, int queue,
			   const job_record_t *job)
{
	const char *given = qs_env_get(job->spank_job_env,
				       job->spank_job_env_size, QS_ENV_SHARE);
	int share;

	if (!given || !still_for(policy, queue, job))
		return QS_SHARE_NONE;
	share = qs_policy_find_share(policy, given);
	if (share >= 0 && policy->shares[share].queue == queue)
		return share;
	return QS_SHARE_REMOVED;
}

int qs_request_share(const struct qs_policy *policy, int queue,
		     const job_record_t *job, char *text, size_t size)
{
	const char *asked;
	char made_for[QS_FOR_MAX];
	int share = qs_request_share_given(policy, queue, job);

	if (share != QS_SHARE_NONE)
		return share;
	asked = qs_env_get(job->spank_job_env, job->spank_job_env_size,
			   QS_ENV_ASKED);
	share = qs_request_share_by(policy, queue, asked, job->user_id,
				    job->account,
				    job->part_ptr ? job->part_ptr->name : NULL,
				    made_for, text, size);
	return share < 0 ? QS_SHARE_NONE : share;
}

bool qs_request_judged(const struct qs_policy *policy, int share,
		       const job_record_t *job)
{
	char **env = job->spank_job_env;
	uint32_t n = job->spank_job_env_size;
	const char *given = qs_env_get(env, n, QS_ENV_SHARE);

	/* Without it QS_ENV_SHARE is only what the user wanted. */
	return given && qs_env_get(env, n, QS_ENV_FOR) &&
	       qs_policy_find_share(policy, given) == share;
}

void qs_request_set_judged(const struct qs_policy *policy, int share,
			   job_record_t *job)
{
	char ***env = &job->spank_job_env;
	uint32_t *n = &job->spank_job_env_size;
	char made_for[QS_FOR_MAX];

	say_for(policy, policy->shares[share].queue, job->account, made_for);
	qs_env_set(env, n, QS_ENV_SHARE, policy->shares[share].name);
	qs_env_set(env, n, QS_ENV_FOR, made_for);
}
