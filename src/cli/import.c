/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.c - qshare import: a share set-up of AWS Batch as quota_share.conf
 *
 * Reads files, prints or writes one. Nothing is printed unless all is well.
 */
#include "aws/import.h"
#include "aws/read.h"
#include "cli/aws_io.h"
#include "cli/cli.h"
#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>

#define NAME "import"

static void help(void)
{
	puts("Usage: qshare import --aws [OPTION...] FILE...\n"
	     "\n"
	     "Make a quota_share.conf of a share set-up of AWS Batch. FILE is "
	     "JSON: what aws\n"
	     "batch describe-quota-share, list-quota-shares, "
	     "describe-job-queues,\n"
	     "describe-scheduling-policies and describe-service-environments "
	     "print, the input\n"
	     "of a create-... call, bundle.json of qshare export, or a "
	     "CloudFormation\n"
	     "template; - is standard input. Give all files of a set-up at "
	     "once. What could\n"
	     "not be taken over is told on standard error and in the file.\n"
	     "\n"
	     "      --aws              the documents are AWS's\n"
	     "      --queue=NAME       only this job queue\n"
	     "      --map=UNIT=TYPE[:GPUS]\n"
	     "                         an instance type's GPU type here, and "
	     "how many it has\n"
	     "      --force            leave out instance types that nobody "
	     "knows\n"
	     "      --instances=FILE   another table of instance types\n"
	     "  -o, --output=FILE      write it there instead of standard "
	     "output\n"
	     "  -h, --help             show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 a document is in error and nothing was "
	     "written,\n"
	     "2 usage.\n"
	     "\n"
	     "Example: qshare import --aws shares.json queue.json -o "
	     "quota_share.conf");
}

struct arguments {
	bool aws;
	const char *instances, *output;
	struct qs_import_options options;
	struct qs_import_map *maps;
};

static int read_documents(int n, char **files, struct qs_setup *setup,
			  struct qs_notes *notes)
{
	for (int i = 0; i < n; i++) {
		const char *file = files[i];
		struct qs_error err;
		char *text;
		size_t size;
		int rc;

		qs_progress_at(i, n);
		if (qs_io_read(NAME, file, QS_DOCUMENT_BYTES_MAX, &text, &size))
			return -1;
		if (!strcmp(file, "-"))
			file = "standard input";
		rc = qs_setup_read(setup, notes, file, text, size, &err);
		free(text);
		if (rc) {
			qs_cli_error(NAME, "%s", err.text);
			return -1;
		}
	}
	return 0;
}

static void print_warnings(const struct qs_warnings *warnings)
{
	for (size_t i = 0; i < warnings->n; i++)
		fprintf(stderr, "qshare import: warning: %s\n",
			warnings->items[i].text);
	if (warnings->dropped)
		fprintf(stderr, "qshare import: %zu more warnings\n",
			warnings->dropped);
}

static int import(const struct arguments *args, int n, char **files)
{
	struct qs_warnings warnings = { 0 };
	struct qs_imported imported = { 0 };
	struct qs_instances table = { 0 };
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	struct qs_error err;
	int rc = -1;

	qs_progress_begin(NAME, "reading the documents");
	rc = qs_io_instances(NAME, args->instances, &table) ||
			     read_documents(n, files, &setup, &notes) ?
		     -1 :
		     0;
	qs_progress_end();
	if (rc)
		goto out;
	rc = qs_import(&setup, &table, &args->options, &imported, &notes,
		       &warnings, &err);
	if (rc) {
		qs_cli_error(NAME, "%s", err.text);
		goto out;
	}
	if (args->output)
		rc = qs_io_write(NAME, args->output, imported.text, false);
	else
		fputs(imported.text, stdout);
	if (!rc) {
		qs_io_notes(NAME, &notes);
		print_warnings(&warnings);
	}
out:
	qs_imported_clear(&imported);
	qs_notes_clear(&notes);
	qs_setup_clear(&setup);
	qs_instances_clear(&table);
	return rc ? QS_EXIT_ERROR : QS_EXIT_OK;
}

/* Returns a usage error's code, or QS_EXIT_OK. */
static int take_map(struct arguments *args, char *text)
{
	struct qs_import_map *maps, *to;
	char *copy = strdup(text);

	maps = copy ? realloc(args->maps,
			      (args->options.nmaps + 1) * sizeof(*maps)) :
		      NULL;
	if (!maps) {
		free(copy);
		return qs_cli_error(NAME, "out of memory");
	}
	args->options.maps = args->maps = maps;
	to = &maps[args->options.nmaps];
	/* The copy lives as long as the map points into it: to the end. */
	if (qs_import_map_read(copy, to)) {
		free(copy);
		return qs_cli_usage(NAME,
				    "--map=%s: expected UNIT=TYPE or "
				    "UNIT=TYPE:GPUS, e.g. "
				    "ml.p5.48xlarge=h100:8",
				    text);
	}
	args->options.nmaps++;
	return QS_EXIT_OK;
}

static void free_maps(struct arguments *args)
{
	for (size_t i = 0; i < args->options.nmaps; i++)
		free((char *)args->maps[i].unit);
	free(args->maps);
}

enum {
	OPT_AWS = 0x100,
	OPT_QUEUE,
	OPT_MAP,
	OPT_FORCE,
	OPT_INSTANCES
};

/* Returns -1 to go on, or the exit code. */
static int take(int opt, void *arg)
{
	struct arguments *args = arg;
	int code;

	switch (opt) {
	case OPT_AWS:
		args->aws = true;
		return -1;
	case OPT_QUEUE:
		args->options.queue = optarg;
		return -1;
	case OPT_MAP:
		code = take_map(args, optarg);
		return code == QS_EXIT_OK ? -1 : code;
	case OPT_FORCE:
		args->options.force = true;
		return -1;
	case OPT_INSTANCES:
		args->instances = optarg;
		return -1;
	case 'o':
		args->output = optarg;
		return -1;
	default:
		return QS_CLI_UNKNOWN;
	}
}

int qs_cli_import(int argc, char **argv)
{
	static const struct option options[] = {
		{ "aws", no_argument, NULL, OPT_AWS },
		{ "queue", required_argument, NULL, OPT_QUEUE },
		{ "map", required_argument, NULL, OPT_MAP },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "instances", required_argument, NULL, OPT_INSTANCES },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct arguments args = { 0 };
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":ho:",
		.options = options,
		.help = help,
		.take = take,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, &args);

	if (code < 0 && !args.aws)
		code = qs_cli_usage(NAME, "say --aws: no other kind of "
					  "document is known");
	if (code < 0 && optind == argc)
		code = qs_cli_usage(NAME, "at least one file is needed");
	if (code < 0)
		code = import(&args, argc - optind, argv + optind);
	free_maps(&args);
	return qs_cli_flush(NAME, code);
}
