#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every field that qshare prints with --json stands in doc/json.md, in the section
# of its command, and every field that stands there is printed: by jobs that run,
# borrow, wait, are held, are being stopped and have been.

. "${0%/*}/lib.sh"

cluster_init json
cluster_need_plugins
cluster_nodes "n[1-2]" h100:2
cluster_policy <<EOF
Queue=train Partitions=gpu GraceTime=60
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
for account in a b; do
	cluster_account "$account"
	cluster_member root "$account"
done
cluster_start --dbd || bail "no cluster"
out=$CL_DIR/out
mkdir "$out"

# section COMMAND: its part of the page
section()
{
	awk -v head="## qshare $1" '/^## /{ inside = $0 == head } inside' \
		"$CL_TOP/doc/json.md"
}

# What can be a field: words in backticks, but for those in capitals.
documented()
{
	section "$1" | grep -oE '`[^`]*`' | tr -d '`' |
		grep -xE '[a-z][a-z_0-9]*' | grep -vx null | sort -u
}

# Names of types, nodes and shares are no fields.
printed()
{
	cat "$out/$1".* | jq -r '[.. | objects | keys[]] | unique[]' |
		grep -vxE 'h100|n[12]' | sort -u
}

# keep COMMAND NAME ARGUMENTS: what it prints, for all to be looked at.
keep()
{
	qshare "$1" --json "${@:3}" >"$out/$1.$2"
}

keep status empty
own=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$own" RUNNING || bail "the first job does not run"
gone=$(submit_sleep -A b --gres=gpu:h100:2)
job_wait "$gone" RUNNING || bail "the second job does not run"
once=$(submit_sleep -A a --gres=gpu:h100:1)
job_wait "$once" RUNNING || bail "the owner does not run"
scancel "$once" "$gone"
loan=$(submit_stubborn -A b --gres=gpu:h100:1)
job_wait "$loan" RUNNING || bail "the third job does not run"
wait_for 20 "it can be told" prints_match begun job_out "$loan"
loan2=$(submit_stubborn -A b --gres=gpu:h100:1)
job_wait "$loan2" RUNNING || bail "the fourth job does not run"
wait_for 20 "it can be told" prints_match begun job_out "$loan2"
waits=$(submit_sleep -A b --gres=gpu:h100:1)
check_wait 10 "one waits" prints_match QuotaShare job_reason "$waits"
sed 's/h100:2/h100:1/' "$CL_DIR/etc/quota_share.conf" >"$CL_DIR/jobs/new"
keep diff live --live new
owner=$(submit_sleep -A a --gres=gpu:h100:2)
check_wait 10 "victims are told" was_told "$loan"
keep status busy
keep jobs all
for id in "$own" "$gone" "$loan" "$waits" "$owner"; do
	qshare explain "$id" --json >"$out/explain.$id"
done
keep whatif runs -A b --gres=gpu:h100:1
keep whatif never -A b --gres=gpu:h100:400
keep health good
keep check good
echo Share=x >"$CL_DIR/jobs/bad"
qshare check --json bad >"$out/check.bad" 2>/dev/null
keep observe log
qshare instances --json --instances="$CL_TOP/etc/instance_types.csv" \
	>"$out/instances.all"
# Accounting may be a moment late.
check_wait 20 "a report that knows of a preemption" prints_match '[1-9]' eval \
	'qshare report --json | tee "$out/report.all" |
		jq ".preemptions[].count"'

sacct -a -D -X --parsable2 -o "JobID,JobIDRaw,DBIndex,User,Account,Partition,$(
	)State,Submit,Eligible,Start,End,NodeList,AllocTRES,ReqTRES,AdminComment" \
	>"$CL_DIR/jobs/saved"
echo "9|9" >>"$CL_DIR/jobs/saved"
keep report problem --from=saved

for command in status health jobs explain whatif check diff observe instances \
	report; do
	check "$command prints fields" test "$(printed $command | wc -l)" -ge 4
	check_eq "$command: none that the page lacks" \
		"$(comm -13 <(documented $command) <(printed $command) | xargs)" ""
done
# The other way round; a field of another section may be named in passing.
check_eq "no field on the page that nothing prints" "$(comm -13 \
	<(for command in status health jobs explain whatif check diff observe \
		instances report; do printed $command; done | sort -u) \
	<(for command in status health jobs explain whatif check diff observe \
		instances report; do documented $command; done | sort -u) | xargs)" \
	""
test_done
