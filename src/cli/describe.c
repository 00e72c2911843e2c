/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * describe.c - qshare describe-jobs and snapshot: the cluster in AWS's shapes
 *
 * For scripts that read `aws batch describe-service-job` and
 * `get-job-queue-snapshot`. Waits for slurmctld's answers.
 */
#include "aws/live.h"
#include "cli/aws_io.h"
#include "cli/cli.h"
#include "cli/events.h"
#include "cli/online.h"
#include "cli/online_facts.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
	const char *name; /* the subcommand */
	const char *region, *account, *instances, *queue;
};

static void help_jobs(void)
{
	puts("Usage: qshare describe-jobs [OPTION...] JOBID...\n"
	     "\n"
	     "A job as DescribeServiceJob of AWS Batch tells of it, in JSON; "
	     "several as a\n"
	     "list. JOBID is a job (12) or a task of an array (12_3) that "
	     "slurmctld still\n"
	     "knows; for administrators on its machine also one of the event "
	     "log.\n"
	     "\n"
	     "      --region=REGION    for ARNs (slurm)\n"
	     "      --account=NUMBER   for ARNs (000000000000)\n"
	     "      --instances=FILE   another table of instance types\n"
	     "  -h, --help             show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 no such job, 2 usage.\n"
	     "\n"
	     "Example: qshare describe-jobs 12 | jq -r .status");
}

static void help_snapshot(void)
{
	puts("Usage: qshare snapshot [OPTION...]\n"
	     "\n"
	     "A queue as GetJobQueueSnapshot of AWS Batch tells of it, in "
	     "JSON: the jobs at\n"
	     "its front and at the front of each share, and what is used, in "
	     "instances.\n"
	     "\n"
	     "  -q, --queue=NAME       the quota queue, if there are several\n"
	     "      --region=REGION    for ARNs (slurm)\n"
	     "      --account=NUMBER   for ARNs (000000000000)\n"
	     "      --instances=FILE   another table of instance types\n"
	     "  -h, --help             show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 slurmctld gave no answer, 2 usage.\n"
	     "\n"
	     "Example: qshare snapshot | jq .frontOfQuotaShares");
}

enum {
	OPT_REGION = 0x100,
	OPT_ACCOUNT,
	OPT_INSTANCES
};

/* Returns -1 to go on, or the exit code. */
static int take(int opt, void *arg)
{
	struct arguments *args = arg;

	switch (opt) {
	case 'q':
		args->queue = optarg;
		return -1;
	case OPT_INSTANCES:
		args->instances = optarg;
		return -1;
	case OPT_REGION:
		return qs_io_region(args->name, &args->region);
	case OPT_ACCOUNT:
		return qs_io_account(args->name, &args->account);
	default:
		return QS_CLI_UNKNOWN;
	}
}

/* The policy that is in force; NULL: said why. */
static struct qs_policy *live_policy(const char *name)
{
	const char *const words[] = { "scenario" };
	struct json_object *answer = qs_online_ask(name, 1, words);
	struct json_object *list =
		answer ? qs_online_list(answer, "policy") : NULL;
	size_t n = list ? json_object_array_length(list) : 0;
	const char **lines = calloc(n + 1, sizeof(*lines));
	struct qs_policy *policy = NULL;
	struct qs_error err = { .text = "out of memory" };

	for (size_t i = 0; lines && i < n; i++)
		lines[i] = json_object_get_string(
			json_object_array_get_idx(list, i));
	if (lines && list)
		policy = qs_conf_read_lines("slurmctld's policy", NULL, lines,
					    n, NULL, &err);
	else if (answer && !list)
		qs_error_set(&err, &(struct qs_place){ 0 }, NULL, NULL,
			     "a policy in slurmctld's answer: its plugins are "
			     "of another version");
	if (answer && !policy)
		qs_cli_error(name, "%s", err.text);
	free(lines);
	json_object_put(answer);
	return policy;
}

static void print(struct json_object *json)
{
	qs_json_print(json_object_get(json), stdout);
}

