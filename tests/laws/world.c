/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world.c - worlds into the engine's structs and into scenario files
 *
 * Memory that runs out ends the test: nothing here goes on without it.
 */
#include "world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[LAW_TYPES] = { "a100", "h100", "v100" };
static const char *const queue_names[LAW_QUEUES] = { "q", "r" };

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(99);
	}
	return p;
}

static char *copy(const char *text)
{
	return need(strdup(text));
}

static void shuffled(int *order, int n, struct law_random *r, bool really)
{
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n - 1; really && i > 0; i--) {
		int k = (int)law_random_below(r, (uint32_t)i + 1);
		int keep = order[i];

		order[i] = order[k];
		order[k] = keep;
	}
}

static void make_policy(struct law_view *view, const struct law_world *world)
{
	struct qs_policy *p = need(qs_policy_new());

	p->ntypes = world->ntypes;
	p->types = need(calloc(LAW_TYPES, sizeof(*p->types)));
	for (int t = 0; t < world->ntypes; t++) {
		p->types[t].name = copy(type_names[t]);
		p->types[t].gres.items = need(calloc(1, sizeof(char *)));
		p->types[t].gres.items[0] = copy(type_names[t]);
		p->types[t].gres.n = 1;
	}
	p->nqueues = world->nqueues;
	p->queues = need(calloc(LAW_QUEUES, sizeof(*p->queues)));
	for (int q = 0; q < world->nqueues; q++) {
		const struct law_queue *from = &world->queues[q];
		struct qs_queue *to = &p->queues[q];

		to->name = copy(queue_names[q]);
		to->capacity = need(calloc(LAW_TYPES, sizeof(struct qs_opt)));
		for (int t = 0; t < world->ntypes; t++)
			to->capacity[t] = from->capacity[t];
		to->enabled = from->enabled;
		to->default_share = -1;
		to->untyped = -1;
		to->never_fits_rejects = true;
		to->in_share_order =
			from->strict ? QS_ORDER_STRICT : QS_ORDER_BEST_EFFORT;
		to->idle_assignment =
			from->fair ? QS_ASSIGN_FAIR : QS_ASSIGN_FIFO;
		for (int i = 0; i < QS_VICTIM_STEPS; i++)
			to->victim_order[i] = from->victim_order[i];
		to->grace_sec = 120;
		to->claim_timeout_sec = from->claim_timeout;
		to->non_requeue_borrow = from->non_requeue_borrow;
	}
	p->nshares = world->nshares;
	p->shares = need(calloc(LAW_SHARES, sizeof(*p->shares)));
	p->quotas = need(calloc(LAW_SHARES * LAW_TYPES, sizeof(*p->quotas)));
	for (int s = 0; s < world->nshares; s++) {
		const struct law_share *from =
			&world->shares[view->share_of[s]];
		struct qs_share *to = &p->shares[s];

		to->name = copy(from->name);
		to->queue = from->queue;
		to->strategy = from->strategy;
		to->borrow_limit = from->borrow_limit;
		to->in_share_preemption = from->in_share;
		to->enabled = from->enabled;
		to->min_runtime_sec = from->min_runtime;
		to->grace_sec = from->grace;
		to->preempt_retries = from->retries;
		to->max_user_priority = QS_PRIORITY_MAX;
		for (int t = 0; t < world->ntypes; t++) {
			struct qs_quota *quota =
				&p->quotas[s * world->ntypes + t];

			quota->listed = from->listed[t];
			quota->capacity = from->capacity[t];
			quota->borrow_gpus = from->borrow_gpus[t];
			quota->lend_limit = from->lend_limit[t];
		}
	}
	view->policy = p;
}

static int32_t add_nodeset(struct law_view *view, const struct law_world *world,
			   uint32_t nodes)
{
	uint8_t bits[(LAW_NODES + 7) / 8] = { 0 };
	int32_t set;

	for (int n = 0; n < world->nnodes; n++) {
		if (nodes >> view->node_of[n] & 1)
			bits[n / 8] |= (uint8_t)(1u << n % 8);
	}
	set = qs_snapshot_add_nodeset(view->snap, bits, sizeof(bits));
	if (set < 0)
		need(NULL);
	return set;
}

