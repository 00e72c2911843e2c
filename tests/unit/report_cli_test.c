/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_cli_test.c - qshare report as it is typed: sums against the known
 * answers, the logs, the forms of output, bad input
 *
 * The accounting records are real (tests/sacct); the lines of the logs are
 * canned: written here after the runtime's.
 */
#include <check.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "folder.h"
#include "report_files.h"
#include "run.h"
#include "suite.h"

#define POLICY                                                        \
	"Queue=q Partitions=low,lowc,lowg,high DefaultShare=B\n"      \
	"Share=A Accounts=teama Capacity=a100:8,v100:4 Strategy=LEND" \
	" InSharePreemption=NO\n"                                     \
	"Share=B Accounts=teamb Capacity=a100:8,v100:4"               \
	" Strategy=LEND_AND_BORROW InSharePreemption=NO\n"
#define HEAD                                                          \
	"JobID|JobIDRaw|DBIndex|User|Account|Partition|State|Submit|" \
	"Eligible|Start|End|NodeList|AllocTRES|ReqTRES|AdminComment\n"

static const char *const versions[] = { "22.05", "24.11", "26.05" };
static void set_up(void)
{
	report_files_begin();
	write_file("policy", POLICY);
}

static struct json_object *member(struct json_object *json, const char *key)
{
	struct json_object *value = NULL;

	ck_assert_msg(json_object_object_get_ex(json, key, &value), "no %s",
		      key);
	return value;
}

static int64_t number(struct json_object *json, const char *key)
{
	return json_object_get_int64(member(json, key));
}

/* The row of a list whose keys have these values; b NULL: one key. */
static struct json_object *row_of(struct json_object *report, const char *list,
				  const char *a, const char *is_a,
				  const char *b, const char *is_b)
{
	struct json_object *rows = member(report, list);

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		const char *x = json_object_get_string(member(row, a));
		const char *y =
			b ? json_object_get_string(member(row, b)) : NULL;

		if (x && !strcmp(x, is_a) && (!b || (y && !strcmp(y, is_b))))
			return row;
	}
	ck_abort_msg("no %s=%s in %s", a, is_a, list);
	return NULL;
}

static struct json_object *parse(struct run *run)
{
	struct json_object *json;

	ck_assert_msg(run->code == 0, "%d: %s", run->code, run->err);
	json = json_tokener_parse(run->out);
	ck_assert_msg(json != NULL, "%s", run->out);
	return json;
}

/*
 * GPU-seconds of a type in expected.csv, which was made from what was done, not
 * by any program of this project. What still ran has no sum there: it is
 * counted to the last time in the records.
 */
static int64_t expected_sum(const char *version, const char *type, int64_t last)
{
	char path[512], line[512];
	int64_t sum = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/sacct/%s/expected.csv",
		 QS_SRCDIR, version);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		char *cells[10] = { NULL }, *at = line;
		const char *gpus;

		for (int i = 0; i < 10; i++) {
			cells[i] = at;
			at += strcspn(at, ",");
			*at++ = '\0';
		}
		gpus = strstr(*cells[9] ? cells[9] : cells[5], type);
		if (!gpus)
			continue;
		if (*cells[9]) {
			sum += atoll(gpus + strlen(type) + 1);
		} else {
			struct tm tm = { 0 };

			sscanf(cells[6], "%d-%d-%dT%d:%d:%d", &tm.tm_year,
			       &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
			       &tm.tm_sec);
			tm.tm_year -= 1900;
			tm.tm_mon--;
			sum += atoll(gpus + strlen(type) + 1) *
			       (last - timegm(&tm));
		}
	}
	fclose(file);
	return sum;
}

