# SPDX-License-Identifier: GPL-2.0-or-later
#
# What came of owners' submissions, from simsubmit's lines and the trace of
# simslurmd: awk -v phase=NAME -f owners.awk SUBMITTED TRACE
#
# Ids of jobs in SUBMITTED are "fill:GPUS" and "PHASE:GPUS". Prints for each
# owner's job "latency SECONDS", and last "stopped JOBS GPUS OWED", OWED being
# what the owners asked for. A job counts as stopped once, when it is told to
# go, after the first of these owners came.
#
# "r10 GPUS" is what R10 stops for the same owners, all GPUs being on loan and
# places no matter: step 3 takes the one job that covers what is still needed and
# is least above it, else the largest, even where small ones would come out
# exactly. What an owner leaves the next one uses.

FNR == NR {
	split($4, word, ":")
	if (word[1] == phase) {
		came[$1] = $2
		owed += word[2]
		asks[++asked] = word[2]
		if (!first || $2 < first)
			first = $2
	} else {
		gpus[$1] = word[2]
		if (word[1] == "fill")
			sizes[word[2]]++
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

# The size of R10's next victim for so many GPUs; 0: there is none.
function victim(need,	size, best)
{
	best = 0
	for (size in sizes) {
		size += 0
		if (sizes[size] <= 0)
			continue
		if (!best || (best < need ? size > best : \
		    size >= need && size < best))
			best = size
	}
	return best
}

function by_r10(	i, size, left, sum)
{
	for (i = 1; i <= asked; i++) {
		while (left < asks[i] && (size = victim(asks[i] - left))) {
			sizes[size]--
			left += size
			sum += size
		}
		left -= asks[i]
	}
	return sum + 0
}

END {
	printf "r10 %d\n", by_r10()
	printf "stopped %d %d %d\n", jobs, stopped, owed
}
