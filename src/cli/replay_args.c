/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_args.c - the command line of qshare replay
 *
 * Called once. Blocks on the files of policies and scenario, which are read
 * here, so that a mistake in them shows before anything long begins.
 */
#include "cli/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#define NAME QS_REPLAY_NAME

static void help(void)
{
	puts("Usage: qshare replay [OPTION...] TRACE --policy=FILE...\n"
	     "\n"
	     "Runs the jobs of the past through the planner under one or more "
	     "policies, and\n"
	     "shows side by side what would have come of it: waiting times, "
	     "borrowed GPU\n"
	     "hours, preemptions, repeated work. To compare with: (rigid) "
	     "partitions, every\n"
	     "share has what it owns; and one (pool) without shares, first "
	     "come first served,\n"
	     "or whoever fits.\n"
	     "\n"
	     "TRACE has a line per job with the columns submit_s, gpus and "
	     "duration_s (or\n"
	     "start_s and end_s), and if known job_id, share, gpu_type, state, "
	     "priority; or\n"
	     "it is what sacct wrote (--parsable2 or --json). - is standard "
	     "input.\n"
	     "\n"
	     "  -p, --policy=[NAME=]FILE  a policy; several are compared\n"
	     "      --policy-at=TIME:FILE the policy above is replaced then\n"
	     "  -N, --nodes=TYPE:NxG[,..] the cluster: N nodes with G GPUs of "
	     "the type;\n"
	     "                            without, one pool as large as the "
	     "policy says\n"
	     "  -S, --scenario=FILE       the cluster is that of a scenario "
	     "file\n"
	     "  -c, --checkpoint=HOW      what a preempted job keeps: none "
	     "(the default),\n"
	     "                            signal (all, saved when it is told "
	     "to go), or a\n"
	     "                            time: saved each time it has worked "
	     "so long\n"
	     "  -r, --restart=TIME        what each start after a preemption "
	     "costs (0)\n"
	     "      --leave=TIME          victims are gone after so much of "
	     "their grace\n"
	     "                            time (all)\n"
	     "      --spread              jobs that fit into a node may be "
	     "spread over several\n"
	     "      --no-baselines        the given policies only\n"
	     "      --begin=TIME, --end=TIME  what is counted (everything)\n"
	     "      --format=WORD         table, json or csv\n"
	     "      --runs=FILE           write every run of every job there, "
	     "as csv\n"
	     "  -q, --quiet               no progress on the terminal\n"
	     "      --color=WHEN          auto (on a terminal, the default), "
	     "always, never\n"
	     "  -h, --help                show this and exit\n"
	     "\n"
	     "TIME is in seconds (of the trace's own scale where it is a "
	     "moment), or 30m, 2h,\n"
	     "7d.\n"
	     "\n"
	     "Exit status: 0 replayed, 1 a file is in error, 2 usage.\n"
	     "\n"
	     "Example: qshare replay jobs.csv -p now=quota_share.conf \\\n"
	     "             -p new=quota_share.conf.new -N a100:150x8 -c 1h "
	     "-r 5m");
}

/* Seconds, or a number with s, m, h or d behind it. */
static int span(const char *text, int64_t *seconds)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || value < 0 || value > INT64_MAX / 100000)
		return -1;
	*seconds = value;
	if (!*end)
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (*end == units[i].unit && !end[1]) {
			*seconds = value * units[i].seconds;
			return 0;
		}
	}
	return -1;
}

static int checkpoint(const char *text, int64_t *seconds)
{
	if (!strcmp(text, "none"))
		*seconds = QS_CHECKPOINT_NONE;
	else if (!strcmp(text, "signal"))
		*seconds = QS_CHECKPOINT_SIGNAL;
	else if (span(text, seconds) || !*seconds)
		return qs_cli_usage(NAME,
				    "--checkpoint=%s: give none, signal, or a "
				    "time as 600, 30m, 2h",
				    text);
	return 0;
}

static int one_span(const char *option, const char *text, int64_t *seconds)
{
	if (!span(text, seconds))
		return 0;
	return qs_cli_usage(NAME, "--%s=%s: give a time as 600, 30m, 2h, 7d",
			    option, text);
}

