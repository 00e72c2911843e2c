/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_bench.c - how long a replay takes, and what it needs of memory
 *
 * Prints figures; judges nothing. One thread, CPU time. replay_bench TRACE NODES
 * [JOBS] replays the first 50,000 jobs of a real trace (columns as in data/traces)
 * whose shares own what they used, or so many, the trace one time after the
 * other; without arguments a made one of a million jobs. Each in a process of
 * its own, so that the peaks of memory are apart.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "conf/conf.h"
#include "replay/replay.h"

#include "../laws/random.h"
#include "need.h"

#define MADE_JOBS  1000000
#define MADE_NODES 200
#define JOBS       50000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 1,600 GPUs, nine tenths of which are wanted on average. */
static struct qs_trace *make_trace(void)
{
	static const uint32_t sizes[] = { 1, 1, 1, 1, 1, 2, 4, 8 };
	struct qs_trace *trace = bench_need(qs_trace_new());
	struct law_random r = { 1 };
	uint64_t at = 0;

	for (uint32_t i = 0; i < MADE_JOBS; i++) {
		struct qs_trace_job job = {
			.submit = (int64_t)(at += law_random_below(&r, 13)),
			.run_sec = 60 + law_random_below(&r, 3000),
			.line = i + 2,
			.gpus = sizes[law_random_below(&r, 8)],
		};
		char share[8];
		int n = snprintf(share, sizeof(share), "s%u",
				 law_random_below(&r, 15));

		if (qs_trace_add(trace, &job, share, (size_t)n, "gpu", 3))
			bench_need(NULL);
	}
	if (qs_trace_seal(trace))
		bench_need(NULL);
	return trace;
}

/* The trace so often that there are so many jobs, each time a day after the
 * last submission. */
static struct qs_trace *repeat(struct qs_trace *once, uint32_t jobs)
{
	struct qs_trace *trace = bench_need(qs_trace_new());
	int64_t days = once->jobs[once->njobs - 1].submit + 86400;

	for (uint32_t i = 0; i < jobs; i++) {
		struct qs_trace_job job = once->jobs[i % once->njobs];
		const char *share = once->shares.items[job.share];
		const char *type = once->types.items[job.type];

		job.submit += i / once->njobs * days;
		job.line = i + 2;
		if (qs_trace_add(trace, &job, share, strlen(share), type,
				 strlen(type)))
			bench_need(NULL);
	}
	if (qs_trace_seal(trace))
		bench_need(NULL);
	qs_trace_free(once);
	return trace;
}

static struct qs_trace *read_trace(const char *path, uint32_t jobs)
{
	FILE *file = bench_need(fopen(path, "r"));
	size_t max = 64 << 20, n;
	char *text = bench_need(malloc(max));
	struct qs_trace *trace;
	struct qs_error err;

	n = fread(text, 1, max, file);
	fclose(file);
	trace = bench_need(qs_trace_read(path, text, n, &err));
	free(text);
	if (trace->njobs < jobs)
		return repeat(trace, jobs);
	trace->njobs = jobs;
	return trace;
}

/* Who owns what he used, in steps of 4; all of them borrow. */
static struct qs_policy *make_policy(const struct qs_trace *trace, double gpus)
{
	double *used = bench_need(calloc(trace->shares.n, sizeof(*used))),
	       all = 0;
	char *text = bench_need(malloc(256 * (trace->shares.n + 1)));
	struct qs_policy *policy;
	struct qs_error err;
	int n;

	for (uint32_t i = 0; i < trace->njobs; i++) {
		const struct qs_trace_job *job = &trace->jobs[i];

		used[job->share] += (double)job->gpus * (double)job->run_sec;
		all += (double)job->gpus * (double)job->run_sec;
	}
	n = sprintf(text, "GpuType=gpu\nQueue=q Partitions=p\n");
	for (uint32_t s = 0; s < trace->shares.n; s++)
		n += sprintf(text + n,
			     "Share=%.60s Queue=q Accounts=%.60s "
			     "Capacity=gpu:%d Strategy=LEND_AND_BORROW "
			     "InSharePreemption=NO\n",
			     trace->shares.items[s], trace->shares.items[s],
			     4 + (int)(gpus * used[s] / all / 4) * 4);
	policy = qs_conf_read_text("bench", NULL, text, (size_t)n, NULL, &err);
	if (!policy)
		fprintf(stderr, "replay_bench: %s\n", err.text);
	free(used);
	free(text);
	return bench_need(policy);
}

int main(int argc, char **argv)
{
	bool made = argc < 3;
	uint32_t nodes = made ? MADE_NODES : (uint32_t)atoi(argv[2]);
	uint32_t jobs = argc > 3 ? (uint32_t)atoi(argv[3]) : JOBS;
	double begin = now(), read, end;
	struct qs_trace *trace =
		made ? make_trace() : read_trace(argv[1], jobs);
	struct qs_policy *policy = make_policy(trace, nodes * 8.0);
	struct qs_sim_nodes kind = { "gpu", nodes, 8 };
	struct qs_sim_policy one = { 0, policy };
	struct qs_replay_wish wish = {
		.sim = { .nodes = &kind,
			 .nnodes = 1,
			 .leave_sec = -1,
			 .checkpoint_sec = 3600,
			 .restart_sec = 300 },
		.policies = &one,
		.owners = &one,
		.npolicies = 1,
		.begin = QS_TIME_NONE,
		.end = QS_TIME_NONE,
	};
	struct qs_replay replay;
	struct rusage usage;

	read = now();
	if (qs_replay_make(trace, &wish, &replay))
		bench_need(NULL);
	end = now();
	getrusage(RUSAGE_SELF, &usage);
	printf("%-20.20s %8u jobs %5u nodes: read %.2f s, replayed and "
	       "measured in %.2f s\n"
	       "    %llu plans, %.0f us each; %u runs; %ld MB at most\n",
	       made ? "(made)" : strrchr(argv[1], '/') + 1, trace->njobs, nodes,
	       read - begin, end - read, (unsigned long long)replay.plans,
	       1e6 * (end - read) / (double)replay.plans, replay.runs,
	       usage.ru_maxrss / 1024);
	qs_replay_free(&replay);
	qs_policy_free(policy);
	qs_trace_free(trace);
	return 0;
}
