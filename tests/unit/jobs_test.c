/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_test.c - how qshare shows the jobs of shares
 *
 * The answer is canned: written here after the runtime's, not taken from a
 * running slurmctld.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/duration.h"
#include "cli/jobs.h"
#include "cli/online.h"

#include "canned.h"
#include "suite.h"

#define UID_OF_NOBODY "4294967290"

static const char canned[] =
	"{\"version\":\"0\",\"now\":1000,\"jobs\":["
	"{\"job\":7,\"id\":\"7\",\"uid\":0,\"share\":\"B\",\"queue\":\"train\","
	"\"state\":\"PENDING\",\"priority\":0,\"preempted\":0,"
	"\"gpus\":{\"h100\":2},\"tasks\":1,\"since\":900,\"verdict\":\"WAIT\","
	"\"how\":\"\",\"code\":\"LIMIT\",\"reason\":\"needs 2 h100\"},"
	"{\"job\":5,\"id\":\"4_1\",\"uid\":0,\"share\":\"B\","
	"\"queue\":\"train\",\"state\":\"RUNNING\",\"priority\":0,"
	"\"preempted\":1,\"gpus\":{\"h100\":2},\"since\":400,\"own\":{},"
	"\"borrowed\":{\"h100\":2},\"turn\":1,\"protected_until\":null,"
	"\"stops_for\":null},"
	"{\"job\":3,\"id\":\"3\",\"uid\":" UID_OF_NOBODY ",\"share\":\"B\","
	"\"queue\":\"train\",\"state\":\"RUNNING\",\"priority\":9,"
	"\"preempted\":0,\"gpus\":{\"a10g\":1,\"h100\":2},\"since\":100,"
	"\"own\":{\"a10g\":1,\"h100\":1},\"borrowed\":{\"h100\":1},"
	"\"turn\":2,\"protected_until\":null,\"stops_for\":null},"
	"{\"job\":2,\"id\":\"2\",\"uid\":0,\"share\":\"A\",\"queue\":\"train\","
	"\"state\":\"RUNNING\",\"priority\":0,\"preempted\":0,"
	"\"gpus\":{\"h100\":1},\"since\":999,\"own\":{\"h100\":1},"
	"\"borrowed\":{},\"turn\":0,\"protected_until\":null,"
	"\"stops_for\":null},"
	"{\"job\":6,\"id\":\"6\",\"uid\":0,\"share\":null,\"queue\":\"train\","
	"\"state\":\"RUNNING\",\"priority\":0,\"preempted\":0,"
	"\"gpus\":{\"h100\":1},\"since\":0,\"own\":{},"
	"\"borrowed\":{\"h100\":1},\"turn\":0,\"protected_until\":1060,"
	"\"stops_for\":12,\"stops_at\":1090}],"
	"\"victims\":[{\"queue\":\"train\",\"type\":\"h100\",\"jobs\":2}]}";

static char *print(const char *text, const struct qs_jobs_filter *filter,
		   enum qs_table_format format, int *rc)
{
	const struct qs_cli_output out = { format, true, false };
	struct canned c;

	canned_begin(&c, text);
	*rc = qs_jobs_print(c.answer, filter, &out, c.out);
	return canned_end(&c);
}

START_TEST(for_scripts)
{
	const struct qs_jobs_filter all = { .user = -1 };
	int rc;
	char *text = print(canned, &all, QS_TABLE_PARSABLE, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_str_eq(
		text,
		"JOB|USER|QUEUE|SHARE|STATE|PRIORITY|GPUS|OWN|BORROWED|TIME|"
		"SAFETY|PREEMPTED|REASON\n"
		"6|root|train|(removed)|RUNNING|0|1 h100|0|1|16:40|"
		"stops for 12 in 1:30|0|\n"
		"2|root|train|A|RUNNING|0|1 h100|1|0|0:01|safe|0|\n"
		"3|" UID_OF_NOBODY "|train|B|RUNNING|9|1 a10g,2 h100|2|1|"
		"15:00|victim 2 of 2|0|\n"
		"4_1|root|train|B|RUNNING|0|2 h100|0|2|10:00|victim 1 of 2|1|"
		"\n"
		"7|root|train|B|PENDING|0|2 h100|0|0|1:40|-|0|needs 2 h100\n");
	free(text);
}
END_TEST

static const struct {
	const char *name;
	struct qs_jobs_filter filter;
	const char *ids;
} filters[] = {
	{ "one share", { .user = -1, .share = "A" }, "2" },
	{ "no such share", { .user = -1, .share = "Z" }, "" },
	{ "one queue", { .user = -1, .queue = "other" }, "" },
	{ "one user", { .user = 4294967290 }, "3" },
	{ "running", { .user = -1, .only = QS_JOBS_RUNNING }, "6 2 3 4_1" },
	{ "waiting", { .user = -1, .only = QS_JOBS_WAITING }, "7" },
	{ "waiting of one share",
	  { .user = -1, .share = "A", .only = QS_JOBS_WAITING },
	  "" },
};

START_TEST(filtering)
{
	struct json_object *list;
	char ids[64] = "";
	int rc;
	char *text = print(canned, &filters[_i].filter, QS_TABLE_JSON, &rc);

	ck_assert_int_eq(rc, 0);
	list = json_tokener_parse(text);
	ck_assert(json_object_is_type(list, json_type_array));
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		if (i)
			strcat(ids, " ");
		strcat(ids, qs_online_text(json_object_array_get_idx(list, i),
					   "id", "?"));
	}
	ck_assert_msg(!strcmp(ids, filters[_i].ids), "%s: %s", filters[_i].name,
		      ids);
	json_object_put(list);
	free(text);
}
END_TEST

START_TEST(not_an_answer_about_jobs)
{
	const struct qs_jobs_filter all = { .user = -1 };
	int rc;
	char *text = print("{\"shares\":[]}", &all, QS_TABLE_ALIGNED, &rc);

	ck_assert_int_eq(rc, -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

/* For people there is no column that is the same in every row. */
START_TEST(for_people)
{
	const struct qs_jobs_filter all = { .user = -1 };
	const struct qs_jobs_filter running = { .user = -1,
						.only = QS_JOBS_RUNNING };
	int rc;
	char *text = print(canned, &all, QS_TABLE_ALIGNED, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_ptr_null(strstr(text, "QUEUE"));
	ck_assert_ptr_nonnull(strstr(text, "victim 1 of 2"));
	ck_assert_ptr_nonnull(strstr(text, "REASON"));
	free(text);
	text = print(canned, &running, QS_TABLE_ALIGNED, &rc);
	ck_assert_int_eq(rc, 0);
	ck_assert_ptr_null(strstr(text, "REASON"));
	free(text);
}
END_TEST

static const struct {
	int64_t seconds;
	const char *text;
} times[] = {
	{ -5, "0:00" },
	{ 0, "0:00" },
	{ 61, "1:01" },
	{ 3600, "1:00:00" },
	{ 86399, "23:59:59" },
	{ 86400, "1-00:00" },
	{ 8640000 + 60, "100-00:01" },
};

START_TEST(seconds)
{
	char text[32];

	qs_duration_text(times[_i].seconds, text, sizeof(text));
	ck_assert_str_eq(text, times[_i].text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jobs");
	TCase *core = tcase_create("core");

	tcase_add_test(core, for_scripts);
	tcase_add_loop_test(core, filtering, 0, ARRAY_LEN(filters));
	tcase_add_test(core, not_an_answer_about_jobs);
	tcase_add_test(core, for_people);
	tcase_add_loop_test(core, seconds, 0, ARRAY_LEN(times));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
