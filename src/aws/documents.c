/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * documents.c - a set-up as what `aws batch create-… --cli-input-json` takes
 *
 * Called by qshare export. Never blocks. A state is always said; a borrowLimit
 * is there if it is set and only then, be it 0 or -1 (law 11).
 */
#include "aws/documents.h"

#include "aws/arn.h"

static void put_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static void put_state(struct json_object *to, bool enabled)
{
	put_text(to, "state", enabled ? "ENABLED" : "DISABLED");
}

static void put_limits(struct json_object *to,
		       const struct qs_aws_limits *limits)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < limits->n; i++) {
		struct json_object *one = json_object_new_object();

		json_object_object_add(
			one, "maxCapacity",
			json_object_new_int64(limits->items[i].max));
		put_text(one, "capacityUnit", limits->items[i].unit);
		json_object_array_add(list, one);
	}
	json_object_object_add(to, "capacityLimits", list);
}

static void put_tags(struct json_object *to, const struct qs_aws_tags *tags)
{
	struct json_object *map;

	if (!tags->n)
		return;
	map = json_object_new_object();
	for (size_t i = 0; i < tags->n; i++)
		put_text(map, tags->items[i].key, tags->items[i].value);
	json_object_object_add(to, "tags", map);
}

struct json_object *qs_document_policy(const struct qs_aws_policy *policy)
{
	struct json_object *to = json_object_new_object();
	struct json_object *quota = json_object_new_object();

	put_text(to, "name", policy->name);
	put_text(quota, "idleResourceAssignmentStrategy", "FIFO");
	json_object_object_add(to, "quotaSharePolicy", quota);
	put_tags(to, &policy->tags);
	return to;
}

struct json_object *
qs_document_environment(const struct qs_aws_environment *environment)
{
	struct json_object *to = json_object_new_object();

	put_text(to, "serviceEnvironmentName", environment->name);
	put_text(to, "serviceEnvironmentType", "SAGEMAKER_TRAINING");
	put_state(to, environment->enabled);
	put_limits(to, &environment->limits);
	put_tags(to, &environment->tags);
	return to;
}

struct json_object *qs_document_queue(const struct qs_setup *setup,
				      const struct qs_aws_queue *queue)
{
	struct json_object *to = json_object_new_object();
	struct json_object *order = json_object_new_array();
	struct json_object *first = json_object_new_object();
	char arn[QS_ARN_MAX];

	put_text(to, "jobQueueName", queue->name);
	put_text(to, "jobQueueType", "SAGEMAKER_TRAINING");
	put_state(to, queue->enabled);
	if (queue->policy) {
		qs_arn_print(arn, sizeof(arn), QS_ARN_SCHEDULING_POLICY,
			     setup->region, setup->account, NULL,
			     queue->policy);
		put_text(to, "schedulingPolicyArn", arn);
	}
	json_object_object_add(to, "priority",
			       json_object_new_int64(queue->priority));
	json_object_object_add(first, "order", json_object_new_int(1));
	put_text(first, "serviceEnvironment",
		 queue->environment ? queue->environment : "");
	json_object_array_add(order, first);
	json_object_object_add(to, "serviceEnvironmentOrder", order);
	put_tags(to, &queue->tags);
	return to;
}

struct json_object *qs_document_share(const struct qs_aws_share *share)
{
	struct json_object *to = json_object_new_object();
	struct json_object *sharing = json_object_new_object();
	struct json_object *preemption = json_object_new_object();

	put_text(to, "quotaShareName", share->name);
	put_text(to, "jobQueue", share->queue);
	put_limits(to, &share->limits);
	put_text(sharing, "strategy", qs_strategy_name(share->strategy));
	if (share->borrow_limit.set)
		json_object_object_add(
			sharing, "borrowLimit",
			json_object_new_int64(share->borrow_limit.value));
	json_object_object_add(to, "resourceSharingConfiguration", sharing);
	put_text(preemption, "inSharePreemption",
		 share->in_share_preemption ? "ENABLED" : "DISABLED");
	json_object_object_add(to, "preemptionConfiguration", preemption);
	put_state(to, share->enabled);
	put_tags(to, &share->tags);
	return to;
}

struct json_object *qs_document_bundle(const struct qs_setup *setup,
				       const struct qs_notes *notes)
{
	struct json_object *to = json_object_new_object();
	struct json_object *policies = json_object_new_array();
	struct json_object *environments = json_object_new_array();
	struct json_object *queues = json_object_new_array();
	struct json_object *shares = json_object_new_array();

	for (size_t i = 0; i < setup->npolicies; i++)
		json_object_array_add(policies,
				      qs_document_policy(&setup->policies[i]));
	for (size_t i = 0; i < setup->nenvironments; i++)
		json_object_array_add(
			environments,
			qs_document_environment(&setup->environments[i]));
	for (size_t i = 0; i < setup->nqueues; i++)
		json_object_array_add(
			queues, qs_document_queue(setup, &setup->queues[i]));
	for (size_t i = 0; i < setup->nshares; i++)
		json_object_array_add(shares,
				      qs_document_share(&setup->shares[i]));
	json_object_object_add(to, "schedulingPolicies", policies);
	json_object_object_add(to, "serviceEnvironments", environments);
	json_object_object_add(to, "jobQueues", queues);
	json_object_object_add(to, "quotaShares", shares);
	json_object_object_add(to, "report", qs_notes_json(notes));
	return to;
}
