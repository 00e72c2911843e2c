/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_units.c - GPUs as instances, ARNs and times of the live cluster
 *
 * Called by live*.c. Never blocks. The surprise: a job of Slurm may hold a part
 * of an instance, so quantities are fractions; and a type without an Instance
 * is counted in GPUs under its own name.
 */
#include "aws/live.h"

#include <stdio.h>
#include <string.h>

#include "aws/arn.h"

static void put_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

void qs_live_usage_add(const struct qs_live *live, struct json_object *list,
		       const char *type, int64_t gpus)
{
	int t = live->policy ? qs_policy_find_type(live->policy, type) : -1;
	const char *name = t < 0 ? NULL : live->policy->types[t].instance;
	const struct qs_instance *unit =
		name && live->table ? qs_instances_find(live->table, name) :
				      NULL;
	struct json_object *one = json_object_new_object();

	put_text(one, "capacityUnit", unit ? unit->name : type);
	if (unit && gpus % unit->gpus)
		json_object_object_add(
			one, "quantity",
			json_object_new_double((double)gpus / unit->gpus));
	else
		json_object_object_add(
			one, "quantity",
			json_object_new_int64(unit ? gpus / unit->gpus : gpus));
	json_object_array_add(list, one);
}

struct json_object *qs_live_usage(const struct qs_live *live,
				  struct json_object *gpus)
{
	struct json_object *list = json_object_new_array();

	if (!json_object_is_type(gpus, json_type_object))
		return list;
	json_object_object_foreach(gpus, type, count) qs_live_usage_add(
		live, list, type, json_object_get_int64(count));
	return list;
}

static struct json_object *arn(const struct qs_live *live,
			       enum qs_arn_kind kind, const char *name)
{
	char text[QS_ARN_MAX];

	qs_arn_print(text, sizeof(text), kind,
		     live->region ? live->region : QS_LIVE_REGION,
		     live->account ? live->account : QS_LIVE_ACCOUNT, NULL,
		     name);
	return json_object_new_string(text);
}

struct json_object *qs_live_job_arn(const struct qs_live *live, const char *id)
{
	return arn(live, QS_ARN_SERVICE_JOB, id);
}

struct json_object *qs_live_queue_arn(const struct qs_live *live,
				      const char *name)
{
	return arn(live, QS_ARN_JOB_QUEUE, name);
}

struct json_object *qs_live_resource(const char *id)
{
	struct json_object *to = json_object_new_object();
	char text[64];

	/* AWS knows one name only. */
	snprintf(text, sizeof(text), "slurm:JobId=%.40s", id);
	put_text(to, "name", "TrainingJobArn");
	put_text(to, "value", text);
	return to;
}

void qs_live_put_time(struct json_object *to, const char *key, int64_t sec)
{
	json_object_object_add(to, key, json_object_new_int64(sec * 1000));
}
