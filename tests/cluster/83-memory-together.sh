#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Owners who are to come to one node, each with more than half of its memory:
# each could start alone, but not both. Only the first takes back, the second
# stops nobody before the first has ended (law 1). Both loans were stopped, and
# the second owner's GPUs stood idle for ClaimTimeout. However the memory is
# asked for; with tasks of one array; beside a job that starts at once. Where
# memory suffices both take back at the same time (law 15).

. "${0%/*}/lib.sh"

cluster_init memory
cluster_need_plugins
cluster_nodes "n1" h100:5
cluster_conf <<CONF
SelectTypeParameters=CR_Core_Memory
DefMemPerNode=100
CONF
lend_policy GraceTime=3 h100:4 h100:1
cluster_start || bail "no cluster"

# Two loans of two GPUs; the second goes first.
lend()
{
	local priority id

	cluster_empty || bail "jobs are left"
	own_runs
	LENT=()
	for priority in 2 1; do
		id=$(submit_stubborn -A b --share-priority=$priority \
			--gres=gpu:h100:2)
		job_wait "$id" RUNNING || bail "job $id did not borrow"
		LENT+=("$id")
	done
	REFUSED=$(status_field .counters.claims_refused)
}

own() { submit_sleep -A a --gres=gpu:h100:2 "$@"; }

# told ID...: how often each, in a line
told()
{
	local id

	for id; do
		times_told "$id"
	done | xargs
}

running()
{
	squeue -h -r -A a -t R -o %i | wc -l
}

# The same, once none of them waits.
only_run()
{
	[ -z "$(squeue -h -r -A a -t PD -o %i)" ] && running
}

# one_goes WHAT: of two owners' jobs or tasks that wait
one_goes()
{
	check_wait 20 "$1: a loan is told to go" prints 1 told "${LENT[1]}"
	check_wait 30 "$1: one starts" prints 1 running
	check_lasts 4 "$1: no other loan goes" prints "0 1" told "${LENT[@]}"
	check_eq "$1: one still runs" "$(running)" 1
}

# in_turn WHAT SBATCH-ARGS...
in_turn()
{
	local first second

	lend
	first=$(own "${@:2}")
	second=$(own "${@:2}")
	check_wait 5 "$1: the reason says why" prints_match \
		'memory on n1 is kept for another job' job_reason "$second"
	one_goes "$1"
	check_eq "$1: it is the first" "$(job_state "$first")" RUNNING
	scancel "$first"
	check_wait 60 "$1: then the second runs" job_is "$second" RUNNING
}

in_turn "a node's memory" --mem=38400
in_turn "memory for each CPU" -c 4 --mem-per-cpu=9600
in_turn "memory for each GPU" --mem-per-gpu=19200
check_ledger "in turn"

say "two tasks of an array"
lend
own --array=1-2 --mem=38400 >/dev/null
one_goes "an array"
scancel "$(squeue -h -r -A a -t R -o %i)"
check_wait 60 "an array: then the other task runs" prints 1 only_run

say "one of two starts at once"
lend
scancel -f "${LENT[0]}"
check_wait 20 "two GPUs are idle" prints 3 job_gpus
begin=$(date -d "3 seconds" +%FT%T)
first=$(own --begin="$begin" --mem=38400)
second=$(own --begin="$begin" --mem=38400)
check_wait 20 "one starts" job_is "$first" RUNNING
check_lasts 4 "for the other nobody goes" prints 0 told "${LENT[1]}"
check_eq "it waits" "$(job_state "$second")" PENDING

say "enough for both"
lend
own --mem=25600 >/dev/null
own --mem=25600 >/dev/null
check_wait 30 "both start" prints 2 running
check_eq "both loans went" "$(told "${LENT[@]}")" "1 1"
check_eq "none was refused" "$(status_field .counters.claims_refused)" \
	"$REFUSED"
check_eq "no claim has run out of time" \
	"$(status_field .counters.claims_timed_out)" 0
check_ledger
test_done
