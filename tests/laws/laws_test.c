/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * laws_test.c - the laws of one evaluation hold in random worlds
 *
 * By hand: QS_LAWS_N=100000 ./laws_test
 */
#include <check.h>
#include <string.h>

#include "../unit/suite.h"
#include "laws.h"
#include "seeds.h"

#define WORLDS 2000

static const struct {
	const char *name;
	law_property *law;
	struct law_taste taste;
} laws[] = {
	{ "law-1", law_1, { .nodes = true, .types = true, .extras = true } },
	{ "law-1-pool", law_1, { .many = true, .extras = true } },
	{ "law-2", law_2, { .nodes = true, .claims = true, .extras = true } },
	{ "law-2-pool",
	  law_2,
	  { .types = true, .many = true, .claims = true } },
	{ "law-3", law_3, { .nodes = true, .types = true, .extras = true } },
	{ "law-3-pool", law_3, { .many = true, .extras = true } },
	{ "law-4",
	  law_4,
	  { .nodes = true,
	    .types = true,
	    .many = true,
	    .claims = true,
	    .extras = true } },
	{ "law-4-pool",
	  law_4,
	  { .types = true, .many = true, .claims = true } },
	{ "law-5", law_5, { .nodes = true, .types = true } },
	{ "law-5-pool", law_5, { .many = true, .extras = true } },
	{ "law-8", law_8, { .many = true } },
	{ "law-8-types", law_8, { .many = true, .types = true } },
	{ "law-9", law_9, { .nodes = true, .types = true, .claims = true } },
	{ "law-11", law_11, { .many = true } },
	{ "law-12", law_12, { .many = true } },
	{ "law-14", law_14, { .nodes = true, .types = true, .many = true } },
	{ "law-15", law_15, { .many = true } },
	{ "law-16", law_16, { .types = true, .many = true, .claims = true } },
	{ "law-17", law_17, { .types = true, .many = true, .extras = true } },
	{ "turns", turns_are_true, { .types = true, .extras = true } },
	{ "never", never_is_never, { .types = true, .extras = true } },
};

START_TEST(test_law)
{
	law_met = 0;
	law_hunt(laws[_i].name, laws[_i].law, &laws[_i].taste, WORLDS);
	printf("  met %lu times\n", (unsigned long)law_met);
	ck_assert_uint_gt(law_met, law_seeds_number(WORLDS) / 20);
}
END_TEST

/* Found once, after many others: tried each time. */
static const struct {
	const char *what, *law;
	uint64_t seed;
} found[] = {
	{ "a victim on a drained node gives too little", "law-1", 28826086479 },
	{ "a job that ends on a drained node", "law-3", 60829182488 },
	{ "what a victim makes owed is asked of others", "law-3", 35234105703 },
	{ "an end makes something owed that victims pay", "law-5",
	  79039237118 },
};

START_TEST(test_found)
{
	size_t l = 0;

	while (strcmp(laws[l].name, found[_i].law))
		l++;
	law_hunt_one(laws[l].name, laws[l].law, &laws[l].taste, found[_i].seed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("laws");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 0);
	tcase_add_loop_test(core, test_law, 0, ARRAY_LEN(laws));
	tcase_add_loop_test(core, test_found, 0, ARRAY_LEN(found));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
