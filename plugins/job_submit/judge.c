/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.c - what becomes of a submission, or of a change of a waiting job
 *
 * Called by the job_submit plugin for every job of the cluster, so the jobs
 * that are none of ours leave first. May block on the association manager's
 * read lock. Its surprise: under Mode=OBSERVE everything is judged, and then
 * let in as it came (R19).
 */
#include "job_submit/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/het.h"
#include "host/nodes.h"

#include "job_submit/case.h"
#include "job_submit/whatif.h"
#include "runtime/events.h"
#include "runtime/runtime.h"

#define RETRIES_MAX INT32_MAX

/*
 * Where the components of a het job before this one ask for GPUs, -1: nowhere.
 * slurmctld judges them one after the other, the leader first, in one thread
 * and under one lock; which job they are of nobody tells.
 */
static _Thread_local int het_queue = -1;

static void add_line(struct qs_answer *answer, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
static void add_line(struct qs_answer *answer, const char *fmt, va_list args)
{
	size_t n = strlen(answer->text);

	if (n && n + 1 < sizeof(answer->text)) {
		answer->text[n++] = '\n';
		answer->text[n] = '\0';
	}
	vsnprintf(answer->text + n, sizeof(answer->text) - n, fmt, args);
}

int qs_case_refuse(struct qs_case *c, int rc, const char *fmt, ...)
{
	va_list args;

	c->answer->rc = rc;
	c->answer->text[0] = '\0';
	va_start(args, fmt);
	add_line(c->answer, fmt, args);
	va_end(args);
	return -1;
}

void qs_case_note(struct qs_case *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_line(c->answer, fmt, args);
	va_end(args);
}

/*
 * The one queue of all partitions. Returns 1: the job is not for us (in no
 * queue, or a partition is none and Slurm will say so); 0; -1: in a queue and
 * out of it, or in two; *queue is one of them then.
 */
static int find_queue(const struct qs_case *c, int *queue)
{
	const char *list = c->form.wish.partitions;
	bool outside = false, mixed = false;

	*queue = -1;
	if (!list || !*list)
		list = default_part_name;
	while (list && *list) {
		size_t n = strcspn(list, ",");
		char *name = xstrndup(list, n);
		bool exists = find_part_record(name);
		int in = qs_policy_queue_of(c->policy, name);

		xfree(name);
		if (!exists)
			return 1;
		outside |= in < 0;
		mixed |= in >= 0 && *queue >= 0 && in != *queue;
		if (in >= 0)
			*queue = in;
		list += n;
		list += *list == ',';
	}
	if (*queue < 0)
		return 1;
	return outside || mixed ? -1 : 0;
}

/* --quota-share, for a change what it was when the job was submitted. */
static const char *wanted_share(const struct qs_case *c)
{
	const char *wanted;

	if (c->job)
		return qs_env_get(c->job->spank_job_env,
				  c->job->spank_job_env_size, QS_ENV_ASKED);
	wanted = qs_env_get(c->desc->spank_job_env, c->desc->spank_job_env_size,
			    QS_ENV_SHARE);
	return wanted && *wanted ? wanted : NULL;
}

/* Leaves without a word, unless the user named a share for nothing. */
static void leave(struct qs_case *c, const char *why)
{
	const char *wanted = c->job ? NULL : wanted_share(c);

	if (wanted)
		qs_case_note(c, "--quota-share=%s has no effect: %s", wanted,
			     why);
}

/* Does the request ask for GPUs at all? Fills pool as far as needed. */
static bool asks_gpus(struct qs_case *c)
{
	struct qs_pool_filter filter;

	if (c->form.wish.terms.parts)
		return true;
	for (size_t i = 0; i < c->form.wish.terms.n; i++)
		if (qs_term_gpus(&c->form.wish.terms.items[i],
				 &c->form.wish.shape, 1))
			return true;
	if (!c->form.wish.whole_nodes)
		return false;
	qs_wish_filter(&c->form.wish, &filter);
	qs_pool_scan(c->policy, &filter, &c->pool);
	return c->pool.present;
}

static int judge_share(struct qs_case *c, char made_for[QS_FOR_MAX])
{
	uint32_t uid = c->job ? c->job->user_id : c->desc->user_id;
	const char *part = c->form.wish.partitions;
	char text[QS_TEXT_MAX];
	char *first = NULL;

	if (!part || !*part)
		part = default_part_name;
	if (part)
		first = xstrndup(part, strcspn(part, ","));
	c->share = qs_request_share_by(c->policy, c->queue, wanted_share(c),
				       uid, c->form.account, first, made_for,
				       text, sizeof(text));
	xfree(first);
	if (c->share < 0)
		return qs_case_refuse(c, ESLURM_ACCESS_DENIED, "%s", text);
	return 0;
}

/* Was the share charged for the job before the change? */
static bool was_in(const struct qs_case *c)
{
	struct qs_request request;
	char text[QS_TEXT_MAX];

	if (qs_nodes_queue(c->policy, c->job) != c->queue ||
	    qs_request_share(c->policy, c->queue, c->job, text, sizeof(text)) !=
		    c->share)
		return false;
	qs_request_of_record(c->policy, c->queue, c->job, &request);
	return request.gpu;
}

/* R15. A submitted job keeps its place in a share that was disabled since. */
static int judge_state(struct qs_case *c)
{
	const struct qs_queue *queue = &c->policy->queues[c->queue];
	const struct qs_share *share = &c->policy->shares[c->share];

	if ((queue->enabled && share->enabled) || (c->job && was_in(c)))
		return 0;
	if (!queue->enabled)
		return qs_case_refuse(
			c, ESLURM_ACCESS_DENIED,
			"quota queue %s is disabled and takes no new jobs; "
			"use a partition outside of it, or ask an admin",
			queue->name);
	if (!share->enabled)
		return qs_case_refuse(
			c, ESLURM_ACCESS_DENIED,
			"quota share %s is disabled and takes no new jobs; "
			"submit with another account or --quota-share, or ask "
			"an admin",
			share->name);
	return 0;
}

static int judge_words(struct qs_case *c, uint32_t submit_uid)
{
	const struct qs_share *share = &c->policy->shares[c->share];
	char **env = c->desc->spank_job_env;
	uint32_t n = c->desc->spank_job_env_size;
	struct qs_opt priority, retries;

	if (qs_env_number(env, n, QS_ENV_PRIORITY, QS_PRIORITY_MAX, &priority) <
	    0)
		return qs_case_refuse(c, ESLURM_ACCESS_DENIED,
				      "--share-priority=%s: give a number "
				      "from 0 to %d",
				      qs_env_get(env, n, QS_ENV_PRIORITY),
				      QS_PRIORITY_MAX);
	if (priority.set && priority.value > share->max_user_priority &&
	    !validate_operator(submit_uid))
		return qs_case_refuse(c, ESLURM_ACCESS_DENIED,
				      "--share-priority=%lld is more than "
				      "quota share %s allows; ask for at most "
				      "%u",
				      (long long)priority.value, share->name,
				      share->max_user_priority);
	if (qs_env_number(env, n, QS_ENV_RETRIES, RETRIES_MAX, &retries) < 0)
		return qs_case_refuse(c, ESLURM_ACCESS_DENIED,
				      "--preempt-retries=%s: give a number "
				      "from 0 to %d",
				      qs_env_get(env, n, QS_ENV_RETRIES),
				      RETRIES_MAX);
	return 0;
}

/*
 * A change may bring a job under a share that has never judged its priority: it
 * was none of ours, or its account was another. What an operator moves there
 * may come; the look does not let it count for more than a user may ask for.
 */
static int judge_late_words(struct qs_case *c, uint32_t uid)
{
	const struct qs_share *share = &c->policy->shares[c->share];
	uint32_t priority;

	if (qs_request_judged(c->policy, c->share, c->job) ||
	    validate_operator(uid))
		return 0;
	priority = qs_runtime_priority(c->job);
	if (priority <= share->max_user_priority)
		return 0;
	return qs_case_refuse(c, ESLURM_ACCOUNTING_POLICY,
			      "the job's --share-priority=%u is more than "
			      "quota share %s allows; submit it anew with at "
			      "most %u, or, if it is in a share already, lower "
			      "it first (qshare priority)",
			      priority, share->name, share->max_user_priority);
}

static bool may_borrow(const struct qs_case *c)
{
	for (uint32_t i = 0; i < c->request.ndemands; i++) {
		int type = c->request.demands[i].type;
		const struct qs_quota *quota =
			qs_policy_quota(c->policy, c->share, type);

		if (qs_policy_limit(c->policy, c->share, type) >
		    quota->capacity)
			return true;
	}
	return false;
}

/* R12a. salloc and srun send no script, and only a script can run again. */
static void note_no_requeue(struct qs_case *c)
{
	const char *share = c->policy->shares[c->share].name;
	bool batch = c->desc->script || c->desc->script_buf;
	uint16_t requeue = c->desc->requeue;

	if (requeue == NO_VAL16)
		requeue = slurm_conf.job_requeue;
	/* Of a het job only the first component has the script. */
	if (c->desc->het_job_offset != NO_VAL && c->desc->het_job_offset)
		return;
	if ((batch && requeue) || !may_borrow(c))
		return;
	if (c->policy->queues[c->queue].non_requeue_borrow)
		qs_case_note(c,
			     "this job cannot be requeued%s: if it runs on "
			     "GPUs that share %s borrows, it is cancelled when "
			     "they are taken back",
			     batch ? "" : " (it has no batch script)", share);
	else
		qs_case_note(c,
			     "this job cannot be requeued%s: it starts only "
			     "on GPUs that share %s owns",
			     batch ? "" : " (it has no batch script)", share);
}

/*
 * That a share was given is for us to say. A job that is none of ours, or is let
 * in although it would be refused, is not asked what its words say about it.
 */
static void drop_words(job_desc_msg_t *desc)
{
	char ***env = &desc->spank_job_env;

	qs_env_set(env, &desc->spank_job_env_size, QS_ENV_ASKED, NULL);
	qs_env_set(env, &desc->spank_job_env_size, QS_ENV_FOR, NULL);
}

static void keep_words(struct qs_case *c, const char *made_for)
{
	char ***env = &c->desc->spank_job_env;
	uint32_t *n = &c->desc->spank_job_env_size;
	const char *wanted = wanted_share(c);
	char *asked = wanted ? xstrdup(wanted) : NULL;

	qs_env_set(env, n, QS_ENV_ASKED, asked);
	qs_env_set(env, n, QS_ENV_SHARE, c->policy->shares[c->share].name);
	qs_env_set(env, n, QS_ENV_FOR, made_for);
	xfree(asked);
}

/*
 * A shard or an MPS percentage makes the whole GPU useless for others, and no
 * share could be charged for it: an owner would wait for ever for such a GPU.
 */
static int judge_parts(struct qs_case *c)
{
	if (!c->form.wish.terms.parts)
		return 0;
	return qs_case_refuse(c, ESLURM_INVALID_GRES,
			      "parts of a GPU (gres/shard, gres/mps) are "
			      "charged to no quota share; ask for whole GPUs "
			      "(--gres=gpu:TYPE:N), or use a partition outside "
			      "of quota queue %s",
			      c->policy->queues[c->queue].name);
}

/* A change is not judged so: of a het job that is moved as a whole slurmctld
 * changes one component after the other. The look has the last word. */
static int judge_het(struct qs_case *c)
{
	uint32_t offset = c->desc->het_job_offset;
	char text[QS_TEXT_MAX];

	if (c->job || offset == NO_VAL)
		return 0;
	if (het_queue >= 0 && het_queue < c->policy->nqueues &&
	    het_queue != c->queue) {
		qs_het_two_queues(c->policy, het_queue, c->queue, text,
				  sizeof(text));
		return qs_case_refuse(c,
				      ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE,
				      "the het job has no one share: %s", text);
	}
	het_queue = c->queue;
	return 0;
}

/* Everything after "it is ours". Returns 0, or -1 with the refusal. */
static int judge(struct qs_case *c, uint32_t uid, bool in_one_queue)
{
	char made_for[QS_FOR_MAX];

	if (!in_one_queue)
		return qs_case_refuse(
			c, ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE,
			"the partitions %s are not all of one quota queue, so "
			"the job has no one share; name partitions of queue "
			"%s only, or none of it",
			c->form.wish.partitions,
			c->policy->queues[c->queue].name);
	if (judge_het(c) || judge_parts(c) || judge_share(c, made_for) ||
	    judge_state(c) ||
	    (c->job ? judge_late_words(c, uid) : judge_words(c, uid)) ||
	    qs_case_type(c) || qs_case_size(c))
		return -1;
	if (c->job)
		return 0;
	keep_words(c, made_for);
	note_no_requeue(c);
	return 0;
}

static void run(struct qs_case *c, uint32_t uid)
{
	int in = find_queue(c, &c->queue);

	c->read_only = c->policy->mode == QS_MODE_OBSERVE;
	if (in == 1) {
		leave(c, "the job's partition is in no quota queue");
		return;
	}
	if (!asks_gpus(c)) {
		leave(c, "the job asks for no GPU");
		return;
	}
	c->ours = true;
	if (!judge(c, uid, !in) || c->whatif)
		return;
	if (c->read_only) {
		info("quota_share: uid %u: observed only, would be refused: %s",
		     uid, c->answer->text);
		qs_runtime_would_refuse(uid, c->answer->text);
		c->answer->rc = SLURM_SUCCESS;
		c->answer->text[0] = '\0';
	}
}

void qs_judge_submit(const struct qs_policy *policy, job_desc_msg_t *desc,
		     uint32_t submit_uid, struct qs_answer *answer)
{
	struct qs_case c;

	memset(&c, 0, sizeof(c));
	memset(answer, 0, sizeof(*answer));
	c.policy = policy;
	c.desc = desc;
	c.answer = answer;
	c.whatif = qs_whatif_token(desc);
	drop_words(desc);
	if (!desc->het_job_offset)
		het_queue = -1;
	if (!qs_form_of_desc(desc, &c.form))
		run(&c, submit_uid);
	if (c.whatif)
		qs_whatif_leave(&c, c.whatif, c.ours);
}

void qs_judge_change(const struct qs_policy *policy, job_desc_msg_t *desc,
		     const job_record_t *job, uint32_t uid,
		     struct qs_answer *answer)
{
	struct qs_case c;

	memset(&c, 0, sizeof(c));
	memset(answer, 0, sizeof(*answer));
	c.policy = policy;
	c.desc = desc;
	c.job = job;
	c.answer = answer;
	if (qs_form_touched(desc) && !qs_form_of_change(desc, job, &c.form))
		run(&c, uid);
}
