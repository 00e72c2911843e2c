/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_print.c - the answers of the runtime in Prometheus's text format
 *
 * Called by metrics; needs no Slurm. Blocks only where the file does. Its
 * surprise: all samples of one name must stand together, so each list of the
 * answer is gone through once for each name.
 */
#include "cli/metrics.h"

#include <inttypes.h>
#include <string.h>

#include "cli/online.h"

#define P "quota_share_"

static void head(FILE *file, const char *name, const char *type,
		 const char *help)
{
	fprintf(file, "# HELP " P "%s %s\n# TYPE " P "%s %s\n", name, help,
		name, type);
}

/* What must be escaped in a label. */
static void put_value(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			putc('\\', file);
		if (*text == '\n')
			fputs("\\n", file);
		else
			putc(*text, file);
	}
}

/* Labels are the fields of the row that are listed, with a blank between. */
static void put_labels(FILE *file, struct json_object *row, const char *labels)
{
	const char *sep = "{";
	char key[32];

	while (*labels) {
		size_t n = strcspn(labels, " ");

		snprintf(key, sizeof(key), "%.*s", (int)n, labels);
		fprintf(file, "%s%s=\"", sep, key);
		put_value(file, qs_online_text(row, key, ""));
		putc('"', file);
		sep = ",";
		labels += n + (labels[n] == ' ');
	}
	if (*sep == ',')
		putc('}', file);
}

/* null is no bound: +Inf (law 11). */
static void put_number(FILE *file, struct json_object *row, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(row, key, &value) || !value)
		fputs(" +Inf\n", file);
	else
		fprintf(file, " %" PRId64 "\n", json_object_get_int64(value));
}

/* One name: a sample for each row of the list. */
static void gauges(FILE *file, struct json_object *list, const char *name,
		   const char *key, const char *labels, const char *help)
{
	if (!list)
		return;
	head(file, name, "gauge", help);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		fprintf(file, P "%s", name);
		put_labels(file, row, labels);
		put_number(file, row, key);
	}
}

static void single(FILE *file, const char *name, const char *type,
		   int64_t value, const char *help)
{
	head(file, name, type, help);
	fprintf(file, P "%s %" PRId64 "\n", name, value);
}

static void print_shares(struct json_object *status, FILE *file)
{
	static const struct {
		const char *name, *key, *help;
	} names[] = {
		{ "capacity_gpus", "capacity", "GPUs that the share owns." },
		{ "limit_gpus", "limit",
		  "GPUs that the share may use at most; +Inf without limit." },
		{ "used_gpus", "used",
		  "GPUs held by the share's jobs, ending ones included." },
		{ "own_gpus", "own", "GPUs used of those the share owns." },
		{ "borrowed_gpus", "borrowed",
		  "GPUs used beyond those, within the limit." },
		{ "over_limit_gpus", "over_limit",
		  "GPUs used beyond the limit." },
		{ "lent_gpus", "lent",
		  "GPUs that the share owns and others use." },
		{ "idle_gpus", "idle",
		  "GPUs that the share owns and nobody uses." },
		{ "waiting_gpus", "waiting",
		  "GPUs that the share's waiting jobs ask for." },
	};
	struct json_object *list = qs_online_list(status, "shares");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		gauges(file, list, names[i].name, names[i].key,
		       "queue share type", names[i].help);
}

static void print_pools(struct json_object *status, FILE *file)
{
	struct json_object *list = qs_online_list(status, "totals");

	gauges(file, list, "pool_gpus", "capacity", "queue type",
	       "GPUs of the queue's pool.");
	gauges(file, list, "in_service_gpus", "in_service", "queue type",
	       "GPUs of the queue on nodes that are up or in use.");
}

static bool is_true(struct json_object *row, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(row, key, &value) &&
	       json_object_get_boolean(value);
}

static void print_problems(struct json_object *list, FILE *file)
{
	head(file, "queue_problem", "gauge",
	     "1 for each thing that is wrong with the queue.");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *queue = json_object_array_get_idx(list, i);
		struct json_object *problems =
			qs_online_list(queue, "problems");
		const char *last = "";

		for (size_t k = 0;
		     problems && k < json_object_array_length(problems); k++) {
			const char *code = qs_online_text(
				json_object_array_get_idx(problems, k), "code",
				"");

			/* One code may be there several times, together. */
			if (!strcmp(code, last))
				continue;
			last = code;
			fputs(P "queue_problem{queue=\"", file);
			put_value(file, qs_online_text(queue, "queue", ""));
			fprintf(file, "\",code=\"%s\"} 1\n", code);
		}
	}
}

