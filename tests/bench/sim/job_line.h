/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_line.h - a line that describes a job, or many alike
 *
 * Words KEY=VALUE, separated by blanks:
 *
 *	account=A qos=Q partition=P name=N nodelist=L   as sbatch has them
 *	gres=gpu:a100:2   GPUs on each node
 *	nodes=N           how many nodes (1)
 *	cpus=N            tasks of one CPU each (1)
 *	mem=MB            memory of each node (100)
 *	time=MINUTES      limit
 *	array=0-9         task ids
 *	requeue=0         may not be requeued
 *	hold=1            held by its user
 *	sleep=SEC         how long it runs (60)
 *	trap=TERM         lives on when it gets this signal; exit=N: ends with N
 *	die=MS            from being told to being gone, on simulated nodes
 *	spank=NAME=VALUE,NAME=VALUE   its job control environment, as it is
 *	count=N           so many of these (1)
 *	pause=MS          wait after each
 *	id=NUMBER         for the caller: printed again
 */
#ifndef QS_SIM_JOB_LINE_H
#define QS_SIM_JOB_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct job_line {
	const char *account, *qos, *partition, *name, *nodelist;
	const char *gres, *array, *trap, *sleep, *spank, *id;
	long nodes, cpus, mem_mb, time_min, requeue, hold, die_ms, exit_code;
	long count, pause_ms;
};

/* Cuts line into words; what it points to lives as long as line. On error -1,
 * with what is wrong in error. */
int job_line_read(char *line, struct job_line *job, char *error, size_t size);

/* The batch script, in a buffer of the caller; -1 if it does not fit. */
int job_line_script(const struct job_line *job, char *script, size_t size);

#endif
