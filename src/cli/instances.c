/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.c - qshare instances: the table of AWS instance types
 *
 * What import and export make of a capacity unit. Reads one file.
 */
#include "cli/aws_io.h"
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#define NAME "instances"

static void help(void)
{
	puts("Usage: qshare instances [OPTION...] [GPU...]\n"
	     "\n"
	     "The AWS instance types that qshare import and export know, with "
	     "the GPUs in\n"
	     "each; of the given GPU models only, if any are given.\n"
	     "\n"
	     "      --instances=FILE  read this table; else the one named by\n"
	     "                        QSHARE_INSTANCES, else the installed "
	     "one\n" QS_CLI_OUTPUT_HELP
	     "  -h, --help       show this and exit\n"
	     "\n"
	     "The table is a CSV file with the columns type, gpus and gpu, and "
	     "vcpu and\n"
	     "mem_gib if there are such. A newer one can take its place at any "
	     "time.\n"
	     "\n"
	     "Exit status: 0 success, 1 the table is in error, 2 usage.\n"
	     "\n"
	     "Example: qshare instances h100");
}

static bool is_wanted(const struct qs_instance *instance, int n, char **gpus)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(gpus[i], instance->gpu))
			return true;
	return n == 0;
}

static void put_count(struct qs_table *to, uint32_t count)
{
	if (count)
		qs_table_number(to, count);
	else
		qs_table_none(to, "-");
}

static int print(const struct qs_instances *table, int n, char **gpus,
		 const struct qs_cli_output *out)
{
	static const char *const columns[] = { "type", "gpu", "gpus", "vcpu",
					       "mem_gib" };
	struct qs_table *to = qs_table_new();
	size_t rows = 0;
	int rc;

	if (!to)
		return qs_cli_error(NAME, "out of memory");
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		qs_table_column(to, columns[i]);
	for (size_t i = 0; i < table->n; i++) {
		const struct qs_instance *one = &table->items[i];

		if (!is_wanted(one, n, gpus))
			continue;
		rows++;
		qs_table_row(to);
		qs_table_text(to, one->name);
		qs_table_text(to, one->gpu);
		qs_table_number(to, one->gpus);
		put_count(to, one->vcpus);
		put_count(to, one->mem_gib);
	}
	rc = rows ? qs_table_print(to, stdout, out->format, out->header) : 0;
	qs_table_free(to);
	if (rc)
		return qs_cli_error(NAME, "%s", strerror(errno));
	if (!rows)
		return qs_cli_error(NAME, "no instance type has that GPU");
	return QS_EXIT_OK;
}

static int take(int opt, void *arg)
{
	const char **path = arg;

	if (opt != 'i')
		return QS_CLI_UNKNOWN;
	*path = optarg;
	return -1;
}

int qs_cli_instances(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "instances", required_argument, NULL, 'i' },
		QS_CLI_OUTPUT_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct qs_cli_output out = QS_CLI_OUTPUT_INIT;
	struct qs_instances table = { 0 };
	const char *path = NULL;
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":h" QS_CLI_OUTPUT_SHORT,
		.options = options,
		.help = help,
		.out = &out,
		.take = take,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, &path);

	if (code >= 0)
		return code;
	code = qs_io_instances(NAME, path, &table) ?
		       QS_EXIT_ERROR :
		       print(&table, argc - optind, argv + optind, &out);
	qs_instances_clear(&table);
	return qs_cli_flush(NAME, code);
}
