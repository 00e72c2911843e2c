/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_nodes.c - the "nodes" of a scenario
 *
 * Called by scenario.c after the policy and before the jobs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "conf/scenario_read.h"

#define CPUS_MAX 1000000

static const char *const node_keys[] = {
	"cpus", "gpus", "name", "other_gpus", "partitions", "state", NULL,
};

static const char *const node_states[] = { "UP", "DOWN", "DRAIN", NULL };

static int read_state(const struct qs_json *at, struct qs_node *node)
{
	struct qs_nearest nearest;
	const char *word;
	int state;

	if (qs_json_string(at, "state", false, &word))
		return -1;
	if (!word)
		return 0;
	for (state = 0; node_states[state]; state++)
		if (!strcmp(node_states[state], word))
			break;
	if (node_states[state]) {
		node->state = (uint8_t)state;
		return 0;
	}
	qs_nearest_init(&nearest, word);
	for (state = 0; node_states[state]; state++)
		qs_nearest_offer(&nearest, node_states[state]);
	return qs_json_fail(at, "state", NULL, qs_nearest_get(&nearest),
			    "UP, DOWN or DRAIN");
}

/* Which queue, and which of its partitions. Node sets do not overlap. */
static int read_partitions(struct qs_scenario_reader *reader,
			   const struct qs_json *at, struct qs_node *node)
{
	const struct qs_policy *policy = reader->scenario->policy;
	const char **names;
	size_t n;
	int rc = 0;

	node->queue = 0;
	if (!json_object_object_get_ex(at->json, "partitions", NULL)) {
		if (policy->nqueues == 1)
			return 0;
		return qs_json_fail(at, NULL, NULL, NULL,
				    "\"partitions\" in it, because there are "
				    "several queues");
	}
	if (qs_json_strings(at, "partitions", &names, &n))
		return -1;
	if (!n)
		rc = qs_json_fail(at, "partitions", NULL, NULL,
				  "at least one partition");
	for (size_t i = 0; i < n && !rc; i++) {
		uint64_t bit;
		int queue;

		rc = qs_scenario_partition(reader, at, "partitions", names[i],
					   &queue, &bit);
		if (rc)
			break;
		if (i && queue != node->queue)
			rc = qs_json_fail(at, "partitions",
					  "partitions of two queues", NULL,
					  "partitions of one queue");
		node->queue = queue;
		node->partitions |= bit;
	}
	free(names);
	return rc;
}

/* Counts by type; key may be absent. */
static int read_gpus(struct qs_scenario_reader *reader,
		     const struct qs_json *at, const char *key, uint32_t *gpus)
{
	struct qs_json object;

	if (qs_json_object(at, key, false, &object))
		return -1;
	if (!object.json)
		return 0;
	json_object_object_foreach(object.json, name, value)
	{
		int type = qs_scenario_type(reader->scenario->policy, name);
		int64_t count = 0;

		(void)value;
		if (type < 0)
			return qs_scenario_fail_type(reader, &object, name);
		if (qs_json_number(&object, name, 0, QS_GPUS_MAX, &count, NULL))
			return -1;
		gpus[type] += (uint32_t)count;
		if (gpus[type] > QS_GPUS_MAX)
			return qs_json_fail(at, key, NULL, NULL,
					    "at most %d GPUs of a type",
					    QS_GPUS_MAX);
	}
	return 0;
}

static int index_node(struct qs_scenario_reader *reader,
		      const struct qs_json *at, const char *name)
{
	struct json_object *index;

	if (!*name)
		return qs_json_fail(at, "name", NULL, NULL, "a name");
	if (json_object_object_get_ex(reader->node_index, name, NULL))
		return qs_json_fail(at, "name", "the name is taken", NULL,
				    "each node once");
	index = json_object_new_int64(reader->scenario->snap->nnodes);
	if (!index || json_object_object_add(reader->node_index, name, index)) {
		json_object_put(index);
		return qs_error_memory(at->err);
	}
	return 0;
}

/* GPUs of jobs that no share is charged for. */
static int read_other(struct qs_scenario_reader *reader,
		      const struct qs_json *at, int64_t index,
		      const uint32_t *gpus)
{
	struct qs_snapshot *snap = reader->scenario->snap;
	size_t ntypes = (size_t)reader->scenario->policy->ntypes;
	uint32_t *other = snap->node_gpus_other + (size_t)index * ntypes;

	if (!ntypes)
		return 0;
	if (read_gpus(reader, at, "other_gpus", other))
		return -1;
	for (size_t t = 0; t < ntypes; t++)
		if (other[t] > gpus[t])
			return qs_json_fail(at, "other_gpus", NULL, NULL,
					    "at most what the node has");
	return 0;
}

static int read_node(struct qs_scenario_reader *reader,
		     const struct qs_json *at)
{
	uint32_t gpus[QS_TYPES_MAX] = { 0 };
	struct qs_node node = { 0 };
	const char *name;
	int64_t cpus = 0, index;

	if (qs_json_keys(at, node_keys) ||
	    qs_json_string(at, "name", true, &name) ||
	    index_node(reader, at, name) ||
	    qs_json_number(at, "cpus", 1, CPUS_MAX, &cpus, &(bool){ 0 }) ||
	    read_state(at, &node) || read_partitions(reader, at, &node) ||
	    read_gpus(reader, at, "gpus", gpus))
		return -1;
	node.name = (char *)name; /* copied */
	node.cpus = (uint32_t)cpus;
	index = qs_snapshot_add_node(reader->scenario->snap, &node, gpus);
	if (index < 0)
		return qs_error_memory(at->err);
	return read_other(reader, at, index, gpus);
}

/* Sums by type stay far inside what the planner counts with. */
static int check_sums(struct qs_scenario_reader *reader)
{
	const struct qs_snapshot *snap = reader->scenario->snap;
	int ntypes = reader->scenario->policy->ntypes;
	int64_t sum = 0;

	for (size_t i = 0; i < (size_t)snap->nnodes * (size_t)ntypes; i++)
		sum += snap->node_gpus[i];
	if (sum > QS_SCENARIO_GPUS_MAX)
		return qs_json_fail(&reader->top, "nodes", NULL, NULL,
				    "at most %d GPUs in all nodes",
				    QS_SCENARIO_GPUS_MAX);
	return 0;
}

int qs_scenario_read_nodes(struct qs_scenario_reader *reader)
{
	struct qs_snapshot *snap = reader->scenario->snap;
	size_t ntypes = (size_t)reader->scenario->policy->ntypes;
	struct json_object *array;
	struct qs_json at;
	size_t n;

	if (qs_json_array(&reader->top, "nodes", false, &array, &n))
		return -1;
	if (!array)
		return 0;
	/* an empty list is a cluster without nodes, not one without structure */
	snap->has_nodes = true;
	for (size_t i = 0; i < n; i++)
		if (qs_json_element(&reader->top, "nodes", array, i, &at) ||
		    read_node(reader, &at))
			return -1;
	reader->held = calloc(n * ntypes + 1, sizeof(*reader->held));
	if (!reader->held)
		return qs_error_memory(reader->top.err);
	for (size_t i = 0; i < n * ntypes; i++)
		reader->held[i] = snap->node_gpus_other[i];
	return check_sums(reader);
}
