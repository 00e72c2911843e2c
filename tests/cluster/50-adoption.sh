#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# doc/adoption.md as it is written: observe beside the old preemption with two
# plugins only, enforce, change, and leave; running jobs are not touched by any
# step, and after leaving a job that waited for its share starts.

. "${0%/*}/lib.sh"

cluster_init adopt
cluster_need_plugins
cluster_nodes "a1" h100:4
policy()
{
	cluster_policy <<EOF
Mode=$1
Queue=train Partitions=gpu,scavenge DefaultShare=scavenge GraceTime=0
Share=release  Accounts=release  Capacity=h100:2 Strategy=LEND \\
	InSharePreemption=NO
Share=research Accounts=research Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	BorrowLimit=50 InSharePreemption=YES
Share=scavenge Capacity=h100:0 BorrowGpus=h100:2 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
}
cluster_partition gpu ALL Default=YES PriorityTier=2
cluster_partition scavenge ALL PriorityTier=1
cluster_conf <<EOF
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PriorityType=priority/basic
PrioritySiteFactorPlugin=site_factor/none
EOF
policy OBSERVE
conf=$CL_DIR/etc/slurm.conf
sed_conf()
{
	sed -i "$@" "$conf"
}

# What the project's own lines would say is for step 4.
cluster_start || bail "no cluster"

problems()
{
	local answer

	answer=$(qshare health --json)
	[ -n "$answer" ] || return 1
	jq -r '.[].code' <<<"$answer" | sort | uniq -c | xargs
}

restart()
{
	cluster_ctld_stop
	cluster_ctld_start || bail "slurmctld did not start again"
}

say "1. the agreement against slurm.conf"
check_match "check warns of what step 4 will bring" \
	"$(qshare check --slurm-conf "$CL_DIR/etc/quota_share.conf" 2>&1)" \
	'PreemptType=preempt/partition_prio, but'

say "2. watch: the old preemption goes on"
long=$(submit_sleep -A research --gres=gpu:h100:1)
job_wait "$long" RUNNING || bail "the first job does not run"
check_wait 10 "two plugins are missing on purpose" \
	prints "2 PLUGIN_MISSING" problems
scav=$(submit_sleep -p scavenge -A whoever --gres=gpu:h100:3)
check_wait 10 "a scavenger takes more than its share's two" \
	job_is "$scav" RUNNING
check_wait 10 "which would have been held" prints 1 eval \
	"qshare observe --json | jq '.shares[] | select(.share == \"scavenge\") |
	.would_be_held'"
old=$(submit_sleep -p gpu -A release --gres=gpu:h100:2)
check_wait 20 "partitions preempt as before" job_is "$old" RUNNING
check_eq "the first job was not touched" "$(job_restarts "$long")" 0
scancel "$scav" "$old"
# What a node tells while slurmctld restarts, Slurm 24.11 never hears.
wait_for 20 "only the first job to be left" prints "$long" \
	squeue -h -o %i || bail "the others do not end"

say "4. enforce"
sed_conf -e 's,^PreemptType=.*,PreemptType=preempt/quota_share,' \
	-e 's,^PriorityType=.*,PriorityType=priority/multifactor,' \
	-e 's,^PrioritySiteFactorPlugin=.*,PrioritySiteFactorPlugin=site_factor/quota_share,'
restart
check_wait 10 "healthy" prints 1 problems
above=$(submit_sleep -A research --gres=gpu:h100:3)
check_wait 10 "still only observed: above the limit of 3" \
	job_is "$above" RUNNING
sed 's/^Mode=OBSERVE/Mode=ENFORCE/' "$CL_DIR/etc/quota_share.conf" \
	>"$CL_DIR/jobs/new.conf"
check_match "diff tells" "$(qshare diff --live new.conf)" \
	'Mode OBSERVE -> ENFORCE'
cp "$CL_DIR/jobs/new.conf" "$CL_DIR/etc/quota_share.conf"
check "reload" qshare reload
check_lasts 2 "nothing is stopped merely because a number changed" \
	prints "RUNNING RUNNING" job_states "$long" "$above"
owner=$(submit_sleep -A release --gres=gpu:h100:2)
check_wait 10 "an owner gets its own" job_is "$owner" RUNNING
check_wait 10 "from what was above the limit" \
	prints_match '^[1-9]' job_restarts "$above"
check_eq "the first job was not touched" "$(job_restarts "$long")" 0

say "leaving"
check_wait 20 "one waits for its share" prints_match '^QuotaShare:' \
	job_reason "$above"
cp "$conf" "$CL_DIR/jobs/with.conf"
sed_conf -e 's,^PreemptType=.*,PreemptType=preempt/none,' \
	-e 's,^PreemptMode=.*,PreemptMode=OFF,' \
	-e '/^PrioritySiteFactorPlugin=/d' -e '/^BurstBufferType=/d' \
	-e '/^JobSubmitPlugins=/d'
restart
check_lasts 2 "without observing first it would go on waiting" \
	prints_match '^QuotaShare:' job_reason "$above"
release=$(sed -n 's/^ *\(squeue .* scontrol release\)$/\1/p' \
	"$CL_TOP/doc/adoption.md")
check "the page says what helps then" test -n "$release"
cluster_cmd bash -c "$release"
check_wait 10 "it waits for Slurm only" \
	prints_match '^(None|Priority|Resources|BeginTime)' \
	job_reason "$above"
cp "$CL_DIR/jobs/with.conf" "$conf"
restart
check_wait 20 "it waits for its share again" prints_match '^QuotaShare:' \
	job_reason "$above"
policy OBSERVE
check "back to observing, without a restart" qshare reload
check_wait 10 "it waits for Slurm only" \
	prints_match '^(None|Priority|Resources|BeginTime)' \
	job_reason "$above"
sed_conf -e 's,^PreemptType=.*,PreemptType=preempt/none,' \
	-e 's,^PreemptMode=.*,PreemptMode=OFF,' \
	-e '/^PrioritySiteFactorPlugin=/d' -e '/^BurstBufferType=/d' \
	-e '/^JobSubmitPlugins=/d'
restart
scancel "$owner"
check_wait 20 "it starts without shares" job_is "$above" RUNNING
check_eq "the first job ran through all of it" \
	"$(job_state "$long") $(job_restarts "$long")" "RUNNING 0"
test_done
