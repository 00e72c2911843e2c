/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_print.c - the report for a terminal: a few tables and sentences
 */
#include "cli/report.h"
#include "cli/report_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/duration.h"

#define LINE_WIDTH 79

static struct qs_table *begin_table(const char *const *columns, size_t n)
{
	struct qs_table *table = qs_table_new();

	for (size_t i = 0; table && i < n; i++)
		qs_table_column(table, columns[i]);
	return table;
}

/* Shorter titles, [n]; NULL: the column's own. */
static struct qs_table *begin_short(const char *const *columns,
				    const char *const *heads, size_t n)
{
	struct qs_table *table = qs_table_new();

	for (size_t i = 0; table && i < n; i++) {
		qs_table_column(table, columns[i]);
		if (heads[i])
			qs_table_head(table, heads[i]);
	}
	return table;
}

/* Prints a table with rows below its title. Returns 0, or -1 with errno. */
static int end_table(const struct qs_report *r, struct qs_table *table,
		     const char *title, FILE *file)
{
	int rc = -1;

	fprintf(file, "\n%s\n", title);
	if (table)
		rc = qs_table_show(table, file, QS_TABLE_ALIGNED, true,
				   r->wish.color);
	qs_table_free(table);
	return rc;
}

static void add_use(struct qs_table *table, const char *share, const char *type,
		    const struct qs_use *use, double unit)
{
	const int64_t values[] = { use->capacity,  use->used, use->own,
				   use->borrowed,  use->lent, use->idle,
				   use->over_limit };

	qs_table_row(table);
	qs_table_text(table, share);
	qs_table_text(table, type);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		qs_table_decimal(table, (double)values[i] / unit);
}

static int print_use(const struct qs_report *r, FILE *file)
{
	static const char *const columns[] = { "share", "type", "owned",
					       "used",  "own",  "borrowed",
					       "lent",  "idle", "over_limit" };
	static const char *const heads[] = { NULL, NULL, NULL, NULL,  NULL,
					     NULL, NULL, NULL, "OVER" };
	struct qs_report_unit unit = qs_report_unit(r);
	struct qs_table *table =
		begin_short(columns, heads, sizeof(columns) / sizeof(*columns));
	char title[128];

	for (int32_t t = 0; table && t < r->m.ntypes; t++) {
		struct qs_use sum = qs_report_sum(r, t);

		for (int32_t s = 0; s <= r->m.nshares; s++)
			if (qs_report_shows(r, s, t))
				add_use(table, qs_report_share(r, s),
					r->history.types[t],
					qs_measures_use(&r->m, s, t),
					unit.seconds);
		if (r->only < 0)
			add_use(table, "(all)", r->history.types[t], &sum,
				unit.seconds);
	}
	snprintf(title, sizeof(title),
		 "%s (used = own + borrowed; owned = own + lent + idle)",
		 unit.name);
	return end_table(r, table, title, file);
}

/* Times are whole seconds, so that none is less than one. */
static void span_text(int64_t seconds, char *text, size_t size)
{
	if (seconds > 0)
		qs_duration_text(seconds, text, size);
	else
		snprintf(text, size, "<1 s");
}

static void add_spread(struct qs_table *table, const struct qs_spread *spread)
{
	char text[80], median[32], p90[32];

	if (!spread->n) {
		qs_table_none(table, "-");
		return;
	}
	span_text(spread->median, median, sizeof(median));
	span_text(spread->p90, p90, sizeof(p90));
	snprintf(text, sizeof(text), "%s / %s", median, p90);
	qs_table_text(table, text);
}

static void add_waits(struct qs_table *table, const char *share,
		      const struct qs_outcome *o)
{
	qs_table_row(table);
	qs_table_text(table, share);
	add_spread(table, &o->wait_own);
	add_spread(table, &o->wait_borrowing);
	add_spread(table, &o->wait_again);
	add_spread(table, &o->reclaim);
	add_spread(table, &o->turnaround);
}

static int print_waits(const struct qs_report *r, FILE *file)
{
	static const char *const columns[] = { "share",          "wait_own",
					       "wait_borrowing", "wait_again",
					       "reclaim",        "completion" };
	struct qs_table *table =
		begin_table(columns, sizeof(columns) / sizeof(*columns));

	for (int32_t s = 0; table && s <= r->m.nshares; s++)
		if (qs_report_shows_share(r, s))
			add_waits(table, qs_report_share(r, s),
				  &r->m.outcome[s]);
	if (table && r->only < 0)
		add_waits(table, "(all)", &r->m.outcome[r->m.nshares + 1]);
	return end_table(r, table,
			 "Times, median / 90th percentile (wait again: after "
			 "an interruption; reclaim:\nfrom the claim on)",
			 file);
}

static void add_jobs(const struct qs_report *r, struct qs_table *table,
		     const char *share, const struct qs_outcome *o)
{
	struct qs_report_unit unit = qs_report_unit(r);
	uint32_t counts[QS_JOB_COUNTS];

	qs_job_counts(o, counts);
	qs_table_row(table);
	qs_table_text(table, share);
	for (size_t i = 0; i < QS_JOB_COUNTS; i++)
		qs_table_number(table, counts[i]);
	qs_table_decimal(table, (double)o->repeated / unit.seconds);
}

