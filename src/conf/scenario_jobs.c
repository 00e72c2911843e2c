/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_jobs.c - the "jobs" of a scenario
 *
 * Called by scenario.c after the policy and the nodes. The surprise: an
 * unknown type is an error, except in what a PENDING job asks for, since that
 * is a case the planner has to answer (R6b).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "conf/scenario_read.h"
#include "engine/submit.h"

#define NODES_MAX    100000
#define JOB_CPUS_MAX 100000000
#define TASKS_MAX    1000000
#define ID_MAX       (UINT32_MAX - 1)

static const char *const job_keys[] = {
	"account", "claim",     "cpus",      "displaced_by", "eligible",
	"ends",    "gpus",      "held",      "id",           "nodes",
	"on",      "partition", "preempted", "priority",     "removed_share",
	"requeue", "retries",   "share",     "start",        "state",
	"tasks",   NULL,
};

static const char *const job_states[] = { "PENDING", "RUNNING", "SUSPENDED",
					  "COMPLETING", NULL };

static int read_state(const struct qs_json *at, struct qs_job *job)
{
	struct qs_nearest nearest;
	const char *word;
	int state;

	if (qs_json_string(at, "state", true, &word))
		return -1;
	for (state = 0; job_states[state]; state++)
		if (!strcmp(job_states[state], word))
			break;
	if (job_states[state]) {
		job->state = (uint8_t)state;
		return 0;
	}
	qs_nearest_init(&nearest, word);
	for (state = 0; job_states[state]; state++)
		qs_nearest_offer(&nearest, job_states[state]);
	return qs_json_fail(at, "state", NULL, qs_nearest_get(&nearest),
			    "PENDING, RUNNING, SUSPENDED or COMPLETING");
}

static int read_id(struct qs_scenario_reader *reader, const struct qs_json *at,
		   struct qs_job *job)
{
	struct json_object *index;
	char text[24];
	int64_t id = 0;

	if (qs_json_number(at, "id", 1, ID_MAX, &id, NULL))
		return -1;
	snprintf(text, sizeof(text), "%" PRId64, id);
	if (json_object_object_get_ex(reader->job_index, text, NULL))
		return qs_json_fail(at, "id", "the id is taken", NULL,
				    "each id once");
	index = json_object_new_int64(reader->scenario->snap->njobs);
	if (!index || json_object_object_add(reader->job_index, text, index)) {
		json_object_put(index);
		return qs_error_memory(at->err);
	}
	job->id = (uint32_t)id;
	return 0;
}

static int fail_share(struct qs_scenario_reader *reader,
		      const struct qs_json *at, const char *name)
{
	const struct qs_policy *policy = reader->scenario->policy;
	struct qs_nearest nearest;

	qs_nearest_init(&nearest, name);
	for (int s = 0; s < policy->nshares; s++)
		qs_nearest_offer(&nearest, policy->shares[s].name);
	return qs_json_fail(at, "share", "the policy has no such share",
			    qs_nearest_get(&nearest), "a share of the policy");
}

/* R1, as at submission: account, or account and its parents. */
static int read_account(struct qs_scenario_reader *reader,
			const struct qs_json *at, const char *wanted, int queue,
			struct qs_job *job)
{
	char text[QS_TEXT_MAX];
	const char **accounts, *one;
	struct json_object *json;
	size_t n = 1;

	json_object_object_get_ex(at->json, "account", &json);
	if (json_object_is_type(json, json_type_array)) {
		if (qs_json_strings(at, "account", &accounts, &n))
			return -1;
	} else {
		if (qs_json_string(at, "account", true, &one))
			return -1;
		accounts = calloc(1, sizeof(*accounts));
		if (!accounts)
			return qs_error_memory(at->err);
		accounts[0] = one;
	}
	job->share = qs_submit_share(reader->scenario->policy, queue, wanted,
				     accounts, n, text, sizeof(text));
	free(accounts);
	if (job->share >= 0)
		return 0;
	return qs_json_fail(at, "account", text, NULL,
			    "an account that has a share");
}

