#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare report after real jobs: own, borrowed, preempted, requeued, completed,
# running; a priority and the policy change on the way. Its numbers are compared
# with a second opinion in awk, which counts second by second from what sacct
# prints; with the event log, without it, and from JSON.

. "${0%/*}/lib.sh"

cluster_init report
cluster_need_plugins
cluster_nodes "r[1-2]" h100:2
policy()
{
	cat <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:$1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
}
policy 2 | cluster_policy
# b1 is in no share: its parent is.
cluster_account a
cluster_account b
cluster_account b1 b
cluster_member root a
cluster_member root b1
cluster_start --dbd || bail "no cluster"

begin=$(date +%s)
# sacct knows no @SECONDS.
since=$(date -d "@$begin" +%FT%T)
own=$(submit_train -A b1 --gres=gpu:h100:2)
job_wait "$own" RUNNING || bail "the first job does not run"
check "its priority is raised" qshare priority "$own" 3
loan=$(submit_train -A b1 --gpus=h100:2)
job_wait "$loan" RUNNING || bail "the loan does not run"
sleep 2
owner=$(submit_train -A a --gres=gpu:h100:2)
job_wait "$owner" RUNNING || bail "the owner's job does not run"
lent=$(submit_sleep -A b1 --gres=gpu:h100:1)
sleep 2
train_finish "$owner"
check_wait 20 "the owner's job completes" job_is "$owner" COMPLETED
train_finish "$own"
check_wait 20 "the first job completes" job_is "$own" COMPLETED
check_wait 40 "the preempted job runs again" job_is "$loan" RUNNING
policy 1 | cluster_policy
check "another policy is in force" qshare reload
sleep 2
train_finish "$loan"
check_wait 20 "the preempted job completes" job_is "$loan" COMPLETED
check_wait 20 "the last job runs" job_is "$lent" RUNNING
# Accounting counts whole seconds, and the second that a window ends with is not
# in it: these ends and this start shall be.
sleep 2

# sacct as in qshare-report(1), each attempt of each job.
records()
{
	cluster_cmd env SLURM_TIME_FORMAT=%s sacct -a -D -X -P -S "$since" \
		-o JobIDRaw,Account,State,Start,End,AllocTRES
}
ended()
{
	records | awk -F'|' 'NR > 1 && $5 != "Unknown"' | wc -l
}
check_wait 15 "accounting has all ends" prints 4 ended
states()
{
	records | awk -F'|' 'NR > 1 { print $3 }' | sort | uniq -c | xargs
}
# Slurm has a word of its own for what happened to the preempted one.
check_wait 15 "each attempt has a record" prints_match \
	'^3 COMPLETED 1 (PREEMPTED|REQUEUED) 1 RUNNING$' states
end=$(date +%s)

# second_opinion FROM TO: "used own borrowed" of one, then of two, in
# GPU-seconds. The capacity of two is 1 once the policy is replaced.
second_opinion()
{
	local changed

	changed=$(date +%s -d "$(jq -r 'select(.event == "policy_changed") |
		.time' "$CL_DIR/state/quota_share.audit.jsonl")")
	records | awk -F'|' -v from="$1" -v to="$2" -v changed="$changed" '
	NR == 1 || $4 !~ /^[0-9]+$/ { next }
	{
		split($6, tres, ",")
		gpus = 0
		for (i in tres)
			if (tres[i] ~ /^gres\/gpu:h100=/)
				gpus += substr(tres[i], 15)
		end = $5 ~ /^[0-9]+$/ ? $5 : to
		for (t = $4 > from ? $4 : from; t < end && t < to; t++)
			held[$2 == "a" ? "one" : "two", t] += gpus
	}
	function count(share,    t, cap, h) {
		for (t = from; t < to; t++) {
			h = held[share, t]
			cap = share == "two" && t >= changed ? 1 : 2
			used[share] += h
			own[share] += h < cap ? h : cap
		}
		printf "%d %d %d\n", used[share], own[share],
			used[share] - own[share]
	}
	END { count("one"); count("two") }'
}

# report FILE OPTION...: to a file, as JSON
report()
{
	qshare report --json -S "@$begin" -E "@$end" "${@:2}" >"$CL_DIR/$1"
}
counted()
{
	jq -r '.use | sort_by(.share)[] | "\(.used_gpu_sec) \(.own_gpu_sec) " +
		"\(.borrowed_gpu_sec)"' "$CL_DIR/$1"
}
get()
{
	jq -r --arg share "$2" ".shares[] | select(.share == \$share) | $3" \
		"$CL_DIR/$1"
}

check "qshare report" report full.json
qshare report -S "@$begin" -E "@$end" | sed 's/^/#   /'
check_eq "used, own and borrowed are as counted from sacct" \
	"$(counted full.json)" "$(second_opinion "$begin" "$end")"
check_match "something was borrowed" "$(counted full.json | tail -n 1)" \
	' [1-9][0-9]*$'
check_eq "owned = own + lent + idle, used = own + borrowed, all lent was borrowed" \
	"$(jq -c '[(.use[] | .capacity_gpu_sec == .own_gpu_sec + .lent_gpu_sec +
		.idle_gpu_sec, .used_gpu_sec == .own_gpu_sec +
		.borrowed_gpu_sec), (.types[] | .borrowed_gpu_sec ==
		.lent_gpu_sec + .unowned_gpu_sec)] | all' \
		"$CL_DIR/full.json")" true
