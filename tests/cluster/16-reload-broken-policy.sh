#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A policy is replaced as a whole or not at all (R18): a broken file changes
# nothing while slurmctld runs, and stops it at its start, both with the
# message of "qshare check".

. "${0%/*}/lib.sh"

cluster_init reload
cluster_need_plugins
cluster_nodes "n1" h100:4
policy()
{
	cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:$1 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:1 Strategy=$2 InSharePreemption=NO
EOF
}
policy 1 LEND
cluster_start || bail "no cluster"

first=$(submit_sleep -A a --gres=gpu:h100:1)
job_wait "$first" RUNNING || bail "the first job does not run"
second=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "the second waits, at the limit of 1" \
	prints_match '^QuotaShare:' job_reason "$second"
before=$(status_field .policy.loaded)

say "a file with more capacity and an error in another line"
policy 3 SOMETIMES
file=$CL_DIR/etc/quota_share.conf
message=$(qshare check "$file" 2>&1)
check "qshare check refuses it" not qshare check "$file"
say "$message"
for word in "$file" ":3[^0-9]" Strategy SOMETIMES LEND_AND_BORROW; do
	check_match "its message has ${word##*/}" "$message" "$word"
done
# The message itself, without the name of the program before it.
sentence=$(grep -m 1 -o "$file.*" <<<"$message")
cluster_reconfigure || say "scontrol reconfigure ended with $?"
check_wait 10 "slurmctld logs the same message" \
	grep -qF -- "${sentence:-no sentence}" "$CL_DIR/log/slurmctld.log"
check_eq "the policy in force is of the same moment" \
	"$(status_field .policy.loaded)" "$before"
check_eq "qshare tells of the broken file" \
	"$(status_field .policy.valid)" false
check_match "with the message" "$(status_field .policy.error)" \
	"Strategy=SOMETIMES"
check_eq "the capacity in force" "$(share_field one h100 capacity)" 1
check_lasts 3 "the second job still waits" job_is "$second" PENDING
check_eq "the first still runs" "$(job_state "$first")" RUNNING
if refused=$(submit_sleep -A nobody --gres=gpu:h100:1 2>&1); then
	not_ok "the gate is still shut to others" "accepted: $refused"
else
	ok "the gate is still shut to others"
fi

say "the same without the error"
policy 3 LEND
check "qshare check takes it" qshare check "$file"
check "scontrol reconfigure" cluster_reconfigure
check_wait 10 "the capacity in force is 3" \
	prints 3 share_field one h100 capacity
check "and of a new moment" test "$(status_field .policy.loaded)" -gt "$before"
check_eq "and qshare tells of no error" \
	"$(status_field .policy.valid) $(status_field .policy.error)" \
	"true null"
check_wait 15 "the second job runs" job_is "$second" RUNNING

say "the broken file at the start"
policy 2 SOMETIMES
cluster_ctld_stop
: >"$CL_DIR/log/slurmctld.out"
check "slurmctld does not start" not cluster_ctld_start
check "slurmctld has ended" daemon_gone slurmctld
check "with the message of qshare check" \
	grep -F -- "${sentence:-no sentence}" "$CL_DIR/log/slurmctld.out"
policy 3 LEND
check "with the file mended it starts" cluster_ctld_start
check_wait 15 "both jobs run on" \
	prints "RUNNING RUNNING" job_states "$first" "$second"
check_eq "and were not stopped" "$(job_counts "$first" "$second")" "0 0"
test_done
