#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An owner takes back exactly what it is owed, from jobs on several nodes:
# four nodes of four GPUs, all in use by the borrower.

. "${0%/*}/lib.sh"

cluster_init exact
cluster_need_plugins
cluster_nodes "n[1-4]" h100:4
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=owner Accounts=a Capacity=h100:8 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:8 Strategy=LEND_AND_BORROW \\
	BorrowLimit=100 InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# borrow PRIORITY SBATCH-ARGS...: sets ID to a running job of the borrower
borrow()
{
	ID=$(submit_sleep -A b --share-priority="$1" "${@:2}")
	job_wait "$ID" RUNNING || bail "the borrower's job did not run"
}

borrow 9 -N2 -w "n[1-2]" --gres=gpu:h100:4
own=$ID
borrow 5 -w n3 --gres=gpu:h100:2
n3_high=$ID
borrow 1 -w n3 --gres=gpu:h100:2
n3_low=$ID
borrow 5 -w n4 --gres=gpu:h100:2
n4_high=$ID
borrow 1 -w n4 --gres=gpu:h100:2
n4_low=$ID
check_wait 5 "the borrower uses 16: 8 own, 8 borrowed" \
	prints "16 8 8 0 0 0" share_row borrower h100

say "the owner asks for two GPUs on each of two nodes"
claim=$(submit_sleep -A a -N2 --gres=gpu:h100:2)
check_wait 15 "its job runs" job_is "$claim" RUNNING
check_eq "on" "$(job_field "$claim" NodeList)" "n[3-4]"
check_wait 5 "both low jobs wait again" \
	prints "PENDING PENDING" job_states "$n3_low" "$n4_low"
check_eq "stops: own, n3 high, n3 low, n4 high, n4 low" "$(job_counts "$own" \
	"$n3_high" "$n3_low" "$n4_high" "$n4_low")" "0 0 1 0 1"
check_wait 5 "owner uses 4 of its own, lends 4" prints "4 4 0 4 0 0" \
	share_row owner h100
check_wait 5 "the borrower uses 12, 4 borrowed, 4 are asked for" \
	prints "12 8 4 0 0 4" share_row borrower h100

say "the owner asks for two more on one node"
more=$(submit_sleep -A a -N1 --gres=gpu:h100:2)
check_wait 15 "its job runs" job_is "$more" RUNNING
check_eq "stopped is one of the two jobs of priority 5, the younger" \
	"$(job_counts "$own" "$n3_high" "$n3_low" "$n4_high" "$n4_low")" \
	"0 0 1 1 1"
check_eq "GPUs in use" "$(job_gpus)" 16
check_lasts 4 "and nothing else moves" \
	prints "0 0 1 1 1 0 0" job_counts "$own" "$n3_high" "$n3_low" \
	"$n4_high" "$n4_low" "$claim" "$more"

scancel "$claim" "$more"
check_wait 25 "when the owner has gone, all borrow again" \
	prints "16 8 8 0 0 0" share_row borrower h100
test_done
