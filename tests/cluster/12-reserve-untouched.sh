#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# RESERVE idle capacity is used by its owner only, at every instant (law 16):
# many short jobs of a borrower, an owner that comes and goes, the reserved
# share now and then; looked at all the time, from two sides.

. "${0%/*}/lib.sh"

BUSY_SEC=${BUSY_SEC:-30}

cluster_init reserve
cluster_need_plugins
cluster_nodes "m[1-2]" h100:8
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=kept Accounts=r Capacity=h100:4 Strategy=RESERVE InSharePreemption=NO
Share=owner Accounts=a Capacity=h100:6 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:6 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

sample_start alloc alloc_list
sample_start status qshare status --json

RANDOM=7
clock
begun=$MS
jobs=0
round=0
next_owner=4000
next_kept=5000
# Longer, if by then each time one of the borrower's jobs had ended by itself in
# the grace time, so that nobody had to go.
go_on()
{
	((MS - begun < BUSY_SEC * 1000)) ||
		{ ((MS - begun < 4 * BUSY_SEC * 1000)) &&
			prints 0 status_field .counters.preemptions; }
}
while go_on; do
	round=$((round + 1))
	# Enough for the borrower to want everything all the time; on a machine
	# where they end sooner than they are submitted, ten a round.
	for _ in {1..10}; do
		(($(squeue -h -A b -t PD -o %i | wc -l) < 10)) || break
		submit_sleep --for "$((RANDOM % 4 + 3))" -A b \
			--gres="gpu:h100:$((RANDOM % 2 + 1))" >/dev/null
		jobs=$((jobs + 1))
	done
	# By the clock: a busy machine makes few rounds.
	if ((MS - begun >= next_owner)); then
		next_owner=$((next_owner + 6000))
		submit_sleep --for 3 -A a \
			--gres="gpu:h100:$((RANDOM % 5 + 1))" >/dev/null
		jobs=$((jobs + 1))
	fi
	if ((MS - begun >= next_kept)); then
		next_kept=$((next_kept + 8000))
		submit_sleep --for 1 -A r --gres=gpu:h100:2 >/dev/null
		jobs=$((jobs + 1))
	fi
	clock
done
sample_stop alloc
sample_stop status
say "$jobs jobs in $((MS - begun)) ms, $round rounds"

# For each look: GPUs of r, of a, of b.
awk '/^@/ {
		if (seen)
			print n["r"] + 0, n["a"] + 0, n["b"] + 0
		seen = 1
		delete n
		next
	}
	{ n[$2] += $6 }' "$(sample_file alloc)" >"$CL_DIR/samples/counts"
read -r looks others kept owner full lent < <(awk '
	{
		looks++
		if ($2 + $3 > others) others = $2 + $3
		if ($1 > kept) kept = $1
		if ($2 > owner) owner = $2
		if ($1 == 0 && $2 + $3 == 12) full++
		if ($3 > 6) lent++
	}
	END { print looks + 0, others + 0, kept + 0, owner + 0, full + 0,
		lent + 0 }' "$CL_DIR/samples/counts")
say "at $full of $looks looks all but the reserved were in use, at $lent" \
	"the borrower had more than its own"
check "looked often enough at the jobs" test "$looks" -ge 60
check "all that is lent was in use at times" test "$full" -ge 3
check "there were loans at times" test "$lent" -ge 10
check "the reserved share ran jobs too" test "$kept" -ge 1
check "the owner ran jobs too" test "$owner" -ge 1
check_eq "most that others ever used" "$others" 12
check "the reserved share kept to its capacity" test "$kept" -le 4

# The same from qshare's own table.
grep -v '^[@!]' "$(sample_file status)" | jq -c '
	[(.shares[] | select(.share == "kept") | .lent, .used),
	 ([.shares[] | select(.share != "kept") | .used] | add),
	 ([.shares[] | .lent] | add), ([.shares[] | .borrowed] | add)]' \
	>"$CL_DIR/samples/rows"
check "looked often enough at qshare" \
	test "$(wc -l <"$CL_DIR/samples/rows")" -ge 30
check_eq "looks at which qshare has the reserved share lending" \
	"$(jq -c 'select(.[0] != 0)' "$CL_DIR/samples/rows" | wc -l)" 0
check_eq "looks at which qshare has others above 12" \
	"$(jq -c 'select(.[2] > 12)' "$CL_DIR/samples/rows" | wc -l)" 0
check_eq "looks at which lent and borrowed differ" \
	"$(jq -c 'select(.[3] != .[4])' "$CL_DIR/samples/rows" | wc -l)" 0
stops=$(scontrol -o show job | awk '{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^Restarts=/)
				n += substr($i, 10)
	} END { print n + 0 }')
check "the owner took back what was lent ($stops jobs requeued)" \
	test "$stops" -ge 1
check_eq "differences between the ledger and a recount" \
	"$(status_field .counters.ledger_drift)" 0
test_done
