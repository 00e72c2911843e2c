#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every waiting job has a reason with numbers (R21): in squeue, in scontrol, in
# qshare explain; it follows what happens, and survives hold, release,
# reconfigure and a restart.

. "${0%/*}/lib.sh"

cluster_init reason
cluster_need_plugins
cluster_nodes "m1" h100:8
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:3 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:5 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

explained()
{
	qshare explain "$1" --json |
		jq -r '"\(.job) \(.share) \(.verdict) \(.code)"'
}

reason_is_not()
{
	local now

	now=$(job_reason "$1")
	[[ $now == QuotaShare:* && $now != "$2" ]]
}

most=$(submit_sleep -A a --gres=gpu:h100:2)
rest=$(submit_sleep -A a --gres=gpu:h100:1)
job_wait "$most" RUNNING || bail "the first job does not run"
job_wait "$rest" RUNNING || bail "the second job does not run"
waits=$(submit_sleep -A a --gres=gpu:h100:2)
check_wait 10 "at the limit, squeue names the share" \
	prints_match '^QuotaShare:.*one' job_reason "$waits"
reason=$(job_reason "$waits")
say "$reason"
check_match "it has the limit of 3" "$reason" '[^0-9]3([^0-9]|$)'
check_match "it has the need of 2" "$reason" '[^0-9]2([^0-9]|$)'
check "it is not longer than two lines" test "${#reason}" -le 160
check_match "scontrol shows it" "$(scontrol show job "$waits")" \
	'Reason=QuotaShare:'
check_match "squeue --json too" "$(squeue --json |
	jq -r --argjson id "$waits" \
	'.jobs[] | select(.job_id == $id) | .state_description')" \
	'^QuotaShare:'
check_wait 5 "explain" prints "$waits one WAIT LIMIT" explained "$waits"
qshare explain "$waits" | sed 's/^/#   /'
check "explain of no job fails" not qshare explain 99999

say "a borrower, when nothing is lendable"
own=$(submit_sleep -A b --gres=gpu:h100:4)
job_wait "$own" RUNNING || bail "the borrower's job does not run"
borrows=$(submit_sleep -A b --gres=gpu:h100:2)
check_wait 10 "squeue names the share" prints_match '^QuotaShare:.*two' \
	job_reason "$borrows"
say "$(job_reason "$borrows")"
check_wait 5 "explain" prints "$borrows two WAIT NOTHING_LENDABLE" \
	explained "$borrows"
behind=$(submit_sleep -A b --gres=gpu:h100:1)
check_wait 10 "the one behind it waits for the order" \
	prints "$behind two WAIT ORDER" explained "$behind"
check_wait 10 "and squeue says so" prints_match '^QuotaShare:.*two' \
	job_reason "$behind"
say "$(job_reason "$behind")"

say "the numbers follow: one of the two running jobs ends"
scancel "$rest"
check_wait 10 "the reason is another" reason_is_not "$waits" "$reason"
say "$(job_reason "$waits")"
check_eq "the job still waits" "$(job_state "$waits")" PENDING
scancel "$most"
check_wait 10 "the other ends: the waiting job runs" \
	job_is "$waits" RUNNING

say "hold, release, reconfigure, restart"
third=$(submit_sleep -A a --gres=gpu:h100:3)
check_wait 10 "a third one waits" prints_match '^QuotaShare:.*one' \
	job_reason "$third"
check "hold" scontrol hold "$third"
check_wait 5 "held, Slurm's own reason is shown" \
	prints_match 'JobHeld' job_reason "$third"
check_wait 5 "explain says so" prints "$third one WAIT HELD" \
	explained "$third"
check "release" scontrol release "$third"
check_wait 10 "ours is back" prints_match '^QuotaShare:' \
	job_reason "$third"
check "reconfigure" cluster_reconfigure
check_wait 10 "ours after reconfigure" prints_match '^QuotaShare:' \
	job_reason "$third"
cluster_ctld_stop
cluster_ctld_start || bail "slurmctld did not start again"
check_wait 10 "ours after a restart" prints_match '^QuotaShare:' \
	job_reason "$third"
check_eq "nobody was stopped" "$(job_counts "$own" "$waits")" "0 0"
test_done
