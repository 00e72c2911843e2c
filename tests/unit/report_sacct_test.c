/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_sacct_test.c - records of accounting: three versions of Slurm with
 * known answers, text and JSON alike, and what can be wrong with them
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/conf.h"
#include "sacct/attempts.h"

#include "suite.h"

#define HEAD                                                          \
	"JobID|JobIDRaw|DBIndex|User|Account|Partition|State|Submit|" \
	"Eligible|Start|End|NodeList|AllocTRES|ReqTRES|AdminComment\n"

static const char *const lines[] = {
	"Queue=q Partitions=low,lowc,lowg,high DefaultShare=B",
	"Share=A Accounts=teama Capacity=a100:8,v100:4 Strategy=LEND"
	" InSharePreemption=NO",
	"Share=B Accounts=teamb Capacity=a100:8,v100:4"
	" Strategy=LEND_AND_BORROW InSharePreemption=NO",
};

struct world {
	struct qs_policy *policy;
	struct qs_quota_history history;
	struct qs_accounts accounts;
	struct qs_problems problems;
	struct qs_attempts *attempts;
	struct qs_attempts_facts facts;
	struct qs_runs runs;
	struct qs_error err;
};

static void make_of(struct world *w, const char *const *policy, size_t n)
{
	struct qs_attempts_wish wish = { .history = &w->history,
					 .accounts = &w->accounts,
					 .problems = &w->problems };

	memset(w, 0, sizeof(*w));
	setenv("TZ", "UTC", 1);
	tzset();
	w->policy = qs_conf_read_lines("test", NULL, policy, n, NULL, &w->err);
	ck_assert_msg(w->policy != NULL, "%s", w->err.text);
	ck_assert_int_eq(qs_quota_history_add(&w->history, 0, w->policy), 0);
	w->attempts = qs_attempts_new(&wish);
	ck_assert_ptr_nonnull(w->attempts);
}

static void make(struct world *w)
{
	make_of(w, lines, ARRAY_LEN(lines));
}

static void clear(struct world *w)
{
	qs_runs_free(&w->runs);
	qs_attempts_free(w->attempts);
	qs_accounts_free(&w->accounts);
	qs_quota_history_free(&w->history);
	qs_policy_free(w->policy);
}

static int read_from(struct world *w, const char *text)
{
	FILE *file = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
	int rc;

	if (!*text)
		file = fopen("/dev/null", "r");
	ck_assert_ptr_nonnull(file);
	rc = qs_sacct_read(file, "test", qs_attempts_add, w->attempts,
			   &w->problems, &w->err);
	fclose(file);
	return rc;
}

static void finish(struct world *w)
{
	ck_assert_int_eq(qs_attempts_finish(w->attempts, &w->runs, &w->facts),
			 0);
}

static FILE *open_data(const char *version, const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/sacct/%s/%s", QS_SRCDIR, version,
		 name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	return file;
}

static void read_data(struct world *w, const char *version, const char *name)
{
	FILE *file = open_data(version, name);

	ck_assert_int_eq(qs_sacct_read(file, name, qs_attempts_add, w->attempts,
				       &w->problems, &w->err),
			 0);
	fclose(file);
	finish(w);
}

static const char *const versions[] = { "22.05", "24.11", "26.05" };

/* ---- expected.csv ---- */

enum column {
	JOB,
	RAW,
	NAME,
	ACCOUNT,
	ATTEMPT,
	GPUS,
	START,
	END,
	SECONDS,
	GPU_SECONDS,
	CAUSE,
	COMMENT,
	NOTE,
	COLUMNS,
};

/* Good enough: the columns that are compared have no quotes in them. */
static void split_line(char *line, char *cells[COLUMNS])
{
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < COLUMNS; i++)
		cells[i] = line + strlen(line);
	for (int i = 0; i < COLUMNS; i++) {
		cells[i] = line;
		if (i == CAUSE + 1)
			return;
		line += strcspn(line, ",");
		if (!*line)
			return;
		*line++ = '\0';
	}
}

