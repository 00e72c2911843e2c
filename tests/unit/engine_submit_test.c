/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine_submit_test.c - what is judged at submission: R1, R2a, R6b, R12
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "engine/submit.h"

#include "suite.h"

static const char *const lines[] = {
	"Queue=q Partitions=gpu Capacity=h100:20,a10g:4 DefaultShare=open",
	"Queue=strict Partitions=other UntypedGpus=h100",
	"Share=team Queue=q Accounts=Team,lab Capacity=h100:4"
	" Strategy=LEND_AND_BORROW BorrowLimit=200 InSharePreemption=NO"
	" PreemptRetries=2",
	"Share=sub Queue=q Accounts=sub Capacity=h100:2 Strategy=RESERVE"
	" InSharePreemption=NO",
	"Share=zero Queue=q Accounts=zero Capacity=h100:4"
	" Strategy=LEND_AND_BORROW BorrowLimit=0 InSharePreemption=NO",
	"Share=open Queue=q Capacity=h100:4,a10g:4 Strategy=LEND"
	" InSharePreemption=NO",
	"Share=only Queue=strict Accounts=team Capacity=h100:4,a10g:1"
	" Strategy=LEND InSharePreemption=NO",
};

static struct qs_policy *policy;
static char text[QS_TEXT_MAX];

static void setup(void)
{
	struct qs_error err = { 0 };

	policy = qs_conf_read_lines("test", NULL, lines, ARRAY_LEN(lines), NULL,
				    &err);
	ck_assert_msg(policy != NULL, "%s", err.text);
}

static void teardown(void)
{
	qs_policy_free(policy);
}

struct share_row {
	const char *name, *queue, *wanted;
	const char *accounts[4];
	const char *share;   /* NULL: refused */
	const char *says[2]; /* words of the refusal */
};

static const struct share_row share_rows[] = {
	{ "the account's own", "q", NULL, { "lab" }, "team", { 0 } },
	{ "case does not count", "q", NULL, { "TEAM" }, "team", { 0 } },
	{ "nearest ancestor", "q", NULL, { "x", "sub", "team" }, "sub", { 0 } },
	{ "parent further up", "q", NULL, { "x", "y", "team" }, "team", { 0 } },
	{ "default share", "q", NULL, { "stranger" }, "open", { 0 } },
	{ "no account", "q", NULL, { 0 }, "open", { 0 } },
	{ "named", "q", "sub", { "sub" }, "sub", { 0 } },
	{ "an ancestor's, named",
	  "q",
	  "team",
	  { "sub", "team" },
	  "team",
	  { 0 } },
	{ "the default, named", "q", "open", { "sub" }, "open", { 0 } },
	{ "not his", "q", "sub", { "team" }, NULL, { "team", "open" } },
	{ "no such share",
	  "q",
	  "nosuch",
	  { "team" },
	  NULL,
	  { "nosuch", "team" } },
	{ "of another queue", "q", "only", { "team" }, NULL, { "only", "q" } },
	{ "no default", "strict", NULL, { "sub" }, NULL, { "sub", "account" } },
	{ "no account, no default",
	  "strict",
	  NULL,
	  { 0 },
	  NULL,
	  { "no account", "none" } },
};

START_TEST(share_of_job)
{
	const struct share_row *row = &share_rows[_i];
	int share;
	size_t n = 0;

	while (n < 4 && row->accounts[n])
		n++;
	share = qs_submit_share(
		policy, qs_policy_find_queue(policy, row->queue), row->wanted,
		row->accounts, n, text, sizeof(text));
	if (row->share) {
		ck_assert_msg(share >= 0, "%s: refused: %s", row->name, text);
		ck_assert_str_eq(policy->shares[share].name, row->share);
		return;
	}
	ck_assert_msg(share == -1, "%s: not refused", row->name);
	for (size_t i = 0; i < 2 && row->says[i]; i++)
		ck_assert_msg(strstr(text, row->says[i]) != NULL,
			      "%s: \"%s\" does not say %s", row->name, text,
			      row->says[i]);
}
END_TEST

struct never_row {
	const char *name, *share, *type;
	int64_t gpus;
	enum qs_code code;
	const char *says;
};

