#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every example of the manual pages and of the helps, on the policy that
# quota_share.conf(5) shows: it does what the page says, and prints what the
# page shows. An example that is new and not known here fails. (What stands
# between BEGIN and END in the pages' sources is compared by man_test and
# aws_cli_test, too.)

. "${0%/*}/lib.sh"

cluster_init manual
cluster_need_plugins
man=$CL_TOP/doc/man
cluster_nodes "h[1-2]" h100:24
cluster_nodes a1 a10g:12
cluster_partition gpu ALL Default=YES
cluster_partition gpu-long ALL
cluster_conf <<<"FirstJobId=11"
pages_script "$man/quota_share.conf.5" "# whole file" >"$CL_DIR/page.conf"
sed -e '/^Mode=/d' -e '/Log=/d' "$CL_DIR/page.conf" >"$CL_DIR/ours.conf"
cluster_policy <"$CL_DIR/ours.conf"
for account in research interns release eval; do
	cluster_account "$account"
	cluster_member root "$account"
done
cluster_start --dbd || bail "no cluster"

# The files that the examples name.
cd "$CL_DIR/jobs" || bail "no folder"
cp "$CL_DIR/page.conf" quota_share.conf
sed 's/h100:32/h100:24/' "$CL_DIR/ours.conf" >quota_share.conf.new
cp "$CL_LIB/train.sh" .
pages_script "$man/qshare_scenario.5" "{" >reclaim.json
pages_script "$man/qshare-import.1" "{" >shares.json
echo '{ "jobQueues": [] }' >queue.json
printf '#!/bin/sh\nsleep 600\n' >train && chmod +x train
printf '#!/bin/sh\ncat >mailed\n' >mail && chmod +x mail

# The replay's own, on a cluster of a100.
mkdir replay
printf 'job_id,submit_s,gpus,gpu_type,duration_s,share\n%s\n%s\n' \
	1,0,8,a100,7200,two 2,60,8,a100,3600,one >replay/jobs.csv
cat >replay/quota_share.conf <<EOP
Share=one Capacity=a100:600 Strategy=LEND InSharePreemption=NO
Share=two Capacity=a100:600 Strategy=LEND_AND_BORROW InSharePreemption=NO
EOP
sed 's/LEND_AND_BORROW/LEND/; 1iQueue=q' replay/quota_share.conf \
	>replay/quota_share.conf.new
sed -i 1iQueue=q replay/quota_share.conf

# Job 11 holds all that the share may use, so job 12 waits.
all=$(submit_sleep -A research --gpus=h100:48 -N2)
job_wait "$all" RUNNING || bail "job 11 does not run"
check_eq "job 12 is the one of the examples" \
	"$(submit_sleep -A research --gpus=h100:4)" 12
check_wait 15 "and waits for its share" prints_match '^QuotaShare:' \
	job_reason 12

# here COMMAND: with this machine's folders in place of those of the page.
here()
{
	local command=$1

	command=${command//\/etc\/slurm\//$CL_DIR/etc/}
	command=${command//\/var\/lib\/prometheus\/node-exporter\//}
	echo "export QSHARE_INSTANCES='$CL_TOP/etc/instance_types.csv'"
	echo "PATH=\$PATH:."
	echo "$command"
}

# run PLACE COMMAND SHOWN
run()
{
	local where=$1 command=$2 shown=$3

	case $where:$command in
	qshare.1:"qshare check quota_share.conf")
		# The second is about a mistake.
		[[ $shown != *"unknown key"* ]] ||
			sed -i 's/BorrowLimit/BorowLimit/' quota_share.conf
		page_says "$where: $command" "$command" "$shown"
		cp "$CL_DIR/page.conf" quota_share.conf
		;;
	help:"qshare top"*)
		# On a terminal it would go on.
		page_says "$where: $command" "$command </dev/null | cat" ""
		;;
	help:"sacct --json"*)
		if cluster_cmd sacct --json >/dev/null 2>&1; then
			page_says "$where: $command" "$command" ""
		else
			say "this sacct has no --json, not run: $command"
		fi
		;;
	*:"qshare replay"*)
		page_says "$where: $command" "cd replay; $command" "$shown"
		;;
	help:qshare* | qshare*.1:qshare* | job_submit_quota_share.8:sbatch*)
		page_says "$where: $command" "$(here "$command")" "$shown"
		;;
	*)
		not_ok "$where has an example that this test does not know" \
			"$command"
		;;
	esac
}

examples=0
for page in "$man"/*; do
	while IFS=$'\t' read -r command shown; do
		run "${page##*/}" "$command" "$shown"
		examples=$((examples + 1))
	done < <(pages_read "$page")
done
check "the pages have examples" test $examples -ge 6

say "the script of spank_quota_share(8)"
pages_script "$man/spank_quota_share.8" "#!/bin/sh" >script.sh
script=$(submit script.sh)
check_eq "its options reach the share" "$(qshare explain "$script" --json |
	jq -r '"\(.share) \(.priority) \(.retries)"')" "background 40 3"

say "the examples of the helps"
# helped [COMMAND]: the examples in its help.
helped()
{
	cluster_cmd qshare "$@" --help |
		sed -n '/^Example/,$p' | sed 's/^Examples*: *//; s/^ *//' |
		sed -e ':a' -e '/\\$/N; s/\\\n//; ta'
}

mapfile -t commands < <(cluster_cmd qshare --help |
	awk '/^  [a-z]/ { print $1 }')
helps=0
for command in "" "${commands[@]}"; do
	while read -r example; do
		[ -n "$example" ] || continue
		run help "$example" ""
		helps=$((helps + 1))
	done < <(helped ${command:+"$command"})
done
check "each command has one" test $helps -gt ${#commands[@]}
check_eq "job 12 has the priority of the example" \
	"$(qshare explain 12 --json | jq .priority)" 40
scancel -u root
check_wait 30 "all jobs are gone" prints "" squeue -h
test_done
