#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare metrics on a real slurmctld: the numbers are those of the table, a
# reclaim is counted and timed, and promtool (where there is one) finds nothing.

. "${0%/*}/lib.sh"

cluster_init metrics
cluster_need_plugins
cluster_nodes "m1" h100:4
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=0
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# value NAME[{LABELS}]
value()
{
	qshare metrics | awk -v name="$1" '$1 == name { print $2 }'
}

# of NAME SHARE: a share's GPUs
of()
{
	value "quota_share_$1_gpus{queue=\"train\",share=\"$2\",type=\"h100\"}"
}

check_wait 10 "it is up" prints 1 value quota_share_up
own=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$own" RUNNING || bail "the first job does not run"
loan=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$loan" RUNNING || bail "the loan does not run"
# Both jobs are in the table as soon as the loan is.
check_wait 10 "borrowed" prints 2 of borrowed two
check_eq "own" "$(of own two)" 2
check_eq "lent" "$(of lent one)" 2
check_eq "no limit" "$(of limit two)" +Inf
check_eq "a limit" "$(of limit one)" 2
check_eq "running jobs" \
	"$(value 'quota_share_running_jobs{queue="train",share="two"}')" 2
check_eq "nobody was preempted" \
	"$(value 'quota_share_preemptions_total{reason="QUOTA"}')" 0
owner=$(submit_sleep -A a --gres=gpu:h100:2)
job_wait "$owner" RUNNING || bail "the owner does not run"
check_wait 10 "one was" prints 1 \
	value 'quota_share_preemptions_total{reason="QUOTA"}'
check_eq "one reclaim was timed" \
	"$(value quota_share_reclaim_seconds_count)" 1
check_eq "in less than ten seconds" \
	"$(value 'quota_share_reclaim_seconds_bucket{le="10"}')" 1
check_eq "the queue is healthy" \
	"$(value 'quota_share_queue_healthy{queue="train"}')" 1

file=$CL_DIR/jobs/quota_share.prom
check "into a file for the textfile collector" qshare metrics -o "$file"
check_eq "which all may read" "$(stat -c %a "$file")" 644
check_eq "and nothing else is left there" \
	"$(find "$CL_DIR/jobs" -name 'quota_share.prom*' | wc -l)" 1
if command -v promtool >/dev/null; then
	check "promtool finds nothing" eval "promtool check metrics <'$file'"
else
	say "promtool is not installed"
fi
cluster_ctld_stop
check_eq "without slurmctld it is down" \
	"$(qshare metrics 2>/dev/null | tail -n 1)" "quota_share_up 0"
check "and the exit status says so" not qshare metrics
test_done
