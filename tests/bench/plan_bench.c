/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_bench.c - how long the planner takes, and how that grows
 *
 * Prints tables; judges nothing. One thread. Times are CPU time of
 * qs_plan_make() on a snapshot that is made beforehand; each of the repeated
 * runs is on another random cluster of the same kind, so that the percentiles
 * speak of clusters and not of the clock. Memory is what malloc gave out.
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster.h"
#include "engine/plan.h"

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
	double bytes_job,
		bytes_plan; /* a job: in the snapshot, while planning */
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
		size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;

		kind.seed = (uint64_t)i + 1;
		snap = bench_cluster(policy, &kind);
		f->bytes_job = (double)(mallinfo2().uordblks +
					mallinfo2().hblkhd - before) /
			       snap->njobs;
		f->running = 0;
		for (uint32_t j = 0; j < snap->njobs; j++)
			f->running += snap->jobs[j].state != QS_JOB_PENDING;
		f->waiting = snap->njobs - f->running;
		if (kind.claimant != BENCH_NOBODY) {
			snap->njobs--;
			empty[i] = run_once(snap, f);
			snap->njobs++;
		}
		ms[i] = run_once(snap, f);
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
	printf("\n%s\n%8s %8s %8s %10s %8s %10s %10s %10s %9s\n", title,
	       "nodes", "running", "waiting", "how", "victims", "median ms",
	       "p99 ms", "alone ms", "B/job");
}

static void row(const struct bench_kind *kind, const struct figures *f)
{
	printf("%8u %8u %8u %10s %8u %10.3f %10.3f %10.3f %9.0f\n", kind->nodes,
	       f->running, f->waiting, f->how, f->victims, f->median, f->p99,
	       kind->claimant == BENCH_NOBODY ? f->median :
						f->median - f->empty,
	       f->bytes_job);
	fflush(stdout);
}

/* The exponent of the growth between two sizes: 1 is linear; n log n is a
 * little more. */
static double exponent(const struct figures *a, double na,
		       const struct figures *b, double nb)
{
	return log(b->median / a->median) / log(nb / na);
}

static void curve(const char *title, struct bench_kind kind, const uint32_t *n,
		  int count, int runs)
{
	struct figures f[8];

	heading(title);
	for (int i = 0; i < count; i++) {
		kind.nodes = n[i];
		measure(kind, n[i] > 4000 ? runs / 4 + 1 : runs, &f[i]);
		row(&kind, &f[i]);
	}
	printf("grows with the nodes to the power of %.2f (n log n: %.2f)\n",
	       exponent(&f[0], n[0], &f[count - 1], n[count - 1]),
	       1 + log(log(n[count - 1] * 8.0) / log(n[0] * 8.0)) /
			       log((double)n[count - 1] / n[0]));
}

int main(int argc, char **argv)
{
	static const uint32_t sizes[] = { 250, 1000, 4000, 10000 };
	int runs = argc > 1 ? atoi(argv[1]) : 200;
	struct bench_kind kind = { .shares = 20, .types = 5, .gpus_each = 1 };

	kind.claimant = BENCH_WHOLE_NODES;
	kind.claimant_gpus = 64;
	curve("64 GPUs on 8 whole nodes, taken back from 1-GPU jobs", kind,
	      sizes, 4, runs);
	kind.claimant_gpus = 256;
	curve("256 GPUs on 32 whole nodes, taken back from 1-GPU jobs", kind,
	      sizes + 1, 3, runs);
	kind.claimant = BENCH_ANY;
	curve("256 GPUs wherever they are, taken back from 1-GPU jobs", kind,
	      sizes + 1, 3, runs);
	kind.claimant = BENCH_WHOLE_NODES;
	kind.gpus_each = 0;
	curve("256 GPUs on 32 whole nodes, from jobs of 1, 2, 4 and 8", kind,
	      sizes + 1, 3, runs);
	kind.claimant = BENCH_NOBODY;
	kind.gpus_each = 1;
	kind.waiting = 10000;
	curve("a whole evaluation with 10,000 waiting jobs in 20 shares", kind,
	      sizes + 1, 3, runs / 4 + 1);
	kind.waiting = 100000;
	curve("a whole evaluation with 100,000 waiting jobs", kind, sizes + 1,
	      3, runs / 10 + 1);
	return 0;
}
