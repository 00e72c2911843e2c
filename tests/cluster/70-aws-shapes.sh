#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The walk-through's reclaim as scripts for AWS Batch would see it: statuses,
# reasons letter by letter, the preemption summary, the snapshot, the events;
# and what is told of jobs that have ended, also when slurmctld forgot them.

. "${0%/*}/lib.sh"

cluster_init aws
cluster_need_plugins
table=$(cd "${0%/*}/../.." && pwd)/etc/instance_types.csv
cluster_nodes "n[1-3]" a10g:1
cluster_policy <<EOF
GpuType=a10g Instance=ml.g5.xlarge
Queue=train Partitions=gpu GraceTime=6 NeverFits=WAIT
Share=QS1 Accounts=qs1 Capacity=a10g:1 Strategy=LEND_AND_BORROW \\
	BorrowLimit=200 InSharePreemption=YES
Share=QS2 Accounts=qs2 Capacity=a10g:1 Strategy=LEND InSharePreemption=NO
Share=QS3 Accounts=qs3 Capacity=a10g:1 Strategy=RESERVE InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

CROSS="Cross-share preemption triggered to reclaim borrowed capacity"

# The table is not installed where the tests run.
aws()
{
	cluster_cmd env "QSHARE_INSTANCES=$table" qshare "$@"
}

# field JOB FILTER: of describe-jobs.
field()
{
	aws describe-jobs "$1" | jq -r "$2"
}

status_is()
{
	[ "$(field "$1" .status)" = "$2" ]
}

being_preempted()
{
	[ "$(field "$1" .statusReason)" = "PREEMPTION_IN_PROGRESS: $CROSS" ]
}

p2=$(submit_sleep -A qs1 -J two --share-priority=2 --gres=gpu:a10g:1)
p1=$(submit_stubborn -A qs1 -J one --share-priority=1 --gres=gpu:a10g:1)
p0=$(submit_sleep -A qs1 -J zero --gres=gpu:a10g:1 --preempt-retries=0)
check_wait 15 "an own job is RUNNING" status_is "$p2" RUNNING
check_wait 15 "a borrowing job is RUNNING" status_is "$p1" RUNNING
check_wait 15 "the third is RUNNABLE" status_is "$p0" RUNNABLE
check_eq "share, priority and type" "$(field "$p1" \
	'"\(.quotaShareName) \(.schedulingPriority) \(.serviceJobType)"')" \
	"QS1 1 SAGEMAKER_TRAINING"
check_eq "name and capacity in instances" "$(field "$p1" \
	'"\(.jobName) \(.capacityUsage[0].quantity) \(.capacityUsage[0].capacityUnit)"')" \
	"one 1 ml.g5.xlarge"
check_eq "retries unset are not there" "$(field "$p1" \
	'has("preemptionConfiguration")')" "false"
check_eq "retries 0 are 0" "$(field "$p0" \
	.preemptionConfiguration.preemptionRetriesBeforeTermination)" 0
check_eq "times are milliseconds, in order" "$(field "$p1" \
	'.createdAt > 1e12 and .startedAt >= .createdAt')" true
check_eq "the snapshot's front of QS1" "$(aws snapshot |
	jq -r '.frontOfQuotaShares.quotaShares.QS1[0].jobArn')" \
	"arn:aws:batch:slurm:000000000000:service-job/$p0"
# Of the queue's first job and the share's: since when.
at_front_since()
{
	aws snapshot | jq -c '[.frontOfQueue.jobs[0].earliestTimeAtPosition,
		.frontOfQuotaShares.quotaShares.QS1[0].earliestTimeAtPosition]'
}

both=$(at_front_since)
since=$(jq '.[0]' <<<"$both")
check_eq "since when it is at its place" "$((since / 1000 <= $(date +%s) &&
	since / 1000 >= $(field "$p0" .createdAt) / 1000))" 1
check_eq "nobody waits in QS2" "$(aws snapshot |
	jq -c .frontOfQuotaShares.quotaShares.QS2)" "[]"
check_eq "two instances are used" "$(aws snapshot |
	jq -c .queueUtilization.totalCapacityUsage)" \
	'[{"capacityUnit":"ml.g5.xlarge","quantity":2}]'
# Some looks later.
sleep 3
check_eq "it is there since the same time" "$(at_front_since)" "$both"

o1=$(submit_sleep -A qs2 -J owner --gres=gpu:a10g:1)
check_wait 15 "the borrower is told, in AWS's words" being_preempted "$p1"
check_wait 30 "the owner's job is RUNNING" status_is "$o1" RUNNING
check_wait 15 "the borrower is RUNNABLE again" status_is "$p1" RUNNABLE
check_eq "it was preempted once, in AWS's words" "$(field "$p1" \
	'"\(.preemptionSummary.preemptedAttemptCount) \(.preemptionSummary.recentPreemptedAttempts[0].statusReason)"')" \
	"1 $CROSS"
