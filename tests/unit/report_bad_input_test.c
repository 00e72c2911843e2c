/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_bad_input_test.c - what a report cannot use as it stands is counted
 * and named: missing fields, unknown users, jobs still running, clocks that were
 * changed, half-written lines
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "report_files.h"
#include "run.h"
#include "suite.h"

#define HEAD                                                          \
	"JobID|JobIDRaw|DBIndex|User|Account|Partition|State|Submit|" \
	"Eligible|Start|End|NodeList|AllocTRES|ReqTRES|AdminComment\n"
/* Two types and no default share: nothing can be guessed. */
#define POLICY                                                        \
	"Queue=q Partitions=low\n"                                    \
	"Share=B Accounts=teamb Capacity=a100:8,v100:4 Strategy=LEND" \
	" InSharePreemption=NO\n"
#define ROW(rest)         HEAD "1|1|1|u|" rest "\n"
#define RAN(rest)         ROW("teamb|low|COMPLETED|" rest)
#define JSON_JOB(members) "{\"jobs\":[{" members "}],\"errors\":[]}"
#define LOG(time, rest)   "{\"time\":\"1970-01-01T" time "Z\",\"event\":" rest
#define AUDIT_POLICY(gpus)                                               \
	",\"new\":\"Queue=q Partitions=low\\nShare=B Accounts=teamb "    \
	"Capacity=a100:" gpus ",v100:4 Strategy=LEND InSharePreemption=" \
	"NO\\n\"}\n"
#define LOADED LOG("00:20:00", "\"policy_loaded\"" AUDIT_POLICY("8"))

static const char good[] = RAN("1000|1000|1000|2000|n|gres/gpu:a100=8||");

enum where {
	RECORDS,
	EVENTS,
	AUDIT,
};

static const struct {
	const char *says; /* the line that counts and names it */
	enum where where;
	const char *text;
} rows[] = {
	/* users and accounts */
	{ "1 runs whose account no share lists: of no share (first: job 1, "
	  "account teamx)",
	  RECORDS,
	  ROW("teamx|low|COMPLETED|1000|1000|1000|2000|n|gres/gpu:a100=8||") },
	{ "1 runs without an account: of no share (first: job 1 of user u)",
	  RECORDS,
	  ROW("|low|COMPLETED|1000|1000|1000|2000|n|gres/gpu:a100=8||") },
	/* missing fields */
	{ "1 records with fewer fields than the first line names, left out",
	  RECORDS, ROW("teamb|low") },
	{ "1 records whose job id, state or times cannot be read, left out",
	  RECORDS, RAN("soon|1000|1000|2000|n|gres/gpu:a100=8||") },
	{ "1 records whose job id, state or times cannot be read, left out",
	  RECORDS, JSON_JOB("\"account\":\"teamb\"") },
	{ "1 records without a time of submission, or with times that cannot "
	  "be, left out",
	  RECORDS, RAN("Unknown|1000|1000|2000|n|gres/gpu:a100=8||") },
	{ "1 jobs that never started, of which the records do not say "
	  "(ReqTRES) whether they ask for GPUs: left out (first: job 1)",
	  RECORDS,
	  "JobID|JobIDRaw|User|Account|Partition|State|Submit|Start|End|"
	  "AllocTRES\n1|1|u|teamb|low|PENDING|1000|Unknown|Unknown|\n" },
	{ "1 records with a state that is not known, counted as FAILED (first: "
	  "job 1: MELTED)",
	  RECORDS,
	  ROW("teamb|low|MELTED|1000|1000|1000|2000|n|gres/gpu:a100=8||") },
	{ "1 files that end or break within a record; what follows is not "
	  "known",
	  RECORDS, "{\"jobs\":[{\"job_id\":1,\"sta" },
	{ "1 errors that sacct reports (first: ", RECORDS,
	  "{\"jobs\":[],\"errors\":[{\"description\":\"no\"}]}" },
	/* types */
	{ "1 runs with GPUs of which neither the record nor their nodes tell "
	  "the type",
	  RECORDS, RAN("1000|1000|1000|2000|n|gres/gpu=8||") },
	{ "1 runs with GPUs of a type that is in no policy: these GPUs left "
	  "out (first: job 1: b200)",
	  RECORDS, RAN("1000|1000|1000|2000|n|gres/gpu:b200=8||") },
	/* jobs still running */
	{ "1 runs that are over without an end: counted as running until the "
	  "end of the report",
	  RECORDS, RAN("1000|1000|1000|Unknown|n|gres/gpu:a100=8||") },
	/* clock changes */
	{ "1 runs that end before they start (a clock was changed?): counted "
	  "without length (first: job 1)",
	  RECORDS, RAN("1000|1000|1000|900|n|gres/gpu:a100=8||") },
	{ "1 waits that end before they begin (a clock was changed?): counted "
	  "as 0 (first: 1 of them)",
	  RECORDS, RAN("1500|1500|1000|2000|n|gres/gpu:a100=8||") },
	{ "1 lines of the event log whose time goes back (a clock was "
	  "changed?)",
	  EVENTS,
	  LOG("00:20:00", "\"queued\"}\n") LOG("00:19:00", "\"queued\"}\n") },
	{ "1 lines of the audit log whose time goes back (a clock was "
	  "changed?)",
	  AUDIT,
	  LOADED LOG("00:19:00", "\"policy_changed\"" AUDIT_POLICY("4")) },
	/* the logs */
	{ "1 half-written lines of the event log, left out", EVENTS,
	  LOG("00:20:00", "\"sta") },
	{ "1 half-written lines of the audit log, left out", AUDIT,
	  LOADED "{\"time\":" },
	{ "1 policies of the audit log that cannot be read", AUDIT,
	  LOADED LOG("00:21:00", "\"policy_changed\",\"new\":\"Queue\"}\n") },
	{ "1 lines of the event log without a time, left out", EVENTS,
	  "{\"event\":\"queued\"}\n" },
	{ "1 gaps: lines that the event log could not take (first: 7 lines)",
	  EVENTS, LOG("00:20:00", "\"lines_lost\",\"count\":7}\n") },
	{ "1 runs of the event log that are not in accounting (first: job 9)",
	  EVENTS, LOG("00:20:00", "\"start\",\"job\":9,\"start\":1200}\n") },
	{ "1 preemptions of the event log whose run is not in accounting "
	  "(first: job 9)",
	  EVENTS,
	  LOG("00:20:00",
	      "\"preemption_completed\",\"job\":9,\"for\":3,\"run\":60}\n") },
};

START_TEST(bad_input_is_counted_and_named)
{
	enum where where = rows[_i].where;
	struct run run;

	write_file("policy", POLICY);
	write_file("jobs", where == RECORDS ? rows[_i].text : good);
	write_file("events", where == EVENTS ? rows[_i].text : "");
	write_file("audit", where == AUDIT ? rows[_i].text : "");
	/* Who owned what is of the audit log, or else of the policy. */
	run_qshare(&run, NULL, "report", "--from", path_of("jobs"), "--events",
		   path_of("events"), where == AUDIT ? "--audit" : "--policy",
		   path_of(where == AUDIT ? "audit" : "policy"), NULL);
	ck_assert_msg(!run.code, "%s: %s", rows[_i].says, run.err);
	ck_assert_msg(strstr(run.out, rows[_i].says), "%s: %s", rows[_i].says,
		      run.out);
	run_clear(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_bad_input");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 90);
	tcase_add_checked_fixture(core, report_files_begin, folder_remove);
	tcase_add_loop_test(core, bad_input_is_counted_and_named, 0,
			    ARRAY_LEN(rows));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
