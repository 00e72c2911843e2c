/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_text_test.c - what every spelling of a GPU request means (R2, R2a)
 *
 * The counts of group core were seen on a real slurmctld: what select/cons_tres
 * allocated for the spelling in the row's name.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/request_text.h"

#include "suite.h"

struct row {
	const char *name;
	const char *text[QS_PERS]; /* job, node, socket, task */
	struct qs_shape shape;
	uint32_t nodes;
	const char *type; /* of the term that counts */
	uint64_t gpus;
};

static const struct row rows[] = {
	{ "-N2 --gres=gpu:a100:2",
	  { [QS_PER_NODE] = "gres:gpu:a100:2" },
	  { .min_nodes = 2, .max_nodes = 2, .tasks = 2 },
	  2,
	  "a100",
	  4 },
	{ "-N1 --gres=gpu:a100",
	  { [QS_PER_NODE] = "gres:gpu:a100" },
	  { .min_nodes = 1 },
	  1,
	  "a100",
	  1 },
	{ "--gres=gpu:2", { [QS_PER_NODE] = "gres:gpu:2" }, { 0 }, 1, "", 2 },
	{ "--gres=gpu", { [QS_PER_NODE] = "gres:gpu" }, { 0 }, 1, "", 1 },
	{ "--gpus=a100:6", { "gres:gpu:a100:6" }, { 0 }, 2, "a100", 6 },
	{ "--gpus=6", { "gres:gpu:6" }, { 0 }, 2, "", 6 },
	{ "-n4 --gpus-per-task=1",
	  { [QS_PER_TASK] = "gres:gpu:1" },
	  { .tasks = 4 },
	  1,
	  "",
	  4 },
	{ "-n4 -N2 --gpus-per-task=a100:1",
	  { [QS_PER_TASK] = "gres:gpu:a100:1" },
	  { .tasks = 4, .min_nodes = 2, .max_nodes = 2 },
	  2,
	  "a100",
	  4 },
	{ "-N2 --gpus-per-task=a100:1",
	  { [QS_PER_TASK] = "gres:gpu:a100:1" },
	  { .min_nodes = 2, .max_nodes = 2 },
	  2,
	  "a100",
	  2 },
	{ "-N2 --ntasks-per-node=2 --gpus-per-task=a100:1",
	  { [QS_PER_TASK] = "gres:gpu:a100:1" },
	  { .min_nodes = 2, .max_nodes = 2, .tasks_per_node = 2 },
	  2,
	  "a100",
	  4 },
	{ "-N2 --gpus-per-node=a100:2",
	  { [QS_PER_NODE] = "gres:gpu:a100:2" },
	  { .min_nodes = 2, .max_nodes = 2 },
	  2,
	  "a100",
	  4 },
	{ "-N2 --gpus-per-socket=a100:1 --sockets-per-node=2",
	  { [QS_PER_SOCKET] = "gres:gpu:a100:1" },
	  { .min_nodes = 2, .max_nodes = 2, .sockets_per_node = 2 },
	  2,
	  "a100",
	  4 },
	{ "--gpus-per-socket=a100:1 --sockets-per-node=2",
	  { [QS_PER_SOCKET] = "gres:gpu:a100:1" },
	  { .sockets_per_node = 2 },
	  1,
	  "a100",
	  2 },
	{ "--gpus=a100:4 --gpus-per-node=a100:2",
	  { "gres:gpu:a100:4", "gres:gpu:a100:2" },
	  { 0 },
	  2,
	  "a100",
	  4 },
	{ "--gpus=a100:4 --gpus-per-task=a100:2",
	  { [QS_PER_JOB] = "gres:gpu:a100:4",
	    [QS_PER_TASK] = "gres:gpu:a100:2" },
	  { .tasks = 2 },
	  1,
	  "a100",
	  4 },
	{ "-n2 --gpus-per-node=a100:1 --gpus-per-task=a100:1",
	  { [QS_PER_NODE] = "gres:gpu:a100:1",
	    [QS_PER_TASK] = "gres:gpu:a100:1" },
	  { .tasks = 2 },
	  1,
	  "a100",
	  2 },
	{ "--gres=gpu:a100:1,gpu:a100:2, the last one holds",
	  { [QS_PER_NODE] = "gres:gpu:a100:1,gres:gpu:a100:2" },
	  { 0 },
	  1,
	  "a100",
	  2 },
	{ "--gres=gpu:a100:2,gpu:a100:1, the last one holds",
	  { [QS_PER_NODE] = "gres:gpu:a100:2,gres:gpu:a100:1" },
	  { 0 },
	  1,
	  "a100",
	  1 },
	{ "a zero does not undo an earlier count",
	  { [QS_PER_NODE] = "gres:gpu:a100:2,gres:gpu:a100:0" },
	  { 0 },
	  1,
	  "a100",
	  2 },
	{ "other gres beside it",
	  { [QS_PER_NODE] = "gres:shard:8,gres:gpu:a100:2,gres:mps:100" },
	  { 0 },
	  1,
	  "a100",
	  2 },
	{ "bare name", { [QS_PER_NODE] = "gpu:a100:2" }, { 0 }, 1, "a100", 2 },
	{ "later spelling",
	  { [QS_PER_NODE] = "gres/gpu:a100:2" },
	  { 0 },
	  1,
	  "a100",
	  2 },
	{ "later spelling of --tres-per-task",
	  { [QS_PER_TASK] = "cpu=8,gres/gpu:a100=2" },
	  { .tasks = 3 },
	  1,
	  "a100",
	  6 },
	{ "suffix k", { "gres:gpu:a100:1k" }, { 0 }, 1, "a100", 1024 },
	{ "suffix KB", { "gres:gpu:a100:2KB" }, { 0 }, 1, "a100", 2000 },
	{ "suffix Mib", { "gres:gpu:1Mib" }, { 0 }, 1, "", 1048576 },
	{ "a type of digits needs its count",
	  { "gres:gpu:3080:2" },
	  { 0 },
	  1,
	  "3080",
	  2 },
	{ "a type of digits alone is a count", /* Slurm reads it so */
	  { "gres:gpu:3080" },
	  { 0 },
	  1,
	  "",
	  3080 },
	{ "MIG profile",
	  { "gres:gpu:a100_3g.20gb:1" },
	  { 0 },
	  1,
	  "a100_3g.20gb",
	  1 },
	{ "type with capitals, dots and dashes",
	  { "gres:gpu:tesla_V100-SXM2.32gb:1" },
	  { 0 },
	  1,
	  "tesla_V100-SXM2.32gb",
	  1 },
	{ "more than any count can hold stays large",
	  { [QS_PER_NODE] = "gres:gpu:a100:4000000000" },
	  { 0 },
	  4,
	  "a100",
	  UINT32_MAX },
	{ "2^64 and more stays large",
	  { "gres:gpu:a100:99999999999999999999p" },
	  { 0 },
	  1,
	  "a100",
	  UINT32_MAX },
};

