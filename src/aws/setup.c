/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.c - a share set-up as AWS Batch has it
 *
 * Called by import and export. Never blocks. Look-ups are linear: AWS allows
 * twenty shares a queue.
 */
#include "aws/setup.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more element of the given size, zeroed. NULL: no memory, and
 * the array is as it was. */
static void *grow(void *array, size_t *n, size_t size)
{
	char *grown = realloc(array, (*n + 1) * size);

	if (!grown)
		return NULL;
	memset(grown + *n * size, 0, size);
	(*n)++;
	return grown;
}

struct qs_aws_policy *qs_setup_add_policy(struct qs_setup *setup)
{
	void *grown = grow(setup->policies, &setup->npolicies,
			   sizeof(*setup->policies));

	if (!grown)
		return NULL;
	setup->policies = grown;
	return &setup->policies[setup->npolicies - 1];
}

struct qs_aws_environment *qs_setup_add_environment(struct qs_setup *setup)
{
	void *grown = grow(setup->environments, &setup->nenvironments,
			   sizeof(*setup->environments));

	if (!grown)
		return NULL;
	setup->environments = grown;
	return &setup->environments[setup->nenvironments - 1];
}

struct qs_aws_queue *qs_setup_add_queue(struct qs_setup *setup)
{
	void *grown =
		grow(setup->queues, &setup->nqueues, sizeof(*setup->queues));

	if (!grown)
		return NULL;
	setup->queues = grown;
	return &setup->queues[setup->nqueues - 1];
}

struct qs_aws_share *qs_setup_add_share(struct qs_setup *setup)
{
	void *grown =
		grow(setup->shares, &setup->nshares, sizeof(*setup->shares));

	if (!grown)
		return NULL;
	setup->shares = grown;
	return &setup->shares[setup->nshares - 1];
}

const char *qs_setup_add_file(struct qs_setup *setup, const char *name)
{
	char *copy = strdup(name);
	void *grown = copy ? grow(setup->files, &setup->nfiles,
				  sizeof(*setup->files)) :
			     NULL;

	if (!grown) {
		free(copy);
		return NULL;
	}
	setup->files = grown;
	setup->files[setup->nfiles - 1] = copy;
	return copy;
}

int qs_aws_limits_add(struct qs_aws_limits *limits, const char *unit,
		      int64_t max)
{
	void *grown = grow(limits->items, &limits->n, sizeof(*limits->items));

	if (!grown)
		return -1;
	limits->items = grown;
	limits->items[limits->n - 1].max = max;
	limits->items[limits->n - 1].unit = strdup(unit);
	return limits->items[limits->n - 1].unit ? 0 : -1;
}

int qs_aws_tags_add(struct qs_aws_tags *tags, const char *key,
		    const char *value)
{
	void *grown = grow(tags->items, &tags->n, sizeof(*tags->items));
	struct qs_aws_tag *tag;

	if (!grown)
		return -1;
	tags->items = grown;
	tag = &tags->items[tags->n - 1];
	tag->key = strdup(key);
	tag->value = strdup(value);
	return tag->key && tag->value ? 0 : -1;
}

static void limits_clear(struct qs_aws_limits *limits)
{
	for (size_t i = 0; i < limits->n; i++)
		free(limits->items[i].unit);
	free(limits->items);
}

static void tags_clear(struct qs_aws_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++) {
		free(tags->items[i].key);
		free(tags->items[i].value);
	}
	free(tags->items);
}

void qs_setup_clear(struct qs_setup *setup)
{
	for (size_t i = 0; i < setup->npolicies; i++) {
		free(setup->policies[i].name);
		tags_clear(&setup->policies[i].tags);
		free(setup->policies[i].source.path);
	}
	for (size_t i = 0; i < setup->nenvironments; i++) {
		free(setup->environments[i].name);
		limits_clear(&setup->environments[i].limits);
		tags_clear(&setup->environments[i].tags);
		free(setup->environments[i].source.path);
	}
	for (size_t i = 0; i < setup->nqueues; i++) {
		free(setup->queues[i].name);
		free(setup->queues[i].policy);
		free(setup->queues[i].environment);
		tags_clear(&setup->queues[i].tags);
		free(setup->queues[i].source.path);
	}
	for (size_t i = 0; i < setup->nshares; i++) {
		free(setup->shares[i].name);
		free(setup->shares[i].queue);
		limits_clear(&setup->shares[i].limits);
		tags_clear(&setup->shares[i].tags);
		free(setup->shares[i].source.path);
	}
	for (size_t i = 0; i < setup->nfiles; i++)
		free(setup->files[i]);
	free(setup->policies);
	free(setup->environments);
	free(setup->queues);
	free(setup->shares);
	free(setup->files);
	free(setup->region);
	free(setup->account);
	*setup = (struct qs_setup){ 0 };
}

