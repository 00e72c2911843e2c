/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * types.c - the GPU types of a policy
 *
 * Called by reader.c. A type comes from a GpuType line, or from any Capacity
 * or BorrowGpus that names it; without a GpuType line it means its own name.
 * The surprise: a gres type that a GpuType line has under another name is not
 * a type of the policy, and a count of it is an error (R2c: one name, one
 * meaning).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "conf/reader.h"

static int too_many(struct qs_reader *reader, const struct qs_place *at)
{
	return qs_error_set(reader->err, at, "one type too many", NULL,
			    "at most %d GPU types in a policy", QS_TYPES_MAX);
}

/* Append an empty type; NULL with *err. */
static struct qs_type *add(struct qs_reader *reader, const struct qs_place *at,
			   const char *name, size_t n)
{
	struct qs_policy *policy = reader->policy;
	struct qs_type *types, *type;

	if (policy->ntypes == QS_TYPES_MAX) {
		too_many(reader, at);
		return NULL;
	}
	types = realloc(policy->types,
			((size_t)policy->ntypes + 1) * sizeof(*types));
	if (!types) {
		qs_error_memory(reader->err);
		return NULL;
	}
	policy->types = types;
	type = &types[policy->ntypes];
	*type = (struct qs_type){ .name = strndup(name, n) };
	if (!type->name) {
		qs_error_memory(reader->err);
		return NULL;
	}
	policy->ntypes++;
	return type;
}

static int from_line(struct qs_reader *reader, const struct qs_record *record)
{
	const struct qs_token *name = &record->tokens[0];
	const struct qs_token *slurm = qs_record_get(record, "Slurm");
	struct qs_place at = qs_record_place(record, name);
	struct qs_policy *policy = reader->policy;
	struct qs_type *type;
	struct qs_names names = { 0 };

	if (qs_policy_find_type(policy, name->value) >= 0)
		return qs_error_set(reader->err, &at, "the type is there twice",
				    NULL, "one GpuType line for a type");
	type = add(reader, &at, name->value, strlen(name->value));
	if (!type)
		return -1;
	if (qs_reader_string(reader, record, "Instance", &type->instance))
		return -1;
	if (qs_reader_names(reader, record, "Slurm", &names))
		goto fail;
	if (!slurm && qs_names_add(&names, name->value, strlen(name->value))) {
		qs_error_memory(reader->err);
		goto fail;
	}
	for (size_t i = 0; i < names.n; i++) {
		int other = qs_policy_find_gres(policy, names.items[i]);

		if (other < 0)
			continue;
		at = qs_record_place(record, slurm ? slurm : name);
		qs_error_set(reader->err, &at, "a gres type of two GpuTypes",
			     NULL, "gres types that no other GpuType line has");
		goto fail;
	}
	type->gres = names;
	return 0;
fail:
	qs_names_clear(&names);
	return -1;
}

/* A type's own name must not be what another one is called in gres.conf. */
static int check_aliases(struct qs_reader *reader,
			 const struct qs_record *record)
{
	const struct qs_token *name = &record->tokens[0];
	struct qs_place at = qs_record_place(record, name);
	const struct qs_policy *policy = reader->policy;
	int type = qs_policy_find_gres(policy, name->value);

	if (type < 0 || !strcmp(policy->types[type].name, name->value))
		return 0;
	return qs_error_set(reader->err, &at,
			    "a name that another GpuType has as a gres type",
			    policy->types[type].name,
			    "a type of its own, or its counts under %.80s",
			    policy->types[type].name);
}

static int from_count(struct qs_reader *reader, const struct qs_record *record,
		      const struct qs_token *token, int type, const char *name,
		      uint32_t count, void *arg)
{
	struct qs_place at = qs_record_place(record, token);
	struct qs_policy *policy = reader->policy;
	struct qs_type *added;
	int alias;

	(void)count;
	(void)arg;
	if (type >= 0)
		return 0;
	alias = qs_policy_find_gres(policy, name);
	if (alias >= 0)
		return qs_error_set(reader->err, &at,
				    "a gres type that a GpuType line has",
				    policy->types[alias].name,
				    "the GpuType's own name, %.80s",
				    policy->types[alias].name);
	added = add(reader, &at, name, strlen(name));
	if (!added)
		return -1;
	if (qs_names_add(&added->gres, name, strlen(name)))
		return qs_error_memory(reader->err);
	return 0;
}

int qs_reader_counts(struct qs_reader *reader, const struct qs_record *record,
		     const char *key,
		     int (*each)(struct qs_reader *reader,
				 const struct qs_record *record,
				 const struct qs_token *token, int type,
				 const char *name, uint32_t count, void *arg),
		     void *arg)
{
	const struct qs_token *token = qs_record_get(record, key);
	const char *at = token ? token->value : NULL, *type;
	char name[QS_WORD_MAX + 1];
	uint32_t count;
	size_t n;

	while (qs_value_next_count(&at, &type, &n, &count) > 0) {
		int rc;

		memcpy(name, type, n);
		name[n] = '\0';
		rc = each(reader, record, token,
			  qs_policy_find_type(reader->policy, name), name,
			  count, arg);
		if (rc)
			return rc;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct qs_type *)a)->name,
		      ((const struct qs_type *)b)->name);
}

int qs_reader_types(struct qs_reader *reader)
{
	struct qs_document *doc = &reader->doc;

	for (size_t i = 0; i < doc->nrecords; i++)
		if (doc->records[i].kind == QS_KIND_TYPE &&
		    from_line(reader, &doc->records[i]))
			return -1;
	for (size_t i = 0; i < doc->nrecords; i++)
		if (doc->records[i].kind == QS_KIND_TYPE &&
		    check_aliases(reader, &doc->records[i]))
			return -1;
	for (size_t i = 0; i < doc->nrecords; i++) {
		const struct qs_record *record = &doc->records[i];

		if (record->kind != QS_KIND_QUEUE &&
		    record->kind != QS_KIND_SHARE)
			continue;
		if (qs_reader_counts(reader, record, "Capacity", from_count,
				     NULL) ||
		    qs_reader_counts(reader, record, "BorrowGpus", from_count,
				     NULL))
			return -1;
	}
	if (reader->policy->ntypes)
		qsort(reader->policy->types, (size_t)reader->policy->ntypes,
		      sizeof(struct qs_type), by_name);
	return 0;
}
