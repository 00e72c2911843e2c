/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_sim_test.c - a trace under a policy, every number by hand
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay_help.h"
#include "suite.h"

#define HEAD "job_id,share,gpus,submit_s,duration_s,priority\n"

/* "job start-end how[cause]", for all runs. */
static void words(const struct qs_runs *runs, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < runs->n && n < size; i++) {
		const struct qs_run *r = &runs->items[i];

		if (!qs_run_started(r)) {
			n += (size_t)snprintf(text + n, size - n,
					      "%s%" PRIu64 " %s", n ? "; " : "",
					      r->job,
					      qs_run_end_name(r->ended));
			continue;
		}
		n += (size_t)snprintf(text + n, size - n,
				      "%s%" PRIu64 " %" PRId64 "-%" PRId64 "%s",
				      n ? "; " : "", r->job, r->start, r->end,
				      r->borrow ? "b" : "");
		if (r->ended == QS_RUN_PREEMPTED)
			n += (size_t)snprintf(
				text + n, size - n,
				" %s for %" PRIu64 ", %" PRId64 " again%s",
				qs_run_cause_name(r->cause), r->by,
				r->repeat_sec,
				r->retry_limit ? ", the last" : "");
	}
}

struct row {
	const char *name, *policy, *trace, *runs;
	/* nnodes: so many nodes of 4 GPUs */
	struct qs_sim_wish wish;
};

#define EVERY(s)                                                          \
	{                                                                 \
		.leave_sec = -1, .checkpoint_sec = (s), .restart_sec = 30 \
	}
#define NODES(n)                               \
	{                                      \
		.leave_sec = -1, .nnodes = (n) \
	}

