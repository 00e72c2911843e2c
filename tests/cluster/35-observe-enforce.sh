#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# From Mode=OBSERVE to ENFORCE and back on a live cluster (R19): the tables
# are the same before and after, what runs above its limit runs on, nobody is
# stopped merely because the mode changed, and then the rules hold. OBSERVE is a
# brake as well: who has been told to go by then is not stopped any more.

. "${0%/*}/lib.sh"

cluster_init enforce
cluster_need_plugins
cluster_nodes "n1" h100:4

# policy MODE GRACE
policy()
{
	cluster_policy <<EOF
Mode=$1
Queue=train Partitions=gpu GraceTime=$2
Share=kept Accounts=r Capacity=h100:2 Strategy=RESERVE InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	BorrowLimit=50 InSharePreemption=NO
EOF
}

# in_mode MODE [GRACE]
in_mode()
{
	policy "$1" "${2:-1}"
	check "reconfigure" cluster_reconfigure
	wait_for 10 "mode $1" prints "$1" status_field .mode
}

policy OBSERVE 1
cluster_start || bail "no cluster"
jobs=()
for priority in 9 8 7 6; do
	id=$(submit_sleep -A b --share-priority="$priority" \
		--gres=gpu:h100:1)
	job_wait "$id" RUNNING || bail "job $id was held back"
	jobs+=("$id")
done
use()
{
	qshare status --json | jq -r '.shares[] | select(.share ==
		"borrower") | "\(.used) \(.own) \(.borrowed) \(.over_limit)"'
}
check_wait 10 "four used: own 2, within the limit 1, over limit 1" \
	prints_match '^4 2 [12] 1$' use
before=$(use)
owner=$(submit_sleep -A r --gres=gpu:h100:2)
check_lasts 3 "an owner who waits stops nobody" \
	prints "0 0 0 0" job_counts "${jobs[@]}"
check_match "and waits as Slurm says" "$(job_reason "$owner")" \
	'Resources|Priority|None'
check_ledger "observing"
check "no preemption was counted" prints 0 status_field .counters.preemptions
scancel "$owner"

say "now it counts"
in_mode ENFORCE
check_wait 10 "the tables are the same" prints "$before" use
check_lasts 3 "nobody is stopped" prints "0 0 0 0" job_counts "${jobs[@]}"
wait_id=$(submit_sleep -A b --gres=gpu:h100:1)
check_wait 10 "who would borrow above the limit waits" \
	prints_match 'QuotaShare' job_reason "$wait_id"
owner=$(submit_sleep -A r --gres=gpu:h100:2)
check_wait 20 "an owner gets his" job_is "$owner" RUNNING
check_eq "from the two lowest" "$(job_counts "${jobs[@]}")" "0 0 1 1"
check_wait 10 "who wait with a reason" prints_match 'QuotaShare' \
	job_reason "${jobs[3]}"
scancel "$owner"
check_lasts 3 "what is reserved stays idle" prints "2 2 0 0" use
check_ledger "enforcing"

say "and back"
in_mode OBSERVE
check_wait 25 "nothing is held any more: all that fits runs" \
	prints 4 job_gpus
cluster_empty

say "and back while two are on their way"
jobs=()
for priority in 9 8 7 6; do
	id=$(submit_stubborn -A b --share-priority="$priority" \
		--gres=gpu:h100:1)
	check_wait 20 "job $id writes" job_out_count "$id" "^begun"
	jobs+=("$id")
done
in_mode ENFORCE 8
owner=$(submit_sleep -A r --gres=gpu:h100:2)
check_wait 15 "two are told to go" prints "${jobs[2]} ${jobs[3]}" stopping_jobs
in_mode OBSERVE 8
check_wait 5 "nobody is on the way out" prints "" stopping_jobs
check_lasts 10 "and nobody is stopped" prints "0 0 0 0" job_counts "${jobs[@]}"
check_eq "why the claim ended" "$(event_log 'select(.event == "claim_ended" and
	.job == '"$owner"') | .why')" "the policy only observes"
check_eq "the owner waits as Slurm says" "$(job_state "$owner")" PENDING
check_ledger
test_done