static int64_t time_of(const char *text)
{
	struct tm tm = { 0 };

	if (!*text)
		return QS_TIME_NONE;
	ck_assert_int_eq(sscanf(text, "%d-%d-%dT%d:%d:%d", &tm.tm_year,
				&tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
				&tm.tm_min, &tm.tm_sec),
			 6);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return timegm(&tm);
}

static int type_count(const struct world *w, const struct qs_run *run,
		      const char *type)
{
	int32_t index = qs_quota_history_type(&w->history, type);

	for (uint32_t k = 0; k < run->ndemands; k++)
		if (w->runs.demands[run->demands + k].type == index)
			return (int)w->runs.demands[run->demands + k].gpus;
	return 0;
}

/* "a100:2 v100:1" */
static int wanted_count(const char *gpus, const char *type)
{
	const char *at = strstr(gpus, type);

	return at ? atoi(at + strlen(type) + 1) : 0;
}

struct cause {
	const char *word;
	enum qs_run_end ended;
	bool requeued;
};

static const struct cause causes[] = {
	{ "completed", QS_RUN_COMPLETED, false },
	{ "failed", QS_RUN_FAILED, false },
	{ "timeout", QS_RUN_TIMEOUT, false },
	{ "cancelled", QS_RUN_CANCELLED, false },
	{ "preempted_requeued", QS_RUN_PREEMPTED, true },
	{ "preempted_ended", QS_RUN_PREEMPTED, false },
	{ "node_failure", QS_RUN_NODE_FAIL, true },
	{ "requeued", QS_RUN_REQUEUED, true },
	{ "resized", QS_RUN_RESIZED, false },
	{ "running", QS_RUN_RUNNING, false },
	{ "suspended", QS_RUN_RUNNING, false },
	{ "pending", QS_RUN_WAITING, false },
	{ "cancelled_waiting", QS_RUN_WITHDRAWN, false },
};

static const struct cause *cause_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (!strcmp(causes[i].word, word))
			return &causes[i];
	ck_abort_msg("unknown cause %s", word);
	return NULL;
}

static void same_as_expected(const struct world *w, uint32_t i, char **cells,
			     bool falsely_preempted)
{
	const struct qs_run *run = &w->runs.items[i];
	const struct cause *cause = cause_of(cells[CAUSE]);
	const char *what = cells[NAME];
	bool held = *cells[START];

	ck_assert_msg(run->job == strtoull(cells[RAW], NULL, 10), "%s: job %d",
		      what, (int)run->job);
	ck_assert_msg(run->attempt == (uint32_t)atoi(cells[ATTEMPT]),
		      "%s: attempt %u", what, run->attempt);
	ck_assert_msg(run->start == time_of(cells[START]), "%s: start", what);
	if (held)
		ck_assert_msg(run->end == time_of(cells[END]), "%s: end", what);
	ck_assert_msg(type_count(w, run, "a100") ==
				      wanted_count(cells[GPUS], "a100") &&
			      type_count(w, run, "v100") ==
				      wanted_count(cells[GPUS], "v100"),
		      "%s: GPUs", what);
	if (falsely_preempted) {
		/* Slurm's own record is wrong, and nothing in it tells. */
		ck_assert_int_eq(run->ended, QS_RUN_PREEMPTED);
		return;
	}
	ck_assert_msg(run->ended == cause->ended, "%s: ended %s", what,
		      qs_run_end_name(run->ended));
	ck_assert_msg(run->requeued == cause->requeued, "%s: requeued", what);
}

static int by_raw(const void *a, const void *b)
{
	char *const *x = a, *const *y = b;
	long long rx = strtoll(strchr(*x, ',') + 1, NULL, 10);
	long long ry = strtoll(strchr(*y, ',') + 1, NULL, 10);

	if (rx != ry)
		return rx < ry ? -1 : 1;
	return *x < *y ? -1 : *x > *y; /* lines of one text: their order */
}

