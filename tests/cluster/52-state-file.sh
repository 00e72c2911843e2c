#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What may happen to our state file while slurmctld is away: it is missing, cut
# off anywhere, garbage, of a later version, not readable, a folder, a link, a
# FIFO. slurmctld starts, says so in its log and in the health lines, keeps
# what it found under another name, and nobody is stopped for it.

. "${0%/*}/lib.sh"

CUTS=${CUTS:-3}
SEED=${SEED:-$((RANDOM * 32768 + RANDOM))}

cluster_init state
cluster_need_plugins
cluster_nodes "n[1-2]" h100:2
lend_policy GraceTime=6 h100:2 h100:2
cluster_start || bail "no cluster"
say "SEED=$SEED"
RANDOM=$((SEED % 32768))
state=$CL_DIR/state/quota_share.state

restarts() { job_counts "$OWN" "${LENT[@]}"; }

saved() { ctld_saved "$OWN"; }

# away COMMAND [ARG...]: while slurmctld is away.
away()
{
	cluster_ctld_stop
	"$@" || not_ok "could not: $*"
	cluster_ctld_start || bail "slurmctld does not start after: $*"
	wait_for 20 "the planner" prints_match '^[1-9]' status_field \
		.counters.rounds || bail "no round after: $*"
}

# lost WHAT REGEX: it is said that the state is lost.
lost()
{
	check_match "$1: the log says so" \
		"$(ctld_log 'quota_share: .*preemption counts begin' |
			tail -n 1)" "$2"
	check_wait 10 "$1: the health lines, too" prints STATE_LOST health_codes
	check_match "$1: in words" "$(qshare health)" "$2"
	check_eq "$1: nobody was stopped" "$(restarts)" "0 0 2"
	check "$1: there is a good one again" \
		prints_match "^quota_share 1 " head -c 14 "$state"
}

cut_off() { truncate -s "$1" "$state"; }
garbage() { head -c 3000 /dev/urandom >"$state"; }
later() { sed -i '1s/quota_share [0-9]*/quota_share 99/' "$state"; }
folder() { rm -f "$state" && mkdir "$state" && echo x >"$state/in"; }
fifo() { rm -f "$state" && mkfifo "$state"; }
link() { cp "$state" "$CL_DIR/elsewhere" && ln -sf "$CL_DIR/elsewhere" "$state"; }

own_runs --gres=gpu:h100:2
borrow_each submit_stubborn 2 1
check_eq "the modes are those of slurmctld's own files" \
	"$(stat -c %a "$state" "$CL_DIR/state/job_state" 2>/dev/null | sort -u)" 600

claim=$(submit_sleep --for 2 -A a --gres=gpu:h100:1)
check_wait 20 "one job is preempted" prints "0 0 1" restarts
check_wait 30 "and runs again" prints "RUNNING RUNNING RUNNING" \
	job_states "$OWN" "${LENT[@]}"
saved

say "nothing happened to it"
away true
check_wait 10 "healthy" prints "" health_codes
check_eq "the count is there" "$(qshare jobs --json | jq -r \
	--argjson id "${LENT[1]}" '.[] | select(.job == $id) | .preempted')" 1

say "a claim in the middle of its grace time, and then the file is cut off"
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "a victim is told" prints GRACE \
	status_field '.stopping[0].phase'
saved
away cut_off $((RANDOM % 300 + 1))
check_match "the log says so" \
	"$(ctld_log 'quota_share: .*preemption counts begin')" \
	'(cut off or damaged|not such a file)'
check_wait 40 "the owner gets its own all the same" job_is "$claim" RUNNING
check_eq "one job was stopped for it, once" "$(restarts)" "0 0 2"
scancel "$claim"
check_wait 30 "all run again" prints "RUNNING RUNNING RUNNING" \
	job_states "$OWN" "${LENT[@]}"
saved

for ((i = 0; i < CUTS; i++)); do
	size=$(stat -c %s "$state")
	at=$((RANDOM % size))
	away cut_off $at
	lost "cut off at $at of $size bytes" '(cut off or damaged|not such a file)'
done
check "what was found is kept" test -f "$state.refused"
check "reconfigure" cluster_reconfigure
check_wait 10 "the admin has seen it: healthy" prints "" health_codes

away rm -f "$state"
lost "missing" 'missing, although'
away garbage
lost "garbage" '(cut off or damaged|not such a file)'
away later
lost "of a later version" 'later version; kept as .*refused'
check_eq "the later version's file is kept as it was" \
	"$(head -c 14 "$state.refused")" "quota_share 99"
away folder
lost "a folder" 'not a plain file; kept as'
away fifo
lost "a FIFO" 'not a plain file'
away link
lost "a link" 'not a plain file'
check "what the link names was not written to" \
	cmp -s "$CL_DIR/elsewhere" "$state.refused"
check_eq "the state is a file again" "$(stat -c %F "$state")" "regular file"

say "not readable: slurmctld without root's right to read all"
cluster_ctld_stop
chmod 000 "$state"
wrapper=${QS_CTLD_WRAPPER:-}
export QS_CTLD_WRAPPER="setpriv --bounding-set=-dac_override,-dac_read_search \
--inh-caps=-dac_override,-dac_read_search $wrapper"
cluster_ctld_start || bail "slurmctld does not start"
wait_for 20 "the planner" prints_match '^[1-9]' status_field .counters.rounds
lost "not readable" 'Permission denied'
cluster_ctld_stop
QS_CTLD_WRAPPER=$wrapper

say "a link in the place of the new file, and of the log"
echo precious >"$CL_DIR/precious"
cluster_ctld_stop
rm -f "$CL_DIR/state/quota_share.events.jsonl"
ln -s "$CL_DIR/precious" "$state.new"
ln -s "$CL_DIR/precious" "$CL_DIR/state/quota_share.events.jsonl"
cluster_ctld_start || bail "slurmctld does not start"
check_wait 20 "the health lines have the log" prints LOG_UNWRITABLE health_codes
check_match "in words" "$(qshare health)" 'symbolic link'
check_eq "nothing was written through them" "$(cat "$CL_DIR/precious")" \
	precious
rm "$CL_DIR/state/quota_share.events.jsonl"
# An event for it to be written.
scancel "${LENT[0]}"
check_wait 10 "the link is gone: healthy" prints "" health_codes

say "modes: not more than the folder's"
check_eq "a folder of 755" \
	"$(stat -c %a "$CL_DIR/state/quota_share.events.jsonl")" 640
cluster_ctld_stop
rm "$CL_DIR/state/quota_share.events.jsonl"
chmod 700 "$CL_DIR/state"
cluster_ctld_start || bail "slurmctld does not start"
check_wait 10 "a folder of 700" prints 600 \
	stat -c %a "$CL_DIR/state/quota_share.events.jsonl"
check_ledger
test_done
