/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_scenario.c - what would become of a job in a scenario file
 *
 * Called by `qshare whatif --scenario`; needs no Slurm. Blocks on the file
 * system. The request is judged like a submission: R1, R2a, R6b, R15. Its
 * surprise: GPUs are counted by the very function that counts them in
 * slurmctld (plugins/host/request_text.c).
 */
#include "cli/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "conf/scenario.h"
#include "conf/verdict.h"
#include "engine/submit.h"
#include "host/request_text.h"

#define NAME "whatif"
/* Behind every other job where ids decide. */
#define ID UINT32_MAX

struct ask {
	struct qs_scenario *scenario;
	struct qs_terms terms;
	struct qs_shape shape;
	const char *account, *share, *partition;
	uint32_t nodes, cpus_per_task;
	struct qs_job job;
	struct qs_demand demands[QS_TYPES_MAX];
	uint32_t ndemands;
};

enum {
	OPT_GRES = 1,
	OPT_PER_NODE,
	OPT_PER_TASK,
	OPT_SHARE,
	OPT_PRIORITY,
	OPT_RETRIES,
	OPT_NO_REQUEUE,
	OPT_REQUEUE,
};

static const struct option options[] = {
	{ "account", required_argument, NULL, 'A' },
	{ "cpus-per-task", required_argument, NULL, 'c' },
	{ "gpus", required_argument, NULL, 'G' },
	{ "gpus-per-node", required_argument, NULL, OPT_PER_NODE },
	{ "gpus-per-task", required_argument, NULL, OPT_PER_TASK },
	{ "gres", required_argument, NULL, OPT_GRES },
	{ "no-requeue", no_argument, NULL, OPT_NO_REQUEUE },
	{ "nodes", required_argument, NULL, 'N' },
	{ "ntasks", required_argument, NULL, 'n' },
	{ "partition", required_argument, NULL, 'p' },
	{ "preempt-retries", required_argument, NULL, OPT_RETRIES },
	{ "quota-share", required_argument, NULL, OPT_SHARE },
	{ "requeue", no_argument, NULL, OPT_REQUEUE },
	{ "share-priority", required_argument, NULL, OPT_PRIORITY },
	{ NULL, 0, NULL, 0 },
};

/* sbatch's --gpus=a100:2 is what Slurm calls gpu:a100:2. */
static int add_gpus(struct ask *ask, enum qs_per per, const char *text,
		    const char *prefix)
{
	char list[512];
	size_t n = 0;

	while (*text) {
		size_t item = strcspn(text, ",");
		int wrote = snprintf(list + n, sizeof(list) - n, "%s%s%.*s",
				     n ? "," : "", prefix, (int)item, text);

		if (wrote < 0 || (size_t)wrote >= sizeof(list) - n)
			return -1;
		n += (size_t)wrote;
		text += item + (text[item] == ',');
	}
	return n ? qs_terms_parse(&ask->terms, per, list) : -1;
}

static int number(const char *text, uint32_t max, uint32_t *out)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || *end || value < 0 || value > max)
		return -1;
	*out = (uint32_t)value;
	return 0;
}

/* One option. Returns 0, or -1: not a value for it. */
static int take(struct ask *ask, int opt)
{
	uint32_t value = 0;
	int rc = 0;

	switch (opt) {
	case 'A':
		ask->account = optarg;
		return 0;
	case 'p':
		ask->partition = optarg;
		return 0;
	case OPT_SHARE:
		ask->share = optarg;
		return 0;
	case OPT_NO_REQUEUE:
	case OPT_REQUEUE:
		ask->job.requeue = opt == OPT_REQUEUE;
		return 0;
	case 'G':
		return add_gpus(ask, QS_PER_JOB, optarg, "gpu:");
	case OPT_PER_NODE:
		return add_gpus(ask, QS_PER_NODE, optarg, "gpu:");
	case OPT_PER_TASK:
		return add_gpus(ask, QS_PER_TASK, optarg, "gpu:");
	case OPT_GRES:
		return add_gpus(ask, QS_PER_NODE, optarg, "");
	case 'N':
		return number(optarg, 100000, &ask->nodes);
	case 'n':
		return number(optarg, 10000000, &ask->shape.tasks);
	case 'c':
		return number(optarg, 1000000, &ask->cpus_per_task);
	case OPT_PRIORITY:
		return number(optarg, QS_PRIORITY_MAX, &ask->job.priority);
	default:
		rc = number(optarg, INT32_MAX, &value);
		ask->job.retries = (struct qs_opt){ !rc, value };
		return rc;
	}
}

