#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A victim whose PrologSlurmctld still runs when its grace time is over is
# "configuring". To slurmctld a SIGKILL for any part of such a job is a cancel of
# the job (job_signal()), so its run was recorded as CANCELLED, without the
# reason, and only then requeued.

. "${0%/*}/lib.sh"

cluster_init configuring
cluster_need_plugins
cluster_nodes "n1" h100:2
lend_policy GraceTime=3 h100:1 h100:1
cluster_conf <<CONF
PrologSlurmctld=$CL_DIR/etc/prolog
CONF
cat >"$CL_DIR/etc/prolog" <<'PROLOG'
#!/bin/sh
[ "$SLURM_JOB_NAME" != slow ] || exec sleep 12
PROLOG
chmod 755 "$CL_DIR/etc/prolog"
cluster_start || bail "no cluster"

own_runs
slow=$(submit_sleep -A b -J slow --gres=gpu:h100:1)
check_wait 10 "a job borrows and is configuring" job_is "$slow" CONFIGURING
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 20 "the owner's job runs" job_is "$claim" RUNNING
check_wait 10 "the victim waits again" job_is "$slow" PENDING
check_eq "preempted once" "$(job_counts "$OWN" "$slow")" "0 1"
check "its run was not cancelled" \
	not ctld_log "job_signal: 9 of configuring JobId=$slow"
check_match "its accounting record says for whom" \
	"$(scontrol show job "$slow")" " for=$claim "
scancel "$claim"
check_wait 40 "the victim runs again" job_is "$slow" RUNNING
check_ledger
test_done
