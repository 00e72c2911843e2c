/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_policy_test.c - import of an export is the same policy
 *
 * Properties over random policies. A policy is kept as lines of fields, so
 * that what a note tells as lost can be taken out of it: what is left must come
 * back to the last number, unset, 0 and -1 included (law 11). So a loss that
 * nobody tells of fails, and one that is told but did not happen fails too.
 */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws_help.h"
#include "suite.h"

#define SEEDS      100
#define TESTS      5
#define LINES_MAX  48
#define FIELDS_MAX 24

struct field {
	const char *key;
	char *value; /* as written; NULL: not there */
};

struct line {
	struct field fields[FIELDS_MAX];
	size_t n;
};

struct file {
	struct random random;
	struct line lines[LINES_MAX];
	size_t n;
	bool renamed; /* types may have names and aliases of the site's own */
};

/* The GPU model of the table, an instance type with it, GPUs in one. */
static const struct {
	const char *gpu, *instance, *own;
	unsigned gpus;
} types[] = {
	{ "a100", "ml.p4d.24xlarge", "A100.80gb", 8 },
	{ "a10g", "ml.g5.12xlarge", "a10g_pcie", 4 },
	{ "h100", "ml.p5.48xlarge", "nvidia_h100%80gb", 8 },
	{ "t4", "ml.g4dn.xlarge", "3080", 1 },
	{ "v100", "ml.p3.8xlarge", "tesla_v100-sxm2-32gb", 4 },
};

#define TYPES ARRAY_LEN(types)

static struct line *begin(struct file *f, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void put(struct line *line, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static char *format(const char *fmt, va_list args)
	__attribute__((format(printf, 1, 0)));
static char *format(const char *fmt, va_list args)
{
	char text[2000];

	ck_assert_int_lt(vsnprintf(text, sizeof(text), fmt, args),
			 (int)sizeof(text));
	return strdup(text);
}

static struct line *begin(struct file *f, const char *key, const char *fmt, ...)
{
	struct line *line = &f->lines[f->n];
	va_list args;

	ck_assert_uint_lt(f->n, LINES_MAX);
	f->n++;
	va_start(args, fmt);
	line->fields[0] = (struct field){ key, format(fmt, args) };
	va_end(args);
	line->n = 1;
	return line;
}

static void put(struct line *line, const char *key, const char *fmt, ...)
{
	va_list args;

	ck_assert_uint_lt(line->n, FIELDS_MAX);
	va_start(args, fmt);
	line->fields[line->n++] = (struct field){ key, format(fmt, args) };
	va_end(args);
}

static void drop(struct line *line, const char *key)
{
	for (size_t i = 0; i < line->n; i++)
		if (!strcmp(line->fields[i].key, key)) {
			free(line->fields[i].value);
			line->fields[i].value = NULL;
		}
}

static void drop_line(struct line *line)
{
	for (size_t i = 0; i < line->n; i++) {
		free(line->fields[i].value);
		line->fields[i].value = NULL;
	}
}

static char *text_of(const struct file *f)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (size_t l = 0; l < f->n; l++) {
		for (size_t i = 0; i < f->lines[l].n; i++)
			if (f->lines[l].fields[i].value)
				fprintf(file, "%s=%s ",
					f->lines[l].fields[i].key,
					f->lines[l].fields[i].value);
		putc('\n', file);
	}
	fclose(file);
	return text;
}

static void free_file(struct file *f)
{
	for (size_t l = 0; l < f->n; l++)
		for (size_t i = 0; i < f->lines[l].n; i++)
			free(f->lines[l].fields[i].value);
}

static const char *type_name(const struct file *f, unsigned t)
{
	return f->renamed ? types[t].own : types[t].gpu;
}

/* A list of TYPE:COUNT; NULL if it would be empty. each: GPUs of a type. */
static char *counts(struct file *f, unsigned mask, const unsigned *each)
{
	char text[1000] = "";
	size_t n = 0;

	for (unsigned t = 0; t < TYPES; t++)
		if (mask & 1u << t)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%s%s:%u", n ? "," : "",
					      type_name(f, t), each[t]);
	return n ? strdup(text) : NULL;
}

static void put_counts(struct file *f, struct line *line, const char *key,
		       unsigned mask, unsigned max)
{
	unsigned each[TYPES];
	char *list;

	for (unsigned t = 0; t < TYPES; t++)
		each[t] = pick(&f->random, max);
	list = counts(f, mask, each);
	if (list)
		put(line, key, "%s", list);
	free(list);
}

