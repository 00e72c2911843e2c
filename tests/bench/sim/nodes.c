/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.c - the nodes that are played, as slurmctld describes them
 *
 * Filled once before any thread is started, only read from then on. Nodes that
 * a later reconfiguration adds are not played.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim.h"
#include "compat/compat.h"

static struct sim_node *nodes;
static int n_nodes;
static uint16_t port;

int sim_nodes_count(void)
{
	return n_nodes;
}

uint16_t sim_nodes_port(void)
{
	return port;
}

const struct sim_node *sim_node(int index)
{
	return &nodes[index];
}

static int by_addr(const void *a, const void *b)
{
	const struct sim_node *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

int sim_node_find(in_addr_t addr)
{
	struct sim_node key = { .addr = addr };
	struct sim_node *found =
		bsearch(&key, nodes, (size_t)n_nodes, sizeof(key), by_addr);

	return found ? (int)(found - nodes) : -1;
}

/* "gpu:a100:8(S:0-1)", "gpu:8": one term of a node's Gres. */
static int gres_term(char *term, struct sim_gres *gres)
{
	char *save = NULL, *name, *type, *count;

	term[strcspn(term, "(")] = '\0';
	name = strtok_r(term, ":", &save);
	type = strtok_r(NULL, ":", &save);
	count = strtok_r(NULL, ":", &save);
	if (!name || !type)
		return -1;
	gres->name = strdup(name);
	gres->type = strdup(count ? type : "");
	gres->count = strtoull(count ? count : type, NULL, 10);
	return gres->name && gres->type ? 0 : -1;
}

static int gres_list(const char *text, struct sim_node *node)
{
	char *copy, *term, *save = NULL;

	if (!text || !*text || strcmp(text, "(null)") == 0)
		return 0;
	copy = strdup(text);
	if (!copy)
		return -1;
	for (term = strtok_r(copy, ",", &save); term;
	     term = strtok_r(NULL, ",", &save)) {
		if (node->n_gres == SIM_GRES_MAX ||
		    gres_term(term, &node->gres[node->n_gres])) {
			sim_say("node %s: cannot read Gres=%s", node->name,
				text);
			free(copy);
			return -1;
		}
		node->n_gres++;
	}
	free(copy);
	return 0;
}

static int one_node(const node_info_t *info, struct sim_node *node)
{
	*node = (struct sim_node){
		.name = strdup(info->name),
		.boards = info->boards,
		.cores = info->cores,
		.cpus = info->cpus,
		.sockets = info->sockets,
		.threads = info->threads,
		.memory_mb = info->real_memory,
	};
	if (!node->name)
		return -1;
	/* Slurm has the sockets of all boards in it, slurmd sends that, too. */
	if (inet_pton(AF_INET, info->node_addr, &node->addr) != 1)
		return -1;
	if (port && port != info->port) {
		sim_say("node %s listens on port %u, others on %u: give all "
			"nodes one port and each an address of its own",
			node->name, info->port, port);
		return -1;
	}
	port = info->port;
	return gres_list(info->gres, node);
}

static bool on_loopback(const node_info_t *info)
{
	return info->name && info->node_addr &&
	       strncmp(info->node_addr, "127.", 4) == 0;
}

static int take(const node_info_msg_t *msg)
{
	nodes = calloc(msg->record_count + 1, sizeof(*nodes));
	if (!nodes)
		return -1;
	for (uint32_t i = 0; i < msg->record_count; i++) {
		const node_info_t *info = &msg->node_array[i];

		if (!on_loopback(info))
			continue;
		if (one_node(info, &nodes[n_nodes]))
			return -1;
		n_nodes++;
	}
	qsort(nodes, (size_t)n_nodes, sizeof(*nodes), by_addr);
	for (int i = 1; i < n_nodes; i++) {
		if (nodes[i].addr == nodes[i - 1].addr) {
			sim_say("nodes %s and %s have one address",
				nodes[i - 1].name, nodes[i].name);
			return -1;
		}
	}
	return n_nodes;
}

int sim_nodes_load(int wait_sec)
{
	node_info_msg_t *msg = NULL;
	int rc;

	while (slurm_load_node(0, &msg, SHOW_ALL)) {
		if (wait_sec-- <= 0) {
			sim_say("slurmctld does not tell its nodes: %s",
				slurm_strerror(errno));
			return -1;
		}
		sleep(1);
	}
	rc = take(msg);
	slurm_free_node_info_msg(msg);
	if (rc == 0) {
		sim_say("no node has a NodeAddr on loopback");
		return -1;
	}
	return rc;
}
