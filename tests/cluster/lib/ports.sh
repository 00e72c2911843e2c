# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A block of TCP ports of our own, below the range that the kernel hands out
# to clients (32768 and up). A block belongs to whoever holds the lock on its
# file; the lock ends with the process that took it, so nothing goes stale.
# Daemons are started without the lock's descriptor (see daemons.sh).

PORT_BLOCK=64
PORT_FIRST=20032
PORT_BLOCKS=192
PORT_LOCKS=/tmp/.qs-cluster-ports

port_block_busy()
{
	ss -Htln 2>/dev/null | awk -v a="$1" -v n="$PORT_BLOCK" '
		{ sub(/.*:/, "", $4) }
		$4 + 0 >= a && $4 + 0 < a + n { busy = 1 }
		END { exit !busy }'
}

# Sets CL_PORT, the first of PORT_BLOCK ports, and CL_PORT_FD.
port_block_take()
{
	local i block first

	mkdir -p "$PORT_LOCKS"
	first=$(((BASHPID * 7 + RANDOM) % PORT_BLOCKS))
	for ((i = 0; i < PORT_BLOCKS; i++)); do
		block=$(((first + i) % PORT_BLOCKS))
		CL_PORT=$((PORT_FIRST + block * PORT_BLOCK))
		exec {CL_PORT_FD}>"$PORT_LOCKS/$CL_PORT"
		if flock -n "$CL_PORT_FD" && ! port_block_busy "$CL_PORT"; then
			return 0
		fi
		exec {CL_PORT_FD}>&-
	done
	CL_PORT_FD=
	say "no free block of ports from $PORT_FIRST on"
	return 1
}

port_block_give()
{
	[ -n "${CL_PORT_FD:-}" ] && exec {CL_PORT_FD}>&-
	CL_PORT_FD=
	return 0
}
