# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# One simslurmd (tests/bench/sim) in the place of a slurmd a node, for
# clusters of up to some thousand nodes: jobs are not run, only their time is.
# What it cannot do its --help tells. Jobs are best submitted by simsubmit.
#
#	cluster_init NAME
#	cluster_sim --die 500
#	cluster_nodes "n[1-1000]" a100:8 …	as with real slurmds
#	cluster_start
#	simsubmit <<<"account=a gres=gpu:a100:1 sleep=30 count=100"
#	cluster_trace preempt		lines of the trace

SIM_BIN=$QS_BUILD_DIR/tests/bench/sim
# Node number i of a cluster has the address 127.77.(i / 250).(i % 250 + 1).
SIM_NET=127.77
SIM_CHUNK=250

# cluster_sim [OPTION of simslurmd...]
cluster_sim()
{
	if ! [ -x "$SIM_BIN/simslurmd" ] || ! [ -x "$SIM_BIN/simsubmit" ]; then
		[ "${QS_REQUIRE:-0}" = 1 ] && bail "simslurmd is not built"
		skip_all "simslurmd is not built (configure says why)"
	fi
	CL_SIM=1
	CL_SIM_ARGS=("$@")
	# Copies: a build beside a running test changes nothing.
	cp "$SIM_BIN"/sim{slurmd,submit} "$CL_DIR/bin/"
}

# sim_addresses FIRST COUNT: as a NodeAddr of slurm.conf.
sim_addresses()
{
	local at=$1 end=$(($1 + $2)) low high list=

	while ((at < end)); do
		low=$((at % SIM_CHUNK + 1))
		high=$((low + end - at - 1))
		((high <= SIM_CHUNK)) || high=$SIM_CHUNK
		list+=${list:+,}$SIM_NET.$((at / SIM_CHUNK)).[$low-$high]
		at=$((at + high - low + 1))
	done
	echo "$list"
}

# sim_node_line HOSTS GRES MORE: a NodeName line; adds to CL_NODES.
sim_node_line()
{
	local hosts

	mapfile -t hosts < <(hostlist_expand "$1")
	echo "NodeName=$1" \
		"NodeAddr=$(sim_addresses "${#CL_NODES[@]}" "${#hosts[@]}")" \
		"NodeHostname=$1 Port=$((CL_PORT + 2)) CPUs=16" \
		"RealMemory=64000 ${2:+Gres=$2} State=UNKNOWN $3" | conf_merge
	CL_NODES+=("${hosts[@]}")
}

sim_start()
{
	daemon simslurmd "$CL_DIR/bin/simslurmd" \
		--trace "$CL_DIR/log/trace" "${CL_SIM_ARGS[@]}"
}

simsubmit()
{
	CL_CALL_SEC=3600 cluster_cmd simsubmit "$@"
}

# cluster_trace [WHAT]: the trace, or its lines of one kind, "TIME WHAT JOB
# NODE DETAIL".
cluster_trace()
{
	awk -v what="${1:-}" 'what == "" || $2 == what' "$CL_DIR/log/trace"
}
