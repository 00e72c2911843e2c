/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words_test.c - what words that come to slurmctld ask for
 */
#include <check.h>
#include <stdlib.h>

#include "runtime/words.h"

#include "suite.h"

static const struct {
	const char *name;
	uint32_t argc;
	const char *argv[3];
	enum qs_asks asks;
	const char *token;
} rows[] = {
	{ "no word", 0, { NULL }, QS_ASKS_STATUS, "" },
	{ "status", 1, { "status" }, QS_ASKS_STATUS, "" },
	{ "without case", 1, { "StaTus" }, QS_ASKS_STATUS, "" },
	{ "jobs", 1, { "jobs" }, QS_ASKS_JOBS, "" },
	{ "metrics", 1, { "metrics" }, QS_ASKS_METRICS, "" },
	{ "policy", 1, { "policy" }, QS_ASKS_POLICY, "" },
	{ "scenario", 1, { "scenario" }, QS_ASKS_SCENARIO, "" },
	{ "answer", 2, { "answer", "abc" }, QS_ASKS_WHATIF, "abc" },
	{ "answer: which", 1, { "answer" }, QS_ASKS_UNKNOWN, "" },
	{ "answer: two", 3, { "answer", "a", "b" }, QS_ASKS_UNKNOWN, "" },
	{ "other word", 1, { "stat" }, QS_ASKS_UNKNOWN, "" },
	{ "empty word", 1, { "" }, QS_ASKS_UNKNOWN, "" },
	{ "explain nothing", 1, { "explain" }, QS_ASKS_EXPLAIN, "" },
	/* An empty string of Slurm's protocol arrives as NULL. Any user can
	 * send one: it stopped slurmctld. */
	{ "null word", 1, { NULL }, QS_ASKS_UNKNOWN, "" },
	{ "explain null", 2, { "explain", NULL }, QS_ASKS_EXPLAIN, "" },
	{ "answer null", 2, { "answer", NULL }, QS_ASKS_UNKNOWN, "" },
};

START_TEST(test_asks)
{
	struct qs_words words;

	qs_words_read(rows[_i].argc, (char *const *)rows[_i].argv, &words);
	ck_assert_msg(words.asks == rows[_i].asks, "%s: %d", rows[_i].name,
		      (int)words.asks);
	ck_assert_str_eq(words.token, rows[_i].token);
}
END_TEST

static const struct {
	const char *word;
	enum qs_job_form form;
	const char *text;
} jobs[] = {
	{ "12", QS_JOB_FORM_PLAIN, "12" },
	{ "0012", QS_JOB_FORM_PLAIN, "12" },
	{ "4294967295", QS_JOB_FORM_PLAIN, "4294967295" },
	{ "12_3", QS_JOB_FORM_TASK, "12_3" },
	{ "12_0", QS_JOB_FORM_TASK, "12_0" },
	{ "12+1", QS_JOB_FORM_HET, "12+1" },
	{ "12_[3-7]", QS_JOB_FORM_PLAIN, "12" },
	{ "4294967295_4294967295", QS_JOB_FORM_TASK, "4294967295_4294967295" },
	{ "", QS_JOB_FORM_BAD, "" },
	{ "0", QS_JOB_FORM_BAD, "" },
	/* every job that is no task of an array has this one */
	{ "0_4294967294", QS_JOB_FORM_BAD, "" },
	{ "-1", QS_JOB_FORM_BAD, "" },
	{ " 12", QS_JOB_FORM_BAD, "" },
	{ "12x", QS_JOB_FORM_BAD, "" },
	{ "12_", QS_JOB_FORM_BAD, "" },
	{ "12+", QS_JOB_FORM_BAD, "" },
	{ "12_3x", QS_JOB_FORM_BAD, "" },
	{ "12_3_4", QS_JOB_FORM_BAD, "" },
	{ "4294967296", QS_JOB_FORM_BAD, "" },
	{ "12_99999999999999999999", QS_JOB_FORM_BAD, "" },
};

START_TEST(test_job)
{
	const char *argv[] = { "explain", jobs[_i].word };
	char text[QS_WORDS_JOB_MAX];
	struct qs_words words;

	qs_words_read(2, (char *const *)argv, &words);
	ck_assert_int_eq(words.asks, QS_ASKS_EXPLAIN);
	ck_assert_msg(words.form == jobs[_i].form, "%s: %d", jobs[_i].word,
		      (int)words.form);
	ck_assert_str_eq(qs_words_job(&words, text), jobs[_i].text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("words");
	TCase *core = tcase_create("core");

	tcase_add_loop_test(core, test_asks, 0, ARRAY_LEN(rows));
	tcase_add_loop_test(core, test_job, 0, ARRAY_LEN(jobs));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
