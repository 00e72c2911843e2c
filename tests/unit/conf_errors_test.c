/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_errors_test.c - quota_share.conf: what is refused, and how it is said
 *
 * Groups: limits (ends of ranges, sizes), malformed (each row a file with one
 * mistake, and where it must be found).
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#include "suite.h"

static struct qs_policy *read_text(const char *text, struct qs_error *err)
{
	return qs_conf_read_text("t.conf", NULL, text, strlen(text), NULL, err);
}

/* A share line with all that is required. */
#define SHARE(name, rest)                                                   \
	"Share=" name " Capacity=h100:4 Strategy=LEND InSharePreemption=NO" \
	" Accounts=" name " " rest "\n"

/* ---- limits ---- */

struct number_row {
	const char *key;
	const char *good[2]; /* ends of the range */
	const char *bad[2];  /* one beyond */
	bool queue;
};

static const struct number_row numbers[] = {
	{ "BorrowLimit",
	  { "-1", "2147483647" },
	  { "-2", "2147483648" },
	  false },
	{ "ClaimTimeout", { "0", "31536000" }, { "-1", "31536001" }, true },
	{ "GraceTime", { "0", "31536000" }, { "-1", "31536001" }, true },
	{ "GraceTime", { "0", "31536000" }, { "-1", "31536001" }, false },
	{ "MaxUserPriority", { "0", "9999" }, { "-1", "10000" }, false },
	{ "MinRuntime", { "0", "31536000" }, { "-1", "31536001" }, false },
	{ "PreemptRetries",
	  { "0", "2147483647" },
	  { "-1", "2147483648" },
	  false },
	{ "BorrowGpus",
	  { "h100:0", "h100:1000000" },
	  { "h100:-1", "h100:1000001" },
	  false },
	{ "LendLimit",
	  { "h100:0", "h100:1000000" },
	  { "h100:-1", "h100:1000001" },
	  false },
	{ "Capacity",
	  { "h100:0", "h100:1000000" },
	  { "h100:-1", "h100:1000001" },
	  true },
};

static struct qs_policy *read_number(const struct number_row *row,
				     const char *value, struct qs_error *err)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "Queue=q %s%s%s\n"
		 "Share=a Accounts=a Capacity=h100:4 Strategy=LEND_AND_BORROW"
		 " InSharePreemption=NO %s%s%s\n",
		 row->queue ? row->key : "", row->queue ? "=" : "",
		 row->queue ? value : "", row->queue ? "" : row->key,
		 row->queue ? "" : "=", row->queue ? "" : value);
	return read_text(text, err);
}

START_TEST(ends_of_ranges)
{
	static const char *const no_numbers[] = {
		"1x", "+1", "0x10", "1.5", "99999999999999999999", "-"
	};
	const struct number_row *row = &numbers[_i];
	struct qs_policy *p;
	struct qs_error err;

	for (int i = 0; i < 2; i++) {
		p = read_number(row, row->good[i], &err);
		ck_assert_msg(p != NULL, "%s=%s: %s", row->key, row->good[i],
			      err.text);
		qs_policy_free(p);
		p = read_number(row, row->bad[i], &err);
		ck_assert_msg(p == NULL, "%s=%s was taken", row->key,
			      row->bad[i]);
		ck_assert_str_eq(err.key, row->key);
		ck_assert_str_eq(err.value, row->bad[i]);
		ck_assert_uint_eq(err.line, row->queue ? 1 : 2);
	}
	for (size_t i = 0; i < ARRAY_LEN(no_numbers); i++) {
		p = read_number(row, no_numbers[i], &err);
		ck_assert_msg(p == NULL, "%s=%s was taken", row->key,
			      no_numbers[i]);
	}
}
END_TEST

static char *filled(size_t n, char c)
{
	char *text = malloc(n + 1);

	ck_assert_ptr_nonnull(text);
	memset(text, c, n);
	text[n] = '\0';
	return text;
}

