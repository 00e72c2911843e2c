/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_html.c - the report as one page for a browser
 *
 * One file that can be sent to a team lead: style and plots are in it, nothing
 * is fetched, there is no script. Colours are those of Okabe and Ito, which
 * people with any kind of colour vision can tell apart; hatching and words say
 * the same. All texts from outside are escaped.
 */
#include "cli/report_html.h"

#include <stdarg.h>
#include <string.h>

void qs_html(FILE *file, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '&')
			fputs("&amp;", file);
		else if (c == '<')
			fputs("&lt;", file);
		else if (c == '>')
			fputs("&gt;", file);
		else if (c == '"')
			fputs("&quot;", file);
		else if (c == '\'')
			fputs("&#39;", file);
		else if (c < 0x20 || c == 0x7f)
			putc(' ', file);
		else
			putc(c, file);
	}
}

void qs_htmlf(FILE *file, const char *fmt, ...)
{
	char text[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	qs_html(file, text);
}

void qs_html_duration(int64_t seconds, char *text, size_t size)
{
	long long s = seconds > 0 ? seconds : 0;

	if (!s)
		snprintf(text, size, "&lt;1s");
	else if (s < 60)
		snprintf(text, size, "%llds", s);
	else if (s < 3600)
		snprintf(text, size, "%lldm&nbsp;%02llds", s / 60, s % 60);
	else if (s < 86400)
		snprintf(text, size, "%lldh&nbsp;%02lldm", s / 3600,
			 s / 60 % 60);
	else
		snprintf(text, size, "%lldd&nbsp;%lldh", s / 86400,
			 s / 3600 % 24);
}

static const char style[] =
	":root{--ink:#1a1a1a;--paper:#fff;--dim:#595959;--line:#d4d4d4;"
	"--card:#f4f5f7;--own:#0072b2;--borrowed:#e69f00;--idle:#e4e6ea;"
	"--stop:#d55e00;--place:#cc79a7;--prio:#56b4e9;--node:#8c8c8c;"
	"--again:#009e73;--hatch:rgba(0,0,0,.45);--heat:230,159,0}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--ink:#ececec;"
	"--paper:#15171a;--dim:#a9adb3;--line:#3a3e44;--card:#1f2226;"
	"--own:#3d9bd9;--idle:#33373d;--node:#9a9a9a}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 "
	"system-ui,-apple-system,\"Segoe UI\",sans-serif}\n"
	"main{max-width:1040px;margin:0 auto;padding:16px}\n"
	"h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}\n"
	"h2{font-size:1.15rem;margin:2rem 0 .5rem;border-top:1px solid "
	"var(--line);padding-top:1rem}\n"
	"h3{font-size:1rem;margin:1rem 0 .25rem;overflow-wrap:anywhere}\n"
	"p,li{overflow-wrap:anywhere}\n"
	".dim,small{color:var(--dim)}\n"
	".cards{display:grid;grid-template-columns:repeat(auto-fit,"
	"minmax(150px,1fr));gap:10px;margin:1rem 0;padding:0;list-style:none}\n"
	".cards li{background:var(--card);border-radius:8px;padding:10px "
	"12px}\n"
	".cards b{display:block;font-size:1.35rem;line-height:1.3}\n"
	".plot{display:block;width:100%;height:auto}\n"
	".plot text{font-size:12px;fill:var(--ink)}\n"
	".narrow{display:none}\n"
	".defs{position:absolute}\n"
	"@media screen and (max-width:600px){.wide{display:none}.narrow{"
	"display:block}}\n"
	".grid{stroke:var(--line);fill:none;stroke-width:1}\n"
	".own{fill:var(--own)}.idle{fill:var(--idle);stroke:var(--dim);"
	"stroke-width:.5}\n"
	".borrowed{fill:url(#p-borrowed)}.bg-borrowed{fill:var(--borrowed)}\n"
	".quota{fill:url(#p-quota)}.bg-quota{fill:var(--stop)}\n"
	".placement{fill:url(#p-placement)}.bg-placement{fill:var(--place)}\n"
	".priority{fill:url(#p-priority)}.bg-priority{fill:var(--prio)}\n"
	".nodefail{fill:url(#p-nodefail)}.bg-nodefail{fill:var(--node)}\n"
	".unknown{fill:var(--borrowed)}.hand{fill:var(--idle);stroke:var("
	"--dim)}\n"
	".hatch{stroke:var(--hatch);stroke-width:1.5;fill:none}\n"
	".w0{fill:var(--own)}.w1{fill:var(--borrowed);stroke:var(--ink);"
	"stroke-width:.7}.w2{fill:var(--again)}\n"
	".l0,.l1,.l2{fill:none;stroke-width:2.5}.l0{stroke:var(--own)}"
	".l1{stroke:var(--borrowed)}.l2{stroke:var(--again)}\n"
	".legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin:.25rem 0 "
	".75rem;padding:0;list-style:none;font-size:.9rem}\n"
	".legend svg{width:18px;height:14px;vertical-align:-2px;"
	"margin-right:6px}\n"
	".scroll{overflow-x:auto;margin:.5rem 0}\n"
	".scroll:focus-visible{outline:2px solid var(--own)}\n"
	"table{border-collapse:collapse;width:100%;font-size:.85rem;"
	"font-variant-numeric:tabular-nums}\n"
	"th,td{padding:5px 6px;border-bottom:1px solid var(--line);"
	"text-align:right}\n"
	"td{white-space:nowrap}\n"
	"th:first-child,td.t{text-align:left}\n"
	"th:first-child{position:sticky;left:0;background:var(--paper);"
	"min-width:6.5rem;max-width:13rem;overflow-wrap:break-word}\n"
	"tbody th{font-weight:600}\n"
	"td small{display:block}\n"
	"thead th{color:var(--dim);font-weight:600;vertical-align:bottom}\n"
	".heat{background:rgba(var(--heat),calc(var(--h)*.65))}\n"
	".none{color:var(--dim)}\n"
	"@media print{body{font-size:10.5pt}main{max-width:none;padding:0}"
	".scroll{overflow:visible}h2,h3,p.dim,.legend{break-after:avoid}svg.plot,table,tr,"
	".cards li{break-inside:avoid}*{print-color-adjust:exact;"
	"-webkit-print-color-adjust:exact}table{font-size:8.5pt}th,td{padding:"
	"3px 4px}}\n";

static void swatch(FILE *file, const char *class, const char *text)
{
	fprintf(file,
		"<li><svg viewBox=\"0 0 18 14\" aria-hidden=\"true\"><rect "
		"class=\"%s\" x=\"1\" y=\"1\" width=\"16\" height=\"12\"/>"
		"</svg>",
		class);
	qs_html(file, text);
	fputs("</li>", file);
}

static void card(FILE *file, const char *text, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void card(FILE *file, const char *text, const char *fmt, ...)
{
	char value[64];
	va_list args;

	va_start(args, fmt);
	vsnprintf(value, sizeof(value), fmt, args);
	va_end(args);
	/* Durations have &nbsp;: the values are ours, and plain. */
	fprintf(file, "<li><b>%s</b>", value);
	qs_html(file, text);
	fputs("</li>\n", file);
}

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_cards(const struct qs_report *r, FILE *file)
{
	struct qs_report_unit unit = qs_report_unit(r);
	const struct qs_outcome *o =
		&r->m.outcome[r->only >= 0 ? r->only : r->m.nshares + 1];
	struct qs_use sum = qs_report_sum(r, -1);
	char text[64], label[96];

	if (r->only >= 0) {
		sum = (struct qs_use){ 0 };
		for (int32_t t = 0; t < r->m.ntypes; t++)
			qs_use_add(&sum, qs_measures_use(&r->m, r->only, t));
	}
	fputs("<ul class=\"cards\">\n", file);
	card(file, "of the owned GPU time used by its owners", "%.0f&#8201;%%",
	     percent(sum.own, sum.capacity));
	card(file, "of it lent to others", "%.0f&#8201;%%",
	     percent(sum.lent, sum.capacity));
	card(file, "of it idle", "%.0f&#8201;%%",
	     percent(sum.idle, sum.capacity));
	snprintf(label, sizeof(label), "%s borrowed", unit.name);
	card(file, label, "%.1f", (double)sum.borrowed / unit.seconds);
	card(file, "jobs completed", "%u", o->ended[QS_RUN_COMPLETED]);
	card(file, "runs preempted", "%u", o->ended[QS_RUN_PREEMPTED]);
	snprintf(label, sizeof(label), "%s of interrupted runs, repeated",
		 unit.name);
	card(file, label, "%.1f", (double)o->repeated / unit.seconds);
	if (o->reclaim.n) {
		qs_html_duration(o->reclaim.median, text, sizeof(text));
		card(file, "until an owner had its GPUs back (median)", "%s",
		     text);
	}
	fputs("</ul>\n", file);
}

static bool shows_type(const struct qs_report *r, int32_t type)
{
	for (int32_t s = 0; s <= r->m.nshares; s++)
		if (qs_report_shows(r, s, type))
			return true;
	return false;
}

static void put_use(const struct qs_report *r, FILE *file)
{
	struct qs_report_unit unit = qs_report_unit(r);

	fputs("<h2>Own, borrowed and idle over time</h2>\n"
	      "<ul class=\"legend\">",
	      file);
	swatch(file, "own",
	       r->only >= 0 ? "own: used by the share" :
			      "own: used by its owner");
	swatch(file, "borrowed",
	       r->only >= 0 ? "borrowed from others" :
			      "borrowed: used by others");
	swatch(file, "idle",
	       r->only >= 0 ? "not used by the share" :
			      "idle: owned, not used");
	fputs("</ul>\n", file);
	for (int32_t t = 0; t < r->m.ntypes; t++) {
		if (!shows_type(r, t))
			continue;
		fputs("<h3>GPUs of type ", file);
		qs_html(file, r->history.types[t]);
		fputs("</h3>\n", file);
		qs_svg_timeline(r, t, file);
	}
	fputs("<h2>GPU time by share</h2>\n<p class=\"dim\">", file);
	qs_htmlf(file,
		 "In %s. Used is own and borrowed; owned is own, lent and "
		 "idle. Over limit is the part of borrowed above a lowered "
		 "limit.",
		 unit.name);
	fputs("</p>\n", file);
	qs_html_use(r, file);
	fputs("<h2>Who lent to whom</h2>\n<p class=\"dim\">", file);
	qs_htmlf(file,
		 "In %s. A loan of several lenders is spread over them by what "
		 "they lent at that moment.",
		 unit.name);
	fputs("</p>\n", file);
	qs_html_matrix(r, file);
}

static void put_waits(const struct qs_report *r, FILE *file)
{
	static const char *const names[] = { "start on own GPUs",
					     "start on borrowed GPUs",
					     "after an interruption" };
	static const char *const marks[] = {
		"<circle class=\"w0\" cx=\"9\" cy=\"7\" r=\"5\"/>",
		"<path class=\"w1\" d=\"M4,2h10v10h-10Z\"/>",
		"<path class=\"w2\" d=\"M9,1l6,11h-12Z\"/>",
	};
	fputs("<h2>Waiting times</h2>\n<p class=\"dim\">The mark is the "
	      "median, the line ends at the 90th percentile.</p>\n"
	      "<ul class=\"legend\">",
	      file);
	for (int i = 0; i < 3; i++)
		fprintf(file,
			"<li><svg viewBox=\"0 0 18 14\" "
			"aria-hidden=\"true\">%s</svg>%s</li>",
			marks[i], names[i]);
	fputs("</ul>\n", file);
	qs_svg_waits(r, file);
	fputs("<p class=\"dim\">Median / 90th percentile, and of how "
	      "many</p>\n",
	      file);
	qs_html_waits(r, file);
}

static void put_interruptions(const struct qs_report *r, FILE *file)
{
	struct qs_report_unit unit = qs_report_unit(r);

	fputs("<h2>Interruptions</h2>\n<ul class=\"legend\">", file);
	for (int k = 0; k < QS_INTERRUPTIONS; k++)
		swatch(file, qs_interruption_classes[k],
		       qs_interruption_names[k]);
	fputs("</ul>\n", file);
	qs_svg_interruptions(r, file);
	fputs("<p class=\"dim\">", file);
	qs_htmlf(file,
		 "Repeated: %s of interrupted runs, as if they had no "
		 "checkpoints. Completed work: %s of jobs that completed, "
		 "without what they repeated.",
		 unit.name, unit.name);
	fputs("</p>\n", file);
	qs_html_jobs(r, file);
}

static void put_exceptions(const struct qs_report *r, FILE *file)
{
	struct qs_use sum = qs_report_sum(r, -1);
	struct qs_report_unit unit = qs_report_unit(r);

	fputs("<h2>Exceptions</h2>\n<ul>\n", file);
	fprintf(file,
		"<li>%llu policies came into force, %llu were refused</li>\n"
		"<li>%llu priorities were changed</li>\n"
		"<li>%.1f %s over limit</li>\n",
		(unsigned long long)r->policies_changed,
		(unsigned long long)r->policies_refused,
		(unsigned long long)r->priority_changes,
		(double)sum.over_limit / unit.seconds, unit.name);
	for (size_t i = 0; i < r->nchanges; i++) {
		char stamp[32];

		qs_report_time(r->changes[i].when, stamp, sizeof(stamp));
		fputs("<li>", file);
		qs_htmlf(file, "%s: %s%s", stamp,
			 r->changes[i].refused ? "refused: " : "",
			 r->changes[i].text);
		fputs("</li>\n", file);
	}
	fputs("</ul>\n", file);
}

static void put_making(const struct qs_report *r, FILE *file)
{
	fputs("<h2>How it was made</h2>\n<ul>\n", file);
	for (size_t i = 0; i < r->nnotes; i++) {
		fputs("<li>", file);
		qs_html(file, r->notes[i]);
		fputs("</li>\n", file);
	}
	fputs("</ul>\n<h3>Not as it should be in the input</h3>\n<ul>\n", file);
	for (uint32_t i = 0; i < r->problems.n; i++) {
		const struct qs_problem *p = &r->problems.items[i];

		fputs("<li>", file);
		qs_htmlf(file, "%llu %s (first: %s)",
			 (unsigned long long)p->count, p->what, p->first);
		fputs("</li>\n", file);
	}
	if (!r->problems.n)
		fputs("<li>Nothing was found.</li>\n", file);
	fputs("</ul>\n", file);
}

int qs_report_print_html(const struct qs_report *r, FILE *file)
{
	const char *share = r->only >= 0 ? r->history.shares[r->only] : "";
	char begin[32], end[32];

	qs_report_time(r->begin, begin, sizeof(begin));
	qs_report_time(r->end, end, sizeof(end));
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      file);
	qs_htmlf(file, "Quota shares, %s to %s", begin, end);
	fprintf(file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n",
		style);
	qs_svg_patterns(file);
	fputs("<main>\n<h1>", file);
	qs_htmlf(file, "What sharing brought%s%s", *share ? " to " : "", share);
	fputs("</h1>\n<p class=\"dim\">", file);
	qs_htmlf(file, "%s to %s", begin, end);
	fputs("</p>\n", file);
	put_cards(r, file);
	put_use(r, file);
	put_waits(r, file);
	put_interruptions(r, file);
	put_exceptions(r, file);
	put_making(r, file);
	fputs("</main>\n</body>\n</html>\n", file);
	return ferror(file) ? -1 : 0;
}
