/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_reader_test.c - quota_share.conf: values, defaults, spellings
 *
 * What good files mean. conf_errors_test.c has what is refused.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#include "policy_of.h"
#include "suite.h"

/* A share line with all that is required. */
#define SHARE(name, rest)                                                   \
	"Share=" name " Capacity=h100:4 Strategy=LEND InSharePreemption=NO" \
	" Accounts=" name " " rest "\n"

START_TEST(defaults_are_those_of_the_manual)
{
	struct qs_policy *p = policy_of("Queue=q\n" SHARE("a", ""));
	const struct qs_queue *q = &p->queues[0];
	const struct qs_share *s = &p->shares[0];

	ck_assert_int_eq(p->mode, QS_MODE_ENFORCE);
	ck_assert(p->admin_comment);
	ck_assert_ptr_null(p->audit_log);
	ck_assert_ptr_null(p->event_log);
	ck_assert_uint_eq(q->partitions.n, 0);
	ck_assert(!q->capacity[0].set);
	ck_assert(q->enabled);
	ck_assert_int_eq(q->default_share, -1);
	ck_assert_int_eq(q->untyped, 0); /* the only type */
	ck_assert(q->never_fits_rejects);
	ck_assert_int_eq(q->in_share_order, QS_ORDER_STRICT);
	ck_assert_int_eq(q->idle_assignment, QS_ASSIGN_FIFO);
	ck_assert_int_eq(q->victim_order[0], QS_VICTIM_PRIORITY);
	ck_assert_int_eq(q->victim_order[1], QS_VICTIM_FIT);
	ck_assert_int_eq(q->victim_order[2], QS_VICTIM_DURATION);
	ck_assert_uint_eq(q->grace_sec, 120);
	ck_assert_uint_eq(q->claim_timeout_sec, 120);
	ck_assert(q->non_requeue_borrow);
	ck_assert_int_eq(s->queue, 0);
	ck_assert(!s->borrow_limit.set);
	ck_assert(!s->grace_sec.set);
	ck_assert(!s->preempt_retries.set);
	ck_assert(s->enabled);
	ck_assert_uint_eq(s->min_runtime_sec, 0);
	ck_assert_uint_eq(s->max_user_priority, 9999);
	ck_assert_ptr_null(s->owner);
	ck_assert_ptr_null(s->note);
	ck_assert(!qs_policy_quota(p, 0, 0)->borrow_gpus.set);
	ck_assert(!qs_policy_quota(p, 0, 0)->lend_limit.set);
	qs_policy_free(p);
}
END_TEST

START_TEST(every_key_is_read)
{
	static const char text[] =
		"Mode=observe AdminComment=no AuditLog=/a EventLog=\"/e v\"\n"
		"GpuType=h100 Slurm=h100,nvidia_h100 Instance=ml.p5.48xlarge\n"
		"Queue=q Partitions=gpu,gpu-long Capacity=h100:32,l40:2"
		" State=DISABLED DefaultShare=b UntypedGpus=l40"
		" NeverFits=WAIT InShareOrder=BEST_EFFORT"
		" IdleResourceAssignment=FAIR"
		" VictimOrder=duration,priority,fit GraceTime=7"
		" ClaimTimeout=8 NonRequeueBorrow=NO\n"
		"Share=b Queue=q Accounts=x,Y Capacity=h100:3,l40:0"
		" Strategy=LEND_AND_BORROW BorrowLimit=50 BorrowGpus=l40:2"
		" LendLimit=h100:1 InSharePreemption=ENABLED State=DISABLED"
		" MinRuntime=9 GraceTime=10 PreemptRetries=11"
		" MaxUserPriority=12 Owner=me Note=\"a # b\"\n";
	struct qs_policy *p = policy_of(text);
	const struct qs_queue *q = &p->queues[0];
	const struct qs_share *s = &p->shares[0];
	int h100 = qs_policy_find_type(p, "h100");
	int l40 = qs_policy_find_type(p, "l40");

	ck_assert_int_eq(p->mode, QS_MODE_OBSERVE);
	ck_assert(!p->admin_comment);
	ck_assert_str_eq(p->audit_log, "/a");
	ck_assert_str_eq(p->event_log, "/e v");
	ck_assert_int_eq(p->ntypes, 2);
	ck_assert_int_eq(qs_policy_find_gres(p, "nvidia_h100"), h100);
	ck_assert_str_eq(p->types[h100].instance, "ml.p5.48xlarge");
	ck_assert_ptr_null(p->types[l40].instance);
	ck_assert_uint_eq(q->partitions.n, 2);
	ck_assert_str_eq(q->partitions.items[1], "gpu-long");
	ck_assert_int_eq(q->capacity[h100].value, 32);
	ck_assert_int_eq(q->capacity[l40].value, 2);
	ck_assert(!q->enabled);
	ck_assert_int_eq(q->default_share, 0);
	ck_assert_int_eq(q->untyped, l40);
	ck_assert(!q->never_fits_rejects);
	ck_assert_int_eq(q->in_share_order, QS_ORDER_BEST_EFFORT);
	ck_assert_int_eq(q->idle_assignment, QS_ASSIGN_FAIR);
	ck_assert_int_eq(q->victim_order[0], QS_VICTIM_DURATION);
	ck_assert_int_eq(q->victim_order[1], QS_VICTIM_PRIORITY);
	ck_assert_int_eq(q->victim_order[2], QS_VICTIM_FIT);
	ck_assert_uint_eq(q->grace_sec, 7);
	ck_assert_uint_eq(q->claim_timeout_sec, 8);
	ck_assert(!q->non_requeue_borrow);
	ck_assert_uint_eq(s->accounts.n, 2);
	ck_assert_str_eq(s->accounts.items[1], "Y"); /* as written */
	ck_assert_int_eq(s->strategy, QS_STRATEGY_LEND_AND_BORROW);
	ck_assert(s->borrow_limit.set && s->borrow_limit.value == 50);
	ck_assert(s->in_share_preemption);
	ck_assert(!s->enabled);
	ck_assert_uint_eq(s->min_runtime_sec, 9);
	ck_assert(s->grace_sec.set && s->grace_sec.value == 10);
	ck_assert(s->preempt_retries.set && s->preempt_retries.value == 11);
	ck_assert_uint_eq(s->max_user_priority, 12);
	ck_assert_str_eq(s->owner, "me");
	ck_assert_str_eq(s->note, "a # b");
	ck_assert_int_eq(qs_policy_limit(p, 0, h100), 4); /* floor(1.5) */
	ck_assert_int_eq(qs_policy_limit(p, 0, l40), 2);
	ck_assert_int_eq(qs_policy_lends(p, 0, h100), 1);
	qs_policy_free(p);
}
END_TEST

