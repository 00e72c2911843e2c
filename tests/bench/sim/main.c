/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simslurmd - plays the slurmds of a whole cluster
 *
 * For tests and benchmarks of slurmctld with more nodes than a machine could
 * run slurmds for: registers every node whose NodeAddr is on loopback, answers
 * pings, "runs" batch scripts by reading their sleep, ends them when told to.
 * No process is started for a job and no file written, so steps, salloc, srun,
 * output, prolog and epilog, and suspending are not there.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"
#include "compat/compat.h"

#define SERVERS 4
#define SENDERS 8

int64_t sim_default_die_us;

static void usage(FILE *out)
{
	fprintf(out,
		"usage: simslurmd [OPTION...]\n"
		"Plays the slurmds of all nodes with a NodeAddr on loopback.\n"
		"\n"
		"  --die MS      from being told to go to being gone (0)\n"
		"  --trace FILE  a line for all that happens to a job:\n"
		"                TIME WHAT JOB NODE DETAIL\n"
		"  --wait SEC    how long to wait for slurmctld (60)\n"
		"  --help        this\n"
		"\n"
		"SLURM_CONF names the slurm.conf. All nodes have one Port and\n"
		"each its own NodeAddr, 127.77.0.1 and so on, and slurm.conf\n"
		"has TreeWidth=65533. Ends with SIGTERM, its jobs with it.\n");
}

/* A number from 0 to a day, or -1 with the reason said. */
static long number(const char *option, const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < 0 || value > 86400000) {
		sim_say("--%s %s: give a number, 0 or more", option, text);
		return -1;
	}
	return value;
}

struct options {
	long die_ms;
	long wait_sec;
	const char *trace;
};

/* -1: go on, else exit with it. */
static int read_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "die", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ "trace", required_argument, NULL, 't' },
		{ "wait", required_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'd':
			options->die_ms = number("die", optarg);
			break;
		case 't':
			options->trace = optarg;
			break;
		case 'w':
			options->wait_sec = number("wait", optarg);
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind != argc) {
		usage(stderr);
		return 2;
	}
	return options->die_ms < 0 || options->wait_sec < 0 ? 2 : -1;
}

int main(int argc, char **argv)
{
	struct options options = { .wait_sec = 60 };
	sigset_t ends;
	int rc = read_options(argc, argv, &options), sig;

	if (rc >= 0)
		return rc;
	sim_default_die_us = options.die_ms * INT64_C(1000);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);

	slurm_init(NULL);
	if (sim_nodes_load((int)options.wait_sec) < 0 ||
	    sim_trace_open(options.trace) || sim_send_start(SENDERS) ||
	    sim_runs_start() || sim_serve_start(sim_nodes_port(), SERVERS))
		return 1;
	for (int i = 0; i < sim_nodes_count(); i++)
		sim_send_registration(i);
	sim_say("plays %d nodes on port %u", sim_nodes_count(),
		sim_nodes_port());
	sigwait(&ends, &sig);
	return 0;
}
