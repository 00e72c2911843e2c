/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_cli_test.c - qshare export, import and instances, as they are called
 *
 * Exit codes, what is on stdout and what is not, and that nothing is written
 * unless all of it is.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aws_help.h"
#include "folder.h"
#include "man_example.h"
#include "run.h"
#include "suite.h"

static const char conf[] =
	"GpuType=h100 Instance=ml.p5.48xlarge\n"
	"Queue=train\n"
	"Share=A Accounts=a Queue=train Capacity=h100:16 "
	"Strategy=LEND_AND_BORROW BorrowLimit=0 InSharePreemption=YES\n"
	"Share=B Accounts=b Queue=train Capacity=h100:8 Strategy=LEND "
	"InSharePreemption=NO MinRuntime=60\n";

static void use_table(void)
{
	setenv("QSHARE_INSTANCES", QS_SRCDIR "/etc/instance_types.csv", 1);
	folder_make();
}

static bool exists(const char *name)
{
	return !access(path_of(name), F_OK);
}

static const char *const written[] = { "scheduling-policy-train.json",
				       "service-environment-train.json",
				       "job-queue-train.json",
				       "quota-share-A.json",
				       "quota-share-B.json",
				       "bundle.json",
				       "create.sh",
				       "report.txt" };

START_TEST(there_and_back)
{
	struct run run;
	char *bundle, *text, name[64];
	struct stat st;

	run_qshare(&run, conf, "export", "--aws", "-d", path_of("out"), "-",
		   NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	ck_assert_str_eq(run.out, "");
	ck_assert_ptr_nonnull(strstr(run.err, "share B: MinRuntime: 60"));
	run_clear(&run);
	for (size_t i = 0; i < ARRAY_LEN(written); i++) {
		snprintf(name, sizeof(name), "out/%s", written[i]);
		ck_assert_msg(exists(name), "no %s", written[i]);
	}
	ck_assert_int_eq(stat(path_of("out/create.sh"), &st), 0);
	ck_assert(st.st_mode & S_IXUSR);
	/* on stdout: the bundle, byte for byte */
	run_qshare(&run, conf, "export", "--aws", "-", NULL);
	ck_assert_int_eq(run.code, 0);
	bundle = read_file(path_of("out/bundle.json"));
	ck_assert_str_eq(run.out, bundle);
	run_clear(&run);

	run_qshare(&run, bundle, "import", "--aws", "-o", path_of("new.conf"),
		   "-", NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	ck_assert_str_eq(run.out, "");
	run_clear(&run);
	text = read_file(path_of("new.conf"));
	ck_assert_ptr_nonnull(strstr(text, "BorrowLimit=0"));
	ck_assert_ptr_nonnull(strstr(text, "MinRuntime=60"));
	free(text);
	/* the four kinds of documents one by one */
	run_qshare(&run, NULL, "import", "--aws",
		   path_of("out/quota-share-A.json"),
		   path_of("out/quota-share-B.json"),
		   path_of("out/job-queue-train.json"), NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	ck_assert_ptr_nonnull(strstr(run.out, "Share=B"));
	run_clear(&run);
	run_qshare(&run, NULL, "check", path_of("new.conf"), NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	run_clear(&run);
	free(bundle);
}
END_TEST

START_TEST(nothing_is_written_on_error)
{
	struct run run;
	char *text;

	/* 20 GPUs are no whole number of instances */
	run_qshare(&run,
		   "GpuType=h100 Instance=ml.p5.48xlarge\nQueue=q\n"
		   "Share=A Strategy=LEND InSharePreemption=NO "
		   "Capacity=h100:20\n",
		   "export", "--aws", "-d", path_of("out"), "-", NULL);
	ck_assert_int_eq(run.code, 1);
	ck_assert_str_eq(run.out, "");
	ck_assert_ptr_nonnull(strstr(run.err, "standard input:3: Capacity"));
	ck_assert(!exists("out"));
	run_clear(&run);

	write_file("old.conf", "keep me\n");
	run_qshare(&run, "{\"quotaShares\": [{}]}", "import", "--aws", "-o",
		   path_of("old.conf"), "-", NULL);
	ck_assert_int_eq(run.code, 1);
	ck_assert_str_eq(run.out, "");
	ck_assert_ptr_nonnull(
		strstr(run.err, "standard input: quotaShares[0]"));
	text = read_file(path_of("old.conf"));
	ck_assert_str_eq(text, "keep me\n");
	free(text);
	run_clear(&run);

	run_qshare(&run, "{\"quotaShares\": [{}]}", "import", "--aws", "-",
		   NULL);
	ck_assert_int_eq(run.code, 1);
	ck_assert_str_eq(run.out, "");
	run_clear(&run);
}
END_TEST

START_TEST(a_folder_with_files_is_left_alone)
{
	struct run run;

	write_file("mine", "x");
	run_qshare(&run, conf, "export", "--aws", "-d", path_of("."), "-",
		   NULL);
	ck_assert_int_eq(run.code, 1);
	ck_assert_ptr_nonnull(strstr(run.err, "not an empty folder"));
	ck_assert(!exists("bundle.json"));
	run_clear(&run);
	ck_assert_int_eq(unlink(path_of("mine")), 0);
	/* an empty one will do */
	run_qshare(&run, conf, "export", "--kueue", "-d", path_of("."), "-",
		   NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	ck_assert(exists("kueue.json") && exists("report.txt"));
	run_clear(&run);
	/* where no folder can be */
	run_qshare(&run, conf, "export", "--aws", "-d", "/proc/x/y", "-", NULL);
	ck_assert_int_eq(run.code, 1);
	run_clear(&run);
}
END_TEST

static const struct {
	const char *args[6];
	int code;
	const char *says;
} calls[] = {
	{ { "export" }, 2, "either --aws or --kueue" },
	{ { "export", "--aws", "--kueue" }, 2, "either --aws or --kueue" },
	{ { "export", "--aws", "a", "b" }, 2, "one file at a time" },
	{ { "export", "--aws", "--region=US East" }, 2, "--region=US East" },
	{ { "export", "--aws", "--account=12" }, 2, "12 digits" },
	{ { "export", "--aws", "--priority=1001" }, 2, "expected 0 to 1000" },
	{ { "export", "--aws", "--priority=x" }, 2, "expected 0 to 1000" },
	{ { "export", "--aws", "--environment=a b" }, 2, "letters, digits" },
	{ { "export", "--aws", "--nope" }, 2, "unknown option '--nope'" },
	{ { "export", "--aws", "--queue" }, 2, "needs a value" },
	{ { "export", "--aws", "/nonexistent" }, 1, "/nonexistent" },
	{ { "import" }, 2, "say --aws" },
	{ { "import", "--aws" }, 2, "at least one file" },
	{ { "import", "--aws", "--map=x", "f" }, 2, "UNIT=TYPE" },
	{ { "import", "--aws", "/nonexistent" }, 1, "/nonexistent" },
	{ { "import", "--aws", "/tmp" }, 1, "not a regular file" },
	{ { "import", "--nope" }, 2, "unknown option '--nope'" },
	{ { "instances", "--instances=/nonexistent" }, 1, "/nonexistent" },
	{ { "instances", "h1000" }, 1, "no instance type has that GPU" },
	{ { "instances", "--nope" }, 2, "unknown option '--nope'" },
};

/* One of each kind; seeds of the fuzzer, too. */
START_TEST(documents_of_each_kind_are_taken)
{
	static const struct {
		const char *file, *has;
	} rows[] = {
		{ "bundle.json", "Share=zero Queue=train Capacity=a100:16 " },
		{ "described.json", "Share=Research Queue=foundation "
				    "Accounts=research Capacity=h100:32,"
				    "l40s:16 " },
		{ "template.json", "Queue=prod-train\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char path[300];
		struct run run;

		snprintf(path, sizeof(path),
			 QS_SRCDIR "/tests/aws/documents/%s", rows[i].file);
		run_qshare(&run, NULL, "import", "--aws", path, NULL);
		ck_assert_msg(run.code == 0, "%s", run.err);
		ck_assert_msg(strstr(run.out, rows[i].has), "%s", run.out);
		run_clear(&run);
	}
}
END_TEST

START_TEST(wrong_calls_are_told)
{
	const char *const *args = calls[_i].args;
	struct run run;

	run_qshare(&run, NULL, args[0], args[1], args[2], args[3], args[4],
		   NULL);
	ck_assert_msg(run.code == calls[_i].code, "%d: %s", run.code, run.err);
	ck_assert_msg(strstr(run.err, calls[_i].says), "%s", run.err);
	ck_assert_str_eq(run.out, "");
	run_clear(&run);
}
END_TEST

START_TEST(help_has_an_example)
{
	static const char *const names[] = { "export", "import", "instances" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct run run;

		run_qshare(&run, NULL, names[i], "--help", NULL);
		ck_assert_int_eq(run.code, 0);
		ck_assert_ptr_nonnull(strstr(run.out, "Example: qshare "));
		run_clear(&run);
	}
}
END_TEST

START_TEST(the_table_is_listed_and_replaced)
{
	struct run run;

	run_qshare(&run, NULL, "instances", "-P", "-n", "h200", NULL);
	ck_assert_int_eq(run.code, 0);
	ck_assert_str_eq(run.out, "ml.p5e.48xlarge|h200|8|192|2048\n"
				  "ml.p5en.48xlarge|h200|8|192|2048\n");
	run_clear(&run);
	write_file("new.csv", "type,gpus,gpu\nml.q1.large,3,q1\n");
	run_qshare(&run, NULL, "instances", "-P", "--instances",
		   path_of("new.csv"), NULL);
	ck_assert_str_eq(run.out, "TYPE|GPU|GPUS|VCPU|MEM GIB\n"
				  "ml.q1.large|q1|3|-|-\n");
	run_clear(&run);
	setenv("QSHARE_INSTANCES", path_of("new.csv"), 1);
	run_qshare(&run, NULL, "instances", "--json", NULL);
	ck_assert_ptr_nonnull(strstr(run.out, "\"gpus\": 3"));
	run_clear(&run);
	/* import and export read the same one */
	run_qshare(&run,
		   "GpuType=q1 Instance=ml.q1.large\nQueue=q\n"
		   "Share=A Accounts=a Strategy=LEND InSharePreemption=NO "
		   "Capacity=q1:6\n",
		   "export", "--aws", "-", NULL);
	ck_assert_msg(run.code == 0, "%s", run.err);
	ck_assert_ptr_nonnull(strstr(run.out, "\"maxCapacity\": 2"));
	run_clear(&run);
}
END_TEST

START_TEST(examples_of_the_pages_are_true)
{
	char *in = man_example("doc/man/qshare-export.1", "policy");
	char *out = man_example("doc/man/qshare-export.1", "share");
	char *told = man_example("doc/man/qshare-export.1", "told"), *text;
	struct run run;

	run_qshare(&run, in, "export", "--aws", "-d", path_of("out"), "-",
		   NULL);
	ck_assert_str_eq(run.err, told);
	run_clear(&run);
	text = read_file(path_of("out/quota-share-QS1.json"));
	ck_assert_str_eq(text, out);
	free(text);
	free(in);
	free(out);
	free(told);
	in = man_example("doc/man/qshare-import.1", "document");
	out = man_example("doc/man/qshare-import.1", "policy");
	run_qshare(&run, in, "import", "--aws", "-", NULL);
	ck_assert_str_eq(run.out, out);
	run_clear(&run);
	free(in);
	free(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aws cli");
	TCase *core = tcase_create("core");
	TCase *malformed = tcase_create("malformed");

	tcase_add_checked_fixture(core, use_table, folder_remove);
	tcase_add_checked_fixture(malformed, use_table, folder_remove);
	tcase_set_timeout(core, 60);
	tcase_add_test(core, there_and_back);
	tcase_add_test(core, examples_of_the_pages_are_true);
	tcase_add_test(core, documents_of_each_kind_are_taken);
	tcase_add_test(core, help_has_an_example);
	tcase_add_test(core, the_table_is_listed_and_replaced);
	tcase_add_test(malformed, nothing_is_written_on_error);
	tcase_add_test(malformed, a_folder_with_files_is_left_alone);
	tcase_add_loop_test(malformed, wrong_calls_are_told, 0,
			    ARRAY_LEN(calls));
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, malformed);
	return suite_run(suite);
}
