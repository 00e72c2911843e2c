/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.c - a share set-up of AWS Batch as a policy
 *
 * Called by qshare import. Never blocks. The set-up is turned into lines of a
 * policy file and those are read, so that an imported policy is judged by the
 * rules of any other. An error in a line is told of the object it came from.
 */
#include "aws/import.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/import_run.h"
#include "aws/tags.h"

/* What the policy reader calls the lines. */
#define LINES "import"

int qs_import_fail(const struct qs_import_run *run,
		   const struct qs_aws_source *source, const char *key,
		   const char *value, const char *problem, const char *near,
		   const char *expected, ...)
{
	char path[400], text[300];
	struct qs_place at = { .file = source->file, .value = value };
	va_list args;
	size_t n;

	n = (size_t)snprintf(path, sizeof(path), "%.250s%s",
			     source->path ? source->path : "",
			     source->path && *source->path && key ? "." : "");
	snprintf(path + n, sizeof(path) - n, "%.128s", key ? key : "");
	if (key && source->pascal)
		for (char *c = path + n; *c; c++)
			if (c == path + n || c[-1] == '.')
				*c = (char)toupper((unsigned char)*c);
	if (*path)
		at.key = path;
	va_start(args, expected);
	vsnprintf(text, sizeof(text), expected, args);
	va_end(args);
	return qs_error_set(run->err, &at, problem, near, "%s", text);
}

static bool is_ours(const char *key, const char *const *keys)
{
	if (!strcmp(key, "Owner") || !strcmp(key, "Note"))
		return true;
	if (strncmp(key, QS_TAG_PREFIX, strlen(QS_TAG_PREFIX)))
		return false;
	key += strlen(QS_TAG_PREFIX);
	for (; *keys; keys++) {
		size_t n = strlen(*keys);

		if (!strncmp(key, *keys, n) &&
		    (!key[n] || (!strcmp(*keys, "GpuType") && key[n] == ':')))
			return true;
	}
	return false;
}

/* Tags of others, in one sentence for each object. */
static void note_tags(struct qs_import_run *run, const char *queue,
		      const char *share, const char *what,
		      const struct qs_aws_tags *tags, const char *const *ours)
{
	char names[400] = "";
	size_t n = 0;

	for (size_t i = 0; i < tags->n; i++) {
		if (is_ours(tags->items[i].key, ours))
			continue;
		if (n + 60 < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n,
					      "%s%.48s", n ? ", " : "",
					      tags->items[i].key);
		else if (n + 4 < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n,
					      ", …");
	}
	if (n)
		qs_notes_add(run->notes, QS_NOTE_LOST, queue, share, "tags",
			     "%s%s", what, names);
}

static void note_all_tags(struct qs_import_run *run)
{
	static const char *const none[] = { NULL };
	static const char *const of_queue[] = { "AdminComment",
						"AuditLog",
						"Capacity",
						"ClaimTimeout",
						"DefaultShare",
						"EventLog",
						"GpuType",
						"GraceTime",
						"IdleResourceAssignment",
						"InShareOrder",
						"Mode",
						"NeverFits",
						"NonRequeueBorrow",
						"Partitions",
						"UntypedGpus",
						"VictimOrder",
						NULL };
	static const char *const of_share[] = {
		"Accounts",        "BorrowGpus", "GraceTime", "LendLimit",
		"MaxUserPriority", "MinRuntime", "Note",      "Owner",
		"PreemptRetries",  NULL
	};
	const struct qs_setup *setup = run->setup;

	for (size_t q = 0; q < run->nqueues; q++) {
		const struct qs_import_queue *queue = &run->queues[q];

		if (queue->queue)
			note_tags(run, queue->name, NULL,
				  "of the queue: ", &queue->queue->tags,
				  of_queue);
		if (queue->environment)
			note_tags(run, queue->name, NULL,
				  "of the service environment: ",
				  &queue->environment->tags, none);
	}
	for (size_t p = 0; p < setup->npolicies; p++)
		note_tags(run, NULL, NULL,
			  "of a scheduling policy: ", &setup->policies[p].tags,
			  none);
	for (size_t s = 0; s < setup->nshares; s++)
		if (qs_import_has(run, &setup->shares[s]))
			note_tags(run, setup->shares[s].queue,
				  setup->shares[s].name, "",
				  &setup->shares[s].tags, of_share);
}