/* The job in the answer to "jobs"; NULL. */
static struct json_object *find(struct json_object *list, const char *id)
{
	size_t n = list ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *job = json_object_array_get_idx(list, i);
		char number[24];

		snprintf(number, sizeof(number), "%lld",
			 (long long)qs_online_number(job, "job", 0));
		if (!strcmp(qs_online_text(job, "id", ""), id) ||
		    !strcmp(number, id))
			return job;
	}
	return NULL;
}

/* The queue of a job that has ended follows from its partition. */
static void add_queue(struct json_object *facts, const struct qs_policy *policy)
{
	int queue;

	if (!facts)
		return;
	queue = qs_policy_queue_of(policy,
				   qs_online_text(facts, "partition", ""));
	if (queue >= 0)
		json_object_object_add(
			facts, "queue",
			json_object_new_string(policy->queues[queue].name));
}

static void add_missing(struct json_object *to, struct json_object *from)
{
	json_object_object_foreach(
		from, key, value) if (!json_object_object_get_ex(to, key, NULL))
		json_object_object_add(to, key, json_object_get(value));
}

/* A job that has ended: slurmctld forgets it, and its share at once; the event
 * log does not. Nobody but administrators may read that. */
static void look_back(const char *name, const char *id,
		      struct json_object **facts, struct json_object **explain)
{
	struct json_object *policy = qs_online_try(name, "policy");
	struct json_object *old = NULL;
	const char *path =
		policy ? qs_online_text(policy, "event_log", NULL) : NULL;

	qs_progress_begin(name, "looking for the job in the event log");
	if (path && !qs_events_facts(path, id, &old, explain)) {
		*facts = *facts ? *facts : json_object_new_object();
		add_missing(*facts, old);
	}
	qs_progress_end();
	json_object_put(old);
	json_object_put(policy);
}

static struct json_object *describe(const char *name,
				    const struct qs_live *live,
				    struct json_object *list, const char *id)
{
	const char *const words[] = { "explain", id };
	struct json_object *job = find(list, id), *explain = NULL, *facts, *to;

	if (job)
		explain = qs_online_ask(name, 2, words);
	facts = qs_online_facts(id);
	add_queue(facts, live->policy);
	if (!job)
		look_back(name, id, &facts, &explain);
	to = job || facts ? qs_live_job(live, job, explain, facts) : NULL;
	if (!to)
		qs_cli_error(name,
			     "slurmctld knows no job %s, and there is none in "
			     "its event log, as far as you may read it",
			     id);
	json_object_put(explain);
	json_object_put(facts);
	return to;
}

static int describe_all(const struct arguments *args,
			const struct qs_live *live, int n, char **ids)
{
	const char *const words[] = { "jobs" };
	struct json_object *answer = qs_online_ask(args->name, 1, words);
	struct json_object *all, *jobs;
	int code = QS_EXIT_OK;

	if (!answer)
		return QS_EXIT_ERROR;
	all = json_object_new_object();
	jobs = json_object_new_array();
	json_object_object_add(all, "jobs", jobs);
	for (int i = 0; i < n && code == QS_EXIT_OK; i++) {
		struct json_object *one =
			describe(args->name, live,
				 qs_online_list(answer, "jobs"), ids[i]);

		if (one)
			json_object_array_add(jobs, one);
		else
			code = QS_EXIT_ERROR;
	}
	if (code == QS_EXIT_OK)
		print(n == 1 ? json_object_array_get_idx(jobs, 0) : all);
	json_object_put(all);
	json_object_put(answer);
	return code;
}

/* Ready to tell of the cluster: policy and table. Returns an exit code. */
static int prepare(const struct arguments *args, struct qs_live *live,
		   struct qs_policy **policy, struct qs_instances *table)
{
	*live = (struct qs_live){ .region = args->region,
				  .account = args->account,
				  .table = table };
	if (qs_io_instances(args->name, args->instances, table))
		return QS_EXIT_ERROR;
	live->policy = *policy = live_policy(args->name);
	return *policy ? QS_EXIT_OK : QS_EXIT_ERROR;
}

