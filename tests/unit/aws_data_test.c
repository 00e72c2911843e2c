/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_data_test.c - the table of instance types, ARNs, and values in tags
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aws/arn.h"
#include "aws/tags.h"
#include "aws_help.h"
#include "suite.h"

START_TEST(the_table_of_the_project_is_good)
{
	const struct qs_instances *table = instance_table();
	const struct qs_instance *p5 =
		qs_instances_find(table, "ml.p5.48xlarge");

	ck_assert_uint_eq(table->n, 58);
	ck_assert_ptr_nonnull(p5);
	ck_assert_str_eq(p5->gpu, "h100");
	ck_assert_uint_eq(p5->gpus, 8);
	ck_assert_uint_eq(p5->vcpus, 192);
	ck_assert_uint_eq(p5->mem_gib, 2048);
	ck_assert_ptr_null(qs_instances_find(table, "ml.p5"));
	ck_assert_ptr_null(qs_instances_find(table, "ML.P5.48XLARGE"));
}
END_TEST

#define HEAD "type,gpus,gpu\n"

static const struct {
	const char *text, *says;
} bad_tables[] = {
	{ "", "there is no instance type" },
	{ "# only a comment\n", "there is no instance type" },
	{ HEAD, "there is no instance type" },
	{ "type,gpu\na,b\n", "t:1:" },
	{ "type,gpus,gpu,gpus\na,1,b,1\n", "t:1: gpus: a doubled column" },
	{ HEAD "a,0,b\n", "t:2: gpus=0: expected a whole number from 1" },
	{ HEAD "a,-1,b\n", "t:2: gpus=-1" },
	{ HEAD "a,1025,b\n", "t:2: gpus=1025" },
	{ HEAD "a,9223372036854775808,b\n", "t:2: gpus=" },
	{ HEAD "a,1.5,b\n", "t:2: gpus=1.5" },
	{ HEAD "a,,b\n", "t:2: gpus=" },
	{ HEAD "a,1\n", "t:2: a: cells are missing" },
	{ HEAD "a,1,b,c\n", "t:2: c: more cells" },
	{ HEAD ",1,b\n", "t:2: type=" },
	{ HEAD "a b,1,b\n", "t:2: type=a b" },
	{ HEAD "a,1,b\n\n# x\na,2,b\n", "t:5: type=a: it is there twice" },
};

START_TEST(a_bad_table_is_refused)
{
	struct qs_instances table = { 0 };
	const char *text = bad_tables[_i].text;
	struct qs_error err;

	ck_assert_int_eq(
		qs_instances_read_text(&table, "t", text, strlen(text), &err),
		-1);
	ck_assert_msg(strstr(err.text, bad_tables[_i].says), "%s", err.text);
	qs_instances_clear(&table);
}
END_TEST

/* Columns in any order, unknown ones, blanks, comments, lines of Windows. */
START_TEST(another_table_can_take_its_place)
{
	static const char text[] = "gpu, price ,type,gpus\r\n"
				   "# new ones\r\n"
				   "\r\n"
				   "x9, 3.50 , ml.x9.large ,16\r\n";
	struct qs_instances table = { 0 };
	struct qs_error err;

	ck_assert_msg(!qs_instances_read_text(&table, "t", text,
					      sizeof(text) - 1, &err),
		      "%s", err.text);
	ck_assert_uint_eq(table.n, 1);
	ck_assert_str_eq(table.items[0].name, "ml.x9.large");
	ck_assert_str_eq(table.items[0].gpu, "x9");
	ck_assert_uint_eq(table.items[0].gpus, 16);
	ck_assert_uint_eq(table.items[0].vcpus, 0);
	qs_instances_clear(&table);
}
END_TEST

START_TEST(arns_are_read_and_printed)
{
	static const char share[] = "arn:aws-cn:batch:cn-north-1:123456789012:"
				    "job-queue/q-1/quota-share/S_2";
	struct qs_arn arn;
	char text[QS_ARN_MAX];

	ck_assert_int_eq(qs_arn_read(share, QS_ARN_QUOTA_SHARE, &arn), 0);
	ck_assert_str_eq(arn.region, "cn-north-1");
	ck_assert_str_eq(arn.account, "123456789012");
	ck_assert_str_eq(arn.queue, "q-1");
	ck_assert_str_eq(arn.name, "S_2");
	qs_arn_print(text, sizeof(text), QS_ARN_QUOTA_SHARE, arn.region,
		     arn.account, arn.queue, arn.name);
	ck_assert_str_eq(text, share);
	ck_assert_int_eq(qs_arn_read("train", QS_ARN_JOB_QUEUE, &arn), 0);
	ck_assert_str_eq(arn.name, "train");
	ck_assert_str_eq(arn.region, "");
	qs_arn_print(text, sizeof(text), QS_ARN_JOB_QUEUE, NULL, NULL, NULL,
		     "train");
	ck_assert_int_eq(qs_arn_read(text, QS_ARN_JOB_QUEUE, &arn), 0);
	ck_assert_str_eq(arn.region, "");
	ck_assert_str_eq(arn.account, "");
}
END_TEST

