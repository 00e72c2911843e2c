/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_cfn.c - the quota shares of a CloudFormation template
 *
 * Called by read.c. Never blocks. Each AWS::Batch resource is read like the
 * input of its create-… call. Before that, what stands for a value is put in
 * place: a Ref or Fn::GetAtt to a resource of the template becomes its name, a
 * Ref to a parameter its default, and Fn::Sub is filled in. The surprise: no
 * other intrinsic function is evaluated; one of those, where a value is
 * needed, is an error like any other wrong type, with its path.
 */
#include "aws/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deeper than any template that AWS takes. */
#define DEPTH_MAX 48
/* A template whose names are made of each other has no end otherwise. */
#define REFERENCES_MAX 10000
/* Longer than any name or ARN. */
#define TEXT_MAX 1024

struct source {
	struct qs_aws_reader *reader;
	struct json_object *resources, *parameters; /* or NULL */
	struct json_object *told; /* parameters that were noted */
	unsigned *left;           /* references that may still be followed */
};

static const struct {
	const char *type;
	const char *name; /* the property with its name */
	int (*read)(struct qs_aws_reader *reader, const struct qs_json *at,
		    const char *name);
} kinds[] = {
	{ "AWS::Batch::SchedulingPolicy", "Name", qs_read_policy },
	{ "AWS::Batch::ServiceEnvironment", "ServiceEnvironmentName",
	  qs_read_environment },
	{ "AWS::Batch::JobQueue", "JobQueueName", qs_read_queue },
	{ "AWS::Batch::QuotaShare", "QuotaShareName", qs_read_share },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static struct json_object *member(struct json_object *json, const char *key)
{
	struct json_object *value = NULL;

	if (json_object_is_type(json, json_type_object))
		json_object_object_get_ex(json, key, &value);
	return value;
}

static const char *text_of(struct json_object *json)
{
	return json_object_is_type(json, json_type_string) ?
		       json_object_get_string(json) :
		       NULL;
}

/* Index in kinds, or -1. */
static int kind_of(struct json_object *resource)
{
	const char *type = text_of(member(resource, "Type"));

	for (size_t k = 0; type && k < KINDS; k++)
		if (!strcmp(kinds[k].type, type))
			return (int)k;
	return -1;
}

static struct json_object *resolve(const struct source *in,
				   struct json_object *json, int depth);

static void note_default(const struct source *in, const char *parameter)
{
	if (member(in->told, parameter))
		return;
	json_object_object_add(in->told, parameter,
			       json_object_new_boolean(true));
	qs_notes_add(in->reader->notes, QS_NOTE_REMARK, NULL, NULL, NULL,
		     "%s: Parameters.%s: taken is its Default",
		     in->reader->file, parameter);
}

/* A new value for the name of something in the template, or NULL: unknown. */
static struct json_object *refer(const struct source *in, const char *name,
				 int depth)
{
	struct json_object *resource = member(in->resources, name);
	struct json_object *value;
	int kind = kind_of(resource);

	if (!*in->left)
		return NULL;
	--*in->left;
	if (kind >= 0) {
		value = resolve(in,
				member(member(resource, "Properties"),
				       kinds[kind].name),
				depth + 1);
		if (text_of(value) && strlen(text_of(value)) <= TEXT_MAX)
			return value;
		json_object_put(value);
		return json_object_new_string(name);
	}
	value = member(member(in->parameters, name), "Default");
	if (!value || (text_of(value) && strlen(text_of(value)) > TEXT_MAX))
		return NULL;
	note_default(in, name);
	return json_object_get(value);
}

/* "A.Arn" or ["A", "Arn"]: the resource's part. NULL: neither. */
static char *get_att_name(struct json_object *json)
{
	const char *text = text_of(json);

	if (json_object_is_type(json, json_type_array))
		text = text_of(json_object_array_get_idx(json, 0));
	return text ? strndup(text, strcspn(text, ".")) : NULL;
}

/* ${A} and ${A.Arn} filled in; what is not known stays as it is, and a name
 * cannot have it. NULL: no memory. */
static struct json_object *substitute(const struct source *in, const char *text,
				      int depth)
{
	struct json_object *json;
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	if (!file)
		return NULL;
	while (*text) {
		const char *end =
			strncmp(text, "${", 2) ? NULL : strchr(text, '}');
		struct json_object *value = NULL;
		char *name;

		if (!end) {
			putc(*text++, file);
			continue;
		}
		name = strndup(text + 2, strcspn(text + 2, ".}"));
		value = name ? refer(in, name, depth) : NULL;
		if (value)
			fputs(json_object_get_string(value), file);
		else if (name && !strcmp(name, "AWS::Region"))
			fputs(QS_ARN_REGION, file);
		else if (name && !strcmp(name, "AWS::AccountId"))
			fputs(QS_ARN_ACCOUNT, file);
		else
			fwrite(text, 1, (size_t)(end + 1 - text), file);
		json_object_put(value);
		free(name);
		text = end + 1;
	}
	if (fclose(file)) {
		free(out);
		return NULL;
	}
	json = json_object_new_string(out);
	free(out);
	return json;
}

/* What an intrinsic function stands for; NULL: it is none, or not known. */
static struct json_object *intrinsic(const struct source *in,
				     struct json_object *json, int depth)
{
	struct json_object *value;
	const char *text;
	char *name;

	if (!json_object_is_type(json, json_type_object) ||
	    json_object_object_length(json) != 1)
		return NULL;
	text = text_of(member(json, "Ref"));
	if (text)
		return refer(in, text, depth);
	text = text_of(member(json, "Fn::Sub"));
	if (text)
		return substitute(in, text, depth);
	name = get_att_name(member(json, "Fn::GetAtt"));
	value = name ? refer(in, name, depth) : NULL;
	free(name);
	return value;
}

/* A copy with the values put in place; null for null, and beyond DEPTH_MAX. */
static struct json_object *resolve(const struct source *in,
				   struct json_object *json, int depth)
{
	struct json_object *copy;

	if (depth >= DEPTH_MAX)
		return NULL;
	copy = intrinsic(in, json, depth);
	if (copy)
		return copy;
	if (json_object_is_type(json, json_type_array)) {
		copy = json_object_new_array();
		for (size_t i = 0; i < json_object_array_length(json); i++)
			json_object_array_add(
				copy,
				resolve(in, json_object_array_get_idx(json, i),
					depth + 1));
		return copy;
	}
	if (!json_object_is_type(json, json_type_object))
		return json_object_get(json);
	copy = json_object_new_object();
	json_object_object_foreach(json, key, value) json_object_object_add(
		copy, key, resolve(in, value, depth + 1));
	return copy;
}

static int read_resource(const struct source *in, const struct qs_json *all,
			 const char *id, int kind)
{
	struct qs_json resource, properties;
	int rc;

	if (qs_json_object(all, id, true, &resource))
		return -1;
	if (member(resource.json, "Condition"))
		qs_notes_add(in->reader->notes, QS_NOTE_REMARK, NULL, NULL,
			     NULL, "%s: %s: its Condition is taken as true",
			     in->reader->file, resource.path);
	if (qs_json_object(&resource, "Properties", true, &properties))
		return -1;
	properties.json = resolve(in, properties.json, 0);
	if (!properties.json)
		return qs_error_memory(in->reader->err);
	rc = json_object_is_type(properties.json, json_type_object) ?
		     kinds[kind].read(in->reader, &properties, id) :
		     qs_json_fail(&properties, NULL, NULL, NULL, "an object");
	json_object_put(properties.json);
	return rc;
}

int qs_read_template(struct qs_aws_reader *reader, const struct qs_json *at)
{
	unsigned left = REFERENCES_MAX;
	struct source in = { .reader = reader, .left = &left };
	struct qs_json all;
	bool any = false;
	int rc = 0;

	if (qs_json_object(at, "Resources", true, &all))
		return -1;
	in.resources = all.json;
	in.parameters = member(at->json, "Parameters");
	in.told = json_object_new_object();
	reader->pascal = true;
	json_object_object_foreach(all.json, id, resource)
	{
		int kind = kind_of(resource);

		any = any || kind == KINDS - 1;
		if (kind >= 0 && !rc)
			rc = read_resource(&in, &all, id, kind);
	}
	json_object_put(in.told);
	if (!rc && !any)
		rc = qs_json_fail(&all, NULL, "no quota share in it", NULL,
				  "a resource of Type AWS::Batch::QuotaShare");
	return rc;
}
