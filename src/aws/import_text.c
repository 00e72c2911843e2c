/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_text.c - an imported policy as a commented file
 *
 * Called by import.c. Never blocks. The policy's own printer writes the lines,
 * so that they are what any other policy looks like; comments go between.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/import_run.h"

/* Where a line of a comment is broken. */
#define MARGIN 72

static void put_file_name(FILE *to, const char *name)
{
	char text[256];

	qs_error_copy(text, sizeof(text), name);
	fprintf(to, "#   %s\n", text);
}

/* Bytes of the text that go into one line: to the last blank before the
 * margin, else to the first one behind it. */
static size_t line_length(const char *text)
{
	size_t n = strlen(text), last = 0;

	if (n <= MARGIN)
		return n;
	for (size_t i = 0; i < n && (i <= MARGIN || !last); i++)
		if (text[i] == ' ')
			last = i;
	return last ? last : n;
}

static void put_wrapped(FILE *to, const char *text)
{
	const char *indent = "#   - ";

	while (*text) {
		size_t n = line_length(text);

		fprintf(to, "%s%.*s\n", indent, (int)n, text);
		text += n;
		text += strspn(text, " ");
		indent = "#     ";
	}
}

/* How the same documents come out again. */
static void put_export(FILE *to, const struct qs_import_run *run)
{
	const struct qs_setup *setup = run->setup;
	const struct qs_aws_queue *queue = run->queues[0].queue;

	fputs("#\n# The way back: qshare export --aws", to);
	if (setup->region)
		fprintf(to, " --region %s", setup->region);
	if (setup->account)
		fprintf(to, " --account %s", setup->account);
	if (run->nqueues == 1 && queue) {
		if (queue->policy && strcmp(queue->policy, queue->name))
			fprintf(to, " \\\n#   --scheduling-policy %s",
				queue->policy);
		if (queue->environment &&
		    strcmp(queue->environment, queue->name))
			fprintf(to, " \\\n#   --environment %s",
				queue->environment);
		if (queue->priority != 1)
			fprintf(to, " --priority %" PRId64, queue->priority);
	}
	putc('\n', to);
}

static void put_head(FILE *to, const struct qs_import_run *run)
{
	fputs("# quota_share.conf, made by qshare import --aws from\n", to);
	for (size_t f = 0; f < run->setup->nfiles; f++)
		put_file_name(to, run->setup->files[f]);
	if (run->notes->n)
		fputs("#\n# Not taken over, or not the same here:\n", to);
	for (size_t i = 0; i < run->notes->n; i++) {
		char *line = qs_note_line(&run->notes->items[i]);

		if (line)
			put_wrapped(to, line);
		else
			run->notes->failed = true;
		free(line);
	}
	put_export(to, run);
}

/* The word behind KEY= at the beginning of a printed line; the caller's. */
static char *word_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	return strncmp(line, key, n) ?
		       NULL :
		       strndup(line + n, strcspn(line + n, " \\\n"));
}

static void comment_type(FILE *to, const struct qs_import_run *run,
			 const char *name)
{
	fputs("\n# Spell the type as gres.conf does; Slurm= lists other "
	      "spellings.\n",
	      to);
	for (size_t u = 0; u < run->nunits; u++)
		if (run->units[u].type && !strcmp(run->units[u].type, name))
			fprintf(to, "# 1 %s: %" PRIu32 " GPU%s\n",
				run->units[u].unit, run->units[u].gpus,
				run->units[u].gpus == 1 ? "" : "s");
}

static void put_limits(FILE *to, const struct qs_aws_limits *limits)
{
	for (size_t i = 0; i < limits->n; i++)
		fprintf(to, "%s%" PRId64 " %s", i ? ", " : "",
			limits->items[i].max, limits->items[i].unit);
	putc('\n', to);
}

static void comment_queue(FILE *to, const struct qs_import_run *run,
			  const char *name)
{
	fprintf(to, "\n# job queue %s", name);
	for (size_t q = 0; q < run->nqueues; q++) {
		const struct qs_aws_environment *environment =
			run->queues[q].environment;

		if (strcmp(run->queues[q].name, name) || !environment)
			continue;
		fprintf(to, ", service environment %s: ", environment->name);
		put_limits(to, &environment->limits);
		return;
	}
	putc('\n', to);
}

static void comment_share(FILE *to, const struct qs_import_run *run,
			  const char *name)
{
	for (size_t s = 0; s < run->setup->nshares; s++) {
		const struct qs_aws_share *share = &run->setup->shares[s];

		if (strcmp(share->name, name) || !qs_import_has(run, share))
			continue;
		fprintf(to, "\n# quota share %s: ", name);
		put_limits(to, &share->limits);
	}
}

static const struct {
	const char *key;
	void (*comment)(FILE *to, const struct qs_import_run *run,
			const char *name);
} comments[] = {
	{ "GpuType=", comment_type },
	{ "Queue=", comment_queue },
	{ "Share=", comment_share },
};

/* Before a line that begins something; continued lines begin with blanks. */
static bool put_comment(FILE *to, const struct qs_import_run *run,
			const char *line)
{
	for (size_t c = 0; c < sizeof(comments) / sizeof(*comments); c++) {
		char *word = word_of(line, comments[c].key);

		if (!word)
			continue;
		comments[c].comment(to, run, word);
		free(word);
		return true;
	}
	return false;
}

char *qs_import_text(const struct qs_import_run *run,
		     const struct qs_policy *policy)
{
	char *plain = qs_conf_print(policy), *text = NULL;
	FILE *to = plain ? open_memstream(&text, &(size_t){ 0 }) : NULL;
	const char *at = plain;

	if (!to) {
		free(plain);
		qs_error_memory(run->err);
		return NULL;
	}
	put_head(to, run);
	while (*at) {
		size_t n = strcspn(at, "\n");

		/* comments begin with an empty line */
		if (!put_comment(to, run, at) && at == plain)
			putc('\n', to);
		fprintf(to, "%.*s\n", (int)n, at);
		at += n + (at[n] == '\n');
	}
	free(plain);
	if (!fclose(to) && !run->notes->failed)
		return text;
	free(text);
	qs_error_memory(run->err);
	return NULL;
}
