/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_svg.c - the plots of the HTML report
 *
 * Called while the page is written. Each plot is drawn for a wide screen and
 * for a narrow one, and the page shows one of them: so letters have the same
 * size on a phone as on paper. Areas differ by hatching, not by colour alone.
 * Colours are classes of the page's style sheet.
 */
#include "cli/report_html.h"

#include <math.h>
#include <string.h>
#include <time.h>

struct frame {
	const char *kind; /* class: "wide" or "narrow" */
	double width, height;
	double left, right, top, bottom; /* margins */
};

static double inner_width(const struct frame *f)
{
	return f->width - f->left - f->right;
}

static double inner_height(const struct frame *f)
{
	return f->height - f->top - f->bottom;
}

static void open_svg(FILE *file, const struct frame *f, const char *id,
		     const char *title, const char *desc)
{
	fprintf(file,
		"<svg class=\"plot %s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"aria-labelledby=\"%s-%s-t %s-%s-d\">"
		"<title id=\"%s-%s-t\">",
		f->kind, f->width, f->height, id, f->kind, id, f->kind, id,
		f->kind);
	qs_html(file, title);
	fprintf(file, "</title><desc id=\"%s-%s-d\">", id, f->kind);
	qs_html(file, desc);
	fputs("</desc>\n", file);
}

void qs_svg_patterns(FILE *file)
{
	static const struct {
		const char *name, *path;
	} patterns[] = {
		{ "borrowed", "M0,8L8,0M-2,2L2,-2M6,10L10,6" },
		{ "quota", "M0,8L8,0M-2,2L2,-2M6,10L10,6" },
		{ "placement", "M0,0L8,8M-2,6L2,10M6,-2L10,2" },
		{ "priority", "M4,0V8" },
		{ "nodefail", "M0,4H8M4,0V8" },
	};

	fputs("<svg width=\"0\" height=\"0\" class=\"defs\" "
	      "aria-hidden=\"true\"><defs>\n",
	      file);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		fprintf(file,
			"<pattern id=\"p-%s\" width=\"8\" height=\"8\" "
			"patternUnits=\"userSpaceOnUse\"><rect width=\"8\" "
			"height=\"8\" class=\"bg-%s\"/><path d=\"%s\" "
			"class=\"hatch\"/></pattern>\n",
			patterns[i].name, patterns[i].name, patterns[i].path);
	fputs("</defs></svg>\n", file);
}

/* ---- timeline ---- */

/* A slice's average GPUs of a type. */
struct level {
	double own, borrowed, idle;
};

static struct level level_of(const struct qs_report *r, int32_t type,
			     uint32_t slice)
{
	const struct qs_measures *m = &r->m;
	int64_t from = m->begin + (m->end - m->begin) * slice / m->slices;
	int64_t to = m->begin + (m->end - m->begin) * (slice + 1) / m->slices;
	double seconds;
	struct level level = { 0 };

	/* The last slice may be known in part only. */
	if (to > r->now)
		to = r->now;
	seconds = to > from ? (double)(to - from) : 1;

	for (int32_t s = 0; s <= m->nshares; s++) {
		size_t at =
			((size_t)slice * ((size_t)m->nshares + 1) + (size_t)s) *
				(size_t)m->ntypes +
			(size_t)type;

		if (r->only >= 0 && s != r->only)
			continue;
		level.own += (double)m->timeline[at].own / seconds;
		level.borrowed += (double)m->timeline[at].borrowed / seconds;
		level.idle +=
			(double)(m->timeline[at].idle +
				 (r->only >= 0 ? m->timeline[at].lent : 0)) /
			seconds;
	}
	return level;
}

static double part_of(const struct level *level, int part)
{
	const double tops[] = { 0, level->own, level->own + level->borrowed,
				level->own + level->borrowed + level->idle };

	return tops[part];
}

