/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_scenario.c - the answer to "scenario": now, as qshare_scenario(5)
 *
 * Made by our thread from a view that nobody else has yet, with no lock held.
 * What-if, diff and a report of a fault begin with this. It blocks on nothing. Its surprise: it can be read back in any case,
 * so what that format has no word for is left out: restrictions of single jobs
 * to certain nodes, and jobs whose nodes are gone.
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#include "runtime/answer.h"

static void put_policy(struct json_object *to, const struct qs_policy *policy)
{
	struct json_object *lines = qs_answer_list(to, "policy");
	char *text = qs_conf_print(policy), *line, *rest = text;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line)
			json_object_array_add(lines,
					      json_object_new_string(line));
	free(text);
}

/* Names of the partitions of a queue behind the bits. */
static void put_partitions(struct json_object *to,
			   const struct qs_policy *policy, int32_t queue,
			   uint64_t bits)
{
	const struct qs_names *names = &policy->queues[queue].partitions;
	struct json_object *list;

	if (!names->n)
		return;
	list = qs_answer_list(to, "partitions");
	for (size_t i = 0; i < names->n; i++)
		if (!bits || (bits >> i & 1))
			json_object_array_add(
				list, json_object_new_string(names->items[i]));
}

/* GPUs of each node that jobs hold, [node * ntypes + type]. */
static uint32_t *held_gpus(const struct qs_view *view)
{
	const struct qs_snapshot *snap = view->snap;
	size_t T = (size_t)view->policy->ntypes;
	uint32_t *held = calloc((size_t)snap->nnodes * T + 1, sizeof(*held));

	for (uint32_t i = 0; held && i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];

		for (uint32_t k = 0; k < job->nplaced; k++) {
			const struct qs_placed *p =
				&snap->placed[job->placed + k];

			held[p->node * T + p->type] += p->gpus;
		}
	}
	return held;
}

static void put_node(struct json_object *list, const struct qs_view *view,
		     uint32_t i, const uint32_t *held)
{
	static const char *const states[] = { [QS_NODE_UP] = "UP",
					      [QS_NODE_DOWN] = "DOWN",
					      [QS_NODE_DRAIN] = "DRAIN" };
	const struct qs_snapshot *snap = view->snap;
	const struct qs_node *node = &snap->nodes[i];
	struct json_object *out = json_object_new_object();
	struct json_object *gpus = json_object_new_object();
	struct json_object *other = json_object_new_object();
	size_t T = (size_t)view->policy->ntypes;

	qs_answer_text(out, "name", node->name);
	qs_answer_text(out, "state", states[node->state]);
	for (size_t t = 0; t < T; t++) {
		const char *type = view->policy->types[t].name;
		uint32_t others = snap->node_gpus_other[i * T + t];
		uint32_t has = snap->node_gpus[i * T + t];
		uint32_t used = held[i * T + t] + others;

		if (has || used)
			qs_answer_number(gpus, type, used > has ? used : has);
		if (others)
			qs_answer_number(other, type, others);
	}
	json_object_object_add(out, "gpus", gpus);
	json_object_object_add(out, "other_gpus", other);
	if (node->cpus > node->cpus_busy)
		qs_answer_number(out, "cpus", node->cpus - node->cpus_busy);
	put_partitions(out, view->policy, node->queue, node->partitions);
	json_object_array_add(list, out);
}

/* Where it sits, and how much of each type that is. */
static void put_on(struct json_object *to, const struct qs_view *view,
		   const struct qs_job *job, uint32_t *sums)
{
	const struct qs_snapshot *snap = view->snap;
	struct json_object *on = json_object_new_object();

	for (uint32_t k = 0; k < job->nplaced; k++) {
		const struct qs_placed *p = &snap->placed[job->placed + k];
		const char *name = snap->nodes[p->node].name;
		const char *type = view->policy->types[p->type].name;
		struct json_object *gpus, *had;
		int64_t sum = p->gpus;

		if (!json_object_object_get_ex(on, name, &gpus)) {
			gpus = json_object_new_object();
			json_object_object_add(on, name, gpus);
		}
		if (json_object_object_get_ex(gpus, type, &had))
			sum += json_object_get_int64(had);
		qs_answer_number(gpus, type, sum);
		sums[p->type] += p->gpus;
	}
	json_object_object_add(to, "on", on);
}

