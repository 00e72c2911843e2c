/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_fields.c - the fields that AWS's objects are made of
 *
 * Called by read_objects.c. Never blocks. The surprise: a misspelt optional
 * key would silently mean its default, and borrowLimit's default is "without
 * limit"; so an unknown key that looks like a known one is an error, while one
 * that does not is something newer than this program, and noted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/reader.h"
#include "conf/nearest.h"
#include "conf/values.h"

/* The API's spelling and CloudFormation's; sorted. */
static const char *const spellings[][2] = {
	{ "borrowLimit", "BorrowLimit" },
	{ "capacityLimits", "CapacityLimits" },
	{ "capacityUnit", "CapacityUnit" },
	{ "computeEnvironmentOrder", "ComputeEnvironmentOrder" },
	{ "fairsharePolicy", "FairsharePolicy" },
	{ "idleResourceAssignmentStrategy", "IdleResourceAssignmentStrategy" },
	{ "inSharePreemption", "InSharePreemption" },
	{ "jobQueue", "JobQueue" },
	{ "jobQueueName", "JobQueueName" },
	{ "jobQueueType", "JobQueueType" },
	{ "jobStateTimeLimitActions", "JobStateTimeLimitActions" },
	{ "maxCapacity", "MaxCapacity" },
	{ "name", "Name" },
	{ "order", "Order" },
	{ "preemptionConfiguration", "PreemptionConfiguration" },
	{ "priority", "Priority" },
	{ "quotaShareName", "QuotaShareName" },
	{ "quotaSharePolicy", "QuotaSharePolicy" },
	{ "resourceSharingConfiguration", "ResourceSharingConfiguration" },
	{ "schedulingPolicyArn", "SchedulingPolicyArn" },
	{ "serviceEnvironment", "ServiceEnvironment" },
	{ "serviceEnvironmentName", "ServiceEnvironmentName" },
	{ "serviceEnvironmentOrder", "ServiceEnvironmentOrder" },
	{ "serviceEnvironmentType", "ServiceEnvironmentType" },
	{ "state", "State" },
	{ "strategy", "Strategy" },
	{ "tags", "Tags" },
};

const char *qs_read_key(const struct qs_aws_reader *reader, const char *key)
{
	if (!reader->pascal)
		return key;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		if (!strcmp(spellings[i][0], key))
			return spellings[i][1];
	return key;
}

bool qs_read_has(const struct qs_aws_reader *reader, const struct qs_json *at,
		 const char *key)
{
	return json_object_object_get_ex(at->json, qs_read_key(reader, key),
					 NULL);
}

int qs_read_keys(struct qs_aws_reader *reader, const struct qs_json *at,
		 const char *const *known)
{
	json_object_object_foreach(at->json, key, value)
	{
		struct qs_nearest nearest;
		bool found = false;

		(void)value;
		qs_nearest_init(&nearest, key);
		for (size_t i = 0; known[i] && !found; i++) {
			const char *name = qs_read_key(reader, known[i]);

			found = !strcmp(name, key);
			qs_nearest_offer(&nearest, name);
		}
		if (found)
			continue;
		if (qs_nearest_get(&nearest))
			return qs_json_fail(at, key, "unknown key",
					    qs_nearest_get(&nearest),
					    "a key of AWS Batch");
		qs_notes_add(reader->notes, QS_NOTE_LOST, NULL, NULL, NULL,
			     "%s: %s%s%s: not known here", reader->file,
			     at->path, *at->path ? "." : "", key);
	}
	return 0;
}

/* "A, B or C", word by word. */
static void add_word(char *text, size_t size, size_t *n, const char *word,
		     const char *next)
{
	const char *before = "";

	if (*n)
		before = next ? ", " : " or ";
	*n += (size_t)snprintf(text + *n, size - *n, "%s%s", before, word);
	if (*n >= size)
		*n = size - 1;
}

int qs_read_choice(const struct qs_aws_reader *reader, const struct qs_json *at,
		   const char *key, bool required, const char *const *words,
		   int *index)
{
	struct qs_nearest nearest;
	char expected[256];
	const char *word;
	size_t n = 0;

	key = qs_read_key(reader, key);
	if (qs_json_string(at, key, required, &word))
		return -1;
	if (!word)
		return 0;
	qs_nearest_init(&nearest, word);
	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], word)) {
			*index = i;
			return 0;
		}
		qs_nearest_offer(&nearest, words[i]);
		add_word(expected, sizeof(expected), &n, words[i],
			 words[i + 1]);
	}
	return qs_json_fail(at, key, NULL, qs_nearest_get(&nearest), "%s",
			    expected);
}

int qs_read_state(const struct qs_aws_reader *reader, const struct qs_json *at,
		  bool *enabled)
{
	static const char *const words[] = { "ENABLED", "DISABLED", NULL };
	int index = 0;

	if (qs_read_choice(reader, at, "state", false, words, &index))
		return -1;
	*enabled = index == 0;
	return 0;
}

int qs_read_number(const struct qs_aws_reader *reader, const struct qs_json *at,
		   const char *key, int64_t min, int64_t max, int64_t *value,
		   bool *present)
{
	struct json_object *json;
	int64_t number;

	key = qs_read_key(reader, key);
	if (reader->pascal && json_object_object_get_ex(at->json, key, &json) &&
	    json_object_is_type(json, json_type_string) &&
	    !qs_value_number(json_object_get_string(json), &number) &&
	    number >= min && number <= max) {
		*value = number;
		if (present)
			*present = true;
		return 0;
	}
	return qs_json_number(at, key, min, max, value, present);
}

