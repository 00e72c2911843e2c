/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health_test.c - the lines about the queues, colour and bars
 *
 * The answers are canned: written here after the runtime's, not taken from a
 * running slurmctld.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/health.h"
#include "cli/online.h"

#include "canned.h"
#include "suite.h"

static const char canned[] =
	"{\"mode\":\"ENFORCE\",\"queues\":["
	"{\"queue\":\"train\",\"state\":\"ENABLED\",\"status\":\"VALID\","
	"\"healthy\":true,\"problems\":[]},"
	"{\"queue\":\"infer\",\"state\":\"DISABLED\",\"status\":\"INVALID\","
	"\"healthy\":false,\"problems\":["
	"{\"code\":\"POLICY_REJECTED\",\"text\":\"the file was refused\"},"
	"{\"code\":\"NODES_DOWN\",\"text\":\"1 node with GPUs is down\"}]}],"
	"\"shares\":[{\"share\":\"A\",\"queue\":\"train\",\"type\":\"h100\","
	"\"capacity\":4,\"limit\":8,\"used\":6,\"own\":4,\"borrowed\":2,"
	"\"lent\":0,\"idle\":0,\"over_limit\":0,\"waiting\":0,"
	"\"strategy\":\"LEND_AND_BORROW\"},"
	"{\"share\":\"B\",\"queue\":\"train\",\"type\":\"h100\","
	"\"capacity\":4,\"limit\":4,\"used\":1,\"own\":1,\"borrowed\":0,"
	"\"lent\":2,\"idle\":1,\"over_limit\":0,\"waiting\":0,"
	"\"strategy\":\"LEND\"}],\"totals\":[]}";

/* The output of print, the caller's (free). */
static char *health(const char *text, const char *queue,
		    const struct qs_cli_output *out, int *rc)
{
	struct canned c;

	canned_begin(&c, text);
	*rc = qs_health_print(c.answer, queue, out, c.out);
	return canned_end(&c);
}

START_TEST(for_people)
{
	const struct qs_cli_output out = { QS_TABLE_ALIGNED, true, false };
	int bad;
	char *text = health(canned, NULL, &out, &bad);

	ck_assert_int_eq(bad, 1);
	ck_assert_str_eq(text,
			 "Queue train:  ENABLED  VALID  healthy\n"
			 "Queue infer:  DISABLED  INVALID  not healthy, for "
			 "reasons:\n"
			 "  - the file was refused\n"
			 "  - 1 node with GPUs is down\n");
	free(text);
}
END_TEST

START_TEST(one_queue)
{
	const struct qs_cli_output out = { QS_TABLE_ALIGNED, true, false };
	int bad;
	char *text = health(canned, "train", &out, &bad);

	ck_assert_int_eq(bad, 0);
	ck_assert_str_eq(text, "Queue train:  ENABLED  VALID  healthy\n");
	free(text);
}
END_TEST

START_TEST(for_scripts)
{
	const struct qs_cli_output out = { QS_TABLE_PARSABLE, false, false };
	int bad;
	char *text = health(canned, NULL, &out, &bad);

	ck_assert_int_eq(bad, 1);
	ck_assert_str_eq(text, "train|ENABLED|VALID|yes||\n"
			       "infer|DISABLED|INVALID|no|POLICY_REJECTED|"
			       "the file was refused\n"
			       "infer|DISABLED|INVALID|no|NODES_DOWN|"
			       "1 node with GPUs is down\n");
	free(text);
}
END_TEST

START_TEST(in_colour)
{
	const struct qs_cli_output out = { QS_TABLE_ALIGNED, true, true };
	int bad;
	char *text = health(canned, "infer", &out, &bad);

	ck_assert_ptr_nonnull(strstr(text, "\033[31mINVALID\033[0m"));
	free(text);
}
END_TEST