static int print_jobs(const struct qs_report *r, FILE *file)
{
	static const char *const columns[] = {
		"share",    "submitted",   "started",   "completed",
		"failed",   "cancelled",   "preempted", "node_fail",
		"requeued", "retry_limit", "running",   "waiting",
		"repeated"
	};
	static const char *const heads[] = { NULL,   "SUBM", "START", "DONE",
					     "FAIL", "CANC", "PREEM", "NODE",
					     "REQU", "RETR", "RUN",   "WAIT",
					     NULL };
	struct qs_report_unit unit = qs_report_unit(r);
	struct qs_table *table =
		begin_short(columns, heads, sizeof(columns) / sizeof(*columns));
	char title[256];

	for (int32_t s = 0; table && s <= r->m.nshares; s++)
		if (qs_report_shows_share(r, s))
			add_jobs(r, table, qs_report_share(r, s),
				 &r->m.outcome[s]);
	if (table && r->only < 0)
		add_jobs(r, table, "(all)", &r->m.outcome[r->m.nshares + 1]);
	snprintf(title, sizeof(title),
		 "Jobs and their runs (NODE: ended by a node's failure; RETR: "
		 "by their retry\nlimit; REPEATED: %s of interrupted runs)",
		 unit.name);
	return end_table(r, table, title, file);
}

static int print_loans(const struct qs_report *r, FILE *file)
{
	static const char *const columns[] = { "lender", "borrower", "gpu_time",
					       "preempted" };
	struct qs_report_unit unit = qs_report_unit(r);
	int32_t width = r->m.nshares + 1;
	struct qs_table *table =
		begin_table(columns, sizeof(columns) / sizeof(*columns));
	char title[160];
	bool any = false;

	for (int32_t o = 0; table && o < width; o++) {
		for (int32_t b = 0; b < width; b++) {
			double gpu_sec = r->m.matrix[o * width + b];
			uint32_t stopped = r->m.preemptions[o * width + b];

			/* A share lends itself nothing. */
			if (o == b || (gpu_sec <= 0 && !stopped) ||
			    (r->only >= 0 && o != r->only && b != r->only))
				continue;
			any = true;
			qs_table_row(table);
			qs_table_text(table, o < r->m.nshares ?
						     r->history.shares[o] :
						     "(nobody)");
			qs_table_text(table, qs_report_share(r, b));
			qs_table_decimal(table, gpu_sec / unit.seconds);
			qs_table_number(table, stopped);
		}
	}
	if (!any) {
		qs_table_free(table);
		return 0;
	}
	snprintf(title, sizeof(title),
		 "Who lent to whom (%s), and how many runs were preempted for\n"
		 "the lender",
		 unit.name);
	return end_table(r, table, title, file);
}

/* By priority, and by those whose share is not known: no loan was ended. */
static void print_in_share(const struct qs_report *r, FILE *file)
{
	int32_t width = r->m.nshares + 1;
	const char *sep = "\nRuns preempted for jobs of their own share:";

	for (int32_t s = 0; s < width; s++) {
		uint32_t stopped = r->m.preemptions[s * width + s];

		if (!stopped || (r->only >= 0 && s != r->only))
			continue;
		fprintf(file, "%s %s %u", sep, qs_report_share(r, s), stopped);
		sep = ",";
	}
	if (*sep == ',')
		putc('\n', file);
}

static void print_exceptions(const struct qs_report *r, FILE *file)
{
	struct qs_report_unit unit = qs_report_unit(r);
	struct qs_use sum = qs_report_sum(r, -1);
	char stamp[32];

	fprintf(file,
		"\nExceptions: %llu policies came into force and %llu were "
		"refused,\n%llu priorities changed, %.1f %s over limit\n",
		(unsigned long long)r->policies_changed,
		(unsigned long long)r->policies_refused,
		(unsigned long long)r->priority_changes,
		(double)sum.over_limit / unit.seconds, unit.name);
	for (size_t i = 0; i < r->nchanges; i++) {
		qs_report_time(r->changes[i].when, stamp, sizeof(stamp));
		fprintf(file, "  %s  %s%s\n", stamp,
			r->changes[i].refused ? "refused: " : "",
			r->changes[i].text);
	}
}

/* In lines of a terminal's width, those after the first deeper; a word that is
 * longer, as a path may be, stands alone. */
static void print_filled(const char *text, FILE *file)
{
	size_t at = 0, n;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		n = strcspn(text, " ");
		if (at && at + 1 + n > LINE_WIDTH) {
			fputs("\n    ", file);
			at = 4;
		} else if (at) {
			fputc(' ', file);
			at++;
		} else {
			fputs("  ", file);
			at = 2;
		}
		fwrite(text, 1, n, file);
		at += n;
		text += n;
	}
	fputc('\n', file);
}

static void print_problems(const struct qs_report *r, FILE *file)
{
	if (r->problems.n)
		fputs("\nNot as it should be in the input:\n", file);
	for (uint32_t i = 0; i < r->problems.n; i++) {
		const struct qs_problem *p = &r->problems.items[i];

		fprintf(file, "  %llu %s (first: %s)\n",
			(unsigned long long)p->count, p->what, p->first);
	}
	if (r->problems.others)
		fprintf(file, "  %llu others\n",
			(unsigned long long)r->problems.others);
	fputs("\nHow it was made:\n", file);
	for (size_t i = 0; i < r->nnotes; i++)
		print_filled(r->notes[i], file);
}

int qs_report_print(const struct qs_report *r, FILE *file)
{
	char begin[32], end[32];

	qs_report_time(r->begin, begin, sizeof(begin));
	qs_report_time(r->end, end, sizeof(end));
	fprintf(file, "Quota shares from %s to %s%s%s\n", begin, end,
		r->only >= 0 ? ", share " : "",
		r->only >= 0 ? r->history.shares[r->only] : "");
	if (print_use(r, file) || print_waits(r, file) || print_jobs(r, file) ||
	    print_loans(r, file))
		return -1;
	print_in_share(r, file);
	print_exceptions(r, file);
	print_problems(r, file);
	return ferror(file) ? -1 : 0;
}
