/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * man_test.c - the manual pages say what the programs do
 *
 * Examples stand between '.\" BEGIN name' and '.\" END name' in the pages'
 * source: the policy must be good, the scenario must give the decision that
 * the page tells, the table must be what qshare prints. Every key of the
 * policy file and every command of qshare must be in its page. And the page of
 * rules has every rule and law, and names files and tests that are there.
 */
#include <check.h>
#include <glob.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/keys.h"
#include "man_example.h"
#include "run.h"
#include "suite.h"

START_TEST(policy_of_the_page_is_good)
{
	char *text = man_example("doc/man/quota_share.conf.5", "policy");
	struct qs_warnings warnings = { 0 };
	struct qs_error err;
	struct qs_policy *p;

	p = qs_conf_read_text("page", NULL, text, strlen(text), &warnings,
			      &err);
	ck_assert_msg(p != NULL, "%s", err.text);
	ck_assert_msg(!warnings.n, "%s", warnings.items[0].text);
	ck_assert_int_eq(p->nshares, 3);
	/* what the page says of it */
	ck_assert_int_eq(qs_policy_limit(p,
					 qs_policy_find_share(p, "background"),
					 qs_policy_find_type(p, "h100")),
			 48);
	ck_assert_int_eq(qs_policy_lends(p, qs_policy_find_share(p, "eval"),
					 qs_policy_find_type(p, "a10g")),
			 0);
	qs_policy_free(p);
	free(text);
}
END_TEST

START_TEST(example_file_is_good)
{
	char *text = source_file("etc/quota_share.conf.example");
	struct qs_warnings warnings = { 0 };
	struct qs_error err;
	struct qs_policy *p;

	p = qs_conf_read_text("example", NULL, text, strlen(text), &warnings,
			      &err);
	ck_assert_msg(p != NULL, "%s", err.text);
	ck_assert_msg(!warnings.n, "%s", warnings.items[0].text);
	ck_assert_int_eq(p->mode, QS_MODE_OBSERVE);
	qs_policy_free(p);
	free(text);
}
END_TEST

START_TEST(table_of_the_page_is_what_check_prints)
{
	char *policy = man_example("doc/man/quota_share.conf.5", "policy");
	char *session = man_example("doc/man/qshare.1", "check");
	struct run run;
	char *table;

	run_qshare(&run, policy, "check", "-", NULL);
	ck_assert_int_eq(run.code, 0);
	/* below the command, with the name of the file */
	table = strchr(session, '\n') + 1;
	ck_assert_msg(!strncmp(table, "quota_share.conf: OK", 20), "%s", table);
	ck_assert_str_eq(table + strlen("quota_share.conf"),
			 run.out + strlen("standard input"));
	run_clear(&run);
	free(policy);
	free(session);
}
END_TEST

