/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_html_tables.c - the numbers behind the plots, as HTML tables
 *
 * Called while the page is written. A table that is wider than a phone can be
 * moved sideways inside its frame; the page itself never is.
 */
#include "cli/report_html.h"
#include "cli/report_fields.h"

static void open_table(FILE *file, const char *label,
		       const char *const *columns, size_t n)
{
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"",
	      file);
	qs_html(file, label);
	fputs("\"><table><thead><tr>", file);
	for (size_t i = 0; i < n; i++) {
		fputs("<th scope=\"col\">", file);
		qs_html(file, columns[i]);
		fputs("</th>", file);
	}
	fputs("</tr></thead><tbody>\n", file);
}

static void close_table(FILE *file)
{
	fputs("</tbody></table></div>\n", file);
}

static void head_cell(FILE *file, const char *text)
{
	fputs("<tr><th scope=\"row\">", file);
	qs_html(file, text);
	fputs("</th>", file);
}

static void use_row(const struct qs_report *r, const char *share,
		    const char *type, const struct qs_use *use, FILE *file)
{
	double unit = qs_report_unit(r).seconds;
	const int64_t values[] = { use->capacity,  use->used, use->own,
				   use->borrowed,  use->lent, use->idle,
				   use->over_limit };

	head_cell(file, share);
	fputs("<td class=\"t\">", file);
	qs_html(file, type);
	fputs("</td>", file);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		fprintf(file, "<td>%.1f</td>", (double)values[i] / unit);
	fputs("</tr>\n", file);
}

void qs_html_use(const struct qs_report *r, FILE *file)
{
	static const char *const columns[] = { "Share", "Type", "Owned",
					       "Used",  "Own",  "Borrowed",
					       "Lent",  "Idle", "Over limit" };

	open_table(file, "GPU time by share and type", columns,
		   sizeof(columns) / sizeof(*columns));
	for (int32_t t = 0; t < r->m.ntypes; t++) {
		struct qs_use sum = qs_report_sum(r, t);

		for (int32_t s = 0; s <= r->m.nshares; s++)
			if (qs_report_shows(r, s, t))
				use_row(r, qs_report_share(r, s),
					r->history.types[t],
					qs_measures_use(&r->m, s, t), file);
		if (r->only < 0)
			use_row(r, "All", r->history.types[t], &sum, file);
	}
	close_table(file);
}

/* Lenders that lent, borrowers that borrowed: others make no row. */
static bool lends(const struct qs_report *r, int32_t o)
{
	int32_t width = r->m.nshares + 1;

	for (int32_t b = 0; b < width; b++)
		if (r->m.matrix[o * width + b] > 0 &&
		    (r->only < 0 || o == r->only || b == r->only))
			return true;
	return false;
}

static bool borrows(const struct qs_report *r, int32_t b)
{
	int32_t width = r->m.nshares + 1;

	for (int32_t o = 0; o < width; o++)
		if (r->m.matrix[o * width + b] > 0 &&
		    (r->only < 0 || o == r->only || b == r->only))
			return true;
	return false;
}

static double most_lent(const struct qs_report *r)
{
	int32_t width = r->m.nshares + 1;
	double most = 0;

	for (int32_t i = 0; i < width * width; i++)
		if (r->m.matrix[i] > most)
			most = r->m.matrix[i];
	return most > 0 ? most : 1;
}

static void matrix_row(const struct qs_report *r, int32_t o, FILE *file)
{
	int32_t width = r->m.nshares + 1;
	double unit = qs_report_unit(r).seconds, most = most_lent(r);

	head_cell(file, o < r->m.nshares ? r->history.shares[o] :
					   "GPUs that nobody owns");
	for (int32_t b = 0; b < width; b++) {
		double value = r->m.matrix[o * width + b];

		if (!borrows(r, b))
			continue;
		/* Of one share: its own loans, not what others do. */
		if (value <= 0 ||
		    (r->only >= 0 && o != r->only && b != r->only))
			fputs("<td class=\"none\">\xc2\xb7</td>", file);
		else
			fprintf(file,
				"<td class=\"heat\" style=\"--h:%.2f\">%.1f"
				"</td>",
				value / most, value / unit);
	}
	fputs("</tr>\n", file);
}

