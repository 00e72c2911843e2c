#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A queue that only gets longer is planned now and then, not at each submission
# (engine/standing.h), and what was measured of a job is kept (look_kept.c).
# Nobody is forgotten by that: each job has its reason at once; an owner's job
# is served at once in the middle of a stream of submissions, and so is one that
# may pass the others; when who is first is held, changed or cancelled, the next
# one is first; and at the end all have run.

. "${0%/*}/lib.sh"

WAITING=150
ASKED=30
OTHERS=20
more=()

cluster_init long-queue
cluster_sim
cluster_need_plugins
cluster_nodes "n[1-4]" h100:4 CPUs=64
cluster_conf <<EOF
SchedulerParameters=default_queue_depth=1000,bf_interval=30
EOF
cluster_policy <<EOF
Queue=all Partitions=gpu GraceTime=0
Share=owner Accounts=a Capacity=h100:8 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:8 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# Ids of jobs that simsubmit was given on its standard input.
submit_many()
{
	simsubmit | awk '{ print $1 }'
}

counter()
{
	status_field ".counters.$1"
}

# How many waiting jobs show what matches.
shown()
{
	squeue -h -t PD -o %r | grep -cE "$1"
}

explained()
{
	qshare explain "$1" --json | jq -r .code
}

launched()
{
	cluster_trace launch | awk -v id="$1" '$3 == id { found = 1 }
		END { exit !found }'
}

launches_of()
{
	cluster_trace launch | awk '{ print $3 }' | sort -u |
		grep -cxF "$(printf '%s\n' "$@")"
}

woken_since()
{
	[ "$(counter rounds_woken)" -gt "$1" ]
}

nothing_wakes()
{
	local woken

	woken=$(counter rounds_woken)
	sleep 2
	! woken_since "$woken"
}

# Submits jobs until told to end, however fast or slow the machine is.
stream_begin()
{
	rm -f "$CL_DIR/stream.end"
	while [ ! -e "$CL_DIR/stream.end" ]; do
		simsubmit <<<"account=b gres=gpu:h100:2 sleep=1 count=10 pause=20"
	done >"$CL_DIR/stream" &
	stream=$!
}

streamed_so_far()
{
	wc -l <"$CL_DIR/stream"
}

streamed_more()
{
	[ "$(streamed_so_far)" -gt "$1" ]
}

stream_end()
{
	touch "$CL_DIR/stream.end"
	wait "$stream"
	mapfile -t streamed < <(awk '{ print $1 }' "$CL_DIR/stream")
}

not_running()
{
	local id

	for id; do
		job_is "$id" RUNNING || echo "$id"
	done | xargs
}

gone()
{
	[ -z "$(squeue -h -t PD,R,CG -o %A -j "$(IFS=, && echo "$*")")" ]
}

all_gone()
{
	[ -z "$(squeue -h -t PD,R,CG -o %A)" ]
}

mapfile -t held < <(submit_many <<<"account=b gres=gpu:h100:4 sleep=600 count=4")
for id in "${held[@]}"; do
	job_wait "$id" RUNNING || bail "the GPUs are not in use"
done
first=$(submit_many <<<"account=b gres=gpu:h100:4 sleep=1")
check_wait 10 "the first that waits is refused by quota" \
	prints NOTHING_LENDABLE explained "$first"

say "a stream of jobs behind it"
woken=$(counter rounds_woken)
mapfile -t queue < <(submit_many \
	<<<"account=b gres=gpu:h100:2 sleep=1 count=$WAITING")
check_eq "explain knows the last at once" "$(explained "${queue[-1]}")" ORDER
woken=$(($(counter rounds_woken) - woken))
check "of $WAITING submissions hardly any woke the planner: $woken" \
	test "$woken" -le $((WAITING / 20))
check "the queue was looked at all the same: $(counter rounds_longer)" \
	test "$(counter rounds_longer)" -ge 1
