/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site.c - what slurm.conf and gres.conf say of nodes and partitions
 *
 * Called by `qshare check --slurm-conf`. Blocks on the file system. Its
 * surprise: where slurm.conf counts GPUs without a type, gres.conf has the
 * types; where both have them, slurm.conf is believed, as slurmctld does.
 */
#include "cli/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/policy_path.h"

/* What one NodeName line gives each of its nodes. */
struct line {
	struct qs_site *site;
	const char *gres, *features;
	size_t max;
	const char *type; /* gres.conf */
	int64_t count;
	struct qs_site_part *part;
	const struct qs_record *record;
};

static const char *value_of(const struct qs_record *record, const char *key)
{
	const struct qs_token *token = qs_record_get(record, key);

	return token ? token->value : NULL;
}

static bool begins_with(const struct qs_record *record, const char *key)
{
	return !strcasecmp(record->tokens[0].key, key);
}

const char *qs_site_value(const struct qs_site *site, const char *key)
{
	const char *value = NULL;

	for (size_t i = 0; i < site->slurm.nrecords; i++)
		if (begins_with(&site->slurm.records[i], key))
			value = site->slurm.records[i].tokens[0].value;
	return value;
}

bool qs_site_lists(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (list && *list) {
		size_t item = strcspn(list, ",");

		if (item == n && !strncasecmp(list, word, n))
			return true;
		list += item + (list[item] == ',');
	}
	return false;
}

static int add_gpu(struct qs_site_node *node, const char *type, size_t n,
		   int64_t count)
{
	struct qs_site_gpu *gpus;

	for (size_t i = 0; i < node->ngpus; i++) {
		if (strlen(node->gpus[i].type) == n &&
		    !strncmp(node->gpus[i].type, type, n)) {
			node->gpus[i].count += count;
			return 0;
		}
	}
	gpus = realloc(node->gpus, (node->ngpus + 1) * sizeof(*gpus));
	if (!gpus)
		return -1;
	node->gpus = gpus;
	gpus[node->ngpus].type = strndup(type, n);
	gpus[node->ngpus].count = count;
	return gpus[node->ngpus++].type ? 0 : -1;
}

/* "gpu:a100:4(S:0)", "gpu:4", "gpu:a100", "gpu" */
static int add_term(struct qs_site_node *node, const char *term, size_t n)
{
	const char *paren = memchr(term, '(', n);
	const char *type = "", *colon;
	size_t type_n = 0;
	int64_t count = 1;
	char *end;

	if (paren)
		n = (size_t)(paren - term);
	if (n < 3 || strncasecmp(term, "gpu", 3) || (n > 3 && term[3] != ':'))
		return 0;
	if (n > 4) {
		type = term + 4;
		type_n = n - 4;
		colon = memchr(type, ':', type_n);
		if (!strncasecmp(type, "no_consume", 10))
			return 0;
		if (colon) {
			count = strtoll(colon + 1, &end, 10);
			type_n = (size_t)(colon - type);
		} else {
			count = strtoll(type, &end, 10);
			if (end == type + type_n)
				type_n = 0; /* a count alone */
			else
				count = 1;
		}
	}
	return count > 0 ? add_gpu(node, type, type_n, count) : 0;
}

static int add_gres(struct qs_site_node *node, const char *gres)
{
	int rc = 0;

	while (!rc && gres && *gres) {
		size_t n = strcspn(gres, ",");

		rc = add_term(node, gres, n);
		gres += n + (gres[n] == ',');
	}
	return rc;
}

static int add_node(const char *name, void *arg)
{
	struct line *line = arg;
	struct qs_site *site = line->site;
	struct qs_site_node *node;

	if (site->nnodes == line->max) {
		size_t max = line->max ? line->max * 2 : 64;

		if (max > QS_SITE_NODES_MAX * 2)
			return 1;
		node = realloc(site->nodes, max * sizeof(*node));
		if (!node)
			return 1;
		site->nodes = node;
		line->max = max;
	}
	node = &site->nodes[site->nnodes];
	memset(node, 0, sizeof(*node));
	node->name = strdup(name);
	if (!node->name)
		return 1;
	site->nnodes++;
	if (line->features)
		node->features = strdup(line->features);
	return add_gres(node, line->gres);
}