void qs_html_matrix(const struct qs_report *r, FILE *file)
{
	int32_t width = r->m.nshares + 1;
	bool any = false;

	for (int32_t o = 0; o < width; o++)
		any |= lends(r, o);
	if (!any) {
		fputs("<p>Nothing was lent in this time.</p>\n", file);
		return;
	}
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Lenders and borrowers\"><table "
	      "class=\"matrix\"><thead><tr><th scope=\"col\">lender \\ "
	      "borrower</th>",
	      file);
	for (int32_t b = 0; b < width; b++) {
		if (!borrows(r, b))
			continue;
		fputs("<th scope=\"col\">", file);
		qs_html(file, qs_report_share(r, b));
		fputs("</th>", file);
	}
	fputs("</tr></thead><tbody>\n", file);
	for (int32_t o = 0; o < width; o++)
		if (lends(r, o))
			matrix_row(r, o, file);
	close_table(file);
}

static void spread_cells(const struct qs_spread *spread, FILE *file)
{
	char median[32], p90[32];

	if (!spread->n) {
		fputs("<td class=\"none\">\xe2\x80\x93</td>", file);
		return;
	}
	qs_html_duration(spread->median, median, sizeof(median));
	qs_html_duration(spread->p90, p90, sizeof(p90));
	fprintf(file, "<td>%s / %s<small>of %u</small></td>", median, p90,
		spread->n);
}

static void wait_row(const char *share, const struct qs_outcome *o, FILE *file)
{
	head_cell(file, share);
	spread_cells(&o->wait_own, file);
	spread_cells(&o->wait_borrowing, file);
	spread_cells(&o->wait_again, file);
	spread_cells(&o->reclaim, file);
	spread_cells(&o->turnaround, file);
	fputs("</tr>\n", file);
}

void qs_html_waits(const struct qs_report *r, FILE *file)
{
	static const char *const columns[] = {
		"Share",     "Own",
		"Borrowing", "After an interruption",
		"Reclaim",   "Submission to completion"
	};

	open_table(file, "Waiting times", columns,
		   sizeof(columns) / sizeof(*columns));
	for (int32_t s = 0; s <= r->m.nshares; s++)
		if (qs_report_shows_share(r, s))
			wait_row(qs_report_share(r, s), &r->m.outcome[s], file);
	if (r->only < 0)
		wait_row("All", &r->m.outcome[r->m.nshares + 1], file);
	close_table(file);
}

static void job_row(const struct qs_report *r, const char *share,
		    const struct qs_outcome *o, FILE *file)
{
	double unit = qs_report_unit(r).seconds;
	uint32_t counts[QS_JOB_COUNTS];

	qs_job_counts(o, counts);
	head_cell(file, share);
	/* The page is of what is over: without running and waiting ones. */
	for (size_t i = 0; i < QS_JOB_COUNTS - 2; i++)
		fprintf(file, "<td>%u</td>", counts[i]);
	fprintf(file, "<td>%.1f</td><td>%.1f</td></tr>\n",
		(double)o->repeated / unit,
		(double)o->completed_gpu_sec / unit);
}

void qs_html_jobs(const struct qs_report *r, FILE *file)
{
	static const char *const columns[] = {
		"Share",    "Submitted",   "Started",   "Completed",
		"Failed",   "Cancelled",   "Preempted", "Node failure",
		"Requeued", "Retry limit", "Repeated",  "Completed work"
	};

	open_table(file, "Jobs and interruptions", columns,
		   sizeof(columns) / sizeof(*columns));
	for (int32_t s = 0; s <= r->m.nshares; s++)
		if (qs_report_shows_share(r, s))
			job_row(r, qs_report_share(r, s), &r->m.outcome[s],
				file);
	if (r->only < 0)
		job_row(r, "All", &r->m.outcome[r->m.nshares + 1], file);
	close_table(file);
}
