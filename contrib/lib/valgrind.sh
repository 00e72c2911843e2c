# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# slurmctld under valgrind. Slurm itself has errors and leaks of its own in
# there; what counts is every report with a frame of our code in its stack.

# Sets QS_CTLD_WRAPPER; the reports go to folder $1. Debug information is
# kept for plugins that are unloaded before the leaks are listed.
cb_valgrind_wrapper()
{
	QS_CTLD_WRAPPER="valgrind --leak-check=full"
	QS_CTLD_WRAPPER+=" --show-leak-kinds=definite,indirect"
	QS_CTLD_WRAPPER+=" --errors-for-leak-kinds=definite,indirect"
	QS_CTLD_WRAPPER+=" --keep-debuginfo=yes --num-callers=40"
	QS_CTLD_WRAPPER+=" --fullpath-after=$CB_TOP/"
	QS_CTLD_WRAPPER+=" --log-file=$1/vg.%p"
	if [ -f "$CB_TOP/tests/cluster/valgrind.supp" ]; then
		QS_CTLD_WRAPPER+=" --suppressions="
		QS_CTLD_WRAPPER+=$CB_TOP/tests/cluster/valgrind.supp
	fi
	export QS_CTLD_WRAPPER
}

# Prints the reports that have our code in their stack, and returns 1 if there
# are any; 2 if there is no report that was written to its end: then leaks were
# not looked for.
cb_valgrind_ours()
{
	local files=("$1"/vg.*)

	grep -qs 'ERROR SUMMARY' "${files[@]}" || return 2
	awk '
	function flush() {
		if (ours)
			printf "%s\n", block
		found += ours
		block = ""
		ours = 0
	}
	FNR == 1 { flush() }
	{ line = $0; sub(/^==[0-9]+== ?/, "", line) }
	line == "" { flush(); next }
	{
		block = block line "\n"
		if (line ~ /(at|by) 0x/ &&
		    line ~ /quota_share|libqsruntime|[ (]qs_|plugins\/(runtime|host|compat|burst_buffer|preempt|site_factor|job_submit)\/|src\/(engine|conf)\//)
			ours = 1
	}
	END { flush(); exit found > 0 }' "${files[@]}"
}
