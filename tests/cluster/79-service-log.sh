#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes that are drained, go down and come back change what shares can use: the
# event log has a line for the queue and type, and none where nothing changed,
# also not for nodes that register after a start of slurmctld.

. "${0%/*}/lib.sh"

cluster_init service
cluster_need_plugins
cluster_nodes "n[1-2]" h100:2
cluster_nodes m1 a10g:2
cluster_partition gpu "n[1-2]" Default=YES
cluster_partition small m1
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=5
Queue=little Partitions=small GraceTime=5
Share=one Queue=train Accounts=a Capacity=h100:4 Strategy=LEND \\
	InSharePreemption=NO
Share=two Queue=little Accounts=b Capacity=a10g:2 Strategy=LEND \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"
log=$CL_DIR/state/quota_share.events.jsonl

# told: all changes so far, as queue:type:before>in_service/capacity
told()
{
	jq -r 'select(.event == "service_changed") |
		"\(.queue):\(.type):\(.before)>\(.in_service)/\(.capacity)"' \
		"$log" | xargs
}

in_service()
{
	status_field '[.totals[] | "\(.type):\(.in_service)"] | sort |
		join(" ")'
}

check_wait 30 "all is in service" prints "a10g:2 h100:4" in_service
# What was not there when slurmctld began would be told with the next look.
check_lasts 3 "nodes that register are no change" prints "" told

say "an idle node is drained, and resumed"
scontrol update nodename=n1 state=drain reason=test
check_wait 15 "its GPUs went" prints "train:h100:4>2/4" told
scontrol update nodename=n1 state=resume
check_wait 15 "and came back" prints "train:h100:4>2/4 train:h100:2>4/4" told
check_match "for people" "$(qshare events -e service_changed | head -n 1)" \
	' service_changed: queue train: 2 of 4 h100 in service, 4 before$'

say "a node is drained under a job: what that holds is in service to its end"
job=$(submit_sleep -A a -w n2 --gres=gpu:h100:1)
job_wait "$job" RUNNING || bail "the job does not run"
all=$(told)
scontrol update nodename=n2 state=drain reason=test
all+=" train:h100:4>3/4"
check_wait 15 "what nobody uses went" prints "$all" told
scancel "$job"
all+=" train:h100:3>2/4"
check_wait 15 "then the rest" prints "$all" told
scontrol update nodename=n2 state=resume
all+=" train:h100:2>4/4"
check_wait 15 "and it is back" prints "$all" told

say "the other queue's node goes down"
cluster_node_stop m1
scontrol update nodename=m1 state=down reason=test
all+=" little:a10g:2>0/2"
check_wait 15 "its queue is told" prints "$all" told

say "another policy, in which the types have other numbers"
# The resume is seen at once, and told some seconds after the drain's line: under
# the other policy. From 23.11 on a reconfigure is a new slurmctld, which does not
# know what the old one had still to tell.
scontrol update nodename=n1 state=drain reason=test
all+=" train:h100:4>2/4"
check_wait 15 "a node is drained" prints "$all" told
scontrol update nodename=n1 state=resume
all+=" train:h100:2>4/4"
if slurm_at_least 23.11; then
	check_wait 15 "its return is told" prints "$all" told
fi
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=5
Queue=little Partitions=small GraceTime=5
Share=one Queue=train Accounts=a Capacity=a100:1,h100:4 Strategy=LEND \\
	InSharePreemption=NO
Share=two Queue=little Accounts=b Capacity=a10g:2 Strategy=LEND \\
	InSharePreemption=NO
EOF
check "reload" qshare reload
check_wait 30 "it is in force" prints 1 share_field one a100 capacity
check_wait 15 "its return is told all the same" prints "$all" told
check_lasts 7 "the policy is no change of nodes" prints "$all" told

say "a report of that time"
check_match "knows what was out of service" "$(qshare report --json \
	--from=/dev/null -S now-1hour | jq -r '.types[] |
		"\(.type):\(.out_of_service_gpu_sec > 4)"' | xargs)" \
	"a10g:true h100:true"

say "another slurmctld"
cluster_ctld_stop
cluster_ctld_start || bail "slurmctld does not start again"
check_wait 40 "the nodes are in service again" prints "a100:0 a10g:0 h100:4" \
	in_service
check_lasts 3 "nodes that register are no change" prints "$all" told
test_done