check_wait 5 "each has its reason" prints "$WAITING" \
	shown "^QuotaShare: needs 2 h100, behind JobId=$first"
check_eq "all wait" "$(shown .)" $((WAITING + 1))

say "explain, while the planner looks"
unknown=0
for ((i = 0; i < ASKED; i++)); do
	asked=$(submit_many <<<"account=b gres=gpu:h100:2 sleep=1")
	more+=("$asked")
	[ "$(explained "$asked")" = ORDER ] || unknown=$((unknown + 1))
done
check_eq "jobs that it does not know yet, of $ASKED just submitted" \
	"$unknown" 0

say "an owner in the middle of a stream"
stream_begin
wait_for 20 "a stream" streamed_more 10 || bail "nothing is submitted"
begun_at=$(streamed_so_far)
owner=$(submit_many <<<"account=a gres=gpu:h100:4 sleep=600")
clock
begun=$MS
wait_for 20 "the owner's start" launched "$owner"
clock
check "the owner's job runs after $((MS - begun)) ms" launched "$owner"
check_wait 10 "others were submitted meanwhile" streamed_more "$begun_at"
stream_end
check "they are not needed any more" scancel "${streamed[@]}"
victim=$(not_running "${held[@]}")
check_eq "one job was stopped for it" "$(wc -w <<<"$victim")" 1
check "it is held, so that it does not come back" scontrol hold "$victim"

say "jobs without GPUs come and go"
wait_for 30 "nothing to happen" nothing_wakes
woken=$(counter rounds_woken)
mapfile -t others < <(submit_many <<<"account=b sleep=0 count=$OTHERS")
check_wait 30 "they have run" prints "$OTHERS" launches_of "${others[@]}"
check_wait 30 "they are gone" gone "${others[@]}"
woken=$(($(counter rounds_woken) - woken))
check "of $OTHERS hardly any woke the planner: $woken" \
	test "$woken" -le $((OTHERS / 10))

say "who may pass the others is not behind them"
wait_for 30 "nothing to happen" nothing_wakes
woken=$(counter rounds_woken)
prior=$(submit_sleep -A b --share-priority=9 --gres=gpu:h100:4)
check_wait 3 "the planner is woken for it" woken_since "$woken"
check_eq "it is tried, and told what would have let it start" \
	"$(explained "$prior")" IN_SHARE_OFF
check_wait 10 "the first waits behind it" prints_match \
	"behind JobId=$prior " job_reason "$first"

say "it is held, which no callback tells"
check "hold" scontrol hold "$prior"
check_wait 10 "the first is first again" \
	prints NOTHING_LENDABLE explained "$first"

say "changed while they wait"
check "the GPUs of the first" scontrol update "JobId=$first" \
	TresPerNode=gres:gpu:h100:3
check_wait 10 "its reason has the new number" prints_match \
	'^QuotaShare: needs 3 h100' job_reason "$first"
changed=${queue[3]}
check "the GPUs of one behind it" scontrol update "JobId=$changed" \
	TresPerNode=gres:gpu:h100:1
check_wait 10 "its reason, too" prints_match \
	'^QuotaShare: needs 1 h100, behind' job_reason "$changed"

say "the first is cancelled"
scancel "$first"
check_wait 10 "the second is first" \
	prints NOTHING_LENDABLE explained "${queue[0]}"
check_wait 10 "the third waits behind it" prints_match \
	"behind JobId=${queue[0]} " job_reason "${queue[1]}"

say "what they wait for ends"
scancel "${held[@]}" "$owner" "$prior"
check_wait 120 "the queue is empty" all_gone
check_eq "all have run" "$(launches_of "${queue[@]}" "${more[@]}")" \
	$((WAITING + ASKED))
check_eq "what looks had kept was right" "$(counter kept_drift)" 0
check_eq "differences between the ledger and a recount" \
	"$(counter ledger_drift)" 0
test_done