START_TEST(scenario_of_the_page_gives_what_it_tells)
{
	char *text = man_example("doc/man/qshare_scenario.5", "scenario");
	struct json_object *plan, *list, *decision, *want;
	struct run run;

	run_qshare(&run, text, "plan", "-", NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	plan = json_tokener_parse(run.out);
	ck_assert_ptr_nonnull(plan);
	ck_assert(json_object_object_get_ex(plan, "decisions", &list));
	decision = json_object_array_get_idx(list, 0);
	want = json_tokener_parse("[2]");
	ck_assert(json_object_object_get_ex(decision, "victims", &list));
	ck_assert_msg(json_object_equal(want, list), "%s", run.out);
	json_object_put(want);
	json_object_put(plan);
	run_clear(&run);
	free(text);
}
END_TEST

/* Each key of a policy file, written as that file writes it. */
static void check_keys(const char *file, const char *before, const char *after)
{
	char *text = source_file(file), given[64];

	for (int kind = QS_KIND_FILE; kind <= QS_KIND_SHARE; kind++)
		for (const struct qs_key *key = qs_keys_of((enum qs_kind)kind);
		     key->name; key++) {
			snprintf(given, sizeof(given), "%s%s%s", before,
				 key->name, after);
			ck_assert_msg(strstr(text, given) != NULL,
				      "%s is not in %s", key->name, file);
		}
	free(text);
}

START_TEST(every_key_is_in_the_page)
{
	check_keys("doc/man/quota_share.conf.5", "\\fB", "\\fR=");
}
END_TEST

START_TEST(every_key_is_in_the_example_file)
{
	check_keys("etc/quota_share.conf.example", "", "=");
}
END_TEST

START_TEST(every_command_is_in_the_page)
{
	char *text = source_file("doc/man/qshare.1"), heading[64];
	char *line, *rest;
	struct run run;
	int commands = 0;

	run_qshare(&run, NULL, "--help", NULL);
	rest = strstr(run.out, "Commands:\n");
	ck_assert_ptr_nonnull(rest);
	strtok_r(rest, "\n", &rest);
	while ((line = strtok_r(NULL, "\n", &rest)) && line[0] == ' ' &&
	       line[2] != '-') {
		snprintf(heading, sizeof(heading), ".SS %.*s\n",
			 (int)strcspn(line + 2, " "), line + 2);
		ck_assert_msg(strstr(text, heading) != NULL,
			      "qshare(1) has no %s", heading);
		commands++;
	}
	ck_assert_int_ge(commands, 2);
	run_clear(&run);
	free(text);
}
END_TEST

/* Is there a row for the rule or law? */
static void check_row(const char *page, const char *kind, int number)
{
	char row[32], row_aws[32];

	snprintf(row, sizeof(row), "\n| %s%d | ", kind, number);
	snprintf(row_aws, sizeof(row_aws), "\n| %s%d AWS | ", kind, number);
	ck_assert_msg(strstr(page, row) || strstr(page, row_aws),
		      "doc/rules.md has no row '%s%d'", kind, number);
}

START_TEST(every_rule_and_law_is_in_the_page)
{
	char *page = source_file("doc/rules.md");

	for (int i = 1; i <= 23; i++)
		check_row(page, "R", i);
	for (int i = 1; i <= 17; i++)
		check_row(page, "", i);
	free(page);
}
END_TEST

/* The tests of a row: numbers are tests/cluster's. */
static void check_numbers(const char *cell)
{
	const char *top = getenv("QS_SRCDIR");
	char pattern[4096];
	glob_t found;

	for (const char *at = cell; *at; at++) {
		if (*at == '`')
			at = strchr(at + 1, '`');
		if (*at < '0' || *at > '9')
			continue;
		snprintf(pattern, sizeof(pattern), "%s/tests/cluster/%.2s-*.sh",
			 top ? top : QS_SRCDIR, at);
		ck_assert_msg(!glob(pattern, 0, NULL, &found),
			      "doc/rules.md: no test %.2s: %s", at, cell);
		globfree(&found);
		at++;
	}
}

/* A file that a row names is there, and a source file cites the rule. */
static void check_file(const char *name, const char *rule)
{
	const char *top = getenv("QS_SRCDIR");
	const char *where = strstr(name, ".json") ? "tests/cases/" :
			    strchr(name, '/')     ? "" :
						    "src/engine/";
	char path[4096], *text;
	glob_t found;

	snprintf(path, sizeof(path), "%s/%s%s", top ? top : QS_SRCDIR, where,
		 name);
	ck_assert_msg(!glob(path, 0, NULL, &found), "doc/rules.md: no file %s",
		      path);
	globfree(&found);
	if (*rule != 'R' || strncmp(name, "tests/", 6) == 0 ||
	    strstr(name, ".json"))
		return;
	snprintf(path, sizeof(path), "%s%s", where, name);
	text = source_file(path);
	ck_assert_msg(strstr(text, rule), "%s does not cite %s", path, rule);
	free(text);
}

START_TEST(what_a_rule_names_is_there)
{
	char *page = source_file("doc/rules.md"), *rest = page, *line;
	int rows = 0;

	while ((line = strsep(&rest, "\n"))) {
		char *cell[5], rule[8], *file;
		int n = 0;

		if (strncmp(line, "| R", 3) &&
		    (line[0] != '|' || line[2] < '0' || line[2] > '9'))
			continue;
		while (n < 5 && (cell[n] = strsep(&line, "|")))
			n++;
		ck_assert_int_ge(n, 4);
		snprintf(rule, sizeof(rule), "%.*s",
			 (int)strcspn(cell[1] + 1, " "), cell[1] + 1);
		/* A law has no place where it is decided. */
		check_numbers(*rule == 'R' ? cell[4] : cell[3]);
		for (int i = 3; i < n; i++)
			while (strsep(&cell[i], "`") &&
			       (file = strsep(&cell[i], "`")))
				check_file(file, rule);
		rows++;
	}
	ck_assert_int_ge(rows, 23 + 17);
	free(page);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("manual pages");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 90);
	tcase_add_test(core, policy_of_the_page_is_good);
	tcase_add_test(core, example_file_is_good);
	tcase_add_test(core, table_of_the_page_is_what_check_prints);
	tcase_add_test(core, scenario_of_the_page_gives_what_it_tells);
	tcase_add_test(core, every_key_is_in_the_page);
	tcase_add_test(core, every_key_is_in_the_example_file);
	tcase_add_test(core, every_command_is_in_the_page);
	tcase_add_test(core, every_rule_and_law_is_in_the_page);
	tcase_add_test(core, what_a_rule_names_is_there);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
