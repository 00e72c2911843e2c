#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The clock of slurmctld and the slurmds steps an hour forward or back in the
# middle of a grace time, and while slurmctld is being restarted. Nobody is
# stopped before the grace time is over, and no owner waits an hour. The
# machine's own clock is left alone: libfaketime shows them another one.
#
# After a step back slurmctld's own scheduler stands still until the clock has
# caught up, or slurmctld is restarted (22.05: sched_last in job_scheduler.c). That is looked at with a restart.

. "${0%/*}/lib.sh"

GRACE=6

faketime=$(echo /usr/lib/*/faketime/libfaketimeMT.so.1)
[ -e "$faketime" ] || skip_all "libfaketime is not installed"

cluster_init clock
cluster_need_plugins
cluster_nodes "n[1-2]" h100:2
# A slurmd that was not heard of for longer than SlurmdTimeout is down, and a
# step is taken for that; a credential from an hour ago is refused.
cluster_conf <<CONF
SlurmdTimeout=60000
AuthInfo=socket=$CL_DIR/munge/socket,cred_expire=40000
CONF
lend_policy "GraceTime=$GRACE" h100:2 h100:2

step() { echo "$1" >"$CL_DIR/offset.new" && mv "$CL_DIR/offset.new" "$CL_DIR/offset"; }
step +0
fake=(env "LD_PRELOAD=$faketime" "FAKETIME_TIMESTAMP_FILE=$CL_DIR/offset"
	FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1
	FAKETIME_DONT_RESET=1)
export QS_CTLD_WRAPPER="${fake[*]}"
cluster_node_start()
{
	mkdir -p "$CL_DIR/spool/$1"
	daemon "slurmd-$1" "${fake[@]}" slurmd -D -N "$1" \
		-f "$CL_DIR/etc/slurm.conf"
}
cluster_start || bail "no cluster"

restarts() { job_counts "$OWN" "${LENT[@]}"; }
seen_clock() { qshare jobs --json >/dev/null && status_field .counters.last_round; }
seconds() { local t=${EPOCHREALTIME/[.,]/}; echo $((t / 1000000)); }

own_runs --gres=gpu:h100:2
borrow_each submit_stubborn 2 1

# in_grace WHAT OFFSET STOPS COMMAND...: the owner comes; in the grace time of
# its victim the clock shows OFFSET, and COMMAND is run.
in_grace()
{
	local what=$1 offset=$2 stops=$3 begun took before

	shift 3
	before=$(restarts)
	claim=$(submit_sleep -A a --gres=gpu:h100:1)
	begun=$(seconds)
	check_wait 10 "$what: a victim is told" prints "${LENT[1]}" stopping_jobs
	step "$offset"
	"$@"
	check_lasts $((GRACE - 4)) "$what: it is not stopped at once" \
		prints "$before" restarts
	check_wait $((GRACE + 30)) "$what: one job was stopped" \
		prints "$stops" restarts
	took=$(($(seconds) - begun))
	check "$what: after its grace time ($took s)" test "$took" -ge "$GRACE"
	check_wait 20 "$what: the owner's job may start" \
		may_start "$claim"
	[ -z "$then" ] || "$then"
	check_wait 30 "$what: the owner's job runs" job_is "$claim" RUNNING
	check_eq "$what: nobody else was stopped" "$(restarts)" "$stops"
	check_wait 10 "$what: healthy" prints "" health_codes
	scancel "$claim"
	check_wait 40 "$what: all run again" prints "RUNNING RUNNING RUNNING" \
		job_states "$OWN" "${LENT[@]}"
}

may_start()
{
	[ "$(ctld_log_count "quota_share: JobId=$1 may start")" -gt 0 ]
}

again()
{
	cluster_ctld_stop
	cluster_ctld_start || bail "slurmctld did not start again"
}

real=$(date +%s)
then=
in_grace "an hour forward" +3600 "0 0 1" true
shown=$(seen_clock)
check "slurmctld did see another clock (by $((shown - real)) s)" \
	test $((shown - real)) -gt 3000
then=again
in_grace "an hour back" +0 "0 0 2" true
then=

restart()
{
	cluster_ctld_stop
	step "$1"
	cluster_ctld_start || bail "slurmctld did not start again"
}
in_grace "a restart, and an hour forward" +0 "0 0 3" restart +3600
in_grace "a restart, and two hours back" +3600 "0 0 4" restart -3600
check_ledger
test_done
