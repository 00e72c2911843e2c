/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.c - qshare diff: what another policy would change
 *
 * Before a policy is put in force. With --live it waits for slurmctld's
 * answer; else it only reads files.
 */
#include "cli/diff.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/online.h"
#include "cli/policy_path.h"
#include "cli/table.h"
#include "conf/conf.h"
#include "conf/scenario.h"

#define NAME "diff"

static void help(void)
{
	puts("Usage: qshare diff [OPTION...] [OLD] NEW\n"
	     "\n"
	     "What the policy file NEW changes, in words. OLD is "
	     "quota_share.conf beside\n"
	     "slurm.conf unless given. With --live or --scenario also what "
	     "that does to jobs:\n"
	     "which running ones could be preempted, which are stopped at "
	     "once, which waiting\n"
	     "ones start.\n"
	     "\n"
	     "  -l, --live           OLD is the policy in force, the jobs are "
	     "those of now\n"
	     "  -S, --scenario=FILE  OLD and the jobs are those of a scenario "
	     "file\n"
	     "      --json           JSON\n"
	     "      --color=WHEN     auto (on a terminal, the default), "
	     "always, never\n"
	     "  -h, --help           show this and exit\n"
	     "\n"
	     "Exit status: 0 compared, 1 a file is in error or slurmctld gave "
	     "no answer, 2\n"
	     "usage.\n"
	     "\n"
	     "Example: qshare diff --live quota_share.conf.new");
}

struct wish {
	bool live, json, color;
	const char *scenario, *old, *new;
};

static struct qs_policy *read_policy(const char *path)
{
	struct qs_policy *policy;
	struct qs_error err;

	policy = qs_conf_read_file(path, NULL, &err);
	if (!policy)
		qs_cli_error(NAME, "%s", err.text);
	return policy;
}

static struct qs_scenario *read_now(void)
{
	const char *const words[] = { "scenario" };
	struct json_object *answer = qs_online_ask(NAME, 1, words);
	struct qs_scenario *scenario = NULL;
	struct qs_error err;
	const char *text;

	if (!answer)
		return NULL;
	text = json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN);
	scenario = qs_scenario_read_text("slurmctld", NULL, text, strlen(text),
					 &err);
	if (!scenario)
		qs_cli_error(NAME, "%s", err.text);
	json_object_put(answer);
	return scenario;
}

static struct qs_scenario *read_scenario(const struct wish *wish)
{
	struct qs_scenario *scenario;
	struct qs_error err;

	if (wish->live)
		return read_now();
	scenario = qs_scenario_read_file(wish->scenario, &err);
	if (!scenario)
		qs_cli_error(NAME, "%s", err.text);
	return scenario;
}

static void print_change(struct json_object *change, bool color)
{
	const char *old = qs_online_text(change, "old", NULL);
	const char *new = qs_online_text(change, "new", NULL);
	const char *means = qs_online_text(change, "means", NULL);

	fputs("  ", stdout);
	qs_style_set(stdout, QS_STYLE_HEAD, color);
	fputs(qs_online_text(change, "where", ""), stdout);
	qs_style_set(stdout, QS_STYLE_PLAIN, color);
	printf(": %s ", qs_online_text(change, "key", ""));
	qs_style_set(stdout, QS_STYLE_BAD, color);
	fputs(old ? old : "(none)", stdout);
	qs_style_set(stdout, QS_STYLE_PLAIN, color);
	fputs(" -> ", stdout);
	qs_style_set(stdout, QS_STYLE_OWN, color);
	fputs(new ? new : "(none)", stdout);
	qs_style_set(stdout, QS_STYLE_PLAIN, color);
	printf("%s%s\n", means ? ": " : "", means ? means : "");
}

static void print_effect(struct json_object *effect, bool color)
{
	bool bad = !strcmp(qs_online_text(effect, "effect", ""), "STOPS");

	printf("  JobId=%lld %s in share %s: ",
	       (long long)qs_online_number(effect, "job", 0),
	       qs_online_text(effect, "state", ""),
	       qs_online_text(effect, "share", "(removed)"));
	if (bad)
		qs_style_set(stdout, QS_STYLE_BAD, color);
	fputs(qs_online_text(effect, "text", ""), stdout);
	if (bad)
		qs_style_set(stdout, QS_STYLE_PLAIN, color);
	putchar('\n');
}

