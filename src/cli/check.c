/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - qshare check: is this a good policy file, and what does it say?
 *
 * The same reader as slurmctld's runtime, so the same messages (R18). The
 * surprise: -n also leaves out the summary above the table, for scripts.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/policy_path.h"
#include "cli/site.h"
#include "cli/table.h"
#include "conf/conf.h"
#include "conf/document.h"

#define NAME "check"

static void help(void)
{
	puts("Usage: qshare check [OPTION...] [FILE]\n"
	     "\n"
	     "Read a policy file, say what is wrong with it, or show what it "
	     "means.\n"
	     "FILE is quota_share.conf beside slurm.conf unless given; - is "
	     "standard input.\n"
	     "Warnings are printed on standard error and change nothing.\n"
	     "\n"
	     "  -s, --slurm-conf[=FILE]\n"
	     "                   compare with this slurm.conf (beside FILE "
	     "unless named):\n"
	     "                   partitions, types and GPUs of nodes, the "
	     "plugins\n"
	     "      --gres-conf=FILE\n"
	     "                   its gres.conf, if not beside it\n"
	     "  -W, --strict     warnings are errors\n" QS_CLI_OUTPUT_HELP
	     "  -h, --help       show this and exit\n"
	     "\n"
	     "Exit status: 0 the file is good, 1 it is not, 2 usage.\n"
	     "\n"
	     "Example: qshare check --slurm-conf "
	     "/etc/slurm/quota_share.conf");
}

/* How to check. */
struct wish {
	struct qs_cli_output out;
	bool site, strict;
	const char *slurm_conf, *gres_conf; /* NULL: beside the file */
};

static struct qs_policy *read_stdin(struct qs_warnings *warnings,
				    struct qs_error *err)
{
	struct qs_place at = { .file = "standard input" };
	char *text = malloc(QS_FILE_BYTES_MAX + 1);
	struct qs_policy *policy = NULL;
	size_t n;

	if (!text) {
		qs_error_memory(err);
		return NULL;
	}
	n = fread(text, 1, QS_FILE_BYTES_MAX + 1, stdin);
	if (ferror(stdin))
		qs_error_set(err, &at, strerror(errno), NULL,
			     "a readable file");
	else if (n > QS_FILE_BYTES_MAX)
		qs_error_set(err, &at, "it is too large", NULL,
			     "at most 1 MiB");
	else
		policy =
			qs_conf_read_text(at.file, ".", text, n, warnings, err);
	free(text);
	return policy;
}

static void add_share(struct qs_table *table, const struct qs_policy *policy,
		      int s, int t)
{
	const struct qs_share *share = &policy->shares[s];
	int64_t limit = qs_policy_limit(policy, s, t);

	qs_table_row(table);
	qs_table_text(table, policy->queues[share->queue].name);
	qs_table_text(table, share->name);
	qs_table_text(table, policy->types[t].name);
	qs_table_number(table, qs_policy_quota(policy, s, t)->capacity);
	if (limit == INT64_MAX)
		qs_table_none(table, "unlimited");
	else
		qs_table_number(table, limit);
	qs_table_number(table, qs_policy_lends(policy, s, t));
	qs_table_text(table, qs_strategy_name(share->strategy));
	qs_table_bool(table, share->in_share_preemption);
	qs_table_bool(table, share->enabled);
}

static struct qs_table *make_table(const struct qs_policy *policy)
{
	static const char *const columns[] = {
		"queue", "share",    "type",     "capacity", "limit",
		"lends", "strategy", "in_share", "enabled"
	};
	struct qs_table *table = qs_table_new();

	if (!table)
		return NULL;
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		qs_table_column(table, columns[i]);
		if (!strcmp(columns[i], "in_share"))
			qs_table_head(table, "IN-SHARE");
	}
	for (int s = 0; s < policy->nshares; s++)
		for (int t = 0; t < policy->ntypes; t++)
			if (qs_policy_quota(policy, s, t)->listed)
				add_share(table, policy, s, t);
	return table;
}

static struct json_object *error_json(const struct qs_error *err)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "text", json_object_new_string(err->text));
	json_object_object_add(json, "file", json_object_new_string(err->file));
	json_object_object_add(json, "line",
			       json_object_new_int64((int64_t)err->line));
	json_object_object_add(json, "key", json_object_new_string(err->key));
	json_object_object_add(json, "value",
			       json_object_new_string(err->value));
	json_object_object_add(json, "expected",
			       json_object_new_string(err->expected));
	return json;
}

/* policy NULL: the error. */
static int print_json(const char *path, const struct qs_policy *policy,
		      const struct qs_table *table,
		      const struct qs_warnings *warnings,
		      const struct qs_error *err)
{
	struct json_object *json = json_object_new_object();
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < warnings->n; i++)
		json_object_array_add(
			list, json_object_new_string(warnings->items[i].text));
	json_object_object_add(json, "file", json_object_new_string(path));
	json_object_object_add(json, "ok", json_object_new_boolean(!!policy));
	if (policy) {
		json_object_object_add(
			json, "mode",
			json_object_new_string(policy->mode == QS_MODE_OBSERVE ?
						       "OBSERVE" :
						       "ENFORCE"));
		json_object_object_add(json, "warnings", list);
		json_object_object_add(json, "shares", qs_table_json(table));
	} else {
		json_object_put(list);
		json_object_object_add(json, "error", error_json(err));
	}
	if (qs_json_print(json, stdout))
		return qs_cli_error(NAME, "%s", strerror(errno));
	return policy ? QS_EXIT_OK : QS_EXIT_ERROR;
}