/* TYPE:NxG, several with commas. */
static int nodes(struct qs_replay_args *args, const char *text)
{
	while (*text) {
		struct qs_sim_nodes *group = &args->nodes[args->sim.nnodes];
		size_t n = strcspn(text, ",");
		int used = -1, got;

		if (args->sim.nnodes == QS_REPLAY_NODES)
			return qs_cli_usage(NAME,
					    "--nodes: at most %d kinds of node",
					    QS_REPLAY_NODES);
		got = sscanf(text, "%63[^:,]:%ux%u%n", group->type,
			     &group->count, &group->gpus, &used);
		if (got != 3 || used < 0 || (size_t)used != n ||
		    !group->count || group->count > 1000000 || !group->gpus ||
		    group->gpus > 1024)
			return qs_cli_usage(NAME,
					    "--nodes=%s: give type, number of "
					    "nodes and GPUs of each, as "
					    "a100:150x8",
					    text);
		args->sim.nnodes++;
		text += n + (text[n] == ',');
	}
	return 0;
}

static int add_policy(struct qs_replay_given *given, int64_t since,
		      const char *file)
{
	struct qs_sim_policy *policies = realloc(
		given->policies, (given->n + 1u) * sizeof(*given->policies));
	const char **files;
	struct qs_error err;

	if (!policies)
		return qs_cli_error(NAME, "out of memory");
	given->policies = policies;
	files = realloc(given->files, (given->n + 1u) * sizeof(*files));
	if (!files)
		return qs_cli_error(NAME, "out of memory");
	given->files = files;
	policies[given->n].since = since;
	policies[given->n].policy = qs_conf_read_file(file, NULL, &err);
	if (!policies[given->n].policy)
		return qs_cli_error(NAME, "%s", err.text);
	files[given->n++] = file;
	return 0;
}

/* FILE or NAME=FILE. */
static int new_policy(struct qs_replay_args *args, const char *text)
{
	const char *equal = strchr(text, '='), *slash = strchr(text, '/');
	struct qs_replay_given *given;

	if (args->ngiven == QS_REPLAY_POLICIES)
		return qs_cli_usage(NAME, "at most %d policies",
				    QS_REPLAY_POLICIES);
	given = realloc(args->given, (args->ngiven + 1u) * sizeof(*given));
	if (!given)
		return qs_cli_error(NAME, "out of memory");
	args->given = given;
	given += args->ngiven++;
	memset(given, 0, sizeof(*given));
	/* a '=' in a folder's name names nothing */
	if (equal && equal > text && (!slash || equal < slash)) {
		snprintf(given->name, sizeof(given->name), "%.*s",
			 (int)(equal - text), text);
		text = equal + 1;
	} else {
		const char *base = strrchr(text, '/');

		snprintf(given->name, sizeof(given->name), "%s",
			 base ? base + 1 : text);
	}
	return add_policy(given, INT64_MIN, text);
}

static int change_policy(struct qs_replay_args *args, const char *text)
{
	const char *colon = strchr(text, ':');
	struct qs_replay_given *given;
	char time[32] = "";
	int64_t since;

	if (!args->ngiven)
		return qs_cli_usage(NAME,
				    "--policy-at: say with --policy first "
				    "which policy is replaced");
	if (colon && (size_t)(colon - text) < sizeof(time))
		snprintf(time, sizeof(time), "%.*s", (int)(colon - text), text);
	if (!colon || span(time, &since))
		return qs_cli_usage(NAME,
				    "--policy-at=%s: give a time and a file, "
				    "as 7d:new.conf",
				    text);
	given = &args->given[args->ngiven - 1];
	if (since < given->policies[given->n - 1].since)
		return qs_cli_usage(NAME,
				    "--policy-at=%s: it is before the one "
				    "before it",
				    text);
	return add_policy(given, since, colon + 1);
}

static int format(struct qs_replay_args *args, const char *word)
{
	if (!strcmp(word, "table"))
		args->format = QS_REPLAY_TABLE;
	else if (!strcmp(word, "json"))
		args->format = QS_REPLAY_JSON;
	else if (!strcmp(word, "csv"))
		args->format = QS_REPLAY_CSV;
	else
		return qs_cli_usage(
			NAME, "--format=%s: give table, json or csv", word);
	return 0;
}

