/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_cli_test.c - qshare replay: files in, figures and errors out
 *
 * The real qshare on files that each test writes into a folder of its own.
 */
#include <check.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "run.h"
#include "suite.h"

#define POLICY                                                               \
	"GpuType=gpu\nQueue=q Partitions=p GraceTime=120\n"                  \
	"Share=a Queue=q Accounts=a,team Capacity=gpu:4 Strategy=LEND "      \
	"InSharePreemption=NO\n"                                             \
	"Share=b Queue=q Accounts=b Capacity=gpu:4 Strategy=LEND_AND_BORROW" \
	" InSharePreemption=NO\n"
#define TRACE                                     \
	"job_id,share,gpus,submit_s,duration_s\n" \
	"1,b,4,0,1000\n2,b,4,0,1000\n3,team,4,500,100\n"

static void set_up(void)
{
	folder_make();
	write_file("policy", POLICY);
	write_file("trace", TRACE);
}

static int64_t number(struct json_object *rows, const char *share,
		      const char *policy, const char *key)
{
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (!strcmp(json_object_get_string(
				    json_object_object_get(row, "share")),
			    share) &&
		    !strcmp(json_object_get_string(
				    json_object_object_get(row, "policy")),
			    policy))
			return json_object_get_int64(
				json_object_object_get(row, key));
	}
	ck_abort_msg("no row of %s under %s", share, policy);
	return -1;
}

