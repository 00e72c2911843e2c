/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli_test.c - the real qshare: exit codes, messages, where each goes
 */
#include <check.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "suite.h"

#define GOOD                                          \
	"Queue=q\nShare=A Accounts=a Capacity=h100:4" \
	" Strategy=LEND_AND_BORROW BorrowLimit=0 InSharePreemption=YES\n"
#define SCENARIO                                                            \
	"{\"policy\": [\"Queue=q\", \"Share=A Accounts=a Capacity=h100:1"   \
	" Strategy=LEND InSharePreemption=NO\"], \"now\": 1, \"jobs\":"     \
	" [{\"id\": 1, \"share\": \"A\", \"state\": \"PENDING\", \"gpus\":" \
	" {\"h100\": 1}, \"eligible\": 1}]}"

struct row {
	const char *name;
	const char *args[4];
	const char *input;
	int code;
	const char *out, *err; /* part of; "" means nothing at all */
};

static const struct row rows[] = {
	{ "help", { "--help" }, NULL, 0, "Example:", "" },
	{ "help, brief", { "-h" }, NULL, 0, "  plan ", "" },
	{ "version", { "--version" }, NULL, 0, "qshare ", "" },
	{ "help of check", { "check", "--help" }, NULL, 0, "Example:", "" },
	{ "help of plan", { "plan", "--help" }, NULL, 0, "Example:", "" },
	{ "help of status", { "status", "--help" }, NULL, 0, "Example:", "" },
	{ "help of explain", { "explain", "--help" }, NULL, 0, "Example:", "" },
	{ "help of priority",
	  { "priority", "--help" },
	  NULL,
	  0,
	  "Example:",
	  "" },
	{ "help as a command", { "help", "plan" }, NULL, 0, "SCENARIO", "" },
	{ "unknown command",
	  { "chekc" },
	  NULL,
	  2,
	  "",
	  "did you mean 'check'?" },
	{ "unknown command, unlike any",
	  { "xyzzy" },
	  NULL,
	  2,
	  "",
	  "no command 'xyzzy'" },
	{ "help of an unknown command",
	  { "help", "plam" },
	  NULL,
	  2,
	  "",
	  "did you mean 'plan'?" },
	{ "unknown option", { "check", "--nope" }, NULL, 2, "", "--nope" },
	{ "two files", { "check", "a", "b" }, NULL, 2, "", "one file" },
	{ "no scenario", { "plan" }, NULL, 2, "", "one scenario" },
	{ "two scenarios", { "plan", "a", "b" }, NULL, 2, "", "one scenario" },
	{ "good policy",
	  { "check", "-" },
	  GOOD,
	  0,
	  "standard input: OK: 1 queue, 1 share, 1 GPU type",
	  "" },
	{ "good policy, parsable",
	  { "check", "-nP", "-" },
	  GOOD,
	  0,
	  "q|A|h100|4|4|4|LEND_AND_BORROW|yes|yes\n",
	  "" },
	{ "warning",
	  { "check", "-" },
	  GOOD "Share=B Capacity=h100:1"
	       " Strategy=RESERVE"
	       " InSharePreemption=NO\n",
	  0,
	  "OK",
	  "qshare check: warning: standard input:3: share B has no "
	  "Accounts" },
	{ "observing",
	  { "check", "-" },
	  "Mode=OBSERVE\n" GOOD,
	  0,
	  "Mode=OBSERVE",
	  "" },
	{ "bad policy",
	  { "check", "-" },
	  "Queue=q\nShare=A Capcity=h100:4\n",
	  1,
	  "",
	  "qshare check: standard input:2: Capcity=h100:4: unknown key; "
	  "expected a key of a Share line; did you mean Capacity?\n" },
	{ "no policy file",
	  { "check", "/no/such.conf" },
	  NULL,
	  1,
	  "",
	  "/no/such.conf: No such file" },
	{ "plan", { "plan", "-" }, SCENARIO, 0, "\"how\": \"OWN\"", "" },
	{ "bad scenario",
	  { "plan", "-" },
	  "{",
	  1,
	  "",
	  "qshare plan: standard input:1: " },
	{ "no scenario file",
	  { "plan", "/no/such.json" },
	  NULL,
	  1,
	  "",
	  "/no/such.json: No such file" },
};

static void check_text(const struct row *row, const char *what,
		       const char *want, const char *got)
{
	if (want && !*want)
		ck_assert_msg(!*got, "%s: something on %s: %s", row->name, what,
			      got);
	else if (want)
		ck_assert_msg(strstr(got, want) != NULL,
			      "%s: no \"%s\" on %s: %s", row->name, want, what,
			      got);
}

START_TEST(commands)
{
	const struct row *row = &rows[_i];
	struct run run;

	run_qshare(&run, row->input, row->args[0], row->args[1], row->args[2],
		   row->args[3], NULL);
	ck_assert_msg(run.code == row->code, "%s: exit code %d: %s%s",
		      row->name, run.code, run.out, run.err);
	check_text(row, "stdout", row->out, run.out);
	check_text(row, "stderr", row->err, run.err);
	run_clear(&run);
}
END_TEST

static struct json_object *get(struct json_object *json, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(json, key, &value);
	return value;
}

START_TEST(check_json_good)
{
	struct json_object *json, *share;
	struct run run;

	run_qshare(&run, GOOD, "check", "--json", "-", NULL);
	ck_assert_int_eq(run.code, 0);
	json = json_tokener_parse(run.out);
	ck_assert_msg(json != NULL, "%s", run.out);
	ck_assert(json_object_get_boolean(get(json, "ok")));
	ck_assert_str_eq(json_object_get_string(get(json, "mode")), "ENFORCE");
	share = json_object_array_get_idx(get(json, "shares"), 0);
	ck_assert_int_eq(json_object_get_int(get(share, "limit")), 4);
	json_object_put(json);
	run_clear(&run);
}
END_TEST

START_TEST(check_json_bad)
{
	struct json_object *json, *error;
	struct run run;

	run_qshare(&run, "Queue=q\n\nShare=A Capacity=x:-1\n", "check",
		   "--json", "-", NULL);
	ck_assert_int_eq(run.code, 1);
	json = json_tokener_parse(run.out);
	ck_assert_msg(json != NULL, "%s", run.out);
	ck_assert(!json_object_get_boolean(get(json, "ok")));
	error = get(json, "error");
	ck_assert_int_eq(json_object_get_int(get(error, "line")), 3);
	ck_assert_str_eq(json_object_get_string(get(error, "key")), "Capacity");
	ck_assert_str_eq(json_object_get_string(get(error, "value")), "x:-1");
	ck_assert_ptr_nonnull(strstr(
		json_object_get_string(get(error, "expected")), "TYPE:COUNT"));
	ck_assert_ptr_nonnull(strstr(run.err, "Capacity=x:-1"));
	json_object_put(json);
	run_clear(&run);
}
END_TEST

START_TEST(check_finds_the_file_beside_slurm_conf)
{
	struct run run;

	setenv("SLURM_CONF", "/no/such/folder/slurm.conf", 1);
	run_qshare(&run, NULL, "check", NULL);
	unsetenv("SLURM_CONF");
	ck_assert_int_eq(run.code, 1);
	ck_assert_msg(strstr(run.err, "/no/such/folder/quota_share.conf"), "%s",
		      run.err);
	run_clear(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cli");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 90);
	tcase_add_loop_test(core, commands, 0, ARRAY_LEN(rows));
	tcase_add_test(core, check_json_good);
	tcase_add_test(core, check_json_bad);
	tcase_add_test(core, check_finds_the_file_beside_slurm_conf);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
