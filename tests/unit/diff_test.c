/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_test.c - qshare diff: what another policy would change
 *
 * The real qshare on files that each test writes into a folder of its own.
 */
#include <check.h>
#include <string.h>

#include "folder.h"
#include "run.h"
#include "suite.h"

#define QUEUE "Queue=train Partitions=gpu\n"
#define A(keys)                                                         \
	"Share=A Queue=train Accounts=a Capacity=h100:4 Strategy=LEND " \
	"InSharePreemption=NO" keys "\n"
#define B(capacity, keys)                                         \
	"Share=B Queue=train Accounts=b Capacity=h100:" #capacity \
	" Strategy=LEND_AND_BORROW InSharePreemption=YES" keys "\n"

struct row {
	const char *name;
	const char *old, *new;
	const char *says; /* the whole behind "Changes:\n", or the one line */
};

static const struct row rows[] = {
	{ "the same", QUEUE A("") B(4, ""), B(4, "") "# order\n" A("") QUEUE,
	  "The policies are the same.\n" },
	{ "admin comment", QUEUE A(""), "AdminComment=NO\n" QUEUE A(""),
	  "  file: AdminComment YES -> NO: accounting records of jobs get no "
	  "comment any more\n" },
	{ "mode", QUEUE A(""), "Mode=OBSERVE\n" QUEUE A(""),
	  "  file: Mode ENFORCE -> OBSERVE: nothing is held back and nobody is "
	  "preempted any more\n" },
	{ "a share is removed", QUEUE A("") B(4, ""), QUEUE A(""),
	  "  queue train: pool h100 8 -> 4\n"
	  "  share B: Share B -> (none): it is removed: its running jobs count "
	  "as borrowed until they end, its waiting ones stay pending (R16)\n" },
	{ "a share is disabled", QUEUE A(""), QUEUE A(" State=DISABLED"),
	  "  share A: State ENABLED -> DISABLED: new jobs are refused, "
	  "submitted ones run to their end (R15)\n" },
	/* law 11: unset, -1 and 0 are three things */
	{ "BorrowLimit unset and -1", QUEUE B(4, ""),
	  QUEUE B(4, " BorrowLimit=-1"),
	  "  share B: BorrowLimit (none) -> -1\n" },
	{ "BorrowLimit unset and 0", QUEUE B(4, ""),
	  QUEUE B(4, " BorrowLimit=0"),
	  "  share B: limit h100 unlimited -> 4: jobs above it run on, but can "
	  "be taken back (R8a)\n"
	  "  share B: BorrowLimit (none) -> 0\n" },
	{ "PreemptRetries unset and 0", QUEUE A(""),
	  QUEUE A(" PreemptRetries=0"),
	  "  share A: PreemptRetries (none) -> 0: unset: requeued however often "
	  "(R12)\n" },
	{ "a longer grace time of the queue", QUEUE A(""),
	  "Queue=train Partitions=gpu GraceTime=300\n" A(""),
	  "  queue train: GraceTime 120 -> 300\n" },
	{ "order of victims", QUEUE A(""),
	  "Queue=train Partitions=gpu VictimOrder=duration,fit,priority\n" A(
		  ""),
	  "  queue train: VictimOrder priority,fit,duration -> "
	  "duration,fit,priority\n" },
	{ "a new type", QUEUE A(""),
	  QUEUE "Share=A Queue=train Accounts=a Capacity=h100:4,a10g:2 "
		"Strategy=LEND InSharePreemption=NO\n",
	  "  queue train: pool a10g 0 -> 2\n"
	  "  queue train: UntypedGpus h100 -> REJECT\n"
	  "  share A: Capacity a10g (none) -> listed: it may use this type from "
	  "now on\n"
	  "  share A: Capacity a10g 0 -> 2: it owns 2 more\n"
	  "  share A: limit a10g 0 -> 2: it may use more\n"
	  "  share A: lends a10g 0 -> 2: others can borrow more of its idle "
	  "GPUs\n" },
};

START_TEST(words)
{
	const struct row *row = &rows[_i];
	struct run run;
	char *says;

	write_file("old", row->old);
	write_file("new", row->new);
	run_qshare(&run, NULL, "diff", path_of("old"), path_of("new"), NULL);
	ck_assert_msg(run.code == 0, "%s: %s", row->name, run.err);
	says = run.out;
	if (!strncmp(says, "Changes:\n", 9))
		says += 9;
	ck_assert_msg(!strcmp(says, row->says), "%s:\n%s", row->name, says);
	run_clear(&run);
}
END_TEST