/* The area between two tops of the stack, as steps. */
static void put_area(const struct qs_report *r, int32_t type,
		     const struct frame *f, double most, int part,
		     const char *name, FILE *file)
{
	uint32_t n = r->m.slices;
	double step = inner_width(f) / n;
	double scale = inner_height(f) / most;

	fprintf(file, "<path class=\"%s\" d=\"M%.1f,%.1f", name, f->left,
		f->height - f->bottom);
	for (int side = 0; side < 2; side++) {
		for (uint32_t k = 0; k < n; k++) {
			uint32_t i = side ? n - 1 - k : k;
			struct level level = level_of(r, type, i);
			double y =
				f->height - f->bottom -
				part_of(&level, side ? part : part + 1) * scale;
			double x = f->left + step * (side ? i + 1 : i);

			fprintf(file, "L%.1f,%.1fH%.1f", x, y,
				side ? x - step : x + step);
		}
	}
	fputs("Z\"/>\n", file);
}

/* 1, 2 or 5 times a power of ten: about so many ticks to the top. */
static double tick_step(double most, int ticks)
{
	double raw = most / ticks, power = pow(10, floor(log10(raw)));

	if (raw <= 1)
		return 1;
	if (raw <= power)
		return power;
	return raw <= 2 * power ? 2 * power :
	       raw <= 5 * power ? 5 * power :
				  10 * power;
}

static void put_y_axis(const struct frame *f, double most, FILE *file)
{
	double step = tick_step(most, 4);

	for (double v = 0; v <= most * 1.001; v += step) {
		double y = f->height - f->bottom - v * inner_height(f) / most;

		fprintf(file,
			"<path class=\"grid\" d=\"M%.1f,%.1fH%.1f\"/><text "
			"x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.0f"
			"</text>\n",
			f->left, y, f->width - f->right, f->left - 5, y + 4, v);
	}
}

static void put_x_axis(const struct qs_report *r, const struct frame *f,
		       int ticks, FILE *file)
{
	int64_t span = r->m.end - r->m.begin;

	for (int i = 0; i <= ticks; i++) {
		time_t when = (time_t)(r->m.begin + span * i / ticks);
		double x = f->left + inner_width(f) * i / ticks;
		char text[32];
		struct tm tm;

		localtime_r(&when, &tm);
		if (span > 3 * 86400)
			strftime(text, sizeof(text), "%b %d", &tm);
		else if (span > 2 * 3600)
			strftime(text, sizeof(text), "%d. %H:%M", &tm);
		else
			strftime(text, sizeof(text), "%H:%M:%S", &tm);
		fprintf(file,
			"<path class=\"grid\" d=\"M%.1f,%.1fv5\"/><text "
			"x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
			x, f->height - f->bottom, x, f->height - f->bottom + 18,
			!i         ? "start" :
			i == ticks ? "end" :
				     "middle");
		qs_html(file, text);
		fputs("</text>\n", file);
	}
}

static double most_of(const struct qs_report *r, int32_t type)
{
	double most = 0;

	for (uint32_t i = 0; i < r->m.slices; i++) {
		struct level level = level_of(r, type, i);

		most = fmax(most, part_of(&level, 3));
	}
	return most > 0 ? most : 1;
}

static void timeline(const struct qs_report *r, int32_t type,
		     const struct frame *f, int ticks, FILE *file)
{
	struct qs_use sum = qs_report_sum(r, type);
	double most = most_of(r, type);
	char title[256], desc[400], id[32];

	snprintf(id, sizeof(id), "tl%d", type);
	snprintf(title, sizeof(title), "GPUs of type %.100s over time",
		 r->history.types[type]);
	snprintf(
		desc, sizeof(desc),
		"Stacked areas: own at the bottom, borrowed above it, idle at "
		"the top. In the whole time %.1f of 100 GPU-hours that are "
		"owned were used as own, %.1f were lent, %.1f were idle.",
		sum.capacity ? 100.0 * (double)sum.own / (double)sum.capacity :
			       0,
		sum.capacity ? 100.0 * (double)sum.lent / (double)sum.capacity :
			       0,
		sum.capacity ? 100.0 * (double)sum.idle / (double)sum.capacity :
			       0);
	open_svg(file, f, id, title, desc);
	put_area(r, type, f, most, 2, "idle", file);
	put_area(r, type, f, most, 0, "own", file);
	put_area(r, type, f, most, 1, "borrowed", file);
	put_y_axis(f, most, file);
	put_x_axis(r, f, ticks, file);
	fputs("</svg>\n", file);
}

