#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A victim that came from scrontab. To slurmctld a signal to such a job is its
# user's wish to have no more of it: it disabled the lines in the crontab, so
# the job was never run again after the run that was taken back.
#
# By hand: Debian 12 has no scrontab. contrib/test runs it on Debian 13.

. "${0%/*}/lib.sh"

cluster_init cron
cluster_need_plugins
need_tools scrontab
cluster_nodes "n1" h100:2
cluster_conf <<CONF
ScronParameters=enable
CONF
lend_policy GraceTime=2 h100:1 h100:1
cluster_start || bail "no cluster"

own_runs
cat >"$CL_DIR/crontab" <<CRON
#SCRON -A b --gres=gpu:h100:1 -J cron -D $CL_DIR/jobs
* * * * * trap '' TERM; while :; do sleep 0.1; done
CRON
check "a crontab is taken" cluster_cmd scrontab "$CL_DIR/crontab"
crontab_now() { cluster_cmd scrontab -l; }
cron=$(squeue -h -n cron -o %i)
check_wait 90 "its job borrows" job_is "$cron" RUNNING
sleep 2
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 20 "an owner takes it back" job_is "$claim" RUNNING
check_wait 10 "the victim waits" job_is "$cron" PENDING
check_eq "stopped once" "$(job_counts "$OWN" "$cron")" "0 1"
crontab_now | sed 's/^/# /'
check_eq "its crontab is as it was" "$(crontab_now)" "$(cat "$CL_DIR/crontab")"
check "and it is still a job of it" prints_match 'CronJob=Yes' \
	scontrol show job "$cron"
scancel "$claim"
check_wait 30 "it runs again" job_is "$cron" RUNNING
check_ledger
cluster_cmd scrontab -r
test_done
