/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.h - the parts of simslurmd
 *
 *	serve.c   what slurmctld sends: answered at once, by a few threads
 *	runs.c    the jobs on the nodes, and when they end
 *	send.c    what slurmctld is told: registrations and ends of jobs
 *	script.c  a batch script's run time and what it does when told to go
 *	nodes.c   which nodes there are, and which of them was called
 *	trace.c   what happened, with microseconds
 *
 * Locks: each file has at most one and holds it while calling none of the
 * others but trace.c and send.c, whose own are innermost.
 *
 * Times are microseconds since the epoch, of the wall clock: they are compared
 * with those of other processes.
 */
#ifndef QS_SIM_H
#define QS_SIM_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "script.h"

/* A GPU type on a node; without a type, type is "". */
struct sim_gres {
	char *name;
	char *type;
	uint64_t count;
};

#define SIM_GRES_MAX 8

struct sim_node {
	char *name;
	in_addr_t addr;
	uint16_t boards;
	uint16_t cores;
	uint16_t cpus;
	uint16_t sockets;
	uint16_t threads;
	uint64_t memory_mb;
	int n_gres;
	struct sim_gres gres[SIM_GRES_MAX];
};

/*
 * Asks slurmctld for its nodes, for up to wait_sec seconds, and keeps those
 * with an address on loopback. All of them must listen on one port. Returns
 * how many there are, or -1 with the reason said.
 */
int sim_nodes_load(int wait_sec);
int sim_nodes_count(void);
uint16_t sim_nodes_port(void);
const struct sim_node *sim_node(int index);
/* The node with this address, or -1. */
int sim_node_find(in_addr_t addr);

/* Opens the port on loopback and starts n threads. -1 with the reason said. */
int sim_serve_start(uint16_t port, int n);

/* For scripts that do not say how long they take to die; set before threads. */
extern int64_t sim_default_die_us;

/* Starts the thread that ends jobs. */
int sim_runs_start(void);
/* A batch script starts on this node. -1 if that job is there already. */
int sim_run_add(uint32_t job, int node, struct sim_script script);
/* false if the job is not on this node. */
bool sim_run_signal(uint32_t job, int node, int sig);
/*
 * The whole job is to go: SIGTERM now, SIGKILL after slurmd's time. At its end
 * slurmctld is told, unless quiet. false if the job is not on this node.
 */
bool sim_run_terminate(uint32_t job, int node, bool quiet);
/* slurmctld has heard of the end of this run: it is gone. true if slurmctld
 * waits for the node to say that it is done, too. */
bool sim_run_told(uint32_t job, int node);
/* At most max job ids of a node; returns how many. */
int sim_runs_on(int node, uint32_t *jobs, int max);

/* Starts n threads that talk to slurmctld. */
int sim_send_start(int n);
/* Each is sent as often as it takes. */
void sim_send_registration(int node);
void sim_send_end(uint32_t job, int node, int status);

int64_t sim_now_us(void);
/* NULL: no trace. */
int sim_trace_open(const char *path);
/* "SECONDS.MICROSECONDS WHAT JOB NODE DETAIL", a line of its own. */
void sim_trace(const char *what, uint32_t job, int node, const char *format,
	       ...) __attribute__((format(printf, 4, 5)));
/* What went wrong, on stderr. */
void sim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