/* An error of the policy reader, told of the object. */
static int translate(struct qs_import_run *run, const struct qs_error *was)
{
	const struct qs_import_line *line =
		was->line && was->line <= run->nlines ?
			&run->lines[was->line - 1] :
			NULL;
	struct qs_place at = { .file = run->setup->nfiles == 1 ?
					       run->setup->files[0] :
					       NULL };
	char problem[300];

	snprintf(problem, sizeof(problem), "as quota_share.conf, %.80s=%.128s",
		 was->key, was->value);
	if (line && line->source)
		return qs_import_fail(run, line->source, NULL, NULL,
				      *was->key ? problem : NULL, NULL,
				      "%.280s", was->expected);
	return qs_error_set(run->err, &at, *was->key ? problem : NULL, NULL,
			    "%.280s", was->expected);
}

/* Lines that nobody sees have no numbers: "import:5: share A …" is "share A
 * …". */
static void drop_places(struct qs_warnings *warnings)
{
	for (size_t i = 0; warnings && i < warnings->n; i++) {
		char *text = warnings->items[i].text;
		size_t n = strlen(LINES ":");

		if (strncmp(text, LINES ":", n))
			continue;
		n += strspn(text + n, "0123456789");
		n += strspn(text + n, ": ");
		memmove(text, text + n, strlen(text + n) + 1);
	}
}

static struct qs_policy *read_lines(struct qs_import_run *run,
				    struct qs_warnings *warnings)
{
	const char **lines = calloc(run->nlines + 1, sizeof(*lines));
	struct qs_policy *policy;
	struct qs_error was;

	if (!lines) {
		qs_error_memory(run->err);
		return NULL;
	}
	for (size_t i = 0; i < run->nlines; i++)
		lines[i] = run->lines[i].text;
	policy = qs_conf_read_lines(LINES, NULL, lines, run->nlines, warnings,
				    &was);
	free(lines);
	drop_places(warnings);
	if (!policy && !*was.expected)
		*run->err = was; /* out of memory */
	else if (!policy)
		translate(run, &was);
	return policy;
}

static int import(struct qs_import_run *run, struct qs_imported *imported,
		  struct qs_warnings *warnings)
{
	if (qs_import_queues(run) || qs_import_units(run) ||
	    qs_import_lines(run))
		return -1;
	note_all_tags(run);
	imported->policy = read_lines(run, warnings);
	if (!imported->policy)
		return -1;
	imported->text = qs_import_text(run, imported->policy);
	if (run->nqueues == 1)
		imported->queue = run->queues[0].queue;
	return imported->text ? 0 : -1;
}

int qs_import(const struct qs_setup *setup, const struct qs_instances *table,
	      const struct qs_import_options *options,
	      struct qs_imported *imported, struct qs_notes *notes,
	      struct qs_warnings *warnings, struct qs_error *err)
{
	struct qs_import_run run = {
		.setup = setup,
		.table = table,
		.options = options,
		.notes = notes,
		.err = err,
	};
	int rc = import(&run, imported, warnings);

	for (size_t u = 0; u < run.nunits; u++) {
		free(run.units[u].type);
		free(run.units[u].slurm);
	}
	for (size_t i = 0; i < run.nlines; i++)
		free(run.lines[i].text);
	free(run.queues);
	free(run.units);
	free(run.lines);
	return rc;
}

void qs_imported_clear(struct qs_imported *imported)
{
	qs_policy_free(imported->policy);
	free(imported->text);
	*imported = (struct qs_imported){ 0 };
}
