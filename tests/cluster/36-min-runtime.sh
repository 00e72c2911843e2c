#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# MinRuntime (R13): no preemption of ours, cross-share or in-share, takes a job
# before it has run that long since its last start; who waits is told.

. "${0%/*}/lib.sh"

MIN=20

cluster_init minrun
cluster_need_plugins
cluster_nodes "n1" h100:3
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=owner Accounts=a Capacity=h100:1 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	InSharePreemption=YES MinRuntime=$MIN
EOF
cluster_start || bail "no cluster"

jobs=()
for priority in 5 4 3; do
	id=$(submit_sleep -A b --share-priority="$priority" \
		--gres=gpu:h100:1)
	job_wait "$id" RUNNING || bail "job $id does not run"
	jobs+=("$id")
done

# How long each run that was preempted had taken, in seconds.
runs()
{
	event_log 'select(.event == "preemption_completed") | .run'
}

# stopped_for ID ID: how many were, for one of these
stopped_for()
{
	event_log --argjson a "$1" --argjson b "$2" \
		'select(.event == "preemption_completed" and
		(.for == $a or .for == $b)) | .job' | wc -l
}

owner=$(submit_sleep -A a --gres=gpu:h100:1)
high=$(submit_sleep -A b --share-priority=9 --gres=gpu:h100:1)
check_wait 5 "the owner waits, protected is who would go" \
	prints_match 'QuotaShare.*(protect|MinRuntime)' job_reason "$owner"
squeue -h -t PENDING -o '#   %i %r'
check_wait 5 "explain says so, and when the first may go" prints_match \
	'MinRuntime.*[0-9-]{10}[[:space:]]+[0-9:]{8}[[:space:]]+UTC' \
	qshare explain "$owner"
check_wait 5 "so does the one who would displace in his share" \
	prints_match 'QuotaShare' job_reason "$high"
check_wait 5 "and its explanation" prints_match 'protect|MinRuntime' \
	qshare explain "$high"
check_match "the protected one's, until when" \
	"$(qshare explain "${jobs[2]}" --json | jq .protected_until)" \
	'^[0-9]+$'
check_wait $((MIN + 10)) "then the owner runs" job_is "$owner" RUNNING
check_wait 10 "and so does the one of high priority" job_is "$high" RUNNING
# Which two depends on whose time was over first. If the one of priority 5 was
# among them, it may displace the one of priority 3 by now.
check_wait 5 "two were stopped for these two" \
	prints 2 stopped_for "$owner" "$high"
for ran in $(runs); do
	check "one had run $ran s, at least $MIN" test "$ran" -ge "$MIN"
done
check_ledger
test_done
