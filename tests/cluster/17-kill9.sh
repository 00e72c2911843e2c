#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is killed with -9 in the middle of a grace time and started again
# (R20): usage is the same, the reclaim goes on with the same victims, no
# further job is stopped, and a preemption counts once: the victims have one
# retry, and are still there after it.

. "${0%/*}/lib.sh"

GRACE=20

cluster_init kill9
cluster_need_plugins
cluster_nodes "n[1-2]" h100:4
lend_policy "GraceTime=$GRACE" h100:4 h100:4 PreemptRetries=1
cluster_start || bail "no cluster"

restarts()
{
	job_counts "$OWN" "${LENT[@]}"
}

rows()
{
	echo "$(share_row owner h100) $(share_row borrower h100)"
}

saved() { ctld_saved "$OWN"; }

own_runs --gres=gpu:h100:4
borrow_each submit_stubborn 4 3 2 1

claim=$(submit_sleep -A a --gres=gpu:h100:2)
check_wait 10 "the victim of priority 1 is told" was_told "${LENT[3]}"
check_wait 10 "the victim of priority 2 is told" was_told "${LENT[2]}"
saved
check_eq "usage in the grace time" "$(rows)" "0 0 0 4 0 2 8 4 4 0 0 0"
check_eq "the claimant waits" "$(job_state "$claim")" PENDING

say "kill -9 of slurmctld"
cluster_ctld_kill9
cluster_ctld_start || bail "slurmctld did not start again"
check_wait 10 "after the restart, the same usage" \
	prints "0 0 0 4 0 2 8 4 4 0 0 0" rows
check_eq "no job was stopped by it" "$(restarts)" "0 0 0 0 0"

check_wait $((2 * GRACE + 20)) "the claimant runs" job_is "$claim" RUNNING
check_wait 10 "the two victims wait again, with their retry" \
	prints "PENDING PENDING" job_states "${LENT[2]}" "${LENT[3]}"
check_lasts 4 "only they were stopped, and only once" \
	prints "0 0 0 1 1" restarts
check_eq "the others were not told either" \
	"$(job_out_count "${LENT[0]}" TERM) $(job_out_count "${LENT[1]}" TERM)" \
	"0 0"
check_wait 5 "usage after the reclaim" \
	prints "2 2 0 2 0 0 6 4 2 0 0 2" rows

scancel "$claim"
check_wait 25 "the victims run again" \
	prints "RUNNING RUNNING" job_states "${LENT[2]}" "${LENT[3]}"

say "a second kill, with nothing going on"
check_wait 5 "usage as it was" prints "0 0 0 4 0 0 8 4 4 0 0 0" rows
saved
cluster_ctld_kill9
cluster_ctld_start || bail "slurmctld did not start again"
check_wait 10 "usage is the same" prints "0 0 0 4 0 0 8 4 4 0 0 0" rows
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait $((GRACE + 20)) "the owner takes one back" job_is "$claim" RUNNING
check_wait 5 "the victim had used its retry before the kill: it is ended" \
	prints_match 'PREEMPTED|CANCELLED|FAILED' job_state "${LENT[3]}"
test_done