static void put_pending(struct json_object *out, const struct qs_view *view,
			const struct qs_job *job, uint32_t *sums)
{
	for (uint32_t k = 0; k < job->ndemands; k++) {
		const struct qs_demand *d =
			&view->snap->demands[job->demands + k];

		sums[d->type] += d->gpus;
	}
	qs_answer_number(out, "eligible", job->eligible);
	if (job->need_nodes != QS_NODES_ANY)
		qs_answer_number(out, "nodes", job->need_nodes);
	if (job->copies > 1)
		qs_answer_number(out, "tasks", job->copies);
	if (job->held || job->unplaceable)
		json_object_object_add(out, "held", json_object_new_boolean(1));
	if (job->claim)
		json_object_object_add(out, "claim",
				       json_object_new_boolean(1));
	if (job->displaced_by)
		qs_answer_number(out, "displaced_by", job->displaced_by);
}

static void put_share(struct json_object *out, const struct qs_view *view,
		      const struct qs_job *job)
{
	const struct qs_names *names =
		&view->policy->queues[job->queue].partitions;
	uint64_t bits = job->partitions;

	if (job->share >= 0)
		qs_answer_text(out, "share",
			       view->policy->shares[job->share].name);
	else
		qs_answer_text(out, "removed_share", "(removed)");
	/* One partition has a word; several mean any of the queue. */
	for (size_t i = 0; i < names->n; i++)
		if (bits == UINT64_C(1) << i ||
		    (job->share < 0 && (!bits || bits >> i & 1))) {
			qs_answer_text(out, "partition", names->items[i]);
			return;
		}
}

static void put_flags(struct json_object *out, const struct qs_job *job)
{
	qs_answer_number(out, "priority", job->priority);
	qs_answer_number(out, "cpus", job->cpus);
	qs_answer_number(out, "preempted", job->preempted);
	if (job->retries.set)
		qs_answer_number(out, "retries", job->retries.value);
	if (!job->requeue)
		json_object_object_add(out, "requeue",
				       json_object_new_boolean(0));
	if (job->ends && job->state != QS_JOB_PENDING)
		json_object_object_add(out, "ends", json_object_new_boolean(1));
}

static struct json_object *job_json(const struct qs_view *view, uint32_t i)
{
	static const char *const states[] = {
		[QS_JOB_PENDING] = "PENDING",
		[QS_JOB_RUNNING] = "RUNNING",
		[QS_JOB_SUSPENDED] = "SUSPENDED",
		[QS_JOB_COMPLETING] = "COMPLETING",
	};
	const struct qs_job *job = &view->snap->jobs[i];
	struct json_object *out = json_object_new_object();
	struct json_object *gpus = json_object_new_object();
	uint32_t sums[QS_TYPES_MAX] = { 0 };

	qs_answer_number(out, "id", job->id);
	put_share(out, view, job);
	qs_answer_text(out, "state", states[job->state]);
	put_flags(out, job);
	if (job->state == QS_JOB_PENDING) {
		put_pending(out, view, job, sums);
	} else {
		qs_answer_number(out, "start", job->start);
		put_on(out, view, job, sums);
	}
	for (int t = 0; t < view->policy->ntypes; t++)
		if (sums[t])
			qs_answer_number(gpus, view->policy->types[t].name,
					 sums[t]);
	if (job->state == QS_JOB_PENDING && job->unknown_type)
		qs_answer_number(gpus, "(unknown)", 1);
	if (!json_object_object_length(gpus)) {
		json_object_put(gpus);
		json_object_put(out);
		return NULL;
	}
	json_object_object_add(out, "gpus", gpus);
	return out;
}

char *qs_scenario_text(const struct qs_view *view)
{
	struct json_object *answer = json_object_new_object(), *list;
	uint32_t *held = held_gpus(view);

	qs_answer_text(answer, "name",
		       "as slurmctld saw it, quota_share " QS_VERSION);
	put_policy(answer, view->policy);
	qs_answer_number(answer, "now", view->snap->now);
	list = qs_answer_list(answer, "nodes");
	for (uint32_t i = 0; held && i < view->snap->nnodes; i++)
		put_node(list, view, i, held);
	list = qs_answer_list(answer, "jobs");
	for (uint32_t i = 0; i < view->snap->njobs; i++) {
		struct json_object *job = job_json(view, i);

		if (job)
			json_object_array_add(list, job);
	}
	free(held);
	return qs_answer_print(answer);
}
