/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_print_test.c - a policy printed and read again is the same policy
 *
 * Properties over random good policies, beside
 * examples for what is easily confused (law 11) and for each kind of
 * difference that qs_conf_equal() must see.
 */
#include <check.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#include "suite.h"

/* Random policies: so many seeds in each of so many forked tests. */
#define SEEDS     100
#define TESTS     10
#define LINES_MAX 40
#define LINE_MAX  1200

struct file {
	char lines[LINES_MAX][LINE_MAX];
	size_t n;
	uint64_t random;
};

static unsigned pick(struct file *f, unsigned n)
{
	f->random = f->random * UINT64_C(6364136223846793005) +
		    UINT64_C(1442695040888963407);
	return (unsigned)(f->random >> 33) % n;
}

static void add(struct file *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void add(struct file *f, const char *fmt, ...)
{
	char *line = f->lines[f->n - 1];
	size_t n = strlen(line);
	va_list args;

	va_start(args, fmt);
	vsnprintf(line + n, LINE_MAX - n, fmt, args);
	va_end(args);
}

static void begin(struct file *f)
{
	ck_assert_uint_lt(f->n, LINES_MAX);
	f->lines[f->n++][0] = '\0';
}

static const char *const types[] = { "h100", "A100.80gb", "3080",
				     "tesla_v100-sxm2-32gb", "a100_3g.20gb" };

static void random_counts(struct file *f, const char *key, unsigned mask)
{
	const char *sep = "=";

	for (unsigned t = 0; t < ARRAY_LEN(types); t++) {
		if (!(mask & 1u << t))
			continue;
		add(f, "%s%s%s:%u", *sep == '=' ? key : "", sep, types[t],
		    pick(f, 50));
		sep = ",";
	}
	if (*sep == ',')
		add(f, " ");
}

static void random_text(struct file *f, const char *key)
{
	static const char *const parts[] = { "a",    " ",        "#",
					     "\\\"", "\\\\",     "=",
					     ",",    "\xc3\xa4", "\t" };

	add(f, "%s=\"x", key);
	for (unsigned i = pick(f, 12); i > 0; i--)
		add(f, "%s", parts[pick(f, ARRAY_LEN(parts))]);
	add(f, "\" ");
}

static void random_queue(struct file *f, unsigned q)
{
	static const char *const orders[] = { "priority,fit,duration",
					      "fit,priority,duration",
					      "duration,fit,priority" };

	begin(f);
	add(f, "Queue=q%u Partitions=p%u,r%u ", q, q, q);
	random_counts(f, "Capacity", pick(f, 3) ? 0 : pick(f, 32));
	if (!pick(f, 3))
		add(f, "State=%s ", pick(f, 2) ? "ENABLED" : "DISABLED");
	if (!pick(f, 3))
		add(f, "UntypedGpus=REJECT ");
	if (!pick(f, 3))
		add(f, "NeverFits=%s ", pick(f, 2) ? "WAIT" : "REJECT");
	if (!pick(f, 3))
		add(f, "InShareOrder=%s ",
		    pick(f, 2) ? "BEST_EFFORT" : "STRICT");
	if (!pick(f, 3))
		add(f, "IdleResourceAssignment=%s ",
		    pick(f, 2) ? "FAIR" : "FIFO");
	if (!pick(f, 2))
		add(f, "VictimOrder=%s ", orders[pick(f, 3)]);
	if (!pick(f, 3))
		add(f, "GraceTime=%u ", pick(f, 3) * 60);
	if (!pick(f, 3))
		add(f, "ClaimTimeout=%u ", pick(f, 3) * 60);
	if (!pick(f, 3))
		add(f, "NonRequeueBorrow=%s ", pick(f, 2) ? "NO" : "YES");
}

static void random_share(struct file *f, unsigned s, unsigned queues)
{
	static const char *const strategies[] = { "RESERVE", "LEND",
						  "LEND_AND_BORROW" };
	unsigned strategy = pick(f, 3), mask = 1 + pick(f, 31);

	begin(f);
	add(f, "Share=s%u Queue=q%u Strategy=%s InSharePreemption=%s ", s,
	    pick(f, queues), strategies[strategy], pick(f, 2) ? "YES" : "NO");
	add(f, "Capacity");
	for (unsigned t = 0, first = 1; t < ARRAY_LEN(types); t++) {
		if (!(mask & 1u << t))
			continue;
		add(f, "%s%s:%u", first ? "=" : ",", types[t], 1 + pick(f, 50));
		first = 0;
	}
	add(f, " ");
	if (strategy == 2)
		random_counts(f, "BorrowGpus", mask & pick(f, 32));
	if (strategy == 2 && pick(f, 2))
		add(f, "BorrowLimit=%d ", (int)pick(f, 4) - 1);
	if (strategy)
		random_counts(f, "LendLimit", mask & pick(f, 32));
	if (pick(f, 2))
		add(f, "Accounts=a%u,B%u ", s, s);
	if (!pick(f, 3))
		add(f, "State=DISABLED ");
	if (!pick(f, 3))
		add(f, "MinRuntime=%u ", pick(f, 3));
	if (!pick(f, 3))
		add(f, "GraceTime=%u ", pick(f, 3) * 60);
	if (!pick(f, 3))
		add(f, "PreemptRetries=%u ", pick(f, 3));
	if (!pick(f, 3))
		add(f, "MaxUserPriority=%u ", pick(f, 2) ? 9999 : pick(f, 3));
	if (!pick(f, 2))
		random_text(f, "Owner");
	if (!pick(f, 2))
		random_text(f, "Note");
}

static void random_file(struct file *f, int seed)
{
	unsigned queues, shares;

	memset(f, 0, sizeof(*f));
	f->random = (uint64_t)seed * 7919 + 1;
	pick(f, 1);
	queues = 1 + pick(f, 3);
	shares = pick(f, 8);
	if (pick(f, 2)) {
		begin(f);
		add(f, "Mode=%s", pick(f, 2) ? "OBSERVE" : "ENFORCE");
	}
	if (!pick(f, 3)) {
		begin(f);
		add(f,
		    "AdminComment=%s AuditLog=\"/var/log/a b#\\\\c\" EventLog=/e",
		    pick(f, 2) ? "NO" : "YES");
	}
	if (!pick(f, 2)) {
		begin(f);
		add(f, "GpuType=h100 Slurm=h100,nvidia_h100 "
		       "Instance=ml.p5.48xlarge");
	}
	if (!pick(f, 3)) {
		begin(f);
		add(f, "GpuType=unused");
	}
	for (unsigned q = 0; q < queues; q++)
		random_queue(f, q);
	for (unsigned s = 0; s < shares; s++)
		random_share(f, s, queues);
}

static struct qs_policy *read_file(const struct file *f)
{
	const char *lines[LINES_MAX];
	struct qs_error err;
	struct qs_policy *policy;

	for (size_t i = 0; i < f->n; i++)
		lines[i] = f->lines[i];
	policy = qs_conf_read_lines("f", NULL, lines, f->n, NULL, &err);
	ck_assert_msg(policy != NULL, "%s", err.text);
	return policy;
}

static void assert_round_trip(const struct qs_policy *policy)
{
	char *text = qs_conf_print(policy), *again, what[200] = "";
	struct qs_policy *read;
	struct qs_error err;

	ck_assert_ptr_nonnull(text);
	read = qs_conf_read_text("printed", NULL, text, strlen(text), NULL,
				 &err);
	ck_assert_msg(read != NULL, "%s in\n%s", err.text, text);
	ck_assert_msg(qs_conf_equal(policy, read, what, sizeof(what)),
		      "%s differs in\n%s", what, text);
	again = qs_conf_print(read);
	ck_assert_str_eq(text, again);
	qs_policy_free(read);
	free(text);
	free(again);
}

static void printed_and_read(int seed)
{
	static struct file f;
	struct qs_policy *policy;

	random_file(&f, seed);
	policy = read_file(&f);
	assert_round_trip(policy);
	qs_policy_free(policy);
}

START_TEST(printed_and_read_it_is_the_same)
{
	for (int i = 0; i < SEEDS; i++)
		printed_and_read(_i * SEEDS + i);
}
END_TEST

static void shuffled(int seed)
{
	static struct file f;
	struct qs_policy *a, *b;
	char what[200] = "";

	random_file(&f, seed);
	a = read_file(&f);
	for (size_t i = f.n; i > 1; i--) {
		static char line[LINE_MAX];
		size_t j = pick(&f, (unsigned)i);

		memcpy(line, f.lines[i - 1], LINE_MAX);
		memcpy(f.lines[i - 1], f.lines[j], LINE_MAX);
		memcpy(f.lines[j], line, LINE_MAX);
	}
	b = read_file(&f);
	ck_assert_msg(qs_conf_equal(a, b, what, sizeof(what)), "seed %d: %s",
		      seed, what);
	qs_policy_free(a);
	qs_policy_free(b);
}

START_TEST(order_of_lines_does_not_matter)
{
	for (int i = 0; i < SEEDS; i++)
		shuffled(_i * SEEDS + i);
}
END_TEST

static struct qs_policy *read_share(const char *queue, const char *share)
{
	char text[1000];
	struct qs_error err;
	struct qs_policy *policy;

	snprintf(text, sizeof(text),
		 "Queue=q %s\n"
		 "Share=a Accounts=a Capacity=t:4 Strategy=LEND_AND_BORROW"
		 " InSharePreemption=NO %s\n",
		 queue, share);
	policy = qs_conf_read_text("f", NULL, text, strlen(text), NULL, &err);
	ck_assert_msg(policy != NULL, "%s", err.text);
	return policy;
}

struct pair_row {
	const char *queue[2], *share[2];
	const char *what;
};

/* Two policies that differ in one thing, which must be seen and printed. */
static const struct pair_row pairs[] = {
	{ { "", "" }, { "", "BorrowLimit=-1" }, "share a: BorrowLimit" },
	{ { "", "" }, { "", "BorrowLimit=0" }, "share a: BorrowLimit" },
	{ { "", "" },
	  { "BorrowLimit=0", "BorrowLimit=-1" },
	  "share a: BorrowLimit" },
	{ { "", "" }, { "", "PreemptRetries=0" }, "share a: PreemptRetries" },
	{ { "", "" }, { "", "GraceTime=0" }, "share a: GraceTime" },
	{ { "", "" }, { "", "GraceTime=120" }, "share a: GraceTime" },
	{ { "", "" }, { "", "BorrowGpus=t:0" }, "share a: BorrowGpus" },
	{ { "", "" }, { "", "LendLimit=t:0" }, "share a: LendLimit" },
	{ { "", "" }, { "", "LendLimit=t:4" }, "share a: LendLimit" },
	{ { "", "" }, { "", "MinRuntime=1" }, "share a: MinRuntime" },
	{ { "", "" }, { "", "MaxUserPriority=0" }, "share a: MaxUserPriority" },
	{ { "", "" }, { "", "State=DISABLED" }, "share a: State" },
	{ { "", "" }, { "Note=x", "Note=y" }, "share a: Note" },
	{ { "", "" }, { "", "Owner=y" }, "share a: Owner" },
	{ { "", "Capacity=t:0" }, { "", "" }, "queue q: Capacity" },
	{ { "", "Capacity=t:4" }, { "", "" }, "queue q: Capacity" },
	{ { "", "UntypedGpus=REJECT" }, { "", "" }, "queue q: UntypedGpus" },
	{ { "", "Partitions=p" }, { "", "" }, "queue q: Partitions" },
	{ { "", "DefaultShare=a" }, { "", "" }, "queue q: DefaultShare" },
	{ { "", "GraceTime=0" }, { "", "" }, "queue q: GraceTime" },
	{ { "", "ClaimTimeout=0" }, { "", "" }, "queue q: ClaimTimeout" },
	{ { "", "NeverFits=WAIT" }, { "", "" }, "queue q: NeverFits" },
	{ { "", "NonRequeueBorrow=NO" },
	  { "", "" },
	  "queue q: NonRequeueBorrow" },
	{ { "", "InShareOrder=BEST_EFFORT" },
	  { "", "" },
	  "queue q: InShareOrder" },
	{ { "", "IdleResourceAssignment=FAIR" },
	  { "", "" },
	  "queue q: IdleResourceAssignment" },
	{ { "", "VictimOrder=priority,duration,fit" },
	  { "", "" },
	  "queue q: VictimOrder" },
	{ { "", "State=DISABLED" }, { "", "" }, "queue q: State" },
};

START_TEST(a_difference_is_seen_and_printed)
{
	const struct pair_row *row = &pairs[_i];
	struct qs_policy *a = read_share(row->queue[0], row->share[0]);
	struct qs_policy *b = read_share(row->queue[1], row->share[1]);
	char *ta = qs_conf_print(a), *tb = qs_conf_print(b), what[200] = "";

	ck_assert(!qs_conf_equal(a, b, what, sizeof(what)));
	ck_assert_str_eq(what, row->what);
	ck_assert_str_ne(ta, tb);
	assert_round_trip(a);
	assert_round_trip(b);
	free(ta);
	free(tb);
	qs_policy_free(a);
	qs_policy_free(b);
}
END_TEST

START_TEST(what_the_file_cannot_hold_is_refused)
{
	struct qs_policy *policy = read_share("", "Note=x");

	policy->shares[0].note[0] = '\n';
	errno = 0;
	ck_assert_ptr_null(qs_conf_print(policy));
	ck_assert_int_eq(errno, EINVAL);
	policy->shares[0].note[0] = '\xff'; /* not UTF-8 */
	errno = 0;
	ck_assert_ptr_null(qs_conf_print(policy));
	ck_assert_int_eq(errno, EINVAL);
	qs_policy_free(policy);
}
END_TEST

START_TEST(long_lines_are_continued)
{
	struct qs_policy *policy = read_share(
		"", "Note=\"a note that is so long that it cannot stand in "
		    "one line with the rest of the share\"");
	char *text = qs_conf_print(policy);

	ck_assert_ptr_nonnull(strstr(text, " \\\n"));
	free(text);
	qs_policy_free(policy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conf print");
	TCase *core = tcase_create("core");
	TCase *properties = tcase_create("properties");

	tcase_add_loop_test(core, a_difference_is_seen_and_printed, 0,
			    ARRAY_LEN(pairs));
	tcase_add_test(core, what_the_file_cannot_hold_is_refused);
	tcase_add_test(core, long_lines_are_continued);
	tcase_add_loop_test(properties, printed_and_read_it_is_the_same, 0,
			    TESTS);
	tcase_add_loop_test(properties, order_of_lines_does_not_matter, 0,
			    TESTS);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, properties);
	return suite_run(suite);
}
