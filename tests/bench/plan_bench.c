/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_bench.c - how long the planner takes, and how that grows
 *
 * Prints tables and figures beside goals; fails at nothing. One thread. Times
 * are CPU time of a whole qs_plan_make() on a snapshot that is made beforehand;
 * each of the repeated runs is on another random cluster of the same kind, so
 * that the percentiles speak of clusters and not of the clock. "alone": less
 * the same without the claimant. Memory is what malloc gave out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster.h"
#include "engine/plan.h"
#include "memory.h"
#include "result.h"

/* Tables are for people. */
static bool quiet;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct figures {
	double median, p99,
		empty; /* ms; empty: the same without the claimant */
	uint32_t running, waiting, decisions, victims;
	const char *how;
	double bytes_job;  /* a job, in the snapshot */
	double bytes_plan; /* a job, at most, while planning; with the above */
};

static double run_once(const struct qs_snapshot *snap, struct figures *f)
{
	double begin = now_ms(), ms;
	struct qs_plan *plan = qs_plan_make(snap);

	ms = now_ms() - begin;
	if (!plan) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	f->decisions = plan->ndecisions;
	f->victims = plan->nvictims;
	f->how = plan->ndecisions ? qs_how_name(plan->decisions[0].how) : "";
	qs_plan_free(plan);
	return ms;
}

static void measure(struct bench_kind kind, int runs, struct figures *f)
{
	double *ms = calloc((size_t)runs, sizeof(*ms));
	double *empty = calloc((size_t)runs, sizeof(*empty));
	struct qs_policy *policy = bench_policy(&kind);

	memset(f, 0, sizeof(*f));
	if (!ms || !empty)
		exit(1);
	for (int i = 0; i < runs; i++) {
		struct qs_snapshot *snap;
		size_t before = bench_memory.now;

		kind.seed = (uint64_t)i + 1;
		snap = bench_cluster(policy, &kind);
		f->bytes_job =
			(double)(bench_memory.now - before) / snap->njobs;
		f->running = 0;
		for (uint32_t j = 0; j < snap->njobs; j++)
			f->running += snap->jobs[j].state != QS_JOB_PENDING;
		f->waiting = snap->njobs - f->running;
		if (kind.claimant != BENCH_NOBODY) {
			snap->njobs--;
			empty[i] = run_once(snap, f);
			snap->njobs++;
		}
		bench_memory_mark();
		ms[i] = run_once(snap, f);
		f->bytes_plan =
			(double)(bench_memory.peak - before) / snap->njobs;
		qs_snapshot_free(snap);
	}
	qsort(ms, (size_t)runs, sizeof(*ms), by_value);
	qsort(empty, (size_t)runs, sizeof(*empty), by_value);
	f->median = ms[runs / 2];
	f->p99 = ms[(runs * 99) / 100];
	f->empty = empty[runs / 2];
	free(ms);
	free(empty);
	qs_policy_free(policy);
}

static void heading(const char *title)
{
	if (quiet)
		return;
	printf("\n%s\n%8s %8s %8s %10s %8s %10s %10s %10s %9s %9s\n", title,
	       "nodes", "running", "waiting", "how", "victims", "median ms",
	       "p99 ms", "alone ms", "B/job", "B/job max");
}

static void row(const struct bench_kind *kind, const struct figures *f)
{
	if (quiet)
		return;
	printf("%8u %8u %8u %10s %8u %10.3f %10.3f %10.3f %9.0f %9.0f\n",
	       kind->nodes, f->running, f->waiting, f->how, f->victims,
	       f->median, f->p99,
	       kind->claimant == BENCH_NOBODY ? f->median :
						f->median - f->empty,
	       f->bytes_job, f->bytes_plan);
	fflush(stdout);
}

/* The exponent of the growth between two sizes: 1 is linear; n log n is a
 * little more. */
static double exponent(const struct figures *a, double na,
		       const struct figures *b, double nb)
{
	return log(b->median / a->median) / log(nb / na);
}

/* The exponent that n log n would have between two numbers of jobs. */
static double n_log_n(double na, double nb)
{
	return 1 + log(log(nb) / log(na)) / log(nb / na);
}

/* names: of the growth, and of median and p99 at 1,000 nodes; or NULL. */
struct goals {
	const char *growth, *median, *p99;
	double median_ms, p99_ms;
};

