# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Lists of nodes as Slurm writes them, "a[1-3,7],b", without asking slurmctld.

# For awk: hostlist(LIST, NAMES) fills the array NAMES from 1 on, and returns how
# many there are.
HOSTLIST_AWK='
function hostlist(list, out,	item, base, r, e, n, m, i, k, count)
{
	count = 0
	while (match(list, /^[^,\[]+(\[[^\]]*\])?,?/)) {
		item = substr(list, 1, RLENGTH)
		list = substr(list, RLENGTH + 1)
		sub(/,$/, "", item)
		if (!match(item, /\[.*\]/)) {
			out[++count] = item
			continue
		}
		base = substr(item, 1, RSTART - 1)
		n = split(substr(item, RSTART + 1, RLENGTH - 2), r, ",")
		for (i = 1; i <= n; i++) {
			m = split(r[i], e, "-")
			for (k = e[1]; k <= e[m] + 0; k++)
				out[++count] = base k
		}
	}
	return count
}'

# hostlist_expand LIST: a name a line
hostlist_expand()
{
	awk -v list="$1" "$HOSTLIST_AWK"'
		BEGIN {
			n = hostlist(list, names)
			for (i = 1; i <= n; i++)
				print names[i]
		}'
}
