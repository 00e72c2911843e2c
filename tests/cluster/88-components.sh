#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Heterogeneous jobs whose components are in different partitions: of one queue,
# of no queue, of two queues. They waited for ever, or ran uncharged. And jobs
# that cease to be ours while they wait, which kept what we had given them.

. "${0%/*}/lib.sh"

cluster_init hetparts
cluster_need_plugins
cluster_nodes n1 a100:2
cluster_nodes "n[2-4]" h100:1
cluster_nodes n5 none
cluster_nodes n6 h100:1
cluster_partition pa n1 Default=YES
cluster_partition ph "n[2-3]"
cluster_partition other n4
cluster_partition cpu n5
cluster_partition free n6

# policy MODE PARTITIONS
policy()
{
	cluster_policy <<POLICY
Mode=$1
Queue=train Partitions=$2 GraceTime=1
Share=owner Queue=train Accounts=a Capacity=a100:1,h100:1 Strategy=LEND \\
	InSharePreemption=NO
Share=borrower Queue=train Accounts=b Capacity=a100:1,h100:1 \\
	Strategy=LEND_AND_BORROW InSharePreemption=NO
Queue=serve Partitions=other GraceTime=1
Share=server Queue=serve Accounts=a,b Capacity=h100:1 Strategy=LEND \\
	InSharePreemption=NO
POLICY
}

# Only where GPUs are, and only while a file is there.
cluster_conf <<CONF
Epilog=$CL_DIR/epilog
CONF
cat >"$CL_DIR/epilog" <<EPILOG
#!/bin/sh
case \$SLURMD_NODENAME in
n[1-4]) while [ -e "$CL_DIR/slow" ]; do sleep 0.2; done ;;
esac
EPILOG
chmod 755 "$CL_DIR/epilog"
policy OBSERVE pa,ph
# With slurmdbd: without an association 24.11 refuses a change of partition, by
# chance (update_job() then returns whatever errno was).
for account in a b; do
	cluster_account "$account"
	cluster_member root "$account"
done
cluster_start --dbd || bail "no cluster"
cat >"$CL_DIR/jobs/het.sh" <<'JOB'
#!/bin/bash
exec sleep 600
JOB

# het ACCOUNT SBATCH-ARGS... : SBATCH-ARGS...: prints the leader's id
het()
{
	local account=$1 args=(-A "$1") word

	shift
	for word; do
		args+=("$word")
		[ "$word" != : ] || args+=(-A "$account")
	done
	submit "${args[@]}" "$CL_DIR/jobs/het.sh"
}

# Only this reason is ours, on whichever component.
shows_ours()
{
	scontrol -o show job "$1" | grep -q 'Reason=.*QuotaShare'
}

h100_in()
{
	scontrol -o -d show job "$1" | alloc_parse |
		awk -v node="$2" '$4 == node { n += $6 } END { print n + 0 }'
}

gone()
{
	scancel "$@"
	wait_for 20 "GPUs to be idle" prints 0 job_gpus
}

say "it runs already when shares are introduced"
id=$(het a -p cpu : -p ph --gres=gpu:h100:1)
wait_for 30 "it to run" prints "RUNNING RUNNING" het_states "$id" ||
	bail "nothing runs under OBSERVE"
policy ENFORCE pa,ph
check "reconfigure" cluster_reconfigure
check_wait 10 "it is charged, though its leader is in no queue" \
	prints "1 1 0" share_use owner h100
check_ledger "with a leader in no queue"
touch "$CL_DIR/slow"
scancel "$id"
check_wait 15 "the leader's node is done, the other is not" \
	prints "CANCELLED COMPLETING" job_states "$id" "$id+1"
check_wait 5 "it is charged until that is done" \
	prints "1 1 0" share_use owner h100
check_lasts 2 "as long as that takes" prints "1 1 0" share_use owner h100
rm "$CL_DIR/slow"
check_wait 10 "and no longer" prints "0 0 0" share_use owner h100

say "leader in another partition of the queue"
id=$(het a -p pa --gres=gpu:a100:1 : -p ph --gres=gpu:h100:1)
check_wait 30 "it runs on an idle cluster" prints "RUNNING RUNNING" \
	het_states "$id"
check_wait 5 "a100 are charged" prints "1 1 0" share_use owner a100
check_wait 5 "h100 are charged" prints "1 1 0" share_use owner h100
check_ledger "with two partitions"
gone "$id"