START_TEST(sums_are_those_of_the_known_answers)
{
	static const char *const types[] = { "a100", "v100" };
	char path[512];
	struct json_object *report, *rows;
	struct run run;

	snprintf(path, sizeof(path), "%s/tests/sacct/%s/parsable.txt",
		 QS_SRCDIR, versions[_i]);
	run_qshare(&run, NULL, "report", "--json", "--policy",
		   path_of("policy"), "--from", path, NULL);
	report = parse(&run);
	rows = member(report, "use");
	for (size_t t = 0; t < ARRAY_LEN(types); t++) {
		int64_t used = 0, borrowed = 0, lent = 0;
		struct json_object *sum =
			row_of(report, "types", "type", types[t], NULL, NULL);

		for (size_t i = 0; i < json_object_array_length(rows); i++) {
			struct json_object *row =
				json_object_array_get_idx(rows, i);

			if (strcmp(json_object_get_string(member(row, "type")),
				   types[t]))
				continue;
			ck_assert_int_eq(
				number(row, "used_gpu_sec"),
				number(row, "own_gpu_sec") +
					number(row, "borrowed_gpu_sec"));
			used += number(row, "used_gpu_sec");
			borrowed += number(row, "borrowed_gpu_sec");
			lent += number(row, "lent_gpu_sec");
		}
		ck_assert_int_eq(used, number(sum, "used_gpu_sec"));
		ck_assert_int_eq(borrowed,
				 lent + number(sum, "unowned_gpu_sec"));
		ck_assert_int_eq(used,
				 expected_sum(versions[_i], types[t],
					      number(report, "known_until")));
	}
	ck_assert_int_ge(number(member(report, "all_shares"), "preempted"), 15);
	json_object_put(report);
	run_clear(&run);
}
END_TEST

/* B borrows 4 of A's 8 for 60 s, A takes 2 back; a day with two policies. */
static const char jobs[] = HEAD
	"1|1|1|u|teamb|low|COMPLETED|1000|1000|1000|2000|n|gres/gpu:a100=8||\n"
	"2|2|2|u|teamb|low|PREEMPTED|1010|1010|1020|1080|n|gres/gpu:a100=4||\n"
	"2|2|3|u|teamb|low|COMPLETED|1080|1201|1500|1600|n|gres/gpu:a100=4||\n"
	"3|3|4|u|teama|low|COMPLETED|1050|1050|1082|1900|n|gres/gpu:a100=8||\n";

static const char events[] =
	"{\"time\":\"1970-01-01T00:16:40Z\",\"event\":\"start\",\"job\":1,"
	"\"start\":1000,\"share\":\"B\",\"own\":{\"a100\":8},\"borrowed\":{}}\n"
	"{\"time\":\"1970-01-01T00:17:00Z\",\"event\":\"start\",\"job\":2,"
	"\"start\":1020,\"share\":\"B\",\"own\":{},\"borrowed\":{\"a100\":4}}\n"
	"{\"time\":\"1970-01-01T00:17:31Z\",\"event\":\"claim\",\"job\":3,"
	"\"how\":\"RECLAIM\",\"code\":\"QUOTA\",\"victims\":1}\n"
	"{\"time\":\"1970-01-01T00:18:00Z\",\"event\":\"preemption_completed\","
	"\"job\":2,\"for\":3,\"share\":\"B\",\"how\":\"RECLAIM\",\"code\":"
	"\"QUOTA\",\"run\":60,\"outcome\":\"requeue\"}\n"
	"{\"time\":\"1970-01-01T00:18:02Z\",\"event\":\"start\",\"job\":3,"
	"\"start\":1082,\"share\":\"A\",\"own\":{\"a100\":8},\"borrowed\":{}}\n"
	"{\"time\":\"1970-01-01T00:20:00Z\",\"event\":\"priority_changed\","
	"\"job\":3,\"before\":0,\"priority\":5}\n"
	"{\"time\":\"1970-01-01T00:21:00Z\",\"event\":\"sta";

