#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A victim that has been told to go is spared, because its claimant is
# cancelled, and chosen again soon after its grace time: it has had its time, so
# it is not told once more and the next claimant does not wait for another one
# (law 15). Found with twenty owed at once, where freed GPUs went to another of
# the claimants than had stopped for them. And one that has just begun is told
# when its script can hear it: a signal before that is lost.

. "${0%/*}/lib.sh"

GRACE=8

cluster_init again
cluster_need_plugins
cluster_nodes "n1" h100:2
lend_policy "GraceTime=$GRACE" h100:1 h100:1
cluster_start || bail "no cluster"

own_runs
lent=$(submit_stubborn -A b --gres=gpu:h100:1)
wait_for 20 "the loan's begin" prints 1 job_out_count "$lent" "^begun" ||
	bail "nothing is on loan"
# told_in_run: so often has its run of now heard SIGTERM, while it is not being
# ended: Slurm's own SIGTERM may reach it then, too.
told_in_run()
{
	job_out "$lent" | awk '/^begun/ { n = 0 } /^TERM/ { n++ }
		END { print n + 0 }'
}
# spared: so often, by the log.
spared() { ctld_log_count "JobId=$lent is spared"; }

claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "the victim is told" was_told "$lent"
clock
told=$MS
scancel "$claim"
check_wait 5 "and spared" prints 1 spared
check_lasts 3 "it runs on" job_is "$lent" RUNNING
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 5 "chosen again in its grace time" \
	prints "$lent" stopping_jobs
check_eq "it is not told again" "$(told_in_run)" 1
scancel "$claim"
check_wait 5 "and spared once more" prints 2 spared

clock
over=$((told + GRACE * 1000 + 1000 - MS))
((over <= 0)) || sleep "${over}e-3"
check_eq "it runs after its grace time" "$(job_state "$lent")" RUNNING
clock
begun=$MS
claim=$(submit_stamped -A a --gres=gpu:h100:1)
check_wait 20 "chosen then, it goes" job_is "$claim" RUNNING
began() { job_out "$claim" | sed -n 's/^began //p'; }
check_wait 10 "and the claimant has begun" prints_match . began
check "without another grace time ($(($(began) - begun)) ms)" \
	test $(($(began) - begun)) -lt $((GRACE * 1000))
check_eq "it was told once" "$(times_told "$lent")" 1
check_wait 5 "and stopped once" prints "0 1" job_counts "$OWN" "$lent"

say "one that was spared long ago is told anew"
scancel "$claim"
wait_for 30 "the loan's second begin" prints 2 job_out_count "$lent" \
	"^begun" || bail "the victim does not run again"
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "the victim is told" prints 1 told_in_run
scancel "$claim"
check_lasts $((GRACE + 12)) "it runs on" job_is "$lent" RUNNING
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "it is told" prints 2 told_in_run
check_lasts $((GRACE - 3)) "and has its time" job_is "$lent" RUNNING
check_wait 20 "then the owner's job runs" job_is "$claim" RUNNING

say "one that has just begun is told, too: not before it can hear it"
scancel "$claim"
wait_for 30 "the loan" job_is "$lent" RUNNING || bail "it does not run again"
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "it is told" prints 1 told_in_run
check_eq "having begun" "$(job_out_count "$lent" "^begun")" 3
check_lasts $((GRACE - 3)) "it has its time" job_is "$lent" RUNNING
check_wait 20 "then the owner's job runs" job_is "$claim" RUNNING
check_ledger
test_done
