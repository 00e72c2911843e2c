/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kueue.c - a policy as objects of Kueue
 *
 * Called by qshare export. Never blocks. The surprise: in Kueue an absent
 * limit is no limit, both for borrowing and for lending, so a share that must
 * not gets an explicit 0 (law 11).
 */
#include "aws/kueue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"

#define API      "kueue.x-k8s.io/v1beta2"
#define RESOURCE "nvidia.com/gpu"

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static char lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

/* Lower-case words between dots; what is not allowed becomes a dash. */
void qs_kueue_name(char *to, size_t size, const char *name)
{
	size_t n = 0;

	for (; *name && n + 1 < size && n < QS_KUEUE_NAME_MAX; name++) {
		char c = lower(*name);
		bool dot = c == '.' && n && is_alnum(to[n - 1]) &&
			   is_alnum(lower(name[1]));

		if (is_alnum(c) || dot)
			to[n++] = c;
		else if (n)
			to[n++] = '-';
	}
	while (n && !is_alnum(to[n - 1]))
		n--;
	if (!n)
		to[n++] = 'x';
	to[n] = '\0';
}

static void put_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static void put_quantity(struct json_object *to, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put_text(to, key, text);
}

static struct json_object *add_object(struct json_object *to, const char *key)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(to, key, object);
	return object;
}

static struct json_object *add_list(struct json_object *to, const char *key)
{
	struct json_object *list = json_object_new_array();

	json_object_object_add(to, key, list);
	return list;
}

/* An object of a kind in the list, with its metadata. */
static struct json_object *add_item(struct json_object *items, const char *kind,
				    const char *name,
				    struct json_object **metadata)
{
	struct json_object *item = json_object_new_object();
	char word[QS_KUEUE_NAME_MAX + 1];

	qs_kueue_name(word, sizeof(word), name);
	put_text(item, "apiVersion", API);
	put_text(item, "kind", kind);
	*metadata = add_object(item, "metadata");
	put_text(*metadata, "name", word);
	json_object_array_add(items, item);
	return item;
}

/* Owner and Note; everything else is in the spec or lost. */
static void put_annotations(struct json_object *metadata,
			    const struct qs_share *share)
{
	struct json_object *to;

	if (!share->owner && !share->note)
		return;
	to = add_object(metadata, "annotations");
	if (share->owner)
		put_text(to, "quota-share/owner", share->owner);
	if (share->note)
		put_text(to, "quota-share/note", share->note);
}

static void put_quota(struct json_object *flavors,
		      const struct qs_policy *policy, int s, int t)
{
	const struct qs_quota *quota = qs_policy_quota(policy, s, t);
	int64_t limit = qs_policy_limit(policy, s, t);
	int64_t lends = qs_policy_lends(policy, s, t);
	struct json_object *flavor = json_object_new_object();
	struct json_object *resource = json_object_new_object();
	char word[QS_KUEUE_NAME_MAX + 1];

	qs_kueue_name(word, sizeof(word), policy->types[t].name);
	put_text(flavor, "name", word);
	json_object_array_add(add_list(flavor, "resources"), resource);
	put_text(resource, "name", RESOURCE);
	put_quantity(resource, "nominalQuota", quota->capacity);
	if (limit != INT64_MAX)
		put_quantity(resource, "borrowingLimit",
			     limit - quota->capacity);
	if (lends != quota->capacity)
		put_quantity(resource, "lendingLimit", lends);
	json_object_array_add(flavors, flavor);
}

static void put_quotas(struct json_object *spec, const struct qs_policy *policy,
		       int s)
{
	struct json_object *groups = add_list(spec, "resourceGroups");
	struct json_object *group = json_object_new_object();
	struct json_object *flavors;

	json_object_array_add(groups, group);
	json_object_array_add(add_list(group, "coveredResources"),
			      json_object_new_string(RESOURCE));
	flavors = add_list(group, "flavors");
	for (int t = 0; t < policy->ntypes; t++)
		if (qs_policy_quota(policy, s, t)->listed)
			put_quota(flavors, policy, s, t);
}

/* Accounts are namespaces of their names; the default share is everybody's. */
static void put_namespaces(struct json_object *spec,
			   const struct qs_policy *policy, int s)
{
	const struct qs_share *share = &policy->shares[s];
	struct json_object *selector, *rule, *values;

	if (policy->queues[share->queue].default_share == s) {
		add_object(spec, "namespaceSelector");
		return;
	}
	if (!share->accounts.n)
		return;
	selector = add_object(spec, "namespaceSelector");
	rule = json_object_new_object();
	json_object_array_add(add_list(selector, "matchExpressions"), rule);
	put_text(rule, "key", "kubernetes.io/metadata.name");
	put_text(rule, "operator", "In");
	values = add_list(rule, "values");
	for (size_t i = 0; i < share->accounts.n; i++) {
		char word[QS_KUEUE_NAME_MAX + 1];

		qs_kueue_name(word, sizeof(word), share->accounts.items[i]);
		json_object_array_add(values, json_object_new_string(word));
	}
}

