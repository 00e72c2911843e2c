#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Owed jobs that arrive together cost one grace time, not one each (law 15):
# three of one share and one of another, a moment apart, while every victim
# uses its grace time to the end.

. "${0%/*}/lib.sh"

GRACE=10

cluster_init onegrace
cluster_need_plugins
cluster_nodes "n1" h100:5
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=$GRACE
Share=owner Accounts=a Capacity=h100:3 Strategy=LEND InSharePreemption=NO
Share=other Accounts=c Capacity=h100:1 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# stamps WORD ID...: the times behind that word in their output, in order
stamps()
{
	local id

	for id in "${@:2}"; do
		job_out "$id" | sed -n "s/^$1 //p"
	done | sort -n
}
all_began() { stamps began "${claims[@]}" | wc -l; }

own_runs
lent=()
while [ ${#lent[@]} -lt 4 ]; do
	id=$(submit_stubborn -A b --gres=gpu:h100:1)
	wait_for 15 "job $id" prints_match begun job_out "$id" ||
		bail "job $id did not borrow"
	lent+=("$id")
done

claims=()
for account in a a c a; do
	claims+=("$(submit_stamped -A "$account" --gres=gpu:h100:1)")
done
for id in "${lent[@]}"; do
	check_wait $((GRACE / 2)) "victim $id is told" was_told "$id"
done
check_wait $((GRACE + 15)) "all four claimants run" \
	prints "RUNNING RUNNING RUNNING RUNNING" job_states "${claims[@]}"
# By what they wrote, not by when that is seen: from the first that was told to
# the last that began.
check_wait 10 "all have begun" prints 4 all_began
first=$(stamps TERM "${lent[@]}" | head -n 1)
last=$(stamps began "${claims[@]}" | tail -n 1)
check "in less than two grace times ($((last - first)) ms)" \
	test $((last - first)) -lt $((2 * GRACE * 1000))
check_eq "stops: own, and the lent ones" \
	"$(job_counts "$OWN" "${lent[@]}")" "0 1 1 1 1"
test_done