static void print_summary(const char *path, const struct qs_policy *policy)
{
	printf("%s: OK: %d queue%s, %d share%s, %d GPU type%s%s\n", path,
	       policy->nqueues, policy->nqueues == 1 ? "" : "s",
	       policy->nshares, policy->nshares == 1 ? "" : "s", policy->ntypes,
	       policy->ntypes == 1 ? "" : "s",
	       policy->mode == QS_MODE_OBSERVE ?
		       "; Mode=OBSERVE: nobody is held back or preempted" :
		       "");
}

static void print_warnings(const struct qs_warnings *warnings)
{
	for (size_t i = 0; i < warnings->n; i++)
		fprintf(stderr, "qshare check: warning: %s\n",
			warnings->items[i].text);
	if (warnings->dropped)
		fprintf(stderr, "qshare check: %zu more warnings\n",
			warnings->dropped);
}

/* Returns 0, or an exit code with the reason said. */
static int check_site(const char *path, const struct wish *wish,
		      const struct qs_policy *policy,
		      struct qs_warnings *warnings)
{
	char *slurm_conf = wish->slurm_conf ?
				   strdup(wish->slurm_conf) :
				   qs_path_beside(path, "slurm.conf");
	struct qs_site *site = NULL;
	struct qs_error err;
	int code = QS_EXIT_OK;

	if (slurm_conf)
		site = qs_site_read(slurm_conf, wish->gres_conf, &err);
	else
		qs_error_memory(&err);
	if (site)
		qs_site_check(site, policy, warnings);
	else
		code = qs_cli_error(NAME, "%s", err.text);
	qs_site_free(site);
	free(slurm_conf);
	return code;
}

static int print(const char *path, const struct wish *wish,
		 const struct qs_policy *policy,
		 const struct qs_warnings *warnings)
{
	const struct qs_cli_output *out = &wish->out;
	struct qs_table *table = make_table(policy);
	int code = QS_EXIT_OK;

	if (!table)
		return qs_cli_error(NAME, "out of memory");
	if (out->format == QS_TABLE_JSON) {
		code = print_json(path, policy, table, warnings, NULL);
	} else {
		if (out->header && out->format == QS_TABLE_ALIGNED)
			print_summary(path, policy);
		if (qs_table_show(table, stdout, out->format, out->header,
				  out->color))
			code = QS_EXIT_ERROR;
		print_warnings(warnings);
	}
	qs_table_free(table);
	if (wish->strict && warnings->n)
		code = QS_EXIT_ERROR;
	return code;
}

static int check(const char *path, const struct wish *wish)
{
	struct qs_warnings *warnings = calloc(1, sizeof(*warnings));
	struct qs_policy *policy = NULL;
	struct qs_error err;
	int code;

	if (!warnings)
		return qs_cli_error(NAME, "out of memory");
	if (!strcmp(path, "-")) {
		path = "standard input";
		policy = read_stdin(warnings, &err);
	} else {
		policy = qs_conf_read_file(path, warnings, &err);
	}
	if (!policy) {
		code = qs_cli_error(NAME, "%s", err.text);
		if (wish->out.format == QS_TABLE_JSON)
			print_json(path, NULL, NULL, warnings, &err);
		free(warnings);
		return code;
	}
	code = wish->site ? check_site(path, wish, policy, warnings) :
			    QS_EXIT_OK;
	if (code == QS_EXIT_OK)
		code = print(path, wish, policy, warnings);
	qs_policy_free(policy);
	free(warnings);
	return code;
}

enum {
	OPT_GRES = 1
};

static int take(int opt, void *arg)
{
	struct wish *wish = arg;

	switch (opt) {
	case 's':
		wish->site = true;
		wish->slurm_conf = optarg;
		return -1;
	case OPT_GRES:
		wish->site = true;
		wish->gres_conf = optarg;
		return -1;
	case 'W':
		wish->strict = true;
		return -1;
	default:
		return QS_CLI_UNKNOWN;
	}
}

int qs_cli_check(int argc, char **argv)
{
	static const struct option options[] = {
		{ "slurm-conf", optional_argument, NULL, 's' },
		{ "gres-conf", required_argument, NULL, OPT_GRES },
		{ "strict", no_argument, NULL, 'W' },
		{ "help", no_argument, NULL, 'h' },
		QS_CLI_OUTPUT_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct wish wish = { .out = QS_CLI_OUTPUT_INIT };
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":hs::W" QS_CLI_OUTPUT_SHORT,
		.options = options,
		.help = help,
		.out = &wish.out,
		.take = take,
		.operands = true,
	};
	char *path = NULL;
	int code = qs_cli_parse(&parser, argc, argv, &wish);

	if (code >= 0)
		return code;
	if (argc - optind > 1)
		return qs_cli_usage(NAME, "one file at a time");
	if (optind == argc) {
		path = qs_policy_path();
		if (!path)
			return qs_cli_error(NAME, "out of memory");
	}
	code = check(path ? path : argv[optind], &wish);
	free(path);
	return qs_cli_flush(NAME, code);
}
