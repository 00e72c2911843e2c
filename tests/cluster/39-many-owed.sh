#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A burst of twenty owed jobs, of two owners, partly tasks of an array, while
# every victim uses its grace time to the end: one grace time (law 15), each
# victim stopped once, no ledger drift.

. "${0%/*}/lib.sh"

GRACE=15

cluster_init owed
cluster_need_plugins
cluster_nodes "n1" h100:21 CPUs=64
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=$GRACE
Share=owner Accounts=a Capacity=h100:14 Strategy=LEND InSharePreemption=NO
Share=other Accounts=c Capacity=h100:6 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# A stubborn job that costs no CPU: the signal reaches the sleep as well.
stay="trap 'echo TERM \$(date +%s%3N)' TERM; echo begun
	while :; do sleep 600 & wait; done"

# how_many ACCOUNT STATE
how_many()
{
	squeue -h -r -A "$1" -t "$2" -o %i | wc -l
}

# What became of the borrower's jobs: "TIMES-STOPPED HOW-MANY" a pair
stopped()
{
	event_log 'select(.event == "preemption_completed") | .job' | sort |
		uniq -c | awk '{ print $1 }' | sort | uniq -c |
		awk '{ print $2, $1 }' | xargs
}

held_and_borrowed()
{
	echo "$(job_gpus) $(share_field borrower h100 borrowed)"
}

own_runs
submit -A b --open-mode=append --gres=gpu:h100:1 --array=1-14 --wrap "$stay" \
	>/dev/null
for _ in 1 2 3 4 5 6; do
	submit -A b --open-mode=append --gres=gpu:h100:1 --wrap "$stay" \
		>/dev/null
done
all_begun()
{
	[ "$(cat "$CL_DIR"/jobs/slurm-*.out | grep -c begun)" = 20 ]
}
wait_for 30 "twenty loans" all_begun || bail "the loans do not run"
check_wait 10 "one own, twenty borrowed" prints "21 1 20" \
	share_use borrower h100

clock
begun=$MS
submit_stamped -A a --gres=gpu:h100:1 --array=1-8 >/dev/null
for account in a c a c a c a c a c a c; do
	submit_stamped -A "$account" --gres=gpu:h100:1 >/dev/null
done
clock
say "submitted in $((MS - begun)) ms"
check_wait $((3 * GRACE)) "the owner's fourteen run" \
	prints 14 how_many a RUNNING
check_wait "$GRACE" "the other's six run" prints 6 how_many c RUNNING
clock
check "not before the first was over" test $((MS - begun)) -ge $((GRACE * 1000))
# By what they wrote, not by when that is seen: from the first that was told to
# the last that began.
stamps()
{
	sed -n "s/^$1 //p" "$CL_DIR"/jobs/slurm-*.out | sort -n
}
all_began()
{
	stamps began | wc -l
}
check_wait 10 "all have begun" prints 20 all_began
took=$(($(stamps began | tail -n 1) - $(stamps TERM | head -n 1)))
check "in less than two grace times ($took ms)" \
	test "$took" -lt $((2 * GRACE * 1000))
check_wait 5 "twenty were stopped once" prints "1 20" stopped
check_wait 10 "and wait again" prints 20 how_many b PENDING
check_eq "preemptions counted" "$(status_field .counters.preemptions)" 20
check_eq "claims given up" "$(status_field .counters.claims_timed_out)" 0
check_wait 10 "no claim is left" prints 0 status_field '.claims | length'
# Where one begins on what another's victim left, its own goes for that one.
for_nothing()
{
	event_log -s 'group_by([.job, .start]) | map(select(any(.event ==
		"spared") and all(.event != "preemption_completed"))) | length'
}
check_eq "nobody was told to go for nothing" "$(for_nothing)" 0
check_eq "the own job was not touched" "$(job_counts "$OWN")" 0
check_lasts 2 "nothing else moves" prints "21 0" \
	held_and_borrowed
check_ledger
test_done