check_eq "one preemption, for the owner, by quota" \
	"$(jq -c '[.preemptions[] | [.for, .of, .count]]' "$CL_DIR/full.json")" \
	'[["one","two",1]]'
check_eq "it was requeued" \
	"$(get full.json two '"\(.preempted_quota) \(.requeued)"')" "1 1"
check_eq "two jobs of two completed, one of one" \
	"$(get full.json two .completed) $(get full.json one .completed)" "2 1"
check_eq "two starts on borrowed GPUs, and one after an interruption" \
	"$(get full.json two '"\(.wait_borrowing_sec.n) \(.wait_again_sec.n)"')" \
	"2 1"
claimed=$(date +%s -d "$(event_log --argjson id "$owner" 'select(.job == $id and
	.event == "claim") | .time')")
check_eq "from its claim to its start the owner waited as sacct has it" \
	"$(get full.json one .reclaim_sec.median)" \
	"$(records | awk -F'|' -v claimed="$claimed" '$2 == "a" {
		print $4 - claimed }')"
check_eq "the work of the preempted run is repeated" \
	"$(get full.json two .repeated_gpu_sec)" \
	"$(records | awk -F'|' '$3 ~ /^(PREEMPT|REQUEU)ED$/ {
		print 2 * ($5 - $4) }')"
check_eq "the policy changed once, the priority once" \
	"$(jq -r '.exceptions | "\(.policies_changed) \(.priorities_changed)"' \
		"$CL_DIR/full.json")" "1 1"
check_eq "nothing is wrong with the input" \
	"$(jq -c '.problems' "$CL_DIR/full.json")" "[]"

say "a page"
check "as HTML" qshare report -S "@$begin" --format=html \
	-o "$CL_DIR/page.html"
check "it is whole" grep -q '</html>' "$CL_DIR/page.html"

say "without the event log"
mv "$CL_DIR/state/quota_share.events.jsonl" "$CL_DIR/away"
check "qshare report" report without.json
mv "$CL_DIR/away" "$CL_DIR/state/quota_share.events.jsonl"
check_eq "GPU time is the same" "$(counted without.json)" \
	"$(counted full.json)"
check_eq "it says what is reconstructed" "$(jq -c \
	'[.made[] | select(test("No event log"))] | length' \
	"$CL_DIR/without.json")" 1
check_eq "for whom it was, from the AdminComment" \
	"$(jq -c '[.preemptions[] | [.for, .of, .count]]' \
		"$CL_DIR/without.json")" '[["one","two",1]]'

say "from files"
cluster_cmd env SLURM_TIME_FORMAT=%s sacct -a -D -X -P -S "$since" \
	-o JobID,JobIDRaw,DBIndex,User,Account,Partition,State,Submit,Eligible,Start,End,NodeList,AllocTRES,ReqTRES,AdminComment \
	>"$CL_DIR/jobs.txt"
cluster_cmd sacctmgr -nP show assoc tree format=Account,ParentName \
	>"$CL_DIR/accounts.txt"
check "qshare report --from" report text.json --from "$CL_DIR/jobs.txt" \
	--accounts "$CL_DIR/accounts.txt"
check_eq "the same of ended jobs" "$(get text.json one .completed) $(get \
	text.json two .completed) $(get text.json two .repeated_gpu_sec)" \
	"1 2 $(get full.json two .repeated_gpu_sec)"
if sacct -a -D -X --json -S "$since" >"$CL_DIR/jobs.json" 2>/dev/null; then
	check "from JSON" report json.json --from "$CL_DIR/jobs.json" \
		--accounts "$CL_DIR/accounts.txt"
	check "the same from JSON" diff \
		<(jq '.use, .shares' "$CL_DIR/json.json") \
		<(jq '.use, .shares' "$CL_DIR/text.json")
else
	say "this sacct writes no JSON"
fi
test_done
