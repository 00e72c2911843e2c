#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two hundred owed jobs in one and the same round, on simulated nodes, with
# slurmctld's locks given up again and again while they are claimed, granted and
# stopped: each stops one job and starts, and the event log has all of it.

. "${0%/*}/lib.sh"

JOBS=200

cluster_init burst
cluster_need_plugins
cluster_sim
cluster_nodes "n[1-25]" h100:8 CPUs=32
lend_policy "GraceTime=0" h100:$JOBS h100:0 "BorrowGpus=h100:$JOBS"
cluster_start || bail "no cluster"

# how_many ACCOUNT STATE
how_many()
{
	squeue -h -A "$1" -t "$2" -o %A | wc -l
}

# events NAME: of so many different jobs
events()
{
	event_log --arg name "$1" 'select(.event == $name) | .job' | sort -u |
		wc -l
}

simsubmit <<<"account=b gres=gpu:h100:1 sleep=600 count=$JOBS" >/dev/null
wait_for 60 "all GPUs to be lent" prints $JOBS how_many b RUNNING ||
	bail "the loans do not run"

scontrol update PartitionName=gpu State=DOWN
simsubmit <<<"account=a gres=gpu:h100:1 sleep=600 count=$JOBS" >/dev/null
check_wait 20 "all owners wait" prints $JOBS how_many a PENDING
check_eq "nobody claims while the partition is down" \
	"$(status_field '.claims | length')" 0
scontrol update PartitionName=gpu State=UP

check_wait 60 "all owners run" prints $JOBS how_many a RUNNING
check_wait 20 "all loans wait again" prints $JOBS how_many b PENDING
check_eq "as many claims as owners" "$(status_field .counters.claims)" $JOBS
check_eq "as many stops" "$(status_field .counters.preemptions)" $JOBS
check_eq "nobody was spared" "$(status_field .counters.spared)" 0
check_wait 10 "no claim is left" prints 0 status_field '.claims | length'
for name in claim preemption_completed; do
	check_wait 10 "the event log has each $name" prints $JOBS events $name
done
check_eq "and has lost no line" \
	"$(event_log 'select(.event == "lines_lost")' | wc -l)" 0
check_ledger
test_done
