/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_import_test.c - documents of AWS that are wrong, odd or only a part
 *
 * A wrong one must be refused with a sentence that has the JSON path; what is
 * left out must be told.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws_help.h"
#include "suite.h"

/* The parts of a good share. */
#define NAME    "\"quotaShareName\": \"A\", "
#define QUEUE   "\"jobQueue\": \"q\", "
#define LIMITS  "\"capacityLimits\": [" G5 "], "
#define SHARING "\"resourceSharingConfiguration\": {\"strategy\": \"LEND\"}, "
#define PREEMPT \
	"\"preemptionConfiguration\": {\"inSharePreemption\": \"ENABLED\"}"
#define G5    "{\"maxCapacity\": 2, \"capacityUnit\": \"ml.g5.xlarge\"}"
#define SHARE "{" NAME QUEUE LIMITS SHARING PREEMPT "}"

#define BORROW(limit)                                         \
	"{" NAME QUEUE LIMITS PREEMPT                         \
	", \"resourceSharingConfiguration\": {\"strategy\": " \
	"\"LEND_AND_BORROW\", \"borrowLimit\": " limit "}}"
#define MAX(max)                                        \
	"{" NAME QUEUE SHARING PREEMPT                  \
	", \"capacityLimits\": [{\"maxCapacity\": " max \
	", \"capacityUnit\": \"ml.g5.xlarge\"}]}"
#define PLUS(more) "{" NAME QUEUE LIMITS SHARING PREEMPT ", " more "}"
#define QUEUE_DOC(more)                                                        \
	"{\"jobQueueName\": \"q\", \"jobQueueType\": \"SAGEMAKER_TRAINING\", " \
	"\"priority\": 1, \"serviceEnvironmentOrder\": [{\"order\": 1, "       \
	"\"serviceEnvironment\": \"e\"}]" more "}"
#define ENV_DOC(more)                                          \
	"{\"serviceEnvironmentName\": \"e\", "                 \
	"\"serviceEnvironmentType\": \"SAGEMAKER_TRAINING\", " \
	"\"capacityLimits\": [" G5 "]" more "}"

struct bad_row {
	const char *name, *text;
	const char *says[3]; /* parts of the sentence, the path first */
};

