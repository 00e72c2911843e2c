#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every spelling of a request is charged what it gets (R2, law 9): while it
# waits its quota is judged by the right number, and while it runs the charge
# is what was allocated.

. "${0%/*}/lib.sh"

cluster_init spell
cluster_need_plugins
cluster_nodes "m[1-2]" h100:8 Sockets=2 CoresPerSocket=8
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:6 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:10 Strategy=RESERVE InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# spelling GPUS SBATCH-ARGS...
spelling()
{
	local want=$1 id

	shift
	id=$(submit_sleep -A a "$@") || {
		not_ok "$*: accepted"
		return
	}
	if ! wait_for 10 "$*" job_is "$id" RUNNING; then
		not_ok "$*: runs" "$(job_reason "$id")"
	else
		check_eq "$*: allocated" "$(job_gpus "$id")" "$want"
		check_wait 3 "$*: charged $want" \
			prints "$want" share_field one h100 used
	fi
	scancel "$id"
	wait_for 10 "the end of it" prints 0 share_field one h100 used ||
		not_ok "$*: given back"
}

spelling 1 --gres=gpu:h100
spelling 2 --gres=gpu:h100:2
spelling 4 -N2 --gres=gpu:h100:2
spelling 3 --gpus=h100:3
spelling 4 -N2 --gpus=h100:4
spelling 2 -N2 --gpus-per-node=h100:1
spelling 3 -n3 --gpus-per-task=h100:1
spelling 4 -N1 --gpus-per-socket=h100:2 --sockets-per-node=2
spelling 2 --gres=gpu:2
spelling 5 --gpus=5
spelling 4 -N2 --gpus-per-node=2
spelling 2 -n2 --gpus-per-task=1
spelling 2 -n4 --ntasks-per-gpu=2
# Slurm takes the last of two terms of one type.
spelling 1 --gres=gpu:h100:2,gpu:h100:1

# judged ARGS...: 7 GPUs or more, where 6 are the limit
judged()
{
	local out

	if out=$(sbatch -A a "$@" --wrap "sleep 9" 2>&1); then
		not_ok "$*: more than the limit is refused" "$out"
	else
		check_match "$*: more than the limit is refused" "$out" \
			"EXCEEDED"
	fi
}

judged --gres=gpu:h100:7
judged -N2 --gres=gpu:h100:4
judged --gpus=h100:7
judged -N2 --gpus-per-node=h100:4
judged -n7 --gpus-per-task=h100:1
judged -N2 --gpus-per-socket=h100:2 --sockets-per-node=2
judged --gres=gpu:7
judged --gpus=8
say "--exclusive takes all GPUs of a node, whatever was asked for"
if id=$(submit_sleep -A a --exclusive --gres=gpu:h100:1 2>/dev/null); then
	most_is_6()
	{
		(($(account_gpus a) <= 6))
	}
	check_lasts 5 "such a job does not get 8 where 6 are the limit" \
		most_is_6
	say "it is $(job_state "$id"): $(job_reason "$id")"
else
	ok "such a job, which gets 8 where 6 are the limit, is refused"
fi
check_eq "differences between the ledger and a recount" \
	"$(status_field .counters.ledger_drift)" 0
test_done
