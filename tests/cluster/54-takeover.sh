#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two controllers with one StateSaveLocation, each with a host name of its own:
# the backup takes over because the primary was killed, the primary comes back,
# and the backup is told to take over, each time in the middle of a grace time
# (R20). Usage, claims and counts go on; each victim is told once, has all of
# its grace time, and is stopped once; nobody else is.

. "${0%/*}/lib.sh"

GRACE=30

cluster_init takeover
cluster_need_plugins
cluster_nodes "n[1-2]" h100:4
cluster_backup_conf
lend_policy "GraceTime=$GRACE" h100:4 h100:4 PreemptRetries=5

rows() { share_use owner h100; share_use borrower h100; }
usage() { rows | xargs; }
restarts() { job_counts "$OWN" "${LENT[@]}"; }

# How often we told each borrower, in a line.
told()
{
	local id

	for id in "${LENT[@]}"; do
		times_told "$id"
	done | xargs
}

# The owner's job writes its first line a little after slurmctld started it.
began() { job_out_count "$1" '^began'; }

# said WORDS: when a controller said this of a job, in milliseconds
said()
{
	date +%s%3N -d "$(sed -n "s/^\[\([^]]*\)\] quota_share: $1.*/\1/p" \
		"$CL_DIR"/log/{slurmctld,backup}.log)"
}

# all_of_grace VICTIM OWNER: by the clock of the controllers, and as the jobs saw
# it, where a message may have been on its way for long.
all_of_grace()
{
	local given seen

	check_wait 10 "it has begun" prints 1 began "$2"
	given=$(($(said "JobId=$1 is requeued for JobId=$2:") -
		$(said "JobId=$1 gets $GRACE s to end:")))
	check "after the grace time, not before ($given ms)" \
		test "$given" -ge $((GRACE * 1000 - 500))
	seen=$(grace_of "$1" "$2")
	check "so it was for the jobs ($seen ms)" \
		test "$seen" -ge $((GRACE * 1000 - 3000))
}

saved() { ctld_saved "$OWN"; }

cluster_start || bail "no cluster"
cluster_backup_start || bail "no backup"

own_runs --gres=gpu:h100:4
borrow_each submit_stubborn 4 3 2 1
laws_watch

say "the owner comes, and the primary is killed in the grace time"
claim=$(submit_stamped -A a --gres=gpu:h100:1)
check_wait 10 "the last victim is told" was_told "${LENT[3]}"
saved
cluster_ctld_kill9
check_wait 60 "the backup has taken over" \
	prints_match '^[1-9]' status_field .counters.rounds
check_eq "usage is the same" "$(usage)" "0 0 0 8 4 4"
check_eq "the victim is on its way out, alone" "$(stopping_jobs)" "${LENT[3]}"
check_eq "there is one claim" "$(status_field '.claims | length')" 1
check_wait $((2 * GRACE)) "the owner's job runs" job_is "$claim" RUNNING
all_of_grace "${LENT[3]}" "$claim"
check_eq "one job was stopped, once" "$(restarts)" "0 0 0 0 1"
check_eq "and told once" "$(told)" "0 0 0 1"
saved

say "the primary comes back in the grace time of another"
second=$(submit_stamped -A a --gres=gpu:h100:1)
check_wait 10 "the next victim is told" was_told "${LENT[2]}"
saved
cluster_ctld_start 40 || bail "the primary does not come back"
check_wait 30 "it plans" prints_match '^[1-9]' status_field .counters.rounds
check "it is the primary that answers" \
	grep -q 'quota_share: state of' "$CL_DIR/log/slurmctld.log"
check_eq "the victim is on its way out, alone" "$(stopping_jobs)" "${LENT[2]}"
check_wait $((2 * GRACE)) "the owner's second job runs" \
	job_is "$second" RUNNING
all_of_grace "${LENT[2]}" "$second"
check_eq "each was stopped once" "$(restarts)" "0 0 0 1 1"
saved

say "the backup is told to take over in the grace time of a third"
third=$(submit_stamped -A a --gres=gpu:h100:1)
check_wait 10 "the next victim is told" was_told "${LENT[1]}"
saved
check "scontrol takeover" scontrol takeover
check_wait 30 "the backup plans" \
	prints_match '^[1-9]' status_field .counters.rounds
check_wait 10 "the victim is on its way out, alone" \
	prints "${LENT[1]}" stopping_jobs
check_wait $((2 * GRACE)) "the owner's third job runs" job_is "$third" RUNNING
all_of_grace "${LENT[1]}" "$third"
check_eq "each was stopped once" "$(restarts)" "0 0 1 1 1"
check_eq "and told once" "$(told)" "0 1 1 1"
check_eq "a count for each" "$(qshare jobs --json | jq -r \
	'[.[] | select(.preempted > 0) | .preempted] | map(tostring) |
	join(" ")')" "1 1 1"
check_laws
check_ledger
daemon_stop backup
test_done
