#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Heterogeneous jobs: charged, stopped, requeued and served as one.

. "${0%/*}/lib.sh"

cluster_init het
cluster_need_plugins
cluster_nodes "n[1-2]" h100:2
lend_policy GraceTime=1 h100:2 h100:2
cluster_start || bail "no cluster"

cat >"$CL_DIR/jobs/het.sh" <<'EOF'
#!/bin/bash
sleep 600
EOF

# submit_het ACCOUNT GPUS GPUS...: prints the leader's id
submit_het()
{
	local account=$1 args=() gpus

	shift
	for gpus; do
		[ ${#args[@]} -eq 0 ] || args+=(:)
		args+=(-A "$account" --gres="gpu:h100:$gpus")
	done
	submit "${args[@]}" "$CL_DIR/jobs/het.sh"
}

# Slurm puts each component on a node of its own: leave one GPU on both.
own_runs -N2 --gres=gpu:h100:1

say "as a victim"
victim=$(submit_het b 1 1)
check_wait 25 "both components borrow" prints "RUNNING RUNNING" \
	het_states "$victim"
check_wait 5 "both are charged" prints "4 2 2" share_use borrower h100
check_ledger "with a loan of two components"
claim=$(submit_sleep -A a --gres=gpu:h100:1)
check_wait 25 "the owner of one GPU runs" job_is "$claim" RUNNING
check_wait 15 "both components wait again" prints "PENDING PENDING" \
	het_states "$victim"
check_eq "stopped as one" "$(status_field .counters.preemptions)" 1
check_wait 5 "only own is left" prints "2 2 0" share_use borrower h100
scancel "$claim"
check_wait 30 "both run again" prints "RUNNING RUNNING" het_states "$victim"
check_eq "the own job was not touched" "$(job_counts "$OWN")" 0
scancel "$victim"
check_wait 15 "the het job is gone" prints "2 2 0" share_use borrower h100

say "as a claimant"
one=$(submit_sleep -A b --gres=gpu:h100:1)
two=$(submit_sleep -A b --gres=gpu:h100:1)
for id in "$one" "$two"; do
	job_wait "$id" RUNNING || bail "job $id does not borrow"
done
claim=$(submit_het a 1 1)
check_wait 30 "both components run" prints "RUNNING RUNNING" \
	het_states "$claim"
check_eq "stops: own, and the two loans" \
	"$(job_counts "$OWN" "$one" "$two")" "0 1 1"
check_wait 5 "both are charged" prints "2 2 0" share_use owner h100
check_match "a component is explained as a part of the whole" \
	"$(qshare explain "$claim+1")" "^JobId=$claim\+1 is a part of het job $claim,"
scancel "$claim"
check_wait 30 "the loans run again" prints "RUNNING RUNNING" \
	job_states "$one" "$two"

say "as a claimant whose components cannot have a node each"
scancel "$one" "$two" "$OWN"
wait_for 15 "all to be idle" prints 0 job_gpus
own_runs -w n1 --gres=gpu:h100:2
one=$(submit_sleep -A b --gres=gpu:h100:1)
two=$(submit_sleep -A b --gres=gpu:h100:1)
for id in "$one" "$two"; do
	job_wait "$id" RUNNING || bail "job $id does not borrow"
done
claim=$(submit_het a 1 1)
check_wait 10 "it waits, and says why" prints_match 'QuotaShare|Resources' \
	job_reason "$claim"
check_lasts 5 "and stops nobody" prints "0 0 0" job_counts "$OWN" "$one" "$two"
squeue -h -j "$claim" -o '#   %i %r'
scancel "$claim"

say "one that is too large as a whole"
if big=$(submit_het a 2 1 2>"$CL_DIR/log/big"); then
	check_lasts 4 "stops nobody" prints "0 0 0" job_counts "$OWN" "$one" \
		"$two"
	check_match "and says why" "$(job_reason "$big")" 'QuotaShare'
	squeue -h -j "$big" -o '#   %i %r'
	scancel "$big"
else
	check_match "is refused" "$(cat "$CL_DIR/log/big")" 'capacity'
fi
check_ledger
test_done
