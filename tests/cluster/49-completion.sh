#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion in bash, with a real slurmctld behind it: commands and options
# from the help, shares and job ids from the cluster; and each command's help
# has an example, its options and an exit status.

. "${0%/*}/lib.sh"

cluster_init complete
cluster_need_plugins
cluster_nodes "c1" h100:4
cluster_policy <<EOF
Queue=train Partitions=gpu
Share=research Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=release Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# completes WORD...: what is offered for the last of them, sorted, in a line
completes()
{
	cluster_cmd bash -c '
		. "$1"
		shift
		COMP_WORDS=(qshare "$@")
		COMP_CWORD=$#
		_qshare
		printf "%s\n" "${COMPREPLY[@]}"' bash \
		"$CL_DIR/bin/completion" "$@" | sort | xargs
}

cp "$CL_TOP/contrib/completion/qshare" "$CL_DIR/bin/completion"
job=$(submit_sleep -A a --gres=gpu:h100:1)
job_wait "$job" RUNNING || bail "the job does not run"
check_wait 10 "job ids" prints "$job" completes explain ''
check_eq "commands" "$(completes he)" health
check_eq "several commands" "$(completes re)" "reload replay report"
check_eq "all commands" "$(completes '' | wc -w)" \
	"$(qshare --help | sed -n '/^Commands:/,/^$/p' | grep -c '^  [a-z]')"
check_eq "options" "$(completes jobs --wai)" --waiting
check_eq "options of status at once" "$(completes --pars)" --parsable
check_eq "shares" "$(completes jobs re)" "release research"
check_eq "a share behind an option" "$(completes events -s rel)" release
check_eq "a queue behind =" "$(completes status --queue = '')" train
check_eq "words for colour" "$(completes status --color al)" always
check_eq "forms of a report" "$(completes report --format '')" \
	"csv html json table"
check_eq "options of sbatch" "$(completes whatif --gpus-per-n)" \
	--gpus-per-node
check_eq "and ours" "$(completes whatif --quota)" --quota-share
words=$(awk '/^## /{ inside = /^## (Events|Audit)/ }
	/^\| field /{ inside = 0 }
	inside && /^\| `/ { gsub(/`/, "", $2); print $2 }' \
	"$CL_TOP/doc/events.md" | sort | xargs)
check_eq "the events of doc/events.md" "$(completes events -e '')" "$words"
check_eq "qshare events knows them" "$(qshare events -e "${words// /,}" \
	-j 4000000 2>&1)" ""
check_match "and no other" "$(qshare events -e strat -j 4000000 2>&1)" \
	"no event 'strat' is known; did you mean 'start'\?"
touch "$CL_DIR/jobs/some.conf"
check_eq "files" "$(completes check some)" some.conf

say "the help of every command"
# not_in_pages HELP: options of the help that no page of qshare has
not_in_pages()
{
	local option

	grep -oE -- '(^| |,)-(-[a-z][a-z-]+|[A-Za-z0-9](,|  ))' <<<"$1" |
		tr -d ' ,' | sort -u | while read -r option; do
		sed 's/\\-/-/g; s/\\f[BIR]//g' "$CL_TOP"/doc/man/qshare*.1 |
			grep -qE -- "(^|[][ |;(])$option([][ =,|;).:]|\$)" ||
			echo "$option"
	done | xargs
}

for command in $(completes ''); do
	text=$(qshare "$command" --help)
	check_match "$command: usage" "$text" "^Usage: qshare \[?$command"
	check_match "$command: an example" "$text" 'Example: qshare '
	check_match "$command: exit status" "$text" 'Exit status: 0'
	check_match "$command: in the manual page" \
		"$(cat "$CL_TOP/doc/man/qshare.1")" "\.SS $command"
	check_eq "$command: its options, too" "$(not_in_pages "$text")" ""
	check_eq "$command: no line is longer than 80" \
		"$(awk 'length > 80' <<<"$text")" ""
	check "$command: an unknown option is an error" \
		not qshare "$command" --no-such-option-at-all
done
test_done
