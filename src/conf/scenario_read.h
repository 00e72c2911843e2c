/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_read.h - state while a scenario is read. Private to src/conf.
 */
#ifndef QS_SCENARIO_READ_H
#define QS_SCENARIO_READ_H

#include "conf/scenario.h"
#include "conf/strict.h"
#include "conf/values.h"

/* GPUs that all jobs or all nodes together may have. */
#define QS_SCENARIO_GPUS_MAX 1000000000
/* A point in time: seconds, some thirty thousand years. */
#define QS_SCENARIO_TIME_MAX 1000000000000

struct qs_scenario_reader {
	struct qs_scenario *scenario;
	struct qs_json top;
	const char *dir;
	struct json_object *node_index; /* name -> index */
	struct json_object *job_index;  /* id -> index */
	int64_t *held;                  /* as snap->node_gpus: by jobs */
	/* partition names of a queue that lists none, in order of appearance */
	struct qs_names partitions;
	/* room for the job that is being read */
	struct qs_demand *demands;
	uint32_t ndemands;
	struct qs_placed *placed;
	uint32_t nplaced, placed_max;
};

/* scenario_nodes.c, scenario_jobs.c. All return 0, or -1 with top.err. */
int qs_scenario_read_nodes(struct qs_scenario_reader *reader);
int qs_scenario_read_jobs(struct qs_scenario_reader *reader);

/* Index of a type by its name, or by a gres type that means it; -1. */
int qs_scenario_type(const struct qs_policy *policy, const char *name);
/* A key that must be a type: fails and suggests one. */
int qs_scenario_fail_type(const struct qs_scenario_reader *reader,
			  const struct qs_json *at, const char *key);
/* The queue and the bit of a partition that stands under a key. */
int qs_scenario_partition(struct qs_scenario_reader *reader,
			  const struct qs_json *at, const char *key,
			  const char *name, int *queue, uint64_t *bit);

#endif