START_TEST(as_expected)
{
	static char text[1 << 16];
	FILE *file = open_data(versions[_i], "expected.csv");
	char *rows[200], *save = NULL;
	size_t n = fread(text, 1, sizeof(text) - 1, file), nrows = 0;
	struct world w;

	fclose(file);
	text[n] = '\0';
	make(&w);
	read_data(&w, versions[_i], "parsable.txt");
	strtok_r(text, "\n", &save);
	for (char *l; (l = strtok_r(NULL, "\n", &save));)
		if (!strstr(l, "no_gpu"))
			rows[nrows++] = l;
	qsort(rows, nrows, sizeof(*rows), by_raw);
	ck_assert_uint_eq(w.facts.without_gpus, 1);
	ck_assert_uint_eq(w.runs.n, nrows);
	for (uint32_t i = 0; i < w.runs.n; i++) {
		bool false_record = strstr(rows[i], "recorded PREEMPTED");
		char *cells[COLUMNS];

		split_line(rows[i], cells);
		same_as_expected(&w, i, cells, false_record);
	}
	for (uint32_t i = 0; i < w.problems.n; i++)
		ck_assert_msg(strstr(w.problems.items[i].what, "without an "
							       "account") ||
				      strstr(w.problems.items[i].what,
					     "no share lists"),
			      "%s", w.problems.items[i].what);
	clear(&w);
}
END_TEST

/* The JSON files have some of the jobs of the text. */
START_TEST(json_says_the_same)
{
	struct world text, json;
	uint32_t k = 0;

	make(&text);
	read_data(&text, versions[_i], "parsable.txt");
	make(&json);
	read_data(&json, versions[_i], "json.json");
	ck_assert_uint_ge(json.runs.n, 20);
	for (uint32_t i = 0; i < json.runs.n; i++) {
		const struct qs_run *a = &json.runs.items[i], *b;

		while (k < text.runs.n &&
		       (text.runs.items[k].job < a->job ||
			(text.runs.items[k].job == a->job &&
			 text.runs.items[k].attempt < a->attempt)))
			k++;
		ck_assert_uint_lt(k, text.runs.n);
		b = &text.runs.items[k];
		ck_assert_msg(a->job == b->job && a->attempt == b->attempt,
			      "job %d attempt %u", (int)a->job, a->attempt);
		/* A resize: two runs of one attempt. */
		if (a->ended != b->ended && i && a[-1].job == a->job)
			b = &text.runs.items[++k];
		ck_assert_int_eq(a->start, b->start);
		ck_assert_int_eq(a->end, b->end);
		ck_assert_int_eq(a->submit, b->submit);
		ck_assert_int_eq(a->ended, b->ended);
		ck_assert_int_eq(a->share, b->share);
		ck_assert_int_eq(a->requeued, b->requeued);
		ck_assert_int_eq(type_count(&json, a, "a100"),
				 type_count(&text, b, "a100"));
		ck_assert_int_eq(type_count(&json, a, "v100"),
				 type_count(&text, b, "v100"));
	}
	clear(&text);
	clear(&json);
}
END_TEST

/* ---- spellings of GPUs ---- */

struct tres_row {
	const char *text;
	int a100, v100, unknown, others;
};

static const struct tres_row tres_rows[] = {
	{ "gres/gpu=4,gres/gpu:a100=4", 4, 0, 0, 0 },
	{ "billing=1,cpu=1,gres/gpu:a100=1,gres/gpu:v100=1,gres/gpu=2,mem=10M",
	  1, 1, 0, 0 },
	{ "gres/gpu:a100=2", 2, 0, 0, 0 },
	{ "cpu=1,gres/gpu=2", 0, 0, 2, 0 },
	/* Only one type is tracked, two were given. */
	{ "gres/gpu:a100=1,gres/gpu=2", 1, 0, 1, 0 },
	{ "gres/gpu=1,gres/gpumem=40G,gres/gpuutil=90", 0, 0, 1, 0 },
	{ "gres/gpu:a100_3g.20gb=2,gres/gpu:a100=1,gres/gpu=3", 1, 0, 0, 1 },
};