struct qs_aws_policy *qs_setup_find_policy(const struct qs_setup *setup,
					   const char *name)
{
	for (size_t i = 0; i < setup->npolicies; i++)
		if (!strcmp(setup->policies[i].name, name))
			return &setup->policies[i];
	return NULL;
}

struct qs_aws_environment *
qs_setup_find_environment(const struct qs_setup *setup, const char *name)
{
	for (size_t i = 0; i < setup->nenvironments; i++)
		if (!strcmp(setup->environments[i].name, name))
			return &setup->environments[i];
	return NULL;
}

struct qs_aws_queue *qs_setup_find_queue(const struct qs_setup *setup,
					 const char *name)
{
	for (size_t i = 0; i < setup->nqueues; i++)
		if (!strcmp(setup->queues[i].name, name))
			return &setup->queues[i];
	return NULL;
}

struct qs_aws_share *qs_setup_find_share(const struct qs_setup *setup,
					 const char *queue, const char *name)
{
	for (size_t i = 0; i < setup->nshares; i++)
		if (!strcmp(setup->shares[i].name, name) &&
		    !strcmp(setup->shares[i].queue, queue))
			return &setup->shares[i];
	return NULL;
}

struct qs_aws_limit *qs_aws_limits_find(const struct qs_aws_limits *limits,
					const char *unit)
{
	for (size_t i = 0; i < limits->n; i++)
		if (!strcmp(limits->items[i].unit, unit))
			return &limits->items[i];
	return NULL;
}

const char *qs_aws_tags_find(const struct qs_aws_tags *tags, const char *key)
{
	for (size_t i = 0; i < tags->n; i++)
		if (!strcmp(tags->items[i].key, key))
			return tags->items[i].value;
	return NULL;
}

static int by_unit(const void *a, const void *b)
{
	return strcmp(((const struct qs_aws_limit *)a)->unit,
		      ((const struct qs_aws_limit *)b)->unit);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct qs_aws_tag *)a)->key,
		      ((const struct qs_aws_tag *)b)->key);
}

static int by_policy(const void *a, const void *b)
{
	return strcmp(((const struct qs_aws_policy *)a)->name,
		      ((const struct qs_aws_policy *)b)->name);
}

static int by_environment(const void *a, const void *b)
{
	return strcmp(((const struct qs_aws_environment *)a)->name,
		      ((const struct qs_aws_environment *)b)->name);
}

static int by_queue(const void *a, const void *b)
{
	return strcmp(((const struct qs_aws_queue *)a)->name,
		      ((const struct qs_aws_queue *)b)->name);
}

static int by_share(const void *a, const void *b)
{
	const struct qs_aws_share *sa = a, *sb = b;
	int order = strcmp(sa->queue, sb->queue);

	return order ? order : strcmp(sa->name, sb->name);
}

static void sort(void *items, size_t n, size_t size,
		 int (*order)(const void *, const void *))
{
	if (n > 1)
		qsort(items, n, size, order);
}

static void sort_limits(struct qs_aws_limits *limits)
{
	sort(limits->items, limits->n, sizeof(*limits->items), by_unit);
}

static void sort_tags(struct qs_aws_tags *tags)
{
	sort(tags->items, tags->n, sizeof(*tags->items), by_key);
}

void qs_setup_sort(struct qs_setup *setup)
{
	for (size_t i = 0; i < setup->npolicies; i++)
		sort_tags(&setup->policies[i].tags);
	for (size_t i = 0; i < setup->nenvironments; i++) {
		sort_limits(&setup->environments[i].limits);
		sort_tags(&setup->environments[i].tags);
	}
	for (size_t i = 0; i < setup->nqueues; i++)
		sort_tags(&setup->queues[i].tags);
	for (size_t i = 0; i < setup->nshares; i++) {
		sort_limits(&setup->shares[i].limits);
		sort_tags(&setup->shares[i].tags);
	}
	sort(setup->policies, setup->npolicies, sizeof(*setup->policies),
	     by_policy);
	sort(setup->environments, setup->nenvironments,
	     sizeof(*setup->environments), by_environment);
	sort(setup->queues, setup->nqueues, sizeof(*setup->queues), by_queue);
	sort(setup->shares, setup->nshares, sizeof(*setup->shares), by_share);
}
