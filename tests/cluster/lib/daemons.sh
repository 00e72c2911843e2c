# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Starts and stops single daemons. Each runs in the foreground of its own
# session, without a terminal, with its pid in CL_DIR/pid/NAME.
#
# QS_CTLD_WRAPPER  words put before slurmctld

# daemon NAME COMMAND [ARG...]
daemon()
{
	local name=$1

	shift
	env SLURM_CONF="$CL_DIR/etc/slurm.conf" PATH="$CL_PATH" \
		MYSQL_UNIX_PORT="$CL_DIR/db/socket" setsid "$@" </dev/null \
		>>"$CL_DIR/log/$name.out" 2>&1 {CL_PORT_FD}>&- &
	echo $! >"$CL_DIR/pid/$name"
	# So that the shell does not report how it ended.
	disown $!
}

daemon_pid()
{
	local pid

	read -r pid 2>/dev/null <"$CL_DIR/pid/$1" && echo "$pid"
}

daemon_alive()
{
	pid_alive "$(daemon_pid "$1")"
}

daemon_gone()
{
	! daemon_alive "$1"
}

# daemon_stop NAME [SIGNAL [SECONDS]]
daemon_stop()
{
	local pid

	pid=$(daemon_pid "$1") || return 0
	kill -s "${2:-TERM}" "$pid" 2>/dev/null
	wait_for "${3:-10}" "$1 (pid $pid) to end" daemon_gone "$1" ||
		kill -s KILL "$pid" 2>/dev/null
	rm -f "$CL_DIR/pid/$1"
}

# cluster_ctld_start [SECONDS]: fails when slurmctld ends instead of answering.
cluster_ctld_start()
{
	# shellcheck disable=SC2086 # the wrapper is a list of words
	LD_LIBRARY_PATH="$CL_DIR/plugins" daemon slurmctld \
		${QS_CTLD_WRAPPER:-} slurmctld -D -f "$CL_DIR/etc/slurm.conf"
	wait_for "${1:-15}" "slurmctld to answer" ctld_answers_or_ended
	daemon_alive slurmctld || {
		say "slurmctld ended"
		return 1
	}
	ctld_answers
}

# The same detached, as a service runs it: it can replace itself then, so its pid
# is in a file of its own.
cluster_ctld_detach()
{
	env SLURM_CONF="$CL_DIR/etc/slurm.conf" PATH="$CL_PATH" \
		LD_LIBRARY_PATH="$CL_DIR/plugins" setsid \
		slurmctld -f "$CL_DIR/etc/slurm.conf" </dev/null \
		>>"$CL_DIR/log/slurmctld.out" 2>&1 {CL_PORT_FD}>&- || return 1
	ln -sf slurmctld.own "$CL_DIR/pid/slurmctld"
	wait_for "${1:-15}" "slurmctld to answer" ctld_answers
}

# The primary: a backup that answers is not the slurmctld that was started.
ctld_answers()
{
	cluster_cmd scontrol ping | grep -q '(primary).* is UP'
}

ctld_answers_or_ended()
{
	daemon_gone slurmctld || ctld_answers
}

cluster_ctld_stop()
{
	daemon_stop slurmctld TERM 20
}

# ctld_saved ID [FILE]: slurmctld has saved all that was until now. It does so
# some seconds after a change, so job ID's comment is changed. FILE is made in
# the meantime, for the time.
ctld_saved()
{
	local mark=${2:-$CL_DIR/mark}

	: >"$mark"
	cluster_cmd scontrol update jobid="$1" comment="mark $RANDOM" ||
		not_ok "a comment on job $1"
	wait_for 20 "slurmctld to save its jobs" \
		test "$CL_DIR/state/job_state" -nt "$mark" ||
		bail "the state is not saved"
}

cluster_ctld_kill9()
{
	daemon_stop slurmctld KILL
}

# From 23.11 on it is a new slurmctld, which answers to scontrol before it has
# looked at its jobs.
cluster_reconfigure()
{
	local rc

	cluster_cmd scontrol reconfigure
	rc=$?
	if slurm_at_least 23.11 && [ "${CLUSTER_STOCK:-0}" != 1 ]; then
		wait_for 15 "slurmctld to look at its jobs" \
			cluster_cmd qshare status --json
	fi
	return "$rc"
}

cluster_node_start()
{
	mkdir -p "$CL_DIR/spool/$1"
	daemon "slurmd-$1" slurmd -D -N "$1" -f "$CL_DIR/etc/slurm.conf"
}

cluster_nodes_start()
{
	local name

	if [ "$CL_SIM" = 1 ]; then
		sim_start
		return
	fi
	for name in "${CL_NODES[@]}"; do
		cluster_node_start "$name"
	done
}

cluster_node_stop()
{
	daemon_stop "slurmd-$1" TERM
}

nodes_idle()
{
	local states

	states=$(cluster_cmd sinfo -h -N -o %T | sort -u)
	[ "$states" = idle ]
}
