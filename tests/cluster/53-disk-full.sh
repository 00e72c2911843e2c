#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The disk of StateSaveLocation fills up in the middle of a reclaim: what is
# about to be done cannot be saved, so nobody is signalled or stopped, and the
# log and the health lines say why. Once there is room all goes on. Then the
# disk of the event log: lines are lost, none is torn, nothing is held up. In a
# mount namespace of its own, on a small tmpfs each.

if [ -z "${QS_OWN_MOUNTS:-}" ]; then
	if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
		QS_OWN_MOUNTS=1 exec unshare --mount bash "$0" "$@"
	fi
	echo "1..0 # SKIP a mount namespace needs root and unshare"
	exit 77
fi

. "${0%/*}/lib.sh"

cluster_init full
cluster_need_plugins
cluster_nodes "n[1-2]" h100:2
mkdir "$CL_DIR/events"
# policy GRACE
policy()
{
	cluster_policy <<-POLICY
	EventLog=$CL_DIR/events/log.jsonl
	Queue=train Partitions=gpu GraceTime=$1
	Share=owner Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
	Share=b Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW InSharePreemption=NO
	POLICY
}
policy 3
mount -t tmpfs -o size=2m qs-state "$CL_DIR/state" ||
	skip_all "no tmpfs can be mounted"
mount -t tmpfs -o size=256k qs-events "$CL_DIR/events" ||
	skip_all "no tmpfs can be mounted"
# Before the folder is removed, whichever way the test ends.
# shellcheck disable=SC2154
trap 'rc=$?; cd /; umount -l "$CL_DIR/state" "$CL_DIR/events"; (exit $rc)
	cluster_on_exit' EXIT
cluster_start || bail "no cluster"
log=$CL_DIR/events/log.jsonl

restarts() { job_counts "$OWN" "${LENT[@]}"; }
# fill FOLDER: to the last byte.
fill() { head -c 100M /dev/zero >"$1/ballast" 2>/dev/null; }
told() { echo "$(was_told "${LENT[0]}" && echo yes) $(was_told "${LENT[1]}" && echo yes)"; }

own_runs --gres=gpu:h100:2
borrow_each submit_stubborn 2 1
claim=$(submit_sleep -A a --gres=gpu:h100:1 --hold)
check_wait 10 "healthy" prints "" health_codes
laws_watch

# slurmctld's own state is on that disk, too.
saved() { ctld_saved "$OWN" "$CL_DIR/state/mark"; }

saved
say "the disk of StateSaveLocation is full when the owner comes"
fill "$CL_DIR/state"
scontrol release "$claim"
check_wait 15 "the health lines say so" prints STATE_UNSAVED health_codes
check_match "in words" "$(qshare health)" \
	'nobody is preempted: .*quota_share.state: No space left'
check_eq "the log says so, once" "$(ctld_log_count \
	'quota_share: .*cannot write: No space left.*nobody is stopped')" 1
check_lasts 5 "nobody is told" prints " " told
check_eq "nobody is stopped" "$(restarts)" "0 0 0"
check_eq "the owner's job waits" "$(job_state "$claim")" PENDING
check "nothing is left of what was not written" \
	test ! -e "$CL_DIR/state/quota_share.state.new"

say "killed with -9 like that, and started again"
cluster_ctld_kill9
cluster_ctld_start 30 || bail "slurmctld does not start on a full disk"
check_wait 30 "the health lines say so again" prints STATE_UNSAVED health_codes
check_lasts 3 "nobody is told" prints " " told

say "there is room again"
rm "$CL_DIR/state/ballast"
# slurmctld could not save that it was released.
scontrol release "$claim"
check_wait 30 "the owner's job runs" job_is "$claim" RUNNING
check_eq "one job was stopped for it" "$(restarts)" "0 0 1"
check_wait 10 "healthy" prints "" health_codes
check_eq "the log has it" "$(ctld_log_count 'quota_share: .*written again')" 1

say "it fills up in the middle of a grace time"
scancel "$claim"
check_wait 30 "all run again" prints "RUNNING RUNNING RUNNING" \
	job_states "$OWN" "${LENT[@]}"
# Time to fill it, on a slow machine, too.
policy 8
check "a longer grace time" qshare reload
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "a victim is told" prints GRACE \
	status_field '.stopping[0].phase'
fill "$CL_DIR/state"
check_wait 10 "the health lines say so" prints STATE_UNSAVED health_codes
check_lasts 9 "whose count cannot be saved is not stopped" \
	prints "0 0 1" restarts
rm "$CL_DIR/state/ballast"
check_wait 30 "then the owner's job runs" job_is "$claim" RUNNING
policy 3
check "the shorter grace time" qshare reload

say "the disk of the event log is full"
fill "$CL_DIR/events"
for _ in 1 2 3 4; do
	id=$(submit_sleep --for 1 -A a --gres=gpu:h100:1)
	check_wait 30 "job $id ends" job_is "$id" COMPLETED
done
check_eq "the health lines say so" "$(health_codes)" LOG_UNWRITABLE
check_match "in words" "$(qshare health)" 'event log are lost: .*No space left'
rm "$CL_DIR/events/ballast"
id=$(submit_sleep --for 3 -A a --gres=gpu:h100:1)
check_wait 30 "job $id ends" job_is "$id" COMPLETED
check_wait 10 "healthy" prints "" health_codes
check "each line of the log is whole" \
	jq -e -s 'all(type == "object")' "$log"
check_eq "the last job is in it" "$(jq -r --argjson id "$id" \
	'select(.job == $id and .event == "start") | .job' "$log")" "$id"
check_laws
check_ledger
test_done