static void add_job(struct law_view *view, const struct law_world *world,
		    const struct law_job *from, struct law_random *r)
{
	struct qs_demand demands[LAW_TYPES];
	struct qs_placed placed[LAW_NODES * LAW_TYPES];
	uint32_t nd = 0, np = 0;
	struct qs_job job = {
		.id = from->id,
		.share = QS_SHARE_REMOVED,
		.queue = from->queue,
		.state = (uint8_t)from->state,
		.requeue = from->requeue,
		.held = from->held,
		.ends = from->ends,
		.claim = from->claim,
		.submitting = from->submitting,
		.unplaceable = from->unplaceable,
		.unknown_type = from->unknown_type,
		.priority = from->priority,
		.preempted = from->preempted,
		.retries = from->retries,
		.need_nodes = from->need_nodes,
		.cpus = from->cpus,
		.copies = from->copies,
		.displaced_by = from->displaced_by,
		.nodeset = QS_NODESET_ALL,
		.eligible = from->eligible,
		.start = from->start,
		.claimed = from->claimed,
		.claim_owed = from->claim_owed,
		.claim_tasks = from->claim_tasks,
		.partitions = from->partitions,
	};
	bool back = law_random_one_in(r, 2);

	for (int s = 0; s < world->nshares; s++) {
		if (view->share_of[s] == from->share)
			job.share = s;
	}
	for (int i = 0; i < world->ntypes; i++) {
		int t = back ? world->ntypes - 1 - i : i;

		if (from->gpus[t])
			demands[nd++] =
				(struct qs_demand){ .gpus = from->gpus[t],
						    .type = (uint16_t)t };
	}
	for (int n = 0; n < world->nnodes; n++) {
		for (int t = 0; t < world->ntypes; t++) {
			uint32_t gpus = from->on[view->node_of[n]][t];

			if (gpus && from->state != QS_JOB_PENDING)
				placed[np++] = (struct qs_placed){
					.node = (uint32_t)n,
					.gpus = gpus,
					.type = (uint16_t)t,
				};
		}
	}
	if (from->only && world->has_nodes)
		job.nodeset = add_nodeset(view, world, from->only);
	if (from->claim_on && world->has_nodes)
		job.claimed_on =
			1 + (uint32_t)add_nodeset(view, world, from->claim_on);
	if (qs_snapshot_add_job(view->snap, &job, demands, nd, placed, np) < 0)
		need(NULL);
}

void law_view_make(struct law_view *view, const struct law_world *world,
		   uint64_t shuffle)
{
	struct law_random r = { .state = shuffle };

	memset(view, 0, sizeof(*view));
	shuffled(view->share_of, world->nshares, &r, shuffle);
	shuffled(view->node_of, world->nnodes, &r, shuffle);
	shuffled(view->job_of, world->njobs, &r, shuffle);
	make_policy(view, world);
	view->snap = need(qs_snapshot_new(view->policy, world->now));
	view->snap->has_nodes = world->has_nodes;
	for (int n = 0; world->has_nodes && n < world->nnodes; n++) {
		const struct law_node *from = &world->nodes[view->node_of[n]];
		struct qs_node node = {
			.name = (char *)from->name,
			.queue = from->queue,
			.state = (uint8_t)from->state,
			.cpus = from->cpus,
			.cpus_busy = from->cpus_busy,
			.partitions = from->partitions,
		};

		if (qs_snapshot_add_node(view->snap, &node, from->gpus) < 0)
			need(NULL);
		for (int t = 0; t < world->ntypes; t++)
			view->snap->node_gpus_other[n * world->ntypes + t] =
				from->other[t];
	}
	for (int j = 0; j < world->njobs; j++)
		add_job(view, world, &world->jobs[view->job_of[j]], &r);
}

void law_view_free(struct law_view *view)
{
	qs_snapshot_free(view->snap);
	qs_policy_free(view->policy);
	view->snap = NULL;
	view->policy = NULL;
}

