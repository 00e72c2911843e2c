/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate_bench.c - the questions that slurmctld asks inside its locks
 *
 * May this job start (the gate), is this pair preemptable: CPU time and
 * allocations of one answer. The runtime's own files answer, with stubs for
 * slurmctld (gate_stubs.c). 10,000 jobs are asked about in random order, each
 * after slurmctld's record of it was read, as slurmctld does: what of ours is
 * not in the cache comes from memory. "Warm": the same 50 jobs again and again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/inner.h"

#include "cluster.h"
#include "memory.h"
#include "need.h"
#include "result.h"

#define JOBS   10000
#define BATCH  50  /* jobs timed at once */
#define GOAL   100 /* ns */
#define REASON QS_DESC_PREFIX "needs 8 type00000; share00001 is at its limit"

static job_record_t *jobs;
static uint32_t order[JOBS];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static struct qs_policy_ref *make_policy(void)
{
	const struct bench_kind kind = { .nodes = 1000,
					 .shares = 20,
					 .types = 5 };
	struct qs_policy_ref *ref = bench_need(calloc(1, sizeof(*ref)));
	struct qs_names *parts;

	ref->policy = bench_policy(&kind);
	parts = &ref->policy->queues[0].partitions;
	parts->items = bench_need(calloc(1, sizeof(*parts->items)));
	parts->items[0] = bench_need(strdup("gpu"));
	parts->n = 1;
	return ref;
}

/* known: a job of a share, which the last look saw. gres: it asks for some. */
static void make_jobs(const char *partition, bool known, bool gres)
{
	static part_record_t part = { .max_share = 1 };
	uint64_t r = 1;

	for (uint32_t i = 0; i < JOBS; i++) {
		job_record_t *job = &jobs[i];

		job->job_id = 1000 + i;
		job->partition = bench_need(strdup(partition));
		job->details = bench_need(calloc(1, sizeof(*job->details)));
		job->details->min_nodes = job->details->min_cpus = 1;
		job->part_ptr = &part;
		if (gres)
			job->gres_list_req = bench_need(list_create(NULL));
		job->state_reason = FAIL_BURST_BUFFER_OP;
		job->state_desc = xstrdup(REASON);
		order[i] = i;
		if (known) {
			struct qs_jobrec *rec =
				bench_need(qs_jobrec_add(job->job_id));

			rec->looked = rec->ours = true;
			qs_jobrec_set_desc(rec, REASON);
		}
	}
	for (uint32_t i = JOBS - 1; i > 0; i--) {
		uint32_t other, was = order[i];

		r = r * 6364136223846793005u + 1442695040888963407u;
		other = (uint32_t)((r >> 33) % (i + 1));
		order[i] = order[other];
		order[other] = was;
	}
}

static void drop_jobs(void)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		free(jobs[i].partition);
		free(jobs[i].details);
		xfree(jobs[i].state_desc);
		FREE_NULL_LIST(jobs[i].gres_list_req);
	}
	memset(jobs, 0, JOBS * sizeof(*jobs));
	qs_jobrec_clear();
}

typedef long ask_fn(job_record_t *job);

static long ask_gate(job_record_t *job)
{
	return qs_runtime_gate(job, false);
}

static long ask_preempt(job_record_t *job)
{
	return qs_runtime_preemptable(job, &jobs[0]);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* As slurmctld does before it asks. */
static long read_record(const job_record_t *job)
{
	const unsigned char *bytes = (const unsigned char *)job;
	const unsigned char *more = (const unsigned char *)job->details;
	long sum = job->partition[0];

	for (size_t i = 0; i < sizeof(*job); i += 64)
		sum += bytes[i];
	for (size_t i = 0; i < sizeof(*job->details); i += 64)
		sum += more[i];
	for (const char *c = job->state_desc; *c; c++)
		sum += *c;
	return sum;
}

static volatile long sink;

/* Nanoseconds a question, of n jobs from the given one on in random order. */
static double ask_batch(ask_fn *ask, long expect, uint32_t from)
{
	double begin;
	long sum = 0;

	for (uint32_t i = from; i < from + BATCH; i++)
		sink += read_record(&jobs[order[i]]);
	begin = now_ns();
	for (uint32_t i = from; i < from + BATCH; i++)
		sum += ask(&jobs[order[i]]);
	begin = now_ns() - begin;
	if (sum != expect * BATCH) {
		fprintf(stderr, "wrong answer\n");
		exit(1);
	}
	return begin / BATCH;
}

/* The median of the batches. */
static double measure(ask_fn *ask, long expect, int runs, bool warm,
		      unsigned long *calls)
{
	double *ns = bench_need(calloc((size_t)runs, sizeof(*ns))), median;

	*calls = bench_memory.calls;
	for (int run = 0; run < runs; run++)
		ns[run] = ask_batch(
			ask, expect,
			warm ? 0 : (uint32_t)run % (JOBS / BATCH) * BATCH);
	*calls = bench_memory.calls - *calls;
	qsort(ns, (size_t)runs, sizeof(*ns), by_value);
	median = ns[runs / 2];
	free(ns);
	return median;
}

/* names: of the figures that are printed. */
static void question(const char *const names[3], ask_fn *ask, long expect,
		     int runs)
{
	unsigned long calls, warm_calls;

	bench_result(names[0], measure(ask, expect, runs, false, &calls), "ns",
		     GOAL);
	bench_result(names[1], measure(ask, expect, runs, true, &warm_calls),
		     "ns", GOAL);
	bench_result(names[2], (double)(calls + warm_calls), "", 0);
}

#define NAMES(name)                                       \
	(const char *const[3])                            \
	{                                                 \
		name, name ", warm", name ", allocations" \
	}

static void gate(int runs)
{
	make_jobs("gpu", true, true);
	question(NAMES("gate: a share's job that waits"), ask_gate, -1, runs);
	for (uint32_t i = 0; i < JOBS; i++) {
		struct qs_jobrec *rec = qs_jobrec_find(jobs[i].job_id);

		rec->grant = 1;
		rec->grant_until = INT64_MAX;
	}
	question(NAMES("gate: a share's job that may start"), ask_gate, 1,
		 runs);
	drop_jobs();
	make_jobs("gpu", false, false);
	question(NAMES("gate: a job without GPUs in a queue"), ask_gate, 1,
		 runs);
	drop_jobs();
	make_jobs("cpu", false, true);
	question(NAMES("gate: a job in no queue"), ask_gate, 1, runs);
	drop_jobs();
}

static void preempt(int runs)
{
	static uint32_t victims[256];

	make_jobs("gpu", true, true);
	question(NAMES("preemptable: asked by Slurm"), ask_preempt, 0, runs);
	for (uint32_t i = 0; i < 256; i++)
		victims[i] = 1 + i;
	qs_test.claimant = jobs[0].job_id;
	qs_test.victims = victims;
	qs_test.n = 256;
	question(NAMES("preemptable: our test of 256 victims"), ask_preempt, 0,
		 runs);
	qs_test.claimant = 0;
	drop_jobs();
}

int main(int argc, char **argv)
{
	int runs = 2000;
	bool json = bench_wants_json(argc, argv, &runs);

	jobs = bench_need(calloc(JOBS, sizeof(*jobs)));
	qs_rt.policy = make_policy();
	gate(runs);
	preempt(runs);
	bench_result("the runtime's record of a share's job",
		     sizeof(struct qs_jobrec) + sizeof(void *), "bytes", 0);
	bench_results_print(json);
	qs_policy_free(qs_rt.policy->policy);
	free(qs_rt.policy);
	free(jobs);
	return 0;
}
