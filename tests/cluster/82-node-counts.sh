#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How many nodes a request per node means (R2): measured on the nodes that can
# be among the job's, which have its type, enough of it, its memory and its
# features; by the CPUs that jobs may use there; within what the partition
# gives. A job that Slurm alone starts on some number of nodes starts with the
# plugins on the same, and is charged for these.

. "${0%/*}/lib.sh"

cluster_init counts
cluster_need_plugins
cluster_nodes a1 a100:4 CPUs=16 Features=big
cluster_nodes a2 a100:4 CPUs=16
cluster_nodes "v[1-2]" v100:2 CPUs=4
cluster_nodes v3 v100:1 CPUs=16
cluster_nodes c1 none CPUs=32
cluster_nodes "s[1-2]" l40:2 Sockets=1 CoresPerSocket=8 CoreSpecCount=1
cluster_nodes t1 t4:2 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2
cluster_nodes t2 t4:2 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2 \
	RealMemory=128000
cluster_partition gpu ALL Default=YES
cluster_partition few "a[1-2]" MaxCPUsPerNode=6
cluster_partition mem "a[1-2]" DefMemPerCPU=8000
cluster_partition multi "a[1-2]" MinNodes=2
cluster_partition one "a[1-2]" MaxNodes=1
cluster_partition left a1
cluster_partition right a2
cluster_conf <<EOF
SelectTypeParameters=CR_Core_Memory,CR_ONE_TASK_PER_CORE
DefMemPerNode=100
EOF
cluster_policy <<EOF
Queue=train Partitions=gpu,few,mem,multi,one,left,right \\
	GraceTime=1
Share=one Accounts=a Capacity=a100:8,v100:6,l40:4,t4:4 Strategy=LEND \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# gets NODES GPUS TYPE WHAT SBATCH-ARGS...: it runs so, and is charged so.
gets()
{
	local nodes=$1 gpus=$2 type=$3 what=$4 id

	shift 4
	id=$(submit_sleep -A a "$@") || {
		not_ok "$what: accepted ($*)"
		return
	}
	if wait_for 10 "$what" job_is "$id" RUNNING; then
		check_eq "$what: nodes ($*)" "$(job_field "$id" NumNodes)" \
			"$nodes"
		check_wait 3 "$what: charged" \
			prints "$gpus" share_field one "$type" used
	else
		not_ok "$what: runs ($*)" "$(job_reason "$id")"
	fi
	scancel "$id"
	wait_for 10 "the end of it" prints 0 share_field one "$type" used ||
		not_ok "$what: given back"
}

say "tasks, and GPUs per node without -N"
gets 1 2 a100 "as many tasks as one node holds" -n 16 --gres=gpu:a100:2
gets 2 2 v100 "nodes of another type have more CPUs" -n 6 --gres=gpu:v100:1 \
	-x v3
gets 2 4 v100 "nodes with too few GPUs have more CPUs" -n 6 --gres=gpu:v100:2
gets 2 4 a100 "a node without GPUs has more CPUs" -n 24 --gres=gpu:a100:2
gets 2 2 l40 "one core is the system's" -n 8 --gres=gpu:l40:1
gets 1 1 l40 "the other cores hold all" -n 7 --gres=gpu:l40:1
gets 2 2 t4 "one task a core" -n 6 --gres=gpu:t4:1
gets 1 1 t4 "a task that takes all threads of its core" \
	-n 4 -c 2 --gres=gpu:t4:1
gets 1 1 t4 "CPUs by the GPU" -n 6 --cpus-per-gpu=4 --gres=gpu:t4:1
gets 2 4 a100 "MaxCPUsPerNode" -p few -n 8 --gres=gpu:a100:2
gets 2 2 a100 "memory per CPU" -n 12 --mem-per-cpu=8000 --gres=gpu:a100:1
gets 2 2 a100 "DefMemPerCPU" -p mem -n 12 --gres=gpu:a100:1
gets 1 2 v100 "whole nodes" -n 4 --exclusive --gres=gpu:v100:2

say "a range of which the job can have only the lower part"
gets 3 3 v100 "more than there are of its type" -N 1-5 --gres=gpu:v100:1
gets 2 4 v100 "more than have so many GPUs" -N 1-3 --gres=gpu:v100:2
gets 1 1 a100 "an excluded node" -N 1-2 -x a2 --gres=gpu:a100:1
gets 1 1 a100 "a feature" -N 1-2 -C big --gres=gpu:a100:1
gets 1 1 t4 "memory per node" -N 1-2 --mem=100000 --gres=gpu:t4:1
gets 1 1 a100 "partitions of one node each" -N 1-2 -p left,right \
	--gres=gpu:a100:1
gets 2 2 a100 "all of it" -N 1-2 --gres=gpu:a100:1
out=$(sbatch -A a -N 1-5 --gres=gpu:v100:1 --begin=now+1hour --wrap true 2>&1)
check_match "the user is told why not all of it" "$out" \
	"at most 3 nodes .*no more nodes"
scancel -u root

say "MinNodes and MaxNodes of the partition"
gets 2 8 a100 "no -N" -p multi --gres=gpu:a100:4
gets 2 8 a100 "whole nodes" -p multi --exclusive --gres=gpu:a100:1
gets 2 2 a100 "a range from below it" -p multi -N 1-2 --gres=gpu:a100:1
gets 1 1 a100 "another partition gives fewer" -p left,multi --gres=gpu:a100:1
gets 1 1 a100 "as many tasks as MaxNodes hold" -p one -n 16 --gres=gpu:a100:1
out=$(sbatch -A a -p one -n 20 --gres=gpu:a100:1 --wrap true 2>&1)
check_match "more tasks: refused by Slurm" "$out" "configuration is not available"
check_eq "differences between the ledger and a recount" \
	"$(status_field .counters.ledger_drift)" 0
test_done
