#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The event log on a real slurmctld: every line is JSON with a time, a life is
# told whole (start, loan, claim, preemption, end), qshare events filters; and
# each run's accounting record says what was own and what was borrowed, without
# touching what a site wrote there.

. "${0%/*}/lib.sh"

cluster_init events
cluster_need_plugins
cluster_nodes "e1" h100:4
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=0
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_account a
cluster_account b
cluster_member root a
cluster_member root b
cluster_start --dbd || bail "no cluster"
log=$CL_DIR/state/quota_share.events.jsonl

# said JQ-CONDITION: how many events are so
said()
{
	jq -s --argjson id "${2:-0}" "[.[] | select($1)] | length" "$log"
}

comment_of()
{
	sacct -D -n -P -j "$1" -X -o AdminComment
}

own=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$own" RUNNING || bail "the first job does not run"
loan=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$loan" RUNNING || bail "the loan does not run"
site=$(submit_sleep -A a --gres=gpu:h100:1 --hold)
scontrol update jobid="$site" admincomment="theirs" >/dev/null
scontrol release "$site"
job_wait "$site" RUNNING || bail "the owner's job does not run"
check_wait 10 "the owner's start is in the log" prints 1 said \
	'.event == "start" and .job == $id' "$site"
check_eq "every line is a JSON object with a time" \
	"$(jq -c 'type == "object" and (.time | test("^2.*Z$"))' "$log" |
		sort -u)" true
check_eq "the very first job was seen waiting" \
	"$(said '.event == "queued" and .job == $id and .gpus.h100 == 2' \
		"$own")" 1
check_eq "the first job began on own GPUs" \
	"$(said '.event == "start" and .job == $id and .own.h100 == 2 and
		.borrowed == {}' "$own")" 1
check_eq "the second on borrowed ones" \
	"$(said '.event == "start" and .job == $id and .borrowed.h100 == 2' \
		"$loan")" 1
check_eq "a claim for the owner" \
	"$(said '.event == "claim" and .job == $id' "$site")" 1
check_eq "who is requeued is not queued anew" \
	"$(said '.event == "queued" and .job == $id' "$loan")" 1
check_eq "the preemption with rule and numbers" \
	"$(said '.event == "preemption_completed" and .job == $id and
		.code == "QUOTA" and .beyond == 2 and .chosen != ""' "$loan")" 1
check_eq "the end of that run, which is requeued" \
	"$(said '.event == "end" and .job == $id and .borrowed.h100 == 2 and
		.state == "PREEMPTED" and .requeued' "$loan")" 1

# Jobs that end by themselves are long enough for a look to come in between.
say "the other borrower's life goes on as own when own room appears"
scancel "$loan" "$site"
third=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$third" RUNNING || bail "the third job does not run"
check_wait 10 "its start is in the log" prints 1 said \
	'.event == "start" and .job == $id' "$third"
scancel "$own"
check_wait 10 "a change of a loan is an event" prints 1 said \
	'.event == "loan" and .job == $id and .own.h100 == 2 and
	.borrowed_before.h100 == 2' "$third"
scancel "$third"
check_wait 10 "its end" prints 1 said '.event == "end" and .job == $id and
	.state == "CANCELLED" and (.requeued | not)' "$third"
seven=$(submit -A b --gres=gpu:h100:1 --wrap="sleep 3; exit 7")
check_wait 20 "a failed job's end has its exit code" prints 1 said \
	'.event == "end" and .job == $id and .state == "FAILED" and
	.exit_code == 7 and .signal == 0 and (.requeued | not)' "$seven"
check_eq "a run is told by job and start" "$(jq -s --argjson id "$seven" \
	'[.[] | select(.job == $id and .start) | .start] | unique | length' \
	"$log")" 1
task=$(submit -A b --gres=gpu:h100:1 --array=3 --wrap="sleep 3")
check_wait 20 "a task's end has the array's id" prints 1 said \
	'.event == "end" and .id == "\($id)_3" and .state == "COMPLETED"' "$task"
again=$(submit_sleep -A b --gres=gpu:h100:1)
job_wait "$again" RUNNING || bail "the job to be requeued does not run"
scontrol requeue "$again"
check_wait 10 "a requeue by command is no end for good" prints 1 said \
	'.event == "end" and .job == $id and .state == "REQUEUED" and
	.requeued' "$again"
scancel "$again"

say "qshare events"
check_eq "of one job" "$(qshare events -j "$third" --json |
	jq -r .event | grep -v grant | xargs)" "queued start loan end"
check_match "for people" "$(qshare events -j "$loan" \
	-e preemption_completed)" \
	"preemption_completed JobId=$loan share two: .*JobId=$site"
check_eq "of one share and event" "$(qshare events -s one -e start --json |
	jq -r .job)" "$site"
check_eq "nothing since tomorrow" \
	"$(qshare events -S "@$(($(date +%s) + 86400))")" ""
check "a wrong time" not qshare events -S yesterdayish
qshare events | sed 's/^/#   /'

say "accounting"
check_wait 10 "the owner's record is untouched" prints theirs \
	comment_of "$site"
check_wait 10 "the first job's says own" prints_match \
	'^QuotaShare: share=two queue=train own=h100:2 borrowed=0 start=[0-9]+ preempted=0$' \
	comment_of "$own"
# Its first line is of the first run.
check_wait 10 "the preempted run's says for whom" prints_match \
	"^QuotaShare: share=two queue=train own=0 borrowed=h100:2 start=[0-9]+ preempted=1 for=$site how=RECLAIM code=QUOTA; " \
	comment_of "$loan"

say "AdminComment=NO"
sed -i '1i AdminComment=NO' "$CL_DIR/etc/quota_share.conf"
check "the policy is taken" qshare reload
plain=$(submit -A b --gres=gpu:h100:1 --wrap "sleep 3")
check_wait 20 "a job has run" prints 1 said \
	'.event == "end" and .job == $id and .state == "COMPLETED"' "$plain"
ended()
{
	sacct -D -n -P -j "$plain" -X -o State,AdminComment
}
check_wait 10 "its record has no comment" prints "COMPLETED|" ended
sed -i 1d "$CL_DIR/etc/quota_share.conf"
check "back to the default" qshare reload

say "rotation"
cp "$log" "$CL_DIR/before"
head -c 33554432 /dev/zero | tr '\0' ' ' | sed 's/$/\n/' >>"$log"
again=$(submit_sleep -A b --gres=gpu:h100:1)
job_wait "$again" RUNNING || bail "the last job does not run"
check_wait 10 "the large file was moved away" test -s "$log.1"
check_wait 10 "and a new one has the start" prints 1 said \
	'.event == "start" and .job == $id' "$again"
# The job that was requeued may have started once more before its end.
check_eq "qshare events reads both" "$(qshare events -e start --json |
	jq .job | sort -u | wc -l)" 9
test_done
