#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is killed with -9 at random instants of a busy cluster (R20, laws
# 10, 13, 16, 17): two borrowers want everything all the time, an owner keeps
# coming back, victims die of SIGTERM, or end well, or wait for SIGKILL. After
# each start: whoever was on the way out still is, nobody lost a count, no
# owner stopped more than it needed, and in the end no job is lost.
#
# KILLS=N instants (default 10), SEED=N repeats a run. Every third instant is
# not random: slurmctld is killed by its own system call in the middle of
# saving our state (strace, skipped where it cannot trace).

# By hand: no two runs are alike, and what 100 kills found is not all understood
# (doc/design.md, "Known, and left so").

. "${0%/*}/lib.sh"

KILLS=${KILLS:-10}
SEED=${SEED:-$((RANDOM * 32768 + RANDOM))}
GRACE=2

cluster_init instants
cluster_need_plugins
cluster_nodes "n[1-3]" h100:4
cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=$GRACE
Share=kept Accounts=r Capacity=h100:2 Strategy=RESERVE InSharePreemption=NO
Share=owner Accounts=a Capacity=h100:4 Strategy=LEND InSharePreemption=NO
Share=b Accounts=b Capacity=h100:4 Strategy=LEND_AND_BORROW InSharePreemption=NO
Share=c Accounts=c Capacity=h100:2 Strategy=LEND_AND_BORROW InSharePreemption=NO
POLICY
# So long may slurmctld believe in a run that has ended while it was away, or
# whose end it did not save.
cluster_conf <<CONF
BatchStartTimeout=1
CONF
cluster_start || bail "no cluster"
say "SEED=$SEED KILLS=$KILLS"
RANDOM=$((SEED % 32768))

trace=no
if command -v strace >/dev/null &&
	timeout 5 strace -o /dev/null true 2>/dev/null; then
	trace=yes
fi
say "kills inside of a save by strace: $trace"

# victim WORD ACCOUNT: dies of SIGTERM ("dies"), ends well ("ends"), stays.
victim()
{
	submit --open-mode=append -A "$2" --share-priority=$((RANDOM % 3)) \
		--gres=gpu:h100:1 --job-name="$1" --wrap "
		told() {
			echo \"TERM \$(date +%s)\"
			case $1 in
			dies) exit 143 ;;
			ends) exit 0 ;;
			esac
		}
		trap told TERM
		echo \"begun \$(date +%s)\"
		while :; do sleep 1000 & wait; done"
}

# more_borrowers N: until so many wait.
borrowers=()
more_borrowers()
{
	local waiting kinds=(dies stays stays ends dies stays) kind account id

	waiting=$(squeue -h -A b,c -t PD -o %i | wc -l)
	while ((waiting++ < $1)); do
		kind=${kinds[RANDOM % 6]}
		account=b
		((RANDOM % 3 == 0)) && account=c
		id=$(victim "$kind" "$account") && borrowers+=("$id")
	done
}

# owner_comes SECONDS: from then on. In asks is how many GPUs each asks for.
declare -A asks=()
owner_comes()
{
	local gpus=$((RANDOM % 3 + 1)) id

	(($(squeue -h -A a -t PD -o %i | wc -l) < 2)) || return 0
	# On any nodes: on one, it might have to wait for jobs that are own.
	id=$(submit_sleep --for $((RANDOM % 3 + 2)) -A a --begin="now+$1" \
		-n "$gpus" --gpus="h100:$gpus") && asks[$id]=$gpus
	((RANDOM % 4)) && return
	id=$(submit_sleep --for 1 -A r --begin="now+$1" -n 2 \
		--gpus=h100:2) && asks[$id]=2
}

# What slurmctld has not saved it does not know after a kill, and then its id
# is used again: have it save before the next one. It does so some seconds
# after a change.
saved()
{
	: >"$CL_DIR/mark"
	scontrol update jobid="${borrowers[0]}" comment="mark $RANDOM" ||
		not_ok "a comment on job ${borrowers[0]}"
	wait_for 20 "slurmctld to save its jobs" \
		test "$CL_DIR/state/job_state" -nt "$CL_DIR/mark" ||
		bail "the state is not saved"
}

# slurmctld saves its jobs some seconds after a change. A job that it forgets to
# have started in a kill it starts again, where the node still has the first
# copy, and then drains the node and holds the job: its own loss, not ours.
mend()
{
	local node id

	for node in $(sinfo -h -N -t drain -o %N); do
		say "slurmctld drained $node: $(sinfo -h -n "$node" -o %E)"
		scontrol update nodename="$node" state=resume
	done
	# It has ended long ago, but that was not saved; slurmctld finds out by
	# itself only if nobody kills it for some minutes.
	for id in $(squeue -h -A a,r -t R -o "%A %M" |
		awk '$2 !~ /^0:[01].$/ { print $1 }'); do
		say "slurmctld believes that job $id still runs"
		scancel "$id"
	done
	for id in $(squeue -h -t PD -o "%A %r" | sed -n 's/ launch.*//p'); do
		say "slurmctld held job $id: $(job_reason "$id")"
		scontrol release "$id"
	done
}

