# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# A private Slurm cluster on this machine: munged, slurmctld, one slurmd a
# node, typed GPUs that are only files, slurmdbd with MariaDB if wanted. Made
# from nothing in seconds, in a folder and on ports of its own, so that many
# can run at once; nothing of an installed Slurm's configuration is read or
# changed. Everything is stopped by pid on every way out. Needs root.
#
#	. lib.sh
#	cluster_init NAME
#	cluster_nodes "n[1-3]" a10g:1
#	cluster_policy <<EOF
#	Share=... as in quota_share.conf
#	EOF
#	cluster_start || bail "no cluster"
#	id=$(submit_sleep -A research --gres=gpu:a10g:1)
#	check_wait 10 "the job runs" job_is "$id" RUNNING
#	test_done
#
# A script has one cluster; a subshell may have another.
#
# Declare (before cluster_start)
#   cluster_init NAME            folder, ports, exit trap; first of all
#   cluster_nodes HOSTS GPUS …   cluster_partition NAME HOSTS …
#   cluster_conf <<EOF           cluster_policy <<EOF     cluster_gres <<EOF
#   cluster_account NAME [PARENT]; cluster_member USER ACCOUNT  (with --dbd)
#   CLUSTER_STOCK=1              plain Slurm, none of our plugins
#   cluster_need_plugins         skip the test where they are not built
#   cluster_sim [OPTION …]       one simslurmd plays all nodes    (lib/sim.sh)
# Start and stop
#   cluster_start [--dbd]        0 once all nodes are idle
#   cluster_stop                 0 if nothing is left; also by the exit trap
#   cluster_ctld_start [SECONDS] cluster_ctld_stop    cluster_ctld_kill9
#   cluster_ctld_detach [SECONDS]   as a service
#   cluster_backup_conf, cluster_backup_start   a second one  (lib/backup.sh)
#   cluster_node_start NODE      cluster_node_stop NODE
#   cluster_reconfigure          cluster_empty
#   cluster_report               what to look at after a failure
# Client calls, each with a timeout (CL_CALL_SEC)
#   sbatch squeue scancel scontrol sacct sinfo qshare     as root
#   cluster_cmd COMMAND …        any other, as root
#   cluster_user N               name of unprivileged user N, made if missing
#   cluster_run_as USER COMMAND …
# Jobs and shares (lib/jobs.sh)
#   submit, submit_sleep, submit_stubborn, submit_stamped SBATCH-ARGS…
#                                                  print the job id
#   grace_of VICTIM OWNER                          milliseconds it was given
#   job_state ID, job_field ID FIELD, job_reason ID, job_restarts ID,
#   job_out ID, job_out_count ID REGEX, job_gpus [ID…],
#   job_is ID STATE, job_wait ID STATE [SECONDS], was_told ID,
#   job_states ID…, job_counts ID…, het_states LEADER
#   alloc_list, account_gpus ACCOUNT [TYPE]               (lib/alloc.sh)
#   lend_policy QUEUE-KEYS OWNER-CAPACITY BORROWER-CAPACITY [BORROWER-KEYS]
#                               account a's share lends, b's borrows
#   own_runs [SBATCH-ARGS…]     account b's own job, into OWN
#   borrow_each SUBMIT PRIORITY…   account b's loans, into LENT (lib/lend.sh)
#   check_ledger [WHEN]: laws 9, 17, no drift             (lib/laws.sh)
#   laws_watch [ACCOUNT TYPE LENT], check_laws [WHEN]: laws 13, 16, 17 at every
#   look while a test goes on
#   submit_train SBATCH-ARGS…, train_reached ID STEP, train_finish ID,
#   train_continued ID                                    (train.sh)
#   share_field SHARE TYPE FIELD, share_row SHARE TYPE,
#   share_use SHARE TYPE, status_field JQ-PATH, stopping_jobs, health_codes
#                                                 from qshare (lib/answers.sh)
#   event_log JQ-ARGS…, times_told ID, ctld_log REGEX, ctld_log_count REGEX
# Waiting (lib/base.sh)
#   wait_for SECONDS DESCRIPTION COMMAND …, lasts SECONDS DESCRIPTION COMMAND …
#   not COMMAND …, prints TEXT COMMAND …, prints_match REGEX COMMAND …
# Versions (lib/version.sh)
#   slurm_at_least X.YY, gres_shown GRES
# Sampling (lib/sample.sh)
#   sample_start NAME COMMAND …, sample_stop NAME, sample_file NAME
# Checks of a test (lib/check.sh)
#   check, check_eq, check_match, check_wait, check_lasts, ok, not_ok, bail,
#   skip_all REASON, need_tools NAME…, test_done
#
# Set by cluster_init: CL_DIR (folder: etc log jobs state spool pid bin
# plugins), CL_PORT, CL_HOST. From the environment: TMPDIR, QS_BUILD_DIR,
# QS_PLUGIN_DIR, QS_QSHARE, QS_SLURM_PLUGIN_DIR, QS_CTLD_WRAPPER,
# QS_SLOW (stretches deadlines), QS_KEEP=1 (leaves the folder).

