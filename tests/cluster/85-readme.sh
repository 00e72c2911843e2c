#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# README.md as a new user would type it: the session on its first screen prints
# what the page shows, and every other command on it works. A command that is
# new on the page and not known here fails.

. "${0%/*}/lib.sh"

cluster_init readme
cluster_need_plugins
readme=$CL_TOP/README.md
cluster_nodes "n[1-3]" a10g:1
cluster_nodes "h[1-3]" h100:20
cluster_partition gpu "n[1-3]" Default=YES
cluster_partition big "h[1-3]"
# The session's shares, and those of the section for admins, a queue each.
{
	cat <<-'EOP'
		Queue=train Partitions=gpu GraceTime=5
		Share=QS1 Queue=train Accounts=qs1 Capacity=a10g:1 \
			Strategy=LEND_AND_BORROW BorrowLimit=200 InSharePreemption=YES
		Share=QS2 Queue=train Accounts=qs2 Capacity=a10g:1 Strategy=LEND \
			InSharePreemption=NO
		Share=QS3 Queue=train Accounts=qs3 Capacity=a10g:1 \
			Strategy=RESERVE InSharePreemption=NO
	EOP
	pages_script "$readme" Mode=OBSERVE |
		sed -e '/^Mode=/d' -e 's/Partitions=gpu /Partitions=big /' \
			-e '/^Share=/s/ / Queue=page /' -e 's/^Queue=train/Queue=page/'
} >"$CL_DIR/both"
cluster_policy <"$CL_DIR/both"
cluster_start || bail "no cluster"
cp "$CL_LIB/train.sh" "$CL_DIR/jobs/"
printf '#!/bin/sh\n#SBATCH -p big\nexec sleep 600\n' >"$CL_DIR/jobs/job.sh"
pages_script "$readme" Mode=OBSERVE >"$CL_DIR/jobs/quota_share.conf"
check "the policy of the page is good" cluster_cmd \
	qshare check -W quota_share.conf
check_eq "slurm.conf as the page has it" "$(pages_script "$readme" \
	BurstBufferType | while read -r line; do
		grep -qxF "$line" "$CL_DIR/etc/slurm.conf" || echo "$line"
	done)" ""

# What the page's session is about, without the second queue.
same()
{
	local got

	got=$(cluster_cmd bash -c "$1" 2>&1 | sed 's/ *$//')
	if [ "$got" = "$2" ]; then
		return
	fi
	echo "$got"
	return 1
}

# The lines come in this order, with other numbers and what is between them.
like()
{
	# shellcheck disable=SC2001 # a set of digits
	sed 's/[0-9][0-9]*/N/g' "$CL_DIR/jobs/${1#cat }" |
		awk -v want="$(sed 's/[0-9][0-9]*/N/g' <<<"$2")" '
		BEGIN { n = split(want, line, "\n"); at = 1 }
		$0 == line[at] { at++ }
		END { exit at <= n }'
}

mapfile -t examples < <(pages_read "$readme")
check "the page has examples" test "${#examples[@]}" -gt 15
before=$(grep -c . "$CL_DIR/etc/quota_share.conf")
say "$before lines of policy"
waiting=
for example in "${examples[@]}"; do
	command=${example%%$'\t'*}
	shown=$(tr '\1' '\n' <<<"${example#*$'\t'}" | sed '/^$/d')
	case $command in
	"sbatch -A qs"*)
		page_says "$command" "$command" ""
		;;
	qshare)
		if [ -n "$shown" ]; then
			check_wait 15 "the page's table" same "qshare -q train" \
				"$shown"
		else
			page_says "$command" "$command" ""
		fi
		;;
	squeue*)
		check_wait 30 "the page's squeue" same "$command" "$shown"
		;;
	"cat slurm-2.out")
		# It waits until the owner has finished.
		train_finish 4
		check_wait 60 "the page's job goes on from its checkpoint" \
			like "$command" "$shown"
		;;
	"sbatch -A ACCOUNT"*)
		command=${command/ACCOUNT/research}
		command=${command/NAME/research}
		command=${command/=N/=3}
		page_says "$command" "${command/0..9999/0}" ""
		case $command in
		*0..9999*) page_says "and 9999" \
			"${command/0..9999/9999}" "" ;;
		esac
		waiting=$(squeue -h -A research -S -i -o %i | head -n 1)
		;;
	"qshare explain JOBID" | "qshare jobs" | "qshare priority JOBID N" | \
		"qshare whatif -A ACCOUNT"*)
		command=${command/JOBID/$waiting}
		command=${command/ACCOUNT/research}
		command=${command/ N/ 7}
		command=${command/whatif/whatif -p big}
		page_says "$command" "$command" ""
		;;
	contrib/quickstart | contrib/test | ./autogen.sh | ./configure* | make*)
		say "$command: what contrib/test itself does"
		;;
	*)
		not_ok "$command: README.md has an example that this test does" \
			"not know: run it here"
		;;
	esac
done
check_eq "the priority is set" "$(qshare explain "$waiting" --json |
	jq .priority)" 7
test_done
