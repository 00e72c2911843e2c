/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.c - the keys of the policy file, and what a value of each may be
 *
 * Called by the policy reader. The tables are the one place to add a key:
 * reading, errors and suggestions follow; print.c and quota_share.conf(5)
 * must be told.
 */
#include "conf/keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/nearest.h"

const char *const qs_words_mode[] = { "ENFORCE", "OBSERVE", NULL };
const char *const qs_words_strategy[] = { "RESERVE", "LEND", "LEND_AND_BORROW",
					  NULL };
const char *const qs_words_order[] = { "STRICT", "BEST_EFFORT", NULL };
const char *const qs_words_assign[] = { "FIFO", "FAIR", NULL };
const char *const qs_words_state[] = { "ENABLED", "DISABLED", NULL };
const char *const qs_words_preemption[] = { "YES", "ENABLED", "NO", "DISABLED",
					    NULL };
const char *const qs_words_yes[] = { "YES", "NO", NULL };
const char *const qs_words_never[] = { "REJECT", "WAIT", NULL };
const char *const qs_words_victim[] = { "priority", "fit", "duration", NULL };

#define NAME    "letters, digits, - and _, at most 128 of them"
#define COUNTS  "TYPE:COUNT,... with counts from 0 to 1000000, each type once"
#define LIST    "names with commas between, without blanks, each once"
#define SECONDS .form = QS_FORM_NUMBER, .min = 0, .max = QS_SECONDS_MAX

static const struct qs_key file_keys[] = {
	{ .name = "AdminComment",
	  .form = QS_FORM_CHOICE,
	  .words = qs_words_yes },
	{ .name = "AuditLog", .form = QS_FORM_PATH },
	{ .name = "EventLog", .form = QS_FORM_PATH },
	{ .name = "Mode", .form = QS_FORM_CHOICE, .words = qs_words_mode },
	{ .name = NULL },
};

static const struct qs_key type_keys[] = {
	{ .name = "GpuType", .form = QS_FORM_WORD },
	{ .name = "Instance",
	  .form = QS_FORM_WORD,
	  .expected = "an AWS instance type, e.g. ml.p5.48xlarge" },
	{ .name = "Slurm", .form = QS_FORM_LIST },
	{ .name = NULL },
};

static const struct qs_key queue_keys[] = {
	{ .name = "Queue", .form = QS_FORM_NAME },
	{ .name = "Capacity", .form = QS_FORM_COUNTS },
	{ .name = "ClaimTimeout", SECONDS },
	{ .name = "DefaultShare", .form = QS_FORM_NAME },
	{ .name = "GraceTime", SECONDS },
	{ .name = "IdleResourceAssignment",
	  .form = QS_FORM_CHOICE,
	  .words = qs_words_assign },
	{ .name = "InShareOrder",
	  .form = QS_FORM_CHOICE,
	  .words = qs_words_order },
	{ .name = "NeverFits",
	  .form = QS_FORM_CHOICE,
	  .words = qs_words_never },
	{ .name = "NonRequeueBorrow",
	  .form = QS_FORM_CHOICE,
	  .words = qs_words_yes },
	{ .name = "Partitions", .form = QS_FORM_LIST },
	{ .name = "State", .form = QS_FORM_CHOICE, .words = qs_words_state },
	{ .name = "UntypedGpus",
	  .form = QS_FORM_WORD,
	  .expected = "REJECT or a type" },
	{ .name = "VictimOrder",
	  .form = QS_FORM_ORDER,
	  .expected = "priority,fit,duration in any order, each once" },
	{ .name = NULL },
};

static const struct qs_key share_keys[] = {
	{ .name = "Share", .form = QS_FORM_NAME },
	{ .name = "Accounts", .form = QS_FORM_LIST },
	{ .name = "BorrowGpus", .form = QS_FORM_COUNTS },
	{ .name = "BorrowLimit",
	  .form = QS_FORM_NUMBER,
	  .min = -1,
	  .max = INT32_MAX,
	  .expected = "-1 (unlimited) or a percentage from 0 to 2147483647" },
	{ .name = "Capacity", .form = QS_FORM_COUNTS, .required = true },
	{ .name = "GraceTime", SECONDS },
	{ .name = "InSharePreemption",
	  .form = QS_FORM_CHOICE,
	  .required = true,
	  .words = qs_words_preemption },
	{ .name = "LendLimit", .form = QS_FORM_COUNTS },
	{ .name = "MaxUserPriority",
	  .form = QS_FORM_NUMBER,
	  .min = 0,
	  .max = QS_PRIORITY_MAX },
	{ .name = "MinRuntime", SECONDS },
	{ .name = "Note", .form = QS_FORM_NOTE },
	{ .name = "Owner", .form = QS_FORM_NOTE },
	{ .name = "PreemptRetries",
	  .form = QS_FORM_NUMBER,
	  .min = 0,
	  .max = INT32_MAX },
	{ .name = "Queue", .form = QS_FORM_NAME },
	{ .name = "State", .form = QS_FORM_CHOICE, .words = qs_words_state },
	{ .name = "Strategy",
	  .form = QS_FORM_CHOICE,
	  .required = true,
	  .words = qs_words_strategy },
	{ .name = NULL },
};

