/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve.c - answers what slurmctld sends to its nodes
 *
 * One port, listened on by one socket for all addresses of the loopback
 * device; the address that was called is the node's. Several threads accept:
 * each message costs a check of its credential by munged. None of them waits
 * for slurmctld.
 *
 * Answers are those of slurmd (src/slurmd/slurmd/req.c): a job that is not on
 * the node is "already complete", so a node of a job beside the one of its
 * batch script is free at once.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim.h"
#include "compat/compat.h"

#define RECEIVE_MS 10000

static int listen_fd = -1;

static void reply(slurm_msg_t *msg, int rc)
{
	if (slurm_send_rc_msg(msg, rc) < 0)
		sim_say("no answer to a message of type %u", msg->msg_type);
}

static void launch(slurm_msg_t *msg, int node)
{
	batch_job_launch_msg_t *req = msg->data;
	struct sim_script script =
		sim_script_read(req->script, sim_default_die_us);

	if (sim_run_add(req->job_id, node, script)) {
		reply(msg, ESLURM_DUPLICATE_JOB_ID);
		return;
	}
	sim_trace("launch", req->job_id, node, "%s", req->nodes);
	reply(msg, SLURM_SUCCESS);
}

static const char *kill_word(uint16_t type)
{
	switch (type) {
	case REQUEST_KILL_PREEMPTED:
		return "preempt";
	case REQUEST_KILL_TIMELIMIT:
		return "timelimit";
	case REQUEST_ABORT_JOB:
		return "abort";
	default:
		return "terminate";
	}
}

static void terminate(slurm_msg_t *msg, int node)
{
	kill_job_msg_t *req = msg->data;
	bool abort = msg->msg_type == REQUEST_ABORT_JOB;
	uint32_t job = req->step_id.job_id;

	/* These two can be for a step; there is none here. */
	if ((msg->msg_type == REQUEST_KILL_TIMELIMIT ||
	     msg->msg_type == REQUEST_KILL_PREEMPTED) &&
	    req->step_id.step_id != NO_VAL) {
		reply(msg, SLURM_SUCCESS);
		return;
	}
	if (sim_run_terminate(job, node, abort)) {
		sim_trace(kill_word(msg->msg_type), job, node, "%s", "");
		reply(msg, SLURM_SUCCESS);
	} else {
		reply(msg, abort ? SLURM_SUCCESS :
				   ESLURMD_KILL_JOB_ALREADY_COMPLETE);
	}
}

static void signal_tasks(slurm_msg_t *msg, int node)
{
	signal_tasks_msg_t *req = msg->data;
	uint32_t job = req->step_id.job_id;
	bool batch = req->flags & (KILL_FULL_JOB | KILL_JOB_BATCH);

	if (!(req->flags & KILL_STEPS_ONLY) &&
	    req->step_id.step_id == SLURM_BATCH_SCRIPT)
		batch = true;
	if (batch && sim_run_signal(job, node, req->signal))
		sim_trace("signal", job, node, "%u", req->signal);
	reply(msg, SLURM_SUCCESS);
}

/* Read once however many nodes are told: the hash of the file is registered.
 * slurmctld expects no answer. */
static void reconfigure(int node)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct timespec read_at;
	const char *path = getenv("SLURM_CONF");
	struct stat file;

	pthread_mutex_lock(&lock);
	if (path && !stat(path, &file) &&
	    (file.st_mtim.tv_sec != read_at.tv_sec ||
	     file.st_mtim.tv_nsec != read_at.tv_nsec)) {
		read_at = file.st_mtim;
		slurm_conf_reinit(NULL);
	}
	pthread_mutex_unlock(&lock);
	sim_send_registration(node);
}

static void ping(slurm_msg_t *msg)
{
	ping_slurmd_resp_msg_t pong = { .cpu_load = 0 };
	slurm_msg_t answer;

	slurm_msg_t_copy(&answer, msg);
	slurm_msg_set_r_uid(&answer, msg->auth_uid);
	answer.msg_type = RESPONSE_PING_SLURMD;
	answer.data = &pong;
	slurm_send_node_msg(msg->conn_fd, &answer);
}

static void answer(slurm_msg_t *msg, int node)
{
	switch (msg->msg_type) {
	case REQUEST_PING:
		ping(msg);
		break;
	case REQUEST_NODE_REGISTRATION_STATUS:
		reply(msg, SLURM_SUCCESS);
		sim_send_registration(node);
		break;
	case REQUEST_RECONFIGURE:
	case REQUEST_RECONFIGURE_WITH_CONFIG:
		reconfigure(node);
		break;
	case REQUEST_BATCH_JOB_LAUNCH:
		launch(msg, node);
		break;
	case REQUEST_SIGNAL_TASKS:
		signal_tasks(msg, node);
		break;
	case REQUEST_TERMINATE_JOB:
	case REQUEST_ABORT_JOB:
	case REQUEST_KILL_TIMELIMIT:
	case REQUEST_KILL_PREEMPTED:
		terminate(msg, node);
		break;
	default:
		reply(msg, SLURM_SUCCESS);
		break;
	}
}

static int called_node(int fd)
{
	struct sockaddr_in here;
	socklen_t len = sizeof(here);

	if (getsockname(fd, (struct sockaddr *)&here, &len))
		return -1;
	return sim_node_find(here.sin_addr.s_addr);
}

static void serve_one(int fd)
{
	int node = called_node(fd);
	slurm_msg_t msg;

	if (node < 0) {
		sim_say("called at an address that no node has");
		return;
	}
	slurm_msg_t_init(&msg);
	if (slurm_receive_msg(fd, &msg, RECEIVE_MS)) {
		sim_say("%s: cannot read a message: %s", sim_node(node)->name,
			slurm_strerror(errno));
	} else {
		msg.conn_fd = fd;
		answer(&msg, node);
	}
	slurm_free_msg_members(&msg);
}

static void *server(void *arg)
{
	(void)arg;
	for (;;) {
		int fd = accept(listen_fd, NULL, NULL);

		if (fd < 0) {
			if (errno != EINTR && errno != ECONNABORTED) {
				sim_say("accept: %s", strerror(errno));
				sleep(1);
			}
			continue;
		}
		serve_one(fd);
		close(fd);
	}
	return NULL;
}

/* All addresses, but of the loopback device only: nobody else may call. */
static int open_port(uint16_t port)
{
	struct sockaddr_in any = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_ANY),
	};
	int on = 1;

	listen_fd = socket(AF_INET, SOCK_STREAM, 0);
	if (listen_fd < 0)
		return -1;
	setsockopt(listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (setsockopt(listen_fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) ||
	    bind(listen_fd, (struct sockaddr *)&any, sizeof(any)) ||
	    listen(listen_fd, 4096))
		return -1;
	return 0;
}

int sim_serve_start(uint16_t port, int n)
{
	pthread_t thread;

	if (open_port(port)) {
		sim_say("cannot listen on port %u of loopback: %s", port,
			strerror(errno));
		return -1;
	}
	for (int i = 0; i < n; i++) {
		if (pthread_create(&thread, NULL, server, NULL)) {
			sim_say("cannot start a thread");
			return -1;
		}
	}
	return 0;
}
