/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_check.c - what of the policy does not fit slurm.conf and gres.conf
 *
 * Called by `qshare check --slurm-conf`, before a policy is put in force.
 * Never blocks. All it says is a warning: slurmctld would take the policy, and
 * something would not go as somebody thinks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/site.h"
#include "conf/nearest.h"

struct check {
	const struct qs_site *site;
	const struct qs_policy *policy;
	struct qs_warnings *warnings;
	bool **in; /* [queue][node] */
};

#define WARN(check, ...) \
	qs_warnings_add((check)->warnings, NULL, 0, __VA_ARGS__)

static const struct qs_site_part *find_part(const struct qs_site *site,
					    const char *name)
{
	for (size_t i = 0; i < site->nparts; i++)
		if (!strcmp(site->parts[i].name, name))
			return &site->parts[i];
	return NULL;
}

static void unknown_part(const struct check *check,
			 const struct qs_queue *queue, const char *name)
{
	struct qs_nearest nearest;
	const char *near;

	qs_nearest_init(&nearest, name);
	for (size_t i = 0; i < check->site->nparts; i++)
		qs_nearest_offer(&nearest, check->site->parts[i].name);
	near = qs_nearest_get(&nearest);
	WARN(check,
	     "queue %s: slurm.conf has no partition %s%s%s%s: no job can be "
	     "in it",
	     queue->name, name, near ? "; did you mean " : "", near ? near : "",
	     near ? "?" : "");
}

static void add_part(struct check *check, int q,
		     const struct qs_site_part *part)
{
	for (size_t i = 0; i < check->site->nnodes; i++)
		check->in[q][i] |= part->has[i];
}

static void check_parts(struct check *check, int q)
{
	const struct qs_queue *queue = &check->policy->queues[q];

	for (size_t i = 0; !queue->partitions.n && i < check->site->nparts; i++)
		add_part(check, q, &check->site->parts[i]);
	for (size_t i = 0; i < queue->partitions.n; i++) {
		const char *name = queue->partitions.items[i];
		const struct qs_site_part *part = find_part(check->site, name);

		if (part)
			add_part(check, q, part);
		else
			unknown_part(check, queue, name);
	}
}

static int type_of(const struct qs_policy *policy,
		   const struct qs_site_gpu *gpu)
{
	return qs_policy_find_gres(policy, gpu->type[0] ? gpu->type : "gpu");
}

static int64_t there(const struct check *check, int q, int type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < check->site->nnodes; i++) {
		const struct qs_site_node *node = &check->site->nodes[i];

		for (size_t k = 0; check->in[q][i] && k < node->ngpus; k++)
			if (type_of(check->policy, &node->gpus[k]) == type)
				sum += node->gpus[k].count;
	}
	return sum;
}

/* A name that some node of the queue has, and that may be meant. */
static const char *near_type(const struct check *check, int q,
			     const struct qs_type *type)
{
	struct qs_nearest nearest;

	for (size_t i = 0; i < check->site->nnodes; i++) {
		const struct qs_site_node *node = &check->site->nodes[i];

		for (size_t k = 0; check->in[q][i] && k < node->ngpus; k++)
			if (!strcasecmp(node->gpus[k].type, type->name))
				return node->gpus[k].type;
	}
	qs_nearest_init(&nearest, type->name);
	for (size_t i = 0; i < check->site->nnodes; i++) {
		const struct qs_site_node *node = &check->site->nodes[i];

		for (size_t k = 0; check->in[q][i] && k < node->ngpus; k++)
			if (node->gpus[k].type[0] &&
			    type_of(check->policy, &node->gpus[k]) < 0)
				qs_nearest_offer(&nearest, node->gpus[k].type);
	}
	return qs_nearest_get(&nearest);
}

