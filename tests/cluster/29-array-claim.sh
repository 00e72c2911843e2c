#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An owner's array makes others go for several of its tasks, and a little later
# a single job of the owner does so too: what is freed for the tasks reaches the
# tasks, all of them (law 6), and the single job waits for its own victim, who is
# not told to go for nothing. Found where a slow machine had drawn out a burst:
# the first task had the claim alone, so the single job took the place of the
# second, and the array claimed anew.

. "${0%/*}/lib.sh"

GRACE=8

cluster_init arrayclaim
cluster_need_plugins
cluster_nodes "n1" h100:5
lend_policy "GraceTime=$GRACE" h100:4 h100:1
cluster_start || bail "no cluster"

own_runs
borrow_each submit_stubborn 4 3 2 1

tasks() { job_states "${array}_1" "${array}_2" "${array}_3"; }

# began ID: when it did, in milliseconds
began() { job_out "$1" | sed -n 's/^began //p'; }
all_began() { [ -n "$(began "$single")" ]; }

array=$(submit_stamped -A a --array=1-3 --gres=gpu:h100:1)
check_wait 10 "three are told" was_told "${LENT[1]}"
sleep $((GRACE / 2))
single=$(submit_stamped -A a --gres=gpu:h100:1)
check_wait 10 "and a fourth" was_told "${LENT[0]}"
check_wait $((GRACE + 10)) "the array's tasks run" \
	prints "RUNNING RUNNING RUNNING" tasks
check_wait $((GRACE + 10)) "then the single job runs" \
	job_is "$single" RUNNING
check_wait 10 "it has begun" all_began
waited=$(grace_of "${LENT[0]}" "$single")
# In the place of a task it would have begun after half of that time.
check "it waited for its own victim, who had its time ($waited ms)" \
	test "$waited" -ge $((GRACE * 750))
for task in 1 2 3; do
	check "task $task began before it" test "$(began "${array}_$task")" \
		-lt "$(began "$single")"
done
check_eq "each was stopped once" "$(job_counts "$OWN" "${LENT[@]}")" \
	"0 1 1 1 1"
check_eq "nobody was told to go for nothing" \
	"$(status_field .counters.spared)" 0
check_eq "preemptions counted" "$(status_field .counters.preemptions)" 4
check_ledger
test_done
