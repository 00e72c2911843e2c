/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine_ledger_test.c - limit, own, borrowed, over limit, lent: R3, R4a, R8a
 */
#include <check.h>
#include <stdlib.h>

#include "conf/conf.h"
#include "engine/ledger.h"

#include "suite.h"

/* Shares come in the order of their names: A, B, C, R. */
static const char *const lines[] = {
	"Queue=q Partitions=gpu",
	"Share=A Accounts=a Capacity=h100:4 Strategy=LEND InSharePreemption=NO",
	"Share=B Accounts=b Capacity=h100:3 Strategy=LEND_AND_BORROW"
	" BorrowLimit=50 InSharePreemption=NO",
	"Share=C Accounts=c Capacity=h100:4 Strategy=LEND LendLimit=h100:1"
	" InSharePreemption=NO",
	"Share=R Accounts=r Capacity=h100:2 Strategy=RESERVE"
	" InSharePreemption=NO",
};

struct want {
	int64_t own, borrowed, over_limit, lent, idle;
};

struct row {
	const char *name;
	int64_t used[4];
	struct want want[4];
};

static const struct row rows[] = {
	{ "nothing used",
	  { 0 },
	  { { .idle = 4 }, { .idle = 3 }, { .idle = 4 }, { .idle = 2 } } },
	{ "a loan is the lender's with most idle left; tie: name",
	  { 0, 4, 0, 0 },
	  { { .lent = 1, .idle = 3 },
	    { .own = 3, .borrowed = 1 },
	    { .idle = 4 },
	    { .idle = 2 } } },
	{ "above the limit is not borrowed",
	  { 0, 6, 0, 0 },
	  { { .lent = 2, .idle = 2 },
	    { .own = 3, .borrowed = 1, .over_limit = 2 },
	    { .lent = 1, .idle = 3 },
	    { .idle = 2 } } },
	{ "RESERVE above a lowered limit",
	  { 4, 3, 4, 5 },
	  { { .own = 4 },
	    { .own = 3 },
	    { .own = 4 },
	    { .own = 2, .over_limit = 3 } } },
	{ "LendLimit bounds what is attributed",
	  { 3, 4, 0, 4 },
	  { { .own = 3, .lent = 1 },
	    { .own = 3, .borrowed = 1 },
	    { .lent = 1, .idle = 3 },
	    { .own = 2, .over_limit = 2 } } },
};

START_TEST(table)
{
	const struct row *row = &rows[_i];
	struct qs_error err = { 0 };
	struct qs_policy *policy = qs_conf_read_lines(
		"test", NULL, lines, ARRAY_LEN(lines), NULL, &err);
	struct qs_row *got;
	uint32_t n;

	ck_assert_msg(policy != NULL, "%s", err.text);
	ck_assert_int_eq(
		qs_ledger_rows(policy, row->used, NULL, NULL, &got, &n), 0);
	ck_assert_uint_eq(n, 4);
	for (uint32_t i = 0; i < n; i++) {
		const struct want *want = &row->want[i];

		ck_assert_msg(got[i].own == want->own &&
				      got[i].borrowed == want->borrowed &&
				      got[i].over_limit == want->over_limit &&
				      got[i].lent == want->lent &&
				      got[i].idle == want->idle,
			      "%s: share %s", row->name,
			      policy->shares[got[i].share].name);
		/* what is used is own, borrowed or over limit */
		ck_assert_int_eq(got[i].own + got[i].borrowed +
					 got[i].over_limit,
				 got[i].used);
		ck_assert_int_eq(got[i].own + got[i].lent + got[i].idle,
				 got[i].capacity);
	}
	free(got);
	qs_policy_free(policy);
}
END_TEST

START_TEST(unset_zero_and_minus_one)
{
	static const struct {
		const char *limit;
		int64_t want;
	} cases[] = {
		{ "", INT64_MAX },
		{ "BorrowLimit=-1", INT64_MAX },
		{ "BorrowLimit=0", 3 },
		{ "BorrowLimit=33", 3 },
		{ "BorrowLimit=34", 4 },
		{ "BorrowLimit=200", 9 },
		{ "BorrowLimit=0 BorrowGpus=h100:2", 5 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct qs_error err = { 0 };
		struct qs_policy *policy;
		char share[256];
		const char *text[] = { "Queue=q Partitions=gpu", share };

		snprintf(share, sizeof(share),
			 "Share=B Accounts=b Capacity=h100:3 "
			 "Strategy=LEND_AND_BORROW InSharePreemption=NO %s",
			 cases[i].limit);
		policy = qs_conf_read_lines("t", NULL, text, 2, NULL, &err);
		ck_assert_msg(policy != NULL, "%s", err.text);
		ck_assert_msg(qs_policy_limit(policy, 0, 0) == cases[i].want,
			      "%s", cases[i].limit);
		qs_policy_free(policy);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("engine_ledger");
	TCase *core = tcase_create("core");

	tcase_add_loop_test(core, table, 0, ARRAY_LEN(rows));
	tcase_add_test(core, unset_zero_and_minus_one);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
