# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the caller declares, and the files that are written from it: slurm.conf
# and, beside it, gres.conf, cgroup.conf, plugstack.conf, quota_share.conf.

# cluster_nodes HOSTLIST TYPE:COUNT[,TYPE:COUNT...] [KEY=VALUE...]
# KEY=VALUE go on the NodeName line (CPUs=, Sockets=, Weight=, Features=…).
# ":COUNT" are GPUs without a type; "none" is a node without GPUs.
cluster_nodes()
{
	local hosts=$1 gpus=$2

	shift 2
	CL_NODE_LINES+=("$hosts $gpus $*")
}

# cluster_partition NAME HOSTLIST [KEY=VALUE...]
cluster_partition()
{
	local name=$1 hosts=$2

	shift 2
	CL_PARTITION_LINES+=("PartitionName=$name Nodes=$hosts State=UP $*")
}

# cluster_conf <<EOF: more lines for slurm.conf. A key given here replaces
# ours; SchedulerParameters are put before ours (Slurm takes the first of two).
cluster_conf()
{
	CL_MORE_CONF+=$(cat)$'\n'
}

# cluster_gres <<EOF: more lines for gres.conf (shards, MPS).
cluster_gres()
{
	CL_MORE_GRES+=$(cat)$'\n'
}

# cluster_policy <<EOF: quota_share.conf. Once the cluster runs, this replaces
# the file; cluster_reconfigure makes slurmctld read it.
cluster_policy()
{
	cat >"$CL_DIR/etc/quota_share.conf.new" &&
		mv "$CL_DIR/etc/quota_share.conf.new" \
			"$CL_DIR/etc/quota_share.conf"
}

conf_types()
{
	local line gpus

	for line in "${CL_NODE_LINES[@]}"; do
		read -r _ gpus _ <<<"$line"
		tr ',' '\n' <<<"$gpus"
	done | sed -n 's/^\([^:]\{1,\}\):.*/\1/p' | sort -u
}

