#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# PreemptExemptTime and PreemptParameters=min_exempt_priority are about Slurm's own
# preemption and mean nothing here: MinRuntime does (R13). A site that has come
# from preemption by QOS may have them in slurm.conf still. They kept Slurm from
# confirming that the owner's job has its place once its victims are gone.

. "${0%/*}/lib.sh"

cluster_init exempt
cluster_need_plugins
cluster_nodes "n1" h100:3
cluster_conf <<CONF
PreemptExemptTime=00:10:00
CONF
slurm_at_least 23.02 && cluster_conf <<CONF
PreemptParameters=min_exempt_priority=1000
CONF
lend_policy GraceTime=1 h100:2 h100:1
cluster_start || bail "no cluster"

own_runs
one=$(submit_sleep -A b --gres=gpu:h100:1)
two=$(submit_sleep -A b --gres=gpu:h100:1)
job_wait "$one" RUNNING && job_wait "$two" RUNNING || bail "nothing is lent"
priority=$(job_field "$OWN" Priority)
claim=$(submit_sleep -A a --gres=gpu:h100:2)
check_wait 20 "the owner's job takes back what is lent" \
	job_is "$claim" RUNNING
check_eq "both went" "$(job_counts "$OWN" "$one" "$two")" "0 1 1"
check_eq "who was not asked to is as before" \
	"$(job_state "$OWN") $(job_field "$OWN" Priority)" "RUNNING $priority"
check_ledger
test_done
