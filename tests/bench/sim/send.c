/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.c - tells slurmctld: a queue, and a few threads that work it off
 *
 * Each message waits for slurmctld's answer, which takes as long as slurmctld
 * holds its locks, and is repeated until it has come: a controller that was
 * killed misses no end of a job. Its queue is the only place where simslurmd
 * waits for slurmctld.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "sim.h"
#include "compat/compat.h"

#include "compat/gres.h"
#include "compat/auth.h"

/* slurmd names the jobs of its node; more than this do not fit on one. */
#define JOBS_MAX 512

struct note {
	STAILQ_ENTRY(note) next;
	bool registers; /* else: the end of a job */
	int node;
	uint32_t job;
	int status;
};

static time_t begun;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static STAILQ_HEAD(, note) queue = STAILQ_HEAD_INITIALIZER(queue);

static void enqueue(struct note values)
{
	struct note *note = malloc(sizeof(*note));

	if (!note) {
		sim_say("out of memory: a message is lost");
		return;
	}
	*note = values;
	pthread_mutex_lock(&lock);
	STAILQ_INSERT_TAIL(&queue, note, next);
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

void sim_send_registration(int node)
{
	enqueue((struct note){ .registers = true, .node = node });
}

void sim_send_end(uint32_t job, int node, int status)
{
	enqueue((struct note){ .job = job, .node = node, .status = status });
}

static void message(slurm_msg_t *msg, uint16_t type, void *data)
{
	slurm_msg_t_init(msg);
	slurm_msg_set_r_uid(msg, SLURM_AUTH_UID_ANY);
	msg->msg_type = type;
	msg->data = data;
}

static void until_heard(uint16_t type, void *data)
{
	slurm_msg_t msg;
	int rc;

	do {
		message(&msg, type, data);
		if (!slurm_send_recv_controller_rc_msg(&msg, &rc, NULL))
			return;
		sleep(1);
	} while (true);
}

/* As gres_node_config_pack() writes what slurmd has read from gres.conf. */
static buf_t *pack_gres(const struct sim_node *node)
{
	buf_t *buf = init_buf(1024);

	pack16(SLURM_PROTOCOL_VERSION, buf);
	pack16((uint16_t)node->n_gres, buf);
	for (int i = 0; i < node->n_gres; i++) {
		const struct sim_gres *gres = &node->gres[i];
		char *type = *gres->type ? gres->type : NULL;

		pack32(GRES_MAGIC, buf);
		pack64(gres->count, buf);
		pack32(node->cpus, buf);
		pack32(GRES_CONF_HAS_FILE | (type ? GRES_CONF_HAS_TYPE : 0),
		       buf);
		pack32(gres_build_id(gres->name), buf);
		packstr(NULL, buf);
		packstr(NULL, buf);
		packstr(gres->name, buf);
		packstr(type, buf);
		packstr(NULL, buf);
	}
	return buf;
}

static void send_registration(int index)
{
	const struct sim_node *node = sim_node(index);
	uint32_t jobs[JOBS_MAX];
	slurm_step_id_t steps[JOBS_MAX];
	int n = sim_runs_on(index, jobs, JOBS_MAX);
	slurm_node_registration_status_msg_t msg = {
		.arch = (char *)"x86_64",
		.boards = node->boards,
		.cores = node->cores,
		.cpus = node->cpus,
		.free_mem = node->memory_mb,
		.gres_info = pack_gres(node),
		.hash_val = slurm_conf.hash_val,
		.hostname = node->name,
		.job_count = (uint32_t)n,
		.node_name = node->name,
		.os = (char *)"Linux",
		.real_memory = node->memory_mb,
		.slurmd_start_time = begun,
		.sockets = node->sockets,
		.status = SLURM_SUCCESS,
		.step_id = steps,
		.threads = node->threads,
		.timestamp = time(NULL),
		.up_time = 1000000,
		.version = (char *)SLURM_VERSION_STRING,
	};

	for (int i = 0; i < n; i++) {
		steps[i].job_id = jobs[i];
		steps[i].step_id = SLURM_BATCH_SCRIPT;
		steps[i].step_het_comp = NO_VAL;
	}
	until_heard(MESSAGE_NODE_REGISTRATION_STATUS, &msg);
	free_buf(msg.gres_info);
}

static void send_end(const struct note *note)
{
	char *name = sim_node(note->node)->name;
	complete_batch_script_msg_t script = {
		.job_id = note->job,
		.job_rc = (uint32_t)note->status,
		.node_name = name,
	};
	epilog_complete_msg_t epilog = {
		.job_id = note->job,
		.node_name = name,
	};
	slurm_msg_t msg;
	bool wanted;

	until_heard(REQUEST_COMPLETE_BATCH_SCRIPT, &script);
	wanted = sim_run_told(note->job, note->node);
	if (wanted) {
		/* Not answered, not repeated: slurmctld asks again. */
		message(&msg, MESSAGE_EPILOG_COMPLETE, &epilog);
		if (slurm_send_only_controller_msg(&msg, NULL))
			sim_trace("unheard", note->job, note->node, "epilog");
	}
	sim_trace("told", note->job, note->node, "%s", wanted ? "epilog" : "");
}

static void *sender(void *arg)
{
	(void)arg;
	for (;;) {
		struct note *note;

		pthread_mutex_lock(&lock);
		while (STAILQ_EMPTY(&queue))
			pthread_cond_wait(&more, &lock);
		note = STAILQ_FIRST(&queue);
		STAILQ_REMOVE_HEAD(&queue, next);
		pthread_mutex_unlock(&lock);
		if (note->registers)
			send_registration(note->node);
		else
			send_end(note);
		free(note);
	}
	return NULL;
}

int sim_send_start(int n)
{
	pthread_t thread;

	begun = time(NULL);
	for (int i = 0; i < n; i++) {
		if (pthread_create(&thread, NULL, sender, NULL))
			return -1;
	}
	return 0;
}