const struct qs_key *qs_keys_of(enum qs_kind kind)
{
	switch (kind) {
	case QS_KIND_FILE:
		return file_keys;
	case QS_KIND_TYPE:
		return type_keys;
	case QS_KIND_QUEUE:
		return queue_keys;
	case QS_KIND_SHARE:
		break;
	}
	return share_keys;
}

static const struct qs_key *find(const struct qs_key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (!strcasecmp(keys->name, name))
			return keys;
	return NULL;
}

int qs_keys_victim_order(const char *text, enum qs_victim_step *order)
{
	const char *at = text, *element;
	unsigned seen = 0;
	int64_t n;
	int i = 0;

	while ((n = qs_value_next(&at, &element)) >= 0) {
		char word[16];
		int step;

		if (n >= (int64_t)sizeof(word) || i == QS_VICTIM_STEPS)
			return -1;
		memcpy(word, element, (size_t)n);
		word[n] = '\0';
		step = qs_value_word(word, qs_words_victim);
		if (step < 0 || seen & 1u << step)
			return -1;
		seen |= 1u << step;
		order[i++] = (enum qs_victim_step)step;
	}
	return i == QS_VICTIM_STEPS ? 0 : -1;
}

/* Each element a word, none twice; words of a list compare exactly here. */
static bool is_list(const char *text)
{
	struct qs_names seen = { 0 };
	const char *at = text, *element;
	bool good = true;
	int64_t n;

	while (good && (n = qs_value_next(&at, &element)) >= 0) {
		good = qs_value_is_word(element, (size_t)n) &&
		       !qs_names_add(&seen, element, (size_t)n);
		for (size_t i = 0; good && i + 1 < seen.n; i++)
			good = strcmp(seen.items[i], seen.items[seen.n - 1]) !=
			       0;
	}
	qs_names_clear(&seen);
	return good;
}

static bool is_counts(const char *text)
{
	struct qs_names seen = { 0 };
	const char *at = text, *type;
	bool good = true;
	uint32_t count;
	size_t n;
	int rc;

	while (good && (rc = qs_value_next_count(&at, &type, &n, &count))) {
		good = rc > 0 && !qs_names_add(&seen, type, n);
		for (size_t i = 0; good && i + 1 < seen.n; i++)
			good = strcmp(seen.items[i], seen.items[seen.n - 1]) !=
			       0;
	}
	qs_names_clear(&seen);
	return good;
}

static bool is_number(const struct qs_key *key, const char *text)
{
	int64_t number;

	return !qs_value_number(text, &number) && number >= key->min &&
	       number <= key->max;
}

static bool is_good(const struct qs_key *key, const char *text)
{
	enum qs_victim_step order[QS_VICTIM_STEPS];

	switch (key->form) {
	case QS_FORM_COUNTS:
		return is_counts(text);
	case QS_FORM_LIST:
		return is_list(text);
	case QS_FORM_NAME:
		return qs_value_is_name(text);
	case QS_FORM_NOTE:
		return qs_value_is_note(text);
	case QS_FORM_NUMBER:
		return is_number(key, text);
	case QS_FORM_ORDER:
		return !qs_keys_victim_order(text, order);
	case QS_FORM_PATH:
		return text[0] == '/' && strlen(text) < 4096;
	case QS_FORM_WORD:
		return qs_value_is_word(text, strlen(text));
	case QS_FORM_CHOICE:
		return qs_value_word(text, key->words) >= 0;
	}
	return false;
}

