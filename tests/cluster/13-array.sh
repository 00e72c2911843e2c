#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job array of 20 tasks in a share with the limit 4, two of them borrowed:
# four run at a time, the two borrowed are taken back and come again, and in
# the end every task has ended once.

. "${0%/*}/lib.sh"

cluster_init array
cluster_need_plugins
cluster_nodes "n[1-6]" a10g:1
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=tasks Accounts=b Capacity=a10g:2 Strategy=LEND_AND_BORROW \\
	BorrowLimit=100 InSharePreemption=NO
Share=owner Accounts=a Capacity=a10g:2 Strategy=LEND InSharePreemption=NO
Share=other Accounts=c Capacity=a10g:2 Strategy=LEND InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# A line "TASK STATE RESTARTS" a task; those that wait together are one line.
tasks()
{
	scontrol -o show job "$array" | awk '{
		for (i = 1; i <= NF; i++) {
			split($i, f, "=")
			v[f[1]] = f[2]
		}
		print v["ArrayTaskId"], v["JobState"], v["Restarts"]
	}'
}

running()
{
	tasks | grep -c RUNNING
}

stopped()
{
	tasks | awk '{ n += $3 } END { print n + 0 }'
}

completed()
{
	tasks | grep -c COMPLETED
}

array=$(submit -A b --gres=gpu:a10g:1 --array=1-20 --open-mode=append \
	-o "task-%a.out" --wrap \
	'echo begun; until [ -e go ]; do sleep 0.1; done; echo ended')
sample_start alloc alloc_list
check_wait 10 "four tasks run" prints 4 running
check_wait 5 "two of them borrow" \
	prints "4 2 2" share_use tasks a10g
check_lasts 3 "and no more: two GPUs of the cluster are idle" \
	prints 4 running
check_wait 5 "squeue tells why the rest waits" \
	prints_match 'QuotaShare:.*[0-9]' squeue -h -j "$array" -t PD -o %r

say "both owners of shares that lend want their GPUs"
claim=$(submit_sleep -A a --gres=gpu:a10g:1)
more=$(submit_sleep -A a --gres=gpu:a10g:1)
third=$(submit_sleep -A c --gres=gpu:a10g:1)
fourth=$(submit_sleep -A c --gres=gpu:a10g:1)
for id in "$claim" "$more" "$third" "$fourth"; do
	check_wait 20 "the owners' job $id runs" job_is "$id" RUNNING
done
check_wait 5 "two tasks are left" prints 2 running
check_eq "and two were stopped" "$(stopped)" 2
tasks | awk '$3 > 0' | sed 's/^/# stopped: task /'

scancel "$claim" "$more" "$third" "$fourth"
check_wait 20 "when the owners have gone, four run again" prints 4 running
: >"$CL_DIR/jobs/go"
check_wait 60 "all 20 tasks end" prints 20 completed
sample_stop alloc
check_eq "most of the array's tasks at any look" \
	"$(awk '/^@/ { n = 0; next } $2 == "b" { n += $6 }
		n > max { max = n } END { print max + 0 }' \
		"$(sample_file alloc)")" 4
check_eq "every task ended once" \
	"$(cd "$CL_DIR/jobs" && grep -c '^ended' task-*.out |
		grep -c ':1$')" 20
check_eq "runs begun, all tasks together" \
	"$(cd "$CL_DIR/jobs" && cat task-*.out | grep -c begun)" 22
check_eq "stopped, all tasks together" "$(stopped)" 2
check_eq "differences between the ledger and a recount" \
	"$(status_field .counters.ledger_drift)" 0
test_done
