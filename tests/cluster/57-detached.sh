#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld as a service runs it, detached: a reconfigure with an error in the
# policy file leaves the policy (R18), one with an error in slurm.conf leaves
# everything where Slurm can (from 23.11 on the old process resumes), and in
# both jobs go on, and owners get what is theirs.

. "${0%/*}/lib.sh"

cluster_init detach
cluster_need_plugins
cluster_nodes "n1" h100:3
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=1
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:1 Strategy=LEND_AND_BORROW \
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"
cluster_ctld_stop
check "slurmctld starts detached" cluster_ctld_detach
wait_for 20 "the node" nodes_idle

lent=()
for _ in 1 2 3; do
	id=$(submit_sleep -A b --gres=gpu:h100:1)
	job_wait "$id" RUNNING || bail "job $id does not run"
	lent+=("$id")
done

good=$(cat "$CL_DIR/etc/quota_share.conf")
loaded=$(status_field .policy.loaded)
cluster_policy <<<"${good/=LEND_AND_BORROW/=SOMETIMES}"
cluster_reconfigure || say "scontrol reconfigure ended with $?"
check_wait 20 "an error in the policy: qshare tells" \
	prints false status_field .policy.valid
check_eq "the policy of before is in force" \
	"$(status_field .policy.loaded)" "$loaded"
check_eq "the jobs run" "$(job_states "${lent[@]}")" "RUNNING RUNNING RUNNING"
cluster_policy <<<"$good"

if slurm_at_least 23.11; then
	pid=$(daemon_pid slurmctld)
	cp "$CL_DIR/etc/slurm.conf" "$CL_DIR/etc/slurm.conf.good"
	sed -i 's/^SelectType=.*/SelectType=select\/nonsense/' \
		"$CL_DIR/etc/slurm.conf"
	scontrol reconfigure 2>&1 | sed 's/^/# /'
	check_wait 10 "an error in slurm.conf: the old process resumes" \
		grep -q 'Resuming operation' "$CL_DIR/log/slurmctld.log"
	cp "$CL_DIR/etc/slurm.conf.good" "$CL_DIR/etc/slurm.conf"
	check_wait 20 "it answers" ctld_answers
	check_eq "it is the same" "$(daemon_pid slurmctld)" "$pid"
	check_wait 20 "the jobs run" prints "RUNNING RUNNING RUNNING" \
		job_states "${lent[@]}"
fi

check "the policy mended, reload" qshare reload
check_wait 10 "it is in force" prints true status_field .policy.valid
own=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 20 "an owner takes back one" job_is "$own" RUNNING
check_eq "one only" "$(job_counts "${lent[@]}" | tr ' ' '\n' |
	awk '{ n += $1 } END { print n }')" 1
check_ledger
test_done
