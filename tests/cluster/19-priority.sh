#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare priority JOBID N (R6a): the owner of a job and root may, others may
# not; and it decides who is next.

. "${0%/*}/lib.sh"

cluster_init prio
cluster_need_plugins
cluster_nodes "n1" h100:2
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:1 Strategy=LEND InSharePreemption=NO \\
	MaxUserPriority=100
Share=two Accounts=b Capacity=h100:1 Strategy=LEND InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

owner=$(cluster_user 1)
other=$(cluster_user 2)

# job [SBATCH-ARGS...]: of the owner
job()
{
	cluster_run_as "$owner" sbatch --parsable -A a --gres=gpu:h100:1 \
		"$@" --wrap 'exec sleep 600'
}

# next ID DESCRIPTION: the running job ends, and this one follows.
next()
{
	scancel "$holds"
	check_wait 15 "$2" job_is "$1" RUNNING
	holds=$1
}

holds=$(job)
job_wait "$holds" RUNNING || bail "the first job does not run"
a=$(job)
b=$(job)
c=$(job)
d=$(job --share-priority=3)
e=$(job)
check_wait 10 "the others wait on the share" prints_match '^QuotaShare:' \
	job_reason "$e"

check "root may raise a job" qshare priority "$c" 7
check "the owner may raise a job" \
	cluster_run_as "$owner" qshare priority "$b" 5
check "another user may not" \
	not cluster_run_as "$other" qshare priority "$e" 9
check_match "and is told so" \
	"$(cluster_run_as "$other" qshare priority "$e" 9 2>&1)" '[a-z]+'
check "nor may the owner above the share's MaxUserPriority" \
	not cluster_run_as "$owner" qshare priority "$a" 101
check "10000 is no priority" not qshare priority "$a" 10000
check "-1 is no priority" not qshare priority "$a" -1
check "\"high\" is no priority" not qshare priority "$a" high
check "job 99999 is no job" not qshare priority 99999 1
check_eq "nothing of that moved a job" "$(job_state "$holds") \
$(squeue -h -t R -o %i | xargs)" "RUNNING $holds"

next "$c" "7, set by root, comes first"
next "$b" "5, set by the owner, is next"
next "$d" "3, given at submission, is next"
check "the owner may lower to 0" \
	cluster_run_as "$owner" qshare priority "$e" 0
next "$a" "then the older of the two left: nobody else raised the other"
next "$e" "and the last"
test_done