START_TEST(spellings)
{
	const struct tres_row *row = &tres_rows[_i];
	struct world w;
	char text[1024];

	make(&w);
	snprintf(text, sizeof(text),
		 HEAD "1|1|1|u|teama|low|COMPLETED|100|100|110|120|n1|%s||\n",
		 row->text);
	ck_assert_int_eq(read_from(&w, text), 0);
	finish(&w);
	ck_assert_uint_eq(w.runs.n, 1);
	ck_assert_int_eq(type_count(&w, w.runs.items, "a100"), row->a100);
	ck_assert_int_eq(type_count(&w, w.runs.items, "v100"), row->v100);
	if (row->unknown)
		ck_assert_int_eq(type_count(&w, w.runs.items, "(unknown)"),
				 row->unknown);
	else
		ck_assert_int_eq(w.history.ntypes, 2);
	/* Nothing is left out without a word. */
	ck_assert_uint_eq(w.problems.n, (row->unknown || row->others) ? 1 : 0);
	clear(&w);
}
END_TEST

START_TEST(one_type_in_the_policy)
{
	static const char *const one[] = { "Queue=q Partitions=low",
					   "Share=A Accounts=a Capacity=gpu:4 "
					   "Strategy=LEND "
					   "InSharePreemption=NO" };
	struct world w;

	make_of(&w, one, ARRAY_LEN(one));
	ck_assert_int_eq(read_from(&w, HEAD
				   "1|1|1|u|a|low|COMPLETED|100|100|110|120|n1|"
				   "gres/gpu=2||\n"),
			 0);
	finish(&w);
	ck_assert_int_eq(type_count(&w, w.runs.items, "gpu"), 2);
	ck_assert_uint_eq(w.facts.typed_by_policy, 1);
	ck_assert_uint_eq(w.problems.n, 0);
	clear(&w);
}
END_TEST

static const char *type_of_nodes(const char *nodes, void *arg)
{
	(void)arg;
	return !strcmp(nodes, "n[5-6]") ? "v100" : NULL;
}

START_TEST(types_from_nodes)
{
	struct world w;
	struct qs_attempts_wish wish;

	make(&w);
	qs_attempts_free(w.attempts);
	wish = (struct qs_attempts_wish){ .history = &w.history,
					  .type_of = type_of_nodes,
					  .problems = &w.problems };
	w.attempts = qs_attempts_new(&wish);
	ck_assert_int_eq(read_from(&w,
				   HEAD "1|1|1|u|teama|low|COMPLETED|100|"
					"100|110|120|n[5-6]|gres/gpu=2||\n"),
			 0);
	finish(&w);
	ck_assert_int_eq(type_count(&w, w.runs.items, "v100"), 2);
	ck_assert_uint_eq(w.facts.typed_by_nodes, 1);
	clear(&w);
}
END_TEST

/* ---- bad input ---- */

struct bad_row {
	const char *name, *lines, *problem;
	uint32_t runs;
};

#define GOOD \
	"1|1|1|u|teama|low|COMPLETED|100|100|110|120|n1|gres/gpu:a100=1||\n"

static const struct bad_row bad_rows[] = {
	{ "a good one", GOOD, NULL, 1 },
	{ "too few fields", "2|2|2|u|teama|low|COMPL\n" GOOD, "fewer fields",
	  1 },
	{ "a half-written last line", GOOD "2|2|2|u|teama|lo", "fewer fields",
	  1 },
	{ "no time", "2|2|2|u|teama|low|COMPLETED|soon|1|2|3|n|gres/gpu=1||\n",
	  "cannot be read", 0 },
	{ "end before start",
	  "2|2|2|u|teama|low|COMPLETED|100|100|120|90|n1|gres/gpu:a100=1||\n",
	  "clock", 1 },
	{ "a state of tomorrow",
	  "2|2|2|u|teama|low|TELEPORTED|100|100|120|190|n1|gres/gpu:a100=1||\n",
	  "state that is not known", 1 },
	{ "over without an end",
	  "2|2|2|u|teama|low|FAILED|100|100|120|Unknown|n1|gres/gpu:a100=1||\n",
	  "without an end", 1 },
	{ "no submission",
	  "2|2|2|u|teama|low|FAILED|Unknown|100|120|130|n1|gres/gpu:a100=1||\n",
	  "submission", 0 },
	{ "a line break and a bar in the comment",
	  "1|1|1|u|teama|low|COMPLETED|100|100|110|120|n1|gres/gpu:a100=1||it "
	  "is\n7 of 9 | odd\n" GOOD,
	  NULL, 1 },
	{ "steps",
	  GOOD "1.batch|1.batch|1||teama||COMPLETED|100||110|120|n1|"
	       "gres/gpu=1||\n",
	  NULL, 1 },
	{ "no GPU", "3|3|3|u|teama|low|COMPLETED|100|100|110|120|n1|cpu=1||\n",
	  NULL, 0 },
	{ "another partition",
	  "3|3|3|u|teama|other|COMPLETED|100|100|110|120|n1|gres/gpu=1||\n",
	  NULL, 0 },
	{ "nobody", "", NULL, 0 },
};

