# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
#
# A cluster to measure slurmctld on: real slurmctld and slurmdbd, simulated
# slurmds, one account a share. Stock or ours; what a job asks for is the same
# in both, only who is an owner and who borrows is told in their own ways:
#
#	stock	preempt/qos: QOS owner, which has no more than the account's
#		GPUs (MaxTRESPA) and preempts QOS scavenger
#	ours	a share an account; what is beyond its capacity is borrowed
#
# Uses BENCH_NODES, BENCH_SHARES. GPUs are those of 8 on each node.

PER_NODE=8

# rig_start stock|ours GRACE
rig_start()
{
	RIG_SIDE=$1
	CLUSTER_STOCK=0
	[ "$RIG_SIDE" = stock ] && CLUSTER_STOCK=1
	RIG_OWN=$((BENCH_NODES * PER_NODE / BENCH_SHARES))
	cluster_init "bench"
	cluster_sim
	cluster_nodes "n[1-$BENCH_NODES]" a100:$PER_NODE CPUs=64 Sockets=2 \
		CoresPerSocket=32 RealMemory=512000
	rig_conf
	[ "$RIG_SIDE" = stock ] || rig_policy "$2"
	rig_accounts
	cluster_start --dbd || return 1
	[ "$RIG_SIDE" = ours ] || rig_qos "$2"
	RIG_PID=$(daemon_pid slurmctld)
	: >"$CL_DIR/jobs-submitted"
}

rig_conf()
{
	cluster_conf <<-END
	AuthInfo=socket=$CL_DIR/munge/socket
	AccountingStorageEnforce=associations,limits,qos
	SelectTypeParameters=CR_Core_Memory
	SlurmdTimeout=300
	SlurmctldDebug=info
	MaxJobCount=200000
	MaxArraySize=100001
	PriorityType=priority/multifactor
	SchedulerParameters=default_queue_depth=1000,bf_interval=10800
	END
	[ "$RIG_SIDE" = ours ] || cluster_conf <<-END
	PreemptType=preempt/qos
	PreemptMode=REQUEUE
	END
}

rig_policy()
{
	local i

	{
		echo "Queue=all Partitions=gpu GraceTime=$1"
		for ((i = 1; i <= BENCH_SHARES; i++)); do
			echo "Share=s$i Accounts=s$i Capacity=a100:$RIG_OWN" \
				"Strategy=LEND_AND_BORROW" \
				"InSharePreemption=NO"
		done
	} | cluster_policy
}

rig_accounts()
{
	local i

	for ((i = 1; i <= BENCH_SHARES; i++)); do
		cluster_account "s$i"
		cluster_member root "s$i"
	done
}

rig_sacctmgr()
{
	cluster_cmd sacctmgr -i "$@" >>"$CL_DIR/log/sacctmgr.out" 2>&1 ||
		bail "sacctmgr $* failed"
}

rig_qos()
{
	rig_sacctmgr add qos scavenger set PreemptMode=requeue GraceTime="$1"
	rig_sacctmgr add qos owner set Preempt=scavenger \
		MaxTRESPA="gres/gpu=$RIG_OWN"
	rig_sacctmgr modify user root set qos+=owner,scavenger
}

# rig_grace SECONDS
rig_grace()
{
	if [ "$RIG_SIDE" = ours ]; then
		rig_policy "$1"
		cluster_reconfigure
	else
		rig_sacctmgr modify qos scavenger set GraceTime="$1"
	fi
}

# rig_backfill on|off: every five seconds, or hardly ever. By a restart: the
# scheduler's thread reads a new interval only when the old one is over.
rig_backfill()
{
	cluster_ctld_stop
	sed -i "s/bf_interval=[0-9]*/bf_interval=$([ "$1" = on ] && echo 5 ||
		echo 10800)/" "$CL_DIR/etc/slurm.conf"
	cluster_ctld_start 60 || bail "slurmctld does not start again"
	RIG_PID=$(daemon_pid slurmctld)
	wait_for 60 "all nodes" rig_nodes_answer || bail "nodes are missing"
}

# They have registered with a slurmctld that has just started; before that it
# stops nobody (R20).
rig_nodes_answer()
{
	cluster_cmd sdiag | awk -v nodes="$BENCH_NODES" '
		/MESSAGE_NODE_REGISTRATION_STATUS/ {
			sub(/.*count:/, "")
			heard = $1
		}
		END { exit heard < nodes }'
}

# owner N, borrower N: the words for a job of account N.
owner()
{
	echo "account=s$1$([ "$RIG_SIDE" = ours ] || echo " qos=owner")"
}

borrower()
{
	echo "account=s$1$([ "$RIG_SIDE" = ours ] || echo " qos=scavenger")"
}

# rig_submit <LINES: prints simsubmit's lines, and keeps them.
rig_submit()
{
	simsubmit 2>>"$CL_DIR/log/simsubmit.out" |
		tee -a "$CL_DIR/jobs-submitted"
}

# CPU milliseconds that slurmctld has used, in $CPU.
rig_cpu()
{
	local stat fields

	read -r stat <"/proc/$RIG_PID/stat"
	read -r -a fields <<<"${stat##*) }"
	CPU=$(((fields[11] + fields[12]) * 10))
}

rig_rss()
{
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$RIG_PID/status"
}

rig_launched()
{
	[ "$(cluster_trace launch | wc -l)" -ge "$1" ]
}

# fill_with SIZE COUNT [WORDS]: the last account borrows with so many jobs,
# described further by WORDS.
fill_with()
{
	rig_submit <<<"$(borrower "$BENCH_SHARES") gres=gpu:a100:$1 count=$2 \
sleep=86400 id=fill:$1 ${3:-}" >/dev/null
}

# rig_fill SIZE [WORDS]: all GPUs are taken by jobs of this size.
rig_fill()
{
	local jobs=$((BENCH_NODES * PER_NODE / $1)) before

	before=$(cluster_trace launch | wc -l)
	fill_with "$1" "$jobs" "${2:-}"
	wait_for 600 "the pool to be full" rig_launched $((before + jobs)) ||
		bail "the pool was not filled"
}

# rig_settle: what came before is over. slurmdbd knows all jobs (where it does not
# know a victim yet, slurmctld asks it for a number while it requeues the job,
# with its locks held), and all jobs have run for some seconds (a job that is
# younger is told to go when it is as old: doc/design.md).
rig_settle()
{
	wait_for 120 "slurmdbd to know all jobs" rig_dbd_knows ||
		bail "slurmdbd is behind"
	sleep 3
}

rig_dbd_knows()
{
	cluster_cmd sdiag | grep -q 'DBD Agent queue size: 0'
}

# rig_empty: all jobs are gone, and what they held is free.
rig_empty()
{
	CL_CALL_SEC=120 cluster_cmd scancel -u root
	wait_for 300 "all jobs to be gone" jobs_none ||
		bail "jobs are left"
}

# result MEASURE VALUE UNIT [QUEUE]: a line of JSON in the results.
result()
{
	printf '{"side":"%s","round":%d,"measure":"%s","value":%s,"unit":"%s","waiting":%d}\n' \
		"$RIG_SIDE" "$ROUND" "$1" "$2" "$3" "${4:-0}" >>"$RESULTS"
}
