/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.c - qshare metrics: shares and planner for Prometheus
 *
 * Waits for slurmctld's answers. Its surprise: it prints something in any
 * case, so that a slurmctld that is gone is a value and not a hole.
 */
#include "cli/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/online.h"

#define NAME "metrics"

static void help(void)
{
	puts("Usage: qshare metrics [OPTION...]\n"
	     "\n"
	     "Print the shares, the queues' health, preemptions by reason, "
	     "reclaim times and\n"
	     "the planner's time in Prometheus's text format. A limit without "
	     "bound is +Inf.\n"
	     "If slurmctld does not answer, quota_share_up is 0.\n"
	     "\n"
	     "  -o, --output=FILE  write to FILE as a whole: for the textfile "
	     "collector of\n"
	     "                     node_exporter\n"
	     "  -h, --help         show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 slurmctld gave no answer or the file "
	     "cannot be\n"
	     "written, 2 usage.\n"
	     "\n"
	     "Example: qshare metrics -o "
	     "/var/lib/prometheus/node-exporter/quota_share.prom");
}

static struct json_object *ask(const char *word)
{
	return qs_online_ask(NAME, 1, &word);
}

/* A reader never sees half of it. Returns 0, or -1 with errno. */
static int write_whole(const char *path, struct json_object *status,
		       struct json_object *metrics)
{
	size_t n = strlen(path) + 16;
	char *fresh = malloc(n);
	FILE *file;
	int rc;

	if (!fresh)
		return -1;
	snprintf(fresh, n, "%s.%d", path, (int)getpid() % 1000000);
	file = fopen(fresh, "we");
	if (!file) {
		free(fresh);
		return -1;
	}
	(void)fchmod(fileno(file), 0644);
	qs_metrics_print(status, metrics, file);
	rc = ferror(file) ? -1 : 0;
	if (fclose(file) || rc || rename(fresh, path)) {
		int error = errno;

		unlink(fresh);
		errno = error;
		rc = -1;
	}
	free(fresh);
	return rc;
}

static int take(int opt, void *arg)
{
	const char **path = arg;

	if (opt != 'o')
		return QS_CLI_UNKNOWN;
	*path = optarg;
	return -1;
}

int qs_cli_metrics(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct json_object *status, *metrics = NULL;
	const char *path = NULL;
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":ho:",
		.options = options,
		.help = help,
		.take = take,
	};
	int code = qs_cli_parse(&parser, argc, argv, &path);

	if (code >= 0)
		return code;
	status = ask("status");
	if (status)
		metrics = ask("metrics");
	code = status && metrics ? QS_EXIT_OK : QS_EXIT_ERROR;
	if (!path)
		qs_metrics_print(status, metrics, stdout);
	else if (write_whole(path, status, metrics))
		code = qs_cli_error(NAME, "%s: %s", path, strerror(errno));
	json_object_put(status);
	json_object_put(metrics);
	return qs_cli_flush(NAME, code);
}