START_TEST(bad_input)
{
	const struct bad_row *row = &bad_rows[_i];
	struct world w;
	char text[2048];

	make(&w);
	snprintf(text, sizeof(text), HEAD "%s", row->lines);
	ck_assert_int_eq(read_from(&w, text), 0);
	finish(&w);
	ck_assert_msg(w.runs.n == row->runs, "%s: %u runs", row->name,
		      w.runs.n);
	if (!row->problem)
		ck_assert_msg(!w.problems.n, "%s: %s", row->name,
			      w.problems.items[0].what);
	else
		ck_assert_msg(
			w.problems.n == 1 &&
				strstr(w.problems.items[0].what, row->problem),
			"%s: %s", row->name, w.problems.items[0].what);
	clear(&w);
}
END_TEST

/* A name with a bar in the middle of the record shifts what follows. */
START_TEST(a_bar_in_a_name)
{
	struct world w;

	make(&w);
	ck_assert_int_eq(
		read_from(&w, "JobID|JobName|State|Submit|Start|End|AllocTRES|"
			      "Account|Partition|Comment\n"
			      "5|a|b|COMPLETED|100|110|120|gres/gpu:a100=3|"
			      "teama|low|fine\n"
			      "6|plain|COMPLETED|100|110|120|gres/gpu:a100=2|"
			      "teama|low|a|b\n"),
		0);
	finish(&w);
	ck_assert_uint_eq(w.problems.n, 0);
	ck_assert_uint_eq(w.runs.n, 2);
	ck_assert_int_eq(type_count(&w, &w.runs.items[0], "a100"), 3);
	ck_assert_int_eq(type_count(&w, &w.runs.items[1], "a100"), 2);
	clear(&w);
}
END_TEST

START_TEST(files_that_are_no_such_output)
{
	struct world w;

	make(&w);
	ck_assert_int_eq(read_from(&w, "JobID|State|Submit\n"), -1);
	ck_assert_ptr_nonnull(strstr(w.err.text, "Start"));
	ck_assert_int_eq(read_from(&w, "{\"nodes\":[]}"), -1);
	ck_assert_int_eq(read_from(&w, "{\"jobs\":[]}"), 0);
	ck_assert_int_eq(read_from(&w, ""), 0);
	clear(&w);
}
END_TEST

START_TEST(json_that_breaks_off)
{
	struct world w;
	char *text = malloc(1 << 16);
	FILE *file = open_data("24.11", "json.json");
	size_t n = fread(text, 1, 1 << 15, file);

	fclose(file);
	text[n] = '\0';
	make(&w);
	ck_assert_int_eq(read_from(&w, text), 0);
	finish(&w);
	ck_assert_uint_gt(w.runs.n, 5);
	ck_assert_ptr_nonnull(
		strstr(w.problems.items[0].what, "break within a record"));
	free(text);
	clear(&w);
}
END_TEST

/* The same job in an older file, when it ran, and in a younger one. */
START_TEST(the_same_record_twice)
{
	static const char young[] =
		HEAD "1|1|11|u|teama|low|COMPLETED|100|100|110|120|n1|"
		     "gres/gpu:a100=1||\n";
	static const char old[] =
		HEAD "1|1|11|u|teama|low|RUNNING|100|100|110|Unknown|n1|"
		     "gres/gpu:a100=1||\n"
		     "2|2|12|u|teama|low|PENDING|100|100|Unknown|Unknown|||"
		     "gres/gpu=1|\n";
	struct world w;

	make(&w);
	read_from(&w, _i ? old : young);
	read_from(&w, _i ? young : old);
	finish(&w);
	ck_assert_uint_eq(w.runs.n, 2);
	ck_assert_int_eq(w.runs.items[0].end, 120);
	ck_assert_int_eq(w.runs.items[1].ended, QS_RUN_WAITING);
	ck_assert_uint_eq(w.facts.duplicates, 1);
	clear(&w);
}
END_TEST