static void check_type(const struct check *check, int q, int t)
{
	const struct qs_queue *queue = &check->policy->queues[q];
	const struct qs_type *type = &check->policy->types[t];
	int64_t promised = qs_policy_promised(check->policy, q, t);
	int64_t have = there(check, q, t);
	const char *near;

	if (!promised && !have)
		return;
	if (!have) {
		near = near_type(check, q, type);
		WARN(check,
		     "queue %s: no node of its partitions has GPUs of type "
		     "%s%s%s%s%s",
		     queue->name, type->name, near ? "; did you mean " : "",
		     near ? near : "",
		     near ? "? Types compare exactly (R2c)" : "",
		     check->site->autodetect ?
			     " (gres.conf uses AutoDetect: what the nodes "
			     "find is not known here)" :
			     "");
	} else if (promised > have) {
		WARN(check,
		     "queue %s: its shares own %" PRId64 " %s, but its "
		     "partitions have %" PRId64 ": an owner may wait for GPUs "
		     "that are not there (R17)",
		     queue->name, promised, type->name, have);
	} else if (promised < have) {
		WARN(check,
		     "queue %s: %" PRId64 " of the %" PRId64 " %s of its "
		     "partitions belong to no share and are not lent (R6)",
		     queue->name, have - promised, have, type->name);
	}
}

/* Each type once, with the first node that has it. */
static void check_unlisted(const struct check *check, int q)
{
	const struct qs_site *site = check->site;
	const char *told[QS_TYPES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < site->nnodes; i++) {
		for (size_t k = 0; check->in[q][i] && k < site->nodes[i].ngpus;
		     k++) {
			const struct qs_site_gpu *gpu = &site->nodes[i].gpus[k];
			size_t at = 0;

			if (type_of(check->policy, gpu) >= 0 ||
			    n == QS_TYPES_MAX)
				continue;
			while (at < n && strcmp(told[at], gpu->type))
				at++;
			if (at < n)
				continue;
			told[n++] = gpu->type;
			WARN(check,
			     "queue %s: node %s has GPUs %s%s that no share "
			     "lists: nobody can use them",
			     check->policy->queues[q].name, site->nodes[i].name,
			     gpu->type[0] ? "of type " : "without a type",
			     gpu->type);
		}
	}
}

static bool on_some_node(const struct check *check, const char *type)
{
	const struct qs_site *site = check->site;

	for (size_t i = 0; i < site->nnodes; i++)
		for (size_t k = 0; k < site->nodes[i].ngpus; k++)
			if (!strcmp(site->nodes[i].gpus[k].type, type))
				return true;
	return false;
}

static bool shares_nodes(const struct check *check, int q,
			 const struct qs_site_part *part)
{
	for (size_t i = 0; i < check->site->nnodes; i++)
		if (part->has[i] && check->in[q][i] &&
		    check->site->nodes[i].ngpus)
			return true;
	return false;
}

/* Jobs that come past the gate take GPUs that shares own. */
static void check_outside(const struct check *check, int q)
{
	for (size_t i = 0; i < check->site->nparts; i++) {
		const struct qs_site_part *part = &check->site->parts[i];

		if (qs_policy_queue_of(check->policy, part->name) < 0 &&
		    shares_nodes(check, q, part))
			WARN(check,
			     "partition %s is in no queue, but has GPU nodes "
			     "of queue %s: its jobs take GPUs that shares own, "
			     "and no share is charged",
			     part->name, check->policy->queues[q].name);
	}
}

static void check_overlap(const struct check *check, int q)
{
	for (int o = 0; o < q; o++)
		for (size_t i = 0; i < check->site->nnodes; i++) {
			if (!check->in[q][i] || !check->in[o][i])
				continue;
			WARN(check,
			     "queues %s and %s both have node %s: node sets of "
			     "queues must not overlap",
			     check->policy->queues[o].name,
			     check->policy->queues[q].name,
			     check->site->nodes[i].name);
			break;
		}
}

static void want(const struct check *check, const char *key, const char *value,
		 const char *without)
{
	const char *has = qs_site_value(check->site, key);

	if (!qs_site_lists(has, value))
		WARN(check, "slurm.conf has %s%s%s, but %s=%s is needed: %s",
		     has ? key : "no ", has ? "=" : key, has ? has : "", key,
		     value, without);
}