# "JOB FOR" of all that are on the way out, "JOB PREEMPTED" of all.
stopping() { qshare status --json | jq -r '.stopping[] | "\(.job) \(.for)"'; }
counts() { qshare jobs --json | jq -r '.[] | "\(.job) \(.preempted)"'; }

# kill_in_save: at the first, second, … system call of this kind on our new
# state file. False: nothing was saved in time.
kill_in_save()
{
	local calls=(openat write fsync rename) pid call=$1

	call=${calls[call % 4]}
	pid=$(daemon_pid slurmctld)
	timeout 6 strace -f -qq -o /dev/null -e "trace=$call" \
		-P "$CL_DIR/state/quota_share.state.new" \
		-e "inject=$call:signal=KILL" -p "$pid" 2>/dev/null
	daemon_gone slurmctld || return 1
	say "killed in $call() of the state file"
	rm -f "$CL_DIR/pid/slurmctld"
	in_save=$((in_save + 1))
}

more_borrowers 14
wait_for 30 "the pool to be lent" prints 10 job_gpus ||
	bail "the borrowers do not fill the pool"
laws_watch r h100 10

lost=0
in_save=0
in_grace=0
for ((kill = 1; kill <= KILLS; kill++)); do
	# New jobs for three kills, the owners' to come in between.
	if ((kill % 3 == 1)); then
		more_borrowers 4
		owner_comes 4
		owner_comes $((RANDOM % 4 + 5))
		saved
	fi
	if ((kill % 3 == 0)) && [ $trace = yes ] &&
		kill_in_save $((kill / 3)); then
		:
	else
		sleep "$((RANDOM % 4)).$((RANDOM % 10))"
		before=$(stopping)
		[ -z "$before" ] || in_grace=$((in_grace + 1))
		cluster_ctld_kill9
	fi
	cluster_ctld_start 30 || bail "slurmctld did not start again (kill $kill)"
	daemon_alive slurmctld || bail "slurmctld crashed (kill $kill)"
	mend
done
say "$in_grace kills while somebody was on the way out, $in_save in a save"

say "all owners come to an end"
owners_done()
{
	mend
	[ -z "$(squeue -h -A a,r -o %i)" ]
}
check_wait 120 "every owner's job that slurmctld knows has run" owners_done
check_wait 60 "the pool is lent again" prints 10 job_gpus
check_lasts 3 "nobody is on the way out any more" prints "" stopping
check_laws
check_ledger

# What slurmctld itself had not saved before a kill it does not know: such a
# job is not ours to find again. All others are there and as they should be.
wrong=
for id in "${borrowers[@]}"; do
	state=$(job_state "$id")
	case $state in
	RUNNING | PENDING | COMPLETING) ;;
	COMPLETED)
		[ "$(job_out "$id" | tail -n 1 | cut -c 1-4)" = TERM ] ||
			wrong+="$id $state without being told; "
		;;
	'') lost=$((lost + 1)) ;;
	*) wrong+="$id ($(job_field "$id" JobName)) $state; " ;;
	esac
done
say "slurmctld had not saved $lost of ${#borrowers[@]} jobs before a kill"
check_eq "borrowers in a state that no kill may leave them in" "$wrong" ""

# Law 13, exactly: nothing but we requeues here, and slurmctld what it has lost
# sight of.
wrong=
while read -r id count; do
	restarts=$(job_restarts "$id")
	missed=$(ctld_log_count "requeue JobId=$id due to node failure")
	((count <= restarts && restarts <= count + missed)) ||
		wrong+="$id: $restarts restarts, $missed by slurmctld, $count preemptions; "
done < <(counts)
check_eq "jobs whose count of preemptions is not that of their restarts" \
	"$wrong" ""

# Nobody is stopped for nothing: all hold one GPU, so a claimant of n GPUs
# never stops more than n. The run of a victim that slurmctld had forgotten to
# have stopped may be stopped once more; it counts for the first claimant.
preemptions()
{
	jq -rs '[.[] | select(.event == "preemption_completed")] |
		unique_by([.job, .start]) | .[] | "\(.for) \(.job)"' \
		"$CL_DIR/state/quota_share.events.jsonl"
}

wrong=
while read -r victims claimant; do
	((victims <= ${asks[$claimant]:-0})) ||
		wrong+="$claimant asked for ${asks[$claimant]:-?}, stopped $victims; "
done < <(preemptions | cut -d " " -f 1 | sort | uniq -c)
check_eq "claimants that stopped more than they asked for" "$wrong" ""
stops=$(preemptions | wc -l)
check "somebody was stopped ($stops times)" test "$stops" -gt 0
test_done