START_TEST(figures_are_those_of_the_trace)
{
	struct json_object *out, *rows;
	struct run run;
	char option[600];

	snprintf(option, sizeof(option), "--policy=now=%s", path_of("policy"));
	run_qshare(&run, TRACE, "replay", "-", option, "--json", "-c", "100",
		   "-r", "30", NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	out = json_tokener_parse(run.out);
	ck_assert_ptr_nonnull(out);
	ck_assert(json_object_object_get_ex(out, "rows", &rows));
	/* as in replay_sim_test: 2 is stopped at 620, had saved 600 */
	ck_assert_int_eq(number(rows, "(all)", "now", "preempted_quota"), 1);
	ck_assert_int_eq(number(rows, "b", "now", "repeated_gpu_sec"), 4 * 20);
	ck_assert_int_eq(number(rows, "b", "now", "borrowed_gpu_sec"),
			 4 * (620 + 1000 - 720));
	ck_assert_int_eq(number(rows, "a", "now", "lent_gpu_sec"),
			 number(rows, "b", "now", "borrowed_gpu_sec"));
	ck_assert_int_eq(number(rows, "a", "now", "reclaim_p90_sec"), 120);
	ck_assert_int_eq(number(rows, "a", "now", "wait_max_sec"), 120);
	ck_assert_int_eq(number(rows, "(all)", "(rigid)", "turnaround_max_sec"),
			 2000);
	ck_assert_int_eq(number(rows, "(all)", "(rigid)", "preempted"), 0);
	ck_assert_int_eq(number(rows, "a", "(pool fifo)", "wait_max_sec"), 500);
	ck_assert_int_eq(number(rows, "(all)", "(pool greedy)", "completed"),
			 3);
	json_object_put(out);
	run_clear(&run);
}
END_TEST

START_TEST(a_row_in_error_is_named)
{
	struct run run;

	run_qshare(&run,
		   "gpus,submit_s,duration_s,start_s,end_s,share\n"
		   "4,0,10,,,a\n"
		   "x,0,10,,,a\n"
		   "4,,10,,,a\n"
		   "0,0,10,,,a\n"
		   "4,0,,5,,a\n"
		   "4,0,,5,2,a\n"
		   "4,0\n"
		   "\n"
		   "4,9e99,10,,,a\n"
		   "4,1,2.5,,,nobody\n",
		   "replay", "-", "-p", path_of("policy"), "--no-baselines",
		   NULL);
	ck_assert_int_eq(run.code, 0);
	ck_assert_ptr_nonnull(
		strstr(run.err, "7 of 9 rows left out:\n"
				"  2: not a number; the first: line 3: 'x'\n"));
	ck_assert_ptr_nonnull(strstr(run.err,
				     "  1: no time of submission; the first: "
				     "line 4\n"));
	ck_assert_ptr_nonnull(strstr(run.err, "  1: no GPUs asked for"));
	ck_assert_ptr_nonnull(strstr(run.err, "  1: no run time known; the "
					      "first: line 6\n"));
	ck_assert_ptr_nonnull(strstr(run.err, "  1: it ends before it starts"));
	ck_assert_ptr_nonnull(
		strstr(run.err, "  1: fewer cells than the first line; the "
				"first: line 8: '4,0'\n"));
	ck_assert_ptr_nonnull(
		strstr(run.err, "1 jobs refused: no share of the policy is "
				"theirs; the first: line 11\n"));
	run_clear(&run);
}
END_TEST

START_TEST(a_policy_is_replaced)
{
	struct run run;
	char at[600], runs[600], *text;

	write_file("more", "GpuType=gpu\nQueue=q Partitions=p\n"
			   "Share=a Queue=q Accounts=team Capacity=gpu:4 "
			   "Strategy=LEND InSharePreemption=NO\n"
			   "Share=b Queue=q Accounts=b Capacity=gpu:8 "
			   "Strategy=LEND_AND_BORROW InSharePreemption=NO\n");
	snprintf(at, sizeof(at), "--policy-at=5m:%s", path_of("more"));
	snprintf(runs, sizeof(runs), "--runs=%s", path_of("runs"));
	/* From 300 s on b owns 8 of 12: nobody is stopped, 3 starts at once. */
	run_qshare(&run, NULL, "replay", path_of("trace"), "-p",
		   path_of("policy"), at, "--no-baselines", runs,
		   "--format=csv", NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	text = read_file(path_of("runs"));
	ck_assert_ptr_nonnull(strstr(text, "policy,4,3,1,a,gpu,4,500,500,"
					   "600,COMPLETED,,,,own,0\n"));
	free(text);
	run_clear(&run);
}
END_TEST

START_TEST(what_sacct_wrote)
{
	const char *top = getenv("QS_SRCDIR");
	char file[4096];
	struct run run;

	snprintf(file, sizeof(file), "%s/tests/sacct/24.11/parsable.txt",
		 top ? top : QS_SRCDIR);
	write_file(
		"policy",
		"Queue=q Partitions=low,lowc,lowg,high DefaultShare=B\n"
		"Share=A Accounts=teama Capacity=a100:8,v100:4 Strategy=LEND "
		"InSharePreemption=NO\n"
		"Share=B Accounts=teamb Capacity=a100:8,v100:4 "
		"Strategy=LEND_AND_BORROW InSharePreemption=NO\n");
	run_qshare(&run, NULL, "replay", file, "-p", path_of("policy"),
		   "--no-baselines", "--format=csv", NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	/* jobs that still ran or waited are left out, and told */
	ck_assert_msg(strstr(run.err, " rows left out:\n") != NULL, "%s",
		      run.err);
	ck_assert_msg(strstr(run.out, "\nA,policy,") != NULL, "%s", run.out);
	ck_assert_msg(strstr(run.out, "\nB,policy,") != NULL, "%s", run.out);
	run_clear(&run);
}
END_TEST

struct wrong {
	const char *words[6];
	int code;
	const char *says;
};

static const struct wrong wrongs[] = {
	{ { "TRACE" }, 2, "under which policy?" },
	{ { "-p", "POLICY" }, 2, "which trace?" },
	{ { "TRACE", "-p", "POLICY", "-N", "gpu:3" }, 2, "as a100:150x8" },
	{ { "TRACE", "-p", "POLICY", "-c", "often" },
	  2,
	  "give none, signal, or a time" },
	{ { "TRACE", "-p", "POLICY", "-r", "5x" }, 2, "30m, 2h" },
	{ { "TRACE", "--policy-at=1d:POLICY" }, 2, "which policy is replaced" },
	{ { "TRACE", "-p", "POLICY", "--format=xml" },
	  2,
	  "table, json or csv" },
	{ { "TRACE", "-p", "POLICY", "--begin=9", "--end=9" },
	  2,
	  "not behind" },
	{ { "TRACE", "-p", "TRACE" }, 1, "trace:1: " },
	{ { "POLICY", "-p", "POLICY" }, 1, "there is no column gpus" },
	{ { "/nowhere", "-p", "POLICY" }, 1, "No such file" },
	{ { "TRACE", "-p", "POLICY", "--runs=/nowhere/x" },
	  1,
	  "/nowhere/x: No such file" },
};

/* Half of it counted as out of service, and nobody was told. */
START_TEST(more_is_promised_than_the_nodes_have)
{
	struct run run;

	run_qshare(&run, NULL, "replay", path_of("trace"), "-p",
		   path_of("policy"), "-N", "gpu:1x4", "--json", NULL);
	ck_assert_msg(!run.code, "%s", run.err);
	ck_assert_msg(strstr(run.err, "promises 8 gpu, and the nodes have 4"),
		      "%s", run.err);
	run_clear(&run);
	run_qshare(&run, NULL, "replay", path_of("trace"), "-p",
		   path_of("policy"), "-N", "gpu:1x8", "--json", NULL);
	ck_assert_ptr_null(strstr(run.err, "promises"));
	run_clear(&run);
}
END_TEST

START_TEST(errors_say_what_to_do)
{
	const struct wrong *wrong = &wrongs[_i];
	const char *words[6];
	struct run run;

	for (int i = 0; i < 6; i++) {
		words[i] = wrong->words[i];
		if (words[i] && !strcmp(words[i], "TRACE"))
			words[i] = path_of("trace");
		if (words[i] && !strcmp(words[i], "POLICY"))
			words[i] = path_of("policy");
	}
	run_qshare(&run, NULL, "replay", words[0], words[1], words[2], words[3],
		   words[4], words[5], NULL);
	ck_assert_msg(run.code == wrong->code, "%d: %s", run.code, run.err);
	ck_assert_msg(strstr(run.err, wrong->says) != NULL, "%s", run.err);
	ck_assert_str_eq(run.out, "");
	run_clear(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("qshare replay");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 90);
	tcase_add_checked_fixture(core, set_up, folder_remove);
	tcase_add_test(core, figures_are_those_of_the_trace);
	tcase_add_test(core, a_row_in_error_is_named);
	tcase_add_test(core, a_policy_is_replaced);
	tcase_add_test(core, more_is_promised_than_the_nodes_have);
	tcase_add_test(core, what_sacct_wrote);
	tcase_add_loop_test(core, errors_say_what_to_do, 0, ARRAY_LEN(wrongs));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