/* Returns 0, or an exit code with the reason said. args[n] is NULL. */
static int parse(struct ask *ask, int n, char **args)
{
	char name[] = NAME;
	char **argv = calloc((size_t)n + 2, sizeof(*argv));
	int opt, code = QS_EXIT_OK;

	if (!argv)
		return qs_cli_error(NAME, "out of memory");
	argv[0] = name;
	memcpy(argv + 1, args, (size_t)n * sizeof(*argv));
	optind = 1;
	while (code == QS_EXIT_OK &&
	       (opt = getopt_long(n + 1, argv, ":A:p:N:n:c:G:", options,
				  NULL)) != -1) {
		if (opt == '?' || opt == ':')
			code = qs_cli_bad_option(NAME, opt, argv);
		else if (take(ask, opt))
			code = qs_cli_usage(NAME, "%s: not a value for it",
					    argv[optind - 1]);
	}
	if (code == QS_EXIT_OK && optind <= n)
		code = qs_cli_usage(NAME,
				    "'%s': with --scenario there is no script",
				    argv[optind]);
	free(argv);
	return code;
}

static struct json_object *say(const char *verdict, const char *text)
{
	struct json_object *out = json_object_new_object();

	json_object_object_add(out, "verdict", json_object_new_string(verdict));
	json_object_object_add(out, "text", json_object_new_string(text));
	return out;
}

/* GPU types that nodes of the queue have; without nodes those of its pool. */
static uint64_t present(const struct ask *ask)
{
	const struct qs_snapshot *snap = ask->scenario->snap;
	const struct qs_policy *policy = ask->scenario->policy;
	size_t T = (size_t)policy->ntypes;
	uint64_t bits = 0;

	for (size_t t = 0; t < T; t++) {
		if (!snap->has_nodes &&
		    qs_policy_pool(policy, ask->job.queue, (int)t) > 0)
			bits |= UINT64_C(1) << t;
		for (uint32_t i = 0; i < snap->nnodes; i++)
			if (snap->nodes[i].queue == ask->job.queue &&
			    snap->node_gpus[i * T + t])
				bits |= UINT64_C(1) << t;
	}
	return bits;
}

/* R2, R2a. NULL: good. */
static struct json_object *count_gpus(struct ask *ask)
{
	const struct qs_policy *policy = ask->scenario->policy;
	char text[QS_TEXT_MAX];

	qs_terms_complete(&ask->terms, &ask->shape);
	for (size_t i = 0; i < ask->terms.n; i++) {
		const struct qs_term *term = &ask->terms.items[i];
		uint64_t gpus = qs_term_gpus(term, &ask->shape,
					     ask->nodes ? ask->nodes : 1);
		int type = qs_policy_find_gres(
			policy, term->type[0] ? term->type : "gpu");

		if (!gpus)
			continue;
		if (!term->type[0]) {
			type = qs_submit_untyped(policy, ask->job.queue,
						 present(ask), text,
						 sizeof(text));
			if (type < 0)
				return say("REFUSED", text);
		}
		if (type < 0) {
			struct qs_ask asks = { -1, (int64_t)gpus };

			qs_submit_never_text(policy, ask->job.share,
					     QS_CODE_UNKNOWN_TYPE, term->type,
					     &asks, text, sizeof(text));
			return say("REFUSED", text);
		}
		ask->demands[ask->ndemands++] =
			(struct qs_demand){ .gpus = gpus > QS_GPUS_MAX ?
							    QS_GPUS_MAX :
							    (uint32_t)gpus,
					    .type = (uint16_t)type };
	}
	return ask->ndemands ? NULL : say("NOT_OURS", "");
}

/* R6b, where the queue refuses such jobs. */
static struct json_object *judge_never(struct ask *ask)
{
	const struct qs_policy *policy = ask->scenario->policy;
	struct qs_ask asks[QS_TYPES_MAX];
	char text[QS_TEXT_MAX];
	enum qs_code code;
	size_t at;

