# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What must hold whatever a test did: sum(used) over the shares is what the
# jobs hold (law 17), and the ledger kept by events never differed from what
# a look found.

# By type, "TYPE COUNT" a line: what slurmctld's job records say.
held_by_type()
{
	alloc_list | awk '{ n[$5] += $6 }
		END { for (t in n) if (n[t]) print t, n[t] }' | sort
}

# The same as qshare has it.
used_by_type()
{
	qshare status --json | jq -r '.totals | group_by(.type)[] |
		"\(.[0].type) \(map(.used) | add)"' | grep -v ' 0$' | sort
}

used_is_held()
{
	local used held

	used=$(used_by_type)
	held=$(held_by_type)
	echo "used: $used, held: $held"
	[ "$used" = "$held" ]
}

ledger_is_true()
{
	local drift

	drift=$(status_field .counters.ledger_drift)
	echo "ledger_drift: $drift"
	[ "$drift" = 0 ]
}

# check_ledger [WHEN]
check_ledger()
{
	check_wait 10 "${1:-in the end}: what is used is what jobs hold" \
		used_is_held
	check "${1:-in the end}: the ledger never drifted" ledger_is_true
}