int qs_cli_describe_jobs(int argc, char **argv)
{
	static const struct option options[] = {
		{ "region", required_argument, NULL, OPT_REGION },
		{ "account", required_argument, NULL, OPT_ACCOUNT },
		{ "instances", required_argument, NULL, OPT_INSTANCES },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct arguments args = { .name = "describe-jobs" };
	struct qs_instances table = { 0 };
	struct qs_policy *policy = NULL;
	struct qs_live live;
	const struct qs_cli_parser parser = {
		.name = args.name,
		.letters = ":h",
		.options = options,
		.help = help_jobs,
		.take = take,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, &args);

	if (code < 0 && optind == argc)
		code = qs_cli_usage(args.name, "give at least one job id");
	for (int i = optind; code < 0 && i < argc; i++)
		if (!qs_online_job_id(argv[i]))
			code = qs_cli_usage(args.name,
					    "'%s' is no job id: expected 12 or "
					    "12_3",
					    argv[i]);
	if (code >= 0)
		return qs_cli_flush(args.name, code);
	code = prepare(&args, &live, &policy, &table);
	if (code == QS_EXIT_OK)
		code = describe_all(&args, &live, argc - optind, argv + optind);
	qs_policy_free(policy);
	qs_instances_clear(&table);
	return qs_cli_flush(args.name, code);
}

/* The queue that is meant; NULL: said why. */
static const char *choose_queue(const struct arguments *args,
				const struct qs_policy *policy)
{
	if (!args->queue && policy->nqueues == 1)
		return policy->queues[0].name;
	if (args->queue && qs_policy_find_queue(policy, args->queue) >= 0)
		return args->queue;
	if (args->queue)
		qs_cli_error(args->name, "there is no quota queue '%s'",
			     args->queue);
	else
		qs_cli_usage(args->name, "there are several queues: name one "
					 "with --queue");
	return NULL;
}

static int snapshot(const struct arguments *args, const struct qs_live *live)
{
	const char *const ask_jobs[] = { "jobs" };
	const char *const ask_status[] = { "status" };
	const char *queue = choose_queue(args, live->policy);
	struct json_object *jobs, *status, *to = NULL;
	int code = QS_EXIT_ERROR;

	if (!queue)
		return args->queue ? QS_EXIT_ERROR : QS_EXIT_USAGE;
	jobs = qs_online_ask(args->name, 1, ask_jobs);
	status = jobs ? qs_online_ask(args->name, 1, ask_status) : NULL;
	if (status)
		to = qs_live_snapshot(live, queue, jobs, status);
	if (to) {
		print(to);
		code = QS_EXIT_OK;
	} else if (status) {
		qs_cli_error(args->name, "out of memory");
	}
	json_object_put(to);
	json_object_put(status);
	json_object_put(jobs);
	return code;
}

int qs_cli_snapshot(int argc, char **argv)
{
	static const struct option options[] = {
		{ "queue", required_argument, NULL, 'q' },
		{ "region", required_argument, NULL, OPT_REGION },
		{ "account", required_argument, NULL, OPT_ACCOUNT },
		{ "instances", required_argument, NULL, OPT_INSTANCES },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct arguments args = { .name = "snapshot" };
	struct qs_instances table = { 0 };
	struct qs_policy *policy = NULL;
	struct qs_live live;
	const struct qs_cli_parser parser = {
		.name = args.name,
		.letters = ":hq:",
		.options = options,
		.help = help_snapshot,
		.take = take,
	};
	int code = qs_cli_parse(&parser, argc, argv, &args);

	if (code >= 0)
		return code;
	code = prepare(&args, &live, &policy, &table);
	if (code == QS_EXIT_OK)
		code = snapshot(&args, &live);
	qs_policy_free(policy);
	qs_instances_clear(&table);
	return qs_cli_flush(args.name, code);
}