static const struct never_row never_rows[] = {
	{ "fits", "team", "h100", 12, QS_CODE_NONE, "" },
	{ "type not listed", "team", "a10g", 1, QS_CODE_UNKNOWN_TYPE,
	  "can use: h100" },
	{ "unknown type", "team", "h10", 1, QS_CODE_UNKNOWN_TYPE, "h10" },
	{ "above the pool", "team", "h100", 21, QS_CODE_OVER_QUEUE,
	  "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE - Service "
	  "environment(s) associated with the job queue cannot meet the "
	  "capacity requirement of the job." },
	{ "RESERVE above its limit", "sub", "h100", 3, QS_CODE_OVER_LIMIT,
	  "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - Job requirements "
	  "exceed quota share capacity limits." },
	{ "LEND above its limit", "open", "h100", 5, QS_CODE_OVER_LIMIT,
	  "Ask for at most 4 h100." },
	{ "BorrowLimit=0", "zero", "h100", 5, QS_CODE_OVER_BORROW_LIMIT,
	  "Job requirements exceed quota share capacity limits and borrow "
	  "limits." },
	{ "above limit and borrow limit", "team", "h100", 13,
	  QS_CODE_OVER_BORROW_LIMIT, "Ask for at most 12 h100." },
	{ "at the limit", "zero", "h100", 4, QS_CODE_NONE, "" },
};

START_TEST(never_fits)
{
	const struct never_row *row = &never_rows[_i];
	int share = qs_policy_find_share(policy, row->share);
	struct qs_ask ask = { qs_policy_find_type(policy, row->type),
			      row->gpus };
	size_t failing = 9;
	enum qs_code code;

	code = qs_submit_never(policy, share, &ask, 1, &failing);
	ck_assert_msg(code == row->code, "%s: %s", row->name,
		      qs_code_name(code));
	ck_assert_uint_eq(failing, 0);
	qs_submit_never_text(policy, share, code, row->type, &ask, text,
			     sizeof(text));
	ck_assert_msg(strstr(text, row->says) != NULL, "%s: %s", row->name,
		      text);
}
END_TEST

START_TEST(never_over_lendable)
{
	static const char *const few[] = {
		"Queue=q Partitions=gpu Capacity=h100:16",
		"Share=A Queue=q Accounts=a Capacity=h100:4"
		" Strategy=LEND_AND_BORROW InSharePreemption=NO",
		"Share=B Queue=q Accounts=b Capacity=h100:4 Strategy=LEND"
		" LendLimit=h100:3 InSharePreemption=NO",
		"Share=C Queue=q Accounts=c Capacity=h100:4 Strategy=RESERVE"
		" InSharePreemption=NO",
	};
	struct qs_error err = { 0 };
	struct qs_policy *p = qs_conf_read_lines("t", NULL, few, 4, NULL, &err);
	struct qs_ask ask = { 0, 8 };
	size_t failing;

	ck_assert_msg(p != NULL, "%s", err.text);
	ck_assert_int_eq(qs_submit_never(p, qs_policy_find_share(p, "A"), &ask,
					 1, &failing),
			 QS_CODE_OVER_LENDABLE);
	qs_submit_never_text(p, qs_policy_find_share(p, "A"),
			     QS_CODE_OVER_LENDABLE, "h100", &ask, text,
			     sizeof(text));
	ck_assert_ptr_nonnull(strstr(
		text, "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - Job "
		      "requires borrowing that exceeds all configured "
		      "borrowable capacity."));
	ck_assert_ptr_nonnull(strstr(text, "Ask for at most 7 h100."));
	ask.gpus = 7;
	ck_assert_int_eq(qs_submit_never(p, qs_policy_find_share(p, "A"), &ask,
					 1, &failing),
			 QS_CODE_NONE);
	qs_policy_free(p);
}
END_TEST