static void print_counts(const uint32_t *counts, int n, FILE *out)
{
	const char *sep = "";

	fputc('{', out);
	for (int t = 0; t < n; t++) {
		if (!counts[t])
			continue;
		fprintf(out, "%s\"%s\": %u", sep, type_names[t], counts[t]);
		sep = ", ";
	}
	fputc('}', out);
}

static void print_queue(const struct law_world *world, int q, FILE *out)
{
	static const char *const steps[] = { "priority", "fit", "duration" };
	const struct law_queue *queue = &world->queues[q];
	const char *sep = " Capacity=";

	fprintf(out, "    \"Queue=%s Partitions=%s", queue_names[q],
		queue_names[q]);
	for (int t = 0; t < world->ntypes; t++) {
		if (!queue->capacity[t].set)
			continue;
		fprintf(out, "%s%s:%" PRId64, sep, type_names[t],
			queue->capacity[t].value);
		sep = ",";
	}
	if (!queue->strict)
		fputs(" InShareOrder=BEST_EFFORT", out);
	if (queue->fair)
		fputs(" IdleResourceAssignment=FAIR", out);
	if (!queue->non_requeue_borrow)
		fputs(" NonRequeueBorrow=NO", out);
	if (!queue->enabled)
		fputs(" State=DISABLED", out);
	fprintf(out, " VictimOrder=%s,%s,%s\",\n",
		steps[queue->victim_order[0]], steps[queue->victim_order[1]],
		steps[queue->victim_order[2]]);
}

static void print_opts(const struct qs_opt *opts, const char *key, int n,
		       FILE *out)
{
	const char *sep = "";

	for (int t = 0; t < n; t++) {
		if (!opts[t].set)
			continue;
		fprintf(out, "%s%s:%" PRId64, *sep ? sep : key, type_names[t],
			opts[t].value);
		sep = ",";
	}
}

static void print_share(const struct law_world *world, int s, FILE *out)
{
	const struct law_share *share = &world->shares[s];
	const char *sep = " Capacity=";

	fprintf(out, "    \"Share=%s Queue=%s Accounts=%s", share->name,
		queue_names[share->queue], share->name);
	for (int t = 0; t < world->ntypes; t++) {
		if (!share->listed[t])
			continue;
		fprintf(out, "%s%s:%u", sep, type_names[t], share->capacity[t]);
		sep = ",";
	}
	fprintf(out, " Strategy=%s InSharePreemption=%s",
		qs_strategy_name(share->strategy),
		share->in_share ? "YES" : "NO");
	if (share->borrow_limit.set)
		fprintf(out, " BorrowLimit=%" PRId64,
			share->borrow_limit.value);
	if (!share->enabled)
		fputs(" State=DISABLED", out);
	if (share->min_runtime)
		fprintf(out, " MinRuntime=%u", share->min_runtime);
	print_opts(share->borrow_gpus, " BorrowGpus=", world->ntypes, out);
	print_opts(share->lend_limit, " LendLimit=", world->ntypes, out);
	fprintf(out, "\"%s\n", s + 1 < world->nshares ? "," : "");
}

static void print_node(const struct law_world *world, int n, FILE *out)
{
	static const char *const states[] = { "UP", "DOWN", "DRAIN" };
	const struct law_node *node = &world->nodes[n];

	fprintf(out, "    {\"name\": \"%s\", \"gpus\": ", node->name);
	print_counts(node->gpus, world->ntypes, out);
	if (node->state != QS_NODE_UP)
		fprintf(out, ", \"state\": \"%s\"", states[node->state]);
	if (node->cpus)
		fprintf(out, ", \"cpus\": %u", node->cpus);
	if (node->cpus_busy)
		fprintf(out, ", \"#cpus_busy\": %u", node->cpus_busy);
	if (node->partitions)
		fprintf(out, ", \"#partitions\": %" PRIu64, node->partitions);
	if (node->other[0] + node->other[1] + node->other[2]) {
		fputs(", \"#other\": ", out);
		print_counts(node->other, world->ntypes, out);
	}
	if (node->queue)
		fprintf(out, ", \"#queue\": %d", node->queue);
	fprintf(out, "}%s\n", n + 1 < world->nnodes ? "," : "");
}

