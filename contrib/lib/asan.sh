# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# slurmctld with plugins that were built with sanitizers. Their run-time
# libraries must be in the process from its start, so they are preloaded.
# Leaks are valgrind's part: slurmctld has many of its own when it ends.

# Sets QS_CTLD_WRAPPER and ASAN_OPTIONS; reports go to folder $1.
cb_asan_wrapper()
{
	local asan ubsan

	asan=$(gcc -print-file-name=libasan.so)
	ubsan=$(gcc -print-file-name=libubsan.so)
	export ASAN_OPTIONS=detect_leaks=0:log_path=$1/asan
	export UBSAN_OPTIONS=print_stacktrace=1:log_path=$1/ubsan
	export QS_CTLD_WRAPPER="env LD_PRELOAD=$asan:$ubsan"
}

# Shows the reports of folder $1; 0 if there is none.
cb_asan_reports()
{
	local files

	files=$(find "$1" -type f -size +0)
	if [ -z "$files" ]; then
		cb_say "  ok   no report of a sanitizer"
		return 0
	fi
	cb_say "  FAIL reports of sanitizers: $1"
	while read -r file; do
		head -n 30 "$file" >&2
	done <<<"$files"
	return 1
}
