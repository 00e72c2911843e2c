/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_objects.c - one scheduling policy, environment, queue or share
 *
 * Called by read.c and read_cfn.c. Never blocks. The surprise: a describe-…
 * call without a filter gives all queues and policies of an account; those
 * that have nothing to do with quota shares are left out and noted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aws/reader.h"
#include "conf/values.h"

/* Keys that only describe-… gives come last. */
static const char *const policy_keys[] = {
	"name", "quotaSharePolicy", "fairsharePolicy", "tags", "arn", NULL
};
static const char *const environment_keys[] = { "serviceEnvironmentName",
						"serviceEnvironmentType",
						"state",
						"capacityLimits",
						"tags",
						"serviceEnvironmentArn",
						"status",
						NULL };
static const char *const queue_keys[] = { "jobQueueName",
					  "jobQueueType",
					  "state",
					  "schedulingPolicyArn",
					  "priority",
					  "computeEnvironmentOrder",
					  "serviceEnvironmentOrder",
					  "jobStateTimeLimitActions",
					  "tags",
					  "jobQueueArn",
					  "status",
					  "statusReason",
					  NULL };
static const char *const share_keys[] = { "quotaShareName",
					  "jobQueue",
					  "capacityLimits",
					  "resourceSharingConfiguration",
					  "preemptionConfiguration",
					  "state",
					  "tags",
					  "quotaShareArn",
					  "jobQueueArn",
					  "status",
					  NULL };

static int note(struct qs_aws_reader *reader, const struct qs_json *at,
		const char *what, const char *name, const char *text)
{
	qs_notes_add(reader->notes, QS_NOTE_LOST, NULL, NULL, NULL,
		     "%s: %s%s%s %s %s", reader->file, at->path,
		     *at->path ? ": " : "", what, name, text);
	return 0;
}

/* What describe-… says of its life. *gone: it is being deleted. */
static int read_status(struct qs_aws_reader *reader, const struct qs_json *at,
		       const char *what, const char *name, bool *gone)
{
	static const char *const words[] = { "VALID",   "CREATING", "UPDATING",
					     "INVALID", "DELETING", "DELETED",
					     NULL };
	int index = 0;

	*gone = false;
	if (reader->pascal)
		return 0;
	if (qs_read_choice(reader, at, "status", false, words, &index))
		return -1;
	*gone = index >= 4;
	if (*gone)
		note(reader, at, what, name, "is being deleted: left out");
	else if (index == 3)
		note(reader, at, what, name,
		     "is INVALID in AWS; here it is taken as it says");
	return 0;
}

/* The name, or the one that CloudFormation's logical id stands in for. */
static int read_name(struct qs_aws_reader *reader, const struct qs_json *at,
		     const char *key, const char *otherwise, char **name)
{
	if (!otherwise || qs_read_has(reader, at, key))
		return qs_read_name(reader, at, key, name);
	if (!qs_value_is_name(otherwise))
		return qs_json_fail(at, NULL, "it has no name of its own", NULL,
				    "the key \"%s\" in it",
				    qs_read_key(reader, key));
	qs_notes_add(reader->notes, QS_NOTE_REMARK, NULL, NULL, NULL,
		     "%s: %s: it has no %s, and AWS would make one up; taken "
		     "is %s",
		     reader->file, at->path, qs_read_key(reader, key),
		     otherwise);
	*name = strdup(otherwise);
	return *name ? 0 : qs_error_memory(reader->err);
}

static int check_quota_policy(struct qs_aws_reader *reader,
			      const struct qs_json *at)
{
	static const char *const known[] = { "idleResourceAssignmentStrategy",
					     NULL };
	static const char *const words[] = { "FIFO", NULL };
	struct qs_json quota;
	int index;

	if (qs_json_object(at, qs_read_key(reader, "quotaSharePolicy"), true,
			   &quota) ||
	    qs_read_keys(reader, &quota, known))
		return -1;
	/* CloudFormation does not require it. */
	return qs_read_choice(reader, &quota, known[0], !reader->pascal, words,
			      &index);
}