/* The job's partition, if it names one; queue -1 if that says nothing. */
static int read_partition(struct qs_scenario_reader *reader,
			  const struct qs_json *at, struct qs_job *job,
			  int *queue)
{
	const char *name;

	*queue = reader->scenario->policy->nqueues == 1 ? 0 : -1;
	if (qs_json_string(at, "partition", false, &name))
		return -1;
	return name ? qs_scenario_partition(reader, at, "partition", name,
					    queue, &job->partitions) :
		      0;
}

static int read_removed(struct qs_scenario_reader *reader,
			const struct qs_json *at, const char *name, int queue,
			struct qs_job *job)
{
	if (qs_policy_find_share(reader->scenario->policy, name) >= 0)
		return qs_json_fail(at, "removed_share",
				    "the policy has this share", NULL,
				    "\"share\" in its place");
	if (queue < 0)
		return qs_json_fail(at, NULL, NULL, NULL,
				    "\"partition\" in it, because there are "
				    "several queues");
	job->share = QS_SHARE_REMOVED;
	job->queue = queue;
	return 0;
}

static int read_share(struct qs_scenario_reader *reader,
		      const struct qs_json *at, struct qs_job *job)
{
	const struct qs_policy *policy = reader->scenario->policy;
	bool account = json_object_object_get_ex(at->json, "account", NULL);
	const char *name, *removed;
	int queue;

	if (read_partition(reader, at, job, &queue) ||
	    qs_json_string(at, "share", false, &name) ||
	    qs_json_string(at, "removed_share", false, &removed))
		return -1;
	if (removed) {
		if (name || account)
			return qs_json_fail(at, "removed_share", NULL, NULL,
					    "neither \"share\" nor "
					    "\"account\" beside it");
		return read_removed(reader, at, removed, queue, job);
	}
	if (!name && !account)
		return qs_json_fail(at, NULL, NULL, NULL,
				    "\"share\" or \"account\" in it");
	job->share = name ? qs_policy_find_share(policy, name) : -1;
	if (name && job->share < 0)
		return fail_share(reader, at, name);
	if (account) {
		if (queue < 0 && name)
			queue = policy->shares[job->share].queue;
		if (queue < 0)
			return qs_json_fail(at, NULL, NULL, NULL,
					    "\"partition\" in it, because "
					    "there are several queues");
		if (read_account(reader, at, name, queue, job))
			return -1;
	}
	job->queue = policy->shares[job->share].queue;
	if (job->partitions && queue != job->queue)
		return qs_json_fail(at, "partition",
				    "a partition of another queue", NULL,
				    "a partition of the share's queue, %s",
				    policy->queues[job->queue].name);
	return 0;
}

/* Two names of one type are one demand. */
static void add_demand(struct qs_scenario_reader *reader, int type,
		       uint32_t gpus)
{
	uint32_t i = 0;

	while (i < reader->ndemands && reader->demands[i].type != type)
		i++;
	if (i == reader->ndemands)
		reader->demands[reader->ndemands++] =
			(struct qs_demand){ .type = (uint16_t)type };
	reader->demands[i].gpus += gpus;
}

static int read_gpus(struct qs_scenario_reader *reader,
		     const struct qs_json *at, struct qs_job *job)
{
	struct qs_json gpus;
	int64_t sum = 0;

	reader->ndemands = 0;
	if (qs_json_object(at, "gpus", true, &gpus))
		return -1;
	json_object_object_foreach(gpus.json, name, value)
	{
		int type = qs_scenario_type(reader->scenario->policy, name);
		int64_t count = 0;

		(void)value;
		if (qs_json_number(&gpus, name, 0, QS_GPUS_MAX, &count, NULL))
			return -1;
		sum += count;
		if (type < 0 && job->state != QS_JOB_PENDING)
			return qs_scenario_fail_type(reader, &gpus, name);
		if (type < 0 && count)
			job->unknown_type = true;
		if (type < 0)
			continue;
		add_demand(reader, type, (uint32_t)count);
	}
	if (!sum || sum > QS_GPUS_MAX)
		return qs_json_fail(at, "gpus", NULL, NULL,
				    "1 to %d GPUs in total", QS_GPUS_MAX);
	return 0;
}

