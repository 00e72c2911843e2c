#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare top on a terminal of its own: it draws health, shares with bars and
# jobs, draws again when something changed, obeys keys and leaves the terminal
# as it was; without a terminal it prints one screen. Also colour of qshare.

. "${0%/*}/lib.sh"

cluster_init top
cluster_need_plugins
need_tools script
cluster_nodes "t1" h100:4
cluster_policy <<EOF
Queue=train Partitions=gpu
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

screen=$CL_DIR/screen
keys=$CL_DIR/keys
mkfifo "$keys"

# What is on the screen since the last clearing, without escapes.
shown()
{
	tail -c 8000 "$screen" | tr -d '\r' |
		sed 's/\x1b\[[0-9;?]*[A-Za-z]//g'
}

key()
{
	printf '%s' "$1" >&9
}

gone()
{
	! kill -0 "$top" 2>/dev/null
}

job=$(submit_sleep -A b --gres=gpu:h100:3)
job_wait "$job" RUNNING || bail "the first job does not run"
waits=$(submit_sleep -A a --gres=gpu:h100:3 --hold)
check_eq "without a terminal one screen" \
	"$(qshare top </dev/null | grep -c '^Queue train')" 1
check_match "a share that is not there" \
	"$(qshare top -s none </dev/null 2>&1)" "there is no quota share 'none'"
check "is an error" not qshare top -s none </dev/null
check_eq "and no colour" "$(qshare top </dev/null | grep -c $'\033')" 0

env -i SLURM_CONF="$CL_DIR/etc/slurm.conf" HOME=/ PATH="$CL_PATH" \
	LANG=C.UTF-8 TERM=xterm-256color TMPDIR="$CL_DIR" \
	script -qefc "stty rows 40 cols 120; exec qshare top -d 1" "$screen" \
	<"$keys" >/dev/null 2>&1 &
top=$!
exec 9>"$keys"
# A look may come in the middle of a drawing.
check_wait 10 "it draws the queue" prints_match 'Queue train:' shown
check_wait 10 "the shares with bars" prints_match '█' shown
check_wait 10 "the running job" prints_match 'victim 1 of 1' shown
check_wait 10 "and the one that waits" prints_match "$waits +root" shown
check_wait 10 "in colour" prints_match $'\033\[32m' cat "$screen"
third=$(submit_sleep -A b --gres=gpu:h100:1)
check_wait 10 "a new job comes by itself" \
	prints_match "$third +root +two +RUNNING" shown
key r
check_wait 10 "r shows running jobs only" \
	prints_match "only running" eval \
	'shown | tail -n 12 | grep -q PENDING || echo only running'
key q
check_wait 10 "q ends it" gone
exec 9>&-
check_eq "with success" "$(wait "$top"; echo $?)" 0
check_match "the terminal is as before" "$(tail -c 200 "$screen")" \
	$'\033\[\\?25h\033\[\\?1049l'
qshare --color=always | sed 's/^/#   /'
test_done