check_eq "the attempt began and ended" "$(field "$p1" \
	'.preemptionSummary.recentPreemptedAttempts[0] | .stoppedAt > .startedAt')" true

events()
{
	aws events --aws | jq -r "$1"
}

check_wait 10 "the events tell it in their order" prints \
	"Batch Service Job Preemption Started
Batch Service Job Preemption Completed" \
	events 'select(."detail-type" | test("Preemption")) | ."detail-type"'
check_eq "the completed one has the attempt" "$(events \
	'select(."detail-type" | test("Completed")) | .detail |
	"\(.status) \(.preemptionSummary.preemptedAttemptCount) \(.preemptionSummary.recentPreemptedAttempts[0].statusReason)"')" \
	"RUNNABLE 1 $CROSS"
check_wait 10 "starts are state changes, in instances" prints \
	"RUNNING ml.g5.xlarge 1" events \
	"select(.detail.status == \"RUNNING\" and .detail.jobId == \"$o1\" and
	.detail.capacityUsage) | \"\\(.detail.status) \\(.detail.capacityUsage[0].capacityUnit) \\(.detail.capacityUsage[0].quantity)\""

say "who comes before it changes the time of a place"
sleep 1.1
first=$(submit_sleep -A qs1 -J first --share-priority=2 --gres=gpu:a10g:1)
at_front()
{
	aws snapshot | jq -r '[.frontOfQueue.jobs[] | .jobArn | split("/")[1]] |
		join(" ")'
}
check_wait 10 "it is first now, the others come after it" prints \
	"$first $p1 $p0" at_front
check_eq "and is there since later than the one behind was" \
	"$(aws snapshot | jq ".frontOfQueue.jobs[0].earliestTimeAtPosition > $since")" \
	true
scancel "$first"
check_wait 10 "who leaves the queue is FAILED" prints \
	"FAILED true Cancelled before it started" events \
	"select(.detail.jobId == \"$first\" and .detail.status == \"FAILED\") |
	.detail | \"\\(.status) \\(.isTerminated) \\(.statusReason)\""

check_eq "a held job is PENDING" "$(scontrol hold "$p1" && field "$p1" .status)" \
	PENDING
scontrol release "$p1"

say "jobs that end"
scancel "$p2"
check_wait 15 "a cancelled run is FAILED" prints "FAILED true" events \
	"select(.detail.jobId == \"$p2\" and .detail.isTerminated) | .detail |
	\"\\(.status) \\(.isTerminated)\""
# Long enough for a look to come in between.
good=$(submit -A qs2 -J good --gres=gpu:a10g:1 --wrap "sleep 2")
bad=$(submit -A qs2 -J bad --gres=gpu:a10g:1 --wrap "sleep 2; exit 7")
scancel "$o1"
told()
{
	events "select(.detail.jobId == \"$1\" and .detail.status) |
		.detail.status" | xargs
}
check_wait 30 "a life that ends well" prints \
	"RUNNABLE SCHEDULED RUNNING SUCCEEDED" told "$good"
check_wait 30 "one that does not" prints \
	"RUNNABLE SCHEDULED RUNNING FAILED" told "$bad"
check_eq "with its reason" "$(events "select(.detail.jobId == \"$bad\" and
	.detail.status == \"FAILED\") | .detail.statusReason")" \
	"Ended with exit code 7"

say "a job that can never start"
never=$(submit_sleep -A qs3 --gres=gpu:a10g:1 -N2)
check_wait 15 "is told as a blocked queue, in AWS's words" prints \
	"RUNNABLE MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - Job requirements exceed quota share capacity limits." \
	events "select(.\"detail-type\" == \"Batch Service Job Queue Blocked\") |
	.detail | select(.jobId == \"$never\") | \"\\(.status) \\(.statusReason)\""
scancel "$never"

scancel "$p0"
check_wait 15 "a cancelled job has FAILED" status_is "$p0" FAILED
check_eq "and is terminated" "$(field "$p0" .isTerminated)" true
check_eq "an unknown job is an error" \
	"$(aws describe-jobs 99999 2>&1; echo $?)" \
	"qshare describe-jobs: slurmctld knows no job 99999, and there is none in its event log, as far as you may read it
1"

say "what slurmctld has forgotten, the event log remembers"
life()
{
	field "$1" '"\(.status) \(.statusReason) \(.startedAt) \(.stoppedAt) \(.quotaShareName)"'
}
was=$(life "$bad")
check_match "before that it tells both" "$was" \
	"^FAILED Ended with exit code 7 [0-9]+ [0-9]+ QS2$"
cluster_ctld_stop
rm -f "$CL_DIR"/state/job_state*
cluster_ctld_start || bail "slurmctld does not start again"
check "slurmctld does not know it" not scontrol show job "$bad"
check_wait 10 "describe-jobs does" prints "$was" life "$bad"
check_eq "also that it was preempted" "$(field "$p1" \
	.preemptionSummary.preemptedAttemptCount)" 1
test_done
