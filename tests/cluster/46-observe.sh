#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mode=OBSERVE (R19): nothing is held back, refused or stopped, and qshare
# observe counts what would have been. Whatever bytes users write into a request,
# the log and the answers are JSON.

. "${0%/*}/lib.sh"

cluster_init observe
cluster_need_plugins
cluster_nodes "o1" h100:4
cluster_policy <<EOF
Mode=OBSERVE
Queue=train Partitions=gpu GraceTime=0
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	BorrowLimit=50 InSharePreemption=NO
EOF
cluster_start || bail "no cluster"
log=$CL_DIR/state/quota_share.events.jsonl

# counted SHARE: "held stopped" of qshare observe
counted()
{
	qshare observe --json | jq -r --arg s "$1" '.shares[] |
		select(.share == $s) | "\(.would_be_held) \(.would_be_stopped)"'
}

within=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$within" RUNNING || bail "the first job does not run"
borrows=$(submit_sleep -A b --gres=gpu:h100:1)
job_wait "$borrows" RUNNING || bail "the loan does not run"
above=$(submit_sleep -A b --gres=gpu:h100:1)
check_wait 10 "a job above the limit runs" job_is "$above" RUNNING
check_wait 10 "and would have been held" prints "1 0" counted two
check_match "with the reason" "$(jq -r 'select(.event == "would_hold") |
	"\(.job) \(.code) \(.text)"' "$log")" "^$above LIMIT .*needs 1 h100"
stranger=$(submit_sleep -A zzz --gres=gpu:h100:1)
check "a job of no share is let in" test -n "$stranger"
check_wait 10 "and would have been refused" prints 1 \
	eval 'qshare observe --json | jq .refused'
owner=$(submit_sleep -A a --gres=gpu:h100:2)
check_wait 10 "an owner who waits would have stopped two" \
	prints "1 2" counted two
check_lasts 3 "nobody was stopped" prints "RUNNING RUNNING RUNNING" \
	job_states "$within" "$borrows" "$above"
check_eq "the owner waits as without shares" "$(job_state "$owner")" PENDING
check_match "qshare says that it only watches" "$(qshare)" 'Mode=OBSERVE'
qshare observe | sed 's/^/#   /'
check_eq "nothing before it began" \
	"$(qshare observe --until=@1 --json | jq -c .shares)" "[]"

say "words that are not UTF-8, and long ones that are"
# refused REGEX: how many such refusals are in the log
refused()
{
	jq -s --arg re "$1" '[.[] | select(.event == "would_refuse" and
		(.text | test($re)))] | length' "$log"
}
is_utf8() { iconv -f UTF-8 -t UTF-8 >/dev/null; }
# asks SBATCH-ARGS…: is slurmctld's answer UTF-8, and a refusal?
asks()
{
	qshare whatif --json "$@" >"$CL_DIR/answer"
	is_utf8 <"$CL_DIR/answer" &&
		jq -e '.verdict == "REFUSED"' "$CL_DIR/answer" >/dev/null
}
long=$(printf 'ä%.0s' {1..300})
# Slurm has no such type, and refuses the first itself.
sbatch -A b --gres=gpu:$'\xff':1 --wrap true >/dev/null 2>&1
for account in x$'\xff\xc3'y "$long" "z$long"; do
	submit_sleep -A "$account" --gres=gpu:h100:1 >/dev/null
done
bad=$'\xef\xbf\xbd' # U+FFFD
check_wait 10 "a type" prints 1 refused "has no GPU type $bad;"
check_wait 10 "an account" prints 1 refused "^account x$bad${bad}y belongs"
check_wait 10 "long ones are cut between two letters" prints 2 refused \
	'^account z?ä+$'
check "the log is UTF-8" is_utf8 <"$log"
check "what-if, with such a type" asks -A b --gres=gpu:$'\xff':1
check "with such an account" asks -A $'x\xff\xc3y' --gres=gpu:h100:1
test_done
