#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034
#
# simslurmd, on which the soak and the benchmarks stand, against real slurmds:
# the same small history (ends by themselves, a cancelled job, victims that
# die, that stay, that end well in their grace time, a job of two nodes) leaves
# the same states, counts and victims, and takes as long.

. "${0%/*}/lib.sh"

GRACE=3

# history: prints a line "WORD RESULT" for each part, times as "WORD_ms MS".
history()
{
	local own lent cancelled owed both begun

	clock
	begun=$MS
	mapfile -t own < <(jobs "account=a gres=gpu:h100:1 sleep=1 count=4")
	wait_for 30 "short jobs to end" all_are COMPLETED "${own[@]}"
	took short_ms "$begun"
	mapfile -t own < <(jobs "account=b gres=gpu:h100:1 sleep=600 count=4")
	wait_for 20 "own jobs" all_are RUNNING "${own[@]}"
	mapfile -t lent < <(jobs "account=b gres=gpu:h100:1 sleep=600
		account=b gres=gpu:h100:1 sleep=600 trap=TERM
		account=b gres=gpu:h100:1 sleep=600 trap=TERM exit=0
		account=b gres=gpu:h100:1 sleep=600")
	wait_for 20 "loans" all_are RUNNING "${lent[@]}"
	# A batch script that is told before its trap stands just dies, and a
	# victim that began less than two seconds ago is told later.
	sleep 3
	cancelled=${lent[3]}
	clock
	begun=$MS
	scancel "$cancelled"
	wait_for 20 "the cancelled job" all_are CANCELLED "$cancelled"
	took cancelled_ms "$begun"

	clock
	begun=$MS
	mapfile -t owed < <(jobs "account=a gres=gpu:h100:1 sleep=600 count=4")
	wait_for 20 "the first owner" count_is RUNNING 2 "${owed[@]}"
	took first_ms "$begun"
	wait_for 40 "all owners" all_are RUNNING "${owed[@]}"
	took last_ms "$begun"
	echo "own $(job_states "${own[@]}") $(job_counts "${own[@]}")"
	echo "lent $(job_states "${lent[@]}") $(job_counts "${lent[@]}")"
	echo "preemptions $(status_field .counters.preemptions)"
	cluster_empty || echo "not empty"

	mapfile -t both < <(jobs \
		"account=a gres=gpu:h100:4 nodes=2 cpus=2 sleep=1")
	wait_for 20 "the job of two nodes" all_are COMPLETED "${both[@]}"
	echo "nodes $(job_states "${both[@]}") $(job_gpus)"
	echo "drift $(status_field .counters.ledger_drift)"
}

# jobs LINES: submits them, prints their ids.
jobs()
{
	simsubmit <<<"$1" | awk '{ print $1 }'
}

took()
{
	clock
	echo "$1 $((MS - $2))"
}

count_is()
{
	local state=$1 want=$2

	shift 2
	[ "$(job_states "$@" | xargs -n 1 | grep -cx "$state")" -ge "$want" ]
}

all_are()
{
	count_is "$1" "$(($# - 1))" "${@:2}"
}

# play NAME REAL|SIM: the history on a cluster of its own
play()
(
	TEST_STATE=open
	cluster_init "$1"
	cluster_sim
	[ "$2" = SIM ] || CL_SIM=0
	cluster_nodes "n[1-2]" h100:4 CPUs=64
	cluster_policy <<-END
	Queue=train Partitions=gpu GraceTime=$GRACE
	Share=owner Accounts=a Capacity=h100:4 Strategy=LEND_AND_BORROW \\
		InSharePreemption=NO
	Share=borrower Accounts=b Capacity=h100:4 Strategy=LEND_AND_BORROW \\
		InSharePreemption=NO
	END
	cluster_start || bail "no cluster"
	check_eq "nodes of $2" "$(sinfo -h -N -o %G | sort -u)" gpu:h100:4
	history >"$results/$2.$turn"
	say "$2: $(grep -v '^#' "$results/$2.$turn" | tr '\n' ';')"
	sed -n '/^#/p' "$results/$2.$turn"
	check_eq "one run ended well in its grace time on $2" \
		"$(sed -n 's/^lent //p' "$results/$2.$turn")" \
		"PENDING PENDING COMPLETED CANCELLED 1 1 0 0"
	test_done
)

# least REAL|SIM WHAT: the shortest of its turns
least()
{
	sed -n "s/^$2 //p" "$results/$1".* | sort -n | head -n 1
}

# same_order WHAT: both took about as long; half a second is the schedulers'.
same_order()
{
	local real sim

	real=$(least REAL "$1")
	sim=$(least SIM "$1")
	echo "real $real ms, simulated $sim ms"
	((real < 2 * sim + 1500 && sim < 2 * real + 1500))
}

cluster_init sim
cluster_sim
cluster_need_plugins
results=$CL_DIR/results
mkdir "$results"

all_in_order()
{
	local what

	for what in $times; do
		same_order "$what" || return
	done
}

times="short_ms cancelled_ms first_ms last_ms"
# A second turn if the machine had something else to do in one of the first two.
for turn in 1 2; do
	for kind in REAL SIM; do
		play "sim-$kind" "$kind" >"$results/log" 2>&1 ||
			bail "no history on $kind: $(cat "$results/log")"
		grep '^# ' "$results/log"
		ok "a history on $kind"
	done
	check_eq "the same in all but time" \
		"$(grep -vE '^#|_ms ' "$results/SIM.$turn" | tr '\n' ';')" \
		"$(grep -vE '^#|_ms ' "$results/REAL.$turn" | tr '\n' ';')"
	all_in_order >"$results/log" && break
	say "turn $turn: $(tail -n 1 "$results/log")"
done
for what in $times; do
	check "$what: $(same_order "$what")" same_order "$what"
done
test_done
