#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes go down, are drained and come back, while an owner's job, victims in
# their grace time and a claimant are about. Node failures are no preemptions
# (R12), an owner then waits for nodes and is told how many are missing (R17),
# and no usage is lost.

. "${0%/*}/lib.sh"

cluster_init nodes
cluster_need_plugins
cluster_nodes "n[1-2]" h100:2
lend_policy GraceTime=60 h100:2 h100:2
cluster_start || bail "no cluster"

# down NODE: its slurmd is gone, and slurmctld knows
down()
{
	cluster_node_stop "$1"
	check "$1 goes down" scontrol update "nodename=$1" state=down \
		reason=test
}

up()
{
	cluster_node_start "$1"
	# It registers as healthy by itself (ReturnToService=2).
	check_wait 20 "$1 is back" prints_match '^(idle|mixed|allocated)$' \
		sinfo -h -n "$1" -o %T
}

preempted()
{
	qshare explain "$1" --json | jq -r .preempted
}

own_runs -w n1 --gres=gpu:h100:2
lent=()
for _ in 1 2; do
	id=$(submit_stubborn -A b --gres=gpu:h100:1)
	wait_for 20 "job $id" prints_match begun job_out "$id" ||
		bail "job $id did not borrow"
	lent+=("$id")
done

say "the victims' node goes down in the middle of their grace time"
claim=$(submit_sleep -A a --gres=gpu:h100:2)
for id in "${lent[@]}"; do
	check_wait 10 "victim $id is told" was_told "$id"
done
down n2
check_wait 15 "the victims wait again" prints "PENDING PENDING" \
	job_states "${lent[@]}"
check_eq "which is no preemption" \
	"$(preempted "${lent[0]}") $(preempted "${lent[1]}")" "0 0"
check_wait 15 "the owner is told that GPUs are out of service" \
	prints_match 'QuotaShare.*(service|down)' job_reason "$claim"
squeue -h -j "$claim" -o '#   %r'
check_wait 10 "two GPUs are in service" prints 2 \
	status_field '.totals[0].in_service'
check_lasts 3 "the own job on the other node goes on" job_is "$OWN" RUNNING
check_ledger "with a node down"
up n2
check_wait 30 "the owner runs when it is back" job_is "$claim" RUNNING
check_eq "nobody was preempted in the end" \
	"$(status_field .counters.preemptions)" 0

say "the node is drained while the owner's job runs"
check "drain" scontrol update nodename=n2 state=drain reason=test
check_wait 10 "its GPUs stay used" prints "2 2 0" share_use owner h100
check_ledger "with a node draining"
more=$(submit_sleep -A b --gres=gpu:h100:1)
check_lasts 2 "the owner's job goes on" job_is "$claim" RUNNING
check "resume" scontrol update nodename=n2 state=resume

say "the owner's own node goes down"
scancel "${lent[@]}" "$more"
down n2
check_wait 15 "its job waits again" job_is "$claim" PENDING
check_wait 10 "it holds nothing" prints 0 share_field owner h100 used
check_lasts 3 "an own job of the other share is not taken for it" \
	job_is "$OWN" RUNNING
up n2
check_wait 30 "it runs again" job_is "$claim" RUNNING
check_eq "no restart of the borrower's own job" "$(job_counts "$OWN")" 0
check_ledger
test_done
