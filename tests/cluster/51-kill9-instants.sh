#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is killed with -9 at random instants of a busy cluster (R20, laws
# 10, 13, 16, 17): two borrowers want everything all the time, an owner keeps
# coming back, victims die of SIGTERM, or end well, or wait for SIGKILL. After
# each start: whoever was on the way out still is, nobody lost a count, no
# owner stopped more than it needed, and in the end no job is lost.
#
# KILLS=N instants (default 7), SEED=N repeats a run. Every third instant is
# not random: slurmctld is killed by its own system call in the middle of
# saving our state (strace, skipped where it cannot trace).

. "${0%/*}/lib.sh"

KILLS=${KILLS:-7}
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

# victim WORD ACCOUNT: asks for one GPU; dies of SIGTERM ("dies"), ends well ("ends"), stays.
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

# owner ACCOUNT GPUS RUNS SBATCH-ARGS…: says when it begins. In asks is how many
# GPUs each asks for.
declare -A asks=()
owner()
{
	local id

	# On any nodes: on one, it might have to wait for jobs that are own.
	id=$(submit --open-mode=append -A "$1" -n "$2" --gpus="h100:$2" \
		"${@:4}" --wrap "echo begun; exec sleep $3") && asks[$id]=$2
}

# owner_comes SECONDS: from then on.
owner_comes()
{
	(($(squeue -h -A a -t PD -o %i | wc -l) < 2)) || return 0
	owner a $((RANDOM % 3 + 1)) $((RANDOM % 3 + 2)) --begin="now+$1"
	((RANDOM % 4)) && return
	owner r 2 1 --begin="now+$1"
}

# What slurmctld has not saved it does not know after a kill, and then its id
# is used again: have it save before the next one. It does so some seconds
# after a change; of a job that no kill can end.
saved() { ctld_saved "$held"; }

# What slurmctld does to itself, so that the test goes on.
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

# Every second kill is in a grace time, if one comes; of the others one in four
# while nodes still register, or in the seconds after that.
pause_before_kill()
{
	local second=$((RANDOM % 4 ? 5 + RANDOM % 8 : RANDOM % 5)) look

	if ((RANDOM % 2)); then
		for ((look = 0; look < 40; look++)); do
			[ -z "$(stopping 2>/dev/null)" ] || break
			sleep 0.2
		done
		second=$((RANDOM % GRACE))
	fi
	sleep "$second.$((RANDOM % 10))"
}

held=$(submit_sleep -A nobody -H) || bail "no job is taken"
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
	pause_before_kill
	if ((kill % 3 == 0)) && [ $trace = yes ] &&
		kill_in_save $((kill / 3)); then
		:
	else
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
# Whose end slurmctld had not saved before a kill is for it a job that runs, until
# it finds out by itself in some minutes; to us it is ending.
# going ENDING: true or false
going()
{
	qshare status --json | jq -c --argjson ending "$1" \
		'[.stopping[] | select((.phase == "ENDING") == $ending) | .job]'
}
check_lasts 3 "nobody is on the way out any more" prints "[]" going false
wrong=
for id in $(going true | jq '.[]'); do
	[ "$(job_out "$id" | grep -oE '^(begun|TERM)' | tail -n 1)" = TERM ] ||
		wrong+="$id "
done
check_eq "who is still ending but was not told" "$wrong" ""
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
		[ "$(job_out "$id" | grep -oE '^(begun|TERM)' | tail -n 1)" = \
			TERM ] || wrong+="$id $state without being told; "
		;;
	'') lost=$((lost + 1)) ;;
	*) wrong+="$id ($(job_field "$id" JobName)) $state; " ;;
	esac
done
say "slurmctld had not saved $lost of ${#borrowers[@]} jobs before a kill"
check_eq "borrowers in a state that no kill may leave them in" "$wrong" ""

# A job that slurmctld forgot to have started is not started again while a node
# still runs the first copy. slurmd itself refuses a second one, too, if the
# first has ended and slurmctld was killed before it said so to the node.
second_copies()
{
	local node

	for node in "$CL_DIR"/log/slurmd-n?.log; do
		awk '/ Launching batch job / {
			match($0, /job [0-9]+/)
			runs[substr($0, RSTART + 4, RLENGTH - 4)] = 1
		}
		/ done with (job|step)/ {
			match($0, /\[[0-9]+\.batch\]/)
			runs[substr($0, RSTART + 1, RLENGTH - 8)] = 0
		}
		/ already running, do not launch second copy/ {
			match($0, /Job [0-9]+/)
			job = substr($0, RSTART + 4, RLENGTH - 4)
			print job, runs[job] ? "runs" : "ended"
		}' "$node"
	done
}
say "second copies refused: $(second_copies | sort | uniq -c | xargs)"
check_eq "second copies of a job that runs" \
	"$(second_copies | grep runs | xargs)" ""

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

# Nobody is stopped for nothing: all hold one GPU, so a claimant of n GPUs (a
# borrower's job can be one, while its share uses less than its own) never
# stops more than n each time it begins. It does so again if slurmctld
# forgot that it has run. The run of a victim that slurmctld had forgotten to have
# stopped may be stopped once more. Where a claimant begins on what another's
# victim left, its own is stopped for that one; so a run counts for the first
# claimant that had it told.
preemptions()
{
	event_log -s '[.[] | select(.event == "preemption_started" or
			.event == "preemption_completed")] |
		group_by([.job, .start])[] |
		select(any(.event == "preemption_completed")) |
		"\(.[0].for) \(.[0].job)"'
}

# A node that slurmctld drains for a second copy takes what is idle there from
# the pool, four GPUs at most, and an owner may have to stop others for that.
away=$((4 * $(ctld_log_count 'Duplicate jobid on nodes .* set to state DRAIN')))
wrong=
while read -r victims claimant; do
	begun=$(grep -c '^begun' "$CL_DIR/jobs/slurm-$claimant.out")
	((victims <= ${asks[$claimant]:-1} * begun + away)) ||
		wrong+="$claimant asked for ${asks[$claimant]:-1} and began $begun times, stopped $victims; "
done < <(preemptions | cut -d " " -f 1 | sort | uniq -c)
check_eq "claimants that stopped more than they asked for" "$wrong" ""
stops=$(preemptions | wc -l)
check "somebody was stopped ($stops times)" test "$stops" -gt 0
test_done
