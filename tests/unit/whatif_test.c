/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_test.c - qshare whatif on a scenario file, and how answers are shown
 *
 * The real qshare on a file that each test writes; the answers that are shown
 * are canned: written here, not taken from a running slurmctld.
 */
#include <check.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/online.h"
#include "cli/whatif.h"
#include "conf/utf8.h"
#include "canned.h"
#include "run.h"
#include "suite.h"

/* B runs on 2 own and 2 borrowed of A's; A runs nothing. */
static const char scenario[] =
	"{\"policy\":[\"Queue=train Partitions=gpu\","
	"\"Share=A Queue=train Accounts=a Capacity=h100:4 Strategy=LEND "
	"InSharePreemption=NO MaxUserPriority=10\","
	"\"Share=B Queue=train Accounts=b Capacity=h100:2,a10g:1 "
	"Strategy=LEND_AND_BORROW BorrowLimit=100 InSharePreemption=YES\","
	"\"Share=C Queue=train Accounts=c Capacity=h100:1 Strategy=RESERVE "
	"InSharePreemption=NO State=DISABLED\"],\"now\":1000,"
	"\"nodes\":[{\"name\":\"n1\",\"gpus\":{\"h100\":4,\"a10g\":1}},"
	"{\"name\":\"n2\",\"gpus\":{\"h100\":3}}],\"jobs\":["
	"{\"id\":1,\"share\":\"B\",\"state\":\"RUNNING\",\"priority\":5,"
	"\"gpus\":{\"h100\":2},\"start\":20,\"on\":{\"n1\":{\"h100\":2}}},"
	"{\"id\":2,\"share\":\"B\",\"state\":\"RUNNING\","
	"\"gpus\":{\"h100\":2},\"start\":30,\"on\":{\"n1\":{\"h100\":2}}}]}";

struct row {
	const char *name;
	const char *args[7];
	int code;
	const char *answer; /* "VERDICT HOW CODE victims", or of the text */
};

static const struct row rows[] = {
	{ "own", { "-A", "a", "--gres=gpu:h100:2" }, 0, "START OWN  " },
	{ "by nodes",
	  { "-A", "a", "-N1", "--gpus-per-node=h100:2" },
	  0,
	  "START OWN  " },
	{ "by tasks",
	  { "-A", "a", "-n2", "--gpus-per-task=h100:1" },
	  0,
	  "START OWN  " },
	{ "reclaim",
	  { "-A", "a", "-G", "h100:4" },
	  0,
	  "START RECLAIM QUOTA 2" },
	{ "only own jobs there",
	  { "-A", "a", "-G", "h100:4", "-N1" },
	  0,
	  "WAIT  PLACEMENT " },
	{ "limit", { "-A", "b", "-Gh100:1" }, 0, "WAIT  LIMIT " },
	{ "in-share",
	  { "-A", "b", "-Gh100:2", "--share-priority=3" },
	  0,
	  "START IN_SHARE PRIORITY 2" },
	{ "by share", { "--quota-share=B", "-Ga10g:1" }, 0, "START OWN  " },
	{ "of several types",
	  { "-A", "b", "--gres=gpu:a10g:1,gpu:h100:1" },
	  0,
	  "WAIT  LIMIT " },
	{ "untyped, and types differ", { "-A", "b", "-G", "1" }, 3, "REFUSED" },
	{ "unknown type", { "-A", "a", "-Gh10:1" }, 3, "REFUSED" },
	{ "never fits", { "-A", "a", "-Gh100:5" }, 3, "REFUSED" },
	{ "disabled", { "-A", "c", "-Gh100:1" }, 3, "REFUSED" },
	{ "no share for the account", { "-A", "z", "-Gh100:1" }, 3, "REFUSED" },
	{ "another's share",
	  { "-A", "a", "--quota-share=B", "-Gh100:1" },
	  3,
	  "REFUSED" },
	{ "no GPU", { "-A", "a", "-n1" }, 0, "NOT_OURS" },
	{ "another partition",
	  { "-A", "a", "-p", "cpu", "-G1" },
	  0,
	  "NOT_OURS" },
	{ "no such option", { "-A", "a", "--no-such" }, 2, NULL },
	{ "no value", { "-A", "a", "-N" }, 2, NULL },
	{ "not a number", { "-A", "a", "-N", "x" }, 2, NULL },
	{ "not GPUs", { "-A", "a", "-G", "h100:x" }, 2, NULL },
	{ "a script", { "-A", "a", "job.sh" }, 2, NULL },
	{ "nothing", { NULL }, 2, NULL },
};

static char path[64];

