#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Licences that an owner's job needs and its victims hold: they come free with
# the victims, so it takes back its GPU. It was refused for ever. Where a licence
# would be missing all the same (another job has it, a reservation keeps it, an
# owner before it takes it) nobody is stopped, and the reason says so (law 1).

. "${0%/*}/lib.sh"

cluster_init licences
cluster_need_plugins
cluster_nodes "n1" h100:4
cluster_conf <<CONF
Licenses=matlab:4
CONF
cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=1
Share=owner Accounts=a Capacity=h100:3 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
POLICY
cluster_start || bail "no cluster"

# with_licences NUMBER SBATCH-ARGS...: a job of one GPU.
with_licences()
{
	submit_sleep -L "matlab:$1" --gres=gpu:h100:1 "${@:2}"
}

# lend NUMBER: four loans; the one that goes first, LOW, has so many licences.
lend()
{
	cluster_empty || bail "jobs are left"
	borrow_each submit_sleep 9 7 5
	LOW=$(with_licences "$1" -A b --share-priority=1)
	job_wait "$LOW" RUNNING || bail "the job with licences does not run"
	LENT+=("$LOW")
}

none_stopped() { prints "0 0 0 0" job_counts "${LENT[@]}"; }

# stops_nobody JOB WHAT
stops_nobody()
{
	check_lasts 6 "$2: nobody is stopped" none_stopped
	squeue -h -j "$1" -o '#   %i %T %r'
	check_eq "$2: it waits" "$(job_state "$1")" PENDING
	check_match "$2: the reason says so" "$(job_reason "$1")" \
		'another limit holds it: Licenses|^Licenses$'
	check_match "$2: explain, too" "$(qshare explain "$1")" 'Licenses'
}

# takes_back JOB WHAT: and only LOW goes for it.
takes_back()
{
	check_wait 30 "$2: it takes back its GPU" job_is "$1" RUNNING
	check_eq "$2: the one with licences goes, only that" \
		"$(job_counts "${LENT[@]}")" "0 0 0 1"
}

say "the victim holds all there are, more than it needs"
lend 4
own=$(with_licences 1 -A a)
takes_back "$own" "all"
check_lasts 3 "the victim waits for a GPU" job_is "$LOW" PENDING
check_ledger "all"

say "the victim holds one of those that are needed, the others are free"
lend 1
own=$(with_licences 4 -A a)
takes_back "$own" "some"

say "Slurm has seen first that they are in use: 22.05 does not ask us then"
lend 4
own=$(with_licences 1 -A a -H)
job_wait "$own" PENDING
check "released" scontrol release "$own"
takes_back "$own" "released"

say "a GPU is idle, the licences are with a loan"
lend 4
scancel "${LENT[0]}"
unset 'LENT[0]'
own=$(with_licences 1 -A a)
check_lasts 6 "nobody is stopped: it lacks no GPU" \
	prints "0 0 0" job_counts "${LENT[@]}"
check_match "the reason says so" "$(job_reason "$own")" Licenses
scancel "$LOW"
check_wait 30 "it runs when they come free" job_is "$own" RUNNING

say "another job has one of them"
lend 3
other=$(submit_sleep -L matlab:1)
job_wait "$other" RUNNING || bail "the job without GPUs does not run"
own=$(with_licences 4 -A a)
stops_nobody "$own" "one too few"
few=$(with_licences 3 -A a)
takes_back "$few" "enough, behind it"
scancel "$few" "$other"
check_wait 30 "the first comes to its licences as well" job_is "$own" RUNNING

say "a reservation keeps one, from tomorrow on"
lend 4
check "reserved" scontrol create reservation reservationname=keep \
	starttime=now+23hours duration=600 users=root licenses=matlab:1 \
	flags=license_only
own=$(with_licences 4 -t 2-0 -A a)
stops_nobody "$own" "reserved"
few=$(with_licences 3 -t 2-0 -A a)
takes_back "$few" "what is not reserved"
check "the reservation goes" scontrol delete reservationname=keep

say "two owners, licences for one"
lend 4
own=$(with_licences 3 -A a)
more=$(with_licences 3 -A a)
takes_back "$own" "the first"
stops_no_more() { prints "0 0 0 1" job_counts "${LENT[@]}"; }
check_lasts 6 "for the second nobody is stopped" stops_no_more
check_match "whose reason says so" "$(job_reason "$more")" \
	'another limit holds it: Licenses|^Licenses$'
scancel "$own"
check_wait 30 "it runs when the first has ended" job_is "$more" RUNNING

say "an array of two, licences for one task"
lend 4
array=$(with_licences 3 -A a --array=1-2)
takes_back "${array}_1" "its first task"
check_lasts 6 "for the second nobody is stopped" stops_no_more
check_eq "which waits" "$(job_state "${array}_2")" PENDING

say "an array, licences for two of its tasks"
lend 4
with_licences 2 -A a --array=1-3 >/dev/null
run_now() { squeue -h -A a -t R -r -o %i | wc -l; }
check_wait 30 "two run" prints 2 run_now
stops_for_two() { prints "0 0 1 1" job_counts "${LENT[@]}"; }
check_lasts 7 "for the third nobody is stopped" stops_for_two
check_match "it is said why" "$(squeue -h -A a -t PD -o %r)" \
	'another limit holds it: Licenses|^Licenses$'
check_ledger
test_done