static int add_placed(struct qs_scenario_reader *reader,
		      const struct qs_json *at, uint32_t node, int type,
		      uint32_t gpus)
{
	if (reader->nplaced == reader->placed_max) {
		uint32_t max = reader->placed_max ? reader->placed_max * 2 : 16;
		struct qs_placed *placed =
			realloc(reader->placed, max * sizeof(*placed));

		if (!placed)
			return qs_error_memory(at->err);
		reader->placed = placed;
		reader->placed_max = max;
	}
	reader->placed[reader->nplaced++] = (struct qs_placed){
		.node = node, .gpus = gpus, .type = (uint16_t)type
	};
	return 0;
}

/* What a job holds on one node. */
static int read_on_node(struct qs_scenario_reader *reader,
			const struct qs_json *on, const char *name,
			int64_t *placed)
{
	const struct qs_policy *policy = reader->scenario->policy;
	const struct qs_snapshot *snap = reader->scenario->snap;
	struct json_object *index;
	struct qs_json gpus;
	uint32_t node;

	if (!json_object_object_get_ex(reader->node_index, name, &index))
		return qs_json_fail(on, name, "there is no such node", NULL,
				    "a node of \"nodes\"");
	node = (uint32_t)json_object_get_int64(index);
	if (qs_json_object(on, name, true, &gpus))
		return -1;
	json_object_object_foreach(gpus.json, word, value)
	{
		int type = qs_scenario_type(policy, word);
		int64_t count = 0;
		size_t cell;

		(void)value;
		if (type < 0)
			return qs_scenario_fail_type(reader, &gpus, word);
		if (qs_json_number(&gpus, word, 0, QS_GPUS_MAX, &count, NULL))
			return -1;
		cell = (size_t)node * (size_t)policy->ntypes + (size_t)type;
		reader->held[cell] += count;
		if (reader->held[cell] > snap->node_gpus[cell])
			return qs_json_fail(&gpus, word,
					    "the node holds more than it has",
					    NULL,
					    "at most %" PRIu32 " held by all "
					    "jobs together",
					    snap->node_gpus[cell]);
		placed[type] += count;
		if (count &&
		    add_placed(reader, &gpus, node, type, (uint32_t)count))
			return -1;
	}
	return 0;
}

static int read_on(struct qs_scenario_reader *reader, const struct qs_json *at,
		   const struct qs_job *job)
{
	bool has_nodes = reader->scenario->snap->has_nodes;
	int64_t placed[QS_TYPES_MAX] = { 0 };
	struct qs_json on;

	reader->nplaced = 0;
	if (job->state == QS_JOB_PENDING) {
		if (json_object_object_get_ex(at->json, "on", NULL))
			return qs_json_fail(at, "on", NULL, NULL,
					    "no place for a PENDING job");
		return 0;
	}
	if (qs_json_object(at, "on", has_nodes, &on))
		return -1;
	if (!on.json)
		return 0;
	json_object_object_foreach(on.json, name, value)
	{
		(void)value;
		if (read_on_node(reader, &on, name, placed))
			return -1;
	}
	for (uint32_t i = 0; i < reader->ndemands; i++)
		placed[reader->demands[i].type] -= reader->demands[i].gpus;
	for (int t = 0; t < QS_TYPES_MAX; t++)
		if (placed[t])
			return qs_json_fail(at, "on", NULL, NULL,
					    "as many GPUs as in \"gpus\"");
	return 0;
}

