#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kinds of jobs: thousands of array tasks with a throttle, several partitions,
# reservations, a job that wants to grow, and waiting jobs whose partition or time
# limit is changed. Each stays in its share and is charged once (R1, R2).

. "${0%/*}/lib.sh"

cluster_init kinds
cluster_need_plugins
cluster_nodes "n[1-4]" h100:2
cluster_partition gpu "n[1-4]" Default=YES
cluster_partition fast "n[1-2]"
cluster_conf <<EOF
MaxArraySize=5001
MaxJobCount=20000
SchedulerParameters=permit_job_expansion
EOF
cluster_policy <<EOF
Queue=train Partitions=gpu,fast GraceTime=1
Share=owner Accounts=a Capacity=h100:4 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:4 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

running()
{
	squeue -h -r -j "$1" -t R,CG -o %i | wc -l
}

restarts()
{
	scontrol -o show job "$1" | grep -o 'Restarts=[0-9]*' |
		awk -F= '{ n += $2 } END { print n + 0 }'
}

say "an array of 4,000 tasks, 6 at a time"
array=$(submit_sleep --array=1-4000%6 -A b --gres=gpu:h100:1)
check_wait 20 "six run" prints 6 running "$array"
check_wait 5 "two of them on loans" prints "6 4 2" share_use borrower h100
check_lasts 3 "and no more, with two GPUs idle" prints 6 running "$array"
say "the owner's array of 3,000, one at a time: what it may run is taken back"
own=$(submit_sleep --array=1-3000%1 -A a --gres=gpu:h100:2 -N2)
check_wait 30 "its one task runs" prints 1 running "$own"
check_eq "two tasks were stopped" "$(restarts "$array")" 2
check_ledger "with thousands of tasks"
scancel "$array" "$own"
check_wait 60 "all is idle" prints 0 job_gpus

say "two partitions of one queue"
both=$(submit_sleep -p fast,gpu -A a --gres=gpu:h100:2)
check_wait 15 "it runs" job_is "$both" RUNNING
check_wait 5 "and is charged once" prints "2 2 0" share_use owner h100
loans=()
for _ in 1 2 3; do
	loans+=("$(submit_sleep -A b --gres=gpu:h100:2)")
done
for id in "${loans[@]}"; do
	job_wait "$id" RUNNING || bail "loan $id does not run"
done
two=$(submit_sleep -p gpu,fast -A a --gres=gpu:h100:2)
check_wait 20 "a second one takes back a loan" job_is "$two" RUNNING
check_eq "just one" "$(job_counts "${loans[@]}" | tr ' ' '\n' |
	awk '{ n += $1 } END { print n }')" 1
check_ledger "two partitions"
scancel "$both" "$two" "${loans[@]}"
check_wait 20 "all is idle" prints 0 job_gpus

say "a reservation"
check "two nodes are reserved" scontrol create reservation \
	reservationname=keep starttime=now duration=60 users=root nodes="n[1-2]"
loans=()
for _ in 1 2; do
	loans+=("$(submit_sleep -A b --gres=gpu:h100:2)")
done
for id in "${loans[@]}"; do
	job_wait "$id" RUNNING || bail "job $id does not run outside of it"
done
inside=$(submit_sleep --reservation=keep -A b --gres=gpu:h100:2 -w n1)
check_wait 15 "a job in the reservation runs, on loan" \
	prints "6 4 2" share_use borrower h100
out=$(submit_sleep -A a --gres=gpu:h100:2 -w n2)
check_lasts 4 "an owner's job outside, bound to a reserved node, waits" \
	job_is "$out" PENDING
check_eq "and nobody is stopped for it" \
	"$(job_counts "${loans[@]}" "$inside")" "0 0 0"
say "$(job_reason "$out")"
scancel "$out"
in=$(submit_sleep --reservation=keep -A a --gres=gpu:h100:2 -w n1)
check_wait 20 "an owner's job inside takes back the loan inside" \
	job_is "$in" RUNNING
check_eq "only that" "$(job_counts "${loans[@]}" "$inside")" "0 0 1"
check_ledger "reservation"
scancel "$in" "$inside" "${loans[@]}"
check_wait 20 "all is idle" prints 0 job_gpus
check "the reservation goes" scontrol delete reservationname=keep

say "a waiting job moves"
full=$(submit_sleep -A a -N2 --gres=gpu:h100:2)
job_wait "$full" RUNNING || bail "the owner does not run"
moved=$(submit_sleep -A a --gres=gpu:h100:1 -t 10)
check_wait 10 "it waits for the share's own room" \
	prints_match QuotaShare job_reason "$moved"
check "a longer time changes nothing" \
	scontrol update "jobid=$moved" TimeLimit=20
check_wait 10 "it waits for the same" \
	prints_match QuotaShare job_reason "$moved"
check "its time comes" scancel "$full"
check_wait 15 "it runs" job_is "$moved" RUNNING
next=$(submit_sleep -A b --gres=gpu:h100:1 -H)
# Without a database _update_job() of 24.11 may give back an old errno (the
# association of the new partition is not found, which is no error).
check_wait 5 "another partition" scontrol update "jobid=$next" Partition=fast
check "released" scontrol release "$next"
check_wait 15 "it runs there" job_is "$next" RUNNING
check_match "on its nodes" "$(job_field "$next" NodeList)" '^n[12]$'
check_ledger "moved"
scancel "$moved" "$next"
check_wait 20 "all is idle" prints 0 job_gpus

# Slurm 22.05 lets no job grow that has GRES ("has allocated GRES"): nothing may
# change by the attempt. Where it is allowed, the charge moves with the nodes.
say "a job asks to grow by another's nodes"
small=$(submit_sleep -A b -N1 --gres=gpu:h100:1)
job_wait "$small" RUNNING || bail "the small job does not run"
check "nodes to grow by are allocated" cluster_cmd salloc --no-shell -J grow \
	-A b -N1 -w n4 --gres=gpu:h100:2 -d "expand:$small"
grow=$(squeue -h -t R -n grow -o %A)
check_wait 5 "both are charged" prints 3 share_field borrower h100 used
scontrol update "jobid=$grow" NumNodes=0 &&
	scontrol update "jobid=$small" NumNodes=ALL
say "job $small has $(job_field "$small" NumNodes) nodes"
check_wait 5 "three are charged as before" \
	prints 3 share_field borrower h100 used
check_ledger "grown"
test_done
