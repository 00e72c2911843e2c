/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario.c - a policy, a cluster and its jobs in one JSON file
 *
 * Called by qshare and by tests, never by slurmctld. Blocks on the file
 * system. Strict: what is not understood is an error, with its JSON path.
 */
#include "conf/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/load.h"
#include "conf/nearest.h"
#include "conf/scenario_read.h"

static const char *const top_keys[] = {
	"expect", "expect_order", "expect_shares", "jobs",        "name",
	"nodes",  "now",          "policy",        "policy_file", NULL,
};

int qs_scenario_type(const struct qs_policy *policy, const char *name)
{
	int type = qs_policy_find_type(policy, name);

	return type >= 0 ? type : qs_policy_find_gres(policy, name);
}

int qs_scenario_fail_type(const struct qs_scenario_reader *reader,
			  const struct qs_json *at, const char *key)
{
	const struct qs_policy *policy = reader->scenario->policy;
	struct qs_nearest nearest;

	qs_nearest_init(&nearest, key);
	for (int t = 0; t < policy->ntypes; t++)
		qs_nearest_offer(&nearest, policy->types[t].name);
	return qs_json_fail(at, key, "the policy has no such type",
			    qs_nearest_get(&nearest), "a type of the policy");
}

/* In a queue without a list of partitions all names are good. */
static int any_partition(struct qs_scenario_reader *reader,
			 const struct qs_json *at, const char *key,
			 const char *name, uint64_t *bit)
{
	int p = qs_names_find(&reader->partitions, name);

	if (p < 0) {
		p = (int)reader->partitions.n;
		if (p == QS_PARTITIONS_MAX)
			return qs_json_fail(at, key, "too many partitions",
					    NULL, "at most %d",
					    QS_PARTITIONS_MAX);
		if (qs_names_add(&reader->partitions, name, strlen(name)))
			return qs_error_memory(at->err);
	}
	*bit = UINT64_C(1) << p;
	return 0;
}

int qs_scenario_partition(struct qs_scenario_reader *reader,
			  const struct qs_json *at, const char *key,
			  const char *name, int *queue, uint64_t *bit)
{
	const struct qs_policy *policy = reader->scenario->policy;
	const struct qs_names *list;
	struct qs_nearest nearest;

	*queue = qs_policy_queue_of(policy, name);
	if (*queue >= 0) {
		list = &policy->queues[*queue].partitions;
		if (!list->n)
			return any_partition(reader, at, key, name, bit);
		*bit = UINT64_C(1) << qs_names_find(list, name);
		return 0;
	}
	qs_nearest_init(&nearest, name);
	for (int q = 0; q < policy->nqueues; q++)
		for (size_t p = 0; p < policy->queues[q].partitions.n; p++)
			qs_nearest_offer(&nearest,
					 policy->queues[q].partitions.items[p]);
	return qs_json_fail(at, key, "no queue has such a partition",
			    qs_nearest_get(&nearest),
			    "a partition of the policy");
}

static int read_policy_lines(struct qs_scenario_reader *reader)
{
	struct qs_scenario *scenario = reader->scenario;
	const char **lines;
	char name[256];
	size_t n;

	if (qs_json_strings(&reader->top, "policy", &lines, &n))
		return -1;
	snprintf(name, sizeof(name), "%.240s policy", reader->top.file);
	scenario->policy =
		qs_conf_read_lines(name, reader->dir, lines, n,
				   &scenario->warnings, reader->top.err);
	free(lines);
	return scenario->policy ? 0 : -1;
}

static int read_policy_file(struct qs_scenario_reader *reader)
{
	struct qs_scenario *scenario = reader->scenario;
	const char *file;
	char path[4096];

	if (qs_json_string(&reader->top, "policy_file", true, &file))
		return -1;
	if (!reader->dir && file[0] != '/')
		return qs_json_fail(&reader->top, "policy_file", NULL, NULL,
				    "an absolute path here");
	if (snprintf(path, sizeof(path), "%s%s%s",
		     file[0] == '/' ? "" : reader->dir,
		     file[0] == '/' ? "" : "/", file) >= (int)sizeof(path))
		return qs_json_fail(&reader->top, "policy_file", NULL, NULL,
				    "a shorter path");
	scenario->policy =
		qs_conf_read_file(path, &scenario->warnings, reader->top.err);
	return scenario->policy ? 0 : -1;
}