START_TEST(test_counts)
{
	const struct row *row = &rows[_i];
	struct qs_terms terms;

	qs_terms_init(&terms);
	for (int per = 0; per < QS_PERS; per++)
		ck_assert_msg(!qs_terms_parse(&terms, per, row->text[per]),
			      "%s: not read", row->name);
	qs_terms_complete(&terms, &row->shape);
	ck_assert_msg(terms.n == 1, "%s: %zu terms", row->name, terms.n);
	ck_assert_msg(!strcmp(terms.items[0].type, row->type), "%s: type '%s'",
		      row->name, terms.items[0].type);
	ck_assert_msg(qs_terms_untyped(&terms) == !row->type[0],
		      "%s: untyped or not", row->name);
	ck_assert_msg(qs_term_gpus(&terms.items[0], &row->shape, row->nodes) ==
			      row->gpus,
		      "%s: %llu GPUs", row->name,
		      (unsigned long long)qs_term_gpus(
			      &terms.items[0], &row->shape, row->nodes));
}
END_TEST

static const struct {
	const char *name, *text;
	size_t terms;
} no_gpus[] = {
	{ "NULL", NULL, 0 },
	{ "empty", "", 0 },
	{ "zero", "gres:gpu:0", 0 },
	{ "typed zero", "gres:gpu:a100:0", 0 },
	{ "only commas", ",,", 0 },
	{ "another gres", "gres:shard:2", 0 },
	{ "a name that begins with gpu", "gres:gpumem:2,gres:gpu_x", 0 },
	{ "licence", "license:matlab:2", 0 },
};

