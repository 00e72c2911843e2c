#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several jobs of an owner come together, and a limit of Slurm lets only some of
# them start: of a QOS for each user or as a whole, of an account, on GPUs or on
# jobs. As many victims go as can be used, and the others' reason names the limit
# (law 1). Each job was tried alone, while those before it did not count yet: the
# victims of all went, and for some of them nobody came. What a victim used whose
# nodes are still at work was taken off twice.

. "${0%/*}/lib.sh"

cluster_init together
cluster_need_plugins
need_tools sacctmgr
cluster_nodes "n1" h100:6
cluster_account above
cluster_account a above
cluster_account b above
cluster_account c
for account in a b c; do
	cluster_member root "$account"
done
cluster_conf <<CONF
AccountingStorageEnforce=associations,limits,qos
Epilog=$CL_DIR/epilog
CONF
cat >"$CL_DIR/epilog" <<EPILOG
#!/bin/sh
[ "\$SLURM_JOB_ID" = "\$(cat "$CL_DIR/slow" 2>/dev/null)" ] || exit 0
for i in \$(seq 300); do
	[ -e "$CL_DIR/slow" ] || exit 0
	sleep 0.1
done
EPILOG
chmod 755 "$CL_DIR/epilog"
cluster_policy <<POLICY
Queue=train Partitions=gpu GraceTime=1
Share=owner Accounts=a Capacity=h100:5 Strategy=LEND InSharePreemption=NO
Share=borrower Accounts=b,c Capacity=h100:1 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
POLICY
cluster_start --dbd || bail "no cluster"

sacctmgr() { cluster_cmd sacctmgr -i "$@"; }
knows_qos() { scontrol show assoc_mgr qos=few flags=qos; }
knows_accounts() { scontrol show assoc_mgr accounts=a,above flags=assoc; }

may() { submit_sleep -A a -q few --gres=gpu:h100:1; }

check "a QOS" sacctmgr add qos few
check "for account a" sacctmgr modify account a set qos+=few
wait_for 10 "the QOS to be usable" may || bail "no QOS"

# lend PRIORITY...: all GPUs are free, then each of these jobs has one.
lend()
{
	cluster_empty || bail "jobs are left"
	borrow_each submit_sleep "$@"
}

# four SBATCH-ARGS...: so many jobs of account a, of which we hear together.
four()
{
	local ids=() all

	while [ ${#ids[@]} -lt 4 ]; do
		ids+=("$(submit_sleep -H -A a --gres=gpu:h100:1 "$@")")
	done
	all="${ids[*]}"
	scontrol release "${all// /,}"
}

# an_array SBATCH-ARGS...: the same as tasks of one.
an_array()
{
	submit_sleep -A a --array=1-4 --gres=gpu:h100:1 "$@" >/dev/null
}

run_now() { squeue -h -A a -t R -r -o %i | wc -l; }
stopped() { job_counts "${LENT[@]}" | tr ' ' '\n' | grep -vc '^0$'; }
both() { echo "$(run_now) $(stopped)"; }

# only VICTIMS WHAT: two jobs of a run, and so many had to go, nobody else a good
# while later.
only()
{
	local reason

	check_wait 40 "$2: two jobs run" prints 2 run_now
	check_lasts 7 "$2: no more, $1 were stopped" prints "2 $1" both
	reason=$(squeue -h -A a -t PD -o %r | head -n 1)
	check_match "$2: the reason names the limit ($reason)" "$reason" \
		'another limit holds it: (QOS|Assoc|Max)|^(QOS|Assoc|Max)'
	check_ledger "$2"
}

# another_comes WHAT: when one of the two has ended.
another_comes()
{
	local first left

	read -r first left <<<"$(squeue -h -A a -t R -r -o %i | xargs)"
	scancel "$first"
	another() { [ "$(run_now)" = 2 ] && ! job_is "$first" RUNNING; }
	check_wait 60 "$1: when one has ended, another comes" another
	check "$1: the second has stayed" job_is "$left" RUNNING
}

# limit PATTERN WHAT...: sacctmgr sets it, and slurmctld knows.
limit()
{
	check "the limit: ${*:2}" sacctmgr modify "${@:2}"
	wait_for 10 "slurmctld to know" prints_match "$1" knows_all ||
		bail "slurmctld does not know"
}
knows_all() { knows_qos && knows_accounts; }

say "GPUs of each user in a QOS"
limit 'MaxTRESPU=[^ ]*gres/gpu=2' qos few set MaxTRESPerUser=gres/gpu=2
lend 9 8 7 6 5 4
four -q few
only 2 "four jobs"
another_comes "four jobs"
lend 9 8 7 6 5 4
an_array -q few
only 2 "an array"
another_comes "an array"
lend 9 8 7 6 5
an_array -q few
only 1 "a GPU is idle"

say "GPUs of a QOS"
limit 'GrpTRES=[^ ]*gres/gpu=2\(' qos few set MaxTRESPerUser=gres/gpu=-1 \
	GrpTRES=gres/gpu=2
lend 9 8 7 6 5 4
four -q few
only 2 "the QOS's"

say "jobs of an account"
limit 'GrpJobs=2\(' account a set GrpJobs=2
lend 9 8 7 6 5 4
an_array
only 2 "the account's"

say "a victim has ended, its node is still at work"
check "no limit on jobs" sacctmgr modify account a set GrpJobs=-1
limit 'GrpTRES=[^ ]*gres/gpu=4\(' account above set GrpTRES=gres/gpu=4
# Who goes first is of account b, which is below the limit; who would go next is
# not.
lend 9 8 7 1
for priority in 4 5; do
	id=$(submit_sleep -A c --share-priority="$priority" --gres=gpu:h100:1)
	job_wait "$id" RUNNING || bail "job $id did not borrow"
	LENT+=("$id")
done
echo "${LENT[3]}" >"$CL_DIR/slow"
own=$(submit_sleep -A a --gres=gpu:h100:1)
ends() { squeue -h -t CG -o %A -j "${LENT[3]}" | grep -q .; }
check_wait 20 "it has ended" ends
more=$(submit_sleep -A a --gres=gpu:h100:1)
check_lasts 7 "for a second job nobody is stopped" prints "0 0 0 0 0" \
	job_counts "${LENT[@]:0:3}" "${LENT[@]:4}"
check "all that time it ended" ends
check_match "the second one's reason names the limit" \
	"$(job_reason "$more")" 'another limit holds it: Assoc|^Assoc'
rm "$CL_DIR/slow"
check_wait 30 "the first job runs" job_is "$own" RUNNING
check_lasts 6 "and still nobody else is stopped" prints "0 0 0 0 0" \
	job_counts "${LENT[@]:0:3}" "${LENT[@]:4}"
check_ledger "ends"
test_done
