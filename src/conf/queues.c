/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queues.c - the queues of a policy
 *
 * Called by reader.c: first what a Queue line says itself, and once the shares
 * are there what it says of them.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/nearest.h"
#include "conf/reader.h"

static int set_capacity(struct qs_reader *reader,
			const struct qs_record *record,
			const struct qs_token *token, int type,
			const char *name, uint32_t count, void *arg)
{
	struct qs_queue *queue = arg;

	(void)reader;
	(void)record;
	(void)token;
	(void)name;
	queue->capacity[type] = (struct qs_opt){ true, count };
	return 0;
}

static void set_order(struct qs_queue *queue, const struct qs_record *record)
{
	const struct qs_token *order = qs_record_get(record, "VictimOrder");

	queue->victim_order[0] = QS_VICTIM_PRIORITY;
	queue->victim_order[1] = QS_VICTIM_FIT;
	queue->victim_order[2] = QS_VICTIM_DURATION;
	if (order)
		qs_keys_victim_order(order->value, queue->victim_order);
}

static int fill(struct qs_reader *reader, const struct qs_record *record,
		struct qs_queue *queue)
{
	size_t ntypes = (size_t)reader->policy->ntypes;

	queue->line = record->line;
	queue->default_share = -1;
	queue->untyped = -1;
	queue->enabled = !qs_record_choice(record, "State", qs_words_state, 0);
	queue->never_fits_rejects =
		!qs_record_choice(record, "NeverFits", qs_words_never, 0);
	queue->in_share_order = (enum qs_order)qs_record_choice(
		record, "InShareOrder", qs_words_order, QS_ORDER_STRICT);
	queue->idle_assignment = (enum qs_assign)qs_record_choice(
		record, "IdleResourceAssignment", qs_words_assign,
		QS_ASSIGN_FIFO);
	queue->non_requeue_borrow =
		!qs_record_choice(record, "NonRequeueBorrow", qs_words_yes, 0);
	queue->grace_sec = (uint32_t)qs_record_number(record, "GraceTime", 120);
	queue->claim_timeout_sec =
		(uint32_t)qs_record_number(record, "ClaimTimeout", 120);
	set_order(queue, record);
	queue->capacity = calloc(ntypes ? ntypes : 1, sizeof(*queue->capacity));
	if (!queue->capacity)
		return qs_error_memory(reader->err);
	if (qs_reader_string(reader, record, "Queue", &queue->name) ||
	    qs_reader_names(reader, record, "Partitions", &queue->partitions))
		return -1;
	return qs_reader_counts(reader, record, "Capacity", set_capacity,
				queue);
}

/* No partition in two queues, and a list in each if there are several. */
static int check_partitions(struct qs_reader *reader)
{
	struct qs_policy *policy = reader->policy;
	size_t all = 0;

	for (int q = 0; q < policy->nqueues; q++) {
		const struct qs_record *record = reader->queue_records[q];
		const struct qs_token *token =
			qs_record_get(record, "Partitions");
		const struct qs_names *mine = &policy->queues[q].partitions;
		struct qs_place at =
			qs_record_place(record, &record->tokens[0]);

		if (policy->nqueues > 1 && !token)
			return qs_error_set(reader->err, &at,
					    "it has no Partitions", NULL,
					    "Partitions in each Queue line "
					    "where there are several");
		if (!token)
			continue;
		at = qs_record_place(record, token);
		all += mine->n;
		if (all > QS_PARTITIONS_MAX)
			return qs_error_set(
				reader->err, &at, "too many partitions", NULL,
				"at most %d in all queues", QS_PARTITIONS_MAX);
		for (int o = 0; o < q; o++)
			for (size_t p = 0; p < mine->n; p++) {
				const char *name = mine->items[p];

				if (qs_names_find(&policy->queues[o].partitions,
						  name) < 0)
					continue;
				return qs_error_set(
					reader->err, &at,
					"a partition of two queues", NULL,
					"partitions that no other queue has; "
					"queue %s has %.80s",
					policy->queues[o].name, name);
			}
	}
	return 0;
}

