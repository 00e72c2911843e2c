/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.c - documents of AWS Batch into a set-up
 *
 * Called by qshare import. Never blocks. What a document is follows from its
 * keys: nobody has to say which call it came from.
 */
#include "aws/reader.h"

#include <string.h>

typedef int (*read_one)(struct qs_aws_reader *reader, const struct qs_json *at,
			const char *name);

/* The lists of describe-… and list-…, and of our bundle. */
static const struct {
	const char *key;
	read_one read;
} lists[] = {
	{ "schedulingPolicies", qs_read_policy },
	{ "serviceEnvironments", qs_read_environment },
	{ "jobQueues", qs_read_queue },
	{ "quotaShares", qs_read_share },
};

#define LISTS (sizeof(lists) / sizeof(*lists))

/* A list that AWS cut is not the set-up. */
static int check_whole(const struct qs_json *at)
{
	static const char *const keys[] = { "nextToken", "NextToken" };

	for (size_t i = 0; i < 2; i++) {
		struct json_object *token;

		if (json_object_object_get_ex(at->json, keys[i], &token) &&
		    token)
			return qs_json_fail(at, keys[i], "there is more", NULL,
					    "the whole list: ask the AWS CLI "
					    "without --max-items and "
					    "--no-paginate");
	}
	return 0;
}

/* list-quota-shares has no tags, not even for shares that have some. */
static void note_no_tags(struct qs_aws_reader *reader,
			 struct json_object *shares)
{
	for (size_t i = 0; i < json_object_array_length(shares); i++) {
		struct json_object *one = json_object_array_get_idx(shares, i);

		if (!json_object_object_get_ex(one, "quotaShareArn", NULL) ||
		    json_object_object_get_ex(one, "tags", NULL))
			return;
	}
	qs_notes_add(reader->notes, QS_NOTE_REMARK, NULL, NULL, NULL,
		     "%s: list-quota-shares tells no tags, and an export keeps "
		     "in them what AWS has no field for; describe-quota-share "
		     "tells them",
		     reader->file);
}

static int read_list(struct qs_aws_reader *reader, const struct qs_json *at,
		     size_t l)
{
	struct json_object *array;
	size_t n;

	if (qs_json_array(at, lists[l].key, false, &array, &n))
		return -1;
	if (n && lists[l].read == qs_read_share)
		note_no_tags(reader, array);
	for (size_t i = 0; i < n; i++) {
		struct qs_json one;

		if (qs_json_element(at, lists[l].key, array, i, &one) ||
		    lists[l].read(reader, &one, NULL))
			return -1;
	}
	return 0;
}

static int read_lists(struct qs_aws_reader *reader, const struct qs_json *at)
{
	static const char *const known[] = { "schedulingPolicies",
					     "serviceEnvironments",
					     "jobQueues",
					     "quotaShares",
					     "nextToken",
					     "NextToken",
					     "report",
					     "ResponseMetadata",
					     "$metadata",
					     NULL };

	if (qs_read_keys(reader, at, known) || check_whole(at))
		return -1;
	for (size_t l = 0; l < LISTS; l++)
		if (read_list(reader, at, l))
			return -1;
	return 0;
}

static bool has(const struct qs_json *at, const char *key)
{
	return json_object_object_get_ex(at->json, key, NULL);
}

static int read_document(struct qs_aws_reader *reader, const struct qs_json *at)
{
	if (has(at, "Resources"))
		return qs_read_template(reader, at);
	for (size_t l = 0; l < LISTS; l++)
		if (has(at, lists[l].key))
			return read_lists(reader, at);
	if (has(at, "quotaShareName"))
		return qs_read_share(reader, at, NULL);
	if (has(at, "jobQueueName"))
		return qs_read_queue(reader, at, NULL);
	if (has(at, "serviceEnvironmentName"))
		return qs_read_environment(reader, at, NULL);
	if (has(at, "quotaSharePolicy") || has(at, "fairsharePolicy"))
		return qs_read_policy(reader, at, NULL);
	return qs_json_fail(at, NULL, "no document of AWS Batch that is known",
			    NULL,
			    "quotaShares, jobQueues, serviceEnvironments or "
			    "schedulingPolicies as describe-… and list-… give "
			    "them, the input of a create-… call, or a "
			    "CloudFormation template");
}

int qs_setup_read(struct qs_setup *setup, struct qs_notes *notes,
		  const char *name, const char *text, size_t n,
		  struct qs_error *err)
{
	struct qs_aws_reader reader = {
		.setup = setup,
		.notes = notes,
		.err = err,
		.file = qs_setup_add_file(setup, name),
	};
	struct qs_json at = { .file = reader.file, .err = err };
	int rc;

	if (!reader.file)
		return qs_error_memory(err);
	at.json = qs_json_parse(reader.file, text, n, err);
	if (!at.json)
		return -1;
	rc = read_document(&reader, &at);
	json_object_put(at.json);
	if (!rc && notes->failed)
		rc = qs_error_memory(err);
	return rc;
}
