#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a victim is stopped (R11): told, batch script and steps, given its grace
# time, then killed; who ends with 0 in that time has finished, who fails or
# dies of the signal is requeued, --signal takes the place of SIGTERM.

. "${0%/*}/lib.sh"

GRACE=8

cluster_init grace
cluster_need_plugins
need_tools srun
cluster_nodes "n1" h100:6
lend_policy "GraceTime=$GRACE" h100:5 h100:1
cluster_start || bail "no cluster"

# victim NAME SCRIPT [SBATCH-ARGS...]: sets ID; its script has begun.
victim()
{
	ID=$(submit -A b -J "$1" --gres=gpu:h100:1 --open-mode=append \
		"${@:3}" --wrap "$2")
	wait_for 15 "job $ID ($1)" prints_match '^begun' job_out "$ID" ||
		bail "the victim $1 does not run"
}

# modified FILE: when that file of a job was, in milliseconds.
modified()
{
	stat -c %.3Y "$CL_DIR/jobs/$1" | tr -d .
}

spin='while :; do sleep 0.1; done'
own_runs
victim finishes "trap 'echo TERM; exit 0' TERM; echo begun; $spin"
finishes=$ID
victim fails "trap 'echo TERM; exit 3' TERM; echo begun; $spin"
fails=$ID
victim stays "trap 'echo TERM; [ -e told ] || : >told' TERM; echo begun
	while :; do : >alive; sleep 0.1; done"
stays=$ID
victim signal "trap 'echo USR1; exit 0' USR1; echo begun; $spin" \
	--signal=B:USR1@1
signal=$ID
victim steps "trap 'echo TERM' TERM
	srun sh -c 'trap \"echo step-TERM\" TERM; echo begun; $spin'"
steps=$ID

clock
begun=$MS
claim=$(submit_sleep -A a --gres=gpu:h100:5)
check_wait 5 "who ends with 0 has finished" job_is "$finishes" COMPLETED
check_eq "and was told" "$(job_out_count "$finishes" '^TERM')" 1
check_wait 5 "who fails is requeued" job_is "$fails" PENDING
check_eq "and was told" "$(job_out_count "$fails" '^TERM')" 1
check_wait 5 "--signal=B:USR1 is sent instead" job_is "$signal" COMPLETED
check_eq "once" "$(job_out_count "$signal" '^USR1')" 1
check_wait 5 "a batch script that stays is told" was_told "$stays"
check_wait 5 "and so is a step" prints_match 'step-TERM' job_out "$steps"
check_eq "both still run" "$(job_states "$stays" "$steps")" \
	"RUNNING RUNNING"
check_wait $((GRACE + 10)) "and are requeued in the end" \
	prints "1 1" job_counts "$stays" "$steps"
clock
took=$((MS - begun))
check "not before the grace time was over ($took ms)" \
	test "$took" -ge $((GRACE * 1000))
check_wait 15 "the claimant runs" job_is "$claim" RUNNING
# Slurm's own end begins with SIGTERM and leaves five seconds.
stayed=$(($(modified alive) - $(modified told)))
check "who stayed was killed when it was over, not KillWait later ($stayed ms)" \
	test "$stayed" -lt $((GRACE * 1000 + 4500))
check_eq "restarts: finishes, fails, stays, signal, steps, own" \
	"$(job_counts "$finishes" "$fails" "$stays" "$signal" "$steps" \
	"$OWN")" "0 1 1 0 1 0"
check_eq "who had finished stays so" \
	"$(job_states "$finishes" "$signal")" "COMPLETED COMPLETED"

scancel "$claim"
check_wait 25 "the three others run again" prints \
	"RUNNING RUNNING RUNNING" job_states "$fails" "$stays" "$steps"
test_done
