#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In the middle of a reclaim munged is restarted; the slurmd of a victim's node
# is killed with -9 in its grace time and comes back, and then goes for good
# with all that ran there. The owner gets its own, a preemption counts once, a
# node's failure does not count (R12, law 13), and nobody else is stopped.

. "${0%/*}/lib.sh"

GRACE=6

cluster_init munge
cluster_need_plugins
cluster_nodes "n[1-3]" h100:2
cluster_conf <<CONF
SlurmdTimeout=25
CONF
lend_policy "GraceTime=$GRACE" h100:2 h100:2
cluster_start || bail "no cluster"

restarts() { job_counts "$OWN" "${LENT[@]}"; }
# Not from `qshare jobs`: after its node has died twice, Slurm 22.05 itself
# knows of no GRES of the next run (scontrol -d: JOB_GRES=(null)).
count_of() { qshare explain "$1" --json | jq -r .preempted; }
node_of() { job_field "$1" NodeList; }
all_run() { prints "RUNNING RUNNING RUNNING" job_states "$OWN" "${LENT[@]}"; }

# n3 has no GPUs to spare: whoever comes must take back.
check_wait 10 "n3 is drained" \
	scontrol update nodename=n3 state=drain reason=test
own_runs -w n1 --gres=gpu:h100:2
borrow_each submit_stubborn 2 1
laws_watch

say "munged is restarted in a grace time"
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "a victim is told" was_told "${LENT[1]}"
daemon_stop munged TERM
check_lasts 2 "without munge nobody is answered" not ctld_answers
munge_start || bail "munged does not come back"
check_wait 10 "slurmctld answers again" ctld_answers
check_wait $((2 * GRACE + 20)) "the owner's job runs" job_is "$claim" RUNNING
check_eq "one job was stopped for it, once" "$(restarts)" "0 0 1"
check_eq "slurmctld is the same process" \
	"$(ctld_log_count 'slurmctld version')" 1
scancel "$claim"
check_wait 30 "all run again" all_run

say "slurmd of the victim's node is killed with -9 in the grace time"
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 10 "a victim is told" prints "${LENT[1]}" stopping_jobs
daemon_stop slurmd-n2 KILL
check_lasts 2 "its steps go on" was_told "${LENT[1]}"
cluster_node_start n2
check_wait $((2 * GRACE + 40)) "the owner's job runs" job_is "$claim" RUNNING
check_eq "one job was stopped for it, once" "$(restarts)" "0 0 2"
check_eq "and counted once" "$(count_of "${LENT[1]}")" 2
scancel "$claim"
check_wait 60 "all run again" all_run

say "the node is gone for good in the grace time"
check "n3 is back" scontrol update nodename=n3 state=resume
claim=$(submit_sleep -A a -w n2 --gres=gpu:h100:1)
check_wait 10 "a victim is told" prints "${LENT[1]}" stopping_jobs
daemon_stop slurmd-n2 KILL
# With all that ran there: slurmstepd first, it must not tell of its job.
steps=()
scripts=()
for pid in $(cluster_pids "$CL_DIR"); do
	words=$(cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' ' ')
	[[ $words == "slurmstepd: [${LENT[0]}."* ||
		$words == "slurmstepd: [${LENT[1]}."* ]] && steps+=("$pid")
	[[ $words == *"/spool/n2/"*slurm_script* ]] && scripts+=("$pid")
done
# A shell that is about to run something is there twice for a moment.
shells=0
for pid in "${scripts[@]}"; do
	parent=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status" 2>/dev/null)
	[[ " ${scripts[*]} " == *" ${parent:-0} "* ]] || shells=$((shells + 1))
done
check_eq "two jobs are killed there" "${#steps[@]} $shells" "2 2"
kill -9 "${steps[@]}" "${scripts[@]}"
check_wait 90 "slurmctld says so" prints_match 'DOWN' \
	scontrol show node n2
check_wait 30 "the claim is given up, nobody is on the way out" \
	prints "" stopping_jobs
check_eq "the own job was left alone" "$(job_restarts "$OWN")" 0
# Both jobs of n2 are requeued by slurmctld: a node's failure.
check_wait 60 "what ran there runs elsewhere" prints "RUNNING RUNNING" \
	job_states "${LENT[@]}"
check_eq "on n3" "$(node_of "${LENT[0]}") $(node_of "${LENT[1]}")" "n3 n3"
check_eq "that was no preemption of the one" "$(count_of "${LENT[0]}")" 0
check_wait 10 "nor of the other, unless its time was over first" \
	prints_match '^[23]$' count_of "${LENT[1]}"
check_wait 10 "the owner's job waits for a node, and says so" \
	prints_match '[Nn]ode|service|n2|DOWN' job_reason "$claim"
say "$(job_reason "$claim")"

say "the node comes back"
cluster_node_start n2
check_wait 60 "the owner's job runs" job_is "$claim" RUNNING
check_eq "without another stop" "$(job_restarts "$OWN")" 0
check_laws
check_ledger
test_done
