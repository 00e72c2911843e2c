/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_lines.c - the lines of a quota_share.conf for a set-up
 *
 * Called by import.c. Never blocks. The lines are read by the policy reader
 * afterwards, which judges them as it does any file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aws/import_line.h"
#include "conf/values.h"

static const struct qs_field file_fields[] = {
	{ "AdminComment", false }, { "AuditLog", false }, { "EventLog", false },
	{ "Mode", false },         { NULL, false },
};

static const struct qs_field queue_fields[] = {
	{ "ClaimTimeout", false },     { "DefaultShare", false },
	{ "GraceTime", false },        { "IdleResourceAssignment", false },
	{ "InShareOrder", false },     { "NeverFits", false },
	{ "NonRequeueBorrow", false }, { "UntypedGpus", false },
	{ "VictimOrder", true },       { NULL, false },
};

/* Of all queues together: each export says it with every queue. */
static int add_file_field(struct qs_import_run *run,
			  const struct qs_field *field)
{
	char *first = NULL;
	struct qs_line line;
	int rc = 0;

	for (size_t q = 0; !rc && q < run->nqueues; q++) {
		const struct qs_aws_queue *queue = run->queues[q].queue;
		const struct qs_aws_tag *tag;
		char *value = NULL;

		if (!queue)
			continue;
		line = (struct qs_line){ .run = run, .source = &queue->source };
		rc = qs_line_tag(&line, &queue->tags, field, &value, &tag);
		if (!rc && value && first && strcmp(first, value))
			rc = qs_import_fail(run, &queue->source, "tags", value,
					    "two queues differ in a key of the "
					    "whole file",
					    NULL,
					    "the same %s with all queues; "
					    "--queue imports one",
					    field->key);
		if (!rc && value && !first) {
			rc = qs_line_begin(&line, run, &queue->source);
			if (!rc) {
				qs_line_quoted(&line, field->key, value);
				rc = qs_line_end(&line, 0);
			}
			first = value;
			value = NULL;
		}
		free(value);
	}
	free(first);
	return rc;
}

static int add_type(struct qs_import_run *run,
		    const struct qs_import_unit *unit)
{
	struct qs_line line;

	if (qs_line_begin(&line, run, NULL))
		return -1;
	fprintf(line.file, "GpuType=%s Instance=%s", unit->type, unit->unit);
	if (unit->slurm)
		qs_line_quoted(&line, "Slurm", unit->slurm);
	return qs_line_end(&line, 0);
}

static int64_t shares_gpus(const struct qs_import_run *run, const char *queue,
			   const char *type)
{
	int64_t sum = 0;

	for (size_t s = 0; s < run->setup->nshares; s++)
		if (!strcmp(run->setup->shares[s].queue, queue))
			sum += qs_import_gpus(
				run, &run->setup->shares[s].limits, type);
	return sum;
}

/* Does a list of TYPE:COUNT name the type? */
static bool names_type(const char *list, const char *type)
{
	const char *at = list, *name;
	uint32_t count;
	size_t n;

	while (qs_value_next_count(&at, &name, &n, &count) > 0)
		if (n == strlen(type) && !strncmp(name, type, n))
			return true;
	return false;
}

/* The pool, where it is not what the shares own or a tag says that it is a
 * number of its own. */
static int put_pool(struct qs_line *line, const struct qs_import_queue *queue)
{
	struct qs_import_run *run = line->run;
	const char *separator = " Capacity=";
	char *tag = NULL;

	if (queue->queue &&
	    qs_line_list(line, &queue->queue->tags, "Capacity", &tag))
		return -1;
	for (size_t u = 0; queue->environment && u < run->nunits; u++) {
		const struct qs_import_unit *unit = &run->units[u];
		int64_t pool, own;

		if (!unit->type || !qs_import_unit_is_main(run, unit))
			continue;
		pool = qs_import_gpus(run, &queue->environment->limits,
				      unit->type);
		own = shares_gpus(run, queue->name, unit->type);
		if (!pool && own)
			qs_notes_add(run->notes, QS_NOTE_REMARK, queue->name,
				     NULL, "capacityLimits",
				     "shares own %.80s, of which the "
				     "environment has none; here the pool is "
				     "what they own",
				     unit->type);
		if (!pool || (pool == own && !names_type(tag, unit->type)))
			continue;
		fprintf(line->file, "%s%s:%" PRId64, separator, unit->type,
			pool);
		separator = ",";
	}
	free(tag);
	return 0;
}

static int put_partitions(struct qs_line *line,
			  const struct qs_import_queue *queue)
{
	char *value = NULL;

	if (queue->queue &&
	    qs_line_list(line, &queue->queue->tags, "Partitions", &value))
		return -1;
	if (value) {
		qs_line_quoted(line, "Partitions", value);
	} else if (line->run->nqueues > 1) {
		qs_notes_add(line->run->notes, QS_NOTE_REMARK, queue->name,
			     NULL, "Partitions",
			     "AWS has none: a partition of the queue's name "
			     "stands in for them");
		qs_line_quoted(line, "Partitions", queue->name);
	}
	free(value);
	return 0;
}

static int add_queue(struct qs_import_run *run,
		     const struct qs_import_queue *queue)
{
	const struct qs_aws_queue *document = queue->queue;
	struct qs_line line;
	int rc;

	if (qs_line_begin(&line, run, document ? &document->source : NULL))
		return -1;
	fprintf(line.file, "Queue=%s", queue->name);
	if (document && !document->enabled)
		fputs(" State=DISABLED", line.file);
	rc = put_partitions(&line, queue);
	if (!rc)
		rc = put_pool(&line, queue);
	for (const struct qs_field *f = queue_fields; !rc && document && f->key;
	     f++)
		rc = qs_line_put_tag(&line, &document->tags, f, NULL);
	return qs_line_end(&line, rc);
}

int qs_import_lines(struct qs_import_run *run)
{
	for (const struct qs_field *f = file_fields; f->key; f++)
		if (add_file_field(run, f))
			return -1;
	for (size_t u = 0; u < run->nunits; u++)
		if (run->units[u].type &&
		    qs_import_unit_is_main(run, &run->units[u]) &&
		    add_type(run, &run->units[u]))
			return -1;
	for (size_t q = 0; q < run->nqueues; q++)
		if (add_queue(run, &run->queues[q]))
			return -1;
	return qs_import_shares(run);
}