START_TEST(test_no_gpus)
{
	struct qs_terms terms;

	qs_terms_init(&terms);
	ck_assert_msg(!qs_terms_parse(&terms, QS_PER_NODE, no_gpus[_i].text),
		      "%s: not read", no_gpus[_i].name);
	ck_assert_msg(!terms.n, "%s: has terms", no_gpus[_i].name);
}
END_TEST

static const char *const malformed[] = {
	"gres:gpu:",         "gres:gpu::1",          "gres:gpu:a100:",
	"gres:gpu:a100:two", "gres:gpu:a100:2:3",    "gres:gpu:a100:2x",
	"gres:gpu:a100:-1",  "gpu:a100:1,gres:gpu:", "gpu:a100=",
};

START_TEST(test_malformed)
{
	struct qs_terms terms;

	qs_terms_init(&terms);
	errno = 0;
	ck_assert_msg(qs_terms_parse(&terms, QS_PER_NODE, malformed[_i]) == -1,
		      "'%s' was read", malformed[_i]);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(qs_terms_rewrite(malformed[_i], "a100"));
}
END_TEST

START_TEST(test_many_types)
{
	struct qs_terms terms;
	char type[32];

	qs_terms_init(&terms);
	for (int i = 0; i < QS_TERMS_MAX; i++) {
		snprintf(type, sizeof(type), "t%d", i);
		ck_assert_int_eq(qs_terms_set(&terms, QS_PER_JOB, type, 1), 0);
	}
	ck_assert_int_eq(qs_terms_set(&terms, QS_PER_NODE, "t3", 1), 0);
	ck_assert_int_eq(qs_terms_set(&terms, QS_PER_NODE, "one more", 1), -1);
	ck_assert_int_eq(errno, E2BIG);
}
END_TEST

/* A name too long for a term must not become the name of another type. */
START_TEST(test_long_type)
{
	char text[400] = "gres:gpu:";
	struct qs_terms terms;

	memset(text + 9, 'x', 300);
	strcpy(text + 309, ":2");
	qs_terms_init(&terms);
	ck_assert_int_eq(qs_terms_parse(&terms, QS_PER_JOB, text), 0);
	ck_assert_uint_eq(terms.n, 1);
	ck_assert_uint_eq(strlen(terms.items[0].type), QS_TERM_TYPE_MAX - 1);
	ck_assert_uint_eq(terms.items[0].per[QS_PER_JOB], 2);
}
END_TEST

static const struct {
	const char *name;
	struct qs_shape shape;
	uint64_t gpus;
} by_tasks[] = {
	{ "-n8 --ntasks-per-gpu=2", { .tasks = 8, .tasks_per_gpu = 2 }, 4 },
	{ "-N2 --ntasks-per-gpu=2",
	  { .min_nodes = 2, .max_nodes = 2, .tasks_per_gpu = 2 },
	  2 },
};

START_TEST(test_ntasks_per_gpu_alone)
{
	struct qs_terms terms;

	qs_terms_init(&terms);
	qs_terms_complete(&terms, &by_tasks[_i].shape);
	ck_assert_uint_eq(terms.n, 1);
	ck_assert(qs_terms_untyped(&terms));
	ck_assert_uint_eq(qs_term_gpus(&terms.items[0], &by_tasks[_i].shape, 1),
			  by_tasks[_i].gpus);
}
END_TEST

