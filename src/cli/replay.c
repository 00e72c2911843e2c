/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.c - qshare replay: the jobs of the past under another policy
 *
 * Offline. Reads everything, then one policy after the other: simulate,
 * measure, forget the runs. Blocks on files.
 */
#include "cli/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "conf/conf.h"
#include "replay/baseline.h"

#define NAME QS_REPLAY_NAME

struct work {
	const struct qs_replay_args *args;
	const struct qs_trace *trace;
	struct qs_replay_result *results;
	uint32_t n;
	FILE *runs;       /* or NULL */
	const char *name; /* of the policy at hand */
};

static void show(void *arg, uint32_t done, uint32_t of)
{
	(void)arg;
	qs_progress_at(done, of);
}

static void put_time(FILE *file, int64_t t)
{
	if (t == QS_TIME_NONE)
		putc(',', file);
	else
		fprintf(file, ",%" PRId64, t);
}

static void put_run(void *arg, const struct qs_runs *runs, uint32_t i,
		    const struct qs_quota_history *history)
{
	struct work *work = arg;
	const struct qs_run *run = &runs->items[i];
	const struct qs_demand *d = qs_runs_demands(runs, run);
	const struct qs_trace_job *job = &work->trace->jobs[run->job - 1];

	if (!work->runs)
		return;
	qs_replay_csv(work->runs, work->name);
	fprintf(work->runs, ",%" PRIu32 ",", job->line);
	if (job->id)
		fprintf(work->runs, "%" PRIu64, job->id);
	fprintf(work->runs, ",%" PRIu32 ",", run->attempt);
	if (run->share >= 0)
		qs_replay_csv(work->runs, history->shares[run->share]);
	putc(',', work->runs);
	qs_replay_csv(work->runs, history->types[d->type]);
	fprintf(work->runs, ",%" PRIu32, d->gpus);
	put_time(work->runs, run->submit);
	put_time(work->runs, run->start);
	put_time(work->runs, run->end);
	fprintf(work->runs, ",%s,%s", qs_run_end_name(run->ended),
		qs_run_cause_name(run->cause));
	put_time(work->runs, run->repeat_sec);
	put_time(work->runs, run->claimed);
	fprintf(work->runs, ",%s,%" PRIu32 "\n",
		!qs_run_started(run) ? "" :
		run->borrow          ? "borrowed" :
				       "own",
		run->by ? work->trace->jobs[run->by - 1].line : 0);
}

static void put_runs_head(FILE *file)
{
	fputs("policy,line,job_id,attempt,share,gpu_type,gpus,wait_since,"
	      "start,end,ended,cause,repeat_sec,claimed,began_as,by_line\n",
	      file);
}

static int failed(const struct qs_replay_given *given)
{
	if (errno == EINVAL)
		return qs_cli_error(NAME,
				    "policy %s: a later one of its files lacks "
				    "a GPU type that an earlier one has",
				    given->name);
	return qs_cli_error(NAME, "policy %s: %s", given->name,
			    strerror(errno));
}

static int run(struct work *work, const struct qs_replay_given *given,
	       const struct qs_sim_policy *policies, enum qs_replay_kind kind,
	       const char *name)
{
	struct qs_replay_result *result = &work->results[work->n];
	struct qs_replay_wish wish = {
		.sim = work->args->sim,
		.kind = kind,
		.policies = policies,
		.owners = given->policies,
		.npolicies = given->n,
		.begin = work->args->begin,
		.end = work->args->end,
		.progress = show,
		.run = work->runs ? put_run : NULL,
		.arg = work,
	};
	int rc;

	snprintf(result->name, sizeof(result->name), "%s", name);
	result->kind = kind;
	work->name = result->name;
	if (!work->args->quiet)
		qs_progress_begin(NAME, result->name);
	rc = qs_replay_make(work->trace, &wish, &result->replay);
	work->n++;
	qs_progress_end();
	return rc ? failed(given) : 0;
}

/* The first policy and what replaces it, read again and made plain. */
static int run_baseline(struct work *work, enum qs_replay_kind kind,
			const char *name)
{
	const struct qs_replay_given *given = &work->args->given[0];
	struct qs_sim_policy *plain = calloc(given->n, sizeof(*plain));
	int rc = plain ? 0 : qs_cli_error(NAME, "out of memory");

	for (uint32_t i = 0; i < given->n && !rc; i++) {
		struct qs_policy *policy;
		struct qs_error err;

		plain[i].since = given->policies[i].since;
		policy = qs_conf_read_file(given->files[i], NULL, &err);
		plain[i].policy = policy;
		if (!policy)
			rc = qs_cli_error(NAME, "%s", err.text);
		else if (kind == QS_REPLAY_RIGID)
			qs_baseline_rigid(policy);
		else
			qs_baseline_pool(policy, kind == QS_REPLAY_POOL ?
							 QS_ORDER_STRICT :
							 QS_ORDER_BEST_EFFORT);
	}
	if (!rc)
		rc = run(work, given, plain, kind, name);
	for (uint32_t i = 0; plain && i < given->n; i++)
		qs_policy_free((struct qs_policy *)plain[i].policy);
	free(plain);
	return rc;
}