START_TEST(the_event_log_is_joined)
{
	struct json_object *report, *a, *b;
	struct run run;

	write_file("jobs", jobs);
	write_file("events", events);
	run_qshare(&run, NULL, "report", "--json", "--policy",
		   path_of("policy"), "--from", path_of("jobs"), "--events",
		   path_of("events"), NULL);
	report = parse(&run);
	a = row_of(report, "shares", "share", "A", NULL, NULL);
	b = row_of(report, "shares", "share", "B", NULL, NULL);
	ck_assert_int_eq(number(member(a, "reclaim_sec"), "median"),
			 1082 - 1051);
	ck_assert_int_eq(number(b, "preempted_quota"), 1);
	ck_assert_int_eq(number(b, "requeued"), 1);
	ck_assert_int_eq(number(member(b, "wait_borrowing_sec"), "n"), 1);
	ck_assert_int_eq(number(member(b, "wait_again_sec"), "median"), 420);
	ck_assert_int_eq(number(b, "repeated_gpu_sec"), 240);
	ck_assert_int_eq(
		number(row_of(report, "preemptions", "for", "A", "of", "B"),
		       "count"),
		1);
	/* 4 for 60 s and, beside its own 8, for another 100 s. */
	ck_assert_int_eq(
		number(row_of(report, "use", "share", "B", "type", "a100"),
		       "borrowed_gpu_sec"),
		640);
	ck_assert_int_eq(
		number(member(report, "exceptions"), "priorities_changed"), 1);
	/* The last line of the log is half-written. */
	ck_assert_ptr_nonnull(strstr(run.out, "half-written lines of the "
					      "event log"));
	json_object_put(report);
	run_clear(&run);
}
END_TEST

#define SERVICE(time, type, before, now)                                    \
	"{\"time\":\"1970-01-01T" time "Z\",\"event\":\"service_changed\"," \
	"\"queue\":\"q\",\"type\":\"" type "\",\"before\":" before          \
	",\"in_service\":" now ",\"capacity\":16}\n"

/* a100: 8 missing from 1100 to 1300, 4 from the start at 1500 to 1600. v100: 4
 * from the log's begin, at 1000, to 1600. */
static const char service[] =
	"{\"time\":\"1970-01-01T00:16:40Z\",\"event\":\"start\",\"job\":1,"
	"\"start\":1000,\"share\":\"B\",\"own\":{\"a100\":8},\"borrowed\":{}}\n" SERVICE(
		"00:18:20", "a100", "16", "8")
		SERVICE("00:21:40", "a100", "8",
			"16") "{\"time\":\"1970-01-01T00:25:00Z\",\"event\":\"runtime_started\","
			      "\"version\":\"0\",\"running\":1}\n" SERVICE(
				      "00:26:40", "a100", "12", "16")
				      SERVICE("00:26:40", "v100", "12", "16")
					      SERVICE("00:26:40", "h100", "12",
						      "16");

START_TEST(what_was_out_of_service)
{
	struct json_object *report;
	struct run run;

	write_file("jobs", jobs);
	write_file("events", service);
	run_qshare(&run, NULL, "report", "--json", "--policy",
		   path_of("policy"), "--from", path_of("jobs"), "--events",
		   path_of("events"), NULL);
	ck_assert_msg(!run.code, "%s", run.err);
	report = json_tokener_parse(run.out);
	ck_assert_ptr_nonnull(report);
	ck_assert_int_eq(
		number(row_of(report, "types", "type", "a100", NULL, NULL),
		       "out_of_service_gpu_sec"),
		8 * 200 + 4 * 100);
	ck_assert_int_eq(
		number(row_of(report, "types", "type", "v100", NULL, NULL),
		       "out_of_service_gpu_sec"),
		4 * 600);
	ck_assert_ptr_nonnull(strstr(run.out, "Out of service, by the event "
					      "log"));
	json_object_put(report);
	run_clear(&run);
}
END_TEST

