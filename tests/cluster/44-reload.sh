#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare reload: a good file comes into force and is told so, a broken one does
# not get near slurmctld, and only root may; the audit log has what changed.

. "${0%/*}/lib.sh"

cluster_init reload
cluster_need_plugins
cluster_nodes "r1" h100:4
policy()
{
	cluster_policy <<EOF
Queue=train Partitions=gpu
Share=one Accounts=a Capacity=h100:$1 Strategy=LEND InSharePreemption=NO \\
	Note="$2"
EOF
}
policy 2 first
cluster_start || bail "no cluster"
user=$(cluster_user 1)

capacity()
{
	share_field one h100 capacity
}

check_wait 10 "the first policy" prints 2 capacity
policy 4 "second, agreed on Monday"
check_eq "a file alone changes nothing" "$(capacity)" 2
check "another user may not" not cluster_run_as "$user" qshare reload
check_match "and is told so" \
	"$(cluster_run_as "$user" qshare reload 2>&1)" 'only administrators'
check_eq "nothing changed" "$(capacity)" 2
check_match "root may" "$(qshare reload 2>&1)" \
	'is in force: 1 queue, 1 shares, enforced'
check_wait 5 "it is in force" prints 4 capacity
check_eq "once more is fine" "$(qshare reload >/dev/null 2>&1; echo $?)" 0

say "a broken file"
echo "Sharre=x" >>"$CL_DIR/etc/quota_share.conf"
out=$(qshare reload 2>&1)
check_eq "fails" "$?" 1
check_match "with file, line and key" "$out" \
	'nothing was changed: .*quota_share.conf:4: Sharre'
check_eq "slurmctld has not even seen it" "$(qshare health | head -n 1)" \
	"Queue train:  ENABLED  VALID  healthy"
check_eq "the policy is the same" "$(capacity)" 4

say "the audit log"
audit=$CL_DIR/state/quota_share.audit.jsonl
check_eq "every line is JSON" "$(jq -c .event "$audit" | xargs)" \
	"policy_loaded policy_changed"
check_match "with the new note" "$(jq -r 'select(.event ==
	"policy_changed") | .new' "$audit")" 'second, agreed on Monday'
check_match "and the old one" "$(jq -r 'select(.event ==
	"policy_changed") | .old' "$audit")" 'first'
test_done
