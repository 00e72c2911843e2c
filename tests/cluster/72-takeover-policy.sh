#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A backup controller that takes over has the policy that its file has then (R18),
# and not the one that it had when the backup itself was started, maybe weeks
# ago: it reads nothing while it stands by, and a reconfigure goes to the primary
# only.

. "${0%/*}/lib.sh"

cluster_init takeoverpolicy
cluster_need_plugins
cluster_nodes "n1" h100:4
cluster_backup_conf
policy()
{
	cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:$1 Strategy=LEND InSharePreemption=NO
POLICY
}
capacity() { share_field one h100 capacity; }

policy 1
cluster_start || bail "no cluster"
policy 2
cluster_backup_start || bail "no backup"
kept=$CL_DIR/state/quota_share.policy
# From 23.11 on it is handed on by a reconfigure, if the file has an error then.
! slurm_at_least 23.11 || check "the policy in force is still the primary's" \
	grep -q 'Capacity=h100:1' "$kept"
audit=$CL_DIR/state/quota_share.audit.jsonl
check "the audit log has the primary's" grep -q 'h100:1' "$audit"
check "and not the backup's, which is not in force" not grep -q 'h100:2' "$audit"
policy 3
cp "$CL_DIR/etc/quota_share.conf" "$CL_DIR/etc-backup/"
check "reconfigure" cluster_reconfigure
check_wait 20 "the primary has the new policy" prints 3 capacity
job=$(submit_sleep -A a --gres=gpu:h100:1)
job_wait "$job" RUNNING || bail "no job runs"
ctld_saved "$job"
cluster_ctld_kill9
check_wait 60 "the backup has taken over, with the new policy" \
	prints 3 capacity
check_wait 10 "it has looked" prints_match '^[1-9]' status_field .counters.rounds
check_eq "the audit log says what the backup has" "$(tail -n 1 "$audit" |
	jq -r '.event + " " + (.new | contains("h100:3") | tostring)')" \
	"policy_loaded true"
check_eq "the job still runs" "$(job_state "$job")" RUNNING
check_ledger
daemon_stop backup
test_done
