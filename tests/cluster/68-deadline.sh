#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An owner's job whose --deadline cannot be met any more: Slurm cancels it as
# soon as it would place it, and job_start_data() does not say so. Others were
# stopped for a start that never came (law 1).

. "${0%/*}/lib.sh"

cluster_init deadline
cluster_need_plugins
cluster_nodes "n1" h100:2
lend_policy GraceTime=2 h100:1 h100:1 MinRuntime=15
cluster_start || bail "no cluster"

own_runs
lent=$(submit_sleep -A b --gres=gpu:h100:1)
job_wait "$lent" RUNNING || bail "nothing is lent"
late=$(submit_sleep -A a -t 1 --deadline=now+65seconds --gres=gpu:h100:1)
check_wait 5 "an owner's job waits for the loan's MinRuntime" \
	prints_match '^QuotaShare:' job_reason "$late"
check_wait 40 "it ends for its deadline" job_is "$late" DEADLINE
check_lasts 5 "the loan still runs" job_is "$lent" RUNNING
check_eq "nobody was stopped" "$(job_counts "$OWN" "$lent")" "0 0"
check_eq "nor told" "$(status_field .counters.stops)" 0

say "one that only waits"
first=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 20 "the owner's share is full" job_is "$first" RUNNING
late=$(submit_sleep -A a -t 1 --deadline=now+65seconds --gres=gpu:h100:1)
check_wait 5 "it waits at its share's limit" \
	prints_match '^QuotaShare:' job_reason "$late"
check_wait 15 "it ends for its deadline too" job_is "$late" DEADLINE
check_ledger
test_done