START_TEST(answer_of_another_version)
{
	const struct qs_cli_output out = { QS_TABLE_ALIGNED, true, false };
	int bad;
	char *text = health("{\"shares\":[]}", NULL, &out, &bad);

	ck_assert_int_eq(bad, -1);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

static char *status(bool color)
{
	const struct qs_cli_output out = { QS_TABLE_ALIGNED, true, color };
	struct canned c;

	canned_begin(&c, canned);
	ck_assert_int_eq(qs_status_print(c.answer, "train", &out, c.out), 0);
	return canned_end(&c);
}

/* Without colour there is neither an escape nor a bar. */
START_TEST(health_is_before_the_table)
{
	char *text = status(false);

	ck_assert_int_eq(strncmp(text,
				 "Queue train:  ENABLED  VALID  healthy\n"
				 "SHARE",
				 43),
			 0);
	ck_assert(!strchr(text, '\033'));
	ck_assert(!strstr(text, "GPUS"));
	ck_assert(!strchr(text, '#'));
	free(text);
}
END_TEST

/* The locale of a test is C, so bars are in ASCII. */
START_TEST(bars)
{
	char *text = status(true);

	ck_assert_ptr_nonnull(strstr(text, "GPUS"));
	/* A: 4 own and 2 borrowed of the 6 that fill a bar */
	ck_assert_ptr_nonnull(
		strstr(text, "\033[32m#############\033[0m\033[33m+++++++"));
	/* B: 1 own, 2 lent, 1 idle */
	ck_assert_ptr_nonnull(strstr(text, "\033[32m###\033[0m\033[36m-------"
					   "\033[0m\033[2m...\033[0m"));
	ck_assert_ptr_nonnull(strstr(text, " borrowed  "));
	free(text);
}
END_TEST

static const struct {
	const char *name;
	int64_t gpus[QS_BAR_PARTS];
	int64_t whole;
	uint8_t parts[QS_BAR_PARTS];
} scales[] = {
	{ "nothing at all", { 0, 0, 0, 0, 0 }, 0, { 0, 0, 0, 0, 0 } },
	{ "half", { 2, 0, 0, 0, 2 }, 4, { 10, 0, 0, 0, 10 } },
	{ "one of many is seen",
	  { 1, 0, 0, 0, 999 },
	  1000,
	  { 1, 0, 0, 0, 19 } },
	{ "never longer than a bar",
	  { 1, 1, 1, 1, 996 },
	  1000,
	  { 1, 1, 1, 1, 16 } },
	{ "negative is nothing", { -3, 4, 0, 0, 0 }, 4, { 0, 20, 0, 0, 0 } },
	{ "more than the whole", { 9, 0, 0, 0, 0 }, 4, { 20, 0, 0, 0, 0 } },
};

START_TEST(scaling)
{
	struct qs_bar bar;

	qs_bar_scale(scales[_i].gpus, scales[_i].whole, &bar);
	ck_assert_msg(!memcmp(bar.parts, scales[_i].parts, sizeof(bar.parts)),
		      "%s: %d %d %d %d %d", scales[_i].name, bar.parts[0],
		      bar.parts[1], bar.parts[2], bar.parts[3], bar.parts[4]);
}
END_TEST

START_TEST(words_for_colour)
{
	bool color = false;

	ck_assert_int_eq(qs_style_when("always", stdout, &color), 0);
	ck_assert(color);
	ck_assert_int_eq(qs_style_when("never", stdout, &color), 0);
	ck_assert(!color);
	ck_assert_int_eq(qs_style_when(NULL, stdout, &color), 0);
	ck_assert(color);
	ck_assert_int_eq(qs_style_when("sometimes", stdout, &color), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("health and style");
	TCase *core = tcase_create("core");

	tcase_add_test(core, for_people);
	tcase_add_test(core, one_queue);
	tcase_add_test(core, for_scripts);
	tcase_add_test(core, in_colour);
	tcase_add_test(core, answer_of_another_version);
	tcase_add_test(core, health_is_before_the_table);
	tcase_add_test(core, bars);
	tcase_add_loop_test(core, scaling, 0, ARRAY_LEN(scales));
	tcase_add_test(core, words_for_colour);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
