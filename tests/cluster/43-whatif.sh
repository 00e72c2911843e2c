#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare whatif on a real slurmctld: what it says of a job is what then happens
# to it, for each way to start and to wait; nothing is submitted by asking.

. "${0%/*}/lib.sh"

cluster_init whatif
cluster_need_plugins
cluster_nodes "w1" h100:8
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=0
Share=one Accounts=a Capacity=h100:4 Strategy=LEND InSharePreemption=YES
Share=two Accounts=b Capacity=h100:4 Strategy=LEND_AND_BORROW \\
	BorrowLimit=50 InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# asks SBATCH-ARGS…: "VERDICT HOW CODE victims"
asks()
{
	qshare whatif --json "$@" | jq -r '"\(.verdict) \(.how // "") \(
		.code // "") \([.victims[]?.job] | join(","))"' |
		sed 's/  */ /g; s/ $//'
}

ids()
{
	squeue -h -o %i | sort -n | xargs
}

check_wait 10 "an own start" prints "START OWN" asks -A b --gres=gpu:h100:2
check_eq "nobody was submitted" "$(ids)" ""
check_match "in words" "$(qshare whatif -A b --gpus=h100:2)" \
	'^A job of share two in queue train with 2 h100:'
check_eq "untyped GPUs are typed" \
	"$(qshare whatif -A b -G 2 --json | jq -c .gpus)" '{"h100":2}'
own=$(submit_sleep -A b --gres=gpu:h100:4)
job_wait "$own" RUNNING || bail "the first job does not run"
check_wait 10 "a loan" prints "START BORROW" asks -A b --gres=gpu:h100:2
loan=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$loan" RUNNING || bail "the loan does not run"
check_wait 10 "at the limit" prints "WAIT LIMIT" asks -A b --gres=gpu:h100:1
check_eq "more than ever fits is refused, with the same words" \
	"$(qshare whatif -A b --gres=gpu:h100:7 | tail -n 1 |
		sed 's/^It would be refused: //')" \
	"$(sbatch -A b --gres=gpu:h100:7 --wrap true 2>&1 |
		sed -n 's/^sbatch: error: \(MISC.*\)/\1/p')"
qshare whatif -A b --gres=gpu:h100:7 >/dev/null
check_eq "and has an exit status of its own" $? 3
check_wait 10 "a reclaim names its victim" \
	prints "START RECLAIM QUOTA $loan" asks -A a --gres=gpu:h100:3
qshare whatif -A a --gres=gpu:h100:3 | sed 's/^/#   /'

say "a script, with its own options"
cat >"$CL_DIR/jobs/job.sh" <<'EOF'
#!/bin/bash
#SBATCH --account=a
#SBATCH --gpus-per-node=h100:3
#SBATCH --comment=mine
exec sleep 600
EOF
check_eq "the same answer" "$(asks job.sh)" "START RECLAIM QUOTA $loan"
check_eq "the command line comes first" \
	"$(asks --gpus-per-node=h100:2 job.sh)" "START OWN"
taken=$(submit job.sh)
check_wait 15 "and so it comes" job_is "$taken" RUNNING
check_eq "the victim was stopped" "$(job_restarts "$loan")" 1
scancel "$loan"

say "in the share"
check_wait 10 "equal priority waits" prints "WAIT LIMIT" \
	asks -A a --gres=gpu:h100:2
check_eq "a higher one displaces" \
	"$(asks -A a --gres=gpu:h100:2 --share-priority=5)" \
	"START IN_SHARE PRIORITY $taken"
check_eq "the job that runs still does" "$(job_state "$taken")" RUNNING

say "what sbatch itself refuses, and what is none of ours"
check_match "sbatch's own words" \
	"$(qshare whatif --no-such-option 2>&1)" 'no-such-option'
check_eq "no GPU" "$(asks -A a -n 4)" "NOT_OURS"
check_eq "an account without a share" "$(asks -A zzz --gpus=h100:1)" REFUSED
check_eq "nobody was submitted" "$(ids)" "$own $taken"
test_done