/* --ntasks-per-gpu beside a request changes tasks, not GPUs. */
START_TEST(test_ntasks_per_gpu_beside)
{
	const struct qs_shape shape = { .tasks_per_gpu = 2 };
	struct qs_terms terms;

	qs_terms_init(&terms);
	qs_terms_parse(&terms, QS_PER_JOB, "gres:gpu:a100:2");
	qs_terms_complete(&terms, &shape);
	ck_assert_uint_eq(terms.n, 1);
	ck_assert_uint_eq(qs_term_gpus(&terms.items[0], &shape, 1), 2);
}
END_TEST

START_TEST(test_by_node)
{
	struct qs_terms terms;

	qs_terms_init(&terms);
	ck_assert(!qs_terms_by_node(&terms));
	qs_terms_parse(&terms, QS_PER_NODE, "gres:gpu:a100:2");
	ck_assert(qs_terms_by_node(&terms));
	ck_assert_uint_eq(qs_terms_nodes(&terms), 0);
	qs_terms_parse(&terms, QS_PER_JOB, "gres:gpu:a100:6");
	ck_assert(!qs_terms_by_node(&terms));
	ck_assert_uint_eq(qs_terms_nodes(&terms), 3);
	qs_terms_parse(&terms, QS_PER_SOCKET, "gres:gpu:v100:1");
	ck_assert(qs_terms_by_node(&terms));
}
END_TEST

static const struct {
	const char *name, *text, *wanted;
} rewrites[] = {
	{ "one term", "gres:gpu:2", "gres:gpu:a100:2" },
	{ "no count", "gres:gpu", "gres:gpu:a100:1" },
	{ "bare", "gpu:2", "gpu:a100:2" },
	{ "later spelling", "gres/gpu:2", "gres/gpu:a100:2" },
	{ "beside another type", "gres:gpu:1,gres:gpu:h100:2",
	  "gres:gpu:a100:1,gres:gpu:h100:2" },
	{ "beside the same type they add up", "gres:gpu:1,gres:gpu:a100:2",
	  "gres:gpu:a100:3" },
	{ "the same type first", "gres:gpu:a100:2,gres:shard:1,gres:gpu:1",
	  "gres:gpu:a100:3,gres:shard:1" },
	{ "of two untyped ones the last holds", "gres:gpu:1,gres:gpu:2",
	  "gres:gpu:a100:2" },
	{ "a zero stays", "gres:gpu:0", "gres:gpu:0" },
	{ "a longer name is another type", "gres:gpu:1,gres:gpu:a100_3g.20gb:1",
	  "gres:gpu:a100:1,gres:gpu:a100_3g.20gb:1" },
	{ "suffix", "gres:gpu:1k", "gres:gpu:a100:1024" },
	{ "nothing to do", "gres:shard:4", "gres:shard:4" },
};

static const struct {
	const char *name, *text;
	bool parts;
} parts[] = {
	{ "a shard", "gres:shard:1", true },
	{ "a shard without a count", "gres:shard", true },
	{ "a typed shard, later spelling", "gres/shard:a100=2", true },
	{ "MPS beside a whole GPU", "gres:gpu:a100:1,gres:mps:50", true },
	{ "no shard at all", "gres:shard:0", false },
	{ "whole GPUs", "gres:gpu:a100:1", false },
	{ "another name that begins so", "gres:shards:1,gres:mpsx", false },
	{ "nothing", "", false },
};

START_TEST(test_parts)
{
	struct qs_terms terms;

	qs_terms_init(&terms);
	ck_assert(!qs_terms_parse(&terms, QS_PER_NODE, parts[_i].text));
	ck_assert_msg(terms.parts == parts[_i].parts, "%s", parts[_i].name);
}
END_TEST

