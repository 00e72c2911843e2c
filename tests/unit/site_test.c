/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_test.c - qshare check against slurm.conf and gres.conf
 *
 * The real qshare on files that each test writes into a folder of its own.
 */
#include <check.h>
#include <string.h>

#include "cli/site.h"
#include "folder.h"
#include "run.h"
#include "suite.h"

static const struct {
	const char *list;
	const char *names; /* with a blank behind each; NULL: no host list */
} lists[] = {
	{ "", "" },
	{ "a", "a " },
	{ "a,b", "a b " },
	{ "n[1-3]", "n1 n2 n3 " },
	{ "n[1-2,5]", "n1 n2 n5 " },
	{ "n[08-10]", "n08 n09 n10 " },
	{ "n[8-10]", "n8 n9 n10 " },
	{ "n[1-2]-ib,x", "n1-ib n2-ib x " },
	{ "r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2 " },
	{ "n[2-1]", NULL },
	{ "n[1-", NULL },
	{ "n[x]", NULL },
	{ "n[1-x]", NULL },
	{ "n]", NULL },
	{ "n[0-99999999]", NULL },
};

static int append(const char *name, void *arg)
{
	strcat(strcat(arg, name), " ");
	return 0;
}

START_TEST(host_lists)
{
	char names[512] = "";
	int rc = qs_hosts_each(lists[_i].list, append, names);

	if (!lists[_i].names) {
		ck_assert_msg(rc == -1, "'%s' is taken", lists[_i].list);
		return;
	}
	ck_assert_msg(!rc && !strcmp(names, lists[_i].names), "'%s': %s",
		      lists[_i].list, names);
}
END_TEST

#define PLUGINS                                              \
	"BurstBufferType=burst_buffer/quota_share\n"         \
	"PreemptType=preempt/quota_share\n"                  \
	"PreemptMode=REQUEUE\n"                              \
	"PriorityType=priority/multifactor\n"                \
	"PrioritySiteFactorPlugin=site_factor/quota_share\n" \
	"JobSubmitPlugins=lua,quota_share\n"                 \
	"GresTypes=gpu\n"
#define NODES                               \
	"NodeName=n[1-2] Gres=gpu:h100:4\n" \
	"PartitionName=gpu Nodes=n[1-2]\n"
#define QUEUE "Queue=q Partitions=gpu\n"
#define SHARE(n)                                                 \
	"Share=A Accounts=a Capacity=h100:" #n " Strategy=LEND " \
	"InSharePreemption=NO\n"                                 \
	"Share=B Accounts=b Capacity=h100:1 Strategy="           \
	"LEND_AND_BORROW InSharePreemption=NO\n"

struct row {
	const char *name;
	const char *policy, *slurm, *gres;
	const char *said; /* part of standard error; "" means nothing at all */
};