START_TEST(what_is_no_arn_is_refused)
{
	static const char *const wrong[] = {
		"",
		"a b",
		"arn:",
		"arn:aws:batch",
		"arn:aws:batch:us-east-1:123456789012",
		"arn:aws:batch:us-east-1:123456789012:job-queue/",
		"arn:aws:batch:us-east-1:123456789012:job-queue/a/b",
		"arn:aws:batch:us-east-1:12345678901:job-queue/a",
		"arn:aws:batch:US:123456789012:job-queue/a",
		"arn:aws:s3:us-east-1:123456789012:job-queue/a",
		"arn:aws:batch:us-east-1:123456789012:scheduling-policy/a",
	};
	char text[400];
	struct qs_arn arn;

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		ck_assert_msg(qs_arn_read(wrong[i], QS_ARN_JOB_QUEUE, &arn) ==
				      -1,
			      "%s", wrong[i]);
	memset(text, 'a', sizeof(text));
	text[QS_NAME_MAX] = '\0';
	ck_assert_int_eq(qs_arn_read(text, QS_ARN_JOB_QUEUE, &arn), 0);
	text[QS_NAME_MAX] = 'a';
	text[QS_NAME_MAX + 1] = '\0';
	ck_assert_int_eq(qs_arn_read(text, QS_ARN_JOB_QUEUE, &arn), -1);
	ck_assert_int_eq(qs_arn_read("a", QS_ARN_QUOTA_SHARE, &arn), -1);
}
END_TEST

static void tags_clear(struct qs_aws_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++) {
		free(tags->items[i].key);
		free(tags->items[i].value);
	}
	free(tags->items);
	*tags = (struct qs_aws_tags){ 0 };
}

/* Everything that a value can be comes back, and is made of few characters. */
START_TEST(values_survive_tags)
{
	static const char *const values[] = {
		"plain",   "a b",
		"a, b",    "50 %",
		"x=2Cy",   "\"quoted\"",
		"\\",      "\t",
		"#",       "\xc3\xa4\xe2\x82\xac",
		"=",       "==41=",
		"@/_-+:.", " ",
		"team=1",
	};

	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct qs_aws_tags tags = { 0 };
		const struct qs_aws_tag *tag;
		char *text;

		ck_assert_int_eq(
			qs_tags_put(&tags, "Note", NULL, values[i], false), 0);
		for (const char *c = tags.items[0].value; *c; c++)
			ck_assert_msg(
				strchr("abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				       " +-=._:/@",
				       *c),
				"%s", tags.items[0].value);
		text = qs_tags_get(&tags, "Note", NULL, false, &tag);
		ck_assert_ptr_nonnull(text);
		ck_assert_str_eq(text, values[i]);
		free(text);
		tags_clear(&tags);
	}
}
END_TEST

START_TEST(lists_are_words_in_tags)
{
	struct qs_aws_tags tags = { 0 };
	const struct qs_aws_tag *tag;
	char *text;

	ck_assert_int_eq(qs_tags_put(&tags, "Accounts", NULL, "a,b!,c", true),
			 0);
	ck_assert_str_eq(tags.items[0].key, "quota-share:Accounts");
	ck_assert_str_eq(tags.items[0].value, "a b=21 c");
	text = qs_tags_get(&tags, "Accounts", NULL, true, &tag);
	ck_assert_str_eq(text, "a,b!,c");
	free(text);
	/* none is not the same as not there (law 11) */
	ck_assert_ptr_null(qs_tags_get(&tags, "Owner", NULL, false, &tag));
	ck_assert_int_eq(errno, 0);
	ck_assert_int_eq(qs_tags_put(&tags, "Owner", NULL, "", false), 0);
	text = qs_tags_get(&tags, "Owner", NULL, false, &tag);
	ck_assert_str_eq(text, "");
	free(text);
	tags_clear(&tags);
}
END_TEST

START_TEST(what_is_too_long_does_not_fit)
{
	struct qs_aws_tags tags = { 0 };
	char text[300], key[140];

	memset(text, 'a', sizeof(text));
	text[256] = '\0';
	ck_assert_int_eq(qs_tags_put(&tags, "Note", NULL, text, false), 0);
	ck_assert_int_eq(qs_tags_put(&tags, "Other", NULL, text, false), 0);
	text[256] = 'a';
	text[257] = '\0';
	ck_assert_int_eq(qs_tags_put(&tags, "Note", NULL, text, false), 1);
	ck_assert_int_eq(qs_tags_put(&tags, "Other", NULL, text, false), 1);
	/* an escape that would end behind the limit */
	text[254] = ',';
	text[255] = '\0';
	ck_assert_int_eq(qs_tags_put(&tags, "Other", NULL, text, false), 1);
	text[253] = ',';
	text[254] = '\0';
	ck_assert_int_eq(qs_tags_put(&tags, "Other", NULL, text, false), 0);
	memset(key, 'k', sizeof(key));
	key[139] = '\0';
	ck_assert_int_eq(qs_tags_put(&tags, "GpuType", key, "x", false), 1);
	ck_assert_uint_eq(tags.n, 3);
	while (tags.n < QS_AWS_TAGS_MAX)
		ck_assert_int_eq(qs_tags_put(&tags, "X", NULL, "x", false), 0);
	ck_assert_int_eq(qs_tags_put(&tags, "X", NULL, "x", false), 1);
	tags_clear(&tags);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aws data");
	TCase *core = tcase_create("core");
	TCase *malformed = tcase_create("malformed");

	tcase_add_test(core, the_table_of_the_project_is_good);
	tcase_add_test(core, another_table_can_take_its_place);
	tcase_add_test(core, arns_are_read_and_printed);
	tcase_add_test(core, values_survive_tags);
	tcase_add_test(core, lists_are_words_in_tags);
	tcase_add_test(core, what_is_too_long_does_not_fit);
	tcase_add_loop_test(malformed, a_bad_table_is_refused, 0,
			    ARRAY_LEN(bad_tables));
	tcase_add_test(malformed, what_is_no_arn_is_refused);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, malformed);
	return suite_run(suite);
}
