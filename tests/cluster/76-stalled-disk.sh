#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A disk stalls our thread while the controllers change, which is when disks do. It
# is not waited for, and a backup, whose process goes in and out of office, is in
# charge again before the disk answers (here: an fsync of the state that takes long,
# by strace). Then the old thread ends, and one goes on: jobs are planned, nobody is
# stopped.

. "${0%/*}/lib.sh"

STALL=60

cluster_init stalled
cluster_need_plugins
need_tools strace
timeout 5 strace -o /dev/null true 2>/dev/null ||
	skip_all "strace cannot trace here"
cluster_nodes "n1" h100:4
cluster_backup_conf
cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:4 Strategy=LEND InSharePreemption=NO
POLICY

# Threads of ours in the backup, by id.
threads()
{
	local comm

	for comm in "/proc/$backup"/task/*/comm; do
		[ "$(cat "$comm" 2>/dev/null)" != quota_share ] ||
			basename "${comm%/comm}"
	done
}

count_threads() { threads | wc -l; }
other_thread() { [ -n "$(threads | grep -vx "$old")" ]; }
traced() { grep -q '^TracerPid:[^0-9]*[1-9]' "/proc/$backup/task/$old/status"; }
saves() { [ -e "$CL_DIR/state/quota_share.state.new" ]; }
plans() { prints_match '^[1-9]' status_field .counters.rounds; }

cluster_start || bail "no cluster"
cluster_backup_start || bail "no backup"
backup=$(daemon_pid backup)
job=$(submit_sleep -A a --gres=gpu:h100:4)
job_wait "$job" RUNNING || bail "no job runs"
next=$(submit_sleep -A a --gres=gpu:h100:4)
ctld_saved "$next"
cluster_ctld_kill9
check_wait 60 "the backup has taken over" plans
check_eq "it has one thread of ours" "$(count_threads)" 1
old=$(threads)

say "an fsync of the state takes $STALL s"
timeout $((STALL * 4)) strace -qq -o /dev/null -e trace=fsync \
	-P "$CL_DIR/state/quota_share.state.new" \
	-e "inject=fsync:delay_enter=$((STALL * 1000000)):when=1" \
	-p "$old" 2>/dev/null &
strace=$!
wait_for 10 "strace" traced || bail "strace does not trace"
check "something is to be saved" qshare priority "$next" 7
check_wait 10 "it is being saved" saves
clock
stalled=$MS

say "the primary comes back, and dies"
cluster_ctld_start 40 || bail "the primary does not come back"
check_wait 30 "it plans" plans
check_eq "the backup's thread is still there" "$(threads)" "$old"
cluster_ctld_kill9

say "the backup is in charge again"
check_wait 40 "with another thread" other_thread
clock
check "while the disk still stalls" test $((MS - stalled)) -lt $((STALL * 1000))
check_eq "both are there" "$(count_threads)" 2
check_wait $((2 * STALL)) "the old one ends when the disk answers" \
	not grep -qx quota_share "/proc/$backup/task/$old/comm"
kill "$strace" 2>/dev/null
check_eq "one is left" "$(count_threads)" 1
check_eq "the job still runs" "$(job_state "$job")" RUNNING
scancel "$job"
check_wait 30 "the next one is started" job_is "$next" RUNNING
check_ledger
daemon_stop backup
test_done
