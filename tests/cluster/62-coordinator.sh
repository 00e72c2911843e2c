#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who may set a job's priority in its share, where accounting knows more than
# owners and root (R6a): a coordinator of the job's account up to the share's
# MaxUserPriority, of no other account; an operator without that limit. And
# who may replace the policy: an operator, not a coordinator.

. "${0%/*}/lib.sh"

cluster_init coord
cluster_need_plugins
need_tools sacctmgr
user=$(cluster_user 1)
chief=$(cluster_user 2)
operator=$(cluster_user 3)
cluster_nodes "n1" h100:2
for account in a b; do
	cluster_account "$account"
	cluster_member "$user" "$account"
done
cluster_account c
cluster_member "$chief" c
cluster_member "$operator" c
cluster_conf <<CONF
AccountingStorageEnforce=associations
CONF
cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:1 Strategy=LEND InSharePreemption=NO \\
	MaxUserPriority=100
Share=two Accounts=b Capacity=h100:1 Strategy=LEND InSharePreemption=NO \\
	MaxUserPriority=100
POLICY
cluster_start --dbd || bail "no cluster"

sacctmgr() { cluster_cmd sacctmgr -i "$@"; }
check "user 2 coordinates account a" \
	sacctmgr add coordinator names="$chief" accounts=a
check "user 3 is an operator" \
	sacctmgr modify user "$operator" set adminlevel=Operator
job()
{
	cluster_run_as "$user" sbatch --parsable --gres=gpu:h100:1 "$@" \
		--wrap 'exec sleep 600'
}
priority() { qshare jobs --json | jq ".[] | select(.job == $1) | .priority"; }
both() { echo "$(priority "$ours") $(priority "$theirs")"; }
sets() { cluster_run_as "$1" qshare priority "$2" "$3"; }

for account in a b; do
	job_wait "$(job -A "$account")" RUNNING || bail "no job of $account runs"
done
ours=$(job -A a)
theirs=$(job -A b)
check_wait 10 "both wait" prints "0 0" both

check_wait 10 "the coordinator of its account raises a job" \
	sets "$chief" "$ours" 7
check_wait 5 "to 7" prints 7 priority "$ours"
check "not above MaxUserPriority" not sets "$chief" "$ours" 101
check_match "and is told so" "$(sets "$chief" "$ours" 101 2>&1)" \
	'MaxUserPriority'
check "nor a job of another account" not sets "$chief" "$theirs" 7
check_match "and is told so" "$(sets "$chief" "$theirs" 7 2>&1)" \
	'coordinator of its account'
check_lasts 2 "those changed nothing" prints "7 0" both
check_wait 10 "an operator raises it above that" sets "$operator" "$theirs" 101
check_wait 5 "to 101" prints 101 priority "$theirs"
check "no longer a coordinator" \
	sacctmgr delete coordinator names="$chief" accounts=a
# Until slurmctld knows, the old word is set once more.
check_wait 10 "nor may it any more" not sets "$chief" "$ours" 7
check_match "and is told so" "$(sets "$chief" "$ours" 9 2>&1)" \
	'coordinator of its account'
check_lasts 1 "that changed nothing" prints 7 priority "$ours"

say "the policy"
cp "$CL_DIR/state/quota_share.audit.jsonl" "$CL_DIR/audit"
check "a coordinator may not have it read anew" \
	not cluster_run_as "$chief" qshare reload
check "the audit log is as it was" \
	cmp "$CL_DIR/state/quota_share.audit.jsonl" "$CL_DIR/audit"
check_ledger
test_done
