#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --preempt-retries 0, 1 and unset (R12): preemption number N+1 terminates a
# job, and what the user requeues is no preemption.

. "${0%/*}/lib.sh"

cluster_init retries
cluster_need_plugins
cluster_nodes "n1" h100:4
lend_policy GraceTime=1 h100:3 h100:1
cluster_start || bail "no cluster"

ended_for_good()
{
	[[ $(job_state "$1") =~ ^(PREEMPTED|CANCELLED|FAILED)$ ]]
}

# take GPUS: the owner takes them back; its job is in CLAIM
take()
{
	CLAIM=$(submit_sleep -A a --gres="gpu:h100:$1")
	check_wait 20 "the owner's job of $1 runs" job_is "$CLAIM" RUNNING
}

own_runs
never=$(submit_sleep -A b --gres=gpu:h100:1 --preempt-retries=0)
once=$(submit_sleep -A b --gres=gpu:h100:1 --preempt-retries=1)
always=$(submit_sleep -A b --gres=gpu:h100:1)
for id in "$never" "$once" "$always"; do
	job_wait "$id" RUNNING || bail "job $id did not borrow"
done

say "job $once is requeued by its user: that does not count"
check "scontrol requeue" scontrol requeue "$once"
runs_again()
{
	job_is "$1" RUNNING && [ "$(job_restarts "$1")" = "$2" ]
}
check_wait 20 "it runs again" runs_again "$once" 1

say "first preemption of all three"
take 3
check_wait 10 "retries 0: terminated by the first" ended_for_good "$never"
check_wait 10 "retries 1: waits again" job_is "$once" PENDING
check_wait 10 "unset: waits again" job_is "$always" PENDING
scancel "$CLAIM"
check_wait 25 "retries 1: runs again" job_is "$once" RUNNING
check_wait 10 "unset: runs again" job_is "$always" RUNNING

say "second preemption of the two that are left"
take 3
check_wait 10 "retries 1: terminated by the second" ended_for_good "$once"
check_wait 10 "unset: waits again" job_is "$always" PENDING
scancel "$CLAIM"
check_wait 25 "unset: runs again" job_is "$always" RUNNING
check_eq "unset: runs that were stopped" "$(job_restarts "$always")" 2
check "retries 0: still ended" ended_for_good "$never"
check_eq "the own job was never touched" "$(job_restarts "$OWN")" 0
test_done