int qs_read_policy(struct qs_aws_reader *reader, const struct qs_json *at,
		   const char *name)
{
	const struct qs_aws_policy *first;
	struct qs_aws_policy *to;
	char *own, *ignored = NULL;
	int rc;

	if (qs_read_keys(reader, at, policy_keys) ||
	    read_name(reader, at, "name", name, &own))
		return -1;
	first = qs_setup_find_policy(reader->setup, own);
	to = first ? NULL : qs_setup_add_policy(reader->setup);
	if (!to) {
		free(own);
		return first ? qs_read_twice(reader, at, "name",
					     &first->source) :
			       qs_error_memory(reader->err);
	}
	to->name = own;
	to->quota = qs_read_has(reader, at, "quotaSharePolicy");
	if (!to->quota && !qs_read_has(reader, at, "fairsharePolicy"))
		return qs_json_fail(at, NULL, NULL, NULL,
				    "the key \"%s\" in it",
				    qs_read_key(reader, "quotaSharePolicy"));
	if (!to->quota)
		note(reader, at, "scheduling policy", own,
		     "is a fair share policy: left out");
	rc = (to->quota && check_quota_policy(reader, at)) ||
	     qs_read_reference(reader, at, "arn", false,
			       QS_ARN_SCHEDULING_POLICY, &ignored) ||
	     qs_read_source(reader, at, &to->source) ||
	     qs_read_tags(reader, at, &to->tags);
	free(ignored);
	return rc ? -1 : 0;
}

int qs_read_environment(struct qs_aws_reader *reader, const struct qs_json *at,
			const char *name)
{
	static const char *const types[] = { "SAGEMAKER_TRAINING", NULL };
	const struct qs_aws_environment *first;
	struct qs_aws_environment *to;
	char *own, *ignored = NULL;
	bool gone;
	int rc, type;

	if (qs_read_keys(reader, at, environment_keys) ||
	    read_name(reader, at, "serviceEnvironmentName", name, &own))
		return -1;
	if (read_status(reader, at, "service environment", own, &gone) ||
	    gone) {
		free(own);
		return gone ? 0 : -1;
	}
	first = qs_setup_find_environment(reader->setup, own);
	to = first ? NULL : qs_setup_add_environment(reader->setup);
	if (!to) {
		free(own);
		return first ? qs_read_twice(reader, at,
					     "serviceEnvironmentName",
					     &first->source) :
			       qs_error_memory(reader->err);
	}
	to->name = own;
	rc = qs_read_choice(reader, at, "serviceEnvironmentType", true, types,
			    &type) ||
	     qs_read_reference(reader, at, "serviceEnvironmentArn", false,
			       QS_ARN_SERVICE_ENVIRONMENT, &ignored) ||
	     qs_read_state(reader, at, &to->enabled) ||
	     qs_read_limits(reader, at, &to->limits) ||
	     qs_read_source(reader, at, &to->source) ||
	     qs_read_tags(reader, at, &to->tags);
	free(ignored);
	return rc ? -1 : 0;
}

/* AWS: exactly one. */
static int read_environments(struct qs_aws_reader *reader,
			     const struct qs_json *at, char **environment)
{
	static const char *const known[] = { "order", "serviceEnvironment",
					     NULL };
	const char *key = qs_read_key(reader, "serviceEnvironmentOrder");
	struct json_object *array;
	struct qs_json one;
	int64_t order;
	size_t n;

	if (qs_json_array(at, key, true, &array, &n))
		return -1;
	if (n != 1)
		return qs_json_fail(at, key, NULL, NULL,
				    "exactly one service environment");
	if (qs_json_element(at, key, array, 0, &one) ||
	    qs_read_keys(reader, &one, known) ||
	    qs_read_number(reader, &one, "order", INT32_MIN, INT32_MAX, &order,
			   NULL))
		return -1;
	return qs_read_reference(reader, &one, "serviceEnvironment", true,
				 QS_ARN_SERVICE_ENVIRONMENT, environment);
}