static int read_policy(struct qs_scenario_reader *reader)
{
	bool lines =
		json_object_object_get_ex(reader->top.json, "policy", NULL);
	bool file = json_object_object_get_ex(reader->top.json, "policy_file",
					      NULL);

	if (lines == file)
		return qs_json_fail(&reader->top, NULL, NULL, NULL,
				    "either \"policy\" or \"policy_file\" in "
				    "it");
	return lines ? read_policy_lines(reader) : read_policy_file(reader);
}

static int read_top(struct qs_scenario_reader *reader)
{
	struct qs_scenario *scenario = reader->scenario;
	const char *name;
	int64_t now = 0;

	if (qs_json_keys(&reader->top, top_keys) ||
	    qs_json_string(&reader->top, "name", false, &name) ||
	    qs_json_number(&reader->top, "now", 0, QS_SCENARIO_TIME_MAX, &now,
			   NULL) ||
	    read_policy(reader))
		return -1;
	if (name) {
		scenario->name = strdup(name);
		if (!scenario->name)
			return qs_error_memory(reader->top.err);
	}
	scenario->snap = qs_snapshot_new(scenario->policy, now);
	if (!scenario->snap)
		return qs_error_memory(reader->top.err);
	if (qs_scenario_read_nodes(reader))
		return -1;
	return qs_scenario_read_jobs(reader);
}

static void reader_clear(struct qs_scenario_reader *reader)
{
	json_object_put(reader->node_index);
	json_object_put(reader->job_index);
	qs_names_clear(&reader->partitions);
	free(reader->held);
	free(reader->demands);
	free(reader->placed);
}

struct qs_scenario *qs_scenario_read_text(const char *name, const char *dir,
					  const char *text, size_t n,
					  struct qs_error *err)
{
	struct qs_scenario_reader reader = {
		.scenario = calloc(1, sizeof(struct qs_scenario)),
		.top = { .file = name, .err = err },
		.dir = dir,
		.node_index = json_object_new_object(),
		.job_index = json_object_new_object(),
	};
	struct qs_scenario *scenario = reader.scenario;
	int rc = -1;

	memset(err, 0, sizeof(*err));
	if (!scenario || !reader.node_index || !reader.job_index) {
		qs_error_memory(err);
		goto out;
	}
	scenario->json = qs_json_parse(name, text, n, err);
	if (!scenario->json)
		goto out;
	reader.top.json = scenario->json;
	rc = read_top(&reader);
out:
	reader_clear(&reader);
	if (rc) {
		int saved = errno;

		qs_scenario_free(scenario);
		errno = saved;
		return NULL;
	}
	return scenario;
}

struct qs_scenario *qs_scenario_read_file(const char *path,
					  struct qs_error *err)
{
	struct qs_place at = { .file = path };
	struct qs_scenario *scenario = NULL;
	const char *problem, *slash = strrchr(path, '/');
	char *text, *dir;
	size_t n;

	memset(err, 0, sizeof(*err));
	if (qs_load_file(path, QS_SCENARIO_BYTES_MAX, &text, &n, NULL,
			 &problem)) {
		qs_error_set(err, &at, problem, NULL,
			     "a readable scenario file");
		return NULL;
	}
	dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	if (dir)
		scenario = qs_scenario_read_text(path, dir, text, n, err);
	else
		qs_error_memory(err);
	free(dir);
	free(text);
	return scenario;
}

void qs_scenario_free(struct qs_scenario *scenario)
{
	if (!scenario)
		return;
	qs_snapshot_free(scenario->snap);
	qs_policy_free(scenario->policy);
	json_object_put(scenario->json);
	free(scenario->name);
	free(scenario);
}
