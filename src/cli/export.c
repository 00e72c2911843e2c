/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.c - qshare export: a policy as documents of AWS Batch, or of Kueue
 *
 * Reads a policy; prints one document, or writes all files into a folder, when
 * all of them are made.
 */
#include "aws/export.h"
#include "aws/documents.h"
#include "aws/kueue.h"
#include "cli/aws_io.h"
#include "cli/cli.h"
#include "conf/values.h"

#include <stdlib.h>
#include <string.h>

#define NAME "export"

static void help(void)
{
	puts("Usage: qshare export --aws|--kueue [OPTION...] [FILE]\n"
	     "\n"
	     "Print a policy as documents that AWS Batch takes, or as objects "
	     "of Kueue. FILE\n"
	     "is quota_share.conf beside slurm.conf unless given; - is "
	     "standard input. What\n"
	     "the other side cannot express is told on standard error and in "
	     "the report.\n"
	     "\n"
	     "      --aws              one bundle of the inputs of the "
	     "create-... calls\n"
	     "      --kueue            a list of ResourceFlavors, Cohorts and "
	     "ClusterQueues\n"
	     "  -d, --dir=DIR          write files into DIR instead: each "
	     "document, the\n"
	     "                         bundle, and a script of the calls in "
	     "order\n"
	     "      --queue=NAME       only this queue\n"
	     "      --force            round down what does not fit, and say "
	     "so\n"
	     "      --region=REGION    for ARNs and for the script\n"
	     "      --account=NUMBER   for ARNs\n"
	     "      --scheduling-policy=NAME, --environment=NAME\n"
	     "                         names in AWS, else the queue's\n"
	     "      --priority=N       of the job queue, 0 to 1000 (1)\n"
	     "      --no-tags          no tags for what AWS cannot express\n"
	     "      --instances=FILE   another table of instance types\n"
	     "  -h, --help             show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 the policy does not fit and nothing "
	     "was written, 2\n"
	     "usage.\n"
	     "\n"
	     "Example: qshare export --aws --region=us-east-1 "
	     "--account=123456789012 -d aws");
}

struct arguments {
	bool aws, kueue;
	const char *dir, *instances;
	struct qs_export_options options;
};

static int made(const struct arguments *args,
		const struct qs_export_files *files, const char *text,
		const struct qs_notes *notes)
{
	if (args->dir && qs_io_write_all(NAME, args->dir, files))
		return QS_EXIT_ERROR;
	if (!args->dir)
		fputs(text, stdout);
	qs_io_notes(NAME, notes);
	return QS_EXIT_OK;
}

static int export_aws(const struct arguments *args,
		      const struct qs_policy *policy)
{
	struct qs_export_files files = { 0 };
	struct qs_instances table = { 0 };
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	struct json_object *bundle = NULL;
	struct qs_error err;
	char *text = NULL;
	int code = QS_EXIT_ERROR;

	if (qs_io_instances(NAME, args->instances, &table))
		goto out;
	if (qs_export(policy, &table, &args->options, &setup, &notes, &err)) {
		qs_cli_error(NAME, "%s", err.text);
		goto out;
	}
	bundle = qs_document_bundle(&setup, &notes);
	text = qs_document_text(bundle);
	if (!text || qs_export_files_make(&setup, &notes, &files))
		qs_cli_error(NAME, "out of memory");
	else
		code = made(args, &files, text, &notes);
out:
	free(text);
	json_object_put(bundle);
	qs_export_files_clear(&files);
	qs_notes_clear(&notes);
	qs_setup_clear(&setup);
	qs_instances_clear(&table);
	return code;
}

static int export_kueue(const struct arguments *args,
			const struct qs_policy *policy)
{
	struct qs_export_files files = { 0 };
	struct qs_notes notes = { 0 };
	struct json_object *list = NULL;
	struct qs_error err;
	char *text = NULL;
	int code = QS_EXIT_ERROR;

	list = qs_kueue_export(policy, args->options.file, args->options.queue,
			       &notes, &err);
	if (!list) {
		qs_cli_error(NAME, "%s", err.text);
		goto out;
	}
	text = qs_document_text(list);
	if (!text ||
	    qs_export_files_add(&files, strdup("kueue.json"), strdup(text),
				false) ||
	    qs_export_files_add(&files, strdup("report.txt"),
				qs_export_report(&notes), false))
		qs_cli_error(NAME, "out of memory");
	else
		code = made(args, &files, text, &notes);
out:
	free(text);
	json_object_put(list);
	qs_export_files_clear(&files);
	qs_notes_clear(&notes);
	return code;
}