/* Its comment names the share; of an older run only the share counts. */
START_TEST(comments_of_ours)
{
	struct world w;

	make(&w);
	read_from(&w, HEAD
		  "1|1|1|u|teama|low|PREEMPTED|100|100|110|120|n1|"
		  "gres/gpu:a100=1||QuotaShare: share=B queue=q own=0 "
		  "borrowed=a100:1 start=110 preempted=1 for=9 how=RECLAIM "
		  "code=PLACEMENT; Cross-share preemption for=3 code=QUOTA\n"
		  "1|1|2|u|teama|low|COMPLETED|120|120|130|140|n1|"
		  "gres/gpu:a100=1||QuotaShare: share=B queue=q own=0 "
		  "borrowed=a100:1 start=110 preempted=1 for=9 how=RECLAIM "
		  "code=PLACEMENT; Cross-share preemption\n");
	finish(&w);
	ck_assert_uint_eq(w.runs.n, 2);
	ck_assert_uint_eq(w.runs.items[0].by, 9);
	ck_assert_int_eq(w.runs.items[0].cause, QS_CAUSE_PLACEMENT);
	ck_assert_int_eq(w.runs.items[0].share,
			 qs_quota_history_share(&w.history, "B"));
	ck_assert_uint_eq(w.runs.items[1].by, 0);
	ck_assert_int_eq(w.runs.items[1].ended, QS_RUN_COMPLETED);
	ck_assert_int_eq(w.runs.items[1].share,
			 qs_quota_history_share(&w.history, "B"));
	clear(&w);
}
END_TEST

START_TEST(account_tree)
{
	static const char tree[] = "root|\n root||root\n teama|root\n  "
				   "teama1|teama\n  teama1||user1\n";
	FILE *file = fmemopen((char *)(uintptr_t)tree, sizeof(tree) - 1, "r");
	struct world w;

	make(&w);
	ck_assert_int_eq(qs_accounts_read(&w.accounts, file), 0);
	fclose(file);
	read_from(&w, HEAD "1|1|1|u|TeamA1|low|COMPLETED|100|100|110|120|n1|"
			   "gres/gpu:a100=1||\n"
			   "2|2|2|u|stranger|low|COMPLETED|100|100|110|120|n1|"
			   "gres/gpu:a100=1||\n");
	finish(&w);
	ck_assert_int_eq(w.runs.items[0].share,
			 qs_quota_history_share(&w.history, "A"));
	/* DefaultShare */
	ck_assert_int_eq(w.runs.items[1].share,
			 qs_quota_history_share(&w.history, "B"));
	clear(&w);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_sacct");
	TCase *core = tcase_create("core");
	TCase *malformed = tcase_create("malformed");

	tcase_add_loop_test(core, as_expected, 0, ARRAY_LEN(versions));
	tcase_add_loop_test(core, json_says_the_same, 0, ARRAY_LEN(versions));
	tcase_add_loop_test(core, spellings, 0, ARRAY_LEN(tres_rows));
	tcase_add_test(core, one_type_in_the_policy);
	tcase_add_test(core, types_from_nodes);
	tcase_add_loop_test(core, the_same_record_twice, 0, 2);
	tcase_add_test(core, comments_of_ours);
	tcase_add_test(core, account_tree);
	tcase_add_loop_test(malformed, bad_input, 0, ARRAY_LEN(bad_rows));
	tcase_add_test(malformed, a_bar_in_a_name);
	tcase_add_test(malformed, files_that_are_no_such_output);
	tcase_add_test(malformed, json_that_breaks_off);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, malformed);
	return suite_run(suite);
}
