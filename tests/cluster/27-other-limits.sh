#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Slurm's own limits, of a QOS and of an association, hold an owner's job as
# well: it then takes nothing back, the reason names the limit (law 1), and it
# takes back what it needs as soon as the limit lets it go. A limit that the
# victims fill, and so make free, is none. A waiting job moves to another
# account, and with it to another share (R1).

. "${0%/*}/lib.sh"

cluster_init limits
cluster_need_plugins
need_tools sacctmgr
cluster_nodes "n1" h100:3
cluster_account a
cluster_member root a
cluster_account b
cluster_member root b
cluster_conf <<EOF
AccountingStorageEnforce=associations,limits,qos
EOF
lend_policy GraceTime=1 h100:2 h100:1
cluster_start --dbd || bail "no cluster"

sacctmgr()
{
	cluster_cmd sacctmgr -i "$@"
}

borrow_each submit_sleep 9 5 1

say "an association's limit"
check "no job of account a at a time" \
	sacctmgr modify account a set GrpJobs=0
wait_for 10 "slurmctld to know" prints_match 'GrpJobs=0' \
	scontrol show assoc_mgr accounts=a flags=assoc
held=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 15 "the reason names it" prints_match Assoc job_reason "$held"
check_lasts 4 "and nobody is stopped" prints "0 0 0" job_counts "${LENT[@]}"
qshare explain "$held" | sed 's/^/#   /'
check_match "explain names it" "$(qshare explain "$held")" 'Assoc'
check "the limit goes" sacctmgr modify account a set GrpJobs=-1
check_wait 30 "the job takes back its GPU" job_is "$held" RUNNING
check_eq "one loan" "$(job_counts "${LENT[@]}")" "0 0 1"
check_ledger "association"

say "a QOS's limit"
check "a QOS of one GPU" sacctmgr add qos small set GrpTRES=gres/gpu=1
check "for account a" sacctmgr modify account a set qos+=small
first=
# slurmctld's copy of the associations follows a moment later.
may()
{
	first=$(submit_sleep -A a -q small --gres=gpu:h100:1 2>/dev/null)
}
if wait_for 10 "the QOS to be usable" may; then
	check_wait 20 "the first job of it takes back the second GPU" \
		job_is "$first" RUNNING
else
	not_ok "the QOS is usable"
fi
check_eq "two loans" "$(job_counts "${LENT[@]}")" "0 1 1"
scancel "$held"
wait_for 20 "room for own work" prints 1 share_field owner h100 used ||
	not_ok "the first owner's job has gone"
second=$(submit_sleep -A a -q small --gres=gpu:h100:1)
check_wait 15 "the QOS holds a second" prints_match QOS job_reason "$second"
check_lasts 4 "which stops nobody" prints "0 1" \
	job_counts "${LENT[0]}" "${LENT[1]}"
check_match "explain names the QOS's limit" \
	"$(qshare explain "$second")" 'QOS'
scancel "$first"
check_wait 30 "when the first has ended, it runs" job_is "$second" RUNNING
check_ledger "QOS"

say "a limit that the loans fill themselves"
cluster_empty
check "all of both accounts" \
	sacctmgr add account above parent=root
check "are below one account" \
	sacctmgr modify account a b set parent=above
check "that may use three GPUs" \
	sacctmgr modify account above set GrpTRES=gres/gpu=3
wait_for 10 "slurmctld to know" prints_match 'GrpTRES=.*gres/gpu=3\(0\)' \
	scontrol show assoc_mgr accounts=above flags=assoc
borrow_each submit_sleep 9 5 1
own=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 20 "the owner takes back its GPU" job_is "$own" RUNNING
check_eq "one loan" "$(job_counts "${LENT[@]}")" "0 0 1"

say "a waiting job moves to another account"
full=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 20 "the owner's share is full" job_is "$full" RUNNING
moved=$(submit_sleep -A a --gres=gpu:h100:1 --share-priority=3)
check_wait 10 "one more waits for the share's own room" \
	prints_match 'owner uses 2' job_reason "$moved"
scancel "${LENT[@]}"
check_lasts 3 "though others have some" job_is "$moved" PENDING
check "it moves" scontrol update "jobid=$moved" Account=b
check_wait 15 "and runs in that account's share" job_is "$moved" RUNNING
check_wait 5 "which is charged" prints "1 1 0" share_use borrower h100
check_eq "and the first one is not" "$(share_use owner h100)" "2 2 0"
check_ledger
test_done