/* Sometimes more than a tag holds, sometimes with every special character. */
static void put_text(struct file *f, struct line *line, const char *key)
{
	static const char *const parts[] = {
		"a",        " ",        "#",    "\\\"",
		"\\\\",     "=",        ",",    "=2C",
		"\xc3\xa4", "\t",       "50 %", "\xe2\x82\xac",
		"Team B/2", "x@y.org:1"
	};
	unsigned n = pick(&f->random, 8) ? pick(&f->random, 12) : 120;
	char text[1400] = "\"x";

	while (n--)
		strcat(text, parts[pick(&f->random, ARRAY_LEN(parts))]);
	put(line, key, "%s\"", text);
}

static void random_types(struct file *f)
{
	for (unsigned t = 0; t < TYPES; t++) {
		struct line *line = begin(f, "GpuType", "%s", type_name(f, t));

		put(line, "Instance", "%s", types[t].instance);
		if (f->renamed && pick(&f->random, 2))
			put(line, "Slurm", "%s,%s_%u!", types[t].gpu,
			    types[t].own, t);
	}
	if (!pick(&f->random, 4))
		begin(f, "GpuType", "unused");
}

static void random_times(struct file *f, struct line *line)
{
	if (!pick(&f->random, 3))
		put(line, "GraceTime", "%u", pick(&f->random, 3) * 60);
}

static void random_queue(struct file *f, unsigned q)
{
	static const char *const orders[] = { "priority,fit,duration",
					      "fit,priority,duration",
					      "duration,fit,priority" };
	struct random *r = &f->random;
	struct line *line = begin(f, "Queue", "q%u", q);

	put(line, "Partitions", "p%u,R.%u", q, q);
	if (!pick(r, 3))
		put(line, "State", pick(r, 2) ? "ENABLED" : "DISABLED");
	if (!pick(r, 3))
		put(line, "NeverFits", pick(r, 2) ? "WAIT" : "REJECT");
	if (!pick(r, 3))
		put(line, "InShareOrder",
		    pick(r, 2) ? "BEST_EFFORT" : "STRICT");
	if (!pick(r, 3))
		put(line, "IdleResourceAssignment",
		    pick(r, 2) ? "FAIR" : "FIFO");
	if (!pick(r, 2))
		put(line, "VictimOrder", "%s", orders[pick(r, 3)]);
	random_times(f, line);
	if (!pick(r, 3))
		put(line, "ClaimTimeout", "%u", pick(r, 3) * 60);
	if (!pick(r, 3))
		put(line, "NonRequeueBorrow", pick(r, 2) ? "NO" : "YES");
	if (!pick(r, 3))
		put(line, "UntypedGpus", "REJECT");
}

static void random_accounts(struct file *f, struct line *line, unsigned s)
{
	struct random *r = &f->random;
	char list[1200] = "";

	switch (pick(r, 5)) {
	case 0:
		put(line, "Accounts", "s%u", s);
		break;
	case 1:
		put(line, "Accounts", "S%u", s);
		break;
	case 2:
		put(line, "Accounts", "a%u,B_%u,c%u!x", s, s, s);
		break;
	case 3:
		/* more than a tag holds */
		for (unsigned i = 0; i < 60; i++)
			snprintf(list + strlen(list),
				 sizeof(list) - strlen(list), "%sacct%u_%u",
				 i ? "," : "", s, i);
		put(line, "Accounts", "%s", list);
		break;
	default:
		break;
	}
}

static void random_share(struct file *f, unsigned s, unsigned queue,
			 unsigned *owned)
{
	static const char *const strategies[] = { "RESERVE", "LEND",
						  "LEND_AND_BORROW" };
	struct random *r = &f->random;
	unsigned strategy = pick(r, 3), mask = 1 + pick(r, (1 << TYPES) - 1);
	struct line *line = begin(f, "Share", "S%u", s);
	unsigned each[TYPES];
	char *list;

	put(line, "Queue", "q%u", queue);
	put(line, "Strategy", "%s", strategies[strategy]);
	put(line, "InSharePreemption", pick(r, 2) ? "YES" : "NO");
	for (unsigned t = 0; t < TYPES; t++) {
		each[t] = (1 + pick(r, 6)) * types[t].gpus;
		if (mask & 1u << t)
			owned[t] += each[t];
	}
	list = counts(f, mask, each);
	put(line, "Capacity", "%s", list);
	free(list);
	if (strategy == 2)
		put_counts(f, line, "BorrowGpus", mask & pick(r, 32), 5);
	if (strategy == 2 && pick(r, 4))
		put(line, "BorrowLimit", "%d", (int)pick(r, 4) - 1);
	if (strategy)
		put_counts(f, line, "LendLimit", mask & pick(r, 32), 5);
	random_accounts(f, line, s);
	random_times(f, line);
	if (!pick(r, 3))
		put(line, "State", "DISABLED");
	if (!pick(r, 3))
		put(line, "MinRuntime", "%u", pick(r, 3));
	if (!pick(r, 3))
		put(line, "PreemptRetries", "%u", pick(r, 3));
	if (!pick(r, 3))
		put(line, "MaxUserPriority", "%u", pick(r, 2) ? 9999 : 0);
	if (!pick(r, 2))
		put_text(f, line, "Owner");
	if (!pick(r, 2))
		put_text(f, line, "Note");
}

