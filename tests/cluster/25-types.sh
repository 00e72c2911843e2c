#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Types as real sites spell them (R2c): digits, capitals, dots, dashes, MIG
# profiles beside the whole GPU; sites without types (R2b); several names for
# one type (GpuType Slurm=); two types in one request; parts of GPUs. Each is
# charged what it gets (law 9).

. "${0%/*}/lib.sh"

# charged SHARE "TYPE=N ..." SBATCH-ARGS...: runs and is charged just that
charged()
{
	local share=$1 want=$2 id pair type

	shift 2
	id=$(submit_sleep -A a "$@") || {
		not_ok "$*: accepted"
		return
	}
	if ! wait_for 15 "$*" job_is "$id" RUNNING; then
		not_ok "$*: runs" "$(job_reason "$id")"
	fi
	for pair in $want; do
		type=${pair%=*}
		check_wait 5 "$*: charged ${pair#*=} of $type" \
			prints "${pair#*=}" share_field "$share" "$type" used
	done
	# Where a type has several names this compares too little.
	[ "$CL_NAME" = pooled ] || check_ledger "$*"
	scancel "$id"
	for pair in $want; do
		wait_for 15 "the end of it" \
			prints 0 share_field "$share" "${pair%=*}" used ||
			not_ok "$*: given back"
	done
}

# refused REGEX SBATCH-ARGS...
refused()
{
	local out

	if out=$(sbatch -A a "${@:2}" --wrap "sleep 9" 2>&1); then
		not_ok "${*:2}: refused" "$out"
	else
		check_match "${*:2}: refused" "$out" "$1"
	fi
}

names()
{
	cluster_init types
	cluster_need_plugins
	cluster_nodes m1 a100:2,a100_3g.20gb:4,A100.80gb:2
	cluster_nodes m2 3080:2,tesla_v100-sxm2-32gb:2
	cluster_gres <<<"NodeName=m1 Name=shard Count=16"
	cluster_conf <<-EOF
	GresTypes=gpu,shard
	EOF
	cluster_policy <<-EOF
	Queue=train Partitions=gpu GraceTime=1
	Share=one Accounts=a Strategy=LEND InSharePreemption=NO \\
		Capacity=a100:2,a100_3g.20gb:4,A100.80gb:2,3080:2,tesla_v100-sxm2-32gb:2
	EOF
	# The shards of a node are on its NodeName line too.
	CL_NODE_LINES[0]+=" Gres=gpu:a100:2,gpu:a100_3g.20gb:4"
	CL_NODE_LINES[0]+=",gpu:A100.80gb:2,shard:16"
	cluster_start || bail "no cluster"

	charged one "a100=1 a100_3g.20gb=0 A100.80gb=0" --gres=gpu:a100:1
	charged one "a100=0 a100_3g.20gb=3" --gres=gpu:a100_3g.20gb:3
	charged one "a100=0 A100.80gb=2" --gpus=A100.80gb:2
	charged one "3080=2" --gres=gpu:3080:2
	charged one "3080=1" -n1 --gpus-per-task=3080:1
	charged one "tesla_v100-sxm2-32gb=2" --gpus-per-node=tesla_v100-sxm2-32gb:2
	say "two types in one request"
	charged one "a100=1 a100_3g.20gb=2" \
		--gres=gpu:a100:1,gpu:a100_3g.20gb:2
	charged one "3080=1 tesla_v100-sxm2-32gb=1" \
		--gpus=3080:1,tesla_v100-sxm2-32gb:1
	say "of two --gres options sbatch sends the last"
	charged one "3080=0 a100=2" --gres=gpu:3080:1 --gres=gpu:a100:2
	say "none at all"
	charged one "a100=0" --gres=gpu:a100:0
	charged one "a100=0" --gres=gpu:0
	refused "a100_3G.20gb" --gres=gpu:a100_3G.20gb:1
	refused "a100.80gb" --gpus=a100.80gb:1
	# Slurm reads a lone number as a count: gpu:3080 is 3080 GPUs.
	refused "a100_3g.20gb" --gres=gpu:3080
	say "parts of a GPU"
	refused "whole GPUs" --gres=shard:1
	# Whole GPUs and parts in one request Slurm itself refuses.
	refused "generic resource|whole GPUs" --gres=gpu:a100:1,shard:1
	id=$(submit_sleep -A a --gres=gpu:a100:1 --begin=now+1hour)
	check "a waiting job is not made one of parts" \
		not scontrol update "jobid=$id" Gres=shard:1
	check_eq "it asks for what it asked" "$(job_field "$id" TresPerNode)" \
		"$(gres_shown gpu:a100:1)"
	check_eq "and the log says why" "$(ctld_log_count "change refused: parts of a GPU")" 1
	check_eq "all is idle" "$(job_gpus)" 0
	test_done
}

untyped()
{
	cluster_init untyped
	cluster_need_plugins
	cluster_nodes "m[1-2]" :4
	cluster_policy <<-EOF
	Queue=train Partitions=gpu GraceTime=1
	Share=one Accounts=a Capacity=gpu:4 Strategy=LEND InSharePreemption=NO
	Share=two Accounts=b Capacity=gpu:4 Strategy=LEND_AND_BORROW \\
		InSharePreemption=NO
	EOF
	cluster_start || bail "no cluster"

	charged one "gpu=1" --gres=gpu
	charged one "gpu=2" --gres=gpu:2
	charged one "gpu=3" --gpus=3
	charged one "gpu=4" -N2 --gpus-per-node=2
	charged one "gpu=2" -n2 --gpus-per-task=1
	refused "EXCEED|exceed" --gpus=5
	say "and lent and taken back"
	loan=$(submit_sleep -A b -N2 --gres=gpu:3)
	check_wait 15 "two borrow" job_is "$loan" RUNNING
	check_wait 5 "6 used, 4 own, 2 borrowed" \
		prints "6 4 2" share_use two gpu
	own=$(submit_sleep -A a -N1 --gres=gpu:4)
	check_wait 20 "the owner starts" job_is "$own" RUNNING
	check_eq "the loan was stopped once" "$(job_restarts "$loan")" 1
	check_ledger "taken back"
	test_done
}

pooled()
{
	cluster_init pooled
	cluster_need_plugins
	cluster_nodes m1 a100:2
	cluster_nodes m2 nvidia_a100:2
	cluster_nodes m3 v100:2
	cluster_policy <<-EOF
	GpuType=a100 Slurm=a100,nvidia_a100
	Queue=train Partitions=gpu GraceTime=1
	Share=one Accounts=a Capacity=a100:3,v100:1 Strategy=LEND \\
		InSharePreemption=NO
	Share=two Accounts=b Capacity=a100:1,v100:1 Strategy=LEND \\
		InSharePreemption=NO
	EOF
	cluster_start || bail "no cluster"

	charged one "a100=1 v100=0" --gres=gpu:a100:1
	charged one "a100=2" --gres=gpu:nvidia_a100:2
	charged one "v100=1 a100=0" --gres=gpu:v100:1
	refused "EXCEED|exceed" --gpus=a100:2,nvidia_a100:2
	check_eq "the ledger never drifted" \
		"$(status_field .counters.ledger_drift)" 0
	test_done
}

status=0
for part in names untyped pooled; do
	say "cluster: $part"
	("$part") || status=$?
done
exit "$status"