say "leader in a partition of no queue: borrows, is stopped, waits, runs again"
own_runs -p ph --gres=gpu:h100:1
lent=$(het b -p cpu --share-priority=9 : -p ph --share-priority=3 \
	--gres=gpu:h100:1)
check_wait 30 "it borrows" prints "RUNNING RUNNING" het_states "$lent"
check_wait 5 "on loan" prints "2 1 1" share_use borrower h100
check_eq "with the priority of the component that was judged" \
	"$(qshare jobs --json | jq --argjson id "$lent" '.[] |
		select(.job == $id) | .priority')" 3
check "its priority can be changed" qshare priority "$lent" 4
claim=$(het a -p cpu : -p ph --gres=gpu:h100:1)
check_wait 30 "an owner of the same kind takes it back" \
	prints "RUNNING RUNNING" het_states "$claim"
check_wait 15 "both components wait" prints "PENDING PENDING" \
	het_states "$lent"
check_wait 10 "and say why" shows_ours "$lent"
check_eq "nobody else was stopped" "$(job_counts "$OWN")" 0
check_ledger "with a leader in no queue, after a reclaim"
scancel "$claim"
check_wait 40 "it runs again" prints "RUNNING RUNNING" het_states "$lent"
gone "$lent" "$OWN"

say "GPUs outside of the queue are nobody's"
id=$(het a -p free --gres=gpu:h100:1 : -p ph --gres=gpu:h100:1)
check_wait 30 "it runs" prints "RUNNING RUNNING" het_states "$id"
check_wait 5 "one of two is charged" prints "1 1 0" share_use owner h100
check_eq "the other is outside" "$(h100_in "$id" n6)" 1
gone "$id"

say "two queues"
if het a -p other --gres=gpu:h100:1 : -p ph --gres=gpu:h100:1 \
	2>"$CL_DIR/log/two"; then
	not_ok "it is refused" "it was let in"
else
	check_match "it is refused, and told why" "$(cat "$CL_DIR/log/two")" \
		'GPUs of queues serve and train: name partitions of one'
fi
own_runs -p ph --gres=gpu:h100:1
id=$(het b -p cpu : -p ph --gres=gpu:h100:1 : -p ph --gres=gpu:h100:1)
check_wait 15 "one that wants too much waits" shows_ours "$id"
check "a component goes to the other queue" \
	scontrol update "JobId=$id+1" Partition=other
check_wait 10 "that is why it waits now" \
	prints_match 'GPUs_of_queues_(serve_and_train|train_and_serve)' \
	scontrol -o show job "$id"
check "and back" scontrol update "JobId=$id+1" Partition=ph
check_wait 10 "it waits for quota again" \
	prints_match 'Reason=[^ ]*QuotaShare:_[^ ]*h100' scontrol -o show job "$id"
gone "$id" "$OWN"

say "the queue loses its partition"
own_runs -p ph --gres=gpu:h100:1
keeps=$(submit_sleep -A a -p ph --gres=gpu:h100:1)
job_wait "$keeps" RUNNING || bail "the owner's job does not run"
id=$(het b -p ph --gres=gpu:h100:1 : -p ph --gres=gpu:h100:1)
check_wait 15 "a het job waits" shows_ours "$id"
policy ENFORCE pa
check "reconfigure" cluster_reconfigure
check_wait 10 "our reason is on no component" not shows_ours "$id"
scancel "$OWN" "$keeps"
check_wait 30 "it runs as any other" prints "RUNNING RUNNING" \
	het_states "$id"
scancel "$id"
policy ENFORCE pa,ph
check "reconfigure" cluster_reconfigure
wait_for 20 "all to be idle" prints 0 job_gpus

say "a job is moved away after it was granted"
check "ph is reserved, which the plan does not see" scontrol create \
	reservation reservationname=keep starttime=now duration=60 users=root \
	nodes="n[2-3]"
busy=$(submit_sleep -A b -p free --exclusive)
job_wait "$busy" RUNNING || bail "nothing runs in a partition of no queue"
id=$(submit_sleep -A a -p ph --gres=gpu:h100:1)
ranked()
{
	[ "$(job_field "$1" Priority)" -gt 1000000000 ]
}
check_wait 10 "it has a place in our order" ranked "$id"
check "it leaves the queue" scontrol update "JobId=$id" Partition=free
check_wait 10 "it is one among all others" not ranked "$id"
scancel "$busy"
check_wait 20 "it runs there" job_is "$id" RUNNING
gone "$id"

check_ledger
test_done
