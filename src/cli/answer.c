/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.c - job ids, and the fields of the runtime's answers
 *
 * Called by everything of qshare that is online; needs no Slurm, never blocks.
 */
#include "cli/online.h"

#include <stdlib.h>
#include <string.h>

bool qs_online_job_id(const char *text)
{
	size_t n = strspn(text, "0123456789");

	if (!n || n > 10 || !strtoul(text, NULL, 10) ||
	    strtoul(text, NULL, 10) > UINT32_MAX)
		return false;
	if (!text[n])
		return true;
	if (text[n] != '_' && text[n] != '+')
		return false;
	text += n + 1;
	n = strspn(text, "0123456789");
	return n && n <= 10 && !text[n];
}

int64_t qs_online_number(struct json_object *object, const char *key,
			 int64_t otherwise)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_int))
		return otherwise;
	return json_object_get_int64(value);
}

const char *qs_online_text(struct json_object *object, const char *key,
			   const char *otherwise)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return otherwise;
	return json_object_get_string(value);
}

struct json_object *qs_online_list(struct json_object *answer, const char *key)
{
	struct json_object *list;

	if (!json_object_object_get_ex(answer, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return NULL;
	return list;
}

bool qs_online_has_queue(struct json_object *answer, const char *queue)
{
	struct json_object *list = qs_online_list(answer, "queues");

	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		if (!strcmp(qs_online_text(json_object_array_get_idx(list, i),
					   "queue", ""),
			    queue))
			return true;
	return false;
}
