# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Ends every process of a cluster, by pid and never by name. A process is the
# cluster's when it has a file of the cluster's folder open, works in it, or
# was started with the folder in its environment (SLURM_CONF): that finds
# slurmstepd, which leaves its slurmd, and the jobs below it.

# The calling process and all above it, blank-separated, in $LINEAGE.
lineage()
{
	local pid=$BASHPID stat

	LINEAGE=' '
	while [ "${pid:-0}" -gt 1 ] && read -r stat <"/proc/$pid/stat"; do
		LINEAGE+="$pid "
		stat=${stat##*) }
		stat=${stat#* }
		pid=${stat%% *}
	done
}

# cluster_pids FOLDER: the pids, one a line, never our own.
cluster_pids()
{
	local dir=$1 pid

	lineage
	{
		find /proc/[0-9]*/fd /proc/[0-9]*/cwd -maxdepth 1 \
			\( -lname "$dir" -o -lname "$dir/*" \) 2>/dev/null |
			cut -d/ -f3
		grep -lsaF "SLURM_CONF=$dir/" /proc/[0-9]*/environ |
			cut -d/ -f3
	} | sort -un | while read -r pid; do
		[[ $LINEAGE == *" $pid "* ]] || ! pid_alive "$pid" ||
			echo "$pid"
	done
}

# cluster_reap FOLDER: TERM to all, KILL to what is left after two seconds.
cluster_reap()
{
	local dir=$1 i pids signal

	for ((i = 0; i < 60; i++)); do
		pids=$(cluster_pids "$dir")
		[ -n "$pids" ] || return 0
		signal=KILL
		((i > 0 && i < 20)) && signal=0
		((i == 0)) && signal=TERM
		# shellcheck disable=SC2086 # a list of numbers
		kill -s "$signal" $pids 2>/dev/null
		sleep 0.1
	done
	say "still alive after cleaning up: ${pids//$'\n'/ }"
	return 1
}
