#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a job brings with it is judged also where it comes to its share only
# later: GPUs, partition or account changed, or let in under OBSERVE. Its
# priority by MaxUserPriority (R6a), its share by R1, whatever its control
# environment says, and the share's state by R15.

. "${0%/*}/lib.sh"

cluster_init late
cluster_need_plugins
[ -x "$SIM_BIN/simsubmit" ] || skip_all "simsubmit is not built"
cp "$SIM_BIN/simsubmit" "$CL_DIR/bin/"
need_tools sacctmgr
user=$(cluster_user 1)
for account in a b c d; do
	cluster_account "$account"
	[ "$account" = c ] || cluster_member "$user" "$account"
done
cluster_nodes "n1" h100:6
cluster_nodes "m1" h100:1
cluster_partition gpu n1 Default=YES
cluster_partition other m1

# policy MODE STATE: of share off
policy()
{
	cluster_policy <<POLICY
Mode=$1
Queue=train Partitions=gpu GraceTime=1
Share=strict Accounts=a Capacity=h100:1 Strategy=LEND \\
	InSharePreemption=NO MaxUserPriority=10
Share=free Accounts=b Capacity=h100:1 Strategy=LEND InSharePreemption=NO
Share=denied Accounts=c Capacity=h100:2 Strategy=RESERVE \\
	InSharePreemption=NO
Share=off Accounts=d Capacity=h100:1 Strategy=LEND InSharePreemption=NO \\
	State=$2
POLICY
}

now_in()
{
	status_field '.mode + " " +
		(.shares[] | select(.share == "off") | .state)'
}

# in_mode MODE [STATE]
in_mode()
{
	local state=${2:-ENABLED}

	policy "$1" "$state"
	check "reconfigure" cluster_reconfigure
	wait_for 10 "mode $1, $state" prints "$1 $state" now_in
}

policy ENFORCE ENABLED
cluster_conf <<CONF
AccountingStorageEnforce=associations
CONF
cluster_start --dbd || bail "no cluster"

# job SBATCH-ARGS...: of the user, held
job()
{
	cluster_run_as "$user" sbatch --parsable -H "$@" --wrap 'exec sleep 600'
}
change() { cluster_run_as "$user" scontrol update jobid="$1" "${@:2}"; }
by_admin() { scontrol update jobid="$1" "${@:2}"; }
sets() { cluster_run_as "$user" qshare priority "$1" "$2"; }
# in_share ID: its share and its priority there
in_share()
{
	qshare jobs --json |
		jq -r ".[] | select(.job == $1) | \"\(.share) \(.priority)\""
}
# told ID: what slurmctld's log says about the user's last change of it
told() { ctld_log "JobId=$1: uid .* change refused" | tail -n 1; }

say "GPUs come later"
id=$(job -A a --share-priority=9999)
check "refused with a priority above MaxUserPriority" \
	not change "$id" gres=gpu:h100:1
check_match "and it is said what to do" "$(told "$id")" \
	'9999 is more than quota share strict allows; submit it anew .* 10'
check_eq "it has none" "$(job_field "$id" TresPerNode)" ""
scancel "$id"
id=$(job -A a --share-priority=10)
check "10 from the beginning will do" change "$id" gres=gpu:h100:1
check_wait 10 "and counts" prints "strict 10" in_share "$id"
scancel "$id"

say "the partition changes"
id=$(job -A a -p other --gres=gpu:h100:1 --share-priority=11)
check "refused" not change "$id" partition=gpu
check_match "for its priority" "$(told "$id")" '=11 is more than .* strict'
scancel "$id"

say "the account changes"
id=$(job -A b --gres=gpu:h100:1 --share-priority=9999)
check_wait 10 "9999 in a share that allows it" prints "free 9999" \
	in_share "$id"
check "refused" not change "$id" account=a
check_match "for its priority" "$(told "$id")" '9999 is more than .* strict'
check "its other share changes it as before" change "$id" gres=gpu:h100:1
check "lowered" sets "$id" 10
check "it may move" change "$id" account=a
check_wait 10 "and keeps its 10" prints "strict 10" in_share "$id"
check "it cannot be raised there" not sets "$id" 11
scancel "$id"

say "an administrator moves it"
id=$(job -A b --gres=gpu:h100:1 --share-priority=9999)
check_wait 10 "a job of the free share" prints "free 9999" in_share "$id"
check "to the strict one" by_admin "$id" account=a
check_wait 10 "where it counts as much as a user's may" prints "strict 10" \
	in_share "$id"
check "what the administrator sets" qshare priority "$id" 77
check_wait 10 "is what it has" prints "strict 77" in_share "$id"
check "the user may change it otherwise" change "$id" numcpus=1 \
	gres=gpu:h100:1
check_lasts 2 "and it stays" prints "strict 77" in_share "$id"
cluster_ctld_stop
check "slurmctld is started anew" cluster_ctld_start
check_wait 20 "also by another slurmctld" prints "strict 77" in_share "$id"
scancel "$id"

say "let in under OBSERVE"
in_mode OBSERVE
id=$(job -A a --gres=gpu:h100:1 --share-priority=9999)
moved=$(job -A b --gres=gpu:h100:1 --share-priority=9999)
check_wait 10 "one in the free share" prints "free 9999" in_share "$moved"
check "moved" change "$moved" account=a
in_mode ENFORCE
for one in "$id" "$moved"; do
	check_wait 10 "it counts as much as a user's may" \
		prints "strict 10" in_share "$one"
done
scancel "$id" "$moved"

say "an environment that says which share was given"
# forged NAME=VALUE,...: a job with these words; prints its id
forged()
{
	cluster_run_as "$user" simsubmit <<JOB | awk '{ print $1 }'
account=a hold=1 sleep=600 spank=$1
JOB
}
for words in QUOTA_SHARE=denied,QUOTA_SHARE_FOR=a@train \
	SPANK_QUOTA_SHARE=denied,SPANK_QUOTA_SHARE_FOR=a@train \
	QUOTA_SHARE=denied,QUOTA_SHARE_FOR=a@train,QUOTA_SHARE_ASKED=denied; do
	id=$(forged "$words,SHARE_PRIORITY=3")
	check_match "a job without GPUs brings $words" "$id" '^[0-9]+$'
	check "GPUs come later" change "$id" gres=gpu:h100:1
	check_wait 10 "it is in the share of its account" \
		prints "strict 3" in_share "$id"
	cluster_run_as "$user" scontrol release "$id"
	check_wait 20 "it runs" job_is "$id" RUNNING
	check_eq "and is charged there" "$(share_use strict h100)" "1 1 0"
	check_eq "and not where it said" "$(share_use denied h100)" "0 0 0"
	scancel "$id"
	job_wait "$id" CANCELLED
done

say "a share that takes no new jobs (R15)"
old=$(job -A d --gres=gpu:h100:1)
id=$(job -A d)
elsewhere=$(job -A d -p other --gres=gpu:h100:1)
check_wait 10 "one is in the share before" prints "off 0" in_share "$old"
in_mode ENFORCE DISABLED
check "refused to a job that comes with GPUs later" \
	not change "$id" gres=gpu:h100:1
check_match "which is said" "$(told "$id")" 'share off is disabled'
check "and to one of another partition" not change "$elsewhere" partition=gpu
check "one that was there may be changed" change "$old" gres=gpu:h100:1
check_ledger
test_done