int qs_read_name(const struct qs_aws_reader *reader, const struct qs_json *at,
		 const char *key, char **name)
{
	const char *text;

	key = qs_read_key(reader, key);
	if (qs_json_string(at, key, true, &text))
		return -1;
	if (!qs_value_is_name(text))
		return qs_json_fail(at, key, NULL, NULL,
				    "letters, digits, - and _, at most %d of "
				    "them",
				    QS_NAME_MAX);
	*name = strdup(text);
	return *name ? 0 : qs_error_memory(reader->err);
}

/* Keep what the first ARN says, and tell if another one says otherwise. */
static int set_place(struct qs_aws_reader *reader, const struct qs_json *at,
		     const char *key, const char *part, char **place)
{
	if (!*part)
		return 0;
	if (!*place) {
		*place = strdup(part);
		return *place ? 0 : qs_error_memory(reader->err);
	}
	if (strcmp(*place, part))
		return qs_json_fail(at, key, "two regions or accounts", NULL,
				    "documents of one region and account; "
				    "another one had %.40s",
				    *place);
	return 0;
}

int qs_read_reference(struct qs_aws_reader *reader, const struct qs_json *at,
		      const char *key, bool required, enum qs_arn_kind kind,
		      char **name)
{
	static const char *const expected[] = {
		[QS_ARN_JOB_QUEUE] = "a job queue's name or ARN",
		[QS_ARN_QUOTA_SHARE] = "a quota share's ARN",
		[QS_ARN_SCHEDULING_POLICY] = "a scheduling policy's ARN",
		[QS_ARN_SERVICE_ENVIRONMENT] =
			"a service environment's name or ARN",
		[QS_ARN_SERVICE_JOB] = "a service job's ARN",
	};
	struct qs_arn arn;
	const char *text;

	*name = NULL;
	key = qs_read_key(reader, key);
	if (qs_json_string(at, key, required, &text))
		return -1;
	if (!text)
		return 0;
	if (qs_arn_read(text, kind, &arn))
		return qs_json_fail(at, key, NULL, NULL, "%s", expected[kind]);
	if (set_place(reader, at, key, arn.region, &reader->setup->region) ||
	    set_place(reader, at, key, arn.account, &reader->setup->account))
		return -1;
	*name = strdup(kind == QS_ARN_QUOTA_SHARE ? arn.queue : arn.name);
	return *name ? 0 : qs_error_memory(reader->err);
}

static int read_limit(struct qs_aws_reader *reader, const struct qs_json *at,
		      struct qs_aws_limits *limits)
{
	static const char *const known[] = { "maxCapacity", "capacityUnit",
					     NULL };
	const char *key = qs_read_key(reader, "capacityUnit"), *unit;
	int64_t max = 0;

	if (qs_read_keys(reader, at, known) ||
	    qs_read_number(reader, at, "maxCapacity", 1, INT32_MAX, &max,
			   NULL) ||
	    qs_json_string(at, key, true, &unit))
		return -1;
	if (!qs_value_is_word(unit, strlen(unit)))
		return qs_json_fail(at, key, NULL, NULL, "an instance type");
	if (qs_aws_limits_find(limits, unit))
		return qs_json_fail(at, key, "it is there twice", NULL,
				    "each instance type once");
	return qs_aws_limits_add(limits, unit, max) ?
		       qs_error_memory(reader->err) :
		       0;
}

int qs_read_limits(struct qs_aws_reader *reader, const struct qs_json *at,
		   struct qs_aws_limits *limits)
{
	const char *key = qs_read_key(reader, "capacityLimits");
	struct json_object *array;
	size_t n;

	if (qs_json_array(at, key, true, &array, &n))
		return -1;
	if (!n)
		return qs_json_fail(at, key, NULL, NULL,
				    "at least one capacity limit");
	for (size_t i = 0; i < n; i++) {
		struct qs_json one;

		if (qs_json_element(at, key, array, i, &one) ||
		    read_limit(reader, &one, limits))
			return -1;
	}
	return 0;
}

int qs_read_tags(struct qs_aws_reader *reader, const struct qs_json *at,
		 struct qs_aws_tags *tags)
{
	const char *name = qs_read_key(reader, "tags");
	struct json_object *json;
	struct qs_json map;

	if (json_object_object_get_ex(at->json, name, &json) && !json)
		return 0;
	if (qs_json_object(at, name, false, &map))
		return -1;
	if (!map.json)
		return 0;
	json_object_object_foreach(map.json, key, value)
	{
		const char *text;

		(void)value;
		if (qs_json_string(&map, key, true, &text))
			return -1;
		if (qs_aws_tags_add(tags, key, text))
			return qs_error_memory(reader->err);
	}
	return 0;
}

int qs_read_source(const struct qs_aws_reader *reader, const struct qs_json *at,
		   struct qs_aws_source *source)
{
	source->file = reader->file;
	source->pascal = reader->pascal;
	source->path = strdup(at->path);
	return source->path ? 0 : qs_error_memory(reader->err);
}

int qs_read_twice(const struct qs_aws_reader *reader, const struct qs_json *at,
		  const char *key, const struct qs_aws_source *first)
{
	return qs_json_fail(at, qs_read_key(reader, key), "it is there twice",
			    NULL, "each name once; %.120s%s%.160s has it",
			    first->file, *first->path ? ": " : "", first->path);
}
