# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# What many tests begin with: account a owns GPUs that its share lends, account
# b borrows them beside an own job that is to stay.

# lend_policy QUEUE-KEYS OWNER-CAPACITY BORROWER-CAPACITY [BORROWER-KEYS]
# Shares "owner" of account a and "borrower" of account b, in which nobody
# displaces his like. Capacities as in the file: h100:2.
lend_policy()
{
	cluster_policy <<POLICY
Queue=train Partitions=gpu $1
Share=owner Accounts=a Capacity=$2 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b Capacity=$3 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO${4:+ $4}
POLICY
}

# own_runs [SBATCH-ARGS...]: a job of account b with one GPU, or with what is
# asked for, and a higher priority than its loans have, so that it fills what b
# owns. It runs, and its id is in OWN.
own_runs()
{
	[ $# -gt 0 ] || set -- --gres=gpu:h100:1
	OWN=$(submit_sleep -A b --share-priority=9 "$@")
	job_wait "$OWN" RUNNING || bail "the borrower's own job does not run"
}

# borrow_each SUBMIT PRIORITY...: jobs of account b with one GPU and these
# priorities, in this order, each when the one before runs; their ids are in
# LENT.
borrow_each()
{
	local submit=$1 priority id

	shift
	LENT=()
	for priority; do
		id=$("$submit" -A b --share-priority="$priority" \
			--gres=gpu:h100:1)
		job_wait "$id" RUNNING || bail "job $id did not borrow"
		LENT+=("$id")
	done
}