void qs_svg_timeline(const struct qs_report *r, int32_t type, FILE *file)
{
	static const struct frame wide = { "wide", 760, 230, 44, 8, 8, 26 };
	static const struct frame narrow = { "narrow", 343, 200, 36, 4, 8, 26 };

	if (!r->m.slices)
		return;
	timeline(r, type, &wide, 6, file);
	timeline(r, type, &narrow, 2, file);
}

/* ---- waits ---- */

/* A logarithmic scale that begins with 0. */
static double wait_x(const struct frame *f, double seconds, double most)
{
	return f->left + inner_width(f) * log1p(seconds) / log1p(most);
}

static void put_wait_axis(const struct frame *f, double most, FILE *file)
{
	static const struct {
		double seconds;
		const char *text;
		bool wide_only;
	} ticks[] = { { 0, "0", false },        { 10, "10s", true },
		      { 60, "1m", false },      { 600, "10m", true },
		      { 3600, "1h", false },    { 36000, "10h", true },
		      { 86400, "1d", false },   { 864000, "10d", false },
		      { 8640000, "100d", true } };
	bool narrow = !strcmp(f->kind, "narrow");

	for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks); i++) {
		double x = wait_x(f, ticks[i].seconds, most);

		if (ticks[i].seconds > most ||
		    (narrow && ticks[i].wide_only && most > 3600))
			continue;
		fprintf(file,
			"<path class=\"grid\" d=\"M%.1f,%.1fV%.1f\"/><text "
			"x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s"
			"</text>\n",
			x, f->top, f->height - f->bottom + 4, x,
			f->height - f->bottom + 18, ticks[i].text);
	}
}

/* A circle, a square, a triangle: for own, borrowing, again. */
static void put_mark(FILE *file, int kind, double x, double y)
{
	if (kind == 0)
		fprintf(file,
			"<circle class=\"w0\" cx=\"%.1f\" cy=\"%.1f\" "
			"r=\"5\"/>",
			x, y);
	else if (kind == 1)
		fprintf(file,
			"<rect class=\"w1\" x=\"%.1f\" y=\"%.1f\" width=\"9\" "
			"height=\"9\"/>",
			x - 4.5, y - 4.5);
	else
		fprintf(file, "<path class=\"w2\" d=\"M%.1f,%.1fl6,10h-12Z\"/>",
			x, y - 6);
}

static void put_wait(const struct frame *f, double y, int kind, double most,
		     const struct qs_spread *spread, FILE *file)
{
	double from, to;

	if (!spread->n)
		return;
	from = wait_x(f, (double)spread->median, most);
	to = wait_x(f, (double)spread->p90, most);
	fprintf(file, "<path class=\"l%d\" d=\"M%.1f,%.1fH%.1fm0,-4v8\"/>",
		kind, from, y, to);
	put_mark(file, kind, from, y);
	putc('\n', file);
}

static void put_label(const struct frame *f, double y, const char *text,
		      FILE *file)
{
	/* Names may be 128 long; the table below has them whole. */
	size_t room = (size_t)(f->left / 7);
	size_t n = strlen(text);

	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
		f->left - 8, y);
	if (n > room && room > 3) {
		while (room && ((unsigned char)text[room - 2] & 0xc0) == 0x80)
			room--;
		qs_htmlf(file, "%.*s", (int)(room - 2), text);
		fputs("\xe2\x80\xa6", file);
	} else {
		qs_html(file, text);
	}
	fputs("</text>\n", file);
}

static int shown_shares(const struct qs_report *r)
{
	int n = 0;

	for (int32_t s = 0; s <= r->m.nshares; s++)
		n += qs_report_shows_share(r, s);
	return n;
}

static const struct qs_spread *wait_of(const struct qs_outcome *o, int kind)
{
	return kind == 0 ? &o->wait_own :
	       kind == 1 ? &o->wait_borrowing :
			   &o->wait_again;
}

