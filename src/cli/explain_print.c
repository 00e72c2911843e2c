/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain_print.c - the answer to "explain" in sentences (R21, R22)
 *
 * Called by explain.c; needs no Slurm. Blocks only where the file does. Its
 * surprise: GPUs may come as a number or as an object with a number per type.
 */
#include "cli/online.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "cli/duration.h"

static void print_gpus(struct json_object *answer, const char *key,
		       const char *word, const char **sep, FILE *file)
{
	struct json_object *value;

	if (!json_object_object_get_ex(answer, key, &value))
		return;
	if (json_object_is_type(value, json_type_int)) {
		if (json_object_get_int64(value)) {
			fprintf(file, "%s%lld %s", *sep,
				(long long)json_object_get_int64(value), word);
			*sep = ", ";
		}
		return;
	}
	if (!json_object_is_type(value, json_type_object))
		return;
	json_object_object_foreach(value, type, count)
	{
		if (!json_object_get_int64(count))
			continue;
		fprintf(file, "%s%lld %s %s", *sep,
			(long long)json_object_get_int64(count), word, type);
		*sep = ", ";
	}
}

static void print_holds(struct json_object *answer, FILE *file)
{
	const char *sep = "It holds: ";

	print_gpus(answer, "own", "own", &sep, file);
	print_gpus(answer, "borrowed", "borrowed", &sep, file);
	print_gpus(answer, "over_limit", "over limit", &sep, file);
	if (!strcmp(sep, ", "))
		fputs(".\n", file);
}

/* How long GPUs beyond its share's own are safe. */
static void print_safety(struct json_object *answer, FILE *file)
{
	int64_t turn = qs_online_number(answer, "turn", 0);
	int64_t until = qs_online_number(answer, "protected_until", 0);
	const char *state = qs_online_text(answer, "state", "");
	struct json_object *borrowed;
	char left[32];

	if (strcmp(state, "RUNNING") && strcmp(state, "SUSPENDED"))
		return;
	if (!json_object_object_get_ex(answer, "borrowed", &borrowed) ||
	    !json_object_is_type(borrowed, json_type_object))
		return;
	if (!json_object_object_length(borrowed)) {
		fputs("All of it is its share's own: no other share can take "
		      "it back.\n",
		      file);
		return;
	}
	if (qs_online_number(answer, "stopped_for", 0))
		return;
	if (until) {
		qs_duration_text(until - (int64_t)time(NULL), left,
				 sizeof(left));
		fprintf(file, "MinRuntime protects it for another %s.\n", left);
	}
	if (turn)
		fprintf(file,
			"If owners asked for their GPUs now, it would be "
			"victim %lld of %lld.\n",
			(long long)turn,
			(long long)qs_online_number(answer, "victims", turn));
}

/* R12, in words: what happens at the next preemption. */
static void print_retries(struct json_object *answer, FILE *file)
{
	int64_t times = qs_online_number(answer, "preempted", 0);
	struct json_object *value;
	bool known, limited;
	int64_t left;

	known = json_object_object_get_ex(answer, "retries", &value);
	limited = known && json_object_is_type(value, json_type_int);
	if (!times && !limited)
		return;
	fprintf(file, "It was preempted %lld time%s; ", (long long)times,
		times == 1 ? "" : "s");
	if (!limited) {
		fputs("it is requeued however often that happens.\n", file);
		return;
	}
	left = json_object_get_int64(value) - times;
	if (left > 0)
		fprintf(file, "it will be requeued %lld more time%s.\n",
			(long long)left, left == 1 ? "" : "s");
	else
		fputs("the next preemption ends it.\n", file);
}

static void print_time(struct json_object *entry, FILE *file)
{
	time_t when = (time_t)qs_online_number(entry, "time", 0);
	char text[32];
	struct tm tm;

	if (when > 0 && localtime_r(&when, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		fprintf(file, "  %s ", text);
	else
		fputs("  ", file);
}

static void print_history(struct json_object *answer, FILE *file)
{
	struct json_object *list;
	size_t n;

	if (!json_object_object_get_ex(answer, "history", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	n = json_object_array_length(list);
	if (n)
		fputs("Its preemptions, newest first:\n", file);
	for (size_t i = 0; i < n; i++) {
		struct json_object *entry = json_object_array_get_idx(list, i);

		if (json_object_is_type(entry, json_type_string)) {
			fprintf(file, "  %s\n", json_object_get_string(entry));
			continue;
		}
		print_time(entry, file);
		fprintf(file, "%s\n", qs_online_text(entry, "text", ""));
	}
}

/* "job" is an id or, for tasks and components, a text. */
static void print_job(struct json_object *answer, FILE *file)
{
	struct json_object *job;

	json_object_object_get_ex(answer, "job", &job);
	fprintf(file, "JobId=%s", json_object_get_string(job));
	if (qs_online_text(answer, "state", NULL))
		fprintf(file, " %s", qs_online_text(answer, "state", ""));
	if (qs_online_text(answer, "share", NULL))
		fprintf(file, " in share %s",
			qs_online_text(answer, "share", ""));
	if (qs_online_number(answer, "priority", -1) >= 0)
		fprintf(file, " with priority %lld",
			(long long)qs_online_number(answer, "priority", 0));
	putc('\n', file);
}

int qs_explain_print(struct json_object *answer, FILE *file)
{
	const char *text = qs_online_text(answer, "text", NULL);
	struct json_object *job;

	if (!json_object_object_get_ex(answer, "job", &job)) {
		errno = EINVAL;
		return -1;
	}
	print_job(answer, file);
	if (!text || !*text)
		text = qs_online_text(answer, "reason", NULL);
	if (text && *text)
		fprintf(file, "%s%s\n", text,
			strchr(".!?", text[strlen(text) - 1]) ? "" : ".");
	print_holds(answer, file);
	print_safety(answer, file);
	print_retries(answer, file);
	print_history(answer, file);
	return 0;
}