enum {
	OPT_AT = 0x2000,
	OPT_LEAVE,
	OPT_SPREAD,
	OPT_NO_BASELINES,
	OPT_BEGIN,
	OPT_END,
	OPT_FORMAT,
	OPT_RUNS,
};

static const struct option options[] = {
	{ "policy", required_argument, NULL, 'p' },
	{ "policy-at", required_argument, NULL, OPT_AT },
	{ "nodes", required_argument, NULL, 'N' },
	{ "scenario", required_argument, NULL, 'S' },
	{ "checkpoint", required_argument, NULL, 'c' },
	{ "restart", required_argument, NULL, 'r' },
	{ "leave", required_argument, NULL, OPT_LEAVE },
	{ "spread", no_argument, NULL, OPT_SPREAD },
	{ "no-baselines", no_argument, NULL, OPT_NO_BASELINES },
	{ "begin", required_argument, NULL, OPT_BEGIN },
	{ "end", required_argument, NULL, OPT_END },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "json", no_argument, NULL, QS_CLI_OPT_JSON },
	{ "runs", required_argument, NULL, OPT_RUNS },
	{ "quiet", no_argument, NULL, 'q' },
	{ "color", optional_argument, NULL, QS_CLI_OPT_COLOR },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take(struct qs_replay_args *args, int opt, char **argv)
{
	switch (opt) {
	case 'h':
		help();
		return -1;
	case 'p':
		return new_policy(args, optarg);
	case OPT_AT:
		return change_policy(args, optarg);
	case 'N':
		return nodes(args, optarg);
	case 'S':
		return qs_replay_read_nodes(args, optarg);
	case 'c':
		return checkpoint(optarg, &args->sim.checkpoint_sec);
	case 'r':
		return one_span("restart", optarg, &args->sim.restart_sec);
	case OPT_LEAVE:
		return one_span("leave", optarg, &args->sim.leave_sec);
	case OPT_SPREAD:
		args->sim.spread = true;
		return 0;
	case OPT_NO_BASELINES:
		args->baselines = false;
		return 0;
	case OPT_BEGIN:
		return one_span("begin", optarg, &args->begin);
	case OPT_END:
		return one_span("end", optarg, &args->end);
	case OPT_FORMAT:
		return format(args, optarg);
	case QS_CLI_OPT_JSON:
		args->format = QS_REPLAY_JSON;
		return 0;
	case OPT_RUNS:
		args->runs = optarg;
		return 0;
	case 'q':
		args->quiet = true;
		return 0;
	case QS_CLI_OPT_COLOR:
		if (!qs_style_when(optarg, stdout, &args->color))
			return 0;
		return qs_cli_bad_option(NAME, opt, argv);
	default:
		return qs_cli_bad_option(NAME, opt, argv);
	}
}

int qs_replay_args_read(struct qs_replay_args *args, int argc, char **argv)
{
	int opt, code;

	*args = (struct qs_replay_args){
		.sim = { .leave_sec = -1 },
		.baselines = true,
		.begin = QS_TIME_NONE,
		.end = QS_TIME_NONE,
		.color = qs_style_auto(stdout),
	};
	args->sim.nodes = args->nodes;
	while ((opt = getopt_long(argc, argv, ":hp:N:S:c:r:q", options,
				  NULL)) != -1) {
		code = take(args, opt, argv);
		if (code)
			return code;
	}
	if (argc - optind != 1)
		return qs_cli_usage(NAME, argc == optind ?
						  "which trace? give a file, "
						  "or - for standard input" :
						  "one trace is needed");
	if (!args->ngiven)
		return qs_cli_usage(NAME, "under which policy? give --policy "
					  "once or more");
	if (args->begin != QS_TIME_NONE && args->end != QS_TIME_NONE &&
	    args->end <= args->begin)
		return qs_cli_usage(NAME, "--end is not behind --begin");
	args->trace = argv[optind];
	return 0;
}

void qs_replay_args_free(struct qs_replay_args *args)
{
	for (uint32_t i = 0; i < args->ngiven; i++) {
		struct qs_replay_given *given = &args->given[i];

		for (uint32_t k = 0; k < given->n; k++)
			qs_policy_free(
				(struct qs_policy *)given->policies[k].policy);
		free(given->policies);
		free(given->files);
	}
	free(args->given);
}
