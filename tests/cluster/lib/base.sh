# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# Talking, time and waiting. Sourced by lib.sh; knows nothing of Slurm.
#
# Every wait is a poll with a deadline. QS_SLOW=N stretches all deadlines N
# times (valgrind, a busy machine); it never makes a passing test wait longer.

QS_SLOW=${QS_SLOW:-1}

say()
{
	printf '# %s\n' "$*"
}

# Milliseconds since the epoch, without a child process, in $MS.
clock()
{
	local t=${EPOCHREALTIME/[.,]/}

	MS=${t%???}
}

# wait_for SECONDS DESCRIPTION COMMAND [ARG...]
# Repeats COMMAND every tenth of a second until it succeeds: 0 then, and 1
# with a line of complaint once SECONDS are over. COMMAND is quiet or not, as
# it likes: what it prints is thrown away.
wait_for()
{
	local limit=$1 what=$2 begun

	shift 2
	clock
	begun=$MS
	until "$@" >/dev/null 2>&1; do
		clock
		if ((MS - begun > limit * QS_SLOW * 1000)); then
			say "waited $((limit * QS_SLOW)) s in vain for: $what"
			return 1
		fi
		sleep 0.1
	done
	clock
	WAITED_MS=$((MS - begun))
}

# lasts SECONDS DESCRIPTION COMMAND [ARG...]
# The opposite: COMMAND must succeed at every look during SECONDS.
lasts()
{
	local limit=$1 what=$2 begun

	shift 2
	clock
	begun=$MS
	while ((MS - begun < limit * 1000)); do
		if ! "$@" >/dev/null 2>&1; then
			clock
			say "ended after $((MS - begun)) ms: $what"
			return 1
		fi
		sleep 0.1
		clock
	done
}

not()
{
	! "$@"
}

# What a command prints equals, or matches, a text: for wait_for and check.
prints()
{
	local want=$1

	shift
	[ "$("$@" 2>/dev/null)" = "$want" ]
}

prints_match()
{
	local pattern=$1

	shift
	[[ "$("$@" 2>&1)" =~ $pattern ]]
}

# A child that has ended but was not waited for still has a pid: look at its
# state, too.
pid_alive()
{
	local stat

	[ -n "$1" ] && read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
	stat=${stat##*) }
	[ "${stat%% *}" != Z ]
}