static void set_up(void)
{
	FILE *file;
	int fd;

	strcpy(path, "/tmp/qs-whatif.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	file = fdopen(fd, "w");
	ck_assert_ptr_nonnull(file);
	fputs(scenario, file);
	fclose(file);
}

static void tear_down(void)
{
	unlink(path);
}

static void summary(struct json_object *answer, char *text, size_t size)
{
	struct json_object *list = qs_online_list(answer, "victims");
	size_t n;

	n = (size_t)snprintf(text, size, "%s",
			     qs_online_text(answer, "verdict", "?"));
	if (!list)
		return;
	n += (size_t)snprintf(text + n, size - n, " %s %s ",
			      qs_online_text(answer, "how", "?"),
			      qs_online_text(answer, "code", "?"));
	for (size_t i = 0; i < json_object_array_length(list); i++)
		n += (size_t)snprintf(
			text + n, size - n, "%s%lld", i ? "," : "",
			(long long)qs_online_number(
				json_object_array_get_idx(list, i), "job", 0));
}

START_TEST(answers)
{
	const struct row *row = &rows[_i];
	const char *const *a = row->args;
	struct json_object *answer;
	char given[80], text[128];
	struct run run;

	snprintf(given, sizeof(given), "--scenario=%s", path);
	run_qshare(&run, NULL, "whatif", "--json", given, a[0], a[1], a[2],
		   a[3], a[4], a[5], a[6], NULL);
	ck_assert_msg(run.code == row->code, "%s: %d: %s%s", row->name,
		      run.code, run.err, run.out);
	if (row->answer) {
		answer = json_tokener_parse(run.out);
		summary(answer, text, sizeof(text));
		ck_assert_msg(!strcmp(text, row->answer), "%s: '%s'", row->name,
			      text);
		json_object_put(answer);
	}
	run_clear(&run);
}
END_TEST

/* Whatever bytes are in a user's word, the answer is JSON. */
START_TEST(any_bytes)
{
	char given[80];
	struct run run;

	snprintf(given, sizeof(given), "--scenario=%s", path);
	run_qshare(&run, NULL, "whatif", "--json", given, "-A", "x\xff\xc3y",
		   "-Gh100:1", NULL);
	ck_assert_int_eq(run.code, 3);
	ck_assert_ptr_nonnull(strstr(run.out, "account x\\ufffd\\ufffdy "));
	ck_assert_uint_eq(qs_utf8_span(run.out), strlen(run.out));
	run_clear(&run);
}
END_TEST

static char *print(const char *canned, int *rc)
{
	struct canned c;

	canned_begin(&c, canned);
	*rc = qs_whatif_print(c.answer, false, c.out);
	return canned_end(&c);
}

static const struct {
	const char *canned, *says;
} shown[] = {
	{ "{\"verdict\":\"START\",\"how\":\"RECLAIM\",\"code\":\"QUOTA\","
	  "\"share\":\"A\",\"queue\":\"train\",\"gpus\":{\"h100\":3},"
	  "\"text\":\"Because.\",\"own\":{\"h100\":3},\"borrowed\":{},"
	  "\"place\":{\"n1\":{\"h100\":3}},\"victims\":[{\"job\":7,"
	  "\"share\":\"B\",\"gpus\":4,\"borrowed\":2,\"run\":61}],"
	  "\"notes\":\"one\\ntwo\"}",
	  "A job of share A in queue train with 3 h100:\n"
	  "It would start after others are preempted, on GPUs that its share "
	  "takes back.\n"
	  "Because.\n"
	  "It would hold own: 3 h100.\n"
	  "Place: n1 (3 h100)\n"
	  "For it would be preempted:\n"
	  "  JobId=7 of share B: 4 GPUs, 2 of them borrowed, running for "
	  "1:01\n"
	  "Note: one\nNote: two\n" },
	{ "{\"verdict\":\"START\",\"how\":\"RECLAIM\",\"code\":\"QUOTA\","
	  "\"share\":\"A\",\"queue\":\"train\",\"gpus\":{\"h100\":3},"
	  "\"text\":\"Because.\",\"own\":{\"h100\":3},\"borrowed\":{},"
	  "\"place\":{},\"victims\":null,"
	  "\"victims_total\":{\"jobs\":2,\"gpus\":5},\"notes\":\"\"}",
	  "A job of share A in queue train with 3 h100:\n"
	  "It would start after others are preempted, on GPUs that its share "
	  "takes back.\n"
	  "Because.\n"
	  "It would hold own: 3 h100.\n"
	  "For it would be preempted: 2 jobs with 5 GPUs (PrivateData=jobs is "
	  "set, so they are not named)\n" },
	{ "{\"verdict\":\"WAIT\",\"how\":\"\",\"code\":\"LIMIT\","
	  "\"share\":\"A\",\"queue\":\"train\",\"gpus\":{\"h100\":3},"
	  "\"text\":\"Because.\",\"victims\":null,"
	  "\"victims_total\":{\"jobs\":0,\"gpus\":0}}",
	  "A job of share A in queue train with 3 h100:\n"
	  "It would wait.\nBecause.\n" },
	{ "{\"verdict\":\"REFUSED\",\"text\":\"no\"}",
	  "It would be refused: no\n" },
	{ "{\"verdict\":\"NOT_OURS\",\"text\":\"\"}",
	  "No share is charged for it: it is in no quota queue, or asks for no "
	  "GPU. Slurm alone decides.\n" },
	{ "{\"verdict\":\"UNKNOWN\",\"text\":\"ask again\"}",
	  "No answer: ask again\n" },
};

START_TEST(sentences)
{
	int rc;
	char *text = print(shown[_i].canned, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_str_eq(text, shown[_i].says);
	free(text);
}
END_TEST

START_TEST(not_an_answer)
{
	int rc;

	free(print("{\"shares\":[]}", &rc));
	ck_assert_int_eq(rc, -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("whatif");
	TCase *core = tcase_create("core");

	tcase_add_checked_fixture(core, set_up, tear_down);
	tcase_add_loop_test(core, answers, 0, ARRAY_LEN(rows));
	tcase_add_test(core, any_bytes);
	tcase_add_loop_test(core, sentences, 0, ARRAY_LEN(shown));
	tcase_add_test(core, not_an_answer);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