/* B has 1 own and 2 borrowed jobs, A one of its own; A wants two more. */
#define NOW                                                                  \
	"{\"policy\":[\"Queue=train Partitions=gpu\","                       \
	"\"Share=A Queue=train Accounts=a Capacity=h100:4 Strategy=LEND "    \
	"InSharePreemption=NO\",\"Share=B Queue=train Accounts=b "           \
	"Capacity=h100:4 Strategy=LEND_AND_BORROW InSharePreemption=YES\"]," \
	"\"now\":1000,\"nodes\":[{\"name\":\"n1\",\"gpus\":{\"h100\":8}}],"  \
	"\"jobs\":[{\"id\":1,\"share\":\"B\",\"state\":\"RUNNING\","         \
	"\"gpus\":{\"h100\":4},\"start\":20,\"on\":{\"n1\":{\"h100\":4}}},"  \
	"{\"id\":2,\"share\":\"A\",\"state\":\"RUNNING\","                   \
	"\"gpus\":{\"h100\":4},\"start\":30,\"on\":{\"n1\":{\"h100\":4}}},"  \
	"{\"id\":9,\"share\":\"A\",\"state\":\"PENDING\","                   \
	"\"gpus\":{\"h100\":2},\"eligible\":900}]}"

static const struct row effects[] = {
	{ "nothing", NULL, QUEUE A("") B(4, " Note=x"),
	  "For the jobs of now it changes nothing.\n" },
	{ "the owner gets more, and takes it back", NULL,
	  QUEUE "Share=A Queue=train Accounts=a Capacity=h100:6 Strategy=LEND "
		"InSharePreemption=NO\n" B(2, ""),
	  "  JobId=1 RUNNING in share B: it is preempted at once, for "
	  "JobId=9\n"
	  "  JobId=9 PENDING in share A: it starts, on GPUs that its share "
	  "takes back; for it are preempted: 1\n" },
	{ "a lower capacity alone stops nobody", NULL, QUEUE A("") B(1, ""),
	  "  JobId=1 RUNNING in share B: 3 instead of 0 of its 4 GPUs are "
	  "borrowed: it can be preempted\n" },
	{ "a share is removed", NULL, QUEUE A(""),
	  "  JobId=1 RUNNING in share (removed): 4 instead of 0 of its 4 GPUs "
	  "are borrowed: it can be preempted\n" },
	{ "a queue goes", NULL,
	  "Queue=other Partitions=x\nShare=A Queue=other Accounts=a "
	  "Capacity=h100:4 Strategy=LEND InSharePreemption=NO\n",
	  "  JobId=1 RUNNING in share B: no queue has it any more: no share is "
	  "charged\n"
	  "  JobId=2 RUNNING in share A: no queue has it any more: no share is "
	  "charged\n"
	  "  JobId=9 PENDING in share A: no queue has it any more: no share is "
	  "charged\n" },
};

START_TEST(jobs)
{
	const struct row *row = &effects[_i];
	struct run run;
	char *says;

	write_file("now.json", NOW);
	write_file("new", row->new);
	run_qshare(&run, NULL, "diff", "-S", path_of("now.json"),
		   path_of("new"), NULL);
	ck_assert_msg(run.code == 0, "%s: %s", row->name, run.err);
	says = strstr(run.out, "For the jobs of now");
	ck_assert_msg(says != NULL, "%s: %s", row->name, run.out);
	if (!strncmp(says, "For the jobs of now:\n", 21))
		says += 21;
	ck_assert_msg(!strcmp(says, row->says), "%s:\n%s", row->name, says);
	run_clear(&run);
}
END_TEST

START_TEST(errors)
{
	struct run run;

	write_file("old", QUEUE A(""));
	write_file("new", "Share=\n");
	run_qshare(&run, NULL, "diff", path_of("old"), path_of("new"), NULL);
	ck_assert_int_eq(run.code, 1);
	ck_assert_ptr_nonnull(strstr(run.err, "new:1"));
	run_clear(&run);
	run_qshare(&run, NULL, "diff", NULL);
	ck_assert_int_eq(run.code, 2);
	run_clear(&run);
	run_qshare(&run, NULL, "diff", "--live", "-S", "x", "y", NULL);
	ck_assert_int_eq(run.code, 2);
	run_clear(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diff");
	TCase *core = tcase_create("core");

	tcase_add_checked_fixture(core, folder_make, folder_remove);
	tcase_add_loop_test(core, words, 0, ARRAY_LEN(rows));
	tcase_add_loop_test(core, jobs, 0, ARRAY_LEN(effects));
	tcase_add_test(core, errors);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