START_TEST(unset_zero_and_minus_one_differ)
{
	static const char text[] =
		"Queue=q\n"
		"Share=a Accounts=a Capacity=t:2 Strategy=LEND_AND_BORROW"
		" InSharePreemption=NO\n"
		"Share=b Accounts=b Capacity=t:2 Strategy=LEND_AND_BORROW"
		" InSharePreemption=NO BorrowLimit=0 PreemptRetries=0"
		" GraceTime=0\n"
		"Share=c Accounts=c Capacity=t:2 Strategy=LEND_AND_BORROW"
		" InSharePreemption=NO BorrowLimit=-1\n";
	struct qs_policy *p = policy_of(text);

	ck_assert(!p->shares[0].borrow_limit.set);
	ck_assert(!p->shares[0].preempt_retries.set);
	ck_assert(p->shares[1].borrow_limit.set);
	ck_assert_int_eq(p->shares[1].borrow_limit.value, 0);
	ck_assert(p->shares[1].preempt_retries.set);
	ck_assert(p->shares[1].grace_sec.set);
	ck_assert_uint_eq(qs_policy_grace(p, 0), 120);
	ck_assert_uint_eq(qs_policy_grace(p, 1), 0);
	ck_assert(p->shares[2].borrow_limit.set);
	ck_assert_int_eq(p->shares[2].borrow_limit.value, QS_UNLIMITED);
	ck_assert_int_eq(qs_policy_limit(p, 1, 0), 2);
	ck_assert_int_eq(qs_policy_limit(p, 0, 0), INT64_MAX);
	ck_assert_int_eq(qs_policy_limit(p, 2, 0), INT64_MAX);
	qs_policy_free(p);
}
END_TEST

struct same_row {
	const char *name, *text;
};

/* All of them are the same policy as same[0]. */
static const struct same_row same[] = {
	{ "plain", "Queue=q Partitions=g\n" SHARE("a", "Note=\"x y\"") },
	{ "order of lines",
	  SHARE("a", "Note=\"x y\"") "Queue=q Partitions=g\n" },
	{ "case of keys and enum values",
	  "QUEUE=q pArtitions=g\n"
	  "share=a CAPACITY=h100:4 strategy=Lend insharepreemption=no"
	  " accounts=a note=\"x y\"\n" },
	{ "continued lines",
	  "Queue=q \\\n Partitions=g\n"
	  "Share=a Capacity=h100:4 \\\n\t Strategy=LEND \\  \n"
	  "InSharePreemption=NO Accounts=a\\\nNote=\"x \\\ny\"\n" },
	{ "comments",
	  "# c \\\nQueue=q Partitions=g# c\n" SHARE("a", "Note=\"x y\" # \"") },
	{ "a comment behind a continuation",
	  "Queue=q \\ # all of them\n Partitions=g\n" SHARE("a",
							    "Note=\"x y\"") },
	{ "blanks around =",
	  "Queue = q\tPartitions= g\n" SHARE("a", "Note =\t\"x y\"") },
	{ "ends of lines of other systems",
	  "Queue=q Partitions=g\r\n\r\n" SHARE("a", "Note=\"x y\"\r") },
	{ "byte order mark",
	  "\xef\xbb\xbfQueue=q Partitions=g\n" SHARE("a", "Note=\"x y\"") },
	{ "no line end at the end of the file",
	  SHARE("a", "Note=\"x y\"") "Queue=q Partitions=g" },
	{ "queue named in the share",
	  "Queue=q Partitions=g\n" SHARE("a", "Queue=q Note=\"x y\"") },
	{ "DISABLED means NO for in-share preemption",
	  "Queue=q Partitions=g\n"
	  "Share=a Capacity=h100:4 Strategy=LEND InSharePreemption=DISABLED"
	  " Accounts=a Note=\"x y\"\n" },
};

