/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * online_test.c - how qshare shows the runtime's answers
 *
 * The answers are canned: written here after the runtime's, not taken from a
 * running slurmctld.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/online.h"

#include "canned.h"
#include "suite.h"

static const char canned_status[] =
	"{\"mode\":\"ENFORCE\",\"shares\":["
	"{\"share\":\"QS1\",\"queue\":\"train\",\"type\":\"a10g\","
	"\"capacity\":1,\"limit\":3,\"used\":2,\"own\":1,\"borrowed\":1,"
	"\"lent\":0,\"idle\":0,\"over_limit\":0,\"waiting\":1,"
	"\"strategy\":\"LEND_AND_BORROW\",\"state\":\"ENABLED\"},"
	"{\"share\":\"QS2\",\"queue\":\"train\",\"type\":\"a10g\","
	"\"capacity\":1,\"limit\":null,\"used\":0,\"own\":0,\"borrowed\":0,"
	"\"lent\":1,\"idle\":0,\"over_limit\":0,\"waiting\":0,"
	"\"strategy\":\"LEND\",\"state\":\"DISABLED\"}],"
	"\"totals\":[{\"queue\":\"train\",\"type\":\"a10g\",\"capacity\":3,"
	"\"in_service\":2,\"used\":2,\"own\":1,\"borrowed\":1,\"lent\":1,"
	"\"idle\":0,\"waiting\":1}]}";

static const char canned_two_queues[] =
	"{\"mode\":\"OBSERVE\",\"shares\":["
	"{\"share\":\"A\",\"queue\":\"train\",\"type\":\"h100\","
	"\"capacity\":4,\"limit\":0,\"used\":6,\"own\":4,\"borrowed\":0,"
	"\"lent\":0,\"idle\":0,\"over_limit\":2,\"waiting\":0,"
	"\"strategy\":\"LEND\"},"
	"{\"share\":\"B\",\"queue\":\"infer\",\"type\":\"l4\","
	"\"capacity\":8,\"limit\":8,\"used\":0,\"own\":0,\"borrowed\":0,"
	"\"lent\":0,\"idle\":8,\"over_limit\":0,\"waiting\":0,"
	"\"strategy\":\"RESERVE\"}],"
	"\"totals\":[{\"queue\":\"train\",\"type\":\"h100\",\"capacity\":4,"
	"\"in_service\":4,\"used\":6,\"own\":4,\"borrowed\":0,\"lent\":0,"
	"\"idle\":0,\"waiting\":0},"
	"{\"queue\":\"infer\",\"type\":\"l4\",\"capacity\":8,"
	"\"in_service\":8,\"used\":0,\"own\":0,\"borrowed\":0,\"lent\":0,"
	"\"idle\":8,\"waiting\":0}]}";

/* What a print function writes; the caller's (free). */
static char *status(const char *canned, const char *queue,
		    enum qs_table_format format, bool header, int *rc)
{
	const struct qs_cli_output out = { format, header, false };
	struct canned c;

	canned_begin(&c, canned);
	*rc = qs_status_print(c.answer, queue, &out, c.out);
	return canned_end(&c);
}

static char *explain(const char *canned, int *rc)
{
	struct canned c;

	canned_begin(&c, canned);
	*rc = qs_explain_print(c.answer, c.out);
	return canned_end(&c);
}

static void assert_has(const char *text, const char *wanted)
{
	ck_assert_msg(strstr(text, wanted), "no '%s' in:\n%s", wanted, text);
}

static void assert_has_not(const char *text, const char *unwanted)
{
	ck_assert_msg(!strstr(text, unwanted), "'%s' in:\n%s", unwanted, text);
}

