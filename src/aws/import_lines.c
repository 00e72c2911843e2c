/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_lines.c - the lines of a quota_share.conf for a set-up
 *
 * Called by import.c. Never blocks. The lines are read by the policy reader
 * afterwards, which judges what tags say: a tag may have been edited. So every
 * value that is not ours stands in quotes.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "aws/import_run.h"
#include "aws/tags.h"
#include "conf/values.h"

/* A line that is being written. */
struct line {
	struct qs_import_run *run;
	const struct qs_aws_source *source;
	FILE *file;
	char *text;
	size_t size;
};

struct field {
	const char *key;
	bool list;
};

static const struct field file_fields[] = {
	{ "AuditLog", false },
	{ "EventLog", false },
	{ "Mode", false },
	{ NULL, false },
};

static const struct field queue_fields[] = {
	{ "ClaimTimeout", false },     { "DefaultShare", false },
	{ "GraceTime", false },        { "IdleResourceAssignment", false },
	{ "InShareOrder", false },     { "NeverFits", false },
	{ "NonRequeueBorrow", false }, { "UntypedGpus", false },
	{ "VictimOrder", true },       { NULL, false },
};

static const struct field share_fields[] = {
	{ "BorrowGpus", true },  { "GraceTime", false },
	{ "LendLimit", true },   { "MaxUserPriority", false },
	{ "MinRuntime", false }, { "Note", false },
	{ "Owner", false },      { "PreemptRetries", false },
	{ NULL, false },
};

static int begin(struct line *line, struct qs_import_run *run,
		 const struct qs_aws_source *source)
{
	*line = (struct line){ .run = run, .source = source };
	line->file = open_memstream(&line->text, &line->size);
	return line->file ? 0 : qs_error_memory(run->err);
}

/* Ends it and gives it to the run; rc is passed on. */
static int end(struct line *line, int rc)
{
	struct qs_import_run *run = line->run;
	struct qs_import_line *lines = NULL;

	if (fclose(line->file) && !rc)
		rc = qs_error_memory(run->err);
	if (!rc)
		lines = realloc(run->lines, (run->nlines + 1) * sizeof(*lines));
	if (!lines) {
		free(line->text);
		return rc ? rc : qs_error_memory(run->err);
	}
	run->lines = lines;
	lines[run->nlines++] =
		(struct qs_import_line){ line->text, line->source };
	return 0;
}

static void put_quoted(struct line *line, const char *key, const char *value)
{
	fprintf(line->file, " %s=\"", key);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			putc('\\', line->file);
		putc(*value, line->file);
	}
	putc('"', line->file);
}

/* The value of a tag. *value NULL: there is none; else the caller's. */
static int get_tag(const struct line *line, const struct qs_aws_tags *tags,
		   const struct field *field, char **value)
{
	const struct qs_aws_tag *tag;
	char key[QS_AWS_KEY_MAX + 8];

	*value = qs_tags_get(tags, field->key, NULL, field->list, &tag);
	if (*value || !errno)
		return 0;
	if (errno == ENOMEM)
		return qs_error_memory(line->run->err);
	snprintf(key, sizeof(key), "tags.%s", tag->key);
	return qs_import_fail(line->run, line->source, key, tag->value, NULL,
			      NULL, "=HH for special characters");
}

