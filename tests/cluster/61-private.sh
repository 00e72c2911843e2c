#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who may see and do what, with real users: PrivateData=jobs, also for who only
# asks what would be; the priority of other people's jobs; words of the RPC that
# nobody expects.

. "${0%/*}/lib.sh"

cluster_init private
cluster_need_plugins
cluster_nodes "n1" h100:4
cluster_conf <<CONF
PrivateData=jobs
CONF
cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=0
Share=owner Accounts=a Capacity=h100:2 Strategy=LEND MaxUserPriority=10 \\
	InSharePreemption=NO
Share=b Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW MaxUserPriority=10 \\
	InSharePreemption=NO
POLICY
cluster_start || bail "no cluster"
mine=$(cluster_user 1) || bail "no users"
other=$(cluster_user 2) || bail "no users"

as() { cluster_run_as "$@" 2>&1; }
job_of() { as "$1" sbatch --parsable -A "$2" --gres=gpu:h100:2 --wrap "exec sleep 600"; }

first=$(job_of "$mine" b)
job_wait "$first" RUNNING || bail "the first job does not run: $first"
second=$(job_of "$other" b)
job_wait "$second" RUNNING || bail "the second job does not run: $second"
waits=$(job_of "$mine" b)
job_wait "$waits" PENDING || bail "the third job does not wait: $waits"
wait_for 10 "a reason" prints_match 'needs' job_reason "$waits"

say "everybody sees the shares"
for who in "$mine" "$other"; do
	check_wait 5 "$who: the table" prints_match \
		'b +h100 +2 .* 4 +2 +2' as "$who" qshare status
	check_match "$who: the health lines" "$(as "$who" qshare health)" VALID
	check_match "$who: metrics" "$(as "$who" qshare metrics)" 'h100'
done

says_uid=yes
[[ $(slurmctld -V) == *" 22.05"* ]] && says_uid=no
say "this Slurm tells the plugins who asks: $says_uid"
if [ $says_uid = yes ]; then
	check_match "the owner of a job has it explained" \
		"$(as "$mine" qshare explain "$waits")" 'needs|lend'
	check_match "root, too" "$(qshare explain "$waits" 2>&1)" 'needs|lend'
	check_match "others are told of no such job" \
		"$(as "$other" qshare explain "$waits")" 'no such job'
	check_match "nor are they shown all jobs" \
		"$(as "$other" qshare jobs)" 'PrivateData=jobs'
	check_match "root is" "$(qshare jobs)" "$waits"
else
	check_match "the owner of a job is told what squeue shows, and why no more" \
		"$(as "$mine" qshare explain "$waits" | xargs)" \
		'is PENDING: QuotaShare: needs .*PrivateData=jobs'
	check_eq "as JSON, too" "$(as "$mine" qshare explain "$waits" --json |
		jq -r .waits)" "$(as "$mine" squeue -h -j "$waits" -o %r)"
	check_match "root, too" "$(qshare explain "$waits" 2>&1)" 'QuotaShare: needs'
	check_match "others are told of no such job" \
		"$(as "$other" qshare explain "$waits")" \
		"PrivateData=jobs is set, and no JobId=$waits is yours"
	for who in "$mine" "$other"; do
		check_match "$who: no list of jobs" "$(as "$who" qshare jobs)" \
			'PrivateData=jobs'
		check_match "$who: no snapshot" \
			"$(as "$who" scontrol show bbstat scenario)" \
			'PrivateData=jobs'
	done
	check_match "squeue shows one's own" \
		"$(as "$mine" squeue -h -j "$waits" -o %r)" QuotaShare
	check_eq "and nobody else's" \
		"$(as "$other" squeue -h -j "$waits" -o %r | grep -c Quota)" 0
fi
check_eq "the answers name no job to others" \
	"$(as "$other" scontrol show bbstat status |
		grep -cE '"(job|for)":')" 0

say "what-if: who would be stopped is for operators, how many for everybody"
# asks USER: "VERDICT HOW CODE jobs gpus", and what names a job
asks()
{
	as "$1" qshare whatif --json -A a --gres=gpu:h100:2 | jq -r '[.verdict,
		.how, .code, .victims_total.jobs, .victims_total.gpus,
		([.. | objects | .job | values] | unique[]),
		(.text | scan("JobId=[0-9]+"))] | map(tostring) | join(" ")'
}
# words USER: what people read
words() { as "$1" qshare whatif -A a --gres=gpu:h100:2; }
for who in "$mine" "$other"; do
	check_wait 10 "$who: no job is named" \
		prints "START RECLAIM QUOTA 1 2" asks "$who"
	check_match "$who: a sentence says how many" "$(words "$who" | tr '\n' ' ')" \
		'1 job will be stopped for it\. .*preempted: 1 job with 2 GPUs'
	check_eq "$who: and not which" "$(words "$who" | grep -c JobId)" 0
done
if [ $says_uid = yes ]; then
	check_eq "root is told which" "$(asks root)" \
		"START RECLAIM QUOTA 1 2 $second JobId=$second"
else
	check_eq "nor for root" "$(asks root)" "START RECLAIM QUOTA 1 2"
fi
check_eq "who waits is not told for whom" \
	"$(as "$other" qshare whatif -A b --gres=gpu:h100:2 | grep -c JobId)" 0

say "changing calls"
check "the owner sets its priority" \
	cluster_run_as "$mine" qshare priority "$waits" 5
check "not more than MaxUserPriority" \
	not cluster_run_as "$mine" qshare priority "$waits" 11
check "another user does not" \
	not cluster_run_as "$other" qshare priority "$waits" 4
check "root sets more" qshare priority "$waits" 12
check "another user reloads nothing" \
	not cluster_run_as "$other" scontrol reconfigure
check "nor cancels" not cluster_run_as "$other" scancel "$waits"
check_eq "the job waits on" "$(job_state "$waits")" PENDING

say "words that nobody expects"
generation=$(status_field .generation)
long=$(head -c 20000 /dev/zero | tr '\0' x)
bad()
{
	check_match "$1" "$(as "$other" scontrol show bbstat "${@:2}")" \
		'"error"|rror'
}
bad "an unknown word" nosuch
bad "a very long one" "$long"
bad "control characters" $'\033[31m\a\r\n'
bad "a known word with control characters" $'explain\n' 1
bad "a job that is none" explain $'1\033[2J'
bad "a very long job" explain "$long"
bad "many words" $(seq 300)
bad "one word too many" status now
bad "two too many" explain 1 2
check_eq "nothing has changed" "$(status_field .generation)" "$generation"
check_eq "no job has" \
	"$(job_states "$first" "$second" "$waits")" "RUNNING RUNNING PENDING"
check_eq "slurmctld's log has no control characters" \
	"$(LC_ALL=C grep -c $'[\001-\010\013-\037]' "$CL_DIR/log/slurmctld.log")" 0
check_eq "the answer has none" \
	"$(as "$other" scontrol show bbstat explain $'1\033[2J' |
		LC_ALL=C grep -c $'[\001-\010\013-\037]')" 0
check "slurmctld is well" ctld_answers
check_ledger
test_done
