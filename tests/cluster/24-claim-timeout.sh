#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What was freed for an owner is kept for ClaimTimeout and no longer (R9). The
# owner's job needs memory that a job without GPUs takes while its victims are
# going: its place is free and it cannot start. The claim is kept for its time,
# then given up, others may have the GPUs, and the job says why. With the memory
# back it is served as ever.

. "${0%/*}/lib.sh"

GRACE=8
TIMEOUT=12

cluster_init claim-timeout
cluster_need_plugins
cluster_nodes "n1" h100:3
cluster_conf <<EOF
SelectTypeParameters=CR_CPU_Memory
DefMemPerNode=100
EOF
lend_policy "GraceTime=$GRACE ClaimTimeout=$TIMEOUT" h100:2 h100:1
cluster_start || bail "no cluster"

own_runs
borrow_each submit_stubborn 2 1

# How many claims are alive, and how many ran out of time.
claims()
{
	qshare status --json | jq -r '"\(.claims | length) " +
		"\(.counters.claims_timed_out)"'
}

claim=$(submit_sleep -A a --mem=40000 --gres=gpu:h100:2)
check_wait 10 "the owner's job claims what is lent" prints "1 0" claims
memory=$(submit_sleep --mem=40000)
check_wait 10 "another job takes the memory meanwhile" \
	job_is "$memory" RUNNING
check_wait $((GRACE + 20)) "both borrowers are stopped" \
	prints "0 1 1" job_counts "$OWN" "${LENT[@]}"
check_eq "the owner's job cannot start" "$(job_state "$claim")" PENDING
check_wait 15 "and wait again" prints "PENDING PENDING" job_states "${LENT[@]}"
check_lasts $((TIMEOUT - 6)) "its place is kept: nobody else runs there" \
	prints "PENDING PENDING" job_states "${LENT[@]}"
check_eq "the claim is alive" "$(claims)" "1 0"

check_wait $((TIMEOUT + 20)) "ClaimTimeout later it is given up" \
	prints "0 1" claims
check_wait 20 "the borrowers run again" \
	prints "RUNNING RUNNING" job_states "${LENT[@]}"
check_eq "the owner's job waits" "$(job_state "$claim")" PENDING
check_match "and says why" "$(qshare explain "$claim")" \
	'freed place was not taken in time'
squeue -h -j "$claim" -o '#   %i %r'
qshare explain "$claim" | sed 's/^/#   /'
check "slurmctld's log says so" ctld_log \
	"JobId=$claim did not start within $TIMEOUT s after its place was free"
check_match "the events too" "$(qshare events -j "$claim" --json)" \
	'its place was not taken in time'
check_eq "stopped once each" "$(job_counts "$OWN" "${LENT[@]}")" "0 1 1"

say "the memory comes back"
scancel "$memory"
check_wait 90 "the owner's job runs" job_is "$claim" RUNNING
check_eq "for which both went once more" \
	"$(job_counts "$OWN" "${LENT[@]}")" "0 2 2"
check_ledger
test_done
