#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The policy changes while jobs run: a strategy, a lowered capacity (R8a), a
# disabled share (R15), a removed one (R16), by reconfigure and by a restart.
# No job is stopped merely because a file changed.

. "${0%/*}/lib.sh"

cluster_init changes
cluster_need_plugins
cluster_nodes "n1" h100:6

# policy A-KEYS B-KEYS [C-KEYS]
policy()
{
	cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1 Capacity=h100:6
Share=a Accounts=a InSharePreemption=NO $1
${2:+Share=b Accounts=b InSharePreemption=NO $2}
${3:+Share=c Accounts=c InSharePreemption=NO $3}
EOF
}

reconfigured()
{
	check "reconfigure" cluster_reconfigure
}

policy "Capacity=h100:2 Strategy=LEND" \
	"Capacity=h100:2 Strategy=LEND_AND_BORROW" \
	"Capacity=h100:2 Strategy=LEND"
cluster_start || bail "no cluster"

one=$(submit_sleep -A b --share-priority=9 --gres=gpu:h100:1)
two=$(submit_sleep -A b --share-priority=8 --gres=gpu:h100:1)
three=$(submit_sleep -A b --share-priority=7 --gres=gpu:h100:1)
for id in "$one" "$two" "$three"; do
	job_wait "$id" RUNNING || bail "job $id does not run"
done
all_run()
{
	[ "$(job_states "$one" "$two" "$three")" = \
		"RUNNING RUNNING RUNNING" ] &&
		[ "$(job_counts "$one" "$two" "$three")" = "0 0 0" ]
}

all_run_and_waits()
{
	all_run && job_is "$more" PENDING
}

say "the others do not lend any more: RESERVE"
policy "Capacity=h100:2 Strategy=RESERVE" \
	"Capacity=h100:2 Strategy=LEND_AND_BORROW" \
	"Capacity=h100:2 Strategy=RESERVE"
reconfigured
wait_for 10 "the new policy" prints RESERVE share_field a h100 strategy
more=$(submit_sleep -A b --gres=gpu:h100:1)
check_lasts 3 "nobody is stopped, and no more is lent" \
	all_run_and_waits
check_match "the next one says why" "$(job_reason "$more")" 'QuotaShare'
scancel "$more"

say "the borrower's capacity is lowered to 1, and it may not borrow"
policy "Capacity=h100:3 Strategy=LEND" "Capacity=h100:1 Strategy=LEND" \
	"Capacity=h100:2 Strategy=LEND"
reconfigured
check_wait 10 "two are over limit" prints 2 share_field b h100 over_limit
check_lasts 3 "and nobody is stopped" all_run
claim=$(submit_sleep -A a --gres=gpu:h100:2)
check_wait 10 "an owner who finds room stops nobody" job_is "$claim" RUNNING
check "all three run" all_run
claim2=$(submit_sleep -A c --gres=gpu:h100:2)
check_wait 20 "an owner who does not gets his" job_is "$claim2" RUNNING
check_wait 10 "from the one of lowest priority" job_is "$three" PENDING
check_eq "only" "$(job_counts "$one" "$two" "$three")" "0 0 1"
scancel "$claim" "$claim2" "$three"
check_wait 10 "two are left" prints 2 share_field b h100 used
check_ledger "over limit"

say "the share is disabled"
policy "Capacity=h100:2 Strategy=LEND" \
	"Capacity=h100:2 Strategy=LEND" \
	"Capacity=h100:2 Strategy=LEND"
reconfigured
wait_for 10 "the new policy" prints 2 share_field b h100 capacity
waits=$(submit_sleep -A b --gres=gpu:h100:1)
check_wait 10 "one waits for its share" prints_match QuotaShare \
	job_reason "$waits"
policy "Capacity=h100:2 Strategy=LEND" \
	"Capacity=h100:2 Strategy=LEND State=DISABLED" \
	"Capacity=h100:2 Strategy=LEND"
reconfigured
check_wait 10 "new jobs are refused" prints_match \
	"share b is disabled" submit_sleep -A b --gres=gpu:h100:1
check_eq "running ones go on" "$(job_states "$one" "$two")" "RUNNING RUNNING"
scancel "$two"
check_wait 15 "one that waited runs" job_is "$waits" RUNNING

say "the share is removed, by a restart"
late=$(submit_sleep -A a --gres=gpu:h100:2)
job_wait "$late" RUNNING || bail "the owner's job does not run"
policy "Capacity=h100:2 Strategy=LEND" "" \
	"Capacity=h100:4 Strategy=LEND"
cluster_ctld_stop
check "slurmctld starts, the file is accepted" cluster_ctld_start
check_wait 10 "with a warning" prints_match \
	'warning: .* share of 2 running and 0 waiting jobs' ctld_log warning
check_wait 15 "its jobs run on" prints "RUNNING RUNNING" \
	job_states "$one" "$waits"
check_wait 10 "and are counted" prints "h100 4" used_by_type
check_ledger "with a removed share"
check_wait 10 "new jobs of the account are refused" prints_match \
	"account" submit_sleep -A b --gres=gpu:h100:1
claim=$(submit_sleep -A c --gres=gpu:h100:3)
check_wait 20 "an owner takes from them what he needs" \
	job_is "$claim" RUNNING
gone=$(job_states "$one" "$waits" | tr ' ' '\n' | grep -c PENDING)
check_eq "one of the two waits" "$gone" 1
pending=$(squeue -h -A b -t PENDING -o %A)
check_wait 10 "with the reason that its share is gone" \
	prints_match 'QuotaShare' job_reason "$pending"
squeue -h -A b -o '#   %i %T %r'
check_eq "the owner's first job was not touched" "$(job_counts "$late")" 0

say "and it comes back"
policy "Capacity=h100:2 Strategy=LEND" \
	"Capacity=h100:2 Strategy=LEND_AND_BORROW" \
	"Capacity=h100:2 Strategy=LEND"
scancel "$claim"
reconfigured
check_wait 25 "both run" prints "RUNNING RUNNING" job_states "$one" "$waits"
check_wait 5 "as own jobs" prints "2 2 0" share_use b h100
check_ledger
test_done