static const struct row rows[] = {
	{ "all fits", QUEUE SHARE(7), PLUGINS NODES, NULL, "" },
	{ "keys in any case", QUEUE SHARE(7),
	  "bursTBufferType=burst_buffer/quota_share\n"
	  "PREEMPTTYPE=preempt/quota_share\npreemptmode=REQUEUE,GANG\n"
	  "prioritytype=priority/multifactor\n"
	  "prioritysitefactorplugin=site_factor/quota_share\n"
	  "jobsubmitplugins=quota_share\ngrestypes=gpu\n"
	  "nodename=n[1-2] gres=gpu:h100:4\npartitionname=gpu nodes=ALL\n",
	  NULL, "" },
	{ "a default Gres, counts with sockets", QUEUE SHARE(7),
	  PLUGINS "NodeName=DEFAULT Gres=gpu:h100:4(S:0-1)\nNodeName=n1\n"
		  "NodeName=n2\nPartitionName=gpu Nodes=n1,n2\n",
	  NULL, "" },
	{ "types from gres.conf", QUEUE SHARE(7),
	  PLUGINS "NodeName=n[1-2] Gres=gpu:4\nPartitionName=gpu Nodes=ALL\n",
	  "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-3]\n", "" },
	{ "a set of nodes by feature", QUEUE SHARE(7),
	  PLUGINS "NodeName=n[1-2] Gres=gpu:h100:4 Features=big,new\n"
		  "NodeName=m Gres=gpu:v100:1\n"
		  "NodeSet=bigs Feature=big\nPartitionName=gpu Nodes=bigs\n",
	  NULL, "" },
	{ "a node on two lines counts once", QUEUE SHARE(7),
	  PLUGINS NODES "NodeName=n1 Gres=gpu:h100:4\n", NULL, "" },
	{ "more promised than there is", QUEUE SHARE(8), PLUGINS NODES, NULL,
	  "its shares own 9 h100, but its partitions have 8" },
	{ "less promised than there is", QUEUE SHARE(6), PLUGINS NODES, NULL,
	  "1 of the 8 h100 of its partitions belong to no share" },
	{ "unknown partition", "Queue=q Partitions=gpu,gpux\n" SHARE(7),
	  PLUGINS NODES, NULL, "has no partition gpux; did you mean gpu?" },
	{ "a type in other letters", QUEUE SHARE(7),
	  PLUGINS "NodeName=n[1-2] Gres=gpu:H100:4\n"
		  "PartitionName=gpu Nodes=ALL\n",
	  NULL,
	  "no node of its partitions has GPUs of type h100; did you mean "
	  "H100?" },
	{ "a type that nobody lists", QUEUE SHARE(7),
	  PLUGINS "NodeName=n[1-2] Gres=gpu:h100:4,gpu:t4:1\n"
		  "PartitionName=gpu Nodes=ALL\n",
	  NULL, "node n1 has GPUs of type t4 that no share lists" },
	{ "GPUs without a type", QUEUE SHARE(7),
	  PLUGINS "NodeName=n[1-2] Gres=gpu:h100:4\nNodeName=m Gres=gpu:2\n"
		  "PartitionName=gpu Nodes=ALL\n",
	  NULL, "node m has GPUs without a type that no share lists" },
	{ "a partition beside the queue", QUEUE SHARE(7),
	  PLUGINS NODES "PartitionName=debug Nodes=n2\n", NULL,
	  "partition debug is in no queue, but has GPU nodes of queue q" },
	{ "queues that overlap",
	  QUEUE "Share=A Queue=q Accounts=a Capacity=h100:8 Strategy=RESERVE "
		"InSharePreemption=NO\nQueue=r Partitions=infer\n"
		"Share=C Queue=r Accounts=c Capacity=h100:4 Strategy=RESERVE "
		"InSharePreemption=NO\n",
	  PLUGINS NODES "PartitionName=infer Nodes=n2\n", NULL,
	  "queues q and r both have node n2" },
	{ "a plugin is missing", QUEUE SHARE(7),
	  "PreemptType=preempt/qos\n" NODES, NULL,
	  "slurm.conf has PreemptType=preempt/qos, but "
	  "PreemptType=preempt/quota_share is needed" },
	{ "accounting without GPUs", QUEUE SHARE(7),
	  PLUGINS NODES "AccountingStorageType=accounting_storage/slurmdbd\n",
	  NULL, "AccountingStorageTRES does not list gres/gpu:" },
	{ "accounting without the type", QUEUE SHARE(7),
	  PLUGINS NODES "AccountingStorageType=accounting_storage/slurmdbd\n"
			"AccountingStorageTRES=gres/gpu,gres/gpu:a100\n",
	  NULL, "does not list gres/gpu:h100" },
	{ "jobs are not requeued", QUEUE SHARE(7),
	  PLUGINS "JobRequeue=0\n" NODES, NULL,
	  "JobRequeue=0: in queue q a batch job without --requeue" },
	{ "and such do not borrow",
	  "Queue=q Partitions=gpu NonRequeueBorrow=NO\n" SHARE(7),
	  PLUGINS "JobRequeue=0\n" NODES, NULL, "" },
	{ "no slurm.conf", QUEUE SHARE(7), NULL, NULL, "slurm.conf" },
};

static void check(const struct row *row, const char *option, struct run *run)
{
	write_file("quota_share.conf", row->policy);
	if (row->slurm)
		write_file("slurm.conf", row->slurm);
	if (row->gres)
		write_file("gres.conf", row->gres);
	run_qshare(run, NULL, "check", "-s", option,
		   path_of("quota_share.conf"), NULL);
}

START_TEST(findings)
{
	const struct row *row = &rows[_i];
	struct run run;

	check(row, "-P", &run);
	ck_assert_msg(run.code == (row->slurm ? 0 : 1), "%s: %d: %s", row->name,
		      run.code, run.err);
	if (*row->said)
		ck_assert_msg(strstr(run.err, row->said) != NULL, "%s: %s",
			      row->name, run.err);
	else
		ck_assert_msg(!*run.err, "%s: %s", row->name, run.err);
	run_clear(&run);
}
END_TEST

START_TEST(strict)
{
	struct run run;

	check(&rows[0], "--strict", &run);
	ck_assert_msg(run.code == 0, "%s", run.err);
	run_clear(&run);
	check(&rows[6], "--strict", &run);
	ck_assert_int_eq(run.code, 1);
	run_clear(&run);
}
END_TEST

START_TEST(json_has_the_warnings)
{
	struct run run;

	check(&rows[6], "--json", &run);
	ck_assert_int_eq(run.code, 0);
	ck_assert_ptr_nonnull(strstr(run.out, "its shares own 9 h100"));
	run_clear(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check against slurm.conf");
	TCase *core = tcase_create("core");

	tcase_add_checked_fixture(core, folder_make, folder_remove);
	tcase_add_loop_test(core, host_lists, 0, ARRAY_LEN(lists));
	tcase_add_loop_test(core, findings, 0, ARRAY_LEN(rows));
	tcase_add_test(core, strict);
	tcase_add_test(core, json_has_the_warnings);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
