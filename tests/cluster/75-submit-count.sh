#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Slurm's count of submitted jobs, by which GrpSubmitJobs and MaxSubmitJobs are
# judged. Of a victim that dies of the signal we put right what Slurm forgets
# there. A slurmctld that was killed before it had saved that end counts the job
# itself, as running; it was then counted twice when it was stopped once more.

. "${0%/*}/lib.sh"

cluster_init submitcount
cluster_need_plugins
need_tools sacctmgr
cluster_nodes "n1" h100:2
for account in a b; do
	cluster_account "$account"
	cluster_member root "$account"
done
cluster_conf <<CONF
AccountingStorageEnforce=associations,limits
Epilog=$CL_DIR/epilog
CONF
printf '#!/bin/sh\nsleep 4\n' >"$CL_DIR/epilog"
chmod 755 "$CL_DIR/epilog"
lend_policy GraceTime=20 h100:1 h100:1
cluster_start --dbd || bail "no cluster"

submitted()
{
	cluster_cmd scontrol show assoc_mgr accounts=b flags=assoc |
		sed -n 's/.*GrpSubmitJobs=[^(]*(\([0-9]*\)).*/\1/p' | sort -u | xargs
}

own_runs
lent=$(submit -A b --gres=gpu:h100:1 --wrap 'exec sleep 600')
job_wait "$lent" RUNNING || bail "nothing is lent"
check_eq "two jobs of account b" "$(submitted)" 2
ctld_saved "$lent"
cp "$CL_DIR/state/job_state" "$CL_DIR/kept"

check "an owner comes" submit_sleep -A a --gres=gpu:h100:1
check_wait 20 "the loan dies of the signal" grep -q '"resubmit":1' \
	"$CL_DIR/state/quota_share.state"
cluster_ctld_kill9
cp "$CL_DIR/kept" "$CL_DIR/state/job_state"
cluster_ctld_start 40 || bail "slurmctld does not start again"
check_wait 90 "it waits again" job_is "$lent" PENDING
check_wait 30 "for its share" prints_match '^QuotaShare' job_reason "$lent"
sleep 2
squeue -h -j "$lent" -o '#   %i %T %r'
check_eq "there still are two jobs of account b" "$(submitted)" 2
scancel "$lent"
check_wait 10 "and one when it is cancelled" prints 1 submitted
test_done
