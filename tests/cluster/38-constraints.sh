#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Slurm's own constraints decide as well (law 1): an owner's job whose
# features, nodes, memory or CPUs no end of borrowed jobs would give it stops
# nobody, and one that they would serve stops just those on the right node.

. "${0%/*}/lib.sh"

cluster_init constraints
cluster_need_plugins
cluster_nodes "n1" h100:2 Features=fast
cluster_nodes "n2" h100:2 Features=slow
cluster_conf <<EOF
SelectTypeParameters=CR_CPU_Memory
DefMemPerNode=100
EOF
lend_policy GraceTime=1 h100:2 h100:2
cluster_start || bail "no cluster"

own_runs -w n1 --gres=gpu:h100:2
borrow_each submit_sleep 2 1
none_stopped()
{
	[ "$(job_counts "$OWN" "${LENT[@]}")" = "0 0 0" ]
}

say "what other jobs hold on n2: memory, CPUs"
memory=$(submit_sleep -w n2 --mem=60000)
job_wait "$memory" RUNNING || bail "the job of much memory does not run"
cpus=$(submit_sleep -w n2 -n 10)
job_wait "$cpus" RUNNING || bail "the job of many CPUs does not run"

# waits WHAT SBATCH-ARGS...: it stops nobody, and says why.
waits()
{
	local what=$1 id

	shift
	id=$(submit_sleep -A a --gres=gpu:h100:1 "$@")
	check_wait 10 "$what: looked at" prints_match "QuotaShare|Resources" \
		job_reason "$id"
	check_lasts 2 "$what: stops nobody" none_stopped
	check_eq "$what: it waits" "$(job_state "$id")" PENDING
	squeue -h -j "$id" -o '#   %i %r'
	qshare explain "$id" | sed 's/^/#   /'
	scancel "$id"
}

waits "a feature" -C fast
waits "a node" -w n1
waits "an excluded node" -x n2
waits "memory" --mem=10000
waits "CPUs" -c 8
waits "two nodes" -N2 --gres=gpu:h100:1
check "n2 is reserved for somebody else" scontrol create reservation \
	reservationname=other starttime=now duration=60 nodes=n2 \
	users=daemon flags=ignore_jobs
waits "a reservation" -t 5
check "no longer" scontrol delete reservationname=other
check_ledger "with nobody stopped"

say "what can be served"
either=$(submit_sleep -A a --gres=gpu:h100:1 -C "fast|slow")
check_wait 20 "a|b of features: it runs" job_is "$either" RUNNING
check_eq "on the node of the loans" "$(job_field "$either" NodeList)" n2
check_eq "the own job was not touched" "$(job_counts "$OWN")" 0
stops=$(job_counts "${LENT[@]}")
check_match "one was stopped" "$stops" '^(0 1|1 0)$'
wants=$(submit_sleep -A a --gres=gpu:h100:1 -C slow --mem=10000)
check_lasts 4 "memory: no further one" prints "$stops" \
	job_counts "${LENT[@]}"
scancel "$memory"
check_wait 60 "the memory comes free: now it runs" job_is "$wants" RUNNING
check_eq "both were stopped once" "$(job_counts "$OWN" "${LENT[@]}")" "0 1 1"
check_ledger
test_done
