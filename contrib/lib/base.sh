# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# What contrib/quickstart, contrib/test and contrib/slurm-source share: words,
# folders, and steps with a log, a time and a tail when they fail.
#
# The caller sets CB_NAME before it sources this. Words go to stderr, so that a
# command can print a result on stdout.

CB_LIB=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
CB_TOP=$(cd "$CB_LIB/../.." && pwd)
CB_JOBS=$(nproc 2>/dev/null || echo 2)

# Debian keeps slurmctld and munged here; a user's PATH has it or not.
PATH=$PATH:/usr/sbin:/sbin
export PATH LC_ALL=C.UTF-8

# Nothing of a Slurm that this machine belongs to is looked at: a test sets
# its own SLURM_CONF.
unset "${!SLURM_@}" "${!SBATCH_@}" "${!SALLOC_@}" "${!SQUEUE_@}" \
	"${!SINFO_@}" "${!SCONTROL_@}"

cb_say()
{
	printf '%s\n' "$*" >&2
}

cb_die()
{
	printf '%s: %s\n' "$CB_NAME" "$*" >&2
	exit 1
}

# Downloads and Slurm's source, kept for the next run.
cb_cache()
{
	local dir=${QS_CACHE:-}

	[ -n "$dir" ] ||
		dir=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/slurm-quota-share
	mkdir -p "$dir" || cb_die "cannot make the folder $dir:" \
		"set QS_CACHE to one that can be written"
	(cd "$dir" && pwd)
}

# What is to be done whichever way the script ends, last added first.
CB_EXIT=()
cb_at_exit()
{
	CB_EXIT=("$1" "${CB_EXIT[@]}")
}

cb_exit()
{
	local rc=$? todo

	trap '' HUP INT TERM
	for todo in "${CB_EXIT[@]}"; do
		"$todo" "$rc"
	done
	exit "$rc"
}
trap cb_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# A step in its own session is ended whole when the script is.
CB_STEP_PID=
cb_end_step()
{
	[ -n "$CB_STEP_PID" ] || return 0
	kill -TERM -- "-$CB_STEP_PID" 2>/dev/null
	wait "$CB_STEP_PID" 2>/dev/null
	CB_STEP_PID=
}
cb_at_exit cb_end_step

# Uses cb_step's lines: how many were shown already.
cb_step_show()
{
	local line new=0

	while IFS= read -r line; do
		[ -t 2 ] && printf '\r\033[K' >&2
		cb_say "       $line"
		new=$((new + 1))
	done < <(grep -e "$CB_STEP_SHOW" "$1" | tail -n "+$((lines + 1))")
	lines=$((lines + new))
}

# cb_step WHAT LOG COMMAND [ARG...]
# Runs COMMAND with its output in LOG and says so in one line, with the time
# it took; on a terminal the seconds count up, elsewhere a line comes every 30 of them.
# Lines of LOG that match CB_STEP_SHOW, if that is set, are shown as they come.
# Returns COMMAND's status; CB_STEP_SEC is what it took.
CB_STEP_SHOW=
cb_step()
{
	local what=$1 log=$2 begun=$SECONDS shown=0 lines=0 rc

	shift 2
	# A function can be a step, so no setsid(1): job control makes the
	# process group.
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	CB_STEP_PID=$!
	set +m
	while kill -0 "$CB_STEP_PID" 2>/dev/null; do
		sleep 0.2
		CB_STEP_SEC=$((SECONDS - begun))
		[ -z "$CB_STEP_SHOW" ] || cb_step_show "$log"
		if [ -t 2 ]; then
			printf '\r  ..   %s, %d s' "$what" "$CB_STEP_SEC" >&2
		elif ((CB_STEP_SEC >= shown + 30)); then
			shown=$CB_STEP_SEC
			cb_say "       still: $what, $shown s"
		fi
	done
	wait "$CB_STEP_PID"
	rc=$?
	CB_STEP_PID=
	[ -z "$CB_STEP_SHOW" ] || cb_step_show "$log"
	CB_STEP_SEC=$((SECONDS - begun))
	[ -t 2 ] && printf '\r\033[K' >&2
	if [ "$rc" = 0 ]; then
		cb_say "  ok   $what ($CB_STEP_SEC s)"
	else
		cb_say "  FAIL $what (status $rc, $CB_STEP_SEC s)"
	fi
	return "$rc"
}

# cb_tail LOG [LINES]: the end of a log, for the eye; before it a compiler's
# first errors, which in a parallel build are further up.
cb_tail()
{
	local errors

	errors=$(grep -nE '(: |^)(fatal )?error: |undefined reference' "$1" \
		2>/dev/null | head -n 5)
	[ -z "$errors" ] || {
		cb_say "       the first errors in $1:"
		printf '%s\n' "$errors" | sed 's/^/       | /' >&2
	}
	cb_say "       the last lines of $1:"
	tail -n "${2:-30}" "$1" 2>/dev/null | sed 's/^/       | /' >&2
}

# cb_must HINT WHAT LOG COMMAND [ARG...]: a step without which the rest makes
# no sense. HINT says what to do about a failure.
cb_must()
{
	local hint=$1

	shift
	cb_step "$@" && return
	cb_tail "$2"
	cb_die "$1: failed. $hint"
}
