#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Jobs that cannot be requeued (R12a): salloc, srun and --no-requeue borrow,
# are told so at submission, and are cancelled when they are preempted. With
# NonRequeueBorrow=NO they start only as own.

. "${0%/*}/lib.sh"

cluster_init norequeue
cluster_need_plugins
need_tools srun salloc
cluster_nodes "n1" h100:4
# policy QUEUE-KEYS
policy()
{
	lend_policy "GraceTime=1 $1" h100:3 h100:1
}
policy ""
cluster_start || bail "no cluster"

# id_of NAME
id_of()
{
	squeue -h -n "$1" -o %A | head -n 1
}

ended_for_good()
{
	[[ $(job_state "$1") =~ ^(PREEMPTED|CANCELLED)$ ]]
}

own_runs

say "sbatch --no-requeue, srun and salloc borrow"
told=$CL_DIR/log/told
batch=$(submit_sleep -A b --no-requeue --gres=gpu:h100:1 2>"$told.sbatch")
CL_CALL_SEC=100 cluster_cmd srun -J by-srun -A b --gres=gpu:h100:1 \
	sleep 600 >/dev/null 2>"$told.srun" </dev/null &
srun_pid=$!
CL_CALL_SEC=100 cluster_cmd salloc -J by-salloc -A b --gres=gpu:h100:1 \
	--no-shell >/dev/null 2>"$told.salloc" </dev/null &
wait_for 20 "srun's job" prints_match . id_of by-srun
wait_for 20 "salloc's job" prints_match . id_of by-salloc
step=$(id_of by-srun)
alloc=$(id_of by-salloc)
for id in "$batch" "$step" "$alloc"; do
	check_wait 15 "job $id borrows" job_is "$id" RUNNING
done
for how in sbatch srun salloc; do
	check_match "$how: told that it is cancelled then" \
		"$(cat "$told.$how")" 'cannot be requeued.*it is cancelled'
done
check_ledger "with three loans"

say "the owner takes back all three"
claim=$(submit_sleep -A a --gres=gpu:h100:3)
check_wait 20 "the owner runs" job_is "$claim" RUNNING
for id in "$batch" "$step" "$alloc"; do
	check_wait 10 "job $id is cancelled" ended_for_good "$id"
done
srun_ended()
{
	! pid_alive "$srun_pid"
}
check_wait 15 "srun ends" srun_ended
outcomes()
{
	event_log --argjson c "$claim" 'select(.event == "preemption_completed" and
		.for == $c) | .outcome' | sort | uniq -c | xargs
}
check_wait 5 "outcome in the log" prints "3 cancel" outcomes
scancel "$claim"
check_wait 10 "the owner's job is gone" prints "1 1 0" share_use borrower h100
check_lasts 3 "none of them comes back" prints "1 1 0" share_use borrower h100
check_eq "the own job was not touched" "$(job_counts "$OWN")" 0

say "NonRequeueBorrow=NO"
policy NonRequeueBorrow=NO
check "reconfigure" cluster_reconfigure
batch=$(submit_sleep -A b --no-requeue --gres=gpu:h100:1 2>"$told.no")
check_match "told that it does not borrow" "$(cat "$told.no")" \
	'cannot be requeued.*starts only'
check_wait 10 "it waits, and says why" prints_match 'QuotaShare' \
	job_reason "$batch"
other=$(submit_sleep -A b --share-priority=5 --gres=gpu:h100:1)
check_wait 10 "one that can be requeued borrows" job_is "$other" RUNNING
check_lasts 3 "the other still waits" job_is "$batch" PENDING
squeue -j "$batch" -h -o '#   %R'
scancel "$OWN" "$other"
check_wait 15 "it starts as own" job_is "$batch" RUNNING
claim=$(submit_sleep -A a --gres=gpu:h100:3)
check_wait 15 "the owner finds room" job_is "$claim" RUNNING
check_eq "and the own job goes on" "$(job_state "$batch")" RUNNING
check_ledger
test_done
