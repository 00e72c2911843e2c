#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What slurmctld had not saved when it was killed with -9. Its file of jobs is
# put back to what it was some seconds before, as if the kill had come before
# it was written.
#
# A start that it forgot: the job waits, says slurmctld, and runs on its node.
# It is not started again before the node has ended that copy; slurmctld would
# drain the node for a "Duplicate jobid" and hold the job. And meanwhile nobody
# else gets its GPUs. A start and the stop before it: the stop is done once more
# and counted once, nobody else is stopped. After an end in order nothing waits.

. "${0%/*}/lib.sh"

cluster_init forgotten
cluster_need_plugins
cluster_nodes "n1" h100:4
lend_policy GraceTime=2 h100:2 h100:2
cluster_conf <<CONF
Epilog=$CL_DIR/epilog
CONF
# A node is not done with what it has ended before the epilog has ended.
cat >"$CL_DIR/epilog" <<EPILOG
#!/bin/sh
[ ! -e "$CL_DIR/slow" ] || sleep 5
EPILOG
chmod 755 "$CL_DIR/epilog"
cluster_start || bail "no cluster"

# begins SBATCH-ARGS…: says when it begins, and ends well when it is told.
begins()
{
	submit --open-mode=append "$@" --wrap "trap 'exit 0' TERM
		echo begun; while :; do sleep 0.1; done"
}
begun() { job_out_count "$1" "^begun"; }
# keep: the jobs as slurmctld has them now.
keep()
{
	ctld_saved "$OWN"
	cp "$CL_DIR/state/job_state" "$CL_DIR/kept"
}
# forget: killed, and back to what was kept.
forget()
{
	cluster_ctld_kill9
	cp "$CL_DIR/kept" "$CL_DIR/state/job_state"
	: >"$CL_DIR/slow"
	cluster_ctld_start 30 || bail "slurmctld did not start again"
}
refused() { cat "$CL_DIR"/log/slurmd-n1.log | grep -c 'do not launch second'; }

own_runs --gres=gpu:h100:2

say "a start that slurmctld forgets"
job=$(begins -A a --begin=now+15 --gres=gpu:h100:1)
keep
check_eq "it waits for its time" "$(job_state "$job") $(begun "$job")" \
	"PENDING 0"
wait_for 30 "it to begin" prints 1 begun "$job" || bail "it does not begin"
forget
check_eq "it waits, says slurmctld" "$(job_state "$job")" PENDING
check_wait 10 "the reason is that slurmctld has just started" prints_match \
	'^QuotaShare: slurmctld has just started' job_reason "$job"
check_wait 60 "it begins once more" prints 2 begun "$job"
check_eq "no second copy came before the first was ended" "$(refused)" 0
check_eq "the node is fine" "$(sinfo -h -n n1 -o %t)" mix
check_eq "it runs, and was neither held nor requeued" \
	"$(job_state "$job") $(job_restarts "$job")" "RUNNING 0"
rm "$CL_DIR/slow"
scancel "$job"

say "a stop and a start that slurmctld forgets"
lent=()
for priority in 2 1; do
	id=$(begins -A b --share-priority="$priority" --gres=gpu:h100:1)
	wait_for 30 "job $id to begin" prints 1 begun "$id" ||
		bail "job $id did not borrow"
	lent+=("$id")
done
job=$(begins -A a --begin=now+15 --gres=gpu:h100:1)
keep
wait_for 30 "it to begin" prints 1 begun "$job" || bail "it does not begin"
victims() { job_states "${lent[@]}"; }
counts() { qshare jobs --json | jq -r --argjson a "${lent[0]}" \
	--argjson b "${lent[1]}" '[.[] | select(.job == $a or .job == $b)] |
	sort_by(.job) | map(.preempted) | @tsv' | xargs; }
told() { job_out_count "$1" TERM; }
check_eq "the victim ended well in its time" "$(victims)" "RUNNING COMPLETED"
forget
check_eq "it runs, says slurmctld" "$(victims)" "RUNNING RUNNING"
check_wait 60 "the owner's job begins once more" prints 2 begun "$job"
check_eq "no second copy came before the first was ended" "$(refused)" 0
check_eq "the other was left alone" "$(job_state "${lent[0]}") \
$(job_restarts "${lent[0]}") $(begun "${lent[0]}")" "RUNNING 0 1"

say "an end in order"
rm "$CL_DIR/slow"
scancel "$job"
wait_for 20 "its GPU to be free" prints 0 account_gpus a
before=$(ctld_log_count 'had not ended in order')
check "the kills were known as such ($before times)" test "$before" -ge 2
cluster_ctld_stop
cluster_ctld_start 30 || bail "slurmctld did not start again"
job=$(begins -A a --gres=gpu:h100:1)
check_wait 20 "a job begins" prints 1 begun "$job"
check_eq "nothing waited" "$(ctld_log_count 'had not ended in order')" "$before"
check_ledger
test_done