/* One window for all, until the slowest is done. */
static void same_window(struct work *work)
{
	int64_t end = QS_TIME_NONE;

	for (uint32_t i = 0; i < work->n; i++) {
		if (work->results[i].replay.m.end > end)
			end = work->results[i].replay.m.end;
	}
	for (uint32_t i = 0; i < work->n; i++)
		qs_replay_extend(&work->results[i].replay, end);
}

static int run_all(struct work *work)
{
	const struct qs_replay_args *args = work->args;
	int rc = 0;

	for (uint32_t i = 0; i < args->ngiven && !rc; i++)
		rc = run(work, &args->given[i], args->given[i].policies,
			 QS_REPLAY_GIVEN, args->given[i].name);
	if (!rc && args->baselines)
		rc = run_baseline(work, QS_REPLAY_RIGID, "(rigid)");
	if (!rc && args->baselines)
		rc = run_baseline(work, QS_REPLAY_POOL, "(pool fifo)");
	if (!rc && args->baselines)
		rc = run_baseline(work, QS_REPLAY_POOL_GREEDY, "(pool greedy)");
	if (!rc && args->end == QS_TIME_NONE)
		same_window(work);
	return rc;
}

static int close_runs(struct work *work)
{
	int bad;

	if (!work->runs)
		return 0;
	bad = ferror(work->runs);
	if (fclose(work->runs) || bad)
		return qs_cli_error(NAME, "%s: %s", work->args->runs,
				    strerror(errno));
	return 0;
}

/* GPUs of a type in --nodes. */
static int64_t in_nodes(const struct qs_replay_args *args,
			const struct qs_policy *policy, int type)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < args->sim.nnodes; i++) {
		const struct qs_sim_nodes *nodes = &args->sim.nodes[i];

		if (qs_sim_type_of(policy, nodes->type) == type)
			sum += (int64_t)nodes->count * nodes->gpus;
	}
	return sum;
}

/* What is promised and not there is out of service all the time (R17), which is
 * seldom meant; and the nodes are those of one queue. */
static void warn(const struct qs_replay_args *args,
		 const struct qs_replay_given *given,
		 const struct qs_policy *policy)
{
	if (policy->nqueues > 1)
		fprintf(stderr,
			"qshare %s: policy %s has %d queues, and all nodes are "
			"of the first one\n",
			NAME, given->name, policy->nqueues);
	for (int t = 0; t < policy->ntypes; t++) {
		int64_t have = in_nodes(args, policy, t), promised = 0;

		for (int q = 0; q < policy->nqueues; q++)
			promised += qs_policy_promised(policy, q, t);
		if (promised > have)
			fprintf(stderr,
				"qshare %s: policy %s promises %" PRId64 " %s, "
				"and the nodes have %" PRId64 ": what is "
				"missing counts as out of service\n",
				NAME, given->name, promised,
				policy->types[t].name, have);
	}
}

static int replay(const struct qs_replay_args *args)
{
	struct work work = { .args = args };
	struct qs_trace *trace;
	int rc = 0, closed;

	trace = qs_replay_read(args->trace, args->given[0].policies[0].policy);
	if (!trace)
		return QS_EXIT_ERROR;
	for (uint32_t g = 0; args->sim.nnodes && g < args->ngiven; g++) {
		for (uint32_t i = 0; i < args->given[g].n; i++)
			warn(args, &args->given[g],
			     args->given[g].policies[i].policy);
	}
	work.trace = trace;
	work.results = calloc(args->ngiven + 3u, sizeof(*work.results));
	if (!work.results)
		rc = qs_cli_error(NAME, "out of memory");
	if (!rc && args->runs) {
		work.runs = fopen(args->runs, "w");
		if (work.runs)
			put_runs_head(work.runs);
		else
			rc = qs_cli_error(NAME, "%s: %s", args->runs,
					  strerror(errno));
	}
	if (!rc)
		rc = run_all(&work);
	closed = close_runs(&work);
	if (!rc)
		rc = closed;
	if (!rc && qs_replay_print(args, trace, work.results, work.n))
		rc = qs_cli_error(NAME, "%s", strerror(errno));
	for (uint32_t i = 0; i < work.n; i++)
		qs_replay_free(&work.results[i].replay);
	free(work.results);
	qs_trace_free(trace);
	return rc;
}

int qs_cli_replay(int argc, char **argv)
{
	struct qs_replay_args args;
	int code = qs_replay_args_read(&args, argc, argv);

	if (!code)
		code = replay(&args);
	else if (code < 0)
		code = QS_EXIT_OK;
	qs_replay_args_free(&args);
	return qs_cli_flush(NAME, code);
}
