#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare scenario and qshare diff --live on a real slurmctld: what is printed
# can be read back and planned, and what diff says of another policy is what
# then happens under it.

. "${0%/*}/lib.sh"

cluster_init diff
cluster_need_plugins
cluster_nodes "d1" h100:8
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=0
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:6 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

effect()
{
	jq -r --argjson id "$1" \
		'[.effects[] | select(.job == $id) | .effect] | join(" ")' \
		"$CL_DIR/diff.json"
}

owner=$(submit_sleep -A a --gres=gpu:h100:2)
job_wait "$owner" RUNNING || bail "the first job does not run"
keeps=$(submit_sleep -A b --gres=gpu:h100:3 --share-priority=9)
job_wait "$keeps" RUNNING || bail "the second job does not run"
loses=$(submit_sleep -A b --gres=gpu:h100:3)
job_wait "$loses" RUNNING || bail "the third job does not run"
waits=$(submit_sleep -A a --gres=gpu:h100:2)
check_wait 10 "the fourth job waits" prints_match '^QuotaShare:' \
	job_reason "$waits"

say "the cluster as a scenario"
check_wait 10 "it has all four jobs" prints 4 \
	eval 'qshare scenario | jq ".jobs | length"'
qshare scenario >"$CL_DIR/now.json"
check_eq "and the node" "$(jq -r '[.nodes[].name] | join(" ")' \
	"$CL_DIR/now.json")" d1
cp "$CL_DIR/now.json" "$CL_DIR/jobs/now.json"
check_eq "qshare plan decides on it as slurmctld does" \
	"$(qshare plan "$CL_DIR/jobs/now.json" |
		jq -r '.decisions[] | "\(.job) \(.verdict) \(.code)"')" \
	"$waits WAIT LIMIT"

say "one gets four GPUs instead of two"
cat >"$CL_DIR/jobs/new.conf" <<EOF
Queue=train Partitions=gpu GraceTime=0
Share=one Accounts=a Capacity=h100:4 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:4 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
qshare diff --live new.conf | sed 's/^/#   /'
qshare diff --live --json new.conf >"$CL_DIR/diff.json"
check_eq "a capacity falls" "$(jq -r '.changes[] |
	select(.where == "share two" and .key == "Capacity h100") |
	"\(.old) \(.new)"' "$CL_DIR/diff.json")" "6 4"
check_eq "the waiting one starts" "$(effect "$waits")" STARTS
check_eq "one of the two is stopped" "$(effect "$loses")" STOPS
check_eq "the other stays" "$(effect "$keeps")" ""
check_eq "nothing happened so far" \
	"$(job_states "$owner" "$keeps" "$loses" "$waits")" \
	"RUNNING RUNNING RUNNING PENDING"

say "and so it comes"
cluster_policy <"$CL_DIR/jobs/new.conf"
cluster_reconfigure
check_wait 10 "the waiting one starts" job_is "$waits" RUNNING
check_eq "who was stopped" "$(job_counts "$owner" "$keeps" "$loses")" "0 0 1"
check_eq "now the policies are the same" \
	"$(qshare diff --live new.conf | head -n 1)" \
	"The policies are the same."
test_done