START_TEST(test_rewrite)
{
	char *got = qs_terms_rewrite(rewrites[_i].text, "a100");

	ck_assert_ptr_nonnull(got);
	ck_assert_msg(!strcmp(got, rewrites[_i].wanted), "%s: '%s'",
		      rewrites[_i].name, got);
	free(got);
}
END_TEST

/* A pseudo random number below n; the same sequence on every machine. */
static unsigned draw(uint32_t *seed, unsigned n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 16) % n;
}

/*
 * Property: rewriting leaves no untyped GPU, asks as many GPUs of each other
 * type as before, and of the type what it and the untyped terms asked; a
 * second rewriting changes nothing.
 */
START_TEST(test_rewrite_property)
{
	static const char *const words[] = {
		"gres:gpu",        "gres:gpu:2",         "gpu:3",
		"gres:gpu:a100",   "gres:gpu:a100:2",    "gres/gpu:1",
		"gres:gpu:h100:2", "gres:gpu:a100_3g:1", "gres:shard:4",
		"gres:gpu:0",      "gres:gpu:a100:0",    "",
	};
	const struct qs_shape shape = { 0 };
	uint32_t seed = (uint32_t)_i;
	char text[512] = "", *once, *twice;
	uint64_t a100 = 0;
	struct qs_terms before, after;

	for (unsigned n = 1 + draw(&seed, 6); n; n--) {
		strcat(text, words[draw(&seed, ARRAY_LEN(words))]);
		if (n > 1)
			strcat(text, ",");
	}
	qs_terms_init(&before);
	qs_terms_init(&after);
	ck_assert_int_eq(qs_terms_parse(&before, QS_PER_NODE, text), 0);
	once = qs_terms_rewrite(text, "a100");
	ck_assert_ptr_nonnull(once);
	ck_assert_int_eq(qs_terms_parse(&after, QS_PER_NODE, once), 0);
	ck_assert_msg(!qs_terms_untyped(&after), "'%s' from '%s'", once, text);
	for (size_t i = 0; i < before.n; i++) {
		const struct qs_term *term = &before.items[i];
		uint64_t gpus = qs_term_gpus(term, &shape, 1), got = 0;

		if (!term->type[0] || !strcmp(term->type, "a100")) {
			a100 += gpus;
			continue;
		}
		for (size_t k = 0; k < after.n; k++)
			if (!strcmp(after.items[k].type, term->type))
				got = qs_term_gpus(&after.items[k], &shape, 1);
		ck_assert_msg(got == gpus, "'%s' from '%s'", once, text);
	}
	for (size_t k = 0; k < after.n; k++)
		if (!strcmp(after.items[k].type, "a100"))
			ck_assert_msg(qs_term_gpus(&after.items[k], &shape,
						   1) == a100,
				      "'%s' from '%s'", once, text);
	twice = qs_terms_rewrite(once, "a100");
	ck_assert_str_eq(twice, once);
	free(once);
	free(twice);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("request_text");
	TCase *core = tcase_create("core");
	TCase *limits = tcase_create("limits");
	TCase *bad = tcase_create("malformed");

	tcase_add_loop_test(core, test_counts, 0, ARRAY_LEN(rows));
	tcase_add_loop_test(core, test_no_gpus, 0, ARRAY_LEN(no_gpus));
	tcase_add_loop_test(core, test_ntasks_per_gpu_alone, 0,
			    ARRAY_LEN(by_tasks));
	tcase_add_test(core, test_ntasks_per_gpu_beside);
	tcase_add_test(core, test_by_node);
	tcase_add_loop_test(core, test_parts, 0, ARRAY_LEN(parts));
	tcase_add_loop_test(core, test_rewrite, 0, ARRAY_LEN(rewrites));
	tcase_add_loop_test(core, test_rewrite_property, 0, 200);
	tcase_add_test(limits, test_many_types);
	tcase_add_test(limits, test_long_type);
	tcase_add_loop_test(bad, test_malformed, 0, ARRAY_LEN(malformed));
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, limits);
	suite_add_tcase(suite, bad);
	return suite_run(suite);
}
