#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job with several QOS (--qos=a,b) may start by any of them. It was judged by the
# one that slurmctld had tried last: where that was full, an owner took nothing
# back, nor did it get idle GPUs.
#
# By hand: before 24.05 a job has one QOS. contrib/test runs it on Debian 13.

. "${0%/*}/lib.sh"

cluster_init severalqos
cluster_need_plugins
need_tools sacctmgr
slurm_at_least 24.05 || skip_all "this Slurm gives a job one QOS"
cluster_nodes "n1" h100:3
for account in a b; do
	cluster_account "$account"
	cluster_member root "$account"
done
cluster_conf <<CONF
AccountingStorageEnforce=associations,limits,qos
CONF
cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=1
Share=owner Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
POLICY
cluster_start --dbd || bail "no cluster"

sacctmgr()
{
	cluster_cmd sacctmgr -i "$@"
}

check "a QOS with room" sacctmgr add qos room set Priority=5
check "one that lets no job start, tried before it" \
	sacctmgr add qos before set Priority=9 GrpJobs=0
check "one that is tried after it" \
	sacctmgr add qos after set Priority=1 GrpJobs=0
check "one with no GPU" sacctmgr add qos none set Priority=1 GrpTRES=gres/gpu=0
check "for account a" sacctmgr modify account a set \
	qos+=room,before,after,none
probe=
may()
{
	probe=$(submit_sleep -A a -q none --gres=gpu:h100:1 2>/dev/null)
}
wait_for 10 "the QOS to be usable" may || bail "no QOS"
scancel "$probe"

# submit_held QOS,QOS: and let go, so that slurmctld tries each.
submit_held()
{
	local id

	id=$(submit_sleep -H -A a -q "$1" --gres=gpu:h100:1) &&
		scontrol release "$id" && echo "$id"
}

say "GPUs are idle"
for others in before after none; do
	own=$(submit_held "room,$others")
	check_wait 20 "room and $others: it runs" job_is "$own" RUNNING
	scancel "$own"
done

say "GPUs are lent"
for others in before after none; do
	cluster_empty || bail "jobs are left"
	borrow_each submit_sleep 9 5 1
	own=$(submit_held "room,$others")
	check_wait 40 "room and $others: it takes back" job_is "$own" RUNNING
	check_eq "room and $others: one is stopped" \
		"$(job_counts "${LENT[@]}")" "0 0 1"
done

say "all QOS are full"
cluster_empty || bail "jobs are left"
borrow_each submit_sleep 9 5 1
own=$(submit_held before,after)
two=$(submit_held after,none)
check_lasts 6 "nobody is stopped" prints "0 0 0" job_counts "${LENT[@]}"
check_match "the reason says why" "$(job_reason "$own")" QOS
check_match "of the second as well" "$(job_reason "$two")" QOS
check_ledger
test_done