static void expected(const struct qs_key *key, char *text, size_t size)
{
	size_t n = 0;

	if (key->expected) {
		snprintf(text, size, "%s", key->expected);
		return;
	}
	switch (key->form) {
	case QS_FORM_COUNTS:
		snprintf(text, size, "%s", COUNTS);
		return;
	case QS_FORM_LIST:
		snprintf(text, size, "%s", LIST);
		return;
	case QS_FORM_NAME:
		snprintf(text, size, "%s", NAME);
		return;
	case QS_FORM_NOTE:
		snprintf(text, size, "a text of 1 to %d bytes", QS_NOTE_MAX);
		return;
	case QS_FORM_NUMBER:
		snprintf(text, size,
			 "a whole number from %" PRId64 " to %" PRId64,
			 key->min, key->max);
		return;
	case QS_FORM_PATH:
		snprintf(text, size, "an absolute path");
		return;
	case QS_FORM_CHOICE:
		for (int i = 0; key->words[i] && n < size; i++)
			n += (size_t)snprintf(text + n, size - n, "%s%s",
					      i ? ", " : "one of ",
					      key->words[i]);
		return;
	case QS_FORM_ORDER:
	case QS_FORM_WORD:
		break;
	}
	snprintf(text, size, "a GPU type, as gres.conf spells it");
}

static int check_value(const struct qs_record *record,
		       const struct qs_token *token, const struct qs_key *key,
		       struct qs_error *err)
{
	struct qs_place at = qs_record_place(record, token);
	struct qs_nearest nearest;
	char text[256];

	if (is_good(key, token->value))
		return 0;
	qs_nearest_init(&nearest, token->value);
	if (key->form == QS_FORM_CHOICE)
		for (int i = 0; key->words[i]; i++)
			qs_nearest_offer(&nearest, key->words[i]);
	expected(key, text, sizeof(text));
	return qs_error_set(err, &at, NULL, qs_nearest_get(&nearest), "%s",
			    text);
}

static int check_required(const struct qs_record *record,
			  const struct qs_key *keys, struct qs_error *err)
{
	const struct qs_token *first = &record->tokens[0];
	char problem[QS_NAME_MAX + 64], text[256];

	for (const struct qs_key *key = keys; key->name; key++) {
		struct qs_place at = { record->file, record->line, key->name,
				       NULL };

		if (!key->required || qs_record_get(record, key->name))
			continue;
		snprintf(problem, sizeof(problem), "it is missing from %s=%s",
			 first->key, first->value);
		expected(key, text, sizeof(text));
		return qs_error_set(err, &at, problem, NULL, "%s", text);
	}
	return 0;
}

static int check_record(const struct qs_record *record, struct qs_error *err)
{
	const struct qs_key *keys = qs_keys_of((enum qs_kind)record->kind);
	const char *first = record->tokens[0].key;

	for (size_t i = 0; i < record->ntokens; i++) {
		const struct qs_token *token = &record->tokens[i];
		struct qs_place at = qs_record_place(record, token);
		const struct qs_key *key = find(keys, token->key);
		struct qs_nearest nearest;

		if (!key) {
			qs_nearest_init(&nearest, token->key);
			for (key = keys; key->name; key++)
				qs_nearest_offer(&nearest, key->name);
			return qs_error_set(err, &at, "unknown key",
					    qs_nearest_get(&nearest),
					    "a key of a %s line", first);
		}
		if (qs_record_get(record, token->key) != token)
			return qs_error_set(err, &at, "given twice", NULL,
					    "each key once in a %s line",
					    first);
		if (check_value(record, token, key, err))
			return -1;
	}
	return check_required(record, keys, err);
}

static int set_kind(struct qs_record *record, struct qs_error *err)
{
	const struct qs_token *token = &record->tokens[0];
	struct qs_place at = qs_record_place(record, token);
	struct qs_nearest nearest;

	if (!strcasecmp(token->key, "Queue")) {
		record->kind = QS_KIND_QUEUE;
	} else if (!strcasecmp(token->key, "Share")) {
		record->kind = QS_KIND_SHARE;
	} else if (!strcasecmp(token->key, "GpuType")) {
		record->kind = QS_KIND_TYPE;
	} else if (find(file_keys, token->key)) {
		record->kind = QS_KIND_FILE;
	} else {
		qs_nearest_init(&nearest, token->key);
		qs_nearest_offer(&nearest, "Queue");
		qs_nearest_offer(&nearest, "Share");
		qs_nearest_offer(&nearest, "GpuType");
		qs_nearest_offer(&nearest, "Include");
		for (const struct qs_key *key = file_keys; key->name; key++)
			qs_nearest_offer(&nearest, key->name);
		return qs_error_set(err, &at, "no line begins with this",
				    qs_nearest_get(&nearest),
				    "Queue, Share, GpuType, Mode, "
				    "AdminComment, AuditLog, EventLog or "
				    "Include");
	}
	return 0;
}

int qs_keys_check(struct qs_document *doc, struct qs_error *err)
{
	for (size_t i = 0; i < doc->nrecords; i++)
		if (set_kind(&doc->records[i], err) ||
		    check_record(&doc->records[i], err))
			return -1;
	return 0;
}
