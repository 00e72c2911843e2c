/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_test.c - reading logs, filters, times, the report of Mode=OBSERVE
 *
 * The lines are canned: written here after the runtime's, not taken from a
 * running slurmctld.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/events.h"
#include "cli/online.h"

#include "canned.h"
#include "folder.h"
#include "suite.h"

static void set_up(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	folder_make();
}

static int append(struct json_object *event, void *arg)
{
	strcat(strcat(arg, qs_online_text(event, "event", "?")), " ");
	return 0;
}

START_TEST(rotated_files_come_first)
{
	char words[256] = "";
	size_t bad;

	write_file("log.2", "{\"event\":\"a\"}\n{\"event\":\"b\"}\n");
	write_file("log.1", "{\"event\":\"c\"}\nnot JSON\n[1]\n\n");
	write_file("log", "{\"event\":\"d\"}\n{\"event\":\"e\"");
	ck_assert_int_eq(qs_events_read(path_of("log"), append, words, &bad),
			 0);
	ck_assert_str_eq(words, "a b c d ");
	/* a line that is not whole yet is one of them */
	ck_assert_uint_eq(bad, 4);
}
END_TEST

START_TEST(no_log)
{
	char words[16] = "";
	size_t bad;

	errno = 0;
	ck_assert_int_eq(qs_events_read(path_of("log"), append, words, &bad),
			 -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

/* Two days before is 2026-11-27T12:00:00Z. */
#define NOW 1795953600 /* 2026-11-29T12:00:00Z */

static const struct {
	const char *text;
	int64_t when; /* -1: no time */
} times[] = {
	{ "now", NOW },
	{ "now-5", NOW - 5 },
	{ "now-2hours", NOW - 7200 },
	{ "now-1hour", NOW - 3600 },
	{ "now-30minutes", NOW - 1800 },
	{ "now-2days", NOW - 172800 },
	{ "now-1week", NOW - 604800 },
	{ "@0", 0 },
	{ "@1795953600", NOW },
	{ "2026-11-29", NOW - 43200 },
	{ "2026-11-29T12:00", NOW },
	{ "2026-11-29T12:00:01", NOW + 1 },
	{ "11:00", NOW - 3600 },
	{ "11:00:30", NOW - 3570 },
	{ "", -1 },
	{ "now+1", -1 },
	{ "now-", -1 },
	{ "now-2fortnights", -1 },
	{ "now-2hourss", -1 },
	{ "@", -1 },
	{ "@x", -1 },
	{ "2026-13-01", -1 },
	{ "yesterday", -1 },
};

START_TEST(words_for_times)
{
	int64_t when = 0;
	int rc = qs_events_when(times[_i].text, NOW, &when);

	if (times[_i].when < 0)
		ck_assert_msg(rc == -1, "'%s' is taken", times[_i].text);
	else
		ck_assert_msg(!rc && when == times[_i].when, "'%s': %lld",
			      times[_i].text, (long long)when);
}
END_TEST

static const char start[] =
	"{\"time\":\"2026-11-29T12:00:00Z\",\"event\":\"start\",\"job\":7,"
	"\"uid\":1000,\"share\":\"A\",\"queue\":\"q\",\"own\":{\"h100\":2},"
	"\"borrowed\":{},\"waited\":61,\"preempted\":0}";

static const struct {
	const char *name;
	struct qs_events_filter filter;
	bool matches;
} filters[] = {
	{ "all", { .user = -1 }, true },
	{ "its event", { .user = -1, .event = "end,start" }, true },
	{ "another event", { .user = -1, .event = "end,starts" }, false },
	{ "its share", { .user = -1, .share = "A" }, true },
	{ "another share", { .user = -1, .share = "B" }, false },
	{ "its job", { .user = -1, .job = 7 }, true },
	{ "another job", { .user = -1, .job = 8 }, false },
	{ "its user", { .user = 1000 }, true },
	{ "another user", { .user = 0 }, false },
	{ "since then", { .user = -1, .since = NOW }, true },
	{ "since later", { .user = -1, .since = NOW + 1 }, false },
	{ "until then", { .user = -1, .until = NOW }, true },
	{ "until before", { .user = -1, .until = NOW - 1 }, false },
};

START_TEST(filtering)
{
	struct json_object *event = json_tokener_parse(start);

	ck_assert_msg(qs_events_match(&filters[_i].filter, event) ==
			      filters[_i].matches,
		      "%s", filters[_i].name);
	json_object_put(event);
}
END_TEST

static const struct {
	const char *line, *says;
} lines[] = {
	{ start, "2026-11-29T12:00:00 start JobId=7 share A: own 2 h100, "
		 "borrowed 0, waited 1:01\n" },
	{ "{\"time\":\"2026-11-29T12:00:00Z\",\"event\":\"end\",\"job\":7,"
	  "\"share\":\"a\",\"own\":{\"h100\":2},\"borrowed\":{},"
	  "\"run\":60,\"requeued\":false,\"state\":\"FAILED\","
	  "\"exit_code\":7,\"signal\":0}",
	  "2026-11-29T12:00:00 end JobId=7 share a: FAILED with exit code 7, "
	  "ran 1:00, own 2 h100, borrowed 0\n" },
	{ "{\"time\":\"2026-11-29T12:00:00Z\",\"event\":\"end\",\"job\":7,"
	  "\"share\":\"a\",\"own\":{\"h100\":2},\"borrowed\":{},"
	  "\"run\":60,\"requeued\":true,\"state\":\"PREEMPTED\","
	  "\"exit_code\":0,\"signal\":15}",
	  "2026-11-29T12:00:00 end JobId=7 share a: PREEMPTED by signal 15, "
	  "ran 1:00, own 2 h100, borrowed 0\n" },
	{ "{\"time\":\"2026-11-29T12:00:00Z\",\"event\":\"end\",\"job\":7,"
	  "\"share\":\"\",\"own\":{},\"borrowed\":{\"a\":1,\"b\":2},"
	  "\"run\":3600}",
	  "2026-11-29T12:00:00 end JobId=7 share (removed): ran 1:00:00, own "
	  "0, borrowed 1 a, 2 b\n" },
	{ "{\"time\":\"2026-11-29T12:00:00Z\",\"event\":\"spared\",\"job\":7,"
	  "\"share\":\"A\",\"text\":\"because\"}",
	  "2026-11-29T12:00:00 spared JobId=7 share A: because\n" },
	{ "{\"time\":\"2026-11-29T12:00:00Z\","
	  "\"event\":\"priority_changed\",\"job\":7,\"uid\":0,\"before\":0,"
	  "\"priority\":40}",
	  "2026-11-29T12:00:00 priority_changed JobId=7: priority 40, 0 "
	  "before\n" },
	{ "{\"time\":\"2026-11-29T12:00:00Z\",\"event\":\"service_changed\","
	  "\"queue\":\"train\",\"type\":\"h100\",\"before\":8,"
	  "\"in_service\":0,\"capacity\":16}",
	  "2026-11-29T12:00:00 service_changed: queue train: 0 of 16 h100 in "
	  "service, 8 before\n" },
	{ "{\"time\":\"2026-11-29T12:00:00Z\",\"event\":\"news\",\"x\":1,"
	  "\"y\":\"z\"}",
	  "2026-11-29T12:00:00 news x=1 y=z\n" },
	{ "{\"event\":\"no time\"}", "? no time\n" },
};

START_TEST(sentences)
{
	struct canned c;
	char *text;

	canned_begin(&c, lines[_i].line);
	qs_events_print(c.answer, false, c.out);
	text = canned_end(&c);
	ck_assert_str_eq(text, lines[_i].says);
	free(text);
}
END_TEST

#define OF(event, job, more)                                    \
	"{\"time\":\"2026-11-29T12:00:00Z\",\"event\":\"" event \
	"\",\"job\":" job ",\"share\":\"A\",\"queue\":\"train\"" more "}\n"
#define PUT_OFF OF("preemption_completed", "7", ",\"run\":9,\"text\":\"why\"")

static const struct {
	const char *id, *log, *facts; /* facts NULL: there are none */
	int preempted;
} remembered[] = {
	{ "7",
	  OF("queued", "7", "") OF("start", "7", ",\"start\":1000")
		  OF("end", "7",
		     ",\"start\":1000,\"run\":50,\"requeued\":false,"
		     "\"state\":\"FAILED\",\"exit_code\":7,\"signal\":0")
			  OF("start", "8", ",\"start\":2000"),
	  "{\"id\":\"7\",\"submit\":1795953600,\"state\":\"FAILED\","
	  "\"queue\":\"train\",\"share\":\"A\",\"start\":1000,\"end\":1050,"
	  "\"reason\":\"Ended with exit code 7\"}",
	  0 },
	/* a victim that waits again */
	{ "7",
	  OF("start", "7", ",\"start\":1000")
		  PUT_OFF OF("end", "7",
			     ",\"start\":1000,\"run\":50,\"requeued\":true,"
			     "\"state\":\"PREEMPTED\""),
	  "{\"id\":\"7\",\"queue\":\"train\",\"share\":\"A\","
	  "\"state\":\"PENDING\",\"start\":1000}",
	  1 },
	/* its id was another job's before */
	{ "7", PUT_OFF OF("queued", "7", ""),
	  "{\"id\":\"7\",\"submit\":1795953600,\"state\":\"PENDING\","
	  "\"queue\":\"train\",\"share\":\"A\"}",
	  0 },
	/* a task of an array: not all lines have its id */
	{ "6_1",
	  OF("start", "7", ",\"id\":\"6_1\",\"start\":1000")
		  PUT_OFF OF("start", "6", ",\"id\":\"6_2\",\"start\":3000"),
	  "{\"id\":\"6_1\",\"queue\":\"train\",\"share\":\"A\","
	  "\"state\":\"RUNNING\",\"start\":1000}",
	  1 },
	{ "9", OF("start", "7", ",\"start\":1000"), NULL, 0 },
};

START_TEST(what_the_log_remembers)
{
	struct json_object *facts, *explain;
	int rc;

	write_file("log", remembered[_i].log);
	rc = qs_events_facts(path_of("log"), remembered[_i].id, &facts,
			     &explain);
	ck_assert_int_eq(rc, remembered[_i].facts ? 0 : -1);
	if (rc)
		return;
	ck_assert_str_eq(
		json_object_to_json_string_ext(facts, JSON_C_TO_STRING_PLAIN),
		remembered[_i].facts);
	ck_assert_int_eq(qs_online_number(explain, "preempted", -1),
			 remembered[_i].preempted);
	json_object_put(facts);
	json_object_put(explain);
}
END_TEST

static void observe(struct qs_observed *o, const char *line)
{
	struct json_object *event = json_tokener_parse(line);

	ck_assert_ptr_nonnull(event);
	ck_assert_int_eq(qs_observed_add(event, o), 0);
	json_object_put(event);
}

START_TEST(report_counts_a_job_once)
{
	const struct qs_cli_output out = { QS_TABLE_PARSABLE, false, false };
	struct qs_observed *o = qs_observed_new();
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(o);
	observe(o, "{\"event\":\"start\",\"job\":1,\"share\":\"B\"}");
	observe(o, "{\"event\":\"start\",\"job\":2,\"share\":\"A\"}");
	observe(o, "{\"event\":\"would_hold\",\"job\":1,\"share\":\"B\"}");
	observe(o, "{\"event\":\"would_hold\",\"job\":1,\"share\":\"B\"}");
	for (int i = 0; i < 2; i++)
		observe(o, "{\"event\":\"would_preempt\",\"job\":1,"
			   "\"share\":\"B\",\"gpus\":4,\"run\":5400}");
	observe(o, "{\"event\":\"would_refuse\",\"uid\":5}");
	observe(o, "{\"event\":\"end\",\"job\":1,\"share\":\"C\"}");
	ck_assert_int_eq(qs_observed_print(o, &out, file), 0);
	fclose(file);
	ck_assert_str_eq(text, "A|1|0|0|0|0\nB|1|1|1|4|6\n");
	qs_observed_free(o);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("events");
	TCase *core = tcase_create("core");

	tcase_add_checked_fixture(core, set_up, folder_remove);
	tcase_add_test(core, rotated_files_come_first);
	tcase_add_test(core, no_log);
	tcase_add_loop_test(core, words_for_times, 0, ARRAY_LEN(times));
	tcase_add_loop_test(core, filtering, 0, ARRAY_LEN(filters));
	tcase_add_loop_test(core, sentences, 0, ARRAY_LEN(lines));
	tcase_add_loop_test(core, what_the_log_remembers, 0,
			    ARRAY_LEN(remembered));
	tcase_add_test(core, report_counts_a_job_once);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
