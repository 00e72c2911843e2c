#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# When an account is removed from accounting, slurmctld calls a burst_buffer
# plugin's reconfigure too (_remove_assoc() in its controller.c), without having
# read slurm.conf. A policy file that somebody is editing must not come into
# force by that (R18), and a job that was kept off claimed nodes must get them
# back afterwards.

. "${0%/*}/lib.sh"

cluster_init removed
cluster_need_plugins
need_tools sacctmgr
cluster_nodes "n[1-2]" h100:2
cluster_nodes "n3" h100:1
for account in a b c gone1 gone2; do
	cluster_account "$account"
done
for account in a b c; do
	cluster_member root "$account"
done
policy()
{
	cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=6
Share=owner Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
Share=own Accounts=c Capacity=h100:$1 Strategy=RESERVE InSharePreemption=NO
POLICY
}
policy 2
cluster_start --dbd || bail "no cluster"

knows() { cluster_cmd scontrol show assoc_mgr flags=assoc | grep -q "$1"; }
tries() { cluster_cmd scontrol show bbstat policy | jq .attempts; }

say "a policy that is being edited"
before=$(tries)
policy 1
check "an account is removed" \
	cluster_cmd sacctmgr -i delete account gone1
check_wait 10 "slurmctld hears of it" not knows gone1
check_lasts 3 "the policy file was not read" prints "$before" tries
check_eq "the capacity in force" "$(share_field own h100 capacity)" 2
policy 2

say "a job that was kept off claimed nodes"
own_runs -w n3 --gres=gpu:h100:1
lent=$(submit_stubborn -A b -w n1 --gres=gpu:h100:2)
job_wait "$lent" RUNNING || bail "nothing is lent"
claim=$(submit_sleep -A a -w n1 --gres=gpu:h100:2)
check_wait 10 "it is told to go for an owner" was_told "$lent"
beside=$(submit_sleep -A c --gres=gpu:h100:2)
check_wait 5 "another owner's job starts beside the claim" \
	job_is "$beside" RUNNING
check_eq "on the other node" "$(job_field "$beside" NodeList)" n2
check "an account is removed" \
	cluster_cmd sacctmgr -i delete account gone2
check_wait 5 "slurmctld hears of it" not knows gone2
check_wait 20 "the owner's job runs" job_is "$claim" RUNNING
scancel "$claim" "$lent"
check_wait 20 "its node is free" prints "0 0 0" share_use owner h100
check "the other node is drained" \
	scontrol update nodename=n2 state=drain reason=test
check "the other owner's job is requeued" scontrol requeue "$beside"
check_wait 30 "it runs on the node that was claimed" \
	job_is "$beside" RUNNING
check_eq "there" "$(job_field "$beside" NodeList)" n1
check_ledger
test_done