static void waits(const struct qs_report *r, struct frame f, FILE *file)
{
	double most = 60;
	double y = f.top;

	f.height = f.top + f.bottom + 48 * shown_shares(r);
	for (int32_t s = 0; s <= r->m.nshares; s++)
		for (int k = 0; k < 3; k++)
			most = fmax(most,
				    1.2 * (double)wait_of(&r->m.outcome[s], k)
						    ->p90);
	open_svg(file, &f, "waits", "Waiting times by share",
		 "For each share three lines from the median to the 90th "
		 "percentile on a logarithmic scale: a circle for starts on "
		 "own GPUs, a square for starts on borrowed ones, a triangle "
		 "for the wait after an interruption. The table below has the "
		 "numbers.");
	put_wait_axis(&f, most, file);
	for (int32_t s = 0; s <= r->m.nshares; s++) {
		if (!qs_report_shows_share(r, s))
			continue;
		put_label(&f, y + 28, qs_report_share(r, s), file);
		for (int k = 0; k < 3; k++)
			put_wait(&f, y + 10 + 14 * k, k, most,
				 wait_of(&r->m.outcome[s], k), file);
		y += 48;
		fprintf(file, "<path class=\"grid\" d=\"M0,%.1fH%.1f\"/>\n", y,
			f.width);
	}
	fputs("</svg>\n", file);
}

void qs_svg_waits(const struct qs_report *r, FILE *file)
{
	waits(r, (struct frame){ "wide", 760, 0, 150, 16, 6, 26 }, file);
	waits(r, (struct frame){ "narrow", 343, 0, 96, 14, 6, 26 }, file);
}

/* ---- interruptions ---- */

const char *const qs_interruption_names[QS_INTERRUPTIONS] = {
	"quota: an owner took its GPUs back",
	"placement: an owner needed the node",
	"priority in the share",
	"preempted, cause not known",
	"node failure",
	"requeued by hand or exit code",
};

const char *const qs_interruption_classes[QS_INTERRUPTIONS] = {
	"quota", "placement", "priority", "unknown", "nodefail", "hand",
};

uint32_t qs_interruption(const struct qs_outcome *o, int kind)
{
	static const enum qs_run_cause causes[] = { QS_CAUSE_QUOTA,
						    QS_CAUSE_PLACEMENT,
						    QS_CAUSE_PRIORITY,
						    QS_CAUSE_UNKNOWN };

	if (kind < 4)
		return o->preempted[causes[kind]];
	return o->ended[kind == 4 ? QS_RUN_NODE_FAIL : QS_RUN_REQUEUED];
}

static uint32_t interruptions_of(const struct qs_outcome *o)
{
	uint32_t sum = 0;

	for (int k = 0; k < QS_INTERRUPTIONS; k++)
		sum += qs_interruption(o, k);
	return sum;
}

static void interruptions(const struct qs_report *r, struct frame f, FILE *file)
{
	uint32_t most = 1;
	double y = f.top;

	f.height = f.top + f.bottom + 28 * shown_shares(r);
	for (int32_t s = 0; s <= r->m.nshares; s++)
		if (interruptions_of(&r->m.outcome[s]) > most)
			most = interruptions_of(&r->m.outcome[s]);
	open_svg(file, &f, "stops", "Interrupted runs by share",
		 "A bar for each share, made of the kinds of interruptions in "
		 "the order of the legend. The table below has the numbers.");
	for (int32_t s = 0; s <= r->m.nshares; s++) {
		const struct qs_outcome *o = &r->m.outcome[s];
		double x = f.left;

		if (!qs_report_shows_share(r, s))
			continue;
		put_label(&f, y + 17, qs_report_share(r, s), file);
		for (int k = 0; k < QS_INTERRUPTIONS; k++) {
			double width =
				inner_width(&f) * qs_interruption(o, k) / most;

			if (width <= 0)
				continue;
			fprintf(file,
				"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
				"width=\"%.1f\" height=\"20\"/>",
				qs_interruption_classes[k], x, y + 3, width);
			x += width;
		}
		fprintf(file, "<text x=\"%.1f\" y=\"%.1f\">%u</text>\n", x + 5,
			y + 17, interruptions_of(o));
		y += 28;
	}
	fputs("</svg>\n", file);
}

void qs_svg_interruptions(const struct qs_report *r, FILE *file)
{
	interruptions(r, (struct frame){ "wide", 760, 0, 150, 60, 6, 6 }, file);
	interruptions(r, (struct frame){ "narrow", 343, 0, 96, 44, 6, 6 },
		      file);
}
