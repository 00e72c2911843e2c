#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare jobs on a real slurmctld: what each job holds, whose turn it would be,
# and that the planner then takes just that one; explain for a running, a
# waiting, a stopping and a preempted job.

. "${0%/*}/lib.sh"

cluster_init jobs
cluster_need_plugins
cluster_nodes "j1" h100:6
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=5
Share=one Accounts=a Capacity=h100:3 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:3 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"
user=$(cluster_user 1)

# row ID: "share state own borrowed safety" of a job
row()
{
	qshare jobs -P -n | awk -F'|' -v id="$1" '
		$1 == id { print $4, $5, $8, $9, $11 }'
}

own=$(cluster_run_as "$user" sbatch --parsable -A b --gres=gpu:h100:2 \
	--share-priority=9 --wrap 'exec sleep 600')
job_wait "$own" RUNNING || bail "the first job does not run"
part=$(submit_sleep -A b --gres=gpu:h100:2 --share-priority=5)
job_wait "$part" RUNNING || bail "the second job does not run"
loan=$(submit_stubborn -A b --gres=gpu:h100:2)
job_wait "$loan" RUNNING || bail "the third job does not run"
waits=$(submit_sleep -A b --gres=gpu:h100:1)

check_wait 10 "own jobs are safe" prints "two RUNNING 2 0 safe" row "$own"
check_wait 10 "one is partly own, and second in turn" \
	prints "two RUNNING 1 1 victim 2 of 2" row "$part"
check_wait 10 "the last one goes first" \
	prints "two RUNNING 0 2 victim 1 of 2" row "$loan"
check_wait 10 "one waits" prints "two PENDING 0 0 -" row "$waits"
reasons()
{
	qshare jobs -w -P -n | cut -d '|' -f 13
}
check_wait 10 "with its reason" prints_match 'needs 1 h100' reasons
check_eq "by user" "$(qshare jobs -u "$user" --json | jq -r '.[].id')" "$own"
check_eq "by share" "$(qshare jobs one --json | jq length)" 0
check_match "no such share" "$(qshare jobs non 2>&1)" \
	"^qshare jobs: there is no quota share 'non'"
check "which is an error" not qshare jobs non
check "as is no such queue" not qshare jobs -q trains
check "no such user" not qshare jobs -u no-such-user
qshare jobs | sed 's/^/#   /'

check_match "explain: the safe one" "$(qshare explain "$own")" \
	"All of it is its share's own"
check_match "explain: the one to go" "$(qshare explain "$loan")" \
	"it would be victim 1 of 2"
check_match "explain: the waiting one" "$(qshare explain "$waits")" \
	"needs 1 h100"

say "the owner asks for one"
owner=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "the first in turn is told to go" \
	prints_match "^two RUNNING 0 2 stops for $owner in" row "$loan"
check_match "explain says for whom" "$(qshare explain "$loan")" \
	"JobId=$owner"
job_wait "$owner" RUNNING || bail "the owner does not run"
check_eq "the other stayed" "$(job_state "$part")" RUNNING
check_wait 10 "explain: the preempted one" \
	prints_match "was preempted 1 time" qshare explain "$loan"
check_match "and for whom" "$(qshare explain "$loan")" "JobId=$owner"
qshare explain "$loan" | sed 's/^/#   /'
scancel "$loan"
check_wait 10 "also when it is gone" \
	prints_match "preemptions, newest first" qshare explain "$loan"
say "tasks of an array"
scancel -u root
scancel -u "$user"
check_wait 30 "all are gone" prints "" squeue -h
tasks=$(submit_sleep -A b --gres=gpu:h100:1 --array=1-2)
check_wait 20 "both run" prints "RUNNING RUNNING" eval \
	'squeue -h -j "$tasks" -o %T | xargs'
check_match "explain one" "$(qshare explain "${tasks}_1")" \
	"^JobId=${tasks}_1 RUNNING"
check_match "one that the array does not have" \
	"$(qshare explain "${tasks}_9" 2>&1)" "no such job"
check "is an error" not qshare explain "${tasks}_9"
scancel "${tasks}_1"
check_wait 20 "one that has ended is not told by another's numbers" \
	prints_match "no such job" eval \
	'qshare explain "${tasks}_1" 2>&1'
check_match "the other is there" "$(qshare explain "${tasks}_2")" \
	"^JobId=${tasks}_2 RUNNING"
test_done