/* Some types' pool is what the shares own, some is more or less, some is not
 * said. A pool that is what they own is a field of its own: it can be lost
 * without the others. */
static void random_pool(struct file *f, struct line *queue,
			const unsigned *owned)
{
	unsigned same = 0, other = 0, each[TYPES];

	for (unsigned t = 0; t < TYPES; t++) {
		each[t] = owned[t];
		if (!pick(&f->random, 4) && owned[t])
			same |= 1u << t;
		if ((same & 1u << t) || pick(&f->random, 4))
			continue;
		each[t] = (1 + pick(&f->random, 9)) * types[t].gpus;
		if (each[t] != owned[t])
			other |= 1u << t;
	}
	/* All of the one kind: the two cannot share a key. */
	if (pick(&f->random, 2)) {
		char *list = counts(f, other, each);

		if (list)
			put(queue, "Capacity", "%s", list);
		free(list);
	} else {
		char *list = counts(f, same, each);

		if (list)
			put(queue, "Capacity", "%s", list);
		free(list);
	}
}

static void random_file(struct file *f, int seed, bool renamed)
{
	unsigned queues, shares = 0;

	memset(f, 0, sizeof(*f));
	f->random.state = (uint64_t)seed * 7919 + 1;
	pick(&f->random, 1);
	f->renamed = renamed;
	queues = 1 + pick(&f->random, 3);
	random_types(f);
	if (!pick(&f->random, 3))
		begin(f, "Mode", pick(&f->random, 2) ? "OBSERVE" : "ENFORCE");
	if (!pick(&f->random, 3))
		begin(f, "AdminComment", pick(&f->random, 2) ? "NO" : "YES");
	if (!pick(&f->random, 3))
		begin(f, "AuditLog", "\"/var/log/a b#\\\\c\"");
	if (!pick(&f->random, 3))
		begin(f, "EventLog", "/e,f");
	for (unsigned q = 0; q < queues; q++) {
		unsigned owned[TYPES] = { 0 }, n = 1 + pick(&f->random, 5);
		struct line *line;
		size_t at = f->n;

		random_queue(f, q);
		line = &f->lines[at];
		if (!pick(&f->random, 2))
			put(line, "DefaultShare", "S%u",
			    shares + pick(&f->random, n));
		for (unsigned s = 0; s < n; s++)
			random_share(f, shares + s, q, owned);
		random_pool(f, line, owned);
		shares += n;
	}
}

static struct line *find_line(struct file *f, const char *key,
			      const char *value)
{
	for (size_t l = 0; l < f->n; l++)
		if (f->lines[l].fields[0].value &&
		    !strcmp(f->lines[l].fields[0].key, key) &&
		    (!value || !strcmp(f->lines[l].fields[0].value, value)))
			return &f->lines[l];
	return NULL;
}

/* Does the line have the field at all? */
static bool has(const struct line *line, const char *key)
{
	for (size_t i = 0; line && i < line->n; i++)
		if (line->fields[i].value && !strcmp(line->fields[i].key, key))
			return true;
	return false;
}

static void forget_share(struct line *line, const struct qs_note *note)
{
	ck_assert_msg(has(line, note->key) || !strcmp(note->key, "Accounts"),
		      "%s of %s is told as lost, but was never there",
		      note->key, note->share);
	drop(line, note->key);
	/* import names the account after the share */
	if (!strcmp(note->key, "Accounts"))
		put(line, "Accounts", "s%s", note->share + 1);
}