/* Is it a queue for quota shares? *skip: it is another kind. */
static int read_queue_type(struct qs_aws_reader *reader,
			   const struct qs_json *at, const char *name,
			   bool *skip)
{
	static const char *const types[] = { "SAGEMAKER_TRAINING", "EKS", "ECS",
					     "ECS_FARGATE", NULL };
	int type = -1;

	*skip = false;
	if (qs_read_choice(reader, at, "jobQueueType", false, types, &type))
		return -1;
	/* What runs on compute environments has no type, or had none. */
	if (type < 0 && !qs_read_has(reader, at, "computeEnvironmentOrder"))
		return qs_json_fail(at, NULL, NULL, NULL,
				    "the key \"%s\" in it",
				    qs_read_key(reader, "jobQueueType"));
	*skip = type != 0;
	if (*skip)
		note(reader, at, "job queue", name,
		     "is no queue of SageMaker training jobs: left out");
	return 0;
}

static bool has_actions(const struct qs_aws_reader *reader,
			const struct qs_json *at)
{
	struct json_object *list;

	return json_object_object_get_ex(
		       at->json,
		       qs_read_key(reader, "jobStateTimeLimitActions"),
		       &list) &&
	       json_object_is_type(list, json_type_array) &&
	       json_object_array_length(list);
}

static int fill_queue(struct qs_aws_reader *reader, const struct qs_json *at,
		      struct qs_aws_queue *to)
{
	char *ignored = NULL;
	int rc;

	rc = qs_read_reference(reader, at, "jobQueueArn", false,
			       QS_ARN_JOB_QUEUE, &ignored) ||
	     qs_read_reference(reader, at, "schedulingPolicyArn", false,
			       QS_ARN_SCHEDULING_POLICY, &to->policy) ||
	     read_environments(reader, at, &to->environment) ||
	     qs_read_number(reader, at, "priority", 0, QS_AWS_PRIORITY_MAX,
			    &to->priority, NULL) ||
	     qs_read_state(reader, at, &to->enabled) ||
	     qs_read_source(reader, at, &to->source) ||
	     qs_read_tags(reader, at, &to->tags);
	free(ignored);
	if (!rc && has_actions(reader, at))
		note(reader, at, "job queue", to->name,
		     "has jobStateTimeLimitActions, which have no "
		     "counterpart");
	return rc ? -1 : 0;
}

int qs_read_queue(struct qs_aws_reader *reader, const struct qs_json *at,
		  const char *name)
{
	const struct qs_aws_queue *first;
	struct qs_aws_queue *to;
	bool gone = false, other = false;
	char *own;

	if (qs_read_keys(reader, at, queue_keys) ||
	    read_name(reader, at, "jobQueueName", name, &own))
		return -1;
	if (read_queue_type(reader, at, own, &other) || other ||
	    read_status(reader, at, "job queue", own, &gone) || gone) {
		free(own);
		return other || gone ? 0 : -1;
	}
	first = qs_setup_find_queue(reader->setup, own);
	to = first ? NULL : qs_setup_add_queue(reader->setup);
	if (!to) {
		free(own);
		return first ? qs_read_twice(reader, at, "jobQueueName",
					     &first->source) :
			       qs_error_memory(reader->err);
	}
	to->name = own;
	return fill_queue(reader, at, to);
}

static int read_sharing(struct qs_aws_reader *reader, const struct qs_json *at,
			struct qs_aws_share *to)
{
	/* in the order of enum qs_strategy */
	static const char *const words[] = { "RESERVE", "LEND",
					     "LEND_AND_BORROW", NULL };
	static const char *const known[] = { "strategy", "borrowLimit", NULL };
	bool described = qs_read_has(reader, at, "quotaShareArn");
	struct qs_json sharing;
	int index = 0;

