/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.c - a policy as a share set-up of AWS Batch
 *
 * Called by qshare export. Never blocks. A queue becomes a scheduling policy,
 * a service environment and a job queue, all of the queue's name: AWS keeps
 * their names apart, and a queue's name is as long as theirs may be.
 */
#include "aws/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aws/export_run.h"
#include "conf/nearest.h"

static int no_memory(const struct qs_export_run *run)
{
	return qs_error_memory(run->err);
}

static int add_environment(struct qs_export_run *run, const char *name)
{
	struct qs_aws_environment *to = qs_setup_add_environment(run->setup);

	if (!to || !(to->name = strdup(name)))
		return no_memory(run);
	to->enabled = true;
	for (int t = 0; t < run->policy->ntypes; t++)
		if (run->pool[t] &&
		    qs_aws_limits_add(&to->limits, run->units[t]->name,
				      run->pool[t]))
			return no_memory(run);
	return 0;
}

static int add_policy(struct qs_export_run *run, const char *name)
{
	struct qs_aws_policy *to = qs_setup_add_policy(run->setup);

	if (!to || !(to->name = strdup(name)))
		return no_memory(run);
	to->quota = true;
	return 0;
}

static int add_queue(struct qs_export_run *run, const char *policy,
		     const char *environment)
{
	const struct qs_queue *queue = &run->policy->queues[run->queue];
	struct qs_aws_queue *to = qs_setup_add_queue(run->setup);

	if (!to)
		return no_memory(run);
	to->name = strdup(queue->name);
	to->policy = strdup(policy);
	to->environment = strdup(environment);
	to->enabled = queue->enabled;
	to->priority = run->options->priority;
	if (!to->name || !to->policy || !to->environment)
		return no_memory(run);
	return qs_export_queue_tags(run, &to->tags);
}

/* AWS counts a percentage of instances; R3 counts one of GPUs. */
static void remark_limit(struct qs_export_run *run, int s, int t)
{
	const struct qs_share *share = &run->policy->shares[s];
	const struct qs_quota *quota = qs_policy_quota(run->policy, s, t);
	int64_t count = *qs_export_count(run, s, t);
	int64_t ours, theirs;

	if (!count || quota->borrow_gpus.set || !share->borrow_limit.set ||
	    share->borrow_limit.value <= 0)
		return;
	ours = quota->capacity * share->borrow_limit.value / 100;
	theirs = count * share->borrow_limit.value / 100 * run->units[t]->gpus;
	if (ours != theirs)
		qs_notes_add(run->notes, QS_NOTE_REMARK,
			     run->policy->queues[run->queue].name, share->name,
			     "BorrowLimit",
			     "%" PRId64 " %% of %" PRIu32 " GPUs are %" PRId64
			     "; of %" PRId64 " %.80s they are %" PRId64
			     " GPUs, if AWS rounds down",
			     share->borrow_limit.value, quota->capacity, ours,
			     count, run->units[t]->name, theirs);
}

static int add_share(struct qs_export_run *run, int s)
{
	const struct qs_share *share = &run->policy->shares[s];
	struct qs_aws_share *to = qs_setup_add_share(run->setup);

	if (!to)
		return no_memory(run);
	to->name = strdup(share->name);
	to->queue = strdup(run->policy->queues[run->queue].name);
	to->enabled = share->enabled;
	to->strategy = share->strategy;
	to->borrow_limit = share->borrow_limit;
	to->in_share_preemption = share->in_share_preemption;
	if (!to->name || !to->queue)
		return no_memory(run);
	for (int t = 0; t < run->policy->ntypes; t++) {
		int64_t count = *qs_export_count(run, s, t);

		if (!run->units[t] || !count)
			continue;
		if (qs_aws_limits_add(&to->limits, run->units[t]->name, count))
			return no_memory(run);
		remark_limit(run, s, t);
	}
	return qs_export_share_tags(run, s, &to->tags);
}

static int export_queue(struct qs_export_run *run)
{
	const char *name = run->policy->queues[run->queue].name;
	const char *policy = run->options->scheduling_policy;
	const char *environment = run->options->environment;

	policy = policy ? policy : name;
	environment = environment ? environment : name;
	if (qs_export_units(run) || add_policy(run, policy) ||
	    add_environment(run, environment) ||
	    add_queue(run, policy, environment))
		return -1;
	for (int s = 0; s < run->policy->nshares; s++)
		if (run->policy->shares[s].queue == run->queue &&
		    run->shares[s] && add_share(run, s))
			return -1;
	return 0;
}

static int no_queue(const struct qs_export_run *run)
{
	struct qs_place at = { .file = run->options->file,
			       .value = run->options->queue };
	struct qs_nearest nearest;

	qs_nearest_init(&nearest, run->options->queue);
	for (int q = 0; q < run->policy->nqueues; q++)
		qs_nearest_offer(&nearest, run->policy->queues[q].name);
	return qs_error_set(run->err, &at, "there is no such queue",
			    qs_nearest_get(&nearest),
			    "the name of a Queue line");
}

/* Types that no exported queue has: their GpuType lines are not needed. */
static void note_types(struct qs_export_run *run)
{
	for (int t = 0; t < run->policy->ntypes; t++)
		if (!run->seen[t])
			qs_notes_add(run->notes, QS_NOTE_LOST, NULL, NULL,
				     "GpuType", "%.80s is not exported",
				     run->policy->types[t].name);
}

static int export_queues(struct qs_export_run *run)
{
	const char *only = run->options->queue;
	bool any = false;

	for (int q = 0; q < run->policy->nqueues; q++) {
		const char *name = run->policy->queues[q].name;

		run->queue = q;
		if (!only || !strcmp(only, name)) {
			any = true;
			if (export_queue(run))
				return -1;
		} else {
			qs_notes_add(run->notes, QS_NOTE_LOST, name, NULL,
				     "Queue", "another queue was asked for");
		}
	}
	if (!any)
		return no_queue(run);
	note_types(run);
	return 0;
}

int qs_export(const struct qs_policy *policy, const struct qs_instances *table,
	      const struct qs_export_options *options, struct qs_setup *setup,
	      struct qs_notes *notes, struct qs_error *err)
{
	size_t cells = (size_t)policy->nshares * (size_t)policy->ntypes;
	struct qs_export_run run = {
		.policy = policy,
		.table = table,
		.options = options,
		.setup = setup,
		.notes = notes,
		.err = err,
		.shares = calloc((size_t)policy->nshares + 1, sizeof(bool)),
		.counts = calloc(cells + 1, sizeof(int64_t)),
	};
	int rc = -1;

	if (options->region)
		setup->region = strdup(options->region);
	if (options->account)
		setup->account = strdup(options->account);
	if (!run.shares || !run.counts || (options->region && !setup->region) ||
	    (options->account && !setup->account))
		no_memory(&run);
	else
		rc = export_queues(&run);
	if (!rc && notes->failed)
		rc = no_memory(&run);
	if (!rc)
		qs_setup_sort(setup);
	free(run.shares);
	free(run.counts);
	return rc;
}