int qs_reader_queues(struct qs_reader *reader)
{
	struct qs_policy *policy = reader->policy;
	int n;

	if (qs_reader_collect(reader, QS_KIND_QUEUE, &reader->queue_records,
			      &n))
		return -1;
	if (!n) {
		struct qs_place at = { .file = reader->doc.nfiles ?
						       reader->doc.files[0] :
						       NULL };

		return qs_error_set(reader->err, &at, "there is no queue", NULL,
				    "at least one Queue line");
	}
	policy->queues = calloc((size_t)n, sizeof(*policy->queues));
	if (!policy->queues)
		return qs_error_memory(reader->err);
	policy->nqueues = n;
	for (int q = 0; q < n; q++)
		if (fill(reader, reader->queue_records[q], &policy->queues[q]))
			return -1;
	return check_partitions(reader);
}

/* Does the queue have GPUs of the type, as its own Capacity or a share's? */
static bool has_type(const struct qs_policy *policy, int queue, int type)
{
	if (policy->queues[queue].capacity[type].set)
		return true;
	for (int s = 0; s < policy->nshares; s++)
		if (policy->shares[s].queue == queue &&
		    qs_policy_quota(policy, s, type)->listed)
			return true;
	return false;
}

int qs_conf_default_untyped(const struct qs_policy *policy, int queue)
{
	int only = -1;

	for (int t = 0; t < policy->ntypes; t++) {
		if (!has_type(policy, queue, t))
			continue;
		if (only >= 0)
			return -1;
		only = t;
	}
	return only;
}

static int set_untyped(struct qs_reader *reader, int q)
{
	struct qs_policy *policy = reader->policy;
	const struct qs_record *record = reader->queue_records[q];
	const struct qs_token *token = qs_record_get(record, "UntypedGpus");
	struct qs_nearest nearest;
	struct qs_place at;
	int type;

	if (!token) {
		policy->queues[q].untyped = qs_conf_default_untyped(policy, q);
		return 0;
	}
	if (!strcasecmp(token->value, "REJECT"))
		return 0;
	type = qs_policy_find_type(policy, token->value);
	if (type >= 0 && has_type(policy, q, type)) {
		policy->queues[q].untyped = type;
		return 0;
	}
	qs_nearest_init(&nearest, token->value);
	qs_nearest_offer(&nearest, "REJECT");
	for (int t = 0; t < policy->ntypes; t++)
		if (has_type(policy, q, t))
			qs_nearest_offer(&nearest, policy->types[t].name);
	at = qs_record_place(record, token);
	return qs_error_set(reader->err, &at, "the queue has no such type",
			    qs_nearest_get(&nearest),
			    "REJECT or a type of this queue");
}

static int set_default_share(struct qs_reader *reader, int q)
{
	struct qs_policy *policy = reader->policy;
	const struct qs_record *record = reader->queue_records[q];
	const struct qs_token *token = qs_record_get(record, "DefaultShare");
	struct qs_nearest nearest;
	struct qs_place at;
	int share;

	if (!token)
		return 0;
	share = qs_policy_find_share(policy, token->value);
	if (share >= 0 && policy->shares[share].queue == q) {
		policy->queues[q].default_share = share;
		return 0;
	}
	qs_nearest_init(&nearest, token->value);
	for (int s = 0; s < policy->nshares; s++)
		if (policy->shares[s].queue == q)
			qs_nearest_offer(&nearest, policy->shares[s].name);
	at = qs_record_place(record, token);
	return qs_error_set(reader->err, &at, "the queue has no such share",
			    qs_nearest_get(&nearest), "a share of this queue");
}

int qs_reader_queue_references(struct qs_reader *reader)
{
	for (int q = 0; q < reader->policy->nqueues; q++)
		if (set_untyped(reader, q) || set_default_share(reader, q))
			return -1;
	return 0;
}
