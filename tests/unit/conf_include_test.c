/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_include_test.c - Include, and files that are no policy files
 *
 * Each test works in a folder of its own under $TMPDIR and removes it.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"
#include "conf/document.h"

#include "folder.h"
#include "suite.h"

#define SHARE "Share=a Capacity=t:1 Strategy=LEND InSharePreemption=NO\n"

static void setup(void)
{
	folder_make();
	ck_assert_int_eq(mkdir(path_of("sub"), 0700), 0);
}

static struct qs_policy *read_main(struct qs_error *err)
{
	return qs_conf_read_file(path_of("main.conf"), NULL, err);
}

START_TEST(relative_to_the_including_file)
{
	struct qs_error err;
	struct qs_policy *p;

	write_file("main.conf", "Queue=q\ninclude sub/shares.conf # all\n");
	write_file("sub/shares.conf", "Include \"more shares.conf\"\n");
	write_file("sub/more shares.conf", SHARE);
	p = read_main(&err);
	ck_assert_msg(p != NULL, "%s", err.text);
	ck_assert_int_eq(p->nshares, 1);
	qs_policy_free(p);
}
END_TEST

START_TEST(absolute_and_twice_from_two_files)
{
	char text[700];
	struct qs_error err;

	/* the same file again is no loop: its share is doubled */
	write_file("sub/share.conf", SHARE);
	snprintf(text, sizeof(text),
		 "Queue=q\nInclude %s\nInclude sub/share.conf\n",
		 path_of("sub/share.conf"));
	write_file("main.conf", text);
	ck_assert_ptr_null(read_main(&err));
	ck_assert_str_eq(err.key, "Share");
	ck_assert_ptr_nonnull(strstr(err.text, "the name is taken"));
}
END_TEST

START_TEST(error_names_the_included_file_and_its_line)
{
	struct qs_error err;

	write_file("main.conf", "Queue=q\nInclude sub/shares.conf\n");
	write_file("sub/shares.conf", "# one\n# two\nShare=a Sate=ENABLED\n");
	ck_assert_ptr_null(read_main(&err));
	ck_assert_str_eq(err.file, path_of("sub/shares.conf"));
	ck_assert_uint_eq(err.line, 3);
	ck_assert_str_eq(err.key, "Sate");
	ck_assert_str_eq(err.value, "ENABLED");
}
END_TEST

START_TEST(missing_file_names_the_include_line)
{
	struct qs_error err;

	write_file("main.conf", "Queue=q\n\nInclude none.conf\n");
	ck_assert_ptr_null(read_main(&err));
	ck_assert_str_eq(err.file, path_of("main.conf"));
	ck_assert_uint_eq(err.line, 3);
	ck_assert_str_eq(err.key, "Include");
	ck_assert_str_eq(err.value, "none.conf");
	ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
}
END_TEST

START_TEST(loop)
{
	struct qs_error err;

	write_file("main.conf", "Queue=q\nInclude sub/b.conf\n");
	write_file("sub/b.conf", "Include ../main.conf\n");
	ck_assert_ptr_null(read_main(&err));
	ck_assert_str_eq(err.file, path_of("sub/b.conf"));
	ck_assert_uint_eq(err.line, 1);
	ck_assert_ptr_nonnull(strstr(err.text, "includes itself"));
}
END_TEST

START_TEST(loop_under_another_name)
{
	struct qs_error err;

	write_file("main.conf", "Queue=q\nInclude alias.conf\n");
	ck_assert_int_eq(symlink("main.conf", path_of("alias.conf")), 0);
	ck_assert_ptr_null(read_main(&err));
	ck_assert_ptr_nonnull(strstr(err.text, "includes itself"));
}
END_TEST

static void write_chain(int depth)
{
	char name[32], text[64];

	for (int i = 1; i <= depth; i++) {
		snprintf(name, sizeof(name), i == 1 ? "main.conf" : "f%d.conf",
			 i);
		if (i < depth)
			snprintf(text, sizeof(text), "Include f%d.conf\n",
				 i + 1);
		else
			snprintf(text, sizeof(text), "Queue=q\n");
		write_file(name, text);
	}
}

START_TEST(depth)
{
	struct qs_error err;
	struct qs_policy *p;

	write_chain(QS_INCLUDE_DEPTH_MAX);
	p = read_main(&err);
	ck_assert_msg(p != NULL, "%s", err.text);
	qs_policy_free(p);
	write_chain(QS_INCLUDE_DEPTH_MAX + 1);
	ck_assert_ptr_null(read_main(&err));
	ck_assert_str_eq(err.key, "Include");
	ck_assert_ptr_nonnull(strstr(err.text, "too deep"));
}
END_TEST

START_TEST(more_than_one_name)
{
	struct qs_error err;

	write_file("main.conf", "Queue=q\nInclude a.conf b.conf\n");
	write_file("a.conf", SHARE);
	ck_assert_ptr_null(read_main(&err));
	ck_assert_ptr_nonnull(strstr(err.text, "more follows"));
}
END_TEST

START_TEST(folder_and_fifo_are_no_files)
{
	struct qs_error err;

	ck_assert_int_eq(mkfifo(path_of("main.conf"), 0600), 0);
	ck_assert_ptr_null(read_main(&err)); /* and does not hang */
	ck_assert_ptr_nonnull(strstr(err.text, "not a regular file"));
	ck_assert_ptr_null(qs_conf_read_file(path_of("."), NULL, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "not a regular file"));
}
END_TEST

START_TEST(too_large)
{
	struct qs_error err;

	write_file("main.conf", "Queue=q\n");
	ck_assert_int_eq(truncate(path_of("main.conf"), QS_FILE_BYTES_MAX + 1),
			 0);
	ck_assert_ptr_null(read_main(&err));
	ck_assert_ptr_nonnull(strstr(err.text, "too large"));
	/* as large as is allowed, but full of zeros */
	ck_assert_int_eq(truncate(path_of("main.conf"), QS_FILE_BYTES_MAX), 0);
	ck_assert_ptr_null(read_main(&err));
	ck_assert_uint_eq(err.line, 2);
}
END_TEST

START_TEST(missing_policy_file)
{
	struct qs_error err;

	ck_assert_ptr_null(read_main(&err));
	ck_assert_str_eq(err.file, path_of("main.conf"));
	ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conf include");
	TCase *core = tcase_create("core");
	TCase *malformed = tcase_create("malformed");

	tcase_add_checked_fixture(core, setup, folder_remove);
	tcase_add_checked_fixture(malformed, setup, folder_remove);
	tcase_add_test(core, relative_to_the_including_file);
	tcase_add_test(core, depth);
	tcase_add_test(malformed, absolute_and_twice_from_two_files);
	tcase_add_test(malformed, error_names_the_included_file_and_its_line);
	tcase_add_test(malformed, missing_file_names_the_include_line);
	tcase_add_test(malformed, loop);
	tcase_add_test(malformed, loop_under_another_name);
	tcase_add_test(malformed, more_than_one_name);
	tcase_add_test(malformed, folder_and_fifo_are_no_files);
	tcase_add_test(malformed, too_large);
	tcase_add_test(malformed, missing_policy_file);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, malformed);
	return suite_run(suite);
}
