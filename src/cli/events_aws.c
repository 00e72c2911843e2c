/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_aws.c - our event log as events of EventBridge
 *
 * Called by qshare events --aws. Blocks where the files do.
 */
#include "cli/events_aws.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static struct json_object *parse(const char *line)
{
	struct json_object *json = json_tokener_parse(line);

	if (json_object_is_type(json, json_type_object))
		return json;
	json_object_put(json);
	return NULL;
}

int qs_events_aws(const struct qs_live *live, const char *name,
		  const char *file, FILE *in, FILE *out)
{
	struct qs_live_events events = { 0 };
	unsigned long number = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, in)) > 0) {
		struct json_object *json, *event;

		number++;
		json = n <= QS_EVENT_LINE_MAX ? parse(line) : NULL;
		if (!json) {
			qs_cli_error(name, "%s:%lu: no line of the event log",
				     file, number);
			continue;
		}
		event = qs_live_event(live, &events, json);
		if (event)
			fprintf(out, "%s\n",
				json_object_to_json_string_ext(
					event,
					JSON_C_TO_STRING_PLAIN |
						JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(event);
		json_object_put(json);
	}
	free(line);
	qs_live_events_clear(&events);
	if (!ferror(in))
		return 0;
	qs_cli_error(name, "%s: %s", file, strerror(errno));
	return -1;
}