static const struct bad_row bad[] = {
	{ "empty", "", { "file0", "one JSON object" } },
	{ "no JSON", "Queue=q", { "file0:1:", "one JSON object" } },
	{ "truncated", "{" NAME QUEUE, { "ends in the middle" } },
	{ "a list", "[" SHARE "]", { "one JSON object" } },
	{ "text behind", SHARE "x", { "something follows" } },
	{ "a doubled key",
	  PLUS("\"state\": \"ENABLED\", \"state\": "
	       "\"DISABLED\""),
	  { "state", "doubled key" } },
	{ "nothing of AWS", "{\"hello\": 1}", { "no document of AWS Batch" } },
	{ "nothing in it", "{\"quotaShares\": []}", { "no quota share" } },

	{ "name missing",
	  "{\"quotaShares\": [{" QUEUE LIMITS SHARING PREEMPT "}]}",
	  { "quotaShares[0]", "the key \"quotaShareName\" in it" } },
	{ "queue missing",
	  "{" NAME LIMITS SHARING PREEMPT "}",
	  { "the key \"jobQueue\" in it" } },
	{ "limits missing",
	  "{" NAME QUEUE SHARING PREEMPT "}",
	  { "the key \"capacityLimits\" in it" } },
	{ "sharing missing",
	  "{" NAME QUEUE LIMITS PREEMPT "}",
	  { "the key \"resourceSharingConfiguration\" in it" } },
	{ "preemption missing",
	  "{" NAME QUEUE LIMITS "\"resourceSharingConfiguration\": "
	  "{\"strategy\": \"LEND\"}}",
	  { "the key \"preemptionConfiguration\" in it" } },
	{ "strategy missing",
	  "{" NAME QUEUE LIMITS PREEMPT
	  ", \"resourceSharingConfiguration\": {}}",
	  { "resourceSharingConfiguration: ", "the key \"strategy\" in it" } },
	{ "in-share missing",
	  "{" NAME QUEUE LIMITS SHARING "\"preemptionConfiguration\": {}}",
	  { "preemptionConfiguration: ", "\"inSharePreemption\" in it" } },
	{ "unit missing",
	  "{" NAME QUEUE SHARING PREEMPT
	  ", \"capacityLimits\": [{\"maxCapacity\": 1}]}",
	  { "capacityLimits[0]: ", "the key \"capacityUnit\" in it" } },
	{ "capacity missing",
	  "{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": [" G5
	  ", {\"capacityUnit\": \"ml.p5.48xlarge\"}]}",
	  { "capacityLimits[1]: ", "the key \"maxCapacity\" in it" } },

	{ "unknown strategy",
	  "{" NAME QUEUE LIMITS PREEMPT ", \"resourceSharingConfiguration\": "
	  "{\"strategy\": \"LENDING\"}}",
	  { "resourceSharingConfiguration.strategy=\"LENDING\"",
	    "RESERVE, LEND or LEND_AND_BORROW" } },
	{ "HyperPod's strategy",
	  "{" NAME QUEUE LIMITS PREEMPT ", \"resourceSharingConfiguration\": "
	  "{\"strategy\": \"LendandBorrow\"}}",
	  { "resourceSharingConfiguration.strategy" } },
	{ "unknown preemption",
	  "{" NAME QUEUE LIMITS SHARING "\"preemptionConfiguration\": "
	  "{\"inSharePreemption\": \"YES\"}}",
	  { "preemptionConfiguration.inSharePreemption=\"YES\"",
	    "ENABLED or DISABLED" } },
	{ "unknown state",
	  PLUS("\"state\": \"ON\""),
	  { "state=\"ON\"", "ENABLED or DISABLED" } },
	{ "unknown status",
	  PLUS("\"status\": \"FINE\""),
	  { "status=\"FINE\"" } },

	{ "borrow limit -2",
	  BORROW("-2"),
	  { "resourceSharingConfiguration.borrowLimit=-2",
	    "a whole number from -1" } },
	{ "borrow limit 2^31",
	  BORROW("2147483648"),
	  { "borrowLimit=2147483648", "to 2147483647" } },
	{ "borrow limit 2^63",
	  BORROW("9223372036854775808"),
	  { "borrowLimit=9223372036854775808" } },
	{ "borrow limit -2^63-1",
	  BORROW("-9223372036854775809"),
	  { "borrowLimit=" } },
	{ "borrow limit 2^64",
	  BORROW("18446744073709551616"),
	  { "borrowLimit=" } },
	{ "borrow limit 1e400", BORROW("1e400"), { "" } },
	{ "borrow limit 2.5", BORROW("2.5"), { "borrowLimit=2.5" } },
	{ "borrow limit 50.0", BORROW("50.0"), { "borrowLimit=50.0" } },
	{ "borrow limit text", BORROW("\"50\""), { "borrowLimit=\"50\"" } },
	{ "borrow limit NaN text", BORROW("\"NaN\""), { "borrowLimit" } },
	{ "borrow limit NaN", BORROW("NaN"), { "borrowLimit=NaN" } },
	{ "borrow limit null", BORROW("null"), { "borrowLimit=null" } },
	{ "borrow limit true", BORROW("true"), { "borrowLimit=true" } },
	{ "borrow limit of LEND",
	  "{" NAME QUEUE LIMITS PREEMPT ", \"resourceSharingConfiguration\": "
	  "{\"strategy\": \"LEND\", "
	  "\"borrowLimit\": 0}}",
	  { "borrowLimit=0", "LEND_AND_BORROW only" } },
	{ "borrow limit misspelt",
	  "{" NAME QUEUE LIMITS PREEMPT ", \"resourceSharingConfiguration\": "
	  "{\"strategy\": \"LEND_AND_BORROW\", "
	  "\"borowLimit\": 0}}",
	  { "resourceSharingConfiguration.borowLimit", "unknown key",
	    "did you mean borrowLimit?" } },

	{ "capacity 0",
	  MAX("0"),
	  { "capacityLimits[0].maxCapacity=0", "a whole number from 1" } },
	{ "capacity -1", MAX("-1"), { "capacityLimits[0].maxCapacity=-1" } },
	{ "capacity 1.5", MAX("1.5"), { "maxCapacity=1.5" } },
	{ "capacity text", MAX("\"1\""), { "maxCapacity=\"1\"" } },
	{ "capacity 2^63", MAX("9223372036854775808"), { "maxCapacity=" } },
	{ "more GPUs than a policy holds",
	  MAX("1000001"),
	  { "capacityLimits[0].maxCapacity=1000001", "too many GPUs" } },
	{ "no limit",
	  "{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": []}",
	  { "capacityLimits: ", "at least one capacity limit" } },
	{ "limits no list",
	  "{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": " G5 "}",
	  { "capacityLimits: ", "a list" } },
	{ "limit no object",
	  "{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": [3]}",
	  { "capacityLimits[0]=3: ", "an object" } },
	{ "a unit twice",
	  "{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": [" G5 ", " G5
	  "]}",
	  { "capacityLimits[1].capacityUnit", "twice" } },
	{ "unknown unit",
	  "{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": [" G5
	  ", {\"maxCapacity\": 1, "
	  "\"capacityUnit\": \"ml.g5.xlrage\"}]}",
	  { "capacityLimits[1].capacityUnit=ml.g5.xlrage",
	    "did you mean ml.g5.xlarge?" } },
	{ "unit with a blank",
	  "{" NAME QUEUE SHARING PREEMPT
	  ", \"capacityLimits\": [{\"maxCapacity\": 1, "
	  "\"capacityUnit\": \"ml g5\"}]}",
	  { "capacityLimits[0].capacityUnit", "an instance type" } },
	{ "name with a blank",
	  "{\"quotaShareName\": \"a b\", " QUEUE LIMITS SHARING PREEMPT "}",
	  { "quotaShareName=\"a b\"", "letters, digits" } },
	{ "name with a NUL",
	  "{\"quotaShareName\": \"a\\u0000b\", " QUEUE LIMITS SHARING PREEMPT
	  "}",
	  { "quotaShareName", "a string" } },
	{ "name no text",
	  "{\"quotaShareName\": 7, " QUEUE LIMITS SHARING PREEMPT "}",
	  { "quotaShareName=7", "a string" } },
	{ "ARN of something else",
	  "{" NAME LIMITS SHARING PREEMPT
	  ", \"jobQueue\": \"arn:aws:batch:us-east-1:"
	  "123456789012:job-definition/q\"}",
	  { "jobQueue=", "a job queue's name or ARN" } },
	{ "shares doubled",
	  "{\"quotaShares\": [" SHARE ", " SHARE "]}",
	  { "quotaShares[1].quotaShareName=\"A\"", "twice",
	    "file0: quotaShares[0]" } },
	{ "share no object",
	  "{\"quotaShares\": [\"A\"]}",
	  { "quotaShares[0]=\"A\"", "an object" } },
	{ "shares no list",
	  "{\"quotaShares\": {}}",
	  { "quotaShares: ", "a list" } },
	{ "a cut list",
	  "{\"quotaShares\": [" SHARE "], \"nextToken\": \"x\"}",
	  { "nextToken", "the whole list" } },
	{ "tag no text",
	  PLUS("\"tags\": {\"a\": 1}"),
	  { "tags.a=1", "a string" } },
	{ "tags a list",
	  PLUS("\"tags\": [{\"Key\": \"a\"}]"),
	  { "tags: ", "an object" } },
	{ "tag with a bad number",
	  PLUS("\"tags\": {\"quota-share:MinRuntime\": \"soon\"}"),
	  { "MinRuntime=soon", "a whole number" } },
	{ "tag with two words",
	  PLUS("\"tags\": {\"quota-share:MinRuntime\": \"1 Note: x\"}"),
	  { "MinRuntime=1 Note: x", "a whole number" } },
	{ "tag with a quote",
	  PLUS("\"tags\": {\"quota-share:Note\": \"a=22 Owner=3D=22b\\n\"}"),
	  { "tags.quota-share:Note", "control characters" } },
	{ "tag with bad hex",
	  PLUS("\"tags\": {\"quota-share:Note\": \"50 =zz\"}"),
	  { "tags.quota-share:Note", "=HH" } },
	{ "tag with a NUL",
	  PLUS("\"tags\": {\"quota-share:Note\": \"a=00b\"}"),
	  { "tags.quota-share:Note", "=HH" } },
	{ "tag of a type the share has not",
	  PLUS("\"tags\": {\"quota-share:LendLimit\": \"h100:1\"}"),
	  { "LendLimit=h100:1", "types of the share's Capacity" } },

	{ "queue without priority",
	  "{\"jobQueues\": [{\"jobQueueName\": \"q\", \"jobQueueType\": "
	  "\"SAGEMAKER_TRAINING\", \"serviceEnvironmentOrder\": [{\"order\": "
	  "1, \"serviceEnvironment\": \"e\"}]}]}",
	  { "jobQueues[0]: ", "the key \"priority\"" } },
	{ "queue of no kind",
	  "{\"jobQueueName\": \"q\", \"priority\": 1}",
	  { "the key \"jobQueueType\" in it" } },
	{ "queue of an unknown kind",
	  "{\"jobQueueName\": \"q\", \"jobQueueType\": \"NOPE\"}",
	  { "jobQueueType=\"NOPE\"", "SAGEMAKER_TRAINING" } },
	{ "queue with two environments",
	  "{\"jobQueueName\": \"q\", \"jobQueueType\": \"SAGEMAKER_TRAINING\", "
	  "\"priority\": 1, \"serviceEnvironmentOrder\": [{}, {}]}",
	  { "serviceEnvironmentOrder: ", "exactly one" } },
	{ "priority above AWS's",
	  "{\"jobQueueName\": \"q\", \"jobQueueType\": \"SAGEMAKER_TRAINING\", "
	  "\"priority\": 1001, \"serviceEnvironmentOrder\": [{\"order\": 1, "
	  "\"serviceEnvironment\": \"e\"}]}",
	  { "priority=1001", "0 to 1000" } },
	{ "environment of another kind",
	  "{\"serviceEnvironmentName\": \"e\", \"serviceEnvironmentType\": "
	  "\"HYPERPOD\", \"capacityLimits\": [" G5 "]}",
	  { "serviceEnvironmentType=\"HYPERPOD\"", "SAGEMAKER_TRAINING" } },
	{ "policy that is not FIFO",
	  "{\"name\": \"p\", \"quotaSharePolicy\": "
	  "{\"idleResourceAssignmentStrategy\": \"FAIR\"}}",
	  { "quotaSharePolicy.idleResourceAssignmentStrategy=\"FAIR\"",
	    "expected FIFO" } },
	{ "policy of no kind",
	  "{\"schedulingPolicies\": [{\"name\": \"p\"}]}",
	  { "schedulingPolicies[0]: ", "the key \"quotaSharePolicy\"" } },
	{ "no document of the share's queue",
	  "{\"jobQueues\": [" QUEUE_DOC(
		  "") "], \"quotaShares\": [{" NAME
		      "\"jobQueue\": \"qq\", " LIMITS SHARING PREEMPT "}]}",
	  { "quotaShares[0].jobQueue=qq", "no document", "did you mean q?" } },
	{ "a fair share policy",
	  "{\"jobQueues\": [" QUEUE_DOC(
		  ", \"schedulingPolicyArn\": \"p\"") "], \"schedulingPolicies\": [{\"name\": \"p\", \"fairsharePolicy\": "
						      "{}}], \"quotaShares\": [" SHARE
						      "]}",
	  { "jobQueues[0].schedulingPolicyArn=p", "fair share policy" } },
	{ "two regions",
	  "{\"quotaShares\": [{" NAME LIMITS SHARING PREEMPT
	  ", \"jobQueueArn\": \"arn:aws:batch:us-east-1:123456789012:"
	  "job-queue/q\", \"quotaShareArn\": \"arn:aws:batch:us-east-2:"
	  "123456789012:job-queue/q/quota-share/A\"}, {\"quotaShareName\": "
	  "\"B\", " LIMITS SHARING PREEMPT ", \"jobQueueArn\": "
	  "\"arn:aws:batch:us-east-2:123456789012:job-queue/q\"}]}",
	  { "quotaShares[1].jobQueueArn", "two regions" } },

	{ "template without shares",
	  "{\"Resources\": {\"B\": {\"Type\": \"AWS::S3::Bucket\"}}}",
	  { "Resources: ", "no quota share" } },
	{ "template with a bad enum",
	  "{\"Resources\": {\"A\": {\"Type\": \"AWS::Batch::QuotaShare\", "
	  "\"Properties\": {\"QuotaShareName\": \"A\", \"JobQueue\": \"q\", "
	  "\"CapacityLimits\": [{\"MaxCapacity\": 1, \"CapacityUnit\": "
	  "\"ml.g5.xlarge\"}], \"ResourceSharingConfiguration\": "
	  "{\"Strategy\": \"SHARE\"}}}}}",
	  { "Resources.A.Properties.ResourceSharingConfiguration.Strategy",
	    "RESERVE, LEND" } },
	{ "template with an unknown function",
	  "{\"Resources\": {\"A\": {\"Type\": \"AWS::Batch::QuotaShare\", "
	  "\"Properties\": {\"QuotaShareName\": {\"Fn::Join\": [\"\", []]}, "
	  "\"JobQueue\": \"q\"}}}}",
	  { "Resources.A.Properties.QuotaShareName", "a string" } },
	{ "template without properties",
	  "{\"Resources\": {\"A\": {\"Type\": \"AWS::Batch::QuotaShare\"}}}",
	  { "Resources.A: ", "the key \"Properties\"" } },
	{ "template with an unknown unit",
	  "{\"Resources\": {\"A\": {\"Type\": \"AWS::Batch::QuotaShare\", "
	  "\"Properties\": {\"QuotaShareName\": \"A\", \"JobQueue\": \"q\", "
	  "\"CapacityLimits\": [{\"MaxCapacity\": 1, \"CapacityUnit\": "
	  "\"ml.x\"}], \"PreemptionConfiguration\": {\"InSharePreemption\": "
	  "\"ENABLED\"}, \"ResourceSharingConfiguration\": {\"Strategy\": "
	  "\"LEND\"}}}}}",
	  { "Resources.A.Properties.CapacityLimits[0].CapacityUnit=ml.x" } },
	{ "template with names without end",
	  "{\"Resources\": {\"A\": {\"Type\": \"AWS::Batch::QuotaShare\", "
	  "\"Properties\": {\"QuotaShareName\": {\"Fn::Sub\": "
	  "\"${A}${A}${A}${A}\"}, \"JobQueue\": \"q\"}}}}",
	  { "Resources.A.Properties" } },
};

START_TEST(wrong_documents_are_refused)
{
	const struct bad_row *row = &bad[_i];
	struct import import;
	const char *text = import_error(&import, row->text);

	ck_assert_msg(import.rc != 0, "%s: it was taken", row->name);
	ck_assert_ptr_null(import.imported.text);
	ck_assert_msg(*text && strlen(text) < sizeof(import.err.text) - 1,
		      "%s: '%s'", row->name, text);
	for (int i = 0; i < 3 && row->says[i]; i++)
		ck_assert_msg(strstr(text, row->says[i]), "%s: no '%s' in: %s",
			      row->name, row->says[i], text);
	import_clear(&import);
}
END_TEST

/* The rows above are wrong in one thing only. */
START_TEST(the_good_document_is_taken)
{
	static const char *const good[] = {
		SHARE,
		BORROW("0"),
		BORROW("-1"),
		MAX("1000000"),
		"{\"quotaShares\": [" SHARE "], \"nextToken\": null, "
		"\"ResponseMetadata\": {}}",
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct import import;

		ck_assert_str_eq(import_error(&import, good[i]), "");
		import_clear(&import);
	}
}
END_TEST

static const struct qs_share *only_share(const struct import *import)
{
	ck_assert_msg(!import->rc, "%s", import->err.text);
	ck_assert_int_eq(import->imported.policy->nshares, 1);
	return &import->imported.policy->shares[0];
}

/* Law 11. */
START_TEST(unset_zero_and_minus_one_differ)
{
	static const struct {
		const char *text;
		bool set;
		int64_t value;
	} rows[] = {
		{ "{" NAME QUEUE LIMITS PREEMPT
		  ", \"resourceSharingConfiguration\": {\"strategy\": "
		  "\"LEND_AND_BORROW\"}}",
		  false, 0 },
		{ BORROW("0"), true, 0 },
		{ BORROW("-1"), true, -1 },
		{ BORROW("2147483647"), true, 2147483647 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct import import;
		const struct qs_share *share;

		import_error(&import, rows[i].text);
		share = only_share(&import);
		ck_assert_int_eq(share->borrow_limit.set, rows[i].set);
		if (rows[i].set)
			ck_assert_int_eq(share->borrow_limit.value,
					 rows[i].value);
		import_clear(&import);
	}
}
END_TEST

/* list-quota-shares alone is enough, and says what it did not tell. */
START_TEST(shares_alone_make_a_policy)
{
	struct import import;
	const struct qs_share *share;

	import_error(&import, SHARE);
	share = only_share(&import);
	ck_assert_str_eq(share->name, "A");
	ck_assert_uint_eq(share->accounts.n, 1);
	ck_assert_str_eq(share->accounts.items[0], "a");
	ck_assert_str_eq(import.imported.policy->queues[0].name, "q");
	ck_assert_ptr_nonnull(strstr(import.imported.text,
				     "there is no document of the job "
				     "queue"));
	import_clear(&import);
}
END_TEST

/* describe-… without a filter gives everything in the account. */
START_TEST(what_has_no_shares_is_left_out)
{
	static const char shares[] =
		"{\"quotaShares\": [" SHARE ", {\"quotaShareName\": \"gone\", "
		"\"status\": \"DELETING\", " QUEUE LIMITS SHARING PREEMPT "}]}";
	static const char queues[] = "{\"jobQueues\": [" QUEUE_DOC(
		"") ", "
		    "{\"jobQueueName\": \"ec2\", \"priority\": 1, "
		    "\"jobQueueType\": \"ECS\", \"computeEnvironmentOrder\": []}, "
		    "{\"jobQueueName\": \"old\", \"computeEnvironmentOrder\": []}, "
		    "{\"jobQueueName\": \"fifo\", \"jobQueueType\": "
		    "\"SAGEMAKER_TRAINING\", \"priority\": 1, "
		    "\"serviceEnvironmentOrder\": [{\"order\": 1, "
		    "\"serviceEnvironment\": \"f\"}]}]}";
	static const char environments[] =
		"{\"serviceEnvironments\": [" ENV_DOC("") "]}";
	static const char policies[] =
		"{\"schedulingPolicies\": [{\"name\": \"fair\", "
		"\"fairsharePolicy\": {\"shareDecaySeconds\": 1}}]}";
	static const char *const texts[] = { shares, queues, environments,
					     policies };
	static const char *const told[] = { "gone", "ec2", "old", "fifo",
					    "fair" };
	struct import import;

	import_texts(&import, texts, ARRAY_LEN(texts), NULL);
	only_share(&import);
	ck_assert_int_eq(import.imported.policy->nqueues, 1);
	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		ck_assert_msg(strstr(import.imported.text, told[i]),
			      "%s is not told of", told[i]);
	import_clear(&import);
}
END_TEST

/* Two instance types with one GPU are one type here, and that is told. */
START_TEST(instance_types_with_one_gpu_are_added)
{
	static const char text[] =
		"{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": ["
		"{\"maxCapacity\": 3, \"capacityUnit\": \"ml.g5.12xlarge\"}, " G5
		"]}";
	const char *texts[] = { text };
	struct qs_import_map map = { "ml.g5.12xlarge", "a10g-x4", 0 };
	struct qs_import_options options = { .maps = &map, .nmaps = 1 };
	struct import import;

	import_error(&import, text);
	only_share(&import);
	ck_assert_int_eq(import.imported.policy->ntypes, 1);
	ck_assert_str_eq(import.imported.policy->types[0].instance,
			 "ml.g5.xlarge");
	ck_assert_uint_eq(import.imported.policy->quotas[0].capacity, 14);
	ck_assert_ptr_nonnull(
		find_note(&import.notes, QS_NOTE_LOST, NULL, "capacityUnit"));
	import_clear(&import);

	import_texts(&import, texts, 1, &options);
	only_share(&import);
	ck_assert_int_eq(import.imported.policy->ntypes, 2);
	ck_assert_str_eq(import.imported.policy->types[1].name, "a10g-x4");
	ck_assert_uint_eq(import.imported.policy->quotas[1].capacity, 12);
	import_clear(&import);
}
END_TEST

/* Of two types with as many GPUs one must be the Instance. */
START_TEST(instance_types_alike_are_added)
{
	struct import import;

	import_error(&import,
		     "{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": ["
		     "{\"maxCapacity\": 3, \"capacityUnit\": "
		     "\"ml.g5.2xlarge\"}, " G5 "]}");
	only_share(&import);
	ck_assert_int_eq(import.imported.policy->ntypes, 1);
	ck_assert_str_eq(import.imported.policy->types[0].instance,
			 "ml.g5.2xlarge");
	ck_assert_uint_eq(import.imported.policy->quotas[0].capacity, 5);
	import_clear(&import);
}
END_TEST

/* The environment has none of what a share owns: told, and no pool of 0. */
START_TEST(a_share_may_own_what_the_environment_has_not)
{
	static const char *const texts[] = {
		QUEUE_DOC(""), ENV_DOC(""),
		"{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": [" G5
		", {\"maxCapacity\": 1, \"capacityUnit\": "
		"\"ml.p5.48xlarge\"}]}"
	};
	struct import import;

	import_texts(&import, texts, ARRAY_LEN(texts), NULL);
	only_share(&import);
	ck_assert(!import.imported.policy->queues[0].capacity[1].set);
	ck_assert_ptr_nonnull(find_note(&import.notes, QS_NOTE_REMARK, NULL,
					"capacityLimits"));
	import_clear(&import);
}
END_TEST

START_TEST(an_unknown_instance_type_can_be_mapped_or_left_out)
{
	const char *texts[] = {
		"{" NAME QUEUE SHARING PREEMPT ", \"capacityLimits\": [" G5
		", {\"maxCapacity\": 3, \"capacityUnit\": \"ml.z9.large\"}]}"
	};
	struct qs_import_map map = { "ml.z9.large", "z9", 2 };
	struct qs_import_options mapped = { .maps = &map, .nmaps = 1 };
	struct qs_import_options forced = { .force = true };
	struct import import;

	import_texts(&import, texts, 1, &mapped);
	only_share(&import);
	ck_assert_str_eq(import.imported.policy->types[1].name, "z9");
	ck_assert_uint_eq(import.imported.policy->quotas[1].capacity, 6);
	import_clear(&import);

	import_texts(&import, texts, 1, &forced);
	only_share(&import);
	ck_assert_int_eq(import.imported.policy->ntypes, 1);
	ck_assert_ptr_nonnull(find_note(&import.notes, QS_NOTE_ROUNDED, NULL,
					"capacityUnit"));
	import_clear(&import);
}
END_TEST

START_TEST(maps_are_read)
{
	static const char *const wrong[] = {
		"",         "a",     "a=",    "=b",      "a=b:0", "a=b:x",
		"a=b:1025", "a b=c", "a=b c", "a=b:1:2", "a=b:-1"
	};
	struct qs_import_map map;
	char text[64];

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		snprintf(text, sizeof(text), "%s", wrong[i]);
		ck_assert_msg(qs_import_map_read(text, &map) == -1, "'%s'",
			      wrong[i]);
	}
	snprintf(text, sizeof(text), "ml.p5.48xlarge=h100:8");
	ck_assert_int_eq(qs_import_map_read(text, &map), 0);
	ck_assert_str_eq(map.unit, "ml.p5.48xlarge");
	ck_assert_str_eq(map.type, "h100");
	ck_assert_uint_eq(map.gpus, 8);
}
END_TEST

/* Shares that differ in case only cannot have the same account. */
START_TEST(accounts_have_no_case)
{
	struct import import;
	const struct qs_policy *policy;

	import_error(&import,
		     "{\"quotaShares\": [" SHARE ", {\"quotaShareName\": "
		     "\"a\", " QUEUE LIMITS SHARING PREEMPT "}]}");
	ck_assert_msg(!import.rc, "%s", import.err.text);
	policy = import.imported.policy;
	ck_assert_int_eq(policy->nshares, 2);
	ck_assert_uint_eq(policy->shares[0].accounts.n, 1);
	ck_assert_uint_eq(policy->shares[1].accounts.n, 0);
	ck_assert_ptr_nonnull(
		find_note(&import.notes, QS_NOTE_REMARK, "a", "Accounts"));
	import_clear(&import);
}
END_TEST

/* Somebody changed the strategy in AWS; our tags were left behind. */
START_TEST(stale_tags_are_left_out)
{
	struct import import;

	import_error(&import, "{" NAME QUEUE LIMITS PREEMPT
			      ", \"resourceSharingConfiguration\": "
			      "{\"strategy\": \"RESERVE\"}, \"tags\": "
			      "{\"quota-share:BorrowGpus\": \"a10g:1\", "
			      "\"quota-share:LendLimit\": \"a10g:1\"}}");
	only_share(&import);
	ck_assert_ptr_nonnull(
		find_note(&import.notes, QS_NOTE_LOST, "A", "BorrowGpus"));
	ck_assert_ptr_nonnull(
		find_note(&import.notes, QS_NOTE_LOST, "A", "LendLimit"));
	import_clear(&import);
}
END_TEST

/* Values that would end a line, a quote or a word in quota_share.conf. */
START_TEST(tags_cannot_add_keys)
{
	struct import import;
	const struct qs_share *share;

	import_error(&import,
		     PLUS("\"tags\": {\"Owner\": \"\\\" State=DISABLED \\\\\", "
			  "\"Note\": \"a\\nState=DISABLED\", "
			  "\"team\": \"x\"}"));
	share = only_share(&import);
	ck_assert(share->enabled);
	ck_assert_str_eq(share->owner, "\" State=DISABLED \\");
	/* a line break cannot be taken over */
	ck_assert_ptr_null(share->note);
	ck_assert_ptr_nonnull(
		find_note(&import.notes, QS_NOTE_LOST, "A", "tags"));
	import_clear(&import);
}
END_TEST

START_TEST(names_of_files_cannot_end_a_comment)
{
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	struct qs_imported imported = { 0 };
	struct qs_import_options none = { 0 };
	struct qs_error err;

	ck_assert_int_eq(qs_setup_read(&setup, &notes, "a\nMode=OBSERVE", SHARE,
				       strlen(SHARE), &err),
			 0);
	ck_assert_int_eq(qs_import(&setup, instance_table(), &none, &imported,
				   &notes, NULL, &err),
			 0);
	ck_assert_ptr_null(strstr(imported.text, "\nMode"));
	qs_imported_clear(&imported);
	qs_notes_clear(&notes);
	qs_setup_clear(&setup);
}
END_TEST

START_TEST(one_of_two_queues_can_be_chosen)
{
	const char *texts[] = { "{\"quotaShares\": [" SHARE
				", {" NAME LIMITS SHARING PREEMPT
				", \"jobQueue\": \"r\"}]}" };
	struct qs_import_options only = { .queue = "r" };
	struct qs_import_options none = { .queue = "rr" };
	struct import import;

	/* names are unique in the file */
	import_texts(&import, texts, 1, NULL);
	ck_assert_ptr_nonnull(strstr(import.err.text,
				     "quotaShares[1].quotaShareName=A: a share "
				     "of two queues"));
	import_clear(&import);
	import_texts(&import, texts, 1, &only);
	only_share(&import);
	ck_assert_str_eq(import.imported.policy->queues[0].name, "r");
	import_clear(&import);
	import_texts(&import, texts, 1, &none);
	ck_assert_ptr_nonnull(strstr(import.err.text, "did you mean r?"));
	import_clear(&import);
}
END_TEST

static const char template[] =
	"{\"Parameters\": {\"Env\": {\"Type\": \"String\", \"Default\": "
	"\"prod\"}, \"Max\": {\"Type\": \"Number\", \"Default\": 3}}, "
	"\"Resources\": {"
	"\"Queue\": {\"Type\": \"AWS::Batch::JobQueue\", \"Properties\": {"
	"\"JobQueueName\": {\"Fn::Sub\": \"${Env}-train\"}, \"JobQueueType\": "
	"\"SAGEMAKER_TRAINING\", \"Priority\": \"1\", \"SchedulingPolicyArn\": "
	"{\"Fn::Sub\": \"arn:aws:batch:${AWS::Region}:${AWS::AccountId}:"
	"scheduling-policy/${Policy}\"}, \"ServiceEnvironmentOrder\": "
	"[{\"Order\": 1, \"ServiceEnvironment\": {\"Ref\": \"Pool\"}}]}}, "
	"\"Policy\": {\"Type\": \"AWS::Batch::SchedulingPolicy\", "
	"\"Properties\": {\"Name\": \"p\", \"QuotaSharePolicy\": {}}}, "
	"\"Pool\": {\"Type\": \"AWS::Batch::ServiceEnvironment\", "
	"\"Properties\": {\"ServiceEnvironmentType\": \"SAGEMAKER_TRAINING\", "
	"\"CapacityLimits\": [{\"MaxCapacity\": 4, \"CapacityUnit\": "
	"\"ml.g5.xlarge\"}]}}, "
	"\"Share\": {\"Type\": \"AWS::Batch::QuotaShare\", \"Condition\": "
	"\"IsProd\", \"Properties\": {\"JobQueue\": {\"Fn::GetAtt\": "
	"\"Queue.JobQueueArn\"}, \"CapacityLimits\": [{\"MaxCapacity\": "
	"{\"Ref\": \"Max\"}, \"CapacityUnit\": \"ml.g5.xlarge\"}], "
	"\"PreemptionConfiguration\": {\"InSharePreemption\": \"DISABLED\"}, "
	"\"ResourceSharingConfiguration\": {\"Strategy\": "
	"\"LEND_AND_BORROW\", \"BorrowLimit\": \"0\"}}}}}";

START_TEST(a_template_is_filled_in)
{
	struct import import;
	const struct qs_share *share;

	import_error(&import, template);
	share = only_share(&import);
	ck_assert_str_eq(share->name, "Share");
	ck_assert_str_eq(import.imported.policy->queues[0].name, "prod-train");
	ck_assert_uint_eq(import.imported.policy->quotas[0].capacity, 3);
	ck_assert(share->borrow_limit.set && !share->borrow_limit.value);
	ck_assert_int_eq(qs_policy_pool(import.imported.policy, 0, 0), 4);
	ck_assert_ptr_null(import.setup.region);
	/* the default of Env is told once, however often it is used */
	ck_assert_ptr_nonnull(
		strstr(import.imported.text, "Parameters.Env: taken is"));
	ck_assert_ptr_nonnull(strstr(import.imported.text, "its Condition"));
	import_clear(&import);
}
END_TEST

/* A hundred thousand levels, or shares, must not hurt. */
START_TEST(large_documents)
{
	size_t n = 20000, size = n * 160;
	char *text = malloc(size), *at = text;
	struct import import;

	memset(text, '[', n);
	text[n] = '\0';
	ck_assert_str_ne(import_error(&import, text), "");
	import_clear(&import);
	at += sprintf(at, "{\"quotaShares\": [");
	for (size_t i = 0; i < n / 100; i++)
		at += sprintf(at,
			      "%s{\"quotaShareName\": \"s%zu\", " QUEUE LIMITS
				      SHARING PREEMPT "}",
			      i ? ", " : "", i);
	sprintf(at, "]}");
	ck_assert_str_eq(import_error(&import, text), "");
	ck_assert_int_eq(import.imported.policy->nshares, 200);
	import_clear(&import);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aws import");
	TCase *core = tcase_create("core");
	TCase *malformed = tcase_create("malformed");

	tcase_add_loop_test(malformed, wrong_documents_are_refused, 0,
			    ARRAY_LEN(bad));
	tcase_add_test(malformed, tags_cannot_add_keys);
	tcase_add_test(malformed, names_of_files_cannot_end_a_comment);
	tcase_add_test(malformed, large_documents);
	tcase_add_test(core, the_good_document_is_taken);
	tcase_add_test(core, unset_zero_and_minus_one_differ);
	tcase_add_test(core, shares_alone_make_a_policy);
	tcase_add_test(core, what_has_no_shares_is_left_out);
	tcase_add_test(core, instance_types_with_one_gpu_are_added);
	tcase_add_test(core, instance_types_alike_are_added);
	tcase_add_test(core, a_share_may_own_what_the_environment_has_not);
	tcase_add_test(core,
		       an_unknown_instance_type_can_be_mapped_or_left_out);
	tcase_add_test(core, maps_are_read);
	tcase_add_test(core, accounts_have_no_case);
	tcase_add_test(core, stale_tags_are_left_out);
	tcase_add_test(core, one_of_two_queues_can_be_chosen);
	tcase_add_test(core, a_template_is_filled_in);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, malformed);
	return suite_run(suite);
}
