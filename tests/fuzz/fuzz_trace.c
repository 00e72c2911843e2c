/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_trace.c - any bytes as a trace
 *
 * Whatever is read must be replayed to its end: every row is in the trace or
 * left out, every job has runs or was refused, and no work is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "replay/sim.h"

#define JOBS_MAX 400

static const char conf[] =
	"GpuType=gpu\nGpuType=h100\n"
	"Queue=q Partitions=p DefaultShare=b GraceTime=30\n"
	"Share=a Queue=q Accounts=a Capacity=gpu:8,h100:4 Strategy=LEND "
	"InSharePreemption=YES\n"
	"Share=b Queue=q Accounts=b Capacity=gpu:8,h100:4 "
	"Strategy=LEND_AND_BORROW InSharePreemption=NO\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const struct qs_trace *trace, const struct qs_policy *policy)
{
	struct qs_sim_policy one = { 0, policy };
	struct qs_sim_nodes nodes[] = { { "gpu", 2, 8 }, { "h100", 2, 4 } };
	struct qs_sim_wish wish = { .nodes = nodes,
				    .nnodes = 2,
				    .leave_sec = -1,
				    .checkpoint_sec = 60 };
	struct qs_sim *sim = qs_sim_new(trace, &one, 1, &wish);
	struct qs_sim_result result;
	uint32_t jobs = 0;

	if (!sim)
		abort();
	while (qs_sim_step(sim, 1000) > 0)
		;
	if (qs_sim_finish(sim, &result) || qs_runs_seal(&result.runs))
		abort();
	for (uint32_t i = 0; i < result.runs.n; i++) {
		const struct qs_run *run = &result.runs.items[i];

		jobs += qs_runs_last(&result.runs, i);
		if (qs_run_started(run) &&
		    (run->end < run->start || run->start < run->submit))
			abort();
	}
	if (jobs + result.nrefused != trace->njobs)
		abort();
	qs_sim_result_free(&result);
	qs_sim_free(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct qs_policy *policy;
	struct qs_trace *trace;
	struct qs_error err;

	if (!policy)
		policy = qs_conf_read_text("fuzz", NULL, conf, sizeof(conf) - 1,
					   NULL, &err);
	if (!policy)
		abort();
	trace = qs_trace_read("fuzz", (const char *)data, size, &err);
	if (!trace) {
		if (!err.text[0])
			abort();
		return 0;
	}
	if (trace->njobs + trace->left_out != trace->rows)
		abort();
	if (trace->njobs <= JOBS_MAX)
		replay(trace, policy);
	qs_trace_free(trace);
	return 0;
}
