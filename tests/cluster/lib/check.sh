# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Checks of a test: one TAP-like line each, a count, and an exit status.
#
# A test ends with test_done. A script that ends any other way has failed,
# whatever it printed before: test_status, called by the cluster's exit trap,
# sees to that. Exit status 77 means skipped.

CHECKS=0
CHECKS_FAILED=0
TEST_STATE=open

ok()
{
	CHECKS=$((CHECKS + 1))
	printf 'ok %d - %s\n' "$CHECKS" "$1"
}

# not_ok DESCRIPTION [DETAIL...]
not_ok()
{
	CHECKS=$((CHECKS + 1))
	CHECKS_FAILED=$((CHECKS_FAILED + 1))
	printf 'not ok %d - %s\n' "$CHECKS" "$1"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/#   /'
	return 1
}

# check DESCRIPTION COMMAND [ARG...]
check()
{
	local what=$1 out

	shift
	if out=$("$@" 2>&1); then
		ok "$what"
	else
		not_ok "$what" "failed: $*" "${out:-(it printed nothing)}"
	fi
}

# check_eq DESCRIPTION GOT WANT
check_eq()
{
	if [ "$2" = "$3" ]; then
		ok "$1 ($3)"
	else
		not_ok "$1" "got:  $2" "want: $3"
	fi
}

# check_match DESCRIPTION TEXT EXTENDED-REGEX
check_match()
{
	if [[ "$2" =~ $3 ]]; then
		ok "$1"
	else
		not_ok "$1" "no match for: $3" "$2"
	fi
}

# check_wait SECONDS DESCRIPTION COMMAND [ARG...]
check_wait()
{
	local complaint

	if wait_for "$@" >/dev/null; then
		ok "$2 (after $((WAITED_MS / 1000)).$((WAITED_MS % 1000 / 100)) s)"
	else
		complaint=$("${@:3}" 2>&1)
		not_ok "$2" "not so within $(($1 * QS_SLOW)) s: ${*:3}" \
			"${complaint:-(it printed nothing)}"
	fi
}

# check_lasts SECONDS DESCRIPTION COMMAND [ARG...]
check_lasts()
{
	local complaint

	if complaint=$(lasts "$@"); then
		ok "$2 (watched for $1 s)"
	else
		not_ok "$2" "${complaint#\# }" "${@:3}"
	fi
}

# What follows makes no sense any more.
bail()
{
	not_ok "$*"
	exit 1
}

skip_all()
{
	TEST_STATE=skipped
	printf '1..0 # SKIP %s\n' "$*"
	exit 77
}

# need_tools NAME...: skip when one is missing.
need_tools()
{
	local tool

	for tool; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null ||
			skip_all "$tool is not installed"
	done
}

test_done()
{
	printf '1..%d\n' "$CHECKS"
	TEST_STATE="done"
	((CHECKS > 0 && CHECKS_FAILED == 0))
	exit
}

# Judges how a test ended; $1 is the status it ended with.
test_status()
{
	case $TEST_STATE in
	done | skipped) return "$1" ;;
	esac
	[ "$1" -ne 0 ] && return "$1"
	return 1
}