static void curve(const char *title, struct bench_kind kind, const uint32_t *n,
		  int count, int runs, const struct goals *goals)
{
	struct figures f[8];
	double grows, allowed;

	heading(title);
	for (int i = 0; i < count; i++) {
		kind.nodes = n[i];
		measure(kind, n[i] > 4000 ? runs / 4 + 1 : runs, &f[i]);
		row(&kind, &f[i]);
		if (n[i] == 1000 && goals->median)
			bench_result(goals->median, f[i].median, "ms",
				     goals->median_ms);
		if (n[i] == 1000 && goals->p99)
			bench_result(goals->p99, f[i].p99, "ms", goals->p99_ms);
	}
	grows = exponent(&f[0], n[0], &f[count - 1], n[count - 1]);
	allowed = n_log_n(f[0].running, f[count - 1].running);
	if (!quiet)
		printf("grows with the nodes to the power of %.2f (n log n: "
		       "%.2f)\n",
		       grows, allowed);
	bench_result(goals->growth, grows, "exponent", allowed);
}

/* The largest: 100,000 jobs known. */
static void memory(struct bench_kind kind)
{
	struct figures f;

	kind.nodes = 10000;
	kind.waiting = 20000;
	measure(kind, 1, &f);
	bench_result("memory a job: snapshot of 80,000 running, 20,000 waiting",
		     f.bytes_job, "bytes", 300);
	bench_result("memory a job: the same while it is planned, at most",
		     f.bytes_plan, "bytes", 0);
}

static void reclaims(struct bench_kind kind, int runs)
{
	static const uint32_t sizes[] = { 1000, 4000, 10000 };

	kind.claimant = BENCH_WHOLE_NODES;
	kind.claimant_gpus = 256;
	curve("256 GPUs on 32 whole nodes, taken back from 1-GPU jobs", kind,
	      sizes, 3, runs,
	      &(struct goals){
		      .growth = "reclaim of 256 GPUs: growth to 10,000 nodes",
		      .median = "reclaim of 256 GPUs: median",
		      .p99 = "reclaim of 256 GPUs: p99",
		      .median_ms = 1,
		      .p99_ms = 5,
	      });
	kind.claimant = BENCH_ANY;
	curve("256 GPUs wherever they are, taken back from 1-GPU jobs", kind,
	      sizes, 3, runs,
	      &(struct goals){
		      .growth = "256 GPUs anywhere: growth to 10,000 nodes",
		      .median = "256 GPUs anywhere: median",
		      .p99 = "256 GPUs anywhere: p99",
		      .median_ms = 1,
		      .p99_ms = 5,
	      });
	kind.claimant = BENCH_WHOLE_NODES;
	kind.gpus_each = 0;
	curve("256 GPUs on 32 whole nodes, from jobs of 1, 2, 4 and 8", kind,
	      sizes, 3, runs,
	      &(struct goals){
		      .growth = "256 GPUs of mixed jobs: growth",
		      .median = "256 GPUs of mixed jobs: median",
		      .p99 = "256 GPUs of mixed jobs: p99",
		      .median_ms = 1,
		      .p99_ms = 5,
	      });
}

static void evaluations(struct bench_kind kind, int runs)
{
	static const uint32_t sizes[] = { 1000, 4000, 10000 };

	kind.waiting = 10000;
	curve("a whole evaluation with 10,000 waiting jobs in 20 shares", kind,
	      sizes, 3, runs / 4 + 1,
	      &(struct goals){
		      .growth = "10,000 waiting jobs: growth to 10,000 nodes",
		      .median = "10,000 waiting jobs in 20 shares: median",
		      .median_ms = 10,
	      });
	kind.best_effort = true;
	curve("the same with InShareOrder=BEST_EFFORT", kind, sizes, 3,
	      runs / 20 + 1,
	      &(struct goals){
		      .growth = "10,000 waiting, BEST_EFFORT: growth",
		      .median = "10,000 waiting, BEST_EFFORT: median",
	      });
	kind.best_effort = false;
	kind.waiting = 100000;
	curve("a whole evaluation with 100,000 waiting jobs", kind, sizes, 3,
	      runs / 10 + 1,
	      &(struct goals){
		      .growth = "100,000 waiting jobs: growth to 10,000 nodes",
		      .median = "100,000 waiting jobs in 20 shares: median",
	      });
}

int main(int argc, char **argv)
{
	int runs = 200;
	struct bench_kind kind = { .shares = 20, .types = 5, .gpus_each = 1 };

	quiet = bench_wants_json(argc, argv, &runs);
	reclaims(kind, runs);
	evaluations(kind, runs);
	memory(kind);
	bench_results_print(quiet);
	return 0;
}