static const struct row rows[] = {
	{ "first come first served", QUEUE LENDER,
	  HEAD "1,a,4,0,100,\n2,a,4,10,50,\n3,a,1,10,5,\n",
	  "1 0-100; 2 100-150; 3 150-155", NONE },
	{ "priority in the share", QUEUE LENDER,
	  HEAD "1,a,4,0,100,\n2,a,4,10,50,1\n3,a,4,20,5,2\n",
	  "1 0-100; 2 105-155; 3 100-105", NONE },
	{ "small ones pass where the share says so",
	  "Queue=q Partitions=p InShareOrder=BEST_EFFORT\n" LENDER,
	  HEAD "1,a,3,0,100,\n2,a,4,10,50,\n3,a,1,10,5,\n",
	  "1 0-100; 2 100-150; 3 10-15", NONE },
	{ "an end and a submission in one second", QUEUE LENDER,
	  HEAD "1,a,4,0,10,\n2,a,4,10,0,\n3,a,4,10,1,\n",
	  "1 0-10; 2 10-10; 3 10-11", NONE },
	/* b borrows all of a's; at 500 a wants them back, at 620 the grace
	 * time is over. */
	{ "a loan is taken back, and begins again", QUEUE LENDER BORROWER(""),
	  HEAD "1,b,4,0,1000,\n2,b,4,0,1000,\n3,a,4,500,100,\n",
	  "1 0-1000; 2 0-620b QUOTA for 3, 620 again; 2 720-1720b; 3 620-720",
	  NONE },
	{ "saved each 100 s, 30 s to start again", QUEUE LENDER BORROWER(""),
	  HEAD "1,b,4,0,1000,\n2,b,4,0,1000,\n3,a,4,500,100,\n",
	  "1 0-1000; 2 0-620b QUOTA for 3, 20 again; 2 720-1150b; 3 620-720",
	  EVERY(100) },
	{ "saved when it is told to go", QUEUE LENDER BORROWER(""),
	  HEAD "1,b,4,0,1000,\n2,b,4,0,1000,\n3,a,4,500,100,\n",
	  "1 0-1000; 2 0-620b QUOTA for 3, 120 again; 2 720-1250b; 3 620-720",
	  EVERY(QS_CHECKPOINT_SIGNAL) },
	{ "leaves after 10 s",
	  QUEUE LENDER BORROWER(""),
	  HEAD "1,b,4,0,1000,\n2,b,4,0,1000,\n3,a,4,500,100,\n",
	  "1 0-1000; 2 0-510b QUOTA for 3, 510 again; 2 610-1610b; 3 510-610",
	  { .leave_sec = 10 } },
	/* R11 */
	{ "done in its grace time is done", QUEUE LENDER BORROWER(""),
	  HEAD "1,b,4,0,1000,\n2,b,4,0,560,\n3,a,4,500,100,\n",
	  "1 0-1000; 2 0-560b; 3 560-660", NONE },
	{ "done in the last second of it too", QUEUE LENDER BORROWER(""),
	  HEAD "1,b,4,0,1000,\n2,b,4,0,620,\n3,a,4,500,100,\n",
	  "1 0-1000; 2 0-620b; 3 620-720", NONE },
	/* Another end serves the owner: nobody is stopped for nothing. */
	{ "spared when its claimant needs it no more",
	  QUEUE LENDER BORROWER(""),
	  HEAD "1,b,4,0,510,\n2,b,4,0,1000,\n3,a,4,500,100,\n",
	  "1 0-510; 2 0-1000b; 3 510-610", NONE },
	/* 4 ranks before 2, so that 2 is beyond its share's capacity again. */
	{ "told, spared and chosen again: one grace time",
	  QUEUE LENDER BORROWER(""),
	  HEAD "1,b,4,0,510,\n2,b,4,0,1000,\n3,a,4,500,5,\n"
	       "4,b,4,512,500,5\n5,a,4,530,100,\n",
	  "1 0-510; 2 0-620b QUOTA for 5, 620 again; 2 720-1720b; 3 510-515; "
	  "4 515-1015b; 5 620-720",
	  NONE },
	/* R12 */
	{ "preempted once more than allowed",
	  QUEUE LENDER BORROWER("PreemptRetries=0"),
	  HEAD "1,b,4,0,1000,\n2,b,4,0,1000,\n3,a,4,500,100,\n",
	  "1 0-1000; 2 0-620b QUOTA for 3, 620 again, the last; 3 620-720",
	  NONE },
	/* R13 */
	{ "protected for 700 s", QUEUE LENDER BORROWER("MinRuntime=700"),
	  HEAD "1,b,4,0,2000,\n2,b,4,0,2000,\n3,a,4,500,100,\n",
	  "1 0-2000; 2 0-820b QUOTA for 3, 820 again; 2 920-2920b; 3 820-920",
	  NONE },
	/* R8 */
	{ "a higher priority of the own share",
	  QUEUE "Share=b Queue=q Accounts=b Capacity=gpu:4 Strategy=RESERVE "
		"InSharePreemption=YES\n",
	  HEAD "1,b,4,0,1000,\n2,b,2,100,50,5\n",
	  "1 0-220 PRIORITY for 2, 220 again; 1 270-1270; 2 220-270", NONE },
	/* Two nodes of 4: two jobs of 3 fill both, so 2 GPUs that are idle are
	 * no place for a job of 2. */
	{ "a place is needed, not a number", QUEUE LENDER BORROWER(""),
	  HEAD "1,b,3,0,100,\n2,b,3,0,100,\n3,a,2,10,20,\n",
	  "1 0-100; 2 0-100b; 3 100-120", NODES(2) },
	{ "larger than a node: two of them", QUEUE LENDER BORROWER(""),
	  HEAD "1,b,8,0,100,\n2,a,4,10,20,\n", "1 0-100b; 2 100-120",
	  NODES(2) },
};

START_TEST(by_hand)
{
	const struct row *row = &rows[_i];
	struct qs_policy *policy = policy_of(row->policy);
	struct qs_trace *trace = trace_of(row->trace);
	struct qs_sim_policy one = { INT64_MIN, policy };
	struct qs_sim_nodes nodes = { "gpu", row->wish.nnodes, 4 };
	struct qs_sim_wish wish = row->wish;
	struct qs_sim_result result;
	char text[1024];

	wish.nodes = &nodes;
	wish.nnodes = nodes.count ? 1 : 0;
	simulate(trace, &one, 1, &wish, &result);
	words(&result.runs, text, sizeof(text));
	ck_assert_msg(!strcmp(text, row->runs), "%s: %s instead of %s",
		      row->name, text, row->runs);
	qs_sim_result_free(&result);
	qs_trace_free(trace);
	qs_policy_free(policy);
}
END_TEST

START_TEST(a_policy_comes_into_force)
{
	struct qs_policy *old = policy_of(QUEUE LENDER);
	struct qs_policy *new =
		policy_of(QUEUE "Share=a Queue=q Accounts=a Capacity=gpu:6 "
				"Strategy=LEND InSharePreemption=NO\n");
	struct qs_sim_policy both[] = { { 0, old }, { 40, new }, { 70, old } };
	struct qs_trace *trace = trace_of(
		HEAD "1,a,4,0,100,\n2,a,2,10,50,\n3,a,2,60,5,\n4,a,6,65,5,\n");
	struct qs_sim_wish wish = NONE;
	struct qs_sim_result result;
	char text[256];

	simulate(trace, both, 3, &wish, &result);
	words(&result.runs, text, sizeof(text));
	/* 2 starts when the share owns 6; 4 can never start under the old */
	ck_assert_str_eq(text, "1 0-100; 2 40-90; 3 100-105; 4 WAITING");
	qs_sim_result_free(&result);
	qs_trace_free(trace);
	qs_policy_free(old);
	qs_policy_free(new);
}
END_TEST

