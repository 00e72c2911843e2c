/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_queues.c - which queues are imported, and what belongs to them
 *
 * Called by import.c. Never blocks. The surprise: list-quota-shares alone is
 * enough. Then the queue is only a name, and the pool what its shares own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/import_run.h"
#include "conf/nearest.h"

static struct qs_import_queue *find(const struct qs_import_run *run,
				    const char *name)
{
	for (size_t q = 0; q < run->nqueues; q++)
		if (!strcmp(run->queues[q].name, name))
			return &run->queues[q];
	return NULL;
}

bool qs_import_has(const struct qs_import_run *run,
		   const struct qs_aws_share *share)
{
	return find(run, share->queue) != NULL;
}

static int add(struct qs_import_run *run, const char *name)
{
	struct qs_import_queue *queues;
	const char *only = run->options->queue;

	if ((only && strcmp(only, name)) || find(run, name))
		return 0;
	queues = realloc(run->queues, (run->nqueues + 1) * sizeof(*queues));
	if (!queues)
		return qs_error_memory(run->err);
	run->queues = queues;
	queues[run->nqueues++] = (struct qs_import_queue){
		.name = name,
		.queue = qs_setup_find_queue(run->setup, name),
	};
	return 0;
}

static bool has_share(const struct qs_setup *setup, const char *queue)
{
	for (size_t s = 0; s < setup->nshares; s++)
		if (!strcmp(setup->shares[s].queue, queue))
			return true;
	return false;
}

/* Does a queue without shares divide its GPUs by shares all the same? */
static bool is_quota_queue(const struct qs_setup *setup,
			   const struct qs_aws_queue *queue)
{
	const struct qs_aws_policy *policy =
		queue->policy ? qs_setup_find_policy(setup, queue->policy) :
				NULL;

	return queue->policy && (!policy || policy->quota);
}

static int add_all(struct qs_import_run *run)
{
	const struct qs_setup *setup = run->setup;

	for (size_t q = 0; q < setup->nqueues; q++) {
		const struct qs_aws_queue *queue = &setup->queues[q];

		if (has_share(setup, queue->name) ||
		    is_quota_queue(setup, queue)) {
			if (add(run, queue->name))
				return -1;
		} else if (!run->options->queue) {
			qs_notes_add(run->notes, QS_NOTE_LOST, queue->name,
				     NULL, NULL,
				     "it has no quota share: left out");
		}
	}
	for (size_t s = 0; s < setup->nshares; s++)
		if (add(run, setup->shares[s].queue))
			return -1;
	return 0;
}

/* Which queues there would have been. */
static int none(struct qs_import_run *run)
{
	struct qs_place at = { .value = run->options->queue };
	struct qs_nearest nearest;

	if (run->setup->nfiles == 1)
		at.file = run->setup->files[0];
	if (!run->options->queue)
		return qs_error_set(run->err, &at, "no quota share in it", NULL,
				    "at least one queue with quota shares");
	qs_nearest_init(&nearest, run->options->queue);
	for (size_t s = 0; s < run->setup->nshares; s++)
		qs_nearest_offer(&nearest, run->setup->shares[s].queue);
	return qs_error_set(run->err, &at, "no such job queue has quota shares",
			    qs_nearest_get(&nearest),
			    "a job queue of the documents");
}

/* Documents of queues were given, but not of this one: a misspelt name. */
static int check_shares(struct qs_import_run *run)
{
	const struct qs_setup *setup = run->setup;

	for (size_t s = 0; s < setup->nshares; s++) {
		const struct qs_aws_share *share = &setup->shares[s];
		const struct qs_import_queue *queue = find(run, share->queue);
		struct qs_nearest nearest;

		if (!queue || queue->queue || !setup->nqueues)
			continue;
		qs_nearest_init(&nearest, share->queue);
		for (size_t q = 0; q < setup->nqueues; q++)
			qs_nearest_offer(&nearest, setup->queues[q].name);
		return qs_import_fail(run, &share->source, "jobQueue",
				      share->queue,
				      "there is no document of this job queue",
				      qs_nearest_get(&nearest),
				      "a job queue of the documents");
	}
	return 0;
}