static void put_preemption(struct json_object *spec,
			   const struct qs_share *share)
{
	struct json_object *to = add_object(spec, "preemption");

	/* R7: always on, and priorities across shares are not compared */
	put_text(to, "reclaimWithinCohort", "Any");
	/* R6: a borrowing job never causes a reclaim */
	put_text(add_object(to, "borrowWithinCohort"), "policy", "Never");
	put_text(to, "withinClusterQueue",
		 share->in_share_preemption ? "LowerPriority" : "Never");
}

static void add_share(struct json_object *items, const struct qs_policy *policy,
		      int s)
{
	const struct qs_share *share = &policy->shares[s];
	const struct qs_queue *queue = &policy->queues[share->queue];
	struct json_object *metadata, *spec;
	struct json_object *item =
		add_item(items, "ClusterQueue", share->name, &metadata);
	char word[QS_KUEUE_NAME_MAX + 1];

	put_annotations(metadata, share);
	spec = add_object(item, "spec");
	qs_kueue_name(word, sizeof(word), queue->name);
	put_text(spec, "cohortName", word);
	put_namespaces(spec, policy, s);
	put_text(spec, "queueingStrategy",
		 queue->in_share_order == QS_ORDER_STRICT ? "StrictFIFO" :
							    "BestEffortFIFO");
	put_preemption(spec, share);
	put_quotas(spec, policy, s);
	put_text(spec, "stopPolicy",
		 share->enabled && queue->enabled ? "None" : "Hold");
}

struct run {
	const struct qs_policy *policy;
	const char *file;
	struct qs_error *err;
};

/* Two names that Kubernetes cannot tell apart. */
static int check_pair(const struct run *run, const char *key, const char *a,
		      const char *b, unsigned line)
{
	char wa[QS_KUEUE_NAME_MAX + 1], wb[QS_KUEUE_NAME_MAX + 1];
	struct qs_place at = { run->file, line, key, b };

	qs_kueue_name(wa, sizeof(wa), a);
	qs_kueue_name(wb, sizeof(wb), b);
	if (strcmp(wa, wb))
		return 0;
	return qs_error_set(run->err, &at,
			    "two names become the same in Kubernetes", NULL,
			    "names that differ in more than case and special "
			    "characters; %.80s is there too",
			    a);
}

static int check_names(const struct run *run)
{
	const struct qs_policy *p = run->policy;

	for (int b = 0; b < p->ntypes; b++)
		for (int a = 0; a < b; a++)
			if (check_pair(run, "GpuType", p->types[a].name,
				       p->types[b].name, 0))
				return -1;
	for (int b = 0; b < p->nqueues; b++)
		for (int a = 0; a < b; a++)
			if (check_pair(run, "Queue", p->queues[a].name,
				       p->queues[b].name, p->queues[b].line))
				return -1;
	for (int b = 0; b < p->nshares; b++)
		for (int a = 0; a < b; a++)
			if (check_pair(run, "Share", p->shares[a].name,
				       p->shares[b].name, p->shares[b].line))
				return -1;
	return 0;
}

static bool is_used(const struct qs_policy *policy, int t, const char *queue)
{
	for (int s = 0; s < policy->nshares; s++)
		if (qs_policy_quota(policy, s, t)->listed &&
		    (!queue ||
		     !strcmp(policy->queues[policy->shares[s].queue].name,
			     queue)))
			return true;
	return false;
}

static int no_queue(const struct run *run, const char *queue)
{
	struct qs_place at = { .file = run->file, .value = queue };
	struct qs_nearest nearest;

	qs_nearest_init(&nearest, queue);
	for (int q = 0; q < run->policy->nqueues; q++)
		qs_nearest_offer(&nearest, run->policy->queues[q].name);
	return qs_error_set(run->err, &at, "there is no such queue",
			    qs_nearest_get(&nearest),
			    "the name of a Queue line");
}

struct json_object *qs_kueue_export(const struct qs_policy *policy,
				    const char *file, const char *queue,
				    struct qs_notes *notes,
				    struct qs_error *err)
{
	const struct run run = { policy, file, err };
	struct json_object *list, *items, *metadata;

	if (queue && qs_policy_find_queue(policy, queue) < 0) {
		no_queue(&run, queue);
		return NULL;
	}
	if (check_names(&run))
		return NULL;
	list = json_object_new_object();
	put_text(list, "apiVersion", "v1");
	put_text(list, "kind", "List");
	items = add_list(list, "items");
	for (int t = 0; t < policy->ntypes; t++)
		if (is_used(policy, t, queue))
			add_item(items, "ResourceFlavor", policy->types[t].name,
				 &metadata);
	for (int q = 0; q < policy->nqueues; q++) {
		if (queue && strcmp(policy->queues[q].name, queue))
			continue;
		add_item(items, "Cohort", policy->queues[q].name, &metadata);
		for (int s = 0; s < policy->nshares; s++)
			if (policy->shares[s].queue == q)
				add_share(items, policy, s);
		qs_kueue_notes(policy, q, notes);
	}
	if (!notes->failed)
		return list;
	json_object_put(list);
	qs_error_memory(err);
	return NULL;
}
