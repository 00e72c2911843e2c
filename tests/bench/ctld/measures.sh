# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# What is measured on one cluster (rig.sh) of one side. Each function leaves
# lines in the results; how much is done BENCH_SUBMITS, BENCH_WAITING and
# BENCH_OWNERS say. CPU times are those of the slurmctld process, so that other
# work on the machine shows little in them.

# A third of the pool in jobs of 8 GPUs, one in jobs of 4, the rest in jobs of 1.
fill_mixed()
{
	local total=$((BENCH_NODES * PER_NODE)) eights fours before

	eights=$((total / 3 / 8))
	fours=$((total / 3 / 4))
	before=$(cluster_trace launch | wc -l)
	fill_with 8 "$eights"
	fill_with 4 "$fours"
	fill_with 1 $((total - 8 * eights - 4 * fours))
	wait_for 900 "the pool to be full" rig_launched $((before + eights +
		fours + total - 8 * eights - 4 * fours)) ||
		bail "the pool was not filled"
}

# wait_in_line COUNT: so many separate jobs that want what is lent out.
wait_in_line()
{
	[ "$1" -gt 0 ] || return 0
	rig_submit <<<"$(borrower "$BENCH_SHARES") gres=gpu:a100:8 sleep=60 count=$1 \
id=wait:8" >/dev/null
}

# wait_for_room COUNT: so many separate jobs that no share is charged for, and
# that no node has the CPUs for.
wait_for_room()
{
	rig_submit <<<"$(borrower "$BENCH_SHARES") cpus=64 sleep=60 count=$1 \
id=room:0" >/dev/null
}

# wait_held COUNT: so many separate jobs that their user holds.
wait_held()
{
	rig_submit <<<"$(borrower "$BENCH_SHARES") gres=gpu:a100:8 sleep=60 count=$1 \
id=held:8 hold=1" >/dev/null
}

# Those that wait are cancelled.
nobody_waits()
{
	CL_CALL_SEC=300 cluster_cmd scancel -u root -t PENDING
	wait_for 120 "nobody to wait" prints 0 waiting ||
		bail "jobs still wait"
}

waiting()
{
	squeue -h -t PD -o %A | wc -l
}

# measure_submit [SUFFIX]: CPU for each more job that has to wait.
measure_submit()
{
	local queue cpu begun

	queue=$(waiting)
	rig_cpu
	cpu=$CPU
	clock
	begun=$MS
	rig_submit <<<"$(borrower "$BENCH_SHARES") gres=gpu:a100:8 sleep=60 \
count=$BENCH_SUBMITS id=more:8" >/dev/null
	clock
	rig_cpu
	result "submit_cpu${1:-}" \
		"$(awk -v ms=$((CPU - cpu)) -v n="$BENCH_SUBMITS" \
			'BEGIN { printf "%.2f", ms / n }')" "ms a job" "$queue"
	result "submit_rate${1:-}" "$(awk -v ms=$((MS - begun)) -v n="$BENCH_SUBMITS" \
		'BEGIN { printf "%.1f", 1000 * n / ms }')" "a second" "$queue"
}

# measure_behind: the same, but another waits that has a higher priority, as on
# most sites there is one. Slurm then looks for nodes that the new job could ever
# have, not for such that are free.
measure_behind()
{
	local first

	first=$(rig_submit <<<"$(borrower "$BENCH_SHARES") gres=gpu:a100:8 \
id=first:8" | awk '{ print $1 }')
	cluster_cmd scontrol update "JobId=$first" Priority=1000000 ||
		bail "the first keeps its priority"
	measure_submit _behind
	scancel "$first"
}

# sdiag_number SECTION-REGEX NAME: a number of sdiag's, from the line of this
# name that follows the section's; 0 where there was no cycle yet.
sdiag_number()
{
	cluster_cmd sdiag | awk -v section="$1" -v name="$2" '
		$0 ~ section { here = 1 }
		here && index($0, name ":") {
			sub(/.*: */, "")
			value = $1 + 0
			exit
		}
		END { print value + 0 }'
}

cycles_reached()
{
	[ "$(sdiag_number "Main schedule" "Total cycles")" -ge "$1" ]
}