static int use_environment(struct qs_import_run *run,
			   struct qs_import_queue *to)
{
	const char *name = to->queue->environment;

	to->environment =
		name ? qs_setup_find_environment(run->setup, name) : NULL;
	if (name && strcmp(name, to->name))
		qs_notes_add(run->notes, QS_NOTE_REMARK, to->name, NULL,
			     "serviceEnvironment",
			     "it is called %s in AWS; here it has no name",
			     name);
	if (!to->environment) {
		qs_notes_add(run->notes, QS_NOTE_LOST, to->name, NULL,
			     "capacityLimits",
			     "there is no document of its service environment "
			     "%s: the pool is what the shares own",
			     name ? name : "");
		return 0;
	}
	for (const struct qs_import_queue *o = run->queues; o < to; o++)
		if (o->environment == to->environment)
			return qs_import_fail(
				run, &to->queue->source,
				"serviceEnvironmentOrder", name,
				"the environment of two queues", NULL,
				"one quota queue an environment; %.80s has it",
				o->name);
	if (!to->environment->enabled)
		qs_notes_add(run->notes, QS_NOTE_LOST, to->name, NULL, "state",
			     "its service environment %s is DISABLED; here it "
			     "is the queue that is disabled, or not",
			     name);
	return 0;
}

static int use_policy(struct qs_import_run *run,
		      const struct qs_import_queue *to)
{
	const char *name = to->queue->policy;
	const struct qs_aws_policy *policy =
		name ? qs_setup_find_policy(run->setup, name) : NULL;

	if (policy && !policy->quota)
		return qs_import_fail(run, &to->queue->source,
				      "schedulingPolicyArn", name,
				      "that is a fair share policy", NULL,
				      "a policy with a quotaSharePolicy");
	if (!name)
		qs_notes_add(run->notes, QS_NOTE_REMARK, to->name, NULL,
			     "schedulingPolicyArn",
			     "it has none: in AWS no share of it counts");
	else if (strcmp(name, to->name))
		qs_notes_add(run->notes, QS_NOTE_REMARK, to->name, NULL,
			     "schedulingPolicyArn",
			     "the policy is called %s in AWS; here it has no "
			     "name",
			     name);
	return 0;
}

static int use(struct qs_import_run *run, struct qs_import_queue *to)
{
	if (!to->queue) {
		qs_notes_add(run->notes, QS_NOTE_LOST, to->name, NULL, NULL,
			     "there is no document of the job queue: its state "
			     "and its pool are not known");
		return 0;
	}
	if (to->queue->priority != 1)
		qs_notes_add(run->notes, QS_NOTE_LOST, to->name, NULL,
			     "priority", "%lld has no counterpart",
			     (long long)to->queue->priority);
	return use_policy(run, to) || use_environment(run, to) ? -1 : 0;
}

/* What was read and is of no use. */
static void note_unused(struct qs_import_run *run)
{
	const struct qs_setup *setup = run->setup;

	for (size_t i = 0; i < setup->nenvironments; i++) {
		bool used = false;

		for (size_t q = 0; q < run->nqueues; q++)
			used = used || run->queues[q].environment ==
					       &setup->environments[i];
		if (!used)
			qs_notes_add(run->notes, QS_NOTE_LOST, NULL, NULL,
				     "serviceEnvironment",
				     "%s: no queue here uses it",
				     setup->environments[i].name);
	}
	for (size_t s = 0; s < setup->nshares; s++)
		if (!qs_import_has(run, &setup->shares[s]))
			qs_notes_add(run->notes, QS_NOTE_LOST,
				     setup->shares[s].queue,
				     setup->shares[s].name, NULL,
				     "another queue was asked for");
}

int qs_import_queues(struct qs_import_run *run)
{
	if (add_all(run))
		return -1;
	if (!run->nqueues)
		return none(run);
	if (check_shares(run))
		return -1;
	for (size_t q = 0; q < run->nqueues; q++)
		if (use(run, &run->queues[q]))
			return -1;
	note_unused(run);
	return 0;
}