/* A plain Owner or Note that people wrote in AWS may be what ours cannot. */
static bool is_text(const char *value)
{
	for (const char *c = value; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
			return false;
	return qs_value_is_note(value);
}

static int put_tag(struct line *line, const struct qs_aws_tags *tags,
		   const struct field *field)
{
	char *value;

	if (get_tag(line, tags, field, &value))
		return -1;
	if (value && (!qs_aws_tags_find(tags, field->key) || is_text(value)))
		put_quoted(line, field->key, value);
	free(value);
	return 0;
}

static int put_tags(struct line *line, const struct qs_aws_tags *tags,
		    const struct field *fields)
{
	for (; fields->key; fields++)
		if (put_tag(line, tags, fields))
			return -1;
	return 0;
}

/* Of all queues together: each export says it with every queue. */
static int add_file_field(struct qs_import_run *run, const struct field *field)
{
	char *first = NULL;
	struct line line;
	int rc = 0;

	for (size_t q = 0; !rc && q < run->nqueues; q++) {
		const struct qs_aws_queue *queue = run->queues[q].queue;
		char *value = NULL;

		if (!queue)
			continue;
		line = (struct line){ .run = run, .source = &queue->source };
		rc = get_tag(&line, &queue->tags, field, &value);
		if (!rc && value && first && strcmp(first, value))
			rc = qs_import_fail(run, &queue->source, "tags", value,
					    "two queues differ in a key of the "
					    "whole file",
					    NULL,
					    "the same %s with all queues; "
					    "--queue imports one",
					    field->key);
		if (!rc && value && !first) {
			rc = begin(&line, run, &queue->source);
			if (!rc) {
				put_quoted(&line, field->key, value);
				rc = end(&line, 0);
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
	struct line line;

	if (begin(&line, run, NULL))
		return -1;
	fprintf(line.file, "GpuType=%s Instance=%s", unit->type, unit->unit);
	if (unit->slurm)
		put_quoted(&line, "Slurm", unit->slurm);
	return end(&line, 0);
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
static int put_pool(struct line *line, const struct qs_import_queue *queue)
{
	static const struct field capacity = { "Capacity", true };
	struct qs_import_run *run = line->run;
	const char *separator = " Capacity=";
	char *tag = NULL;

	if (queue->queue && get_tag(line, &queue->queue->tags, &capacity, &tag))
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

static int put_partitions(struct line *line,
			  const struct qs_import_queue *queue)
{
	static const struct field partitions = { "Partitions", true };
	char *value = NULL;

	if (queue->queue &&
	    get_tag(line, &queue->queue->tags, &partitions, &value))
		return -1;
	if (value) {
		put_quoted(line, partitions.key, value);
	} else if (line->run->nqueues > 1) {
		qs_notes_add(line->run->notes, QS_NOTE_REMARK, queue->name,
			     NULL, "Partitions",
			     "AWS has none: a partition of the queue's name "
			     "stands in for them");
		put_quoted(line, partitions.key, queue->name);
	}
	free(value);
	return 0;
}

static int add_queue(struct qs_import_run *run,
		     const struct qs_import_queue *queue)
{
	const struct qs_aws_queue *document = queue->queue;
	struct line line;
	int rc;

	if (begin(&line, run, document ? &document->source : NULL))
		return -1;
	fprintf(line.file, "Queue=%s", queue->name);
	if (document && !document->enabled)
		fputs(" State=DISABLED", line.file);
	rc = put_partitions(&line, queue);
	if (!rc)
		rc = put_pool(&line, queue);
	if (!rc && document)
		rc = put_tags(&line, &document->tags, queue_fields);
	return end(&line, rc);
}

/* Has another share of the queue the account, by a tag or by its name? Of two
 * shares with the same name but for case the first has it. */
static int is_taken(const struct line *line, const struct qs_aws_share *share,
		    const char *account, bool *taken)
{
	static const struct field accounts = { "Accounts", true };
	const struct qs_setup *setup = line->run->setup;

	*taken = false;
	for (size_t s = 0; s < setup->nshares && !*taken; s++) {
		const struct qs_aws_share *other = &setup->shares[s];
		const char *at, *name;
		char *value;
		int64_t n;

		if (other == share || strcmp(other->queue, share->queue))
			continue;
		if (get_tag(line, &other->tags, &accounts, &value))
			return -1;
		if (!value)
			*taken = other < share &&
				 !strcasecmp(other->name, account);
		at = value;
		while ((n = qs_value_next(&at, &name)) >= 0)
			if ((size_t)n == strlen(account) &&
			    !strncasecmp(name, account, (size_t)n))
				*taken = true;
		free(value);
	}
	return 0;
}

static int put_accounts(struct line *line, const struct qs_aws_share *share)
{
	static const struct field accounts = { "Accounts", true };
	char account[QS_NAME_MAX + 1] = "", *value;
	bool taken;

	if (get_tag(line, &share->tags, &accounts, &value))
		return -1;
	if (value) {
		/* a tag without a value: the share has no account */
		if (*value)
			put_quoted(line, accounts.key, value);
		free(value);
		return 0;
	}
	for (size_t i = 0; share->name[i]; i++)
		account[i] = (char)tolower((unsigned char)share->name[i]);
	if (is_taken(line, share, account, &taken))
		return -1;
	if (taken)
		qs_notes_add(line->run->notes, QS_NOTE_REMARK, share->queue,
			     share->name, "Accounts",
			     "another share has the account %s, so this one "
			     "has none: name one",
			     account);
	else
		fprintf(line->file, " Accounts=%s", account);
	return 0;
}

/* False if nothing is left of its limits. */
static bool put_capacity(struct line *line, const struct qs_aws_share *share)
{
	const char *separator = " Capacity=";
	const struct qs_import_run *run = line->run;

	for (size_t u = 0; u < run->nunits; u++) {
		const struct qs_import_unit *unit = &run->units[u];
		int64_t gpus;

		if (!unit->type || !qs_import_unit_is_main(run, unit))
			continue;
		gpus = qs_import_gpus(run, &share->limits, unit->type);
		if (!gpus)
			continue;
		fprintf(line->file, "%s%s:%" PRId64, separator, unit->type,
			gpus);
		separator = ",";
	}
	return *separator == ',';
}

/* Somebody changed the strategy in AWS and left our tag there. */
static bool is_stale(const struct qs_aws_share *share, const char *key)
{
	if (!strcmp(key, "BorrowGpus"))
		return share->strategy != QS_STRATEGY_LEND_AND_BORROW;
	return !strcmp(key, "LendLimit") &&
	       share->strategy == QS_STRATEGY_RESERVE;
}

static int put_share_tags(struct line *line, const struct qs_aws_share *share)
{
	for (const struct field *f = share_fields; f->key; f++) {
		const struct qs_aws_tag *tag;

		if (!is_stale(share, f->key)) {
			if (put_tag(line, &share->tags, f))
				return -1;
			continue;
		}
		free(qs_tags_get(&share->tags, f->key, NULL, f->list, &tag));
		if (tag)
			qs_notes_add(line->run->notes, QS_NOTE_LOST,
				     share->queue, share->name, f->key,
				     "its tag has no meaning with %s",
				     qs_strategy_name(share->strategy));
	}
	return 0;
}

static int add_share(struct qs_import_run *run,
		     const struct qs_aws_share *share)
{
	struct line line;
	int rc;

	if (begin(&line, run, &share->source))
		return -1;
	fprintf(line.file, "Share=%s Queue=%s Strategy=%s InSharePreemption=%s",
		share->name, share->queue, qs_strategy_name(share->strategy),
		share->in_share_preemption ? "YES" : "NO");
	if (share->borrow_limit.set)
		fprintf(line.file, " BorrowLimit=%" PRId64,
			share->borrow_limit.value);
	if (!share->enabled)
		fputs(" State=DISABLED", line.file);
	if (!put_capacity(&line, share)) {
		qs_notes_add(run->notes, QS_NOTE_ROUNDED, share->queue,
			     share->name, NULL,
			     "nothing is left of its limits: left out");
		fclose(line.file);
		free(line.text);
		return 0;
	}
	rc = put_accounts(&line, share);
	if (!rc)
		rc = put_share_tags(&line, share);
	return end(&line, rc);
}

/* Names are unique in AWS's queue, but in a file they are in all queues. */
static int check_names(struct qs_import_run *run)
{
	const struct qs_setup *setup = run->setup;

	for (size_t s = 0; s < setup->nshares; s++)
		for (size_t o = 0; o < s; o++) {
			const struct qs_aws_share *a = &setup->shares[o];
			const struct qs_aws_share *b = &setup->shares[s];

			if (strcmp(a->name, b->name) ||
			    !qs_import_has(run, a) || !qs_import_has(run, b))
				continue;
			return qs_import_fail(
				run, &b->source, "quotaShareName", b->name,
				"a share of two queues", NULL,
				"a name that no share of queue %.80s has; "
				"--queue imports one queue",
				a->queue);
		}
	return 0;
}

int qs_import_lines(struct qs_import_run *run)
{
	if (check_names(run))
		return -1;
	for (const struct field *f = file_fields; f->key; f++)
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
	for (size_t s = 0; s < run->setup->nshares; s++)
		if (qs_import_has(run, &run->setup->shares[s]) &&
		    add_share(run, &run->setup->shares[s]))
			return -1;
	return 0;
}
