/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate_stubs.c - what gate_bench needs of slurmctld and of the runtime's other
 * files: stubs, for the benchmark only
 *
 * None of them is called by the questions that are measured, but for
 * find_part_record(), which a site with two partitions would do like this.
 */
#include "runtime/events.h"
#include "runtime/inner.h"

#include <string.h>

struct qs_rt qs_rt = { .lock = PTHREAD_MUTEX_INITIALIZER, .ready = true };
time_t last_job_update;
void *acct_db_conn;
bitstr_t *avail_node_bitmap;
part_record_t *default_part_loc;
char *default_part_name;
list_t *part_list;

static part_record_t parts[] = {
	{ .name = (char *)"gpu", .max_share = 1 },
	{ .name = (char *)"cpu", .max_share = 1 },
};

part_record_t *find_part_record(char *name)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!strcmp(parts[i].name, name))
			return &parts[i];
	}
	return NULL;
}

job_record_t *find_job_record(uint32_t id)
{
	(void)id;
	return NULL;
}

void qs_claim_ended(uint32_t claimant, bool all)
{
	(void)claimant;
	(void)all;
}

void qs_events_comment(job_record_t *job)
{
	(void)job;
}

void qs_events_ended(const job_record_t *job, struct qs_jobrec *rec)
{
	(void)job;
	(void)rec;
}

void qs_runtime_load(bool init_config)
{
	(void)init_config;
}

void qs_stop_ended(job_record_t *job)
{
	(void)job;
}

struct qs_stop *qs_stop_find(uint32_t victim)
{
	(void)victim;
	return NULL;
}

void qs_log_later(const char *what, const char *fmt, ...)
{
	(void)what;
	(void)fmt;
}
