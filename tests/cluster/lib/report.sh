# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# What a person wants to see when a test failed, and no more.

report_part()
{
	[ -n "$2" ] || return 0
	printf '#\n# --- %s\n' "$1"
	printf '%s\n' "$2" | sed 's/^/#  | /'
}

# cluster_report: prints the cluster's state and the ends of its logs. Safe at
# any time, also when nothing runs.
cluster_report()
{
	local log=$CL_DIR/log file

	CL_CALL_SEC=5
	if daemon_alive slurmctld && ctld_answers; then
		report_part "jobs" "$(squeue -o \
			'%.10i %.10a %.12j %.10T %.8M %.6D %.12b %R' 2>&1 |
			head -n 60)"
		report_part "nodes" "$(sinfo -o '%N %T %G %E' 2>&1)"
		[ "${CLUSTER_STOCK:-0}" = 1 ] ||
			report_part "qshare" "$(qshare status 2>&1)"
	else
		report_part "slurmctld" "does not answer"
	fi
	for file in "$log"/*.out; do
		# A daemon writes to its log what it writes here.
		[ -s "${file%.out}.log" ] && continue
		report_part "${file##*/}" "$(report_tail 15 "$file")"
	done
	report_part "slurmctld.log, errors and quota_share" \
		"$(report_log 60 "error|fatal|quota_share" "$log/slurmctld.log")"
	report_part "slurmctld.log, the end" \
		"$(report_log 40 . "$log/slurmctld.log")"
	report_part "slurmd logs, errors" \
		"$(report_log 20 "error|fatal" "$log"/slurmd-*.log)"
	for file in "$CL_DIR"/jobs/*.out; do
		report_part "${file##*/}" "$(report_tail 8 "$file")"
	done
}

report_tail()
{
	tail -n "$1" "$2" 2>/dev/null | cut -c 1-300
}

# The end of a log without what every fresh start complains about.
report_log()
{
	local lines=$1

	shift
	grep -hE "$@" 2>/dev/null | grep -vE 'mpi|MPI|state file|Trying backup' |
		report_tail "$lines" -
}
