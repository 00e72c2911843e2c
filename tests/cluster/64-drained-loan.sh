#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# More on loan than is lent: a loan on a node that is drained gives nobody
# anything, so an owner whose job has idle GPUs elsewhere starts at once and
# takes nothing back. The tables say so, and it is never more than what is on
# such nodes. When the node is back nobody is stopped for that; the next owner's
# job takes back what its own start adds, and no more.

. "${0%/*}/lib.sh"

cluster_init drained
cluster_need_plugins
cluster_nodes "n[1-3]" h100:2
lend_policy GraceTime=1 h100:2 h100:2
cluster_start || bail "no cluster"

own_runs -w n1 --gres=gpu:h100:2
lent=()
for priority in 2 1; do
	id=$(submit_sleep -A b --share-priority="$priority" -w n2 \
		--gres=gpu:h100:1)
	job_wait "$id" RUNNING || bail "job $id did not borrow"
	lent+=("$id")
done
# "BORROWED LENT"
loans()
{
	qshare status --json | jq -r '.totals | "\(map(.borrowed +
		.over_limit) | add) \(map(.lent) | add)"'
}
counts() { job_counts "$OWN" "${lent[@]}"; }

LAWS_LOANS='more' laws_watch
check_wait 10 "as much is borrowed as is lent" prints "2 2" loans
check "n2 is drained" scontrol update nodename=n2 state=drain reason=test
first=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 15 "the owner's job starts on idle GPUs" job_is "$first" RUNNING
check_eq "on n3" "$(job_field "$first" NodeList)" n3
check_wait 10 "one more is on loan than is lent" prints "2 1" loans
check_lasts 3 "and nobody is stopped" prints "0 0 0" counts
check "n2 is back" scontrol update nodename=n2 state=resume
check_lasts 4 "nobody is stopped for that either" prints "0 0 0" counts
check_eq "the loan is there still" "$(loans)" "2 1"

second=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 20 "the owner's second job runs" job_is "$second" RUNNING
check_eq "for what its start adds, one was stopped" "$(counts)" "0 0 1"
check_lasts 3 "and no other is" prints "0 0 1" counts
check_laws
check_ledger
test_done