START_TEST(spellings_of_one_policy)
{
	struct qs_policy *a = policy_of(same[0].text);
	struct qs_policy *b = policy_of(same[_i].text);
	char what[200] = "";

	ck_assert_msg(qs_conf_equal(a, b, what, sizeof(what)), "%s: %s",
		      same[_i].name, what);
	qs_policy_free(a);
	qs_policy_free(b);
}
END_TEST

START_TEST(quotes_protect_quotes_and_backslashes)
{
	struct qs_policy *p = policy_of(
		"Queue=q\n" SHARE("a", "Note=\"a \\\"b\\\" \\\\ \\c\""));

	ck_assert_str_eq(p->shares[0].note, "a \"b\" \\ \\c");
	qs_policy_free(p);
}
END_TEST

START_TEST(untyped_is_the_only_type_of_the_queue)
{
	struct qs_policy *p = policy_of(
		"Queue=one Partitions=a\nQueue=two Partitions=b\n"
		"Queue=no Partitions=c UntypedGpus=reject\n"
		"Share=x Queue=one Accounts=a Capacity=t:1 Strategy=LEND"
		" InSharePreemption=NO\n"
		"Share=y Queue=two Accounts=a Capacity=t:1,u:1 Strategy=LEND"
		" InSharePreemption=NO\n"
		"Share=z Queue=no Accounts=a Capacity=t:1 Strategy=LEND"
		" InSharePreemption=NO\n");

	ck_assert_int_eq(p->queues[qs_policy_find_queue(p, "one")].untyped,
			 qs_policy_find_type(p, "t"));
	ck_assert_int_eq(p->queues[qs_policy_find_queue(p, "two")].untyped, -1);
	ck_assert_int_eq(p->queues[qs_policy_find_queue(p, "no")].untyped, -1);
	qs_policy_free(p);
}
END_TEST

START_TEST(a_type_without_its_line_means_its_own_name)
{
	struct qs_policy *p = policy_of("Queue=q\n" SHARE("a", ""));

	ck_assert_int_eq(qs_policy_find_gres(p, "h100"), 0);
	ck_assert_int_eq(qs_policy_find_gres(p, "H100"), -1); /* R2c */
	qs_policy_free(p);
}
END_TEST

START_TEST(a_pool_over_several_gres_types)
{
	struct qs_policy *p =
		policy_of("GpuType=gpu Slurm=a100,v100\nQueue=q\n"
			  "Share=a Accounts=a Capacity=gpu:4 Strategy=LEND"
			  " InSharePreemption=NO\n");

	ck_assert_int_eq(p->ntypes, 1);
	ck_assert_int_eq(qs_policy_find_gres(p, "v100"), 0);
	ck_assert_int_eq(qs_policy_find_gres(p, "gpu"), -1);
	qs_policy_free(p);
}
END_TEST

START_TEST(the_same_account_in_two_queues)
{
	qs_policy_free(
		policy_of("Queue=q Partitions=a\nQueue=r Partitions=b\n" SHARE(
			"a", "Queue=q") "Share=c Queue=r Capacity=h100:1"
					" Strategy=LEND InSharePreemption=NO"
					" Accounts=a\n"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conf reader");
	TCase *core = tcase_create("core");

	tcase_add_test(core, defaults_are_those_of_the_manual);
	tcase_add_test(core, every_key_is_read);
	tcase_add_test(core, unset_zero_and_minus_one_differ);
	tcase_add_loop_test(core, spellings_of_one_policy, 0, ARRAY_LEN(same));
	tcase_add_test(core, quotes_protect_quotes_and_backslashes);
	tcase_add_test(core, untyped_is_the_only_type_of_the_queue);
	tcase_add_test(core, a_type_without_its_line_means_its_own_name);
	tcase_add_test(core, a_pool_over_several_gres_types);
	tcase_add_test(core, the_same_account_in_two_queues);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
