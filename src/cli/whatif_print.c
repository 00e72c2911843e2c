/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_print.c - the answer to what-if in sentences
 *
 * Called by whatif; needs no Slurm. Blocks only where the file does.
 */
#include "cli/whatif.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/duration.h"
#include "cli/online.h"

/* "4 h100, 2 a10g" */
static void print_gpus(struct json_object *gpus, FILE *file)
{
	const char *sep = "";

	json_object_object_foreach(gpus, type, count)
	{
		fprintf(file, "%s%lld %s", sep,
			(long long)json_object_get_int64(count), type);
		sep = ", ";
	}
}

static struct json_object *object_of(struct json_object *answer,
				     const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(answer, key, &value) ||
	    !json_object_is_type(value, json_type_object) ||
	    !json_object_object_length(value))
		return NULL;
	return value;
}

static void print_job(struct json_object *answer, FILE *file)
{
	struct json_object *gpus = object_of(answer, "gpus");

	fprintf(file, "A job of share %s in queue %s",
		qs_online_text(answer, "share", "?"),
		qs_online_text(answer, "queue", "?"));
	if (gpus) {
		fputs(" with ", file);
		print_gpus(gpus, file);
	}
	fputs(":\n", file);
}

static const struct {
	const char *verdict, *how, *words;
	enum qs_style style;
} sentences[] = {
	{ "START", "OWN", "It would start now, on its share's own GPUs.",
	  QS_STYLE_OWN },
	{ "START", "BORROW", "It would start now, on borrowed GPUs.",
	  QS_STYLE_BORROWED },
	{ "START", "RECLAIM",
	  "It would start after others are preempted, on GPUs that its share "
	  "takes back.",
	  QS_STYLE_BORROWED },
	{ "START", "IN_SHARE",
	  "It would start after lower jobs of its share are preempted.",
	  QS_STYLE_BORROWED },
	{ "WAIT", "", "It would wait.", QS_STYLE_BAD },
	{ "NEVER", "", "It could never start.", QS_STYLE_BAD },
};

static void print_verdict(struct json_object *answer, const char *verdict,
			  bool color, FILE *file)
{
	const char *how = qs_online_text(answer, "how", "");

	for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++) {
		if (strcmp(sentences[i].verdict, verdict) ||
		    strcmp(sentences[i].how, how))
			continue;
		qs_style_set(file, sentences[i].style, color);
		fputs(sentences[i].words, file);
		qs_style_set(file, QS_STYLE_PLAIN, color);
		putc('\n', file);
	}
	fprintf(file, "%s\n", qs_online_text(answer, "text", ""));
}

static void print_split(struct json_object *answer, FILE *file)
{
	struct json_object *own = object_of(answer, "own");
	struct json_object *borrowed = object_of(answer, "borrowed");

	if (!own && !borrowed)
		return;
	fputs("It would hold", file);
	if (own) {
		fputs(" own: ", file);
		print_gpus(own, file);
	}
	if (borrowed) {
		fputs(own ? "; borrowed: " : " borrowed: ", file);
		print_gpus(borrowed, file);
	}
	fputs(".\n", file);
}

static void print_place(struct json_object *answer, FILE *file)
{
	struct json_object *place = object_of(answer, "place");

	if (!place)
		return;
	fputs("Place:", file);
	json_object_object_foreach(place, node, gpus)
	{
		fprintf(file, " %s (", node);
		print_gpus(gpus, file);
		putc(')', file);
	}
	putc('\n', file);
}

/* Under PrivateData=jobs which they are is for operators. */
static void print_unnamed(struct json_object *answer, FILE *file)
{
	struct json_object *total = object_of(answer, "victims_total");
	long long jobs = total ? qs_online_number(total, "jobs", 0) : 0;

	if (jobs)
		fprintf(file,
			"For it would be preempted: %lld job%s with %lld GPUs "
			"(PrivateData=jobs is set, so they are not named)\n",
			jobs, jobs == 1 ? "" : "s",
			(long long)qs_online_number(total, "gpus", 0));
}

static void print_victims(struct json_object *answer, FILE *file)
{
	struct json_object *list = qs_online_list(answer, "victims");
	size_t n = list ? json_object_array_length(list) : 0;

	if (!list)
		print_unnamed(answer, file);
	if (n)
		fprintf(file, "For it would be preempted:\n");
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		char run[32];

		qs_duration_text(qs_online_number(one, "run", 0), run,
				 sizeof(run));
		fprintf(file,
			"  JobId=%lld of share %s: %lld GPUs, %lld of them "
			"borrowed, running for %s\n",
			(long long)qs_online_number(one, "job", 0),
			qs_online_text(one, "share", "(removed)"),
			(long long)qs_online_number(one, "gpus", 0),
			(long long)qs_online_number(one, "borrowed", 0), run);
	}
}

/* A line each, marked. */
static void print_notes(struct json_object *answer, FILE *file)
{
	const char *notes = qs_online_text(answer, "notes", "");

	while (*notes) {
		size_t n = strcspn(notes, "\n");

		fprintf(file, "Note: %.*s\n", (int)n, notes);
		notes += n + (notes[n] == '\n');
	}
}

int qs_whatif_print(struct json_object *answer, bool color, FILE *file)
{
	const char *verdict = qs_online_text(answer, "verdict", NULL);
	const char *text = qs_online_text(answer, "text", "");

	if (!verdict)
		return -1;
	if (!strcmp(verdict, "REFUSED")) {
		qs_style_set(file, QS_STYLE_BAD, color);
		fputs("It would be refused:", file);
		qs_style_set(file, QS_STYLE_PLAIN, color);
		fprintf(file, " %s\n", text);
	} else if (!strcmp(verdict, "NOT_OURS")) {
		fprintf(file,
			"No share is charged for it: it is in no quota queue, "
			"or asks for no GPU. Slurm alone decides.\n%s%s",
			text, *text ? "\n" : "");
	} else if (!strcmp(verdict, "UNKNOWN")) {
		fprintf(file, "No answer: %s\n", text);
	} else {
		print_job(answer, file);
		print_verdict(answer, verdict, color, file);
		print_split(answer, file);
		print_place(answer, file);
		print_victims(answer, file);
		print_notes(answer, file);
	}
	return 0;
}