# The NodeName lines on stdout, gres.conf's lines on descriptor 3.
conf_nodes()
{
	local line hosts gpus more host port=$((CL_PORT + 2)) term type count
	local gres first

	for line in "${CL_NODE_LINES[@]}"; do
		read -r hosts gpus more <<<"$line"
		gres=
		first=0
		[ "$gpus" = none ] && gpus=
		for term in ${gpus//,/ }; do
			type=${term%%:*}
			count=${term##*:}
			gres+="${gres:+,}gpu:${type:+$type:}$count"
			echo "NodeName=$hosts Name=gpu${type:+ Type=$type}" \
				"File=$(conf_devices "$first" "$count")" >&3
			first=$((first + count))
		done
		if [ "$CL_SIM" = 1 ]; then
			sim_node_line "$hosts" "$gres" "$more"
			continue
		fi
		for host in $(hostlist_expand "$hosts"); do
			((port < CL_PORT + PORT_BLOCK)) || {
				say "too many nodes for $PORT_BLOCK ports" >&2
				return 1
			}
			echo "NodeName=$host NodeAddr=127.0.0.1" \
				"NodeHostname=$CL_HOST Port=$port CPUs=16" \
				"RealMemory=64000 ${gres:+Gres=$gres}" \
				"State=UNKNOWN $more" | conf_merge
			CL_NODES+=("$host")
			port=$((port + 1))
		done
	done
}

# Keys that come twice on a line: the last one wins. Sockets= and the like
# take the place of CPUs=.
conf_merge()
{
	awk '{
		n = 0
		for (i = 1; i <= NF; i++) {
			key = $i
			sub(/=.*/, "", key)
			if (key == "Sockets")
				sockets = 1
			if (!(key in value))
				order[++n] = key
			value[key] = $i
		}
		for (i = 1; i <= n; i++)
			if (!(order[i] == "CPUs" && sockets))
				printf "%s ", value[order[i]]
		printf "\n"
	}'
}

# Files that stand in for GPUs: Slurm wants to stat them, no more.
conf_devices()
{
	local base=/dev/tty last=$(($1 + $2 - 1))

	if ! [ -e "$base$1" ] || ! [ -e "$base$last" ]; then
		base=$CL_DIR/dev/gpu
		mkdir -p "$CL_DIR/dev"
		seq -f "$base%.0f" "$1" "$last" | xargs touch
	fi
	if [ "$2" = 1 ]; then
		echo "$base$1"
	else
		echo "${base}[$1-$last]"
	fi
}

conf_base()
{
	# batch_sched_delay=0: a freed GPU is offered at once, not 3 s later.
	# bf_interval, sched_interval: pauses between two looks (30, 60).
	# cred_expire=5: a requeued job may start again after 6 s (121).
	cat <<EOF
ClusterName=qs$CL_PORT
SlurmctldHost=$CL_HOST(127.0.0.1)
SlurmctldPort=$CL_PORT
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$CL_DIR/munge/socket,cred_expire=5
StateSaveLocation=$CL_DIR/state
SlurmdSpoolDir=$CL_DIR/spool/%n
SlurmctldPidFile=$CL_DIR/pid/slurmctld.own
SlurmdPidFile=$CL_DIR/pid/%n.own
SlurmctldLogFile=$CL_DIR/log/slurmctld.log
SlurmdLogFile=$CL_DIR/log/slurmd-%n.log
SlurmctldDebug=verbose
SlurmdDebug=verbose
LogTimeFormat=iso8601_ms
MailProg=/bin/true
PluginDir=$(plugins_path)
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
ReturnToService=2
SlurmctldTimeout=30
TreeWidth=$([ "$CL_SIM" = 1 ] && echo 65533 || echo 50)
SlurmdTimeout=15
KillWait=2
MinJobAge=300
JobRequeue=1
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=2,sched_interval=2
EOF
}

conf_plugins()
{
	[ "${CLUSTER_STOCK:-0}" = 1 ] && return
	cat <<EOF
BurstBufferType=burst_buffer/quota_share
PreemptType=preempt/quota_share
PreemptMode=REQUEUE
PriorityType=priority/multifactor
PrioritySiteFactorPlugin=site_factor/quota_share
JobSubmitPlugins=quota_share
PlugStackConfig=$CL_DIR/etc/plugstack.conf
EOF
	echo "required $CL_DIR/plugins/spank_quota_share.so" \
		>"$CL_DIR/etc/plugstack.conf"
}

conf_accounting()
{
	local type tres=gres/gpu

	while read -r type; do
		tres+=",gres/gpu:$type"
	done < <(conf_types)
	if [ "$CL_DBD" = 1 ]; then
		# Without slurmdbd slurmctld refuses to start with this TRES.
		cat <<EOF
AccountingStorageTRES=$tres
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((CL_PORT + 1))
AccountingStoragePass=$CL_DIR/munge/socket
EOF
	else
		echo "AccountingStorageType=accounting_storage/none"
	fi
}

# Lines of the caller replace ours of the same key.
conf_override()
{
	CL_MORE=$CL_MORE_CONF awk 'BEGIN {
		n = split(ENVIRON["CL_MORE"], line, "\n")
		for (i = 1; i <= n; i++) {
			key = tolower(line[i])
			sub(/[ \t]*=.*/, "", key)
			if (key == "schedulerparameters") {
				sub(/^[^=]*=/, "", line[i])
				sched = sched line[i] ","
				line[i] = ""
			} else if (key !~ /^(nodename|partitionname)?$/) {
				given[key] = 1
			}
		}
	}
	{
		key = tolower($0)
		sub(/=.*/, "", key)
		if (key == "schedulerparameters") {
			sub(/=/, "=" sched)
			print
		} else if (!(key in given)) {
			print
		}
	}
	END {
		for (i = 1; i <= n; i++)
			if (line[i] != "")
				print line[i]
	}'
}

conf_cgroup()
{
	# The word for "none" came with 23.11; before that a plugin is named
	# and, with proctrack/linuxproc and task/none, never used.
	if slurm_at_least 23.11; then
		echo "CgroupPlugin=disabled"
	else
		echo "CgroupPlugin=cgroup/v1"
	fi
}

conf_write()
{
	local etc=$CL_DIR/etc

	CL_NODES=()
	[ ${#CL_NODE_LINES[@]} -gt 0 ] || {
		say "no cluster_nodes were declared"
		return 1
	}
	{
		{
			conf_base
			conf_plugins
			conf_accounting
		} | conf_override
		conf_nodes 3>"$etc/gres.conf" || return 1
		if [ ${#CL_PARTITION_LINES[@]} -gt 0 ]; then
			printf '%s\n' "${CL_PARTITION_LINES[@]}"
		else
			echo "PartitionName=gpu Nodes=ALL Default=YES" \
				"MaxTime=INFINITE State=UP"
		fi
	} >"$etc/slurm.conf"
	printf '%s' "$CL_MORE_GRES" >>"$etc/gres.conf"
	conf_cgroup >"$etc/cgroup.conf"
}
