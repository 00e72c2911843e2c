/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_warnings_test.c - what is allowed, but hardly meant
 *
 * Each row is a good policy and the one warning it gives; "" means none.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#include "suite.h"

#define REST    " InSharePreemption=NO"
#define LEND(n) "Share=" n " Accounts=" n " Capacity=t:4 Strategy=LEND" REST
#define BOTH(n) \
	"Share=" n " Accounts=" n " Capacity=t:4 Strategy=LEND_AND_BORROW" REST
#define OWN(n) "Share=" n " Accounts=" n " Capacity=t:4 Strategy=RESERVE" REST

struct row {
	const char *name, *text;
	unsigned line; /* 0: the warning has none */
	const char *says;
};

static const struct row rows[] = {
	{ "nothing", "Queue=q\n" LEND("a") "\n" BOTH("b") "\n", 0, "" },
	{ "promises above the pool (R17)",
	  "Queue=q Capacity=t:7\n" LEND("a") "\n" BOTH("b") "\n", 1,
	  "queue q: its shares own 8 t, but its Capacity is 7" },
	{ "capacity without owner",
	  "Queue=q Capacity=t:9\n" LEND("a") "\n" BOTH("b") "\n", 1,
	  "queue q: 1 t of its Capacity belong to no share" },
	{ "queue without shares", "Queue=q\n", 1, "queue q has no share" },
	{ "share without accounts",
	  "Queue=q\nShare=a Capacity=t:1 Strategy=RESERVE" REST "\n", 2,
	  "share a has no Accounts" },
	{ "the default share needs none",
	  "Queue=q DefaultShare=a\nShare=a Capacity=t:1 Strategy=RESERVE" REST
	  "\n",
	  0, "" },
	{ "disabled default share",
	  "Queue=q DefaultShare=a\n" OWN("a") " State=DISABLED\n", 1,
	  "its DefaultShare a is DISABLED" },
	{ "lender without borrower", "Queue=q\n" LEND("a") "\n" OWN("b") "\n",
	  2, "share a lends, but no other share" },
	{ "a borrower in another queue is none",
	  "Queue=q Partitions=p\nQueue=r Partitions=s\n" LEND(
		  "a") " Queue=q\n" BOTH("b") " Queue=r BorrowLimit=0\n",
	  3, "share a lends, but no other share" },
	{ "borrower without lender", "Queue=q\n" BOTH("a") "\n" OWN("b") "\n",
	  2, "share a may borrow, but no other share" },
	{ "a share that lends and does not borrow",
	  "Queue=q\n" BOTH("a") " BorrowLimit=0\n" OWN("b") "\n", 0, "" },
	{ "less than one GPU",
	  "Queue=q\n" LEND("a") "\n" BOTH("b") "\n" BOTH(
		  "c") " BorrowLimit=24\n",
	  4, "share c borrows no t: 24 % of 4 is less than one GPU" },
	{ "LendLimit above what it owns",
	  "Queue=q\n" LEND("a") " LendLimit=t:5\n" BOTH("b") "\n", 2,
	  "LendLimit=t:5 is more than it owns (4)" },
	{ "nothing to use",
	  "Queue=q\n" LEND("a") "\n" BOTH("b") "\n"
					       "Share=c Accounts=c Capacity=t:0"
					       " BorrowGpus=t:0"
					       " Strategy=LEND_AND_BORROW" REST
					       "\n",
	  4, "share c can never use a t GPU" },
	{ "BorrowGpus that nobody lends",
	  "Queue=q\n" LEND("a") "\n" BOTH(
		  "b") "\n"
		       "Share=c Accounts=c Capacity=t:1,u:0"
		       " BorrowGpus=u:1"
		       " Strategy=LEND_AND_BORROW" REST "\n",
	  4, "no other share lends the u GPUs" },
	{ "types that differ in case (R2c)",
	  "Queue=q\n" LEND("a") "\n" BOTH("b") "\n"
					       "Share=c Accounts=c Capacity=T:1"
					       " Strategy=RESERVE" REST "\n",
	  0, "types T and t differ in case only" },
	{ "an instance twice",
	  "GpuType=t Instance=x\nGpuType=u Instance=x\nQueue=q\n" LEND(
		  "a") "\n" BOTH("b") "\n",
	  0, "types t and u have the same Instance x" },
	{ "a claim that is not kept",
	  "Queue=q ClaimTimeout=0\n" LEND("a") "\n" BOTH("b") "\n", 1,
	  "ClaimTimeout=0" },
};

START_TEST(warnings)
{
	const struct row *row = &rows[_i];
	struct qs_warnings got = { 0 };
	struct qs_error err;
	struct qs_policy *p;
	char begin[32];

	p = qs_conf_read_text("w.conf", NULL, row->text, strlen(row->text),
			      &got, &err);
	ck_assert_msg(p != NULL, "%s: %s", row->name, err.text);
	qs_policy_free(p);
	if (!*row->says) {
		ck_assert_msg(!got.n, "%s: %s", row->name, got.items[0].text);
		return;
	}
	ck_assert_msg(got.n == 1, "%s: %zu warnings: %s %s", row->name, got.n,
		      got.n ? got.items[0].text : "",
		      got.n > 1 ? got.items[1].text : "");
	ck_assert_msg(strstr(got.items[0].text, row->says) != NULL,
		      "%s: no \"%s\" in: %s", row->name, row->says,
		      got.items[0].text);
	snprintf(begin, sizeof(begin), "w.conf:%u: ", row->line);
	if (row->line)
		ck_assert_msg(!strncmp(got.items[0].text, begin, strlen(begin)),
			      "%s: %s", row->name, got.items[0].text);
}
END_TEST

START_TEST(the_list_is_bounded)
{
	struct qs_warnings got = { 0 };
	char text[8192] = "Queue=q\n";
	struct qs_error err;
	struct qs_policy *p;

	for (int i = 0; i < QS_WARNINGS_MAX + 5; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "Share=s%d Capacity=t:1 Strategy=RESERVE" REST "\n",
			 i);
	p = qs_conf_read_text("w.conf", NULL, text, strlen(text), &got, &err);
	ck_assert_msg(p != NULL, "%s", err.text);
	ck_assert_uint_eq(got.n, QS_WARNINGS_MAX);
	ck_assert_uint_eq(got.dropped, 5);
	qs_policy_free(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conf warnings");
	TCase *core = tcase_create("core");
	TCase *limits = tcase_create("limits");

	tcase_add_loop_test(core, warnings, 0, ARRAY_LEN(rows));
	tcase_add_test(limits, the_list_is_bounded);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, limits);
	return suite_run(suite);
}
