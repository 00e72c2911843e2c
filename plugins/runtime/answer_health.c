/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_health.c - is a queue all right? The first lines of qshare
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks, and
 * by each plugin's init and fini. Blocks on nothing. Its surprise: which
 * plugins are there is known by who called init, not by slurm.conf, so a
 * plugin that is named but could not be loaded is missed too.
 */
#include "runtime/inner.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/answer.h"

/* Without a round for so long the planner is late: it looks once a second,
 * and what it granted is good for QS_GRANT_SEC. */
#define LATE_SEC (QS_GRANT_SEC / 3)
/* So many nodes are named; the rest is a number. */
#define NODES_NAMED 5

static const struct {
	const char *type;
	const char *conf; /* what slurm.conf has to say */
	const char *without;
} plugins[] = {
	{ "burst_buffer/quota_share",
	  "BurstBufferType=burst_buffer/quota_share", "no share is enforced" },
	{ "preempt/quota_share",
	  "PreemptType=preempt/quota_share and PreemptMode=REQUEUE",
	  "nothing that is lent can be taken back" },
	{ "site_factor/quota_share",
	  "PriorityType=priority/multifactor and PrioritySiteFactorPlugin="
	  "site_factor/quota_share",
	  "jobs are not served in the plan's order" },
	{ "job_submit/quota_share", "JobSubmitPlugins=quota_share",
	  "submissions are neither judged nor typed" },
};
#define NPLUGINS (sizeof(plugins) / sizeof(plugins[0]))

static int loaded[NPLUGINS];

void qs_health_plugin(const char *type, int up)
{
	for (size_t i = 0; i < NPLUGINS; i++)
		if (!strcmp(plugins[i].type, type))
			loaded[i] += up;
}

static void problem(struct json_object *list, const char *code, const char *fmt,
		    ...) __attribute__((format(printf, 3, 4)));
static void problem(struct json_object *list, const char *code, const char *fmt,
		    ...)
{
	struct json_object *out = json_object_new_object();
	char text[1400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	qs_answer_text(out, "code", code);
	qs_answer_text(out, "text", text);
	json_object_array_add(list, out);
}

static void find_plugins(struct json_object *list)
{
	for (size_t i = 0; i < NPLUGINS; i++)
		if (loaded[i] <= 0)
			problem(list, "PLUGIN_MISSING",
				"slurmctld has not loaded %s, so %s: slurm.conf "
				"needs %s, then restart slurmctld",
				plugins[i].type, plugins[i].without,
				plugins[i].conf);
	if (loaded[1] > 0 && !(slurm_conf.preempt_mode & PREEMPT_MODE_REQUEUE))
		problem(list, "PREEMPT_MODE",
			"PreemptMode is not REQUEUE, so preempted jobs are not "
			"run again: slurm.conf needs PreemptMode=REQUEUE");
}

static void find_runtime(struct json_object *list)
{
	int64_t late = qs_tick() - qs_rt.last_round_tick;

	if (late > LATE_SEC)
		problem(list, "PLANNER_LATE",
			"the planner has not run for %" PRId64
			" s: no GPU job starts after %d s; see slurmctld's log",
			late, QS_GRANT_SEC);
	if (qs_rt.state_error[0])
		problem(list, "STATE_UNSAVED",
			"what is about to be done cannot be saved, so nobody "
			"is preempted: %s",
			qs_rt.state_error);
	if (qs_rt.state_lost[0])
		problem(list, "STATE_LOST",
			"the state was not readable when slurmctld started, so "
			"preemption counts began at 0 (scontrol reconfigure "
			"takes this line away): %s",
			qs_rt.state_lost);
	for (int i = QS_LOG_EVENT; i <= QS_LOG_AUDIT; i++)
		if (qs_rt.log_error[i][0])
			problem(list, "LOG_UNWRITABLE",
				"lines of the %s log are lost: %s",
				i == QS_LOG_EVENT ? "event" : "audit",
				qs_rt.log_error[i]);
}

static void find_promises(struct json_object *list, const struct qs_view *view,
			  int queue)
{
	for (int t = 0; t < view->policy->ntypes; t++) {
		int64_t promised = qs_policy_promised(view->policy, queue, t);
		int64_t there = qs_answer_in_service(view, queue, t);

		if (promised > there)
			problem(list, "PROMISED",
				"the shares own %" PRId64 " %s, but %" PRId64
				" are in service: an owner may wait for nodes",
				promised, view->policy->types[t].name, there);
	}
}

static bool has_gpus(const struct qs_view *view, uint32_t node)
{
	size_t T = (size_t)view->policy->ntypes;

	for (size_t t = 0; t < T; t++)
		if (view->snap->node_gpus[node * T + t])
			return true;
	return false;
}

static void find_nodes(struct json_object *list, const struct qs_view *view,
		       int queue)
{
	char names[NODES_NAMED * (QS_NAME_MAX + 2) + 32] = "";
	uint32_t down = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < view->snap->nnodes; i++) {
		const struct qs_node *node = &view->snap->nodes[i];

		if (node->queue != queue || node->state == QS_NODE_UP ||
		    !has_gpus(view, i))
			continue;
		if (down++ < NODES_NAMED)
			n += (size_t)snprintf(names + n, sizeof(names) - n,
					      "%s%.*s", n ? ", " : "",
					      QS_NAME_MAX, node->name);
	}
	if (!down)
		return;
	if (down > NODES_NAMED)
		snprintf(names + n, sizeof(names) - n, " and %u more",
			 down - NODES_NAMED);
	problem(list, "NODES_DOWN",
		"%u node%s with GPUs %s down or drained: %s", down,
		down == 1 ? "" : "s", down == 1 ? "is" : "are", names);
}

void qs_answer_health(struct json_object *to, const struct qs_view *view,
		      int queue)
{
	struct json_object *list = qs_answer_list(to, "problems");

	if (qs_rt.policy_error[0])
		problem(list, "POLICY_REJECTED",
			"the policy file was refused, the old policy stays in "
			"force: %s",
			qs_rt.policy_error);
	find_plugins(list);
	find_runtime(list);
	/* Nodes that register in these seconds are not down. */
	if (!qs_rt.settling) {
		find_promises(list, view, queue);
		find_nodes(list, view, queue);
	}
	qs_answer_text(to, "status",
		       qs_rt.policy_error[0] ? "INVALID" : "VALID");
	json_object_object_add(
		to, "healthy",
		json_object_new_boolean(!json_object_array_length(list)));
}