	if (qs_json_object(at,
			   qs_read_key(reader, "resourceSharingConfiguration"),
			   true, &sharing) ||
	    qs_read_keys(reader, &sharing, known) ||
	    qs_read_choice(reader, &sharing, "strategy", true, words, &index) ||
	    qs_read_number(reader, &sharing, "borrowLimit", -1, INT32_MAX,
			   &to->borrow_limit.value, &to->borrow_limit.set))
		return -1;
	to->strategy = (enum qs_strategy)index;
	if (!to->borrow_limit.set ||
	    to->strategy == QS_STRATEGY_LEND_AND_BORROW)
		return 0;
	/* AWS refuses it; should AWS ever show one, it has no meaning. */
	if (!described)
		return qs_json_fail(&sharing,
				    qs_read_key(reader, "borrowLimit"), NULL,
				    NULL, "it with LEND_AND_BORROW only");
	to->borrow_limit = (struct qs_opt){ 0 };
	return note(reader, &sharing, "its", "borrowLimit",
		    "has no meaning without LEND_AND_BORROW: left out");
}

static int read_preemption(struct qs_aws_reader *reader,
			   const struct qs_json *at, struct qs_aws_share *to)
{
	static const char *const words[] = { "ENABLED", "DISABLED", NULL };
	static const char *const known[] = { "inSharePreemption", NULL };
	struct qs_json preemption;
	int index = 0;

	if (qs_json_object(at, qs_read_key(reader, "preemptionConfiguration"),
			   true, &preemption) ||
	    qs_read_keys(reader, &preemption, known) ||
	    qs_read_choice(reader, &preemption, known[0], true, words, &index))
		return -1;
	to->in_share_preemption = index == 0;
	return 0;
}

/* Where its queue is said: by name, or by an ARN that describe-… gives. */
static int read_share_queue(struct qs_aws_reader *reader,
			    const struct qs_json *at, char **queue)
{
	*queue = NULL;
	if (qs_read_has(reader, at, "jobQueue"))
		return qs_read_reference(reader, at, "jobQueue", true,
					 QS_ARN_JOB_QUEUE, queue);
	if (qs_read_has(reader, at, "jobQueueArn"))
		return qs_read_reference(reader, at, "jobQueueArn", true,
					 QS_ARN_JOB_QUEUE, queue);
	if (qs_read_has(reader, at, "quotaShareArn"))
		return qs_read_reference(reader, at, "quotaShareArn", true,
					 QS_ARN_QUOTA_SHARE, queue);
	return qs_json_fail(at, NULL, NULL, NULL, "the key \"%s\" in it",
			    qs_read_key(reader, "jobQueue"));
}

static int fill_share(struct qs_aws_reader *reader, const struct qs_json *at,
		      struct qs_aws_share *to)
{
	if (read_sharing(reader, at, to) || read_preemption(reader, at, to) ||
	    qs_read_state(reader, at, &to->enabled) ||
	    qs_read_limits(reader, at, &to->limits) ||
	    qs_read_source(reader, at, &to->source))
		return -1;
	return qs_read_tags(reader, at, &to->tags);
}

int qs_read_share(struct qs_aws_reader *reader, const struct qs_json *at,
		  const char *name)
{
	const struct qs_aws_share *first = NULL;
	struct qs_aws_share *to = NULL;
	char *own = NULL, *queue = NULL;
	bool gone = false;

	if (qs_read_keys(reader, at, share_keys) ||
	    read_name(reader, at, "quotaShareName", name, &own) ||
	    read_share_queue(reader, at, &queue) ||
	    read_status(reader, at, "quota share", own, &gone) || gone)
		goto out;
	first = qs_setup_find_share(reader->setup, queue, own);
	if (first)
		qs_read_twice(reader, at, "quotaShareName", &first->source);
	else if (!(to = qs_setup_add_share(reader->setup)))
		qs_error_memory(reader->err);
	if (to) {
		to->name = own;
		to->queue = queue;
		return fill_share(reader, at, to);
	}
out:
	free(own);
	free(queue);
	return gone ? 0 : -1;
}