START_TEST(a_share_is_taken_out_and_comes_back)
{
	struct qs_policy *with = policy_of(QUEUE LENDER BORROWER(""));
	struct qs_policy *without = policy_of(QUEUE LENDER);
	struct qs_sim_policy three[] = { { 0, with },
					 { 40, without },
					 { 200, with } };
	struct qs_trace *trace = trace_of(
		HEAD "1,b,4,0,100,\n2,b,8,10,50,\n3,b,1,60,5,\n4,a,4,70,9,\n");
	struct qs_sim_wish wish = NONE;
	struct qs_sim_result result;
	char text[256];

	simulate(trace, three, 3, &wish, &result);
	words(&result.runs, text, sizeof(text));
	/* R16: 1 is all borrowed, but ends by itself; 2 has to wait for its
	 * share; 3 has none. */
	ck_assert_str_eq(text, "1 0-100; 2 200-250b; 4 100-109");
	ck_assert_uint_eq(result.nrefused, 1);
	qs_sim_result_free(&result);
	qs_trace_free(trace);
	qs_policy_free(with);
	qs_policy_free(without);
}
END_TEST

START_TEST(refusals_are_counted)
{
	struct qs_policy *policy = policy_of(
		QUEUE LENDER
		"Share=c Queue=q Accounts=c Capacity=gpu:4 Strategy=LEND "
		"State=DISABLED InSharePreemption=NO\n");
	struct qs_sim_policy one = { 0, policy };
	struct qs_trace *trace =
		trace_of("share,gpu_type,gpus,submit_s,duration_s\n"
			 "a,gpu,5,0,1\na,gpu,4,0,1\nx,gpu,1,0,1\na,h100,1,0,1\n"
			 "c,gpu,1,0,1\n,,1,0,1\n");
	struct qs_sim_wish wish = NONE;
	struct qs_sim_result r;

	simulate(trace, &one, 1, &wish, &r);
	ck_assert_uint_eq(r.nrefused, 5);
	ck_assert_uint_eq(r.runs.n, 1);
	ck_assert_uint_eq(r.refused[0 * QS_REFUSALS + QS_REFUSED_NEVER], 1);
	ck_assert_uint_eq(r.refused[0 * QS_REFUSALS + QS_REFUSED_NO_TYPE], 1);
	ck_assert_uint_eq(r.refused[1 * QS_REFUSALS + QS_REFUSED_NO_SHARE], 1);
	ck_assert_uint_eq(r.refused[2 * QS_REFUSALS + QS_REFUSED_DISABLED], 1);
	ck_assert_uint_eq(r.refused[3 * QS_REFUSALS + QS_REFUSED_NO_SHARE], 1);
	ck_assert_uint_eq(r.first_refused[QS_REFUSED_NO_SHARE], 3);
	qs_sim_result_free(&r);
	qs_trace_free(trace);
	qs_policy_free(policy);
}
END_TEST

/* Found by fuzzing: such a name was compared beyond the end of a shorter one. */
START_TEST(a_name_ends_at_a_nul)
{
	struct qs_trace *trace = qs_trace_new();
	struct qs_trace_job job = { .run_sec = 1, .gpus = 1, .line = 2 };

	ck_assert_ptr_nonnull(trace);
	ck_assert_int_eq(qs_trace_add(trace, &job, "a", 1, "gpu", 3), 0);
	ck_assert_int_eq(qs_trace_add(trace, &job, "a\0bcd", 5, "gpu\0", 4), 0);
	ck_assert_uint_eq(trace->shares.n, 1);
	ck_assert_uint_eq(trace->types.n, 1);
	ck_assert_uint_eq(trace->jobs[1].share, trace->jobs[0].share);
	qs_trace_free(trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay simulation");
	TCase *core = tcase_create("core");

	tcase_add_loop_test(core, by_hand, 0, ARRAY_LEN(rows));
	tcase_add_test(core, a_policy_comes_into_force);
	tcase_add_test(core, a_share_is_taken_out_and_comes_back);
	tcase_add_test(core, refusals_are_counted);
	tcase_add_test(core, a_name_ends_at_a_nul);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