/* Those jobs, with what the event log says of them. */
static void report_with_events(struct run *run)
{
	write_file("jobs", jobs);
	write_file("events", events);
	run_qshare(run, NULL, "report", "--policy", path_of("policy"), "--from",
		   path_of("jobs"), "--events", path_of("events"), NULL);
	ck_assert_int_eq(run->code, 0);
}

/* How it was made, for people: in lines that a terminal has room for. */
START_TEST(how_it_was_made_is_filled)
{
	char *line, *how, *save = NULL, joined[4096] = "";
	struct run run;

	report_with_events(&run);
	how = strstr(run.out, "How it was made:\n");
	ck_assert_ptr_nonnull(how);
	for (line = strtok_r(how, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *word = line + strspn(line, " ");

		ck_assert_msg(strlen(line) < 80 || !strchr(word, ' '), "%s",
			      line);
		ck_assert_uint_lt(strlen(joined) + strlen(word) + 2,
				  sizeof(joined));
		strcat(joined, *joined ? " " : "");
		strcat(joined, word);
	}
	ck_assert_msg(strstr(joined, "it knows 3 of 4 runs. The others are "
				     "reconstructed"),
		      "%s", joined);
	run_clear(&run);
}
END_TEST

/* But for what is named at its end: paths. */
START_TEST(no_line_is_wider_than_a_terminal)
{
	char *line, *save = NULL;
	struct run run;

	report_with_events(&run);
	ck_assert_ptr_nonnull(strstr(run.out, "REPEATED"));
	for (line = strtok_r(run.out, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strcmp(line, "Not as it should be in the input:"))
			break;
		ck_assert_msg(strlen(line) <= 80, "%zu: %s", strlen(line),
			      line);
	}
	run_clear(&run);
}
END_TEST

/* It was a report of all the time since 1970. */
START_TEST(no_job_at_all)
{
	struct json_object *report;
	struct run run;

	write_file("jobs",
		   "JobID|JobIDRaw|DBIndex|User|Account|Partition|State|"
		   "Submit|Eligible|Start|End|NodeList|AllocTRES|"
		   "ReqTRES|AdminComment\n");
	run_qshare(&run, NULL, "report", "--json", "--policy",
		   path_of("policy"), "--from", path_of("jobs"), NULL);
	ck_assert_int_eq(run.code, 0);
	ck_assert_ptr_nonnull(strstr(run.out, "No job was read"));
	report = json_tokener_parse(run.out);
	ck_assert_int_eq(number(report, "end") - number(report, "begin"),
			 7 * 86400);
	json_object_put(report);
	run_clear(&run);
}
END_TEST

/* At 1500 the audit log halves A, and B may have what is left. */
START_TEST(who_owned_what_is_of_the_audit_log)
{
	static const char audit[] =
		"{\"time\":\"1970-01-01T00:00:10Z\",\"event\":"
		"\"policy_loaded\",\"file\":\"x\",\"new\":\"Queue=q "
		"Partitions=low\\nShare=A Accounts=teama Capacity=a100:8 "
		"Strategy=LEND InSharePreemption=NO\\nShare=B Accounts=teamb "
		"Capacity=a100:8 Strategy=LEND_AND_BORROW "
		"InSharePreemption=NO\\n\"}\n"
		"{\"time\":\"1970-01-01T00:25:00Z\",\"event\":"
		"\"policy_changed\",\"file\":\"x\",\"new\":\"Queue=q "
		"Partitions=low\\nShare=A Accounts=teama Capacity=a100:4 "
		"Strategy=LEND InSharePreemption=NO\\nShare=B Accounts=teamb "
		"Capacity=a100:12 Strategy=LEND_AND_BORROW "
		"InSharePreemption=NO\\n\"}\n"
		"{\"time\":\"1970-01-01T00:25:30Z\",\"event\":"
		"\"policy_refused\",\"error\":\"policy:1: Quue=q\"}\n"
		"{\"time\":\"1970-01-01T00:26:00Z\",\"event\":"
		"\"policy_changed\",\"new\":\"Queue=q Partitions=low Sha\"}\n";
	struct json_object *report, *a, *b;
	struct run run;

	write_file("jobs", jobs);
	write_file("audit", audit);
	run_qshare(&run, NULL, "report", "--json", "--audit", path_of("audit"),
		   "--from", path_of("jobs"), NULL);
	report = parse(&run);
	a = row_of(report, "use", "share", "A", "type", "a100");
	b = row_of(report, "use", "share", "B", "type", "a100");
	ck_assert_int_eq(number(a, "capacity_gpu_sec"), 8 * 500 + 4 * 500);
	ck_assert_int_eq(number(a, "over_limit_gpu_sec"), 4 * 400);
	ck_assert_int_eq(number(a, "borrowed_gpu_sec"), 4 * 400);
	/* Its 12 are its own now. */
	ck_assert_int_eq(number(b, "borrowed_gpu_sec"), 240);
	ck_assert_int_eq(
		number(member(report, "exceptions"), "policies_changed"), 1);
	ck_assert_int_eq(
		number(member(report, "exceptions"), "policies_refused"), 1);
	ck_assert_ptr_nonnull(strstr(run.out, "cannot be read"));
	json_object_put(report);
	run_clear(&run);
}
END_TEST

START_TEST(a_window_and_a_share)
{
	struct json_object *report;
	struct run run;

	write_file("jobs", jobs);
	run_qshare(&run, NULL, "report", "--json", "--policy",
		   path_of("policy"), "--from", path_of("jobs"), "-S", "@1030",
		   "-E", "@1050", "-s", "B", NULL);
	report = parse(&run);
	ck_assert_uint_eq(json_object_array_length(member(report, "shares")),
			  1);
	ck_assert_int_eq(
		number(row_of(report, "use", "share", "B", "type", "a100"),
		       "used_gpu_sec"),
		12 * 20);
	ck_assert_int_eq(
		(int64_t)json_object_get_double(member(
			row_of(report, "loans", "lender", "A", "borrower", "B"),
			"gpu_sec")),
		4 * 20);
	json_object_put(report);
	run_clear(&run);
}
END_TEST

START_TEST(standard_input_and_all_forms)
{
	static const char *const forms[] = { "table", "json", "csv", "html" };
	static const char *const words[] = { "GPU-minutes", "\"use\"",
					     "B,a100,used_gpu_sec,",
					     "<!DOCTYPE html>" };

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		char option[32];
		struct run run;

		snprintf(option, sizeof(option), "--format=%s", forms[i]);
		run_qshare(&run, jobs, "report", "--policy", path_of("policy"),
			   "--from", "-", option, NULL);
		ck_assert_msg(!run.code, "%s: %s", forms[i], run.err);
		ck_assert_msg(strstr(run.out, words[i]), "%s: %s", forms[i],
			      run.out);
		run_clear(&run);
	}
}
END_TEST