static void each(struct json_object *list,
		 void (*print)(struct json_object *, bool), bool color)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		print(json_object_array_get_idx(list, i), color);
}

/* effects NULL: were not asked for. Takes both lists. */
static void print(const struct wish *wish, struct json_object *changes,
		  struct json_object *effects, bool observe)
{
	struct json_object *all;

	if (wish->json) {
		all = json_object_new_object();
		json_object_object_add(all, "changes", changes);
		json_object_object_add(all, "effects", effects);
		qs_json_print(all, stdout);
		return;
	}
	puts(json_object_array_length(changes) ? "Changes:" :
						 "The policies are the same.");
	each(changes, print_change, wish->color);
	if (effects && json_object_array_length(effects)) {
		puts(observe ? "For the jobs of now, if it were not for "
			       "Mode=OBSERVE:" :
			       "For the jobs of now:");
		each(effects, print_effect, wish->color);
	} else if (effects) {
		puts("For the jobs of now it changes nothing.");
	}
	json_object_put(changes);
	json_object_put(effects);
}

static int with_jobs(const struct wish *wish, const struct qs_policy *new)
{
	struct qs_scenario *scenario = read_scenario(wish);
	struct json_object *effects = NULL;
	struct qs_snapshot *then;
	int code = QS_EXIT_ERROR;

	if (!scenario)
		return QS_EXIT_ERROR;
	then = qs_diff_remap(scenario->snap, new);
	if (then)
		effects = qs_diff_effects(scenario->snap, then);
	if (effects) {
		print(wish, qs_diff_words(scenario->policy, new), effects,
		      new->mode == QS_MODE_OBSERVE);
		code = QS_EXIT_OK;
	} else {
		qs_cli_error(NAME, "out of memory");
	}
	qs_snapshot_free(then);
	qs_scenario_free(scenario);
	return code;
}

static int diff(const struct wish *wish)
{
	struct qs_policy *new = read_policy(wish->new), *old = NULL;
	char *path = NULL;
	int code = QS_EXIT_ERROR;

	if (!new)
		return QS_EXIT_ERROR;
	if (wish->live || wish->scenario) {
		code = with_jobs(wish, new);
	} else {
		path = wish->old ? strdup(wish->old) : qs_policy_path();
		old = path ? read_policy(path) : NULL;
		if (old) {
			print(wish, qs_diff_words(old, new), NULL, false);
			code = QS_EXIT_OK;
		}
	}
	free(path);
	qs_policy_free(old);
	qs_policy_free(new);
	return code;
}

static const struct option options[] = {
	{ "live", no_argument, NULL, 'l' },
	{ "scenario", required_argument, NULL, 'S' },
	{ "json", no_argument, NULL, QS_CLI_OPT_JSON },
	{ "color", optional_argument, NULL, QS_CLI_OPT_COLOR },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take(int opt, void *arg)
{
	struct wish *wish = arg;

	switch (opt) {
	case 'l':
		wish->live = true;
		return -1;
	case 'S':
		wish->scenario = optarg;
		return -1;
	case QS_CLI_OPT_JSON:
		wish->json = true;
		return -1;
	case QS_CLI_OPT_COLOR:
		return qs_style_when(optarg, stdout, &wish->color) ?
			       QS_CLI_UNKNOWN :
			       -1;
	default:
		return QS_CLI_UNKNOWN;
	}
}

int qs_cli_diff(int argc, char **argv)
{
	struct wish wish = { .color = qs_style_auto(stdout) };
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":hlS:",
		.options = options,
		.help = help,
		.take = take,
		.operands = true,
	};
	int code = qs_cli_parse(&parser, argc, argv, &wish);
	int files = argc - optind;

	if (code >= 0)
		return code;
	if (wish.live && wish.scenario)
		return qs_cli_usage(NAME, "--live or --scenario, not both");
	if (files < 1 || files > 2)
		return qs_cli_usage(NAME, "give the new policy file");
	if (files == 2 && (wish.live || wish.scenario))
		return qs_cli_usage(NAME, "OLD is known already: give the new "
					  "policy file only");
	wish.new = argv[argc - 1];
	wish.old = files == 2 ? argv[optind] : NULL;
	return qs_cli_flush(NAME, diff(&wish));
}