static int by_name(const void *a, const void *b)
{
	const struct qs_site_node *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void free_node(struct qs_site_node *node)
{
	for (size_t k = 0; k < node->ngpus; k++)
		free(node->gpus[k].type);
	free(node->gpus);
	free(node->features);
	free(node->name);
}

/* A node that is named on two lines counts once. */
static void sort_nodes(struct qs_site *site)
{
	size_t n = 0;

	if (site->nnodes)
		qsort(site->nodes, site->nnodes, sizeof(*site->nodes), by_name);
	for (size_t i = 0; i < site->nnodes; i++) {
		if (n &&
		    !strcmp(site->nodes[n - 1].name, site->nodes[i].name)) {
			if (!site->nodes[n - 1].ngpus) {
				struct qs_site_node first = site->nodes[n - 1];

				site->nodes[n - 1] = site->nodes[i];
				site->nodes[i] = first;
			}
			free_node(&site->nodes[i]);
		} else {
			site->nodes[n++] = site->nodes[i];
		}
	}
	site->nnodes = n;
}

static struct qs_site_node *find(const struct qs_site *site, const char *name)
{
	struct qs_site_node key = { .name = (char *)name };

	return site->nnodes ? bsearch(&key, site->nodes, site->nnodes,
				      sizeof(key), by_name) :
			      NULL;
}

static int read_nodes(struct qs_site *site)
{
	struct line line = { .site = site };
	const char *gres = NULL, *features = NULL;
	int rc = 0;

	for (size_t i = 0; !rc && i < site->slurm.nrecords; i++) {
		const struct qs_record *record = &site->slurm.records[i];
		const char *names, *mine = value_of(record, "Gres");
		const char *feature = value_of(record, "Features");

		if (!begins_with(record, "NodeName"))
			continue;
		if (!feature)
			feature = value_of(record, "Feature");
		names = record->tokens[0].value;
		if (!strcasecmp(names, "DEFAULT")) {
			gres = mine ? mine : gres;
			features = feature ? feature : features;
			continue;
		}
		line.gres = mine ? mine : gres;
		line.features = feature ? feature : features;
		rc = qs_hosts_each(names, add_node, &line);
	}
	sort_nodes(site);
	return rc > 0 ? -1 : 0; /* a strange host list is Slurm's to say */
}

/* How many devices File= names, else Count=, else 1. */
static int64_t devices(const struct qs_record *record)
{
	const char *file = value_of(record, "File");
	const char *count = value_of(record, "Count");
	const char *bracket = file ? strchr(file, '[') : NULL;
	int64_t n = 0;

	if (count)
		return strtoll(count, NULL, 10);
	if (!bracket)
		return 1;
	for (const char *p = bracket + 1; *p && *p != ']';) {
		char *end;
		long first = strtol(p, &end, 10), last = first;

		if (end == p)
			break;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		n += last >= first ? last - first + 1 : 0;
		p = end + (*end == ',');
	}
	return n ? n : 1;
}

/* gres.conf's types for a node whose GPUs slurm.conf only counts. The counts
 * of all its lines are added up behind the untyped one. */
static int add_type(const char *name, void *arg)
{
	const struct line *line = arg;
	struct qs_site_node *node = find(line->site, name);

	if (!node || !node->ngpus || node->gpus[0].type[0])
		return 0;
	return add_gpu(node, line->type, strlen(line->type), line->count);
}

/* What got types is not counted twice. */
static void drop_untyped(struct qs_site *site)
{
	for (size_t i = 0; i < site->nnodes; i++) {
		struct qs_site_node *node = &site->nodes[i];

		if (node->ngpus < 2 || node->gpus[0].type[0])
			continue;
		free(node->gpus[0].type);
		node->ngpus--;
		memmove(node->gpus, node->gpus + 1,
			node->ngpus * sizeof(*node->gpus));
	}
}

static int read_types(struct qs_site *site)
{
	struct line line = { .site = site };
	int rc = 0;

	for (size_t i = 0; !rc && i < site->gres.nrecords; i++) {
		const struct qs_record *record = &site->gres.records[i];
		const char *name = value_of(record, "Name");
		const char *nodes = value_of(record, "NodeName");
		const char *detect = value_of(record, "AutoDetect");

		site->autodetect |= detect && strcasecmp(detect, "off");
		line.type = value_of(record, "Type");
		if (!name || strcasecmp(name, "gpu") || !line.type)
			continue;
		line.count = devices(record);
		if (nodes)
			rc = qs_hosts_each(nodes, add_type, &line);
		for (size_t k = 0; !nodes && !rc && k < site->nnodes; k++)
			rc = add_type(site->nodes[k].name, &line);
	}
	drop_untyped(site);
	return rc > 0 ? -1 : 0;
}

static void add_feature(struct qs_site *site, struct qs_site_part *part,
			const char *feature)
{
	for (size_t i = 0; i < site->nnodes; i++)
		if (qs_site_lists(site->nodes[i].features, feature))
			part->has[i] = true;
}

static int add_member(const char *name, void *arg)
{
	struct line *line = arg;
	struct qs_site *site = line->site;
	const struct qs_site_node *node = find(site, name);

	if (node) {
		line->part->has[node - site->nodes] = true;
		return 0;
	}
	if (!strcasecmp(name, "ALL")) {
		memset(line->part->has, true, site->nnodes);
		return 0;
	}
	for (size_t i = 0; i < site->slurm.nrecords; i++) {
		const struct qs_record *set = &site->slurm.records[i];
		const char *nodes = value_of(set, "Nodes");
		const char *feature = value_of(set, "Feature");

		if (!begins_with(set, "NodeSet") ||
		    strcmp(set->tokens[0].value, name) || set == line->record)
			continue;
		if (feature)
			add_feature(site, line->part, feature);
		if (nodes) {
			struct line inner = { .site = site,
					      .part = line->part,
					      .record = set };

			return qs_hosts_each(nodes, add_member, &inner);
		}
	}
	return 0;
}

static int read_parts(struct qs_site *site)
{
	const char *by_default = NULL;
	int rc = 0;

	for (size_t i = 0; !rc && i < site->slurm.nrecords; i++) {
		const struct qs_record *record = &site->slurm.records[i];
		const char *nodes = value_of(record, "Nodes");
		struct line line = { .site = site };
		struct qs_site_part *parts;

		if (!begins_with(record, "PartitionName"))
			continue;
		if (!strcasecmp(record->tokens[0].value, "DEFAULT")) {
			by_default = nodes ? nodes : by_default;
			continue;
		}
		parts = realloc(site->parts,
				(site->nparts + 1) * sizeof(*parts));
		if (!parts)
			return -1;
		site->parts = parts;
		line.part = &parts[site->nparts];
		line.part->name = strdup(record->tokens[0].value);
		line.part->has = calloc(site->nnodes + 1, sizeof(bool));
		site->nparts++;
		if (!line.part->name || !line.part->has)
			return -1;
		nodes = nodes ? nodes : by_default;
		if (nodes)
			rc = qs_hosts_each(nodes, add_member, &line);
	}
	return rc > 0 ? -1 : 0;
}

/* gres.conf beside slurm.conf, the caller's (free); NULL if there is none. */
static char *beside(const char *slurm_conf)
{
	char *path = qs_path_beside(slurm_conf, "gres.conf");

	if (path && !access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

struct qs_site *qs_site_read(const char *slurm_conf, const char *gres_conf,
			     struct qs_error *err)
{
	struct qs_site *site = calloc(1, sizeof(*site));
	char *path = NULL;
	int rc;

	if (!site) {
		qs_error_memory(err);
		return NULL;
	}
	rc = qs_document_read_file(&site->slurm, slurm_conf, err);
	if (!rc && !gres_conf)
		gres_conf = path = beside(slurm_conf);
	if (!rc && gres_conf)
		rc = qs_document_read_file(&site->gres, gres_conf, err);
	free(path);
	if (!rc && (read_nodes(site) || read_types(site) || read_parts(site)))
		rc = qs_error_memory(err);
	if (rc) {
		qs_site_free(site);
		site = NULL;
	}
	return site;
}

void qs_site_free(struct qs_site *site)
{
	if (!site)
		return;
	for (size_t i = 0; i < site->nnodes; i++)
		free_node(&site->nodes[i]);
	for (size_t i = 0; i < site->nparts; i++) {
		free(site->parts[i].name);
		free(site->parts[i].has);
	}
	free(site->nodes);
	free(site->parts);
	qs_document_clear(&site->slurm);
	qs_document_clear(&site->gres);
	free(site);
}