/* What people write must not become markup, nor a formula of a spreadsheet. */
START_TEST(texts_from_outside_are_escaped)
{
	static const char evil[] =
		HEAD "1|1|1|u|<script>alert(1)</script>|low|COMPLETED|1|1|1|2|"
		     "n|gres/gpu:a100=8||\n"
		     "2|2|1|u|teamb|low|<i>|1|1|1|2|n|gres/gpu:a100=8||\n"
		     "3|3|1|u|teamb|low|WHAT<i>|1|1|1|2|n|gres/gpu:a100=8||\n";
	struct run run;

	write_file("policy", "Queue=q Partitions=low\nShare=B Accounts=teamb "
			     "Capacity=a100:8 Strategy=LEND "
			     "InSharePreemption=NO\n");
	run_qshare(&run, evil, "report", "--policy", path_of("policy"),
		   "--from", "-", "--format=html", NULL);
	ck_assert_int_eq(run.code, 0);
	ck_assert_ptr_null(strstr(run.out, "<script"));
	ck_assert_ptr_null(strstr(run.out, "<i>"));
	ck_assert_ptr_nonnull(strstr(run.out, "&lt;script&gt;"));
	ck_assert_ptr_null(strstr(run.out, "http"));
	run_clear(&run);
}
END_TEST

