#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A victim with --signal is told to go by that signal, and then spared. It must
# get its signal before its time limit all the same: Slurm sends it only where
# its mark of having done so is not there, and we had set that mark.

. "${0%/*}/lib.sh"

cluster_init sparedsignal
cluster_need_plugins
cluster_nodes "n1" h100:2
lend_policy GraceTime=60 h100:1 h100:1
cluster_start || bail "no cluster"

own_runs
lent=$(submit -A b --gres=gpu:h100:1 -t 2 --signal=B:USR1@60 \
	--wrap "trap 'echo USR1' USR1; echo begun; while :; do sleep 0.1; done")
wait_for 20 "the loan's begin" prints 1 job_out_count "$lent" "^begun" ||
	bail "nothing is on loan"
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 15 "it is told by its own signal" \
	prints 1 job_out_count "$lent" '^USR1'
scancel "$claim"
check_wait 5 "and spared" ctld_log "JobId=$lent is spared"
check_lasts 3 "it runs on" job_is "$lent" RUNNING
check_wait 90 "its signal before the time limit comes" \
	prints 2 job_out_count "$lent" '^USR1'
check_eq "while it runs" "$(job_state "$lent")" RUNNING
check_ledger
test_done
