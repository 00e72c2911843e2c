/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_shares.c - the Share lines of an imported file
 *
 * Called by import_lines.c. Never blocks.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "aws/import_line.h"
#include "aws/tags.h"
#include "conf/values.h"

static const struct qs_field share_fields[] = {
	{ "BorrowGpus", true },  { "GraceTime", false },
	{ "LendLimit", true },   { "MaxUserPriority", false },
	{ "MinRuntime", false }, { "Note", false },
	{ "Owner", false },      { "PreemptRetries", false },
	{ NULL, false },
};

/* Has another share of the queue the account, by a tag or by its name? Of two
 * shares with the same name but for case the first has it. */
static int is_taken(const struct qs_line *line,
		    const struct qs_aws_share *share, const char *account,
		    bool *taken)
{
	const struct qs_setup *setup = line->run->setup;

	*taken = false;
	for (size_t s = 0; s < setup->nshares && !*taken; s++) {
		const struct qs_aws_share *other = &setup->shares[s];
		const char *at, *name;
		char *value;
		int64_t n;

		if (other == share || strcmp(other->queue, share->queue))
			continue;
		if (qs_line_list(line, &other->tags, "Accounts", &value))
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

static int put_accounts(struct qs_line *line, const struct qs_aws_share *share)
{
	char account[QS_NAME_MAX + 1] = "", *value;
	bool taken;

	if (qs_line_list(line, &share->tags, "Accounts", &value))
		return -1;
	if (value) {
		/* a tag without a value: the share has no account */
		if (*value)
			qs_line_quoted(line, "Accounts", value);
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
static bool put_capacity(struct qs_line *line, const struct qs_aws_share *share)
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

static int put_share_tags(struct qs_line *line,
			  const struct qs_aws_share *share)
{
	for (const struct qs_field *f = share_fields; f->key; f++) {
		const struct qs_aws_tag *tag;

		if (!is_stale(share, f->key)) {
			if (qs_line_put_tag(line, &share->tags, f, share->name))
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
	struct qs_line line;
	int rc;

	if (qs_line_begin(&line, run, &share->source))
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
	return qs_line_end(&line, rc);
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

int qs_import_shares(struct qs_import_run *run)
{
	if (check_names(run))
		return -1;
	for (size_t s = 0; s < run->setup->nshares; s++)
		if (qs_import_has(run, &run->setup->shares[s]) &&
		    add_share(run, &run->setup->shares[s]))
			return -1;
	return 0;
}
