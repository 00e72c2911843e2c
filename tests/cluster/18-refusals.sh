#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is refused at submission, with what words, and that it stops nobody.

. "${0%/*}/lib.sh"

cluster_init refuse
cluster_need_plugins
cluster_nodes "m1" h100:4
cluster_nodes "n[1-2]" a10g:2
cluster_partition gpu "m1,n[1-2]" Default=YES
cluster_partition small "n[1-2]"
cluster_policy <<EOF
Queue=train Partitions=gpu,small GraceTime=1
Share=owner Accounts=a Capacity=h100:2,a10g:2 Strategy=LEND \\
	InSharePreemption=NO
Share=kept Accounts=r Capacity=h100:1,a10g:1 Strategy=RESERVE \\
	InSharePreemption=NO
Share=borrower Accounts=b Capacity=h100:1,a10g:1 Strategy=LEND_AND_BORROW \\
	BorrowLimit=100 InSharePreemption=NO
Share=greedy Accounts=g Capacity=a10g:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# refused DESCRIPTION "REGEX [REGEX...]" COMMAND...: sbatch and the like fail,
# and what reaches the user matches each word.
refused()
{
	local what=$1 words=$2 out word

	shift 2
	if out=$("$@" 2>&1 </dev/null); then
		not_ok "$what is refused" "accepted: $out"
		return
	fi
	say "$(tr '\n' ' ' <<<"$out")"
	for word in $words; do
		if ! [[ ${out,,} =~ ${word,,} ]]; then
			not_ok "$what is refused with the word $word" "$out"
			return
		fi
	done
	ok "$what is refused, with: $words"
}

batch=(sbatch --wrap "sleep 600")
first=$(submit_sleep -A b --gres=gpu:h100:1)
second=$(submit_sleep -A b --gres=gpu:h100:1)
third=$(submit_sleep -A b --gres=gpu:a10g:2)
for id in "$first" "$second" "$third"; do
	job_wait "$id" RUNNING || bail "job $id does not run"
done
user=$(cluster_user 1)

refused "an unknown account" "nosuch train --account" \
	"${batch[@]}" -A nosuch --gres=gpu:h100:1
refused "no account at all" "no.account train --account" \
	"${batch[@]}" --gres=gpu:h100:1
refused "a share that does not exist" "nosuch" \
	"${batch[@]}" -A a --quota-share=nosuch --gres=gpu:h100:1
refused "an untyped request where types differ" "h100 a10g" \
	"${batch[@]}" -A a --gres=gpu:1
refused "the same as --gpus" "h100 a10g" "${batch[@]}" -A a --gpus=1
refused "the same as --gpus-per-node" "h100 a10g" \
	"${batch[@]}" -A a -N1 --gpus-per-node=1
refused "a misspelt type" "H100 h100 a10g" \
	"${batch[@]}" -A a --gres=gpu:H100:1
refused "a type that does not exist" "v100 h100 a10g" \
	"${batch[@]}" -A a --gpus=v100:1
refused "a type that the share does not list" "h100" \
	"${batch[@]}" -A g --gres=gpu:h100:1
refused "more than the queue has" \
	"SERVICE_ENVIRONMENT_MAX_RESOURCE 9 4" \
	"${batch[@]}" -A a --gpus=h100:9
refused "more than a LEND share's limit" \
	"Job.requirements.exceed.quota.share.capacity.limits\. 3 2" \
	"${batch[@]}" -A a --gres=gpu:h100:3
refused "more than a RESERVE share's limit" \
	"QUOTA_MANAGEMENT_LIMIT_EXCEEDED 2 1" \
	"${batch[@]}" -A r --gres=gpu:h100:2
refused "more than limit and borrow limit" \
	"exceed.quota.share.capacity.limits.and.borrow.limits\. 3 2" \
	"${batch[@]}" -A b --gres=gpu:h100:3
refused "more than can ever be lent" \
	"borrowing.that.exceeds.all.configured.borrowable.capacity\. 5" \
	"${batch[@]}" -A g -N2 --gpus=a10g:5
refused "a priority of 10000" "9999" \
	"${batch[@]}" -A a --gres=gpu:h100:1 --share-priority=10000
refused "a priority that is no number" "high" \
	"${batch[@]}" -A a --gres=gpu:h100:1 --share-priority=high
refused "retries below 0" "-1" \
	"${batch[@]}" -A a --gres=gpu:h100:1 --preempt-retries=-1
refused "an unknown account, of an unprivileged user" "nosuch train --account" \
	cluster_run_as "$user" "${batch[@]}" -A nosuch --gres=gpu:h100:1
refused "an unknown account with srun" "nosuch train --account" \
	cluster_cmd srun -A nosuch --gres=gpu:h100:1 true
refused "an unknown account with salloc" "nosuch train --account" \
	cluster_cmd salloc -A nosuch --gres=gpu:h100:1 true

say "what is not refused"
id=$(submit_sleep -p small -A r --gres=gpu:1)
check_wait 10 "an untyped request where there is one type runs" \
	job_is "$id" RUNNING
check_wait 5 "and is charged" prints 1 share_field kept a10g used
id=$(submit -A nosuch --wrap 'true')
check_wait 10 "a job without GPUs is nobody's business" \
	job_is "$id" COMPLETED

check_eq "nobody was stopped" \
	"$(job_counts "$first" "$second" "$third")" "0 0 0"
check_eq "and all still run" \
	"$(job_states "$first" "$second" "$third")" "RUNNING RUNNING RUNNING"
test_done