START_TEST(never_first_code_of_several_types)
{
	struct qs_ask asks[] = { { qs_policy_find_type(policy, "a10g"), 5 },
				 { -1, 1 } };
	size_t failing = 9;

	/* The first that applies, in the order of the codes. */
	ck_assert_int_eq(qs_submit_never(policy,
					 qs_policy_find_share(policy, "open"),
					 asks, 2, &failing),
			 QS_CODE_UNKNOWN_TYPE);
	ck_assert_uint_eq(failing, 1);
}
END_TEST

START_TEST(untyped)
{
	int q = qs_policy_find_queue(policy, "q");
	int strict = qs_policy_find_queue(policy, "strict");
	int h100 = qs_policy_find_type(policy, "h100");
	int a10g = qs_policy_find_type(policy, "a10g");

	/* one type on the nodes */
	ck_assert_int_eq(
		qs_submit_untyped(policy, q, 1ull << a10g, text, sizeof(text)),
		a10g);
	/* two: refused, with the types to choose from */
	ck_assert_int_eq(qs_submit_untyped(policy, q,
					   1ull << a10g | 1ull << h100, text,
					   sizeof(text)),
			 -1);
	ck_assert_ptr_nonnull(strstr(text, "gpu:a10g:N"));
	ck_assert_ptr_nonnull(strstr(text, "gpu:h100:N"));
	/* two, and UntypedGpus=h100 */
	ck_assert_int_eq(qs_submit_untyped(policy, strict,
					   1ull << a10g | 1ull << h100, text,
					   sizeof(text)),
			 h100);
}
END_TEST

struct outcome_row {
	const char *name, *share;
	struct qs_opt retries;
	uint32_t preempted;
	bool requeue;
	enum qs_outcome outcome;
};

static const struct outcome_row outcome_rows[] = {
	{ "unset: no limit", "open", { 0 }, 1000, true, QS_OUTCOME_REQUEUE },
	{ "0: the first ends it",
	  "open",
	  { true, 0 },
	  0,
	  true,
	  QS_OUTCOME_TERMINATE },
	{ "1: one more run", "open", { true, 1 }, 0, true, QS_OUTCOME_REQUEUE },
	{ "1: the second ends it",
	  "open",
	  { true, 1 },
	  1,
	  true,
	  QS_OUTCOME_TERMINATE },
	{ "the share's", "team", { 0 }, 1, true, QS_OUTCOME_REQUEUE },
	{ "the share's, used up",
	  "team",
	  { 0 },
	  2,
	  true,
	  QS_OUTCOME_TERMINATE },
	{ "the job's before the share's",
	  "team",
	  { true, 0 },
	  0,
	  true,
	  QS_OUTCOME_TERMINATE },
	{ "cannot be requeued", "open", { 0 }, 0, false, QS_OUTCOME_CANCEL },
};

START_TEST(outcome)
{
	const struct outcome_row *row = &outcome_rows[_i];

	ck_assert_msg(qs_submit_outcome(
			      policy, qs_policy_find_share(policy, row->share),
			      &row->retries, row->preempted,
			      row->requeue) == row->outcome,
		      "%s", row->name);
}
END_TEST

START_TEST(texts_are_bounded)
{
	const char *const accounts[] = { "stranger" };
	char small[24];

	memset(small, 'x', sizeof(small));
	ck_assert_int_eq(qs_submit_share(policy, 1, NULL, accounts, 1, small,
					 sizeof(small) - 1),
			 -1);
	ck_assert_uint_lt(strlen(small), sizeof(small) - 1);
	ck_assert_int_eq(small[sizeof(small) - 1], 'x');
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("engine_submit");
	TCase *core = tcase_create("core");
	TCase *limits = tcase_create("limits");

	tcase_add_checked_fixture(core, setup, teardown);
	tcase_add_loop_test(core, share_of_job, 0, ARRAY_LEN(share_rows));
	tcase_add_loop_test(core, never_fits, 0, ARRAY_LEN(never_rows));
	tcase_add_test(core, never_over_lendable);
	tcase_add_test(core, never_first_code_of_several_types);
	tcase_add_test(core, untyped);
	tcase_add_loop_test(core, outcome, 0, ARRAY_LEN(outcome_rows));
	tcase_add_checked_fixture(limits, setup, teardown);
	tcase_add_test(limits, texts_are_bounded);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, limits);
	return suite_run(suite);
}
