#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job that would only wait again takes nothing back (R7): held, with a begin
# time or a dependency, without a licence, beyond its partition's limits. And
# what depends on a victim still waits when the victim is requeued.

. "${0%/*}/lib.sh"

cluster_init holds
cluster_need_plugins
cluster_nodes "n1" h100:3
cluster_partition gpu n1 Default=YES MaxTime=60 DefaultTime=30
cluster_partition shut n1 MaxTime=60 DefaultTime=30
cluster_conf <<EOF
Licenses=tool:1
Epilog=$CL_DIR/epilog
EOF
# Slurm takes a licence back when the epilog has ended.
cat >"$CL_DIR/epilog" <<EOF
#!/bin/sh
[ "\$SLURM_JOB_ID" != "\$(cat "$CL_DIR/slow" 2>/dev/null)" ] || sleep 8
EOF
chmod 755 "$CL_DIR/epilog"
cluster_policy <<EOF
Queue=train Partitions=gpu,shut GraceTime=1
Share=owner Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

borrow_each submit_sleep 9 5 1
low=${LENT[2]}
none_stopped()
{
	[ "$(job_counts "${LENT[@]}")" = "0 0 0" ]
}

tool=$(submit_sleep -L tool:1)
job_wait "$tool" RUNNING || bail "the job with the licence does not run"
check "one partition is shut" scontrol update partitionname=shut state=down

held=$(submit_sleep -H -A a --gres=gpu:h100:1)
later=$(submit_sleep --begin=now+1hour -A a --gres=gpu:h100:1)
after=$(submit_sleep -d "afterany:$tool" -A a --gres=gpu:h100:1)
licence=$(submit_sleep -L tool:1 -A a --gres=gpu:h100:1)
long=$(submit_sleep -t 90 -A a --gres=gpu:h100:1)
shut=$(submit_sleep -p shut -A a --gres=gpu:h100:1)
follow=$(submit_sleep -d "afterany:$low" -A b --gres=gpu:h100:1)

check_lasts 5 "none of them stops anybody" none_stopped
squeue -h -t PENDING -o '#   %i %r'
for id in "$held" "$later" "$after" "$licence" "$long" "$shut"; do
	qshare explain "$id" | sed 's/^/#   /'
done
check_match "held says so" "$(job_reason "$held")" 'JobHeldUser'
check_match "so does the begin time" "$(job_reason "$later")" 'BeginTime'
check_match "the dependency" "$(job_reason "$after")" 'Dependency'
check_eq "qshare jobs has Slurm's word for it" "$(qshare jobs --json |
	jq -r --argjson id "$later" '.[] | select(.job == $id) | .reason')" \
	"held (BeginTime)"
check_eq "and explain" "$(qshare explain "$after" --json | jq -r .reason)" \
	"held (Dependency)"
check_match "the licence" "$(job_reason "$licence")" \
	'another limit holds it: Licenses|^Licenses$'
check_match "the partition's limit" "$(job_reason "$long")" \
	'PartitionTimeLimit'
check_match "the partition" "$(job_reason "$shut")" 'PartitionDown'
check_match "explain names the licence" "$(qshare explain "$licence")" \
	'[Ll]icens'
check "and does not blame the nodes" \
	not prints_match 'no node' qshare explain "$licence"
check_match "explain names the hold" "$(qshare explain "$held")" 'JobHeld'
check_ledger "with all that waits"
scancel "$after" "$long" "$shut" "$later"

say "the licence comes free, not at once: now it takes back one"
echo "$tool" >"$CL_DIR/slow"
scancel "$tool"
check_lasts 6 "nobody is stopped before" none_stopped
check_wait 25 "its job runs" job_is "$licence" RUNNING
check_wait 10 "the victim is the lowest" job_is "$low" PENDING
check_eq "and only that" "$(job_counts "${LENT[@]}")" "0 0 1"
check_lasts 3 "what depends on the victim still waits" \
	prints Dependency job_reason "$follow"

say "the held one is released"
check "release" scontrol release "$held"
check_wait 20 "it runs" job_is "$held" RUNNING
check_eq "stopped is the next one" "$(job_counts "${LENT[@]}")" "0 1 1"
check_lasts 2 "the dependent still waits" prints Dependency \
	job_reason "$follow"
scancel "$held" "$licence"
check_wait 25 "the victims run again" prints "RUNNING RUNNING RUNNING" \
	job_states "${LENT[@]}"
check_eq "the dependent waits on" "$(job_reason "$follow")" Dependency
scancel "$low"
check_wait 20 "and runs when the victim has ended" job_is "$follow" RUNNING
check_ledger
test_done
