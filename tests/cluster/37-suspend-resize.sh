#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A suspended job still holds its GPUs and is charged; a job that gives a node
# back is recharged (R2); a waiting job whose request is changed is judged anew.

. "${0%/*}/lib.sh"

cluster_init suspend
cluster_need_plugins
cluster_nodes "n[1-2]" h100:2
lend_policy GraceTime=5 h100:2 h100:2
cluster_start || bail "no cluster"

say "suspended"
own_runs -w n1 --gres=gpu:h100:2
high=$(submit_sleep -A b --share-priority=5 --gres=gpu:h100:1)
job_wait "$high" RUNNING || bail "a job does not borrow"
low=$(submit_sleep -A b --share-priority=1 --gres=gpu:h100:1)
job_wait "$low" RUNNING || bail "a job does not borrow"
check "an own job is suspended" scontrol suspend "$OWN"
check "a loan is suspended" scontrol suspend "$low"
check_wait 10 "both are" prints "SUSPENDED SUSPENDED" \
	job_states "$OWN" "$low"
check_lasts 2 "and charged" prints "4 2 2" share_use borrower h100
check_ledger "suspended"
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 20 "an owner takes the suspended loan" job_is "$claim" RUNNING
check_eq "stops: own, high, low" "$(job_counts "$OWN" "$high" "$low")" "0 0 1"
check_eq "the own job is still suspended" "$(job_state "$OWN")" SUSPENDED
check_wait 10 "the victim waits, and is not held" \
	prints_match 'QuotaShare' job_reason "$low"
check "resume" scontrol resume "$OWN"
check_wait 10 "the own job runs" job_is "$OWN" RUNNING
scancel "$claim"
check_wait 30 "the victim runs again" job_is "$low" RUNNING
check_ledger "resumed"
scancel "$OWN" "$high" "$low"
check_wait 15 "all is idle" prints "0 0 0" share_use borrower h100

say "resized"
wide=$(submit_sleep -A a -N2 --gres=gpu:h100:1)
job_wait "$wide" RUNNING || bail "the job of two nodes does not run"
check_wait 10 "two are used" prints "2 2 0" share_use owner h100
check "it gives a node back" scontrol update "jobid=$wide" NumNodes=1
check_wait 10 "one is used" prints "1 1 0" share_use owner h100
check_wait 5 "one is left to lend" prints 1 share_field owner h100 idle
check_ledger "resized"
more=$(submit_sleep -A b -N1 --gres=gpu:h100:2)
check_wait 10 "the borrower's own two" job_is "$more" RUNNING
loan=$(submit_sleep -A b --gres=gpu:h100:1)
check_wait 10 "and the node given back" job_is "$loan" RUNNING
check_eq "four GPUs are held" "$(job_gpus)" 4
check_ledger "given back"

say "changed while it waits"
scancel "$wide"
wait_for 15 "the owner to have gone" prints 0 share_field owner h100 used
two=$(submit_sleep -A b -N1 --gres=gpu:h100:2)
check_wait 10 "two do not fit" prints_match 'QuotaShare' job_reason "$two"
check "it asks for one only" scontrol update "jobid=$two" Gres=gpu:h100:1
check_wait 15 "one is lent" job_is "$two" RUNNING
check_wait 5 "and charged" prints "4 2 2" share_use borrower h100
next=$(submit_sleep -A b --gres=gpu:h100:1)
check_wait 10 "the next one waits" prints_match 'QuotaShare' \
	job_reason "$next"
check_lasts 2 "and takes nothing back" prints "0 0 0" \
	job_counts "$more" "$loan" "$two"
check "a type that does not exist is refused" \
	not scontrol update "jobid=$next" Gres=gpu:v100:1
check "and one that is too many, too" \
	not scontrol update "jobid=$next" Gres=gpu:h100:9
check_eq "it waits as before" "$(job_field "$next" TresPerNode)" \
	"$(gres_shown gpu:h100:1)"
check_ledger
test_done
