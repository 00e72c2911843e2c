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

# The laws that hold at every instant, watched from outside while a test goes
# on: what slurmctld's job records say against what qshare says, look after
# look. The looks are kept; they are judged at the end.
#
#	laws_watch [ACCOUNT TYPE LENT]   LENT: what accounts other than ACCOUNT
#	                                 (a RESERVE share's) may hold of TYPE
#	...
#	check_laws [WHEN]                ends the watch

# Which slurmctld it is that answers: their pids, a backup's too.
laws_who()
{
	cat "$CL_DIR"/pid/{slurmctld*,backup} 2>/dev/null | tr '\n' ,
}

# A look, in this order: what qshare says (S, U lines), how often a job was
# preempted (P), what jobs hold (A), which nodes take no job (N). Fails while slurmctld is away, and where
# one slurmctld answered first and another then.
laws_look()
{
	local status jobs records who nodes=

	sleep "${LAWS_PAUSE:-0.1}"
	who=$(laws_who)
	status=$(qshare status --json 2>/dev/null) &&
		jobs=$(qshare jobs --json 2>/dev/null) &&
		records=$(scontrol -o -d show job 2>/dev/null) &&
		{ [ -z "$LAWS_MORE" ] ||
			nodes=$(sinfo -h -N -o '%N %T' 2>/dev/null); } &&
		[ -n "$who" ] && [ "$who" = "$(laws_who)" ] || return 1
	jq -r --arg who "$who" '"S \(.counters.rounds) \(.counters.ledger_drift) \(
			$who) \(.policy.loaded)",
		(.totals | group_by(.type)[] |
			"U \(.[0].type) \(map(.used) | add) \(
				map(.borrowed + .over_limit) | add) \(
				map(.lent) | add)")' \
		<<<"$status" &&
		jq -r '.[] | "P \(.job) \(.preempted) \(.state)"' \
			<<<"$jobs" || return 1
	alloc_parse <<<"$records" | sed 's/^/A /'
	awk 'NF && $2 !~ /^(idle|mixed|allocated|completing)$/ {
		print "N", $1 }' <<<"$nodes"
}

laws_watch()
{
	LAWS_RESERVED="$*"
	LAWS_MORE=${LAWS_LOANS:-}
	sample_start laws laws_look
}

# laws_judge ACCOUNT TYPE LENT <SAMPLES: a line for each time that a law was
# broken, and last "# LOOKS COMPARED".
#
# Law 17: what qshare shows is from a look that is up to a second old. So it
# is compared where the records did not change from one look of ours to a later
# one of the same slurmctld while at least two whole rounds of the planner went
# by.
# Law 16: the GPUs of a RESERVE share, by the job records alone.
# Law 13: a count of preemptions rises by one at a time; it falls only if a
# victim is spared in the instant of its stop, by one, and then it still runs.
# Loans: as much is borrowed as is lent. With LAWS_LOANS, more: after a change
# of the policy as much more as there was then, or less (R8a); and what is on
# loan on nodes that take no job, which does not count as owed.
laws_judge()
{
	awk -v account="${1:-}" -v type="${2:-}" -v lent="${3:-0}" \
		-v more="${LAWS_MORE:-}" '
	function flush(	t, others, i, key)
	{
		if (!whole)
			return
		looks++
		others = 0
		held = ""
		delete sum
		delete stuck
		for (i = 1; i <= n; i++) {
			split(line[i], f, " ")
			sum[f[6]] += f[7]
			if (f[5] in away)
				stuck[f[6]] += f[7]
			held = held line[i] ";"
			if (account != "" && f[3] != account && f[6] == type)
				others += f[7]
		}
		if (account != "" && others > lent)
			print at, "law 16: others than", account, "hold",
				others, type, "of", lent, "lent"
		if (who != before || held != steady || rounds < from) {
			before = who
			steady = held
			from = -1
		} else if (from < 0) {
			from = rounds
		} else if (rounds >= from + 2) {
			compared++
			for (t in used)
				if (used[t] != sum[t] + 0)
					print at, "law 17: used", t, used[t],
						"but jobs hold", sum[t] + 0
			for (t in sum)
				if (!(t in used))
					print at, "law 17:", t, "is not shown"
		}
		for (t in used)
			judge_loans(t, borrowed[t] - on_loan[t])
		if (drift > 0)
			print at, "ledger_drift", drift
	}
	# over: more on loan than lent; base: the least since the last change.
	function judge_loans(t, over,	was, bound)
	{
		was = last_stuck[t]
		last_stuck[t] = stuck[t] + 0
		if (policy != last_policy[t]) {
			last_policy[t] = policy
			base[t] = last_over[t] = over
			if (more && over >= 0)
				return
		}
		was = was > stuck[t] ? was : stuck[t]
		bound = base[t] + was
		bound = bound > last_over[t] ? bound : last_over[t]
		if (over < 0 || over > (more ? bound : 0))
			print at, "borrowed", borrowed[t], "of", t,
				"but lent", on_loan[t] (more ? ", which may be " \
				bound " less, " was " on nodes away" : "")
		last_over[t] = over
		base[t] = over < base[t] ? over : base[t]
	}
	/^@/ {
		flush()
		at = $2
		whole = 0
		n = 0
		delete used
		delete away
		next
	}
	/^!/ { whole = 0; steady = "away"; from = -1; next }
	/^S / {
		whole = 1
		rounds = $2
		drift = $3
		who = $4
		policy = $4 " " $5
	}
	/^N / { away[$2] = 1 }
	/^U / { used[$2] = $3; borrowed[$2] = $4; on_loan[$2] = $5 }
	/^A / { line[++n] = $0 }
	/^P / {
		if (($2 in count) && ($3 > count[$2] + 1 ||
			$3 < count[$2] - ($4 == "RUNNING")))
			print at, "law 13: JobId=" $2, "was preempted",
				count[$2], "times, now", $3
		count[$2] = $3
	}
	END { flush(); print "#", looks + 0, compared + 0 }'
}

laws_looks()
{
	grep -c '^@' "$(sample_file laws)"
}

# laws_looked N: so many looks were made.
laws_looked()
{
	[ "$(laws_looks)" -ge "$1" ]
}

# Some looks more while nothing changes: on a slow machine there may have been
# none to compare with.
check_laws()
{
	local out looks compared broken

	wait_for 30 "some looks" laws_looked $(($(laws_looks) + 4))
	sample_stop laws
	# shellcheck disable=SC2086 # three words
	out=$(laws_judge $LAWS_RESERVED <"$(sample_file laws)")
	read -r _ looks compared <<<"${out##*$'\n'}"
	broken=$(grep -v '^#' <<<"$out" | head -n 20)
	check_eq "${1:-at $looks looks}: laws 13, 16 and 17 held" "$broken" ""
	check "${1:-at $looks looks}: law 17 could be judged ($compared times)" \
		test "$compared" -gt 0
}
