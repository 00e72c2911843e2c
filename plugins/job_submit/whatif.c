/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.c - a request that asks what would become of it
 *
 * Called by judge.c when all is judged, under the same read locks. Blocks on
 * nothing. Its surprise: the request is refused whatever the judge said, so
 * that a forgotten --test-only submits nothing either.
 */
#include "job_submit/whatif.h"

#include <string.h>

#include "host/nodes.h"
#include "runtime/runtime.h"
#include "runtime/whatif.h"

const char *qs_whatif_token(const job_desc_msg_t *desc)
{
	size_t n = sizeof(QS_WHATIF_PREFIX) - 1;

	if (!desc->comment || strncmp(desc->comment, QS_WHATIF_PREFIX, n))
		return NULL;
	return desc->comment + n;
}

static uint64_t partition_bits(const struct qs_case *c)
{
	const char *list = c->form.wish.partitions;
	uint64_t bits = 0;

	if (!list || !*list)
		list = default_part_name;
	while (list && *list) {
		size_t n = strcspn(list, ",");
		char *name = xstrndup(list, n);

		bits |= qs_nodes_part_bit(c->policy, c->queue, name);
		xfree(name);
		list += n + (list[n] == ',');
	}
	return bits;
}

static void fill_job(const struct qs_case *c, struct qs_whatif *ask)
{
	const job_desc_msg_t *desc = c->desc;
	uint16_t requeue = desc->requeue;
	struct qs_opt priority;

	if (requeue == NO_VAL16)
		requeue = slurm_conf.job_requeue;
	ask->job = (struct qs_job){
		.share = c->share,
		.queue = c->queue,
		.state = QS_JOB_PENDING,
		.requeue = requeue && (desc->script || desc->script_buf),
		.unknown_type = c->request.unknown_type,
		.need_nodes = c->request.need_nodes,
		.cpus = desc->overcommit == 1 ? 0 : c->request.cpus,
		.copies = 1,
		.nodeset = QS_NODESET_ALL,
		.partitions = partition_bits(c),
	};
	qs_env_number(desc->spank_job_env, desc->spank_job_env_size,
		      QS_ENV_PRIORITY, QS_PRIORITY_MAX, &priority);
	if (priority.set)
		ask->job.priority = (uint32_t)priority.value;
	qs_env_number(desc->spank_job_env, desc->spank_job_env_size,
		      QS_ENV_RETRIES, INT32_MAX, &ask->job.retries);
	ask->ndemands = c->request.ndemands;
	memcpy(ask->demands, c->request.demands, sizeof(ask->demands));
}

void qs_whatif_leave(struct qs_case *c, const char *token, bool ours)
{
	struct qs_whatif ask;

	memset(&ask, 0, sizeof(ask));
	if (!ours)
		ask.verdict = "NOT_OURS";
	else if (c->answer->rc != SLURM_SUCCESS)
		ask.verdict = "REFUSED";
	else
		fill_job(c, &ask);
	ask.text = c->answer->text;
	qs_runtime_whatif(token, c->policy, &ask);
	qs_case_refuse(c, ESLURM_NOT_SUPPORTED,
		       "what-if only: no job was submitted");
}
