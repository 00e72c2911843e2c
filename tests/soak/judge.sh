# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# What the soak asks for in the end. Jobs are known by their names (j1, j2, …):
# a job id that slurmctld gave out and forgot in a kill -9 comes again.

# jobs_fates: "STATE HOW-MANY" a line for what became of the submitted jobs by
# Slurm's job completion log, "bad NAME STATE" for each that should not be so.
# May not be run again: requeue=0, and share b3, which has three retries. What
# ended in the seconds before a kill -9 slurmctld finds running again, but not on
# its node: a run that was completed before is not lost.
jobs_fates()
{
	awk '
	function value(key)
	{
		return match($0, " " key "=[^ ]*") ? \
			substr($0, RSTART + length(key) + 2,
				RLENGTH - length(key) - 2) : ""
	}
	FILENAME ~ /jobcomp$/ {
		state = value("JobState")
		name = value("Name")
		if (state != "NODE_FAIL" || fate[name] != "COMPLETED")
			fate[name] = state
		next
	}
	FILENAME ~ /cancelled$/ { cancelled[$1] = 1; next }
	FILENAME ~ /history$/ {
		if ($2 == "job" && (/ requeue=0/ || / account=b3 /))
			ends[value("id")] = 1
		next
	}
	$1 == "ERROR" { n["refused"]++; next }
	{
		name = $4
		state = name in fate ? fate[name] : "LOST"
		n[state]++
		if (!(state == "COMPLETED" ||
		      (state == "CANCELLED" && name in cancelled) ||
		      (state == "PREEMPTED" && name in ends)))
			print "bad", name, state
	}
	END {
		for (state in n)
			print state, n[state]
	}' "$CL_DIR/log/jobcomp" "$CL_DIR/cancelled" "$CL_DIR/history" \
		"$CL_DIR/submitted"
}

judge_jobs()
{
	local fates submitted

	fates=$(jobs_fates)
	say "what became of them: $(grep -v ^bad <<<"$fates" | sort | xargs)"
	check_eq "jobs lost, or ended as none should" \
		"$(grep ^bad <<<"$fates" | head -n 20)" ""
	submitted=$(grep -cv ERROR "$CL_DIR/submitted")
	check "$submitted jobs were submitted" \
		test "$submitted" -ge $((seconds * 2))
}

events_of()
{
	cat "$CL_DIR"/state/quota_share.events.jsonl.[0-9] \
		"$CL_DIR/state/quota_share.events.jsonl" 2>/dev/null |
		jq -c "select(.event == \"$1\")"
}

# Nobody is stopped who holds only what is its share's (law 2), and nobody
# twice for the same job (law 7).
judge_preemptions()
{
	local log=$CL_DIR/preemptions

	events_of preemption_completed >"$log"
	say "$(jq -s '"\(length) jobs stopped, \(map(.gpus) | add) GPUs, for \(
		map(.for) | unique | length) jobs"' -r "$log");" \
		"$(events_of spared | wc -l) spared"
	check "at least a job a minute was stopped for another" \
		test "$(wc -l <"$log")" -ge $((seconds / 60))
	check_eq "stopped for another share, and held nothing beyond its own" \
		"$(jq -c 'select(.how == "RECLAIM" and
			.beyond <= 0)' "$log" | head -n 5)" ""
	check_eq "stopped twice for the same job" "$(jq -s -c 'group_by(
		[.job, .for])[] | select(length > 1) | [.[0].job, .[0].for]' \
		"$log" | head -n 5)" ""
}

# The last start of slurmctld and what came then: the middle third of its looks
# against the last one. Finished jobs leave it after MinJobAge, so that what
# remains does not grow with what it has seen. It grows with the jobs that it
# knows, and malloc keeps that: some 12 KiB a job in the soaks so far, 16 are
# allowed for what more there were in the last third than ever before it.
judge_memory()
{
	local looks middle last more

	awk '/^@/ { at = $2 } NF == 3 && $1 > 0 { print at, $1, $2, $3 }' \
		"$(sample_file memory)" >"$CL_DIR/memory"
	awk '{ if ($3 != pid) { if (pid) print_one(); first = $1; pid = $3
			low = $2; high = 0 }
		end = $1; rss = $2; if ($2 > high) high = $2 }
		function print_one() {
			printf "# slurmctld %d: %d s, RSS %d to %d KiB, at most %d\n",
				pid, (end - first) / 1000, low, rss, high }
		END { print_one() }' "$CL_DIR/memory"
	read -r looks middle last more < <(awk '
		$3 != pid { n = 0; pid = $3 }
		{ jobs[n] = $4; rss[n++] = $2 }
		END {
			third = int(n / 3)
			print n, median(third, 2 * third), median(2 * third, n),
				most(2 * third, n) - most(0, 2 * third)
		}
		function most(a, b,	i, x)
		{
			for (i = a; i < b; i++)
				if (jobs[i] > x)
					x = jobs[i]
			return x + 0
		}
		function median(a, b,	i, j, x, v)
		{
			for (i = a; i < b; i++)
				v[i] = rss[i]
			for (i = a; i < b; i++)
				for (j = i + 1; j < b; j++)
					if (v[j] < v[i]) {
						x = v[i]; v[i] = v[j]; v[j] = x
					}
			return v[a + int((b - a) / 2)]
		}' "$CL_DIR/memory")
	say "RSS since the last start: $middle KiB in the middle third," \
		"$last KiB in the last, of $looks looks; $more more jobs in it"
	((more > 0)) || more=0
	check "looked at memory often enough" test "$looks" -ge 15
	check "slurmctld's memory is flat" \
		test "$last" -le $((middle + middle / 20 + 1024 + more * 16))
}

judge_size()
{
	local file

	for file in "$CL_DIR"/state/quota_share.*; do
		say "${file##*/}: $(stat -c %s "$file") bytes"
	done
	check_eq "errors of ours in slurmctld's log" \
		"$(ctld_log 'error: quota_share' | head -n 10)" ""
	check "our state is bounded" \
		test "$(stat -c %s "$CL_DIR/state/quota_share.state")" -lt 131072
}
