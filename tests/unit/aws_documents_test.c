/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_documents_test.c - export of an import is the same documents
 *
 * Properties over random set-ups, written as AWS would have them: as inputs of
 * create-… calls, as the output of describe-… and list-…, and as a
 * CloudFormation template, which must all mean the same policy. What an export
 * of that policy gives must be the inputs again, but for what the notes tell.
 */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws_help.h"
#include "suite.h"

#define SEEDS 100
#define TESTS 5

#define REGION  "us-west-2"
#define ACCOUNT "210987654321"
#define ARN     "arn:aws:batch:" REGION ":" ACCOUNT ":"

enum form {
	CREATE,
	DESCRIBE,
	TEMPLATE,
	FORMS,
};

static const char *const units[] = { "ml.g5.xlarge", "ml.p4d.24xlarge",
				     "ml.p5.48xlarge", "ml.p3.8xlarge",
				     "ml.g6e.12xlarge" };

#define UNITS ARRAY_LEN(units)

static struct json_object *parse(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
static struct json_object *parse(const char *fmt, ...)
{
	char text[2048];
	struct json_object *json;
	va_list args;

	va_start(args, fmt);
	ck_assert_int_lt(vsnprintf(text, sizeof(text), fmt, args),
			 (int)sizeof(text));
	va_end(args);
	json = json_tokener_parse(text);
	ck_assert_msg(json != NULL, "%s", text);
	return json;
}

static struct json_object *limits(struct random *r, unsigned mask)
{
	struct json_object *list = json_object_new_array();
	unsigned first = pick(r, UNITS);

	for (unsigned i = 0; i < UNITS; i++) {
		unsigned u = (first + i) % UNITS;

		if (mask & 1u << u)
			json_object_array_add(list,
					      parse("{\"maxCapacity\": %u, "
						    "\"capacityUnit\": \"%s\"}",
						    1 + pick(r, 6), units[u]));
	}
	return list;
}

static void put(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static void put_state(struct random *r, struct json_object *to)
{
	static const char *const states[] = { "ENABLED", "DISABLED" };

	if (pick(r, 2))
		put(to, "state", states[pick(r, 2)]);
}

/* Tags of other people, which have no counterpart; and a plain Owner. */
static void put_tags(struct random *r, struct json_object *to, bool owner)
{
	struct json_object *tags;

	if (pick(r, 3))
		return;
	tags = parse("{\"cost-center\": \"%u\", \"aws:x\": \"\"}", pick(r, 9));
	if (owner && pick(r, 2))
		put(tags, "Owner", "Team 7: ask @maria");
	json_object_object_add(to, "tags", tags);
}

static struct json_object *random_share(struct random *r, unsigned s,
					unsigned mask)
{
	static const char *const sharing[] = {
		"{\"strategy\": \"RESERVE\"}",
		"{\"strategy\": \"LEND\"}",
		"{\"strategy\": \"LEND_AND_BORROW\"}",
		"{\"strategy\": \"LEND_AND_BORROW\", \"borrowLimit\": -1}",
		"{\"strategy\": \"LEND_AND_BORROW\", \"borrowLimit\": 0}",
		"{\"strategy\": \"LEND_AND_BORROW\", \"borrowLimit\": 150}",
		("{\"borrowLimit\": 2147483647, "
		 "\"strategy\": \"LEND_AND_BORROW\"}"),
	};
	struct json_object *to =
		parse("{\"quotaShareName\": \"Share-%u\", "
		      "\"jobQueue\": \"queue_%u\", "
		      "\"resourceSharingConfiguration\": %s, "
		      "\"preemptionConfiguration\": "
		      "{\"inSharePreemption\": \"%s\"}}",
		      s, s % 2, sharing[pick(r, ARRAY_LEN(sharing))],
		      pick(r, 2) ? "ENABLED" : "DISABLED");

	json_object_object_add(to, "capacityLimits", limits(r, mask));
	put_state(r, to);
	put_tags(r, to, true);
	return to;
}

/* One queue: "queue_0" owns all shares with an even number. */
static void random_setup(int seed, struct json_object *objects[4])
{
	struct random r = { (uint64_t)seed * 104729 + 7 };
	struct json_object *policies, *environments, *queues, *shares;
	unsigned mask = 1 + pick(&r, (1 << UNITS) - 1), n = 1 + pick(&r, 6);
	bool named = pick(&r, 2);
	struct json_object *one;

	for (int i = 0; i < 4; i++)
		objects[i] = json_object_new_array();
	policies = objects[0];
	environments = objects[1];
	queues = objects[2];
	shares = objects[3];
	one = parse("{\"name\": \"%s\", \"quotaSharePolicy\": "
		    "{\"idleResourceAssignmentStrategy\": \"FIFO\"}}",
		    named ? "pol-1" : "queue_0");
	put_tags(&r, one, false);
	json_object_array_add(policies, one);
	one = parse("{\"serviceEnvironmentName\": \"%s\", "
		    "\"serviceEnvironmentType\": \"SAGEMAKER_TRAINING\"}",
		    named ? "env_1" : "queue_0");
	json_object_object_add(one, "capacityLimits", limits(&r, mask));
	put_state(&r, one);
	put_tags(&r, one, false);
	json_object_array_add(environments, one);
	one = parse("{\"jobQueueName\": \"queue_0\", "
		    "\"jobQueueType\": \"SAGEMAKER_TRAINING\", "
		    "\"priority\": %u, \"schedulingPolicyArn\": "
		    "\"" ARN "scheduling-policy/%s\", "
		    "\"serviceEnvironmentOrder\": [{\"order\": 1, "
		    "\"serviceEnvironment\": \"%s\"}]}",
		    pick(&r, 2) ? 1 : pick(&r, 1001),
		    named ? "pol-1" : "queue_0", named ? "env_1" : "queue_0");
	put_state(&r, one);
	put_tags(&r, one, false);
	json_object_array_add(queues, one);
	for (unsigned s = 0; s < n; s++) {
		unsigned some = mask & (1 + pick(&r, 31));

		json_object_array_add(
			shares, random_share(&r, 2 * s, some ? some : mask));
	}
}

static void free_setup(struct json_object *objects[4])
{
	for (int i = 0; i < 4; i++)
		json_object_put(objects[i]);
}

static const char *text_at(struct json_object *json, const char *key)
{
	struct json_object *value;

	ck_assert(json_object_object_get_ex(json, key, &value));
	return json_object_get_string(value);
}

/* What AWS adds when it tells of an object, and what it leaves out. */
static void describe(struct json_object *to, int kind)
{
	static const char *const arns[] = { "arn", "serviceEnvironmentArn",
					    "jobQueueArn", "quotaShareArn" };
	static const char *const names[] = { "name", "serviceEnvironmentName",
					     "jobQueueName", "quotaShareName" };
	static const char *const paths[] = { "scheduling-policy/",
					     "service-environment/",
					     "job-queue/",
					     "job-queue/queue_0/quota-share/" };
	char arn[256];

	snprintf(arn, sizeof(arn), ARN "%s%s", paths[kind],
		 text_at(to, names[kind]));
	put(to, arns[kind], arn);
	if (kind)
		put(to, "status", "VALID");
	if (kind && !json_object_object_get_ex(to, "state", NULL))
		put(to, "state", "ENABLED");
	if (kind == 2)
		put(to, "statusReason", "JobQueue Healthy");
	if (kind == 3) {
		json_object_object_del(to, "jobQueue");
		put(to, "jobQueueArn", ARN "job-queue/queue_0");
	}
}

/* Keys begin with a capital, but not those of tags. */
static struct json_object *pascal(struct json_object *json)
{
	struct json_object *to;

	if (json_object_is_type(json, json_type_array)) {
		to = json_object_new_array();
		for (size_t i = 0; i < json_object_array_length(json); i++)
			json_object_array_add(
				to, pascal(json_object_array_get_idx(json, i)));
		return to;
	}
	if (!json_object_is_type(json, json_type_object))
		return json_object_get(json);
	to = json_object_new_object();
	json_object_object_foreach(json, key, value)
	{
		char name[64];

		snprintf(name, sizeof(name), "%s", key);
		name[0] = (char)(name[0] - 'a' + 'A');
		json_object_object_add(to, name,
				       strcmp(key, "tags") ?
					       pascal(value) :
					       json_object_get(value));
	}
	return to;
}

static struct json_object *template_of(struct json_object *objects[4])
{
	static const char *const kinds[] = { "SchedulingPolicy",
					     "ServiceEnvironment", "JobQueue",
					     "QuotaShare" };
	struct json_object *top =
		parse("{\"AWSTemplateFormatVersion\": \"2010-09-09\", "
		      "\"Parameters\": {\"Region\": {\"Type\": \"String\", "
		      "\"Default\": \"" REGION "\"}}, \"Resources\": "
		      "{\"Bucket\": {\"Type\": \"AWS::S3::Bucket\"}}}");
	struct json_object *resources;

	json_object_object_get_ex(top, "Resources", &resources);
	for (int k = 0; k < 4; k++)
		for (size_t i = 0; i < json_object_array_length(objects[k]);
		     i++) {
			struct json_object *one = json_object_new_object();
			struct json_object *properties = pascal(
				json_object_array_get_idx(objects[k], i));
			char id[64], type[64];

			snprintf(id, sizeof(id), "%s%zu", kinds[k], i);
			snprintf(type, sizeof(type), "AWS::Batch::%s",
				 kinds[k]);
			put(one, "Type", type);
			if (k == 3)
				json_object_object_add(
					properties, "JobQueue",
					parse("{\"Ref\": \"JobQueue0\"}"));
			if (k == 2)
				json_object_object_add(
					properties, "SchedulingPolicyArn",
					parse("{\"Fn::GetAtt\": "
					      "[\"SchedulingPolicy0\", "
					      "\"Arn\"]}"));
			json_object_object_add(one, "Properties", properties);
			json_object_object_add(resources, id, one);
		}
	return top;
}

static char *copy_text(struct json_object *json)
{
	return strdup(
		json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
}

static struct json_object *deep_copy(struct json_object *json)
{
	struct json_object *copy = NULL;

	ck_assert_int_eq(json_object_deep_copy(json, &copy, NULL), 0);
	return copy;
}

/* The documents in one of their forms; n texts, each the caller's. */
static size_t write_form(struct json_object *objects[4], enum form form,
			 char **texts)
{
	static const char *const lists[] = { "schedulingPolicies",
					     "serviceEnvironments", "jobQueues",
					     "quotaShares" };
	struct json_object *top;
	size_t n = 0;

	if (form == TEMPLATE) {
		top = template_of(objects);
		texts[n++] = copy_text(top);
		json_object_put(top);
		return n;
	}
	for (int k = 3; k >= 0; k--) {
		if (form == DESCRIBE) {
			struct json_object *list = deep_copy(objects[k]);

			for (size_t i = 0; i < json_object_array_length(list);
			     i++)
				describe(json_object_array_get_idx(list, i), k);
			top = json_object_new_object();
			json_object_object_add(top, lists[k], list);
			texts[n++] = copy_text(top);
			json_object_put(top);
			continue;
		}
		for (size_t i = 0; i < json_object_array_length(objects[k]);
		     i++)
			texts[n++] = copy_text(
				json_object_array_get_idx(objects[k], i));
	}
	return n;
}

static void import_form(struct import *import, struct json_object *objects[4],
			enum form form, int seed)
{
	char *texts[32];
	size_t n = write_form(objects, form, texts);

	import_texts(import, (const char *const *)texts, n, NULL);
	ck_assert_msg(!import->rc, "seed %d, form %d: %s in\n%s", seed, form,
		      import->err.text, texts[0]);
	while (n)
		free(texts[--n]);
}

START_TEST(all_forms_mean_the_same)
{
	for (int i = 0; i < SEEDS; i++) {
		int seed = _i * SEEDS + i;
		struct json_object *objects[4];
		struct import imports[FORMS];
		char what[200] = "";

		random_setup(seed, objects);
		for (int form = 0; form < FORMS; form++)
			import_form(&imports[form], objects, (enum form)form,
				    seed);
		for (int form = 1; form < FORMS; form++)
			ck_assert_msg(
				qs_conf_equal(imports[0].imported.policy,
					      imports[form].imported.policy,
					      what, sizeof(what)),
				"seed %d: form %d differs in %s", seed, form,
				what);
		for (int form = 0; form < FORMS; form++)
			import_clear(&imports[form]);
		free_setup(objects);
	}
}
END_TEST

static int by_unit(const void *a, const void *b)
{
	return strcmp(text_at(*(struct json_object *const *)a, "capacityUnit"),
		      text_at(*(struct json_object *const *)b, "capacityUnit"));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(
		text_at(*(struct json_object *const *)a, "quotaShareName"),
		text_at(*(struct json_object *const *)b, "quotaShareName"));
}

/* What AWS would have understood: defaults said, lists in order, and only the
 * tags that are taken over. */
static void normalize(struct json_object *to, int kind)
{
	struct json_object *value;

	if (kind && !json_object_object_get_ex(to, "state", NULL))
		put(to, "state", "ENABLED");
	if (json_object_object_get_ex(to, "capacityLimits", &value))
		json_object_array_sort(value, by_unit);
	if (!json_object_object_get_ex(to, "tags", &value))
		return;
	json_object_object_del(value, "cost-center");
	json_object_object_del(value, "aws:x");
	if (!json_object_object_length(value))
		json_object_object_del(to, "tags");
}

static void compare(struct json_object *expected, struct json_object *got,
		    const char *key, int seed)
{
	struct json_object *list;

	ck_assert(json_object_object_get_ex(got, key, &list));
	ck_assert_msg(json_object_equal(expected, list),
		      "seed %d: %s are\n%s\nbut were\n%s", seed, key,
		      json_object_to_json_string(list),
		      json_object_to_json_string(expected));
}

/* The losses that these set-ups can have; each must be told. */
static void forget(struct json_object *objects[4], const struct import *import)
{
	struct json_object *environment =
		json_object_array_get_idx(objects[1], 0);

	if (strcmp(text_at(environment, "state"), "DISABLED"))
		return;
	ck_assert_ptr_nonnull(
		find_note(&import->notes, QS_NOTE_LOST, NULL, "state"));
	put(environment, "state", "ENABLED");
}

START_TEST(export_of_an_import_is_the_same)
{
	static const char *const lists[] = { "schedulingPolicies",
					     "serviceEnvironments", "jobQueues",
					     "quotaShares" };

	for (int i = 0; i < SEEDS; i++) {
		int seed = _i * SEEDS + i;
		struct json_object *objects[4], *bundle;
		struct qs_setup setup = { 0 };
		struct qs_notes notes = { 0 };
		struct import import;
		struct qs_error err;

		random_setup(seed, objects);
		import_form(&import, objects, (enum form)(seed % FORMS), seed);
		ck_assert_ptr_nonnull(import.imported.queue);
		/* The options that the file's first lines name. */
		struct qs_export_options options = {
			.region = REGION,
			.account = ACCOUNT,
			.environment = import.imported.queue->environment,
			.scheduling_policy = import.imported.queue->policy,
			.priority = import.imported.queue->priority,
			.tags = true,
		};
		ck_assert_msg(!qs_export(import.imported.policy,
					 instance_table(), &options, &setup,
					 &notes, &err),
			      "seed %d: %s", seed, err.text);
		bundle = qs_document_bundle(&setup, &notes);
		for (int k = 0; k < 4; k++)
			for (size_t o = 0;
			     o < json_object_array_length(objects[k]); o++)
				normalize(json_object_array_get_idx(objects[k],
								    o),
					  k);
		json_object_array_sort(objects[3], by_name);
		forget(objects, &import);
		for (int k = 0; k < 4; k++)
			compare(objects[k], bundle, lists[k], seed);
		json_object_put(bundle);
		qs_notes_clear(&notes);
		qs_setup_clear(&setup);
		import_clear(&import);
		free_setup(objects);
	}
}
END_TEST

/* Region and account come from the ARNs, names of policy and environment from
 * the documents: the file says how to get the same documents again. */
START_TEST(the_file_tells_the_way_back)
{
	struct json_object *objects[4];
	struct import import;
	int seed = 0;

	random_setup(seed, objects);
	while (strcmp(text_at(json_object_array_get_idx(objects[0], 0), "name"),
		      "pol-1")) {
		free_setup(objects);
		random_setup(++seed, objects);
	}
	import_form(&import, objects, CREATE, seed);
	ck_assert_ptr_nonnull(strstr(import.imported.text,
				     "qshare export --aws --region " REGION
				     " --account " ACCOUNT));
	ck_assert_ptr_nonnull(
		strstr(import.imported.text, "--scheduling-policy pol-1"));
	ck_assert_ptr_nonnull(
		strstr(import.imported.text, "--environment env_1"));
	import_clear(&import);
	free_setup(objects);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aws documents");
	TCase *properties = tcase_create("properties");

	tcase_set_timeout(properties, 60);
	tcase_add_loop_test(properties, all_forms_mean_the_same, 0, TESTS);
	tcase_add_loop_test(properties, export_of_an_import_is_the_same, 0,
			    TESTS);
	tcase_add_test(properties, the_file_tells_the_way_back);
	suite_add_tcase(suite, properties);
	return suite_run(suite);
}
