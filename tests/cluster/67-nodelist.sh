#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job that names more nodes than it needs (-w n[1-2] -N 1). From 23.02 on that is
# a choice, which slurmctld keeps as an exclusion of all other nodes. Such a job
# was judged as if it wanted all of them; the planner did not see the list, and
# wanted somebody gone whose node was no use; and the list was lost when it had been
# kept off claimed nodes and was let back to them. With 22.05 the same by -x, which
# there says it.

. "${0%/*}/lib.sh"

cluster_init nodelist
cluster_need_plugins
cluster_nodes "n[1-3]" h100:2
cluster_nodes "n4" h100:1
cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=5
Share=owner Accounts=a Capacity=h100:4 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
Share=other Accounts=c Capacity=h100:2 Strategy=RESERVE InSharePreemption=NO
POLICY
cluster_start || bail "no cluster"
here=(-x "n[3-4]")
slurm_at_least 23.02 && here=(-N 1 -w "n[1-2]")

own_runs -w n4 --gres=gpu:h100:1
lend()
{
	lent=$(submit_stubborn -A b -w "$1" --gres=gpu:h100:2)
	job_wait "$lent" RUNNING || bail "nothing is lent on $1"
}

say "whom it stops"
lend n1
there=$lent
lend n3
full=$(submit_sleep -A c -w n2 --gres=gpu:h100:2)
job_wait "$full" RUNNING || bail "n2 is not full"
sleep 2
claim=$(submit_sleep -A a "${here[@]}" --gres=gpu:h100:2)
check_wait 30 "an owner's job runs on the nodes that it names" \
	job_is "$claim" RUNNING
check_eq "on n1" "$(job_field "$claim" NodeList)" n1
check_eq "for which that node's loan went" \
	"$(job_counts "$OWN" "$there" "$lent")" "0 1 0"
scancel "$claim" "$there" "$lent" "$full"
wait_for 20 "all to be idle" prints 1 share_field borrower h100 used

say "a job that was kept off claimed nodes"
lend n1
claim=$(submit_sleep -A a -w n1 --gres=gpu:h100:2)
check_wait 10 "it is told to go for an owner" was_told "$lent"
beside=$(submit_sleep -A c "${here[@]}" --gres=gpu:h100:2)
check_wait 4 "another owner's job starts beside the claim" \
	job_is "$beside" RUNNING
check_eq "on n2" "$(job_field "$beside" NodeList)" n2
check_wait 20 "the owner's job runs" job_is "$claim" RUNNING
scancel "$lent"
check "n2 is drained" scontrol update nodename=n2 state=drain reason=test
check "the other owner's job is requeued" scontrol requeue "$beside"
check_wait 20 "it waits" job_is "$beside" PENDING
check_lasts 12 "and does not start on n3" job_is "$beside" PENDING
scancel "$claim"
check_wait 30 "it runs on n1 when that is free" job_is "$beside" RUNNING
check_eq "there" "$(job_field "$beside" NodeList)" n1
check_ledger
test_done
