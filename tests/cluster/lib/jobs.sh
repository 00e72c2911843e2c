# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Client calls and questions about jobs. Every call has a timeout and runs in
# CL_DIR/jobs, where output files land.

# Any client command, as root.
cluster_cmd()
{
	cluster_run_as root "$@"
}

sbatch() { cluster_cmd sbatch "$@"; }
squeue() { cluster_cmd squeue "$@"; }
scancel() { cluster_cmd scancel "$@"; }
scontrol() { cluster_cmd scontrol "$@"; }
sacct() { cluster_cmd sacct "$@"; }
sinfo() { cluster_cmd sinfo "$@"; }
qshare() { cluster_cmd qshare "$@"; }

# submit SBATCH-ARGS...: prints the job id; sbatch's own words go to stderr.
submit()
{
	local id

	id=$(sbatch --parsable "$@") && echo "${id%%;*}"
}

# submit_sleep [--for SECONDS] SBATCH-ARGS...: a job that holds its GPUs and
# dies of SIGTERM.
submit_sleep()
{
	local seconds=600

	[ "$1" = --for ] && seconds=$2 && shift 2
	submit "$@" --wrap "exec sleep $seconds"
}

# submit_stubborn SBATCH-ARGS...: a job that notes each SIGTERM that reaches
# its batch script ("TERM" and milliseconds in its output), and does not go
# before SIGKILL. Slurm's own SIGTERM, with which it ends a job, may come before
# our SIGKILL: who counts tellings counts them in the event log.
submit_stubborn()
{
	submit --open-mode=append "$@" --wrap \
		"trap 'echo TERM \$(date +%s%3N)' TERM; echo begun
		while :; do sleep 0.2; done"
}

# submit_stamped SBATCH-ARGS...: a job that writes when it began ("began" and
# milliseconds), and dies of SIGTERM.
submit_stamped()
{
	submit "$@" --wrap "echo began \$(date +%s%3N); exec sleep 600"
}

# grace_of VICTIM OWNER: milliseconds from the first SIGTERM that reached the
# victim to the beginning of the job it made room for.
grace_of()
{
	local told began

	told=$(job_out "$1" | sed -n 's/^TERM //p' | head -n 1)
	began=$(job_out "$2" | sed -n 's/^began //p' | head -n 1)
	echo $((${began:-0} - ${told:-0}))
}

# was_told ID: SIGTERM has reached its batch script.
was_told()
{
	[ "$(job_out_count "$1" "^TERM")" -gt 0 ]
}

# job_field ID FIELD, FIELD as scontrol names it. An array task is ID_TASK.
job_field()
{
	scontrol -o -d show job "$1" 2>/dev/null |
		tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

# PENDING, RUNNING, COMPLETING, …; nothing for an unknown job.
job_state()
{
	job_field "$1" JobState
}

job_is()
{
	[ "$(job_state "$1")" = "$2" ]
}

# The text that says why a job waits, as squeue shows it.
job_reason()
{
	squeue -h -j "$1" -o %r | head -n 1
}

job_restarts()
{
	job_field "$1" Restarts
}

# job_states ID..., job_counts ID...: states, or numbers of restarts, in a line
job_states()
{
	local id

	for id; do
		job_state "$id"
	done | xargs
}

job_counts()
{
	local id

	for id; do
		job_restarts "$id"
	done | xargs
}

# het_states LEADER: of its components, in their order
het_states()
{
	squeue -h -a -j "$1" -o '%i %T' -S i | awk '{ print $2 }' | xargs
}

# job_wait ID STATE [SECONDS]
job_wait()
{
	wait_for "${3:-20}" "job $1 to be $2" job_is "$1" "$2"
}

# job_out ID: what the job has written so far.
job_out()
{
	cat "$(job_field "$1" StdOut)" 2>/dev/null
}

# How many lines of a job's output match.
job_out_count()
{
	job_out "$1" | grep -cE "$2"
}

jobs_none()
{
	local list

	list=$(squeue -h) && [ -z "$list" ]
}

# cluster_empty: cancel everything, wait until nothing holds a GPU.
cluster_empty()
{
	local jobs

	jobs=$(squeue -h -o %A | sort -u)
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "$jobs" ] || scancel -f $jobs
	wait_for 20 "all jobs to be gone" jobs_none
}
