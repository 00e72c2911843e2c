# SPDX-License-Identifier: GPL-2.0-or-later
#
# What came of owners' submissions, from simsubmit's lines and the trace of
# simslurmd: awk -v phase=NAME -f owners.awk SUBMITTED TRACE
#
# Ids of jobs in SUBMITTED are "fill:GPUS" and "PHASE:GPUS". Prints for each
# owner's job "latency SECONDS", and last "stopped JOBS GPUS OWED", OWED being
# what the owners asked for. A job counts as stopped once, when it is told to
# go, after the first of these owners came.

FNR == NR {
	split($4, word, ":")
	if (word[1] == phase) {
		came[$1] = $2
		owed += word[2]
		if (!first || $2 < first)
			first = $2
	} else {
		gpus[$1] = word[2]
	}
	next
}

$2 == "launch" && ($3 in came) && !($3 in started) {
	started[$3] = 1
	printf "latency %.3f\n", $1 - came[$3]
}

($2 == "signal" || $2 == "preempt" || $2 == "terminate") && $1 >= first &&
    ($3 in gpus) && !($3 in told) {
	told[$3] = 1
	jobs++
	stopped += gpus[$3]
}

END {
	printf "stopped %d %d %d\n", jobs, stopped, owed
}
