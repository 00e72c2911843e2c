# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# Stands in for tests/cluster/lib.sh while contrib/quickstart plays the
# walk-through: the same cluster, the same jobs, the same checks, but every
# command that a person would type is shown as it is run, and the policy file
# before it is used. The walk-through itself is tests/cluster/10-*.sh, so the
# tale and the test cannot tell different things.
#
# Lines for the reader begin with "$ " (a command) or "# " (anything else);
# contrib/quickstart lays them out.

. "$QS_WALK_TOP/tests/cluster/lib.sh"

# The story goes on while a function's output is being captured.
exec {WALK_OUT}>&1

# walk_wraps FUNCTION: keeps it as walk_real_FUNCTION.
walk_wraps()
{
	eval "walk_real_$(declare -f "$1")"
}

# walk_command WORD...: as one would type it.
walk_command()
{
	local word line=

	for word; do
		word=${word#"$QS_WALK_TOP/"}
		[[ $word =~ ^[a-zA-Z0-9_.,:=/-]+$ ]] || word="'$word'"
		line+=" $word"
	done
	printf '$%s\n' "$line" >&"$WALK_OUT"
}

# With accounting, for the report at the end. Its accounts are those that the
# policy names.
walk_wraps cluster_start
cluster_start()
{
	local account

	say "quota_share.conf"
	sed 's/^/#   /' "$CL_DIR/etc/quota_share.conf"
	for account in $(grep -o 'Accounts=[^ ]*' \
		"$CL_DIR/etc/quota_share.conf" | cut -d= -f2 | tr ',' ' '); do
		cluster_account "$account"
		cluster_member root "$account"
	done
	WALK_BEGAN=$(date +%FT%T)
	walk_real_cluster_start --dbd "$@"
}

walk_wraps submit
submit()
{
	local id

	walk_command sbatch "$@"
	id=$(walk_real_submit "$@") || return
	printf '# Submitted batch job %s\n' "$id" >&"$WALK_OUT"
	echo "$id"
}

# What changes something, and the tables after each step: the many other looks
# at the state are not shown.
walk_wraps qshare
qshare()
{
	case $* in
	priority* | status) walk_command qshare "$@" ;;
	esac
	walk_real_qshare "$@"
}

walk_wraps squeue
squeue()
{
	[ "$1" != -S ] || walk_command squeue "$@"
	walk_real_squeue "$@"
}

walk_wraps train_finish
train_finish()
{
	say "job $1 is let come to its end"
	walk_real_train_finish "$@"
}

# With --keep the cluster stays up until the shell, or the wait, ends.
WALK_STAYS=1
walk_wraps test_done
test_done()
{
	((CHECKS_FAILED > 0)) || walk_account
	[ -z "${QS_WALK_KEEP:-}" ] || ((CHECKS_FAILED > 0)) || walk_stay
	walk_real_test_done
}

walk_all_ended()
{
	[ -z "$(walk_real_squeue -h)" ] &&
		! cluster_cmd sacct -a -D -X -n -P -S "$WALK_BEGAN" \
			-o State,End | grep -q Unknown
}

# What happened, as accounting has it, and what sharing brought.
walk_account()
{
	say "what accounting says"
	wait_for 15 "accounting to have all ends" walk_all_ended
	walk_command sacct -a -D -X -o JobID,Account,State,Start,End,AllocTRES
	cluster_cmd env SLURM_TIME_FORMAT=%T sacct -a -D -X -S "$WALK_BEGAN" \
		-o "JobID%5,Account%7,State%9,Start%8,End%8,AllocTRES%60" |
		sed 's/^/#   /'
	walk_command qshare report
	walk_real_qshare report -S "$WALK_BEGAN" | sed 's/^/#   /'
	WALK_PAGE=${QS_WALK_LOGS:-$CL_DIR}/report.html
	check "qshare report --format=html" walk_page
	say "the same as a page: $WALK_PAGE"
}

walk_page()
{
	walk_real_qshare report -S "$WALK_BEGAN" --format=html -o "$WALK_PAGE"
}

walk_stay()
{
	export SLURM_CONF=$CL_DIR/etc/slurm.conf PATH=$CL_DIR/bin:$PATH
	say "The cluster stays up. In any shell:"
	printf '$ %s\n' "export SLURM_CONF=$SLURM_CONF PATH=$CL_DIR/bin:\$PATH"
	if { : </dev/tty; } 2>/dev/null; then
		say "Here is one; 'exit' stops the cluster."
		cd "$CL_DIR/jobs" || return
		PS1='quickstart\$ ' bash --norc -i </dev/tty >/dev/tty 2>&1
	else
		say "To stop it: kill $$"
		trap 'WALK_STAYS=0' HUP INT TERM
		while ((WALK_STAYS)); do
			sleep 0.5
		done
	fi
}