static int read_flags(const struct qs_json *at, struct qs_job *job)
{
	bool requeue = true, held = false, ends = false, claim = false;

	if (qs_json_bool(at, "requeue", &requeue) ||
	    qs_json_bool(at, "held", &held) ||
	    qs_json_bool(at, "ends", &ends) ||
	    qs_json_bool(at, "claim", &claim))
		return -1;
	if (ends && job->state == QS_JOB_PENDING)
		return qs_json_fail(at, "ends", NULL, NULL,
				    "a job that is not PENDING");
	if (claim && job->state != QS_JOB_PENDING)
		return qs_json_fail(at, "claim", NULL, NULL, "a PENDING job");
	job->requeue = requeue;
	job->held = held;
	job->ends = ends || job->state == QS_JOB_COMPLETING;
	job->claim = claim;
	return 0;
}

static int read_numbers(const struct qs_json *at, struct qs_job *job)
{
	bool pending = job->state == QS_JOB_PENDING, there;
	int64_t priority = 0, preempted = 0, nodes = QS_NODES_ANY, cpus = 0;
	int64_t tasks = 1, displaced_by = 0;

	if (qs_json_number(at, "priority", 0, QS_PRIORITY_MAX, &priority,
			   &there) ||
	    qs_json_number(at, "preempted", 0, INT32_MAX, &preempted, &there) ||
	    qs_json_number(at, "nodes", 1, NODES_MAX, &nodes, &there) ||
	    qs_json_number(at, "cpus", 0, JOB_CPUS_MAX, &cpus, &there) ||
	    qs_json_number(at, "displaced_by", 0, ID_MAX, &displaced_by,
			   &there) ||
	    qs_json_number(at, "tasks", 1, pending ? TASKS_MAX : 1, &tasks,
			   &there) ||
	    qs_json_number(at, "retries", 0, INT32_MAX, &job->retries.value,
			   &job->retries.set) ||
	    qs_json_number(at, "eligible", 0, QS_SCENARIO_TIME_MAX,
			   &job->eligible, pending ? NULL : &there) ||
	    qs_json_number(at, "start", 0, QS_SCENARIO_TIME_MAX, &job->start,
			   pending ? &there : NULL))
		return -1;
	if (pending)
		job->start = 0;
	job->priority = (uint32_t)priority;
	job->preempted = (uint32_t)preempted;
	job->need_nodes = (uint32_t)nodes;
	job->cpus = (uint32_t)cpus;
	job->copies = (uint32_t)tasks;
	job->displaced_by = (uint32_t)displaced_by;
	return 0;
}

static int read_job(struct qs_scenario_reader *reader, const struct qs_json *at)
{
	struct qs_job job = { .nodeset = QS_NODESET_ALL };

	if (qs_json_keys(at, job_keys) || read_id(reader, at, &job) ||
	    read_state(at, &job) || read_share(reader, at, &job) ||
	    read_flags(at, &job) || read_numbers(at, &job) ||
	    read_gpus(reader, at, &job) || read_on(reader, at, &job))
		return -1;
	if (qs_snapshot_add_job(reader->scenario->snap, &job, reader->demands,
				reader->ndemands, reader->placed,
				reader->nplaced) < 0)
		return qs_error_memory(at->err);
	return 0;
}

int qs_scenario_read_jobs(struct qs_scenario_reader *reader)
{
	struct json_object *array;
	struct qs_json at;
	size_t n;

	if (qs_json_array(&reader->top, "jobs", false, &array, &n))
		return -1;
	reader->demands = calloc(QS_TYPES_MAX, sizeof(*reader->demands));
	if (!reader->demands)
		return qs_error_memory(reader->top.err);
	if (n > QS_SCENARIO_GPUS_MAX / 100)
		return qs_json_fail(&reader->top, "jobs", NULL, NULL,
				    "at most %d jobs",
				    QS_SCENARIO_GPUS_MAX / 100);
	for (size_t i = 0; i < n; i++)
		if (qs_json_element(&reader->top, "jobs", array, i, &at) ||
		    read_job(reader, &at))
			return -1;
	return 0;
}