/* A page for one share tells nothing about the loans of two others. */
START_TEST(a_page_of_one_share)
{
	struct run run;

	write_file("policy",
		   POLICY "Share=C Accounts=c Capacity=a100:1 Strategy=RESERVE"
			  " InSharePreemption=NO\n");
	run_qshare(&run, jobs, "report", "--policy", path_of("policy"),
		   "--from", "-", "--format=html", "-s", "C", NULL);
	ck_assert_int_eq(run.code, 0);
	ck_assert_ptr_null(strstr(run.out, "class=\"heat\""));
	run_clear(&run);
	run_qshare(&run, jobs, "report", "--policy", path_of("policy"),
		   "--from", "-", "--format=html", "-s", "B", NULL);
	ck_assert_ptr_nonnull(strstr(run.out, "class=\"heat\""));
	run_clear(&run);
}
END_TEST

struct bad_row {
	const char *name;
	int code;
	const char *args[6];
	const char *says;
};

static const struct bad_row bad_rows[] = {
	{ "no such form", 2, { "--format=xml" }, "table, json, csv or html" },
	{ "no time", 2, { "--start=soon" }, "expected a time" },
	{ "end before start",
	  2,
	  { "-S", "@20", "-E", "@10" },
	  "before --start" },
	{ "an argument", 2, { "jobs.txt" }, "--from" },
	{ "no such file",
	  1,
	  { "--policy", "POLICY", "--from=/nonexistent" },
	  "/nonexistent" },
	{ "no such share",
	  1,
	  { "--policy", "POLICY", "--from=-", "-s", "Z" },
	  "'Z'" },
	{ "nobody says who owns what", 1, { "--from=-" }, "--policy" },
	{ "no such event log",
	  1,
	  { "--policy", "POLICY", "--from=-", "--events=/nonexistent" },
	  "/nonexistent" },
	{ "another file",
	  1,
	  { "--policy", "POLICY", "--from=/proc/self/status" },
	  "there is no such column" },
};

START_TEST(usage_and_errors)
{
	const struct bad_row *row = &bad_rows[_i];
	const char *args[6];
	struct run run;

	for (int i = 0; i < 6; i++)
		args[i] = row->args[i] && !strcmp(row->args[i], "POLICY") ?
				  path_of("policy") :
				  row->args[i];
	run_qshare(&run, jobs, "report", args[0], args[1], args[2], args[3],
		   args[4], args[5], NULL);
	ck_assert_msg(run.code == row->code, "%s: %d %s", row->name, run.code,
		      run.err);
	ck_assert_msg(strstr(run.err, row->says), "%s: %s", row->name, run.err);
	run_clear(&run);
}
END_TEST

/* They stood among the loans, as if a share had lent itself 0.0. */
START_TEST(who_goes_for_the_own_share_is_no_loan)
{
	static const char log[] =
		"{\"time\":\"1970-01-01T00:18:00Z\",\"event\":\"preemption_"
		"completed\",\"job\":2,\"for\":1,\"share\":\"B\",\"how\":\"IN_"
		"SHARE\",\"code\":\"PRIORITY\",\"run\":60,\"outcome\":"
		"\"requeue\"}\n";
	struct run run;

	write_file("jobs", jobs);
	write_file("events", log);
	run_qshare(&run, NULL, "report", "--policy", path_of("policy"),
		   "--from", path_of("jobs"), "--events", path_of("events"),
		   NULL);
	ck_assert_msg(!run.code, "%s", run.err);
	ck_assert_ptr_nonnull(strstr(run.out, "Runs preempted for jobs of "
					      "their own share: B 1\n"));
	ck_assert_ptr_null(strstr(run.out, "B       B"));
	ck_assert_ptr_nonnull(strstr(run.out, "Who lent to whom"));
	run_clear(&run);
}
END_TEST

