/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_aws.c - the event log as events of EventBridge
 *
 * Called by qshare events --aws. Blocks on the file system. The policy is the
 * one beside slurm.conf: the log is read where slurmctld runs. Without it
 * capacity is told in GPUs.
 */
#include "cli/events_aws.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/aws_io.h"
#include "cli/policy_path.h"
#include "conf/conf.h"

int qs_events_aws_begin(struct qs_events_aws *state, const char *name)
{
	char *path = qs_policy_path();
	struct qs_error err;

	if (!path)
		return qs_cli_error(name, "out of memory"), -1;
	state->policy = qs_conf_read_file(path, NULL, &err);
	free(path);
	if (qs_io_instances(name, NULL, &state->table))
		return -1;
	state->live.policy = state->policy;
	state->live.table = &state->table;
	return 0;
}

int qs_events_aws_show(struct qs_events_aws *state,
		       const struct qs_events_filter *filter,
		       struct json_object *line)
{
	struct json_object *event =
		qs_live_event(&state->live, &state->seen, line);

	if (event && qs_events_match(filter, line))
		puts(json_object_to_json_string_ext(
			event, JSON_C_TO_STRING_PLAIN |
				       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(event);
	return ferror(stdout) ? 1 : 0;
}

void qs_events_aws_end(struct qs_events_aws *state)
{
	qs_live_events_clear(&state->seen);
	qs_policy_free(state->policy);
	qs_instances_clear(&state->table);
}