START_TEST(test_parsable)
{
	int rc;
	char *text = status(canned_status, NULL, QS_TABLE_PARSABLE, true, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_str_eq(
		text,
		"QUEUE|SHARE|TYPE|CAPACITY|LIMIT|USED|OWN|BORROWED|OVER LIMIT|"
		"LENT|IDLE|WAITING|STRATEGY\n"
		"train|QS1|a10g|1|3|2|1|1|0|0|0|1|LEND_AND_BORROW\n"
		"train|QS2|a10g|1|unlimited|0|0|0|0|1|0|0|LEND\n"
		"train|(total)|a10g|3|-|2|1|1|0|1|0|1|-\n");
	free(text);
}
END_TEST

START_TEST(test_no_header)
{
	int rc;
	char *text = status(canned_status, NULL, QS_TABLE_PARSABLE, false, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(strncmp(text, "train|QS1|", 10), 0);
	free(text);
}
END_TEST

START_TEST(test_for_people)
{
	int rc;
	char *text = status(canned_status, NULL, QS_TABLE_ALIGNED, true, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(strncmp(text, "SHARE", 5), 0);
	assert_has_not(text, "QUEUE");
	assert_has_not(text, "OVER");
	assert_has(text, "1 of the 3 a10g of queue train are not in service.");
	assert_has(text, "Share QS2 is disabled");
	assert_has_not(text, "Share QS1 is disabled");
	assert_has_not(text, "OBSERVE");
	free(text);
}
END_TEST

START_TEST(test_two_queues)
{
	int rc;
	char *text =
		status(canned_two_queues, NULL, QS_TABLE_ALIGNED, true, &rc);

	ck_assert_int_eq(rc, 0);
	assert_has(text, "QUEUE");
	assert_has(text, " OVER ");
	assert_has(text, "Mode=OBSERVE");
	assert_has_not(text, "in service");
	free(text);
}
END_TEST

/* As wide as most sites will have it. */
static const char canned_wide[] =
	"{\"mode\":\"ENFORCE\",\"shares\":["
	"{\"share\":\"background\",\"queue\":\"train\",\"type\":\"h100\","
	"\"capacity\":1024,\"limit\":null,\"used\":1032,\"own\":1024,"
	"\"borrowed\":8,\"lent\":0,\"idle\":0,\"over_limit\":0,"
	"\"waiting\":4096,\"strategy\":\"LEND_AND_BORROW\"}],"
	"\"totals\":[{\"queue\":\"train\",\"type\":\"h100\","
	"\"capacity\":1024,\"in_service\":1024,\"used\":1032,\"own\":1024,"
	"\"borrowed\":8,\"over_limit\":0,\"lent\":0,\"idle\":0,"
	"\"waiting\":4096}]}";

/* The longest line's columns; escapes take none. */
static size_t longest(const char *text)
{
	size_t most = 0, at = 0;

	for (; *text; text++) {
		if (*text == '\033')
			text += strcspn(text, "m");
		else if (*text == '\n')
			at = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80 && ++at > most)
			most = at;
	}
	return most;
}

static char *status_in_color(const char *canned, const char *columns)
{
	const struct qs_cli_output out = { QS_TABLE_ALIGNED, true, true };
	struct canned c;

	canned_begin(&c, canned);
	setenv("COLUMNS", columns, 1);
	ck_assert_int_eq(qs_status_print(c.answer, NULL, &out, c.out), 0);
	unsetenv("COLUMNS");
	return canned_end(&c);
}

START_TEST(test_a_line_of_eighty)
{
	int rc;
	char *text = status(canned_wide, NULL, QS_TABLE_ALIGNED, true, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_msg(longest(text) <= 80, "%zu columns:\n%s", longest(text),
		      text);
	assert_has(text, "SHARE      TYPE  CAP LIMIT     USED  OWN BORROWED "
			 "LENT IDLE WAIT STRATEGY\n");
	free(text);
	text = status_in_color(canned_wide, "80");
	ck_assert_msg(longest(text) <= 80, "%zu columns:\n%s", longest(text),
		      text);
	assert_has_not(text, "GPUS");
	assert_has_not(text, "lent"); /* what the parts of a bar mean */
	free(text);
	text = status_in_color(canned_wide, "120");
	ck_assert_msg(longest(text) <= 120, "%zu columns:\n%s", longest(text),
		      text);
	assert_has(text, "GPUS");
	assert_has(text, "lent");
	free(text);
}
END_TEST

/* A limit of 0 is neither "unlimited" nor missing (law 11). */
START_TEST(test_limit_zero)
{
	int rc;
	char *text = status(canned_two_queues, "train", QS_TABLE_PARSABLE,
			    false, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_str_eq(text, "train|A|h100|4|0|6|4|0|2|0|0|0|LEND\n"
			       "train|(total)|h100|4|-|6|4|0|0|0|0|0|-\n");
	free(text);
}
END_TEST

START_TEST(test_json_of_one_queue)
{
	struct json_object *answer, *list;
	int rc;
	char *text =
		status(canned_two_queues, "infer", QS_TABLE_JSON, true, &rc);

	ck_assert_int_eq(rc, 0);
	answer = json_tokener_parse(text);
	ck_assert(json_object_object_get_ex(answer, "shares", &list));
	ck_assert_uint_eq(json_object_array_length(list), 1);
	ck_assert_str_eq(
		qs_online_text(json_object_array_get_idx(list, 0), "share", ""),
		"B");
	ck_assert(json_object_object_get_ex(answer, "totals", &list));
	ck_assert_uint_eq(json_object_array_length(list), 1);
	json_object_put(answer);
	free(text);
}
END_TEST

START_TEST(test_json_keeps_null)
{
	int rc;
	char *text = status(canned_status, NULL, QS_TABLE_JSON, true, &rc);

	ck_assert_int_eq(rc, 0);
	assert_has(text, "\"limit\": null");
	free(text);
}
END_TEST

START_TEST(test_no_such_queue)
{
	int rc;

	errno = 0;
	free(status(canned_status, "nope", QS_TABLE_ALIGNED, true, &rc));
	ck_assert_int_eq(rc, -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(test_other_answers)
{
	static const char *const answers[] = {
		"{}",
		"{\"shares\":null}",
		"{\"shares\":{}}",
	};

	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		int rc;

		errno = 0;
		free(status(answers[i], NULL, QS_TABLE_ALIGNED, true, &rc));
		ck_assert_msg(rc == -1 && errno == EINVAL, "%s", answers[i]);
	}
}
END_TEST

/* Nothing but a head is a good answer: a policy may have no rows yet. */
START_TEST(test_no_shares)
{
	int rc;

	free(status("{\"shares\":[]}", NULL, QS_TABLE_ALIGNED, true, &rc));
	ck_assert_int_eq(rc, 0);
}
END_TEST

static const struct {
	const char *name, *canned, *wanted;
} explanations[] = {
	{ "waiting",
	  "{\"job\":12,\"share\":\"QS1\",\"state\":\"PENDING\","
	  "\"verdict\":\"WAIT\",\"code\":\"LIMIT\",\"priority\":0,"
	  "\"text\":\"needs 1 a10g; QS1 uses 3 of 3\",\"preempted\":0,"
	  "\"retries\":null,\"history\":[]}",
	  "JobId=12 PENDING in share QS1 with priority 0\n"
	  "needs 1 a10g; QS1 uses 3 of 3.\n" },
	{ "running, by type",
	  "{\"job\":13,\"share\":\"QS1\",\"state\":\"RUNNING\","
	  "\"priority\":3,\"text\":\"\",\"own\":{\"a10g\":2,\"h100\":0},"
	  "\"borrowed\":{\"a10g\":1}}",
	  "JobId=13 RUNNING in share QS1 with priority 3\n"
	  "It holds: 2 own a10g, 1 borrowed a10g.\n" },
	{ "running, victim if it comes to that",
	  "{\"job\":13,\"state\":\"RUNNING\",\"own\":{},"
	  "\"borrowed\":{\"a10g\":1},\"turn\":2,\"victims\":5,"
	  "\"protected_until\":null}",
	  "JobId=13 RUNNING\n"
	  "It holds: 1 borrowed a10g.\n"
	  "If owners asked for their GPUs now, it would be victim 2 of 5.\n" },
	{ "running, safe",
	  "{\"job\":13,\"state\":\"RUNNING\",\"own\":{\"a10g\":1},"
	  "\"borrowed\":{},\"turn\":0,\"victims\":0}",
	  "JobId=13 RUNNING\n"
	  "It holds: 1 own a10g.\n"
	  "All of it is its share's own: no other share can take it back.\n" },
	{ "running, as numbers",
	  "{\"job\":\"13_4\",\"state\":\"RUNNING\",\"own\":2,"
	  "\"borrowed\":0}",
	  "JobId=13_4 RUNNING\n"
	  "It holds: 2 own.\n" },
	{ "reason where there is no text",
	  "{\"job\":14,\"reason\":\"held by user\"}",
	  "JobId=14\nheld by user.\n" },
	{ "preempted, no limit",
	  "{\"job\":15,\"preempted\":1,\"retries\":null}",
	  "JobId=15\nIt was preempted 1 time; it is requeued however often "
	  "that happens.\n" },
	{ "retries 0 is a limit", /* law 11 */
	  "{\"job\":16,\"preempted\":0,\"retries\":0}",
	  "JobId=16\nIt was preempted 0 times; the next preemption ends "
	  "it.\n" },
	{ "retries left", "{\"job\":17,\"preempted\":1,\"retries\":2}",
	  "JobId=17\nIt was preempted 1 time; it will be requeued 1 more "
	  "time.\n" },
	{ "retries used up", "{\"job\":18,\"preempted\":2,\"retries\":2}",
	  "JobId=18\nIt was preempted 2 times; the next preemption ends "
	  "it.\n" },
	{ "history",
	  "{\"job\":19,\"history\":[{\"text\":\"made room for JobId=20\"},"
	  "\"an older one\"]}",
	  "JobId=19\nIts preemptions, newest first:\n"
	  "  made room for JobId=20\n  an older one\n" },
};

START_TEST(test_explain)
{
	int rc;
	char *text = explain(explanations[_i].canned, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_msg(!strcmp(text, explanations[_i].wanted), "%s:\n%s",
		      explanations[_i].name, text);
	free(text);
}
END_TEST

START_TEST(test_explain_other_answer)
{
	int rc;

	errno = 0;
	free(explain("{\"shares\":[]}", &rc));
	ck_assert_int_eq(rc, -1);
	ck_assert_int_eq(errno, EINVAL);
}
END_TEST

static const struct {
	const char *text;
	bool good;
} ids[] = {
	{ "12", true },
	{ "12_3", true },
	{ "12+1", true },
	{ "12_0", true },
	{ "4294967295", true },
	{ "4294967296", false },
	{ "99999999999", false },
	{ "0", false },
	{ "", false },
	{ "-1", false },
	{ "12_", false },
	{ "12+", false },
	{ "12_x", false },
	{ "12_[1-3]", false },
	{ "12 ", false },
	{ "12.batch", false },
	{ "job", false },
};

START_TEST(test_job_ids)
{
	ck_assert_msg(qs_online_job_id(ids[_i].text) == ids[_i].good, "'%s'",
		      ids[_i].text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("online");
	TCase *core = tcase_create("core");
	TCase *limits = tcase_create("limits");
	TCase *bad = tcase_create("malformed");

	tcase_add_test(core, test_parsable);
	tcase_add_test(core, test_no_header);
	tcase_add_test(core, test_for_people);
	tcase_add_test(core, test_two_queues);
	tcase_add_test(core, test_a_line_of_eighty);
	tcase_add_test(core, test_json_of_one_queue);
	tcase_add_loop_test(core, test_explain, 0, ARRAY_LEN(explanations));
	tcase_add_test(limits, test_limit_zero);
	tcase_add_test(limits, test_json_keeps_null);
	tcase_add_test(limits, test_no_shares);
	tcase_add_loop_test(limits, test_job_ids, 0, ARRAY_LEN(ids));
	tcase_add_test(bad, test_no_such_queue);
	tcase_add_test(bad, test_other_answers);
	tcase_add_test(bad, test_explain_other_answer);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, limits);
	suite_add_tcase(suite, bad);
	return suite_run(suite);
}