static void print_flags(const struct law_job *job, FILE *out)
{
	if (!job->requeue)
		fputs(", \"requeue\": false", out);
	if (job->held)
		fputs(", \"held\": true", out);
	if (job->ends)
		fputs(", \"ends\": true", out);
	if (job->preempted)
		fprintf(out, ", \"preempted\": %u", job->preempted);
	if (job->retries.set)
		fprintf(out, ", \"retries\": %" PRId64, job->retries.value);
	if (job->need_nodes)
		fprintf(out, ", \"nodes\": %u", job->need_nodes);
	if (job->cpus)
		fprintf(out, ", \"cpus\": %u", job->cpus);
	if (job->claim)
		fprintf(out, ", \"#claim\": %" PRId64, job->claimed);
	if (job->submitting)
		fputs(", \"#submitting\": true", out);
	if (job->unplaceable)
		fputs(", \"#unplaceable\": true", out);
	if (job->unknown_type)
		fputs(", \"#unknown_type\": true", out);
	if (job->copies > 1)
		fprintf(out, ", \"#copies\": %u", job->copies);
	if (job->displaced_by)
		fprintf(out, ", \"#displaced_by\": %u", job->displaced_by);
	if (job->partitions)
		fprintf(out, ", \"#partitions\": %" PRIu64, job->partitions);
	if (job->only)
		fprintf(out, ", \"#only\": %u", job->only);
	if (job->claim_owed)
		fprintf(out, ", \"#claim_owed\": %u", job->claim_owed);
	if (job->claim_on)
		fprintf(out, ", \"#claim_on\": %u", job->claim_on);
	if (job->claim_tasks)
		fprintf(out, ", \"#claim_tasks\": %u", job->claim_tasks);
}

static void print_job(const struct law_world *world, int j, FILE *out)
{
	static const char *const states[] = { "PENDING", "RUNNING", "SUSPENDED",
					      "COMPLETING" };
	const struct law_job *job = &world->jobs[j];
	const char *sep = ", \"on\": {";

	fprintf(out,
		"    {\"id\": %u, \"share\": \"%s\", \"state\": \"%s\", "
		"\"gpus\": ",
		job->id, job->share < 0 ? "?" : world->shares[job->share].name,
		states[job->state]);
	print_counts(job->gpus, world->ntypes, out);
	fprintf(out, ", \"priority\": %u, \"eligible\": %" PRId64,
		job->priority, job->eligible);
	if (job->state != QS_JOB_PENDING)
		fprintf(out, ", \"start\": %" PRId64, job->start);
	print_flags(job, out);
	for (int n = 0; n < world->nnodes && job->state != QS_JOB_PENDING;
	     n++) {
		uint32_t sum = 0;

		for (int t = 0; t < world->ntypes; t++)
			sum += job->on[n][t];
		if (!sum)
			continue;
		fprintf(out, "%s\"%s\": ", sep, world->nodes[n].name);
		print_counts(job->on[n], world->ntypes, out);
		sep = ", ";
	}
	fprintf(out, "%s}%s\n", sep[2] ? "" : "}",
		j + 1 < world->njobs ? "," : "");
}

void law_world_print(const struct law_world *world, FILE *out)
{
	fputs("{\n  \"name\": \"found by the laws\",\n  \"policy\": [\n", out);
	for (int q = 0; q < world->nqueues; q++)
		print_queue(world, q, out);
	for (int s = 0; s < world->nshares; s++)
		print_share(world, s, out);
	fprintf(out, "  ],\n  \"now\": %" PRId64 ",\n", world->now);
	if (world->has_nodes) {
		fputs("  \"nodes\": [\n", out);
		for (int n = 0; n < world->nnodes; n++)
			print_node(world, n, out);
		fputs("  ],\n", out);
	}
	fputs("  \"jobs\": [\n", out);
	for (int j = 0; j < world->njobs; j++)
		print_job(world, j, out);
	fputs("  ]\n}\n", out);
}
