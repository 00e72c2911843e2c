#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The claimant of a reclaim is cancelled in the middle of the grace time: the
# claim is withdrawn (R9) and with it every stop that has not happened yet. A
# victim that bears the signal keeps running; one that ended by it, or does so
# only after the cancel, is requeued (R11) and, with nobody claiming its place,
# comes back.

. "${0%/*}/lib.sh"

GRACE=9

cluster_init scancel
cluster_need_plugins
cluster_nodes "n1" h100:5
lend_policy "GraceTime=$GRACE" h100:4 h100:1
cluster_start || bail "no cluster"

own_runs
stays=$(submit_stubborn -A b --gres=gpu:h100:1)
dies=$(submit_train -A b --gres=gpu:h100:1)
late=$(submit -A b --gres=gpu:h100:1 --open-mode=append --wrap \
	"trap 'sleep 6; echo saved; exit 1' TERM; echo begun
	while :; do sleep 0.1; done")
spare=$(submit_sleep -A b --share-priority=5 --gres=gpu:h100:1)
for id in "$stays" "$dies" "$late" "$spare"; do
	job_wait "$id" RUNNING || bail "job $id did not borrow"
done
wait_for 10 "some steps" train_reached "$dies" 3 || bail "no training"
wait_for 10 "the stubborn job's begin" prints_match begun \
	job_out "$stays" || bail "no stubborn job"
wait_for 10 "the late job's begin" prints_match begun \
	job_out "$late" || bail "no late job"

claim=$(submit_sleep -A a --gres=gpu:h100:3)
check_wait 10 "the stubborn victim's batch script is told" \
	was_told "$stays"
check_wait 10 "the other victim's too, and it goes" \
	prints_match checkpoint job_out "$dies"
check_eq "the claimant still waits" "$(job_state "$claim")" PENDING
say "scancel of the claimant, in the grace time"
scancel "$claim"
check_wait 5 "it is gone" job_is "$claim" CANCELLED

check_lasts $((GRACE + 4)) \
	"the stubborn victim is not stopped, long after the grace time" \
	job_is "$stays" RUNNING
check_eq "stops: stubborn, own, spare" \
	"$(job_counts "$stays" "$OWN" "$spare")" "0 0 0"
check_eq "the spare job still runs" "$(job_state "$spare")" RUNNING
check_eq "the late victim ended by the signal, after the cancel" \
	"$(job_out_count "$late" saved)" 1
check_wait 20 "it was requeued all the same, and runs again" \
	prints 2 job_out_count "$late" "^begun"
check_eq "having saved" "$(job_out_count "$late" "^saved")" 1
check_eq "its state" "$(job_state "$late")" RUNNING
check_wait 20 "the other victim runs again" job_is "$dies" RUNNING
check_wait 10 "from its checkpoint" train_continued "$dies"
check_wait 5 "the borrower has five again, four of them lent" \
	prints "5 1 4" share_use borrower h100

say "and the next claimant is served as ever"
claim=$(submit_sleep -A a --gres=gpu:h100:4)
check_wait $((GRACE + 20)) "it runs" job_is "$claim" RUNNING
check_eq "stops: stubborn, own" \
	"$(job_counts "$stays" "$OWN")" "1 0"
test_done