static void forget_queue(struct file *f, const struct qs_note *note)
{
	struct line *line = find_line(f, "Queue", note->queue);

	/* keys of the whole file are told with every queue */
	if (!has(line, note->key) && find_line(f, note->key, NULL))
		line = find_line(f, note->key, NULL);
	if (has(line, note->key))
		drop(line, note->key);
	if (!strcmp(note->key, "Partitions"))
		put(line, "Partitions", "%s", note->queue);
}

/* Takes out of the file what the notes say is lost. */
static void forget(struct file *f, const struct qs_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		const struct qs_note *note = &notes->items[i];

		ck_assert_int_ne(note->kind, QS_NOTE_ROUNDED);
		if (note->kind != QS_NOTE_LOST)
			continue;
		if (note->share) {
			forget_share(find_line(f, "Share", note->share), note);
		} else if (note->queue) {
			forget_queue(f, note);
		} else {
			char name[64];

			/* "unused is not exported" */
			ck_assert_str_eq(note->key, "GpuType");
			snprintf(name, sizeof(name), "%.*s",
				 (int)strcspn(note->text, " "), note->text);
			ck_assert_ptr_nonnull(find_line(f, "GpuType", name));
			drop_line(find_line(f, "GpuType", name));
		}
	}
	/* One queue needs no Partitions; import leaves them out then. */
	if (!find_line(f, "Queue", "q1"))
		for (size_t i = 0; i < notes->n; i++)
			if (notes->items[i].kind == QS_NOTE_LOST &&
			    !strcmp(notes->items[i].key, "Partitions"))
				drop(find_line(f, "Queue", "q0"), "Partitions");
}

/* Each document by itself, or the bundle. */
static void import_files(struct import *import,
			 const struct qs_export_files *files, bool bundle)
{
	const char *texts[256];
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		const char *name = files->items[i].name;

		if (!strstr(name, ".json") ||
		    bundle != !strcmp(name, "bundle.json"))
			continue;
		ck_assert_uint_lt(n, ARRAY_LEN(texts));
		texts[n++] = files->items[i].text;
	}
	import_texts(import, texts, n, NULL);
}

static void check_round(struct file *f, int seed, bool tags)
{
	struct qs_export_options options = plain_export();
	struct qs_export_files files = { 0 };
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	char *text = text_of(f), *less, what[200] = "";
	struct qs_policy *policy = policy_of(text), *expected;
	struct import import;
	struct qs_error err;

	options.tags = tags;
	ck_assert_msg(!qs_export(policy, instance_table(), &options, &setup,
				 &notes, &err),
		      "seed %d: %s\n%s", seed, err.text, text);
	ck_assert_int_eq(qs_export_files_make(&setup, &notes, &files), 0);
	import_files(&import, &files, seed % 2);
	ck_assert_msg(!import.rc, "seed %d: %s\n%s", seed, import.err.text,
		      text);
	forget(f, &notes);
	less = text_of(f);
	expected = policy_of(less);
	ck_assert_msg(qs_conf_equal(expected, import.imported.policy, what,
				    sizeof(what)),
		      "seed %d: %s differs:\n%s\nfrom\n%s", seed, what,
		      import.imported.text, text);
	/* The text with its comments says the same as the policy. */
	qs_policy_free(policy);
	policy = policy_of(import.imported.text);
	ck_assert(qs_conf_equal(policy, import.imported.policy, NULL, 0));
	qs_policy_free(policy);
	qs_policy_free(expected);
	import_clear(&import);
	qs_export_files_clear(&files);
	qs_notes_clear(&notes);
	qs_setup_clear(&setup);
	free(text);
	free(less);
}

START_TEST(import_of_an_export_is_the_same)
{
	for (int i = 0; i < SEEDS; i++) {
		static struct file f;

		random_file(&f, _i * SEEDS + i, i % 3);
		check_round(&f, _i * SEEDS + i, true);
		free_file(&f);
	}
}
END_TEST

/* Then all that AWS cannot express is lost: the notes must name all of it. */
START_TEST(without_tags_what_is_told_is_all_that_is_lost)
{
	for (int i = 0; i < SEEDS; i++) {
		static struct file f;

		random_file(&f, _i * SEEDS + i, false);
		check_round(&f, _i * SEEDS + i, false);
		free_file(&f);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aws policy");
	TCase *properties = tcase_create("properties");

	tcase_set_timeout(properties, 60);
	tcase_add_loop_test(properties, import_of_an_export_is_the_same, 0,
			    TESTS);
	tcase_add_loop_test(properties,
			    without_tags_what_is_told_is_all_that_is_lost, 0,
			    TESTS);
	suite_add_tcase(suite, properties);
	return suite_run(suite);
}