static void print_queues(struct json_object *status, FILE *file)
{
	struct json_object *list = qs_online_list(status, "queues");

	if (!list)
		return;
	head(file, "queue_enabled", "gauge", "1 if the queue takes new jobs.");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		fputs(P "queue_enabled", file);
		put_labels(file, row, "queue");
		fprintf(file, " %d\n",
			!strcmp(qs_online_text(row, "state", ""), "ENABLED"));
	}
	head(file, "queue_healthy", "gauge",
	     "1 if nothing is wrong with the queue.");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		fputs(P "queue_healthy", file);
		put_labels(file, row, "queue");
		fprintf(file, " %d\n", is_true(row, "healthy"));
	}
	print_problems(list, file);
}

static void print_policy(struct json_object *status, FILE *file)
{
	struct json_object *policy;

	head(file, "info", "gauge", "Version and mode of the plugins.");
	fputs(P "info", file);
	put_labels(file, status, "version mode");
	fputs(" 1\n", file);
	if (!json_object_object_get_ex(status, "policy", &policy))
		return;
	single(file, "policy_valid", "gauge", is_true(policy, "valid"),
	       "1 if the policy file that was read last is in force.");
	single(file, "policy_loaded_timestamp_seconds", "gauge",
	       qs_online_number(policy, "loaded", 0),
	       "When the policy in force was read.");
}

static void print_counters(struct json_object *status, FILE *file)
{
	static const struct {
		const char *name, *key, *help;
	} names[] = {
		{ "grants_total", "grants", "Jobs that were let start." },
		{ "claims_total", "claims",
		  "Jobs for which others had to go (R9)." },
		{ "claims_refused_total", "claims_refused",
		  "Claims that Slurm found no place for; nobody was stopped." },
		{ "claims_timed_out_total", "claims_timed_out",
		  "Freed places that were not taken in time." },
		{ "spared_total", "spared",
		  "Victims that were called off before they were stopped." },
		{ "ledger_drift_total", "ledger_drift",
		  "Starts and ends that no event told of." },
		{ "state_save_errors_total", "state_errors",
		  "Failed attempts to save the state." },
	};
	struct json_object *counters;

	if (!json_object_object_get_ex(status, "counters", &counters))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		single(file, names[i].name, "counter",
		       qs_online_number(counters, names[i].key, 0),
		       names[i].help);
	single(file, "planner_last_run_timestamp_seconds", "gauge",
	       qs_online_number(counters, "last_round", 0),
	       "When the planner ran last.");
}

static void print_preemptions(struct json_object *metrics, FILE *file)
{
	struct json_object *list = qs_online_list(metrics, "preemptions");

	if (!list)
		return;
	head(file, "preemptions_total", "counter",
	     "Jobs that were preempted, by reason.");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		fprintf(file,
			P "preemptions_total{reason=\"%s\"} %" PRId64 "\n",
			qs_online_text(row, "code", ""),
			qs_online_number(row, "count", 0));
	}
}

static void print_reclaim(struct json_object *metrics, FILE *file)
{
	struct json_object *all, *list;

	if (!json_object_object_get_ex(metrics, "reclaim", &all))
		return;
	list = qs_online_list(all, "buckets");
	head(file, "reclaim_seconds", "histogram",
	     "From the decision that others must go to the start of the job "
	     "they made room for.");
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		fprintf(file,
			P "reclaim_seconds_bucket{le=\"%" PRId64 "\"} %" PRId64
			  "\n",
			qs_online_number(row, "le", 0),
			qs_online_number(row, "count", 0));
	}
	fprintf(file,
		P "reclaim_seconds_bucket{le=\"+Inf\"} %" PRId64 "\n" P
		  "reclaim_seconds_sum %" PRId64 "\n" P
		  "reclaim_seconds_count %" PRId64 "\n",
		qs_online_number(all, "count", 0),
		qs_online_number(all, "sum", 0),
		qs_online_number(all, "count", 0));
}

static void print_planner(struct json_object *metrics, FILE *file)
{
	int64_t us = qs_online_number(metrics, "plan_us", 0);

	head(file, "planner_seconds", "summary", "Time of one plan.");
	fprintf(file,
		P "planner_seconds_sum %" PRId64 ".%06" PRId64 "\n" P
		  "planner_seconds_count %" PRId64 "\n",
		us / 1000000, us % 1000000,
		qs_online_number(metrics, "plans", 0));
}

static void print_jobs(struct json_object *metrics, FILE *file)
{
	struct json_object *list = qs_online_list(metrics, "jobs");

	gauges(file, list, "running_jobs", "running", "queue share",
	       "Jobs of the share that hold GPUs.");
	gauges(file, list, "waiting_jobs", "waiting", "queue share",
	       "Jobs and tasks of the share that wait.");
}

void qs_metrics_print(struct json_object *status, struct json_object *metrics,
		      FILE *file)
{
	single(file, "up", "gauge", status && metrics,
	       "1 if slurmctld has answered.");
	if (!status || !metrics)
		return;
	print_policy(status, file);
	print_queues(status, file);
	print_pools(status, file);
	print_shares(status, file);
	print_jobs(metrics, file);
	print_preemptions(metrics, file);
	print_counters(status, file);
	print_reclaim(metrics, file);
	print_planner(metrics, file);
}
