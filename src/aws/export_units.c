/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_units.c - GPUs of a queue and its shares as instances
 *
 * Called by export.c for each queue. Never blocks. The surprise: with --force
 * each step leaves out what the next one could not take, in this order: types
 * without instances, types beyond AWS's five, what does not divide, shares of
 * which nothing is left, shares beyond AWS's twenty.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aws/export_run.h"

/*
 * Something does not fit. Without --force that is an error: the key and its
 * value, the problem, what is expected. With it, a note of what is done
 * instead. share -1: of the queue itself. Returns 0, or -1 with *err.
 */
static int too_much(struct qs_export_run *run, int share, const char *key,
		    const char *value, const char *expected,
		    const char *instead, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
static int too_much(struct qs_export_run *run, int share, const char *key,
		    const char *value, const char *expected,
		    const char *instead, const char *fmt, ...)
{
	const struct qs_queue *queue = &run->policy->queues[run->queue];
	struct qs_place at = { run->options->file, queue->line, key, value };
	char problem[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(problem, sizeof(problem), fmt, args);
	va_end(args);
	if (run->options->force) {
		qs_notes_add(run->notes, QS_NOTE_ROUNDED, queue->name,
			     share < 0 ? NULL : run->policy->shares[share].name,
			     key, "%s: %s; %s", value, problem, instead);
		return 0;
	}
	if (share >= 0)
		at.line = run->policy->shares[share].line;
	return qs_error_set(run->err, &at, problem, NULL, "%s, or --force",
			    expected);
}

/* The queue's own Capacity of a type. */
static struct qs_opt own_capacity(const struct qs_policy *policy, int queue,
				  int type)
{
	const struct qs_opt *capacity = policy->queues[queue].capacity;

	return capacity ? capacity[type] : (struct qs_opt){ 0 };
}

/* Has the queue GPUs of the type, as its own Capacity or a share's? */
static bool has_type(const struct qs_policy *policy, int queue, int type)
{
	if (own_capacity(policy, queue, type).set)
		return true;
	for (int s = 0; s < policy->nshares; s++)
		if (policy->shares[s].queue == queue &&
		    qs_policy_quota(policy, s, type)->listed)
			return true;
	return false;
}

/* The table's names for the GPU of a type, for a message. */
static void candidates(const struct qs_export_run *run, const char *gpu,
		       char *text, size_t size)
{
	size_t n = 0;

	snprintf(text, size, "an instance type of the table");
	for (size_t i = 0; i < run->table->n; i++) {
		const struct qs_instance *one = &run->table->items[i];

		if (strcmp(one->gpu, gpu) || n + strlen(one->name) + 8 >= size)
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%s",
				      n ? " or " : "", one->name);
	}
}

static int find_unit(struct qs_export_run *run, int t)
{
	const struct qs_type *type = &run->policy->types[t];
	char expected[300], value[300];

	if (!type->instance) {
		candidates(run, type->name, value, sizeof(value));
		snprintf(expected, sizeof(expected),
			 "GpuType=%.80s Instance=%.160s", type->name, value);
		return too_much(run, -1, "GpuType", type->name, expected,
				"the type is left out",
				"the type has no Instance");
	}
	run->units[t] = qs_instances_find(run->table, type->instance);
	if (!run->units[t])
		return too_much(run, -1, "Instance", type->instance,
				"an instance type of the table (qshare "
				"instances shows it)",
				"the type is left out",
				"GpuType %.80s has an instance type that is "
				"not in the table",
				type->name);
	for (int o = 0; o < t; o++) {
		if (run->units[o] != run->units[t])
			continue;
		run->units[t] = NULL;
		return too_much(run, -1, "Instance", type->instance,
				"an instance type of its own for each GpuType",
				"the second is left out",
				"GpuTypes %.80s and %.80s have the same",
				run->policy->types[o].name, type->name);
	}
	return 0;
}

static int find_units(struct qs_export_run *run)
{
	memset(run->units, 0, sizeof(run->units));
	for (int t = 0; t < run->policy->ntypes; t++) {
		struct qs_opt own = own_capacity(run->policy, run->queue, t);
		char value[300];

		if (!has_type(run->policy, run->queue, t))
			continue;
		if (find_unit(run, t))
			return -1;
		if (!run->units[t] || !own.set ||
		    own.value >= run->units[t]->gpus)
			continue;
		snprintf(value, sizeof(value), "%.200s:%" PRId64,
			 run->policy->types[t].name, own.value);
		if (too_much(run, -1, "Capacity", value,
			     "at least one instance of what the queue has",
			     "the type is left out",
			     "less than one %.80s of %" PRIu32,
			     run->units[t]->name, run->units[t]->gpus))
			return -1;
		run->units[t] = NULL;
	}
	return 0;
}

/* AWS's five: the types of which the queue has the most GPUs stay. */
static int limit_types(struct qs_export_run *run)
{
	const struct qs_policy *policy = run->policy;
	char expected[64];
	int n = 0;

	for (int t = 0; t < policy->ntypes; t++)
		n += run->units[t] != NULL;
	snprintf(expected, sizeof(expected), "at most %d types in a queue",
		 QS_AWS_LIMITS_MAX);
	for (; n > QS_AWS_LIMITS_MAX; n--) {
		int least = -1;

		for (int t = 0; t < policy->ntypes; t++)
			if (run->units[t] &&
			    (least < 0 ||
			     qs_policy_pool(policy, run->queue, t) <=
				     qs_policy_pool(policy, run->queue, least)))
				least = t;
		if (too_much(run, -1, "Capacity", policy->types[least].name,
			     expected, "the type is left out",
			     "an environment has at most %d capacity limits, "
			     "and the queue has %d types",
			     QS_AWS_LIMITS_MAX, n))
			return -1;
		run->units[least] = NULL;
	}
	return 0;
}

/* GPUs as instances. Returns 0, or -1 with *err. */
static int divide(struct qs_export_run *run, int share, int t, int64_t gpus,
		  int64_t *instances)
{
	const struct qs_instance *unit = run->units[t];
	const char *type = run->policy->types[t].name;
	char value[300], expected[64], instead[64];

	*instances = gpus / unit->gpus;
	if (gpus % unit->gpus == 0 && gpus)
		return 0;
	snprintf(value, sizeof(value), "%.200s:%" PRId64, type, gpus);
	snprintf(expected, sizeof(expected), "a multiple of %" PRIu32,
		 unit->gpus);
	snprintf(instead, sizeof(instead), "rounded down to %" PRId64,
		 *instances * unit->gpus);
	if (!gpus)
		return too_much(run, share, "Capacity", value,
				"at least one instance of what a share uses",
				"the type is left out of the share",
				"a share of AWS cannot use what it does not "
				"own");
	return too_much(run, share, "Capacity", value, expected,
			*instances ? instead :
				     "the type is left out of the share",
			"%" PRId64 " GPUs are no whole number of %.80s, which "
			"has %" PRIu32,
			gpus, unit->name, unit->gpus);
}

static int count_share(struct qs_export_run *run, int s)
{
	const struct qs_policy *policy = run->policy;
	bool any = false;

	for (int t = 0; t < policy->ntypes; t++) {
		const struct qs_quota *quota = qs_policy_quota(policy, s, t);

		if (!quota->listed || !run->units[t])
			continue;
		if (divide(run, s, t, quota->capacity,
			   qs_export_count(run, s, t)))
			return -1;
		any = any || *qs_export_count(run, s, t);
	}
	run->shares[s] = any;
	if (any)
		return 0;
	return too_much(run, s, "Share", policy->shares[s].name,
			"at least one instance in each share",
			"the share is left out",
			"nothing is left of its Capacity");
}

/* AWS's twenty: the first by name stay. */
static int count_shares(struct qs_export_run *run)
{
	const struct qs_policy *policy = run->policy;
	char expected[64];
	int n = 0;

	snprintf(expected, sizeof(expected), "at most %d shares in a queue",
		 QS_AWS_SHARES_MAX);
	for (int s = 0; s < policy->nshares; s++) {
		if (policy->shares[s].queue != run->queue)
			continue;
		if (count_share(run, s))
			return -1;
		n += run->shares[s];
		if (!run->shares[s] || n <= QS_AWS_SHARES_MAX)
			continue;
		if (too_much(run, s, "Share", policy->shares[s].name, expected,
			     "the share is left out",
			     "a job queue has at most %d shares",
			     QS_AWS_SHARES_MAX))
			return -1;
		run->shares[s] = false;
	}
	return 0;
}

static int64_t sum_shares(const struct qs_export_run *run, int t)
{
	int64_t sum = 0;

	for (int s = 0; s < run->policy->nshares; s++)
		if (run->shares[s] &&
		    run->policy->shares[s].queue == run->queue)
			sum += *qs_export_count(run, s, t);
	return sum;
}

/* What the environment has: the queue's Capacity, else what its shares own. */
static int count_pool(struct qs_export_run *run)
{
	const struct qs_policy *policy = run->policy;
	const struct qs_queue *queue = &policy->queues[run->queue];

	for (int t = 0; t < policy->ntypes; t++) {
		struct qs_opt own = own_capacity(policy, run->queue, t);
		int64_t sum = sum_shares(run, t);

		run->pool[t] = 0;
		if (!run->units[t])
			continue;
		run->pool[t] = sum;
		if (own.set && divide(run, -1, t, own.value, &run->pool[t]))
			return -1;
		if (!run->pool[t])
			run->units[t] = NULL;
		else
			run->seen[t] = true;
		if (sum > run->pool[t])
			qs_notes_add(run->notes, QS_NOTE_REMARK, queue->name,
				     NULL, "Capacity",
				     "the shares own %" PRId64 " %.80s, the "
				     "environment has %" PRId64 ": AWS may "
				     "refuse a share above it",
				     sum, run->units[t]->name, run->pool[t]);
	}
	return 0;
}

static int check_any(struct qs_export_run *run)
{
	const struct qs_queue *queue = &run->policy->queues[run->queue];
	struct qs_place at = { run->options->file, queue->line, "Queue",
			       queue->name };

	for (int t = 0; t < run->policy->ntypes; t++)
		if (run->pool[t])
			return 0;
	return qs_error_set(run->err, &at, "nothing of it can go to AWS", NULL,
			    "at least one instance in the queue");
}

int qs_export_units(struct qs_export_run *run)
{
	if (find_units(run) || limit_types(run) || count_shares(run) ||
	    count_pool(run))
		return -1;
	return check_any(run);
}
