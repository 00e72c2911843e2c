#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The walk-through of AWS Batch's quota management, steps 1 to 4, with jobs
# that write checkpoints: three instances of one GPU, three shares of one.

. "${0%/*}/lib.sh"

cluster_init walk
cluster_need_plugins
cluster_nodes "n[1-3]" a10g:1
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=5
Share=QS1 Accounts=qs1 Capacity=a10g:1 Strategy=LEND_AND_BORROW \\
	BorrowLimit=200 InSharePreemption=YES
Share=QS2 Accounts=qs2 Capacity=a10g:1 Strategy=LEND InSharePreemption=NO
Share=QS3 Accounts=qs3 Capacity=a10g:1 Strategy=RESERVE InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

table()
{
	say "$1"
	qshare status 2>&1 | sed 's/^/#   /'
	squeue -S i -o '%.5i %.6j %.7a %.9T %.8N %r' | sed 's/^/#   /'
}

# row SHARE "used own borrowed lent idle waiting"
row()
{
	check_wait 5 "$1 has used, own, borrowed, lent, idle, waiting: $2" \
		prints "$2" share_row "$1" a10g
}

train()
{
	submit_train -A "$1" -J "prio$2" --share-priority="$2" \
		--gres=gpu:a10g:1
}

sample_start alloc alloc_list

p3=$(train qs1 3)
p2=$(train qs1 2)
p1=$(train qs1 1)
check_wait 10 "1. priority 3 runs on QS1's own" job_is "$p3" RUNNING
check_wait 10 "1. priority 2 borrows QS2's" job_is "$p2" RUNNING
check_lasts 3 "1. priority 1 waits: QS3 does not lend" job_is "$p1" PENDING
row QS1 "2 1 1 0 0 1"
row QS2 "0 0 0 1 0 0"
row QS3 "0 0 0 0 1 0"
check_wait 5 "1. squeue tells why" prints_match '^QuotaShare:.*[0-9]' \
	job_reason "$p1"
explained()
{
	qshare explain "$1" --json | jq -r '"\(.share) \(.verdict) \(.code)"'
}
check_wait 5 "1. explain says" prints "QS1 WAIT NOTHING_LENDABLE" \
	explained "$p1"
check_wait 10 "   priority 2 has made some steps" train_reached "$p2" 3
table "after step 1"

o1=$(train qs2 1)
check_wait 20 "2. QS2's job runs" job_is "$o1" RUNNING
check_wait 5 "2. priority 2 waits again" job_is "$p2" PENDING
check_eq "2. it was requeued once" "$(job_restarts "$p2")" 1
check_eq "2. it was told to stop, and wrote a checkpoint" \
	"$(job_out_count "$p2" 'SIGTERM|checkpoint')" 2
check_eq "2. priority 3 still runs" "$(job_state "$p3")" RUNNING
row QS1 "1 1 0 0 0 2"
row QS2 "1 1 0 0 0 0"
row QS3 "0 0 0 0 1 0"
table "after step 2"

check_wait 10 "   priority 3 has made some steps" train_reached "$p3" 3
check "3. priority 1 is raised to 4" qshare priority "$p1" 4
check_wait 20 "3. it runs" job_is "$p1" RUNNING
check_wait 5 "3. priority 3 waits again" job_is "$p3" PENDING
check_eq "3. it was requeued once" "$(job_restarts "$p3")" 1
check_eq "3. QS2's job still runs" "$(job_state "$o1")" RUNNING
row QS1 "1 1 0 0 0 2"
row QS2 "1 1 0 0 0 0"
table "after step 3"

train_finish "$o1"
check_wait 10 "4. QS2's job ends" job_is "$o1" COMPLETED
check_wait 20 "4. priority 3 borrows QS2's" job_is "$p3" RUNNING
check_wait 10 "4. it goes on from its checkpoint" train_continued "$p3"
check_eq "4. priority 2 still waits" "$(job_state "$p2")" PENDING
row QS1 "2 1 1 0 0 1"
row QS2 "0 0 0 1 0 0"
row QS3 "0 0 0 0 1 0"
table "after step 4"

train_finish "$p1"
check_wait 20 "priority 2 follows when priority 4 has ended" \
	job_is "$p2" RUNNING
check_wait 10 "it goes on from its checkpoint" train_continued "$p2"
for id in "$p2" "$p3"; do
	say "job $id:"
	job_out "$id" | grep -v '^train: step' | sed 's/^/#   /'
	train_finish "$id"
	check_wait 10 "job $id ends well" job_is "$id" COMPLETED
done

sample_stop alloc
check "looked often enough" test "$SAMPLES" -ge 40
check_eq "most GPUs in use at any look: QS3's stays idle" \
	"$(awk '/^@/ { n = 0; next }
		{ n += $6 } n > max { max = n }
		END { print max + 0 }' "$(sample_file alloc)")" 2
check_eq "preemptions of the whole walk" \
	"$(($(job_restarts "$p1") + $(job_restarts "$p2") +
		$(job_restarts "$p3") + $(job_restarts "$o1")))" 2
test_done