# measure_still [SUFFIX]: nothing happens; what the queue costs by being there.
measure_still()
{
	local queue cpu begun

	queue=$(waiting)
	# Whatever came before has to settle.
	sleep 3
	cluster_cmd sdiag -r >/dev/null
	rig_cpu
	cpu=$CPU
	clock
	begun=$MS
	wait_for $((BENCH_CYCLES * 8)) "main cycles" cycles_reached \
		"$BENCH_CYCLES" || return 0
	rig_cpu
	clock
	result "main_cycle${1:-}" "$(sdiag_number "Main schedule" "Mean cycle")" us \
		"$queue"
	result "still_cpu${1:-}" "$(awk -v cpu=$((CPU - cpu)) -v ms=$((MS - begun)) \
		'BEGIN { printf "%.1f", 1000 * cpu / ms }')" "ms a second" \
		"$queue"
}

# measure_backfill: with backfill on for a while, how many jobs it tries, and how
# long it holds the locks for it. Where all that wait are held back by us there
# is no cycle at all.
measure_backfill()
{
	local queue cycles

	queue=$(waiting)
	rig_backfill on
	cluster_cmd sdiag -r >/dev/null
	sleep "$BENCH_WINDOW"
	cycles=$(sdiag_number "Backfilling stats" "Total cycles")
	result backfill_tried "$((cycles * $(sdiag_number "Backfilling stats" \
		"Depth Mean (try depth)")))" "jobs in ${BENCH_WINDOW}s" "$queue"
	result backfill_time "$((cycles * $(sdiag_number "Backfilling stats" \
		"Mean cycle")))" "us in ${BENCH_WINDOW}s" "$queue"
	rig_backfill off
}

# measure_memory BEFORE-KIB COUNT: for each job that waits.
measure_memory()
{
	result memory "$(awk -v kib=$(($(rig_rss) - $1)) -v n="$2" \
		'BEGIN { printf "%.2f", kib / n }')" "KiB a job" "$2"
}

owners_launched()
{
	local phase=$1 count=$2

	[ "$(owners_came "$phase" | grep -c ^latency)" -ge "$count" ]
}

owners_came()
{
	awk -v phase="$1" -f "$BENCH_DIR/owners.awk" \
		"$CL_DIR/jobs-submitted" "$CL_DIR/log/trace"
}

# measure_owners NAME COUNT SIZES PAUSE-MS SECONDS LESS: owners come, one after
# the other or, without a pause, at once; from submission to start, less LESS
# seconds. One phase a name and cluster.
measure_owners()
{
	local name=$1 count=$2 sizes pause=$4 queue i jobs gpus owed

	read -r -a sizes <<<"$3"
	rig_settle
	queue=$(waiting)
	for ((i = 0; i < count; i++)); do
		echo "$(owner $((i % (BENCH_SHARES - 2) + 1)))" \
			"gres=gpu:a100:${sizes[i % ${#sizes[@]}]} sleep=86400" \
			"id=$name:${sizes[i % ${#sizes[@]}]}" \
			"pause=$((pause ? pause + RANDOM % 1000 : 0))"
	done >"$CL_DIR/owners-lines"
	# From a file: those who come at once must not wait for this loop.
	rig_submit <"$CL_DIR/owners-lines" >/dev/null
	wait_for "$5" "$count owners of $name" owners_launched "$name" \
		"$count"
	# Whoever is stopped for nothing is told to go a little later.
	sleep 3
	owners_came "$name" >"$CL_DIR/owners"
	awk '$1 == "latency" { print $2 }' "$CL_DIR/owners" | sort -n \
		>"$CL_DIR/latencies"
	result "${name}_started" "$(wc -l <"$CL_DIR/latencies")" "of $count" \
		"$queue"
	result "${name}_p50" "$(quantile .5 "$6")" s "$queue"
	result "${name}_p99" "$(quantile .99 "$6")" s "$queue"
	read -r _ jobs gpus owed < <(grep ^stopped "$CL_DIR/owners")
	result "${name}_stopped_jobs" "$(awk -v a="$jobs" -v b="$count" \
		'BEGIN { printf "%.3f", a / b }')" "an owner" "$queue"
	result "${name}_stopped_gpus" "$(awk -v a="$gpus" -v b="$owed" \
		'BEGIN { printf "%.3f", a / b }')" "a GPU owed" "$queue"
	read -r _ gpus < <(grep ^r10 "$CL_DIR/owners")
	result "${name}_r10_gpus" "$(awk -v a="$gpus" -v b="$owed" \
		'BEGIN { printf "%.3f", a / b }')" "a GPU owed" "$queue"
}

# quantile P LESS, of the sorted latencies
quantile()
{
	awk -v p="$1" -v less="$2" '{ v[NR] = $1 }
		END {
			i = int(p * NR)
			if (i < p * NR)
				i++
			printf "%.3f", NR ? v[i] - less : -1
		}' "$CL_DIR/latencies"
}