static void check_plugins(const struct check *check)
{
	want(check, "BurstBufferType", "burst_buffer/quota_share",
	     "no share is enforced without it");
	want(check, "PreemptType", "preempt/quota_share",
	     "nothing that is lent can be taken back without it");
	want(check, "PreemptMode", "REQUEUE",
	     "preempted jobs could not run again");
	want(check, "PriorityType", "priority/multifactor",
	     "jobs are not served in the plan's order without it");
	want(check, "PrioritySiteFactorPlugin", "site_factor/quota_share",
	     "jobs are not served in the plan's order without it");
	want(check, "JobSubmitPlugins", "quota_share",
	     "submissions are neither judged nor typed without it");
	want(check, "GresTypes", "gpu", "Slurm counts no GPUs without it");
}

static bool borrows(const struct qs_policy *policy, int q)
{
	for (int i = 0; i < policy->nshares; i++)
		if (policy->shares[i].queue == q &&
		    policy->shares[i].strategy == QS_STRATEGY_LEND_AND_BORROW)
			return true;
	return false;
}

/* R12a. */
static void check_requeue(const struct check *check, int q)
{
	const struct qs_queue *queue = &check->policy->queues[q];
	const char *has = qs_site_value(check->site, "JobRequeue");

	if (has && !strcmp(has, "0") && queue->non_requeue_borrow &&
	    borrows(check->policy, q))
		WARN(check,
		     "slurm.conf has JobRequeue=0: in queue %s a batch job "
		     "without --requeue is cancelled when what it borrows is "
		     "taken back; set JobRequeue=1, or NonRequeueBorrow=NO",
		     queue->name);
}

/* Each type of the policy that some node has under this name, once. */
static void check_tracked(const struct check *check, const char *tracked)
{
	const struct qs_policy *policy = check->policy;

	for (int t = 0; t < policy->ntypes; t++) {
		for (size_t i = 0; i < policy->types[t].gres.n; i++) {
			const char *type = policy->types[t].gres.items[i];
			char name[256];

			snprintf(name, sizeof(name), "gres/gpu:%s", type);
			if (!on_some_node(check, type) ||
			    qs_site_lists(tracked, name))
				continue;
			WARN(check,
			     "AccountingStorageTRES does not list %s: sacct "
			     "does not tell it from other GPUs",
			     name);
		}
	}
}

/* Reports name GPUs and types only where Slurm's accounting tracks them. */
static void check_tres(const struct check *check)
{
	const char *tracked =
		qs_site_value(check->site, "AccountingStorageTRES");

	if (!qs_site_value(check->site, "AccountingStorageType"))
		return;
	if (qs_site_lists(tracked, "gres/gpu"))
		check_tracked(check, tracked);
	else
		WARN(check, "AccountingStorageTRES does not list gres/gpu: "
			    "sacct and reports know no GPUs");
}

void qs_site_check(const struct qs_site *site, const struct qs_policy *policy,
		   struct qs_warnings *warnings)
{
	struct check check = { site, policy, warnings, NULL };
	bool good;

	check.in = calloc((size_t)policy->nqueues + 1, sizeof(*check.in));
	good = check.in;
	for (int q = 0; good && q < policy->nqueues; q++) {
		check.in[q] = calloc(site->nnodes + 1, sizeof(bool));
		good = check.in[q];
	}
	check_plugins(&check);
	for (int q = 0; good && q < policy->nqueues; q++) {
		check_parts(&check, q);
		for (int t = 0; t < policy->ntypes; t++)
			check_type(&check, q, t);
		check_unlisted(&check, q);
		check_outside(&check, q);
		check_overlap(&check, q);
		check_requeue(&check, q);
	}
	check_tres(&check);
	for (int q = 0; check.in && q < policy->nqueues; q++)
		free(check.in[q]);
	free(check.in);
}