/* A job that began in the second in which it came; 0:00 says nothing. */
START_TEST(less_than_a_second_is_said)
{
	static const char *const forms[] = { "table", "html" };
	static const char *const words[] = { "<1 s / <1 s", "&lt;1s / " };

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		char option[32];
		struct run run;

		snprintf(option, sizeof(option), "--format=%s", forms[i]);
		run_qshare(
			&run,
			HEAD
			"1|1|1|u|teamb|low|COMPLETED|1000|1000|1000|2000|n|gres/gpu:a100=8||\n",
			"report", "--policy", path_of("policy"), "--from", "-",
			option, NULL);
		ck_assert_int_eq(run.code, 0);
		ck_assert_msg(strstr(run.out, words[i]), "%s", run.out);
		run_clear(&run);
	}
}
END_TEST

/* A year of a large site is not held in memory as text. */
START_TEST(many_records)
{
	FILE *file = fopen(path_of("jobs"), "w");
	struct json_object *report;
	struct run run;

	fputs("{\"jobs\": [", file);
	for (int i = 1; i <= 20000; i++)
		fprintf(file,
			"%s{\"job_id\":%d,\"account\":\"teamb\",\"user\":\"u\","
			"\"partition\":\"low\",\"state\":{\"current\":["
			"\"COMPLETED\"]},\"time\":{\"submission\":%d,"
			"\"eligible\":%d,\"start\":%d,\"end\":%d},\"tres\":{"
			"\"allocated\":[{\"type\":\"gres\",\"name\":\"gpu:a100"
			"\",\"count\":1}],\"requested\":[]}}",
			i > 1 ? "," : "", i, i, i, i + 1, i + 3);
	fputs("], \"errors\": []}", file);
	fclose(file);
	run_qshare(&run, NULL, "report", "--json", "--policy",
		   path_of("policy"), "--from", path_of("jobs"), NULL);
	report = parse(&run);
	ck_assert_int_eq(number(member(report, "all_shares"), "completed"),
			 20000);
	ck_assert_int_eq(
		number(row_of(report, "use", "share", "B", "type", "a100"),
		       "used_gpu_sec"),
		40000);
	json_object_put(report);
	run_clear(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_cli");
	TCase *core = tcase_create("core");
	TCase *malformed = tcase_create("malformed");

	tcase_add_checked_fixture(core, set_up, folder_remove);
	tcase_add_checked_fixture(malformed, set_up, folder_remove);
	tcase_set_timeout(core, 90);
	tcase_set_timeout(malformed, 90);
	tcase_add_loop_test(core, sums_are_those_of_the_known_answers, 0,
			    ARRAY_LEN(versions));
	tcase_add_test(core, the_event_log_is_joined);
	tcase_add_test(core, what_was_out_of_service);
	tcase_add_test(core, how_it_was_made_is_filled);
	tcase_add_test(core, no_line_is_wider_than_a_terminal);
	tcase_add_test(core, no_job_at_all);
	tcase_add_test(core, who_owned_what_is_of_the_audit_log);
	tcase_add_test(core, a_window_and_a_share);
	tcase_add_test(core, standard_input_and_all_forms);
	tcase_add_test(core, a_page_of_one_share);
	tcase_add_test(core, many_records);
	tcase_add_test(core, who_goes_for_the_own_share_is_no_loan);
	tcase_add_test(core, less_than_a_second_is_said);
	tcase_add_test(malformed, texts_from_outside_are_escaped);
	tcase_add_loop_test(malformed, usage_and_errors, 0,
			    ARRAY_LEN(bad_rows));
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, malformed);
	return suite_run(suite);
}