CL_LIB=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
CL_TOP=$(cd "$CL_LIB/../.." && pwd)
CL_CALL_SEC=20
CL_PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH

for cl_part in base check version ports reap users munge plugins hostlist \
	conf daemons backup dbd jobs answers alloc lend laws train sample \
	report sim pages; do
	# shellcheck source=/dev/null
	. "$CL_LIB/lib/$cl_part.sh"
done
unset cl_part

cluster_init()
{
	CL_NAME=$1
	CL_NODE_LINES=()
	CL_PARTITION_LINES=()
	CL_NODES=()
	CL_MORE_CONF=
	CL_MORE_GRES=
	CL_ACCOUNTS=
	CL_DBD=0
	CL_SIM=0
	CL_STARTED=0
	CL_HOST=$(hostname -s)
	[ "$(id -u)" = 0 ] || skip_all "a private cluster needs root"
	need_tools slurmctld slurmd sbatch munged munge jq awk flock ss \
		setpriv setsid timeout
	CL_DIR=$(mktemp -d "${TMPDIR:-/tmp}/qs-$CL_NAME.XXXX") || exit 1
	trap cluster_on_exit EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	# A UNIX socket's path has 107 characters at most.
	[ ${#CL_DIR} -le 70 ] || bail "TMPDIR is too long: $CL_DIR"
	# Test users must reach the munge socket and write into jobs.
	chmod 755 "$CL_DIR"
	mkdir "$CL_DIR"/{bin,etc,jobs,log,pid,spool,state}
	chmod 1777 "$CL_DIR/jobs"
	CL_PATH=$CL_DIR/bin:$CL_PATH
	port_block_take || exit 1
}

cluster_start()
{
	local begun

	clock
	begun=$MS
	[ "${1:-}" = --dbd ] && CL_DBD=1
	[ "$CL_DBD" = 0 ] || need_tools slurmdbd mariadbd mariadb-install-db
	CL_STARTED=1
	[ "${CLUSTER_STOCK:-0}" = 1 ] || plugins_collect || return 1
	conf_write && munge_start || return 1
	[ "$CL_DBD" = 0 ] || dbd_start || return 1
	cluster_ctld_start || return 1
	if [ "$CL_DBD" = 1 ]; then
		wait_for 20 "the cluster to register" dbd_registered &&
			dbd_accounts || return 1
	fi
	cluster_nodes_start
	wait_for 30 "${#CL_NODES[@]} nodes to be idle" nodes_idle || return 1
	clock
	say "cluster $CL_NAME: ${#CL_NODES[@]} nodes, ports from $CL_PORT," \
		"up in $((MS - begun)) ms"
}

# Daemons first, in an order that makes none wait for another, then whatever
# else belongs to the folder: slurmstepd, jobs, samplers.
cluster_stop()
{
	local name rc=0

	[ "$CL_STARTED" = 1 ] || return 0
	daemon_stop slurmctld TERM 10
	for name in "$CL_DIR"/pid/{slurmd-*,simslurmd}; do
		[ -e "$name" ] &&
			kill "$(daemon_pid "${name##*/}")" 2>/dev/null
	done
	[ "$CL_DBD" = 1 ] && daemon_stop slurmdbd TERM 5
	cluster_reap "$CL_DIR" || rc=1
	rm -f "$CL_DIR"/pid/*
	CL_STARTED=0
	return "$rc"
}

cluster_on_exit()
{
	local rc=$?

	trap - EXIT
	trap '' HUP INT TERM
	test_status "$rc"
	rc=$?
	if [ "$rc" -ne 0 ] && [ "$TEST_STATE" != skipped ] &&
		[ "$CL_STARTED" = 1 ]; then
		cluster_report
	fi
	cluster_stop || rc=1
	port_block_give
	if [ "${QS_KEEP:-0}" = 1 ]; then
		say "kept: $CL_DIR"
	else
		rm -rf "$CL_DIR"
	fi
	exit "$rc"
}