static int export(struct arguments *args, const char *path)
{
	struct qs_policy *policy;
	char *file;
	int code;

	policy = qs_io_policy(NAME, path, &file);
	args->options.file =
		file && !strcmp(file, "-") ? "standard input" : file;
	if (!policy)
		code = QS_EXIT_ERROR;
	else if (policy->nqueues > 1 && !args->options.queue &&
		 (args->options.environment || args->options.scheduling_policy))
		code = qs_cli_usage(NAME, "the policy has several queues: "
					  "--environment and "
					  "--scheduling-policy need --queue");
	else
		code = args->aws ? export_aws(args, policy) :
				   export_kueue(args, policy);
	qs_policy_free(policy);
	free(file);
	return code;
}

enum {
	OPT_AWS = 0x100,
	OPT_KUEUE,
	OPT_QUEUE,
	OPT_FORCE,
	OPT_REGION,
	OPT_ACCOUNT,
	OPT_POLICY,
	OPT_ENVIRONMENT,
	OPT_PRIORITY,
	OPT_NO_TAGS,
	OPT_INSTANCES,
};

/* All of these return -1 to go on, or the exit code. */
static int take_name(const char *option, const char **to)
{
	if (!qs_value_is_name(optarg))
		return qs_cli_usage(NAME,
				    "--%s=%s: expected letters, digits, - and "
				    "_, at most %d of them",
				    option, optarg, QS_NAME_MAX);
	*to = optarg;
	return -1;
}

static int take_priority(struct arguments *args)
{
	if (!qs_value_number(optarg, &args->options.priority) &&
	    args->options.priority >= 0 &&
	    args->options.priority <= QS_AWS_PRIORITY_MAX)
		return -1;
	return qs_cli_usage(NAME, "--priority=%s: expected 0 to %d", optarg,
			    QS_AWS_PRIORITY_MAX);
}

static int take_value(struct arguments *args, int opt)
{
	switch (opt) {
	case OPT_QUEUE:
		return take_name("queue", &args->options.queue);
	case OPT_REGION:
		return qs_io_region(NAME, &args->options.region);
	case OPT_ACCOUNT:
		return qs_io_account(NAME, &args->options.account);
	case OPT_POLICY:
		return take_name("scheduling-policy",
				 &args->options.scheduling_policy);
	case OPT_ENVIRONMENT:
		return take_name("environment", &args->options.environment);
	case OPT_PRIORITY:
		return take_priority(args);
	case OPT_INSTANCES:
		args->instances = optarg;
		return -1;
	default:
		return QS_CLI_UNKNOWN;
	}
}

static int take(int opt, void *arg)
{
	struct arguments *args = arg;

	switch (opt) {
	case OPT_AWS:
		args->aws = true;
		return -1;
	case OPT_KUEUE:
		args->kueue = true;
		return -1;
	case OPT_FORCE:
		args->options.force = true;
		return -1;
	case OPT_NO_TAGS:
		args->options.tags = false;
		return -1;
	case 'd':
		args->dir = optarg;
		return -1;
	default:
		return take_value(args, opt);
	}
}

int qs_cli_export(int argc, char **argv)
{
	static const struct option options[] = {
		{ "aws", no_argument, NULL, OPT_AWS },
		{ "kueue", no_argument, NULL, OPT_KUEUE },
		{ "dir", required_argument, NULL, 'd' },
		{ "queue", required_argument, NULL, OPT_QUEUE },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "region", required_argument, NULL, OPT_REGION },
		{ "account", required_argument, NULL, OPT_ACCOUNT },
		{ "scheduling-policy", required_argument, NULL, OPT_POLICY },
		{ "environment", required_argument, NULL, OPT_ENVIRONMENT },
		{ "priority", required_argument, NULL, OPT_PRIORITY },
		{ "no-tags", no_argument, NULL, OPT_NO_TAGS },
		{ "instances", required_argument, NULL, OPT_INSTANCES },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct arguments args = {
		.options = { .priority = 1, .tags = true },
	};
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":hd:",
		.options = options,
		.help = help,
		.take = take,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, &args);

	if (code < 0 && args.aws == args.kueue)
		code = qs_cli_usage(NAME, "say either --aws or --kueue");
	if (code < 0 && argc - optind > 1)
		code = qs_cli_usage(NAME, "one file at a time");
	if (code < 0)
		code = export(&args, optind < argc ? argv[optind] : NULL);
	return qs_cli_flush(NAME, code);
}
