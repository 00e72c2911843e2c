# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Counts what test programs said of themselves. Every number of the total
# line comes from here: a check is counted because a log has it, and a program
# that failed without a failed check in its log counts as one failure.

CB_PASSED=0
CB_FAILED=0
CB_SKIPPED=0

# cb_count PASSED FAILED SKIPPED
cb_count()
{
	CB_PASSED=$((CB_PASSED + $1))
	CB_FAILED=$((CB_FAILED + $2))
	CB_SKIPPED=$((CB_SKIPPED + $3))
}

# Prints "PASSED FAILED SKIPPED" for one log and the program's result (PASS,
# FAIL, SKIP, ERROR: automake's words). Knows Check's line, TAP, and the plain
# "N passed, N failed, N skipped"; a log with none of them is one test.
cb_count_log()
{
	awk -v result="$2" '
	/^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/ {
		split($0, n, /[^0-9]+/)
		bad += n[3] + n[4]
		good += n[2] - n[3] - n[4]
		next
	}
	/^ok [0-9]+ .*# SKIP/ { skip++; next }
	/^ok [0-9]+/ { good++; next }
	/^not ok [0-9]+/ { bad++; next }
	/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ {
		good += $1; bad += $3; skip += $5
	}
	END {
		if (result == "SKIP") {
			if (!good && !bad)
				skip = skip ? skip : 1
		} else if (result == "PASS") {
			if (!good && !bad && !skip)
				good = 1
		} else if (!bad) {
			bad = 1
		}
		print good + 0, bad + 0, skip + 0
	}' "$1"
}

# All of automake's results below DIR; prints the sum.
cb_count_automake()
{
	local trs good bad skip sum_good=0 sum_bad=0 sum_skip=0 result

	while read -r trs; do
		result=$(sed -n 's/^:global-test-result: //p' "$trs")
		read -r good bad skip < <(cb_count_log "${trs%.trs}.log" \
			"${result:-ERROR}")
		sum_good=$((sum_good + good))
		sum_bad=$((sum_bad + bad))
		sum_skip=$((sum_skip + skip))
	done < <(find "$1" -name '*.trs' | sort)
	echo "$sum_good $sum_bad $sum_skip"
}

# The log of tests/cluster/run: a section a test, "--- NAME" to "=== NAME:".
# Prints the sum of their checks.
cb_count_cluster()
{
	awk '
	/^--- / { bad = 0; next }
	/^not ok [0-9]+/ { bad++; sum_bad++; next }
	/^ok [0-9]+/ { sum_good++; next }
	/^=== .*: FAILED/ { if (!bad) sum_bad++; next }
	/^=== .*: skipped/ { sum_skip++; next }
	END { print sum_good + 0, sum_bad + 0, sum_skip + 0 }' "$1"
}