	for (uint32_t i = 0; i < ask->ndemands; i++)
		asks[i] = (struct qs_ask){ ask->demands[i].type,
					   ask->demands[i].gpus };
	code = qs_submit_never(policy, ask->job.share, asks, ask->ndemands,
			       &at);
	if (code == QS_CODE_NONE ||
	    !policy->queues[ask->job.queue].never_fits_rejects)
		return NULL;
	qs_submit_never_text(policy, ask->job.share, code,
			     policy->types[asks[at].type].name, &asks[at], text,
			     sizeof(text));
	return say("REFUSED", text);
}

/* R1, R15. */
static struct json_object *judge_share(struct ask *ask)
{
	const struct qs_policy *policy = ask->scenario->policy;
	const char *accounts[1] = { ask->account };
	char text[QS_TEXT_MAX];

	ask->job.queue = policy->nqueues == 1 ? 0 : -1;
	if (ask->partition)
		ask->job.queue = qs_policy_queue_of(policy, ask->partition);
	else if (ask->share && qs_policy_find_share(policy, ask->share) >= 0)
		ask->job.queue =
			policy->shares[qs_policy_find_share(policy, ask->share)]
				.queue;
	if (ask->job.queue < 0)
		return ask->partition ?
			       say("NOT_OURS", "") :
			       say("REFUSED", "there are several queues: name "
					      "a partition with -p");
	/* Who asks about a scenario may ask for every share of it. */
	ask->job.share =
		ask->share ? qs_policy_find_share(policy, ask->share) : -1;
	if (ask->job.share < 0 || ask->account)
		ask->job.share = qs_submit_share(
			policy, ask->job.queue, ask->share, accounts,
			ask->account ? 1 : 0, text, sizeof(text));
	if (ask->job.share < 0)
		return say("REFUSED", text);
	if (!policy->shares[ask->job.share].enabled ||
	    !policy->queues[ask->job.queue].enabled)
		return say("REFUSED",
			   "its share or queue is disabled and takes no new "
			   "jobs (R15)");
	return NULL;
}

static struct json_object *plan(struct ask *ask)
{
	struct qs_snapshot *snap = ask->scenario->snap;
	struct json_object *answer = NULL;
	struct qs_plan *made;
	int64_t at;

	ask->job.id = ID;
	ask->job.state = QS_JOB_PENDING;
	ask->job.eligible = snap->now;
	ask->job.submitting = true;
	ask->job.copies = 1;
	ask->job.nodeset = QS_NODESET_ALL;
	ask->job.need_nodes = ask->nodes ? ask->nodes : QS_NODES_ANY;
	ask->job.cpus =
		(ask->shape.tasks ? ask->shape.tasks : 1) * ask->cpus_per_task;
	at = qs_snapshot_add_job(snap, &ask->job, ask->demands, ask->ndemands,
				 NULL, 0);
	if (at < 0)
		return NULL;
	made = qs_plan_make(snap);
	if (made)
		answer = qs_verdict_json(snap, made, (uint32_t)at, true);
	qs_plan_free(made);
	return answer;
}

struct json_object *qs_whatif_scenario(const char *path, int n, char **args,
				       int *code)
{
	struct ask *ask = calloc(1, sizeof(*ask));
	struct json_object *answer = NULL;
	struct qs_error err;

	*code = QS_EXIT_ERROR;
	if (!ask) {
		qs_cli_error(NAME, "out of memory");
		return NULL;
	}
	qs_terms_init(&ask->terms);
	ask->job.requeue = true;
	*code = parse(ask, n, args);
	if (*code == QS_EXIT_OK) {
		ask->shape.min_nodes = ask->shape.max_nodes = ask->nodes;
		ask->scenario = qs_scenario_read_file(path, &err);
		if (!ask->scenario)
			*code = qs_cli_error(NAME, "%s", err.text);
	}
	if (ask->scenario) {
		answer = judge_share(ask);
		answer = answer ? answer : count_gpus(ask);
		answer = answer ? answer : judge_never(ask);
		answer = answer ? answer : plan(ask);
		if (!answer)
			*code = qs_cli_error(NAME, "out of memory");
	}
	qs_scenario_free(ask->scenario);
	free(ask);
	return answer;
}