START_TEST(longest_names)
{
	static const struct {
		const char *before, *after;
		size_t max;
	} rows[] = {
		{ "Queue=", "\n", 128 },
		{ "Queue=q\nShare=",
		  " Capacity=h:1 Strategy=LEND InSharePreemption=NO\n", 128 },
		{ "Queue=q Partitions=", "\n", 255 },
		{ "Queue=q\nGpuType=", "\n", 255 },
		{ "Queue=q\nShare=a Capacity=h:1 Strategy=LEND"
		  " InSharePreemption=NO Note=",
		  "\n", 1024 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (size_t more = 0; more < 2; more++) {
			char *name = filled(rows[i].max + more, 'x');
			size_t n = strlen(rows[i].before) + strlen(name) + 100;
			char *text = malloc(n);
			struct qs_policy *p;
			struct qs_error err;

			ck_assert_ptr_nonnull(text);
			snprintf(text, n, "%s%s%s", rows[i].before, name,
				 rows[i].after);
			p = read_text(text, &err);
			ck_assert_msg((p != NULL) == !more, "row %zu: %s", i,
				      p ? "too long and taken" : err.text);
			qs_policy_free(p);
			free(text);
			free(name);
		}
	}
}
END_TEST

static char *many(const char *begin, const char *fmt, int n, const char *end)
{
	size_t size = strlen(begin) + strlen(end) + (size_t)n * 32 + 1;
	char *text = malloc(size);
	size_t at;

	ck_assert_ptr_nonnull(text);
	at = (size_t)snprintf(text, size, "%s", begin);
	for (int i = 0; i < n; i++) {
		if (i)
			text[at++] = ',';
		if (strchr(fmt, ':'))
			at += (size_t)snprintf(text + at, size - at, "t%d:1",
					       i);
		else
			at += (size_t)snprintf(text + at, size - at, "p%d", i);
	}
	snprintf(text + at, size - at, "%s", end);
	return text;
}

START_TEST(most_types_and_partitions)
{
	struct qs_error err;
	struct qs_policy *p;
	char *text;

	text = many("Queue=q Capacity=", ":", QS_TYPES_MAX, "\n");
	p = read_text(text, &err);
	ck_assert_msg(p != NULL, "%s", err.text);
	ck_assert_int_eq(p->ntypes, QS_TYPES_MAX);
	qs_policy_free(p);
	free(text);

	text = many("Queue=q Capacity=", ":", QS_TYPES_MAX + 1, "\n");
	ck_assert_ptr_null(read_text(text, &err));
	ck_assert_str_eq(err.key, "Capacity");
	ck_assert_ptr_nonnull(strstr(err.text, "at most 64 GPU types"));
	free(text);

	text = many("Queue=q Partitions=", "", QS_PARTITIONS_MAX, "\n");
	p = read_text(text, &err);
	ck_assert_msg(p != NULL, "%s", err.text);
	qs_policy_free(p);
	free(text);

	text = many("Queue=q Partitions=", "", QS_PARTITIONS_MAX + 1, "\n");
	ck_assert_ptr_null(read_text(text, &err));
	ck_assert_str_eq(err.key, "Partitions");
	free(text);
}
END_TEST

START_TEST(messages_stay_bounded)
{
	char *value = filled(100000, 'v');
	size_t size = 100100;
	char *text = malloc(size);
	struct qs_error err;

	ck_assert_ptr_nonnull(text);
	snprintf(text, size, "Queue=q Stat=%s\n", value);
	ck_assert_ptr_null(read_text(text, &err));
	ck_assert_uint_eq(strlen(err.value), sizeof(err.value) - 1);
	ck_assert_ptr_nonnull(strstr(err.value, "..."));
	ck_assert_ptr_nonnull(strstr(err.text, "did you mean State?"));
	free(text);
	free(value);
}
END_TEST

/* ---- malformed ---- */

struct bad_row {
	const char *name, *text;
	unsigned line;
	const char *key, *value;
	const char *says; /* part of the message */
};

#define Q "Queue=q Partitions=g\n"

static const struct bad_row bad[] = {
	{ "empty file", "", 0, "", "", "at least one Queue line" },
	{ "no queue", SHARE("a", ""), 0, "", "", "at least one Queue line" },
	{ "unknown key", Q SHARE("a", "BorowLimit=1"), 2, "BorowLimit", "1",
	  "did you mean BorrowLimit?" },
	{ "key of another line", Q SHARE("a", "DefaultShare=a"), 2,
	  "DefaultShare", "a", "unknown key" },
	{ "unknown line", Q "Shares=a\n", 2, "Shares", "a",
	  "did you mean Share?" },
	{ "a line that begins in its middle", Q "Strategy=LEND Share=a\n", 2,
	  "Strategy", "LEND", "Queue, Share, GpuType" },
	{ "doubled key", Q SHARE("a", "strategy=LEND"), 2, "strategy", "LEND",
	  "given twice" },
	{ "doubled key in two lines", "Mode=OBSERVE\n" Q "Mode=OBSERVE\n", 3,
	  "Mode", "OBSERVE", "t.conf:1 has it too" },
	{ "missing strategy", Q "Share=a Capacity=t:1 InSharePreemption=NO\n",
	  2, "Strategy", "", "one of RESERVE, LEND, LEND_AND_BORROW" },
	{ "missing capacity", Q "Share=a Strategy=LEND InSharePreemption=NO\n",
	  2, "Capacity", "", "missing from Share=a" },
	{ "missing in-share preemption",
	  Q "Share=a Capacity=t:1 Strategy=LEND\n", 2, "InSharePreemption", "",
	  "YES, ENABLED, NO, DISABLED" },
	{ "misspelt enum value",
	  Q "Share=a Capacity=t:1 Strategy=LENDS InSharePreemption=NO\n", 2,
	  "Strategy", "LENDS", "did you mean LEND?" },
	{ "a blank in an enum value",
	  Q "Share=a Capacity=t:1 Strategy=\"LEND AND BORROW\""
	    " InSharePreemption=NO\n",
	  2, "Strategy", "LEND AND BORROW", "did you mean LEND_AND_BORROW?" },
	{ "mode", "Mode=OFF\n" Q, 1, "Mode", "OFF", "ENFORCE, OBSERVE" },
	{ "relative path", "AuditLog=log\n" Q, 1, "AuditLog", "log",
	  "an absolute path" },
	{ "no value", "Queue=q Partitions=\n", 1, "Partitions", "",
	  "no value" },
	{ "no value, another key behind it", "Queue=q Partitions= State=UP\n",
	  1, "Partitions", "", "no value" },
	{ "empty quotes", Q SHARE("a", "Note=\"\""), 2, "Note", "",
	  "1 to 1024 bytes" },
	{ "no =", "Queue\n", 1, "Queue", "", "Key=Value" },
	{ "a word that is no key", "Queue=q +x\n", 1, "", "+x", "Key=Value" },
	{ "open quote", Q SHARE("a", "Note=\"x"), 2, "Note", "x",
	  "not closed" },
	{ "a quote in the middle", Q SHARE("a", "Note=x\"y\""), 2, "Note", "x",
	  "a quote in the middle" },
	{ "text behind a quote", Q SHARE("a", "Note=\"x\"y"), 2, "Note", "x",
	  "follows the closing quote" },
	{ "a control character", Q SHARE("a", "Note=x\001y"), 2, "Note", "x?y",
	  "control character" },
	{ "Latin-1", Q SHARE("a", "Note=\"M\xfcller\""), 2, "Note", "M?ller",
	  "not UTF-8" },
	{ "a surrogate", Q SHARE("a", "Note=\xed\xa0\x80"), 2, "Note", "???",
	  "not UTF-8" },
	{ "an overlong slash", Q SHARE("a", "Note=\xc0\xaf"), 2, "Note", "??",
	  "not UTF-8" },
	{ "line of a continued token",
	  Q "Share=a Capacity=t:1 \\\n  Strategy=LEND \\\n  Mistake=1\n", 4,
	  "Mistake", "1", "unknown key" },
	{ "name with a dot", "Queue=q.1\n", 1, "Queue", "q.1",
	  "letters, digits, - and _" },
	{ "doubled queue", Q Q, 2, "Queue", "q", "t.conf:1 has this one" },
	{ "doubled share", Q SHARE("a", "") SHARE("a", ""), 3, "Share", "a",
	  "t.conf:2 has this one" },
	{ "doubled share in two queues",
	  "Queue=q Partitions=g\nQueue=r Partitions=h\n" SHARE("a", "Queue=q")
		  SHARE("a", "Queue=r"),
	  4, "Share", "a", "the name is taken" },
	{ "partitions missing", Q "Queue=r\n", 2, "Queue", "r",
	  "Partitions in each Queue line" },
	{ "a partition of two queues", Q "Queue=r Partitions=h,g\n", 2,
	  "Partitions", "h,g", "queue q has g" },
	{ "a partition twice", "Queue=q Partitions=g,g\n", 1, "Partitions",
	  "g,g", "each once" },
	{ "an empty list element", "Queue=q Partitions=g,,h\n", 1, "Partitions",
	  "g,,h", "names with commas" },
	{ "a comma at the end", "Queue=q Partitions=g,\n", 1, "Partitions",
	  "g,", "names with commas" },
	{ "a blank in a list", "Queue=q Partitions=\"g, h\"\n", 1, "Partitions",
	  "g, h", "without blanks" },
	{ "no such queue", Q SHARE("a", "Queue=p"), 2, "Queue", "p",
	  "did you mean q?" },
	{ "queue not named",
	  "Queue=q Partitions=g\nQueue=r Partitions=h\n" SHARE("a", ""), 3,
	  "Share", "a", "Queue= in each Share line" },
	{ "no such default share",
	  "Queue=q DefaultShare=backgroud\n" SHARE("background", ""), 1,
	  "DefaultShare", "backgroud", "did you mean background?" },
	{ "default share of another queue",
	  "Queue=q Partitions=g DefaultShare=a\n"
	  "Queue=r Partitions=h\n" SHARE("a", "Queue=r"),
	  1, "DefaultShare", "a", "a share of this queue" },
	{ "no such untyped type", "Queue=q UntypedGpus=h10\n" SHARE("a", ""), 1,
	  "UntypedGpus", "h10", "did you mean h100?" },
	{ "untyped type of another queue",
	  "Queue=q Partitions=g UntypedGpus=h100\n"
	  "Queue=r Partitions=h\n" SHARE("a", "Queue=r"),
	  1, "UntypedGpus", "h100", "a type of this queue" },
	{ "an account of two shares",
	  Q SHARE("a", "") "Share=b Accounts=x,A Capacity=t:1 Strategy=LEND"
			   " InSharePreemption=NO\n",
	  3, "Accounts", "x,A", "share a has A" },
	{ "an account in two spellings",
	  Q "Share=b Accounts=x,X Capacity=t:1 Strategy=LEND"
	    " InSharePreemption=NO\n",
	  2, "Accounts", "x,X", "accounts have no case" },
	{ "BorrowLimit of LEND", Q SHARE("a", "BorrowLimit=0"), 2,
	  "BorrowLimit", "0", "LEND_AND_BORROW only" },
	{ "BorrowLimit of RESERVE",
	  Q "Share=a Capacity=t:1 Strategy=RESERVE InSharePreemption=NO"
	    " BorrowLimit=-1\n",
	  2, "BorrowLimit", "-1", "the share is RESERVE" },
	{ "BorrowGpus of LEND", Q SHARE("a", "BorrowGpus=h100:1"), 2,
	  "BorrowGpus", "h100:1", "LEND_AND_BORROW only" },
	{ "LendLimit of RESERVE",
	  Q "Share=a Capacity=t:1 Strategy=RESERVE InSharePreemption=NO"
	    " LendLimit=t:1\n",
	  2, "LendLimit", "t:1", "a Strategy that lends" },
	{ "capacity 0",
	  Q "Share=a Capacity=t:0 Strategy=LEND_AND_BORROW"
	    " InSharePreemption=NO\n",
	  2, "Capacity", "t:0", "BorrowGpus=t:COUNT" },
	{ "capacity 0 with BorrowGpus of another type",
	  Q "Share=a Capacity=t:0,u:1 Strategy=LEND_AND_BORROW"
	    " InSharePreemption=NO BorrowGpus=u:1\n",
	  2, "Capacity", "t:0,u:1", "t:0 without BorrowGpus" },
	{ "BorrowGpus of a type that is not listed",
	  Q "Share=a Capacity=t:1 Strategy=LEND_AND_BORROW"
	    " InSharePreemption=NO BorrowGpus=u:1\n",
	  2, "BorrowGpus", "u:1", "u is not in the share's Capacity" },
	{ "LendLimit of a type that is not listed",
	  Q SHARE("a", "LendLimit=u:1"), 2, "LendLimit", "u:1",
	  "u is not in the share's Capacity" },
	{ "a type twice in a count",
	  Q "Share=a Capacity=t:1,t:2 Strategy=LEND InSharePreemption=NO\n", 2,
	  "Capacity", "t:1,t:2", "each type once" },
	{ "a count without a number",
	  Q "Share=a Capacity=t Strategy=LEND InSharePreemption=NO\n", 2,
	  "Capacity", "t", "TYPE:COUNT" },
	{ "a count without a type",
	  Q "Share=a Capacity=:4 Strategy=LEND InSharePreemption=NO\n", 2,
	  "Capacity", ":4", "TYPE:COUNT" },
	{ "a count with gres/",
	  Q "Share=a Capacity=gpu:t:4 Strategy=LEND InSharePreemption=NO\n", 2,
	  "Capacity", "gpu:t:4", "TYPE:COUNT" },
	{ "victim order incomplete", "Queue=q VictimOrder=fit,priority\n", 1,
	  "VictimOrder", "fit,priority", "in any order, each once" },
	{ "victim order doubled", "Queue=q VictimOrder=fit,fit,duration\n", 1,
	  "VictimOrder", "fit,fit,duration", "in any order, each once" },
	{ "victim order unknown", "Queue=q VictimOrder=fit,prio,duration\n", 1,
	  "VictimOrder", "fit,prio,duration", "in any order, each once" },
	{ "victim order of four",
	  "Queue=q VictimOrder=fit,priority,duration,fit\n", 1, "VictimOrder",
	  "fit,priority,duration,fit", "in any order, each once" },
	{ "doubled GpuType", "GpuType=t\nGpuType=t\n" Q, 2, "GpuType", "t",
	  "there twice" },
	{ "a gres type of two GpuTypes",
	  "GpuType=t Slurm=x,y\nGpuType=u Slurm=y\n" Q, 2, "Slurm", "y",
	  "no other GpuType line" },
	{ "a count of a gres type that has another name",
	  "GpuType=t Slurm=h100\n" Q SHARE("a", ""), 3, "Capacity", "h100:4",
	  "did you mean t?" },
	{ "a GpuType that is another one's gres type",
	  "GpuType=t Slurm=u\nGpuType=u Slurm=x\n" Q, 2, "GpuType", "u",
	  "another GpuType has" },
	{ "Include without a folder", "Include other.conf\n" Q, 1, "Include",
	  "other.conf", "no Include here" },
	{ "Include with =", "Include=other.conf\n" Q, 1, "Include",
	  "other.conf", "did you mean Include?" },
	{ "Include without a name", "Include\n" Q, 1, "Include", "",
	  "no value" },
};

START_TEST(malformed)
{
	const struct bad_row *row = &bad[_i];
	char begin[64];
	struct qs_error err;
	struct qs_policy *p = read_text(row->text, &err);

	ck_assert_msg(p == NULL, "%s: was taken", row->name);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_msg(strstr(err.text, row->says) != NULL,
		      "%s: no \"%s\" in: %s", row->name, row->says, err.text);
	ck_assert_msg(err.line == row->line, "%s: line %u: %s", row->name,
		      err.line, err.text);
	ck_assert_msg(!strcmp(err.key, row->key), "%s: key %s: %s", row->name,
		      err.key, err.text);
	ck_assert_msg(!strcmp(err.value, row->value), "%s: value %s: %s",
		      row->name, err.value, err.text);
	ck_assert_msg(err.expected[0] != '\0', "%s: nothing expected",
		      row->name);
	ck_assert_msg(strstr(err.text, err.expected) != NULL,
		      "%s: text lacks what was expected", row->name);
	/* the place comes first, whatever it is that is wrong */
	if (row->line)
		snprintf(begin, sizeof(begin), "t.conf:%u: ", row->line);
	else
		snprintf(begin, sizeof(begin), "t.conf: ");
	ck_assert_msg(!strncmp(err.text, begin, strlen(begin)) ||
			      row->text[0] == '\0',
		      "%s: %s", row->name, err.text);
}
END_TEST

START_TEST(a_long_value_is_cut_between_characters)
{
	char text[400] = "Queue=q Stat=", *end = text + strlen(text);
	struct qs_error err;

	for (size_t shift = 0; shift < 2; shift++) {
		memset(end, 'x', shift);
		for (size_t i = 0; i < 150; i++)
			memcpy(end + shift + 2 * i, "\xc3\xa4", 3);
		ck_assert_ptr_null(read_text(text, &err));
		/* behind the last whole character */
		ck_assert_uint_ge(strlen(err.value), sizeof(err.value) - 2);
		ck_assert_str_eq(err.value + strlen(err.value) - 5,
				 "\xc3\xa4...");
	}
}
END_TEST

START_TEST(lines_are_counted_as_given)
{
	static const char *const lines[] = { "Queue=q", "", "# x",
					     "Share=a Oops=1" };
	static const char *const broken[] = { "Queue=q", "Share=a\nOops=1" };
	struct qs_error err;

	ck_assert_ptr_null(qs_conf_read_lines("s.json policy", NULL, lines, 4,
					      NULL, &err));
	ck_assert_str_eq(err.file, "s.json policy");
	ck_assert_uint_eq(err.line, 4);
	ck_assert_ptr_null(qs_conf_read_lines("s.json policy", NULL, broken, 2,
					      NULL, &err));
	ck_assert_uint_eq(err.line, 2);
	ck_assert_ptr_nonnull(strstr(err.text, "a line break inside"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conf errors");
	TCase *limits = tcase_create("limits");
	TCase *malformed_case = tcase_create("malformed");

	tcase_add_loop_test(limits, ends_of_ranges, 0, ARRAY_LEN(numbers));
	tcase_add_test(limits, longest_names);
	tcase_add_test(limits, most_types_and_partitions);
	tcase_add_test(limits, messages_stay_bounded);
	tcase_add_test(limits, a_long_value_is_cut_between_characters);
	tcase_add_loop_test(malformed_case, malformed, 0, ARRAY_LEN(bad));
	tcase_add_test(malformed_case, lines_are_counted_as_given);
	suite_add_tcase(suite, limits);
	suite_add_tcase(suite, malformed_case);
	return suite_run(suite);
}
