/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - qshare report: what sharing brought, from accounting and the logs
 *
 * Policies first (who owned what), then the jobs, then what the event log knows
 * about them, then all is measured at once. Blocks on sacct and on files. Its
 * surprise: with --from nothing of the running cluster is asked, and "now" is
 * the last time that the records name.
 */
#include "cli/report.h"
#include "cli/report_service.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/events.h"

#define NAME       QS_REPORT_NAME
#define SLICES     96
#define WINDOW_SEC (7 * 86400)

static void help(void)
{
	puts("Usage: qshare report [OPTION...]\n"
	     "\n"
	     "What sharing brought: GPU time own, borrowed, lent and idle by "
	     "share and type,\n"
	     "waits, preemptions, repeated work, completed jobs. From sacct, "
	     "the event log\n"
	     "and the audit log; as an administrator, who may see all jobs and "
	     "the logs.\n"
	     "\n"
	     "  -S, --start=TIME   2026-11-29, 2026-11-29T10:00, now-4weeks, "
	     "@SECONDS\n"
	     "                     (7 days ago; with --from: the first "
	     "record)\n"
	     "  -E, --end=TIME     (now; with --from: the last record)\n"
	     "  -s, --share=NAME   this share only\n"
	     "      --format=FORM  table, json, csv, or html: one file for a "
	     "browser\n"
	     "      --json         --format=json\n"
	     "  -o, --output=FILE  write there\n"
	     "      --from=FILE    saved output of sacct --json, or of sacct "
	     "-a -D -X\n"
	     "                     --parsable2; - is standard input; may be "
	     "given again\n"
	     "      --events=FILE  the event log\n"
	     "      --audit=FILE   the audit log: who owned what when\n"
	     "      --policy=FILE  who owned what, instead of the audit log\n"
	     "      --accounts=FILE\n"
	     "                     saved output of sacctmgr -nP show assoc "
	     "tree\n"
	     "                     format=Account,ParentName\n"
	     "      --slurm-conf=FILE\n"
	     "                     types of nodes, where accounting has none\n"
	     "      --color=WHEN   auto (on a terminal, the default), always, "
	     "never\n"
	     "  -h, --help         show this and exit\n"
	     "\n"
	     "Exit status: 0 success, 1 the records cannot be read, 2 usage.\n"
	     "\n"
	     "Example: qshare report --start=now-30days --format=html -o "
	     "november.html\n"
	     "Example: sacct --json -a -D -X -S 2026-11-01 | qshare report "
	     "--from=-");
}

/* ---- what the others of report*.c use ---- */

void qs_report_note(struct qs_report *r, const char *fmt, ...)
{
	va_list args;

	if (r->nnotes == QS_NOTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(r->notes[r->nnotes], sizeof(*r->notes), fmt, args);
	va_end(args);
	r->nnotes++;
}

const char *qs_report_share(const struct qs_report *r, int32_t share)
{
	return share < r->m.nshares ? r->history.shares[share] : "(no share)";
}

bool qs_report_shows(const struct qs_report *r, int32_t share, int32_t type)
{
	const struct qs_use *use = qs_measures_use(&r->m, share, type);

	return (r->only < 0 || r->only == share) &&
	       (use->capacity || use->used);
}

bool qs_report_shows_share(const struct qs_report *r, int32_t share)
{
	const struct qs_outcome *o = &r->m.outcome[share];

	if (r->only >= 0)
		return r->only == share;
	return share < r->m.nshares || o->submitted || o->started ||
	       o->running || o->waiting;
}

struct qs_use qs_report_sum(const struct qs_report *r, int32_t type)
{
	struct qs_use sum = { 0 };

	for (int32_t s = 0; s <= r->m.nshares; s++) {
		for (int32_t t = 0; t < r->m.ntypes; t++) {
			const struct qs_use *use = qs_measures_use(&r->m, s, t);

			if (type >= 0 && type != t)
				continue;
			qs_use_add(&sum, use);
		}
	}
	return sum;
}

struct qs_report_unit qs_report_unit(const struct qs_report *r)
{
	static const struct qs_report_unit units[] = { { "GPU-hours", 3600 },
						       { "GPU-minutes", 60 },
						       { "GPU-seconds", 1 } };
	struct qs_use sum = qs_report_sum(r, -1);
	double most = (double)(sum.capacity + sum.used);

	if (most >= 100 * units[0].seconds)
		return units[0];
	return units[most >= 100 * units[1].seconds ? 1 : 2];
}

void qs_report_time(int64_t when, char *text, size_t size)
{
	time_t seconds = (time_t)when;
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, size, tm.tm_sec ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M",
		 &tm);
}

/* ---- the command ---- */

/* Where the window is open, the records say. They must be read first. */
static void set_window(struct qs_report *r)
{
	const struct qs_attempts_facts *f = &r->facts;
	bool saved = r->wish.nfrom && f->first != QS_TIME_NONE;

	if (saved) {
		r->now = f->last;
		if (!r->wish.has_begin)
			r->begin = f->first;
		if (!r->wish.has_end)
			r->end = f->last + 1; /* it is in the window */
	} else if (r->wish.nfrom && !r->wish.has_begin) {
		r->begin = r->end - WINDOW_SEC;
		qs_report_note(r, "No job was read, so the time is that of a "
				  "report without --from.");
	}
	if (r->end < r->begin)
		r->end = r->begin;
	qs_report_changes(r);
}

static int measure(struct qs_report *r)
{
	const struct qs_measures_wish wish = { .begin = r->begin,
					       .end = r->end,
					       .now = r->now,
					       .slices = SLICES };

	if (qs_measures_make(&r->history, &r->runs, &wish, &r->m))
		return qs_cli_error(NAME, "%s", strerror(errno));
	if (r->has_events)
		qs_report_service_say(r);
	else
		qs_report_note(r, "GPUs of nodes that were down or drained are "
				  "not told from idle ones: the event log has "
				  "when that was.");
	if (r->m.start_before_submit)
		qs_problems_note(&r->problems,
				 "waits that end before they begin (a clock "
				 "was changed?): counted as 0",
				 "%u of them", r->m.start_before_submit);
	return 0;
}

static int write_to(const struct qs_report *r, FILE *file)
{
	switch (r->wish.format) {
	case QS_REPORT_JSON:
		return qs_report_print_json(r, file);
	case QS_REPORT_CSV:
		return qs_report_print_csv(r, file);
	case QS_REPORT_HTML:
		return qs_report_print_html(r, file);
	case QS_REPORT_TABLE:
		break;
	}
	return qs_report_print(r, file);
}

static int print(const struct qs_report *r)
{
	const char *path = r->wish.output;
	FILE *file = path ? fopen(path, "we") : stdout;
	int rc;

	if (!file)
		return qs_cli_error(NAME, "%s: %s", path, strerror(errno));
	rc = write_to(r, file);
	if (path && fclose(file))
		rc = -1;
	return rc ? qs_cli_error(NAME, "%s: %s", path ? path : "output",
				 strerror(errno)) :
		    QS_EXIT_OK;
}

static int find_share(struct qs_report *r)
{
	r->only = -1;
	if (!r->wish.share)
		return 0;
	r->only = qs_quota_history_share(&r->history, r->wish.share);
	if (r->only < 0)
		return qs_cli_error(NAME,
				    "no policy of that time has a share "
				    "'%s'",
				    r->wish.share);
	return 0;
}

static int report(struct qs_report *r)
{
	int code;

	r->now = (int64_t)time(NULL);
	r->end = r->wish.has_end ? r->wish.end : r->now;
	r->begin = r->wish.has_begin ? r->wish.begin : r->end - WINDOW_SEC;
	/* Of saved records the window is not known yet: all policies. */
	if (r->wish.nfrom && !r->wish.has_begin)
		r->begin = 0;
	if (r->end < r->begin)
		return qs_cli_usage(NAME, "--end is before --start");
	code = qs_report_policies(r);
	if (!code)
		code = find_share(r);
	if (!code)
		code = qs_report_runs(r);
	if (!code)
		set_window(r);
	if (!code)
		code = qs_report_events(r);
	if (!code)
		code = measure(r);
	return code ? code : print(r);
}

static void clear(struct qs_report *r)
{
	qs_measures_free(&r->m);
	qs_runs_free(&r->runs);
	qs_quota_history_free(&r->history);
	for (size_t i = 0; i < r->npolicies; i++)
		qs_policy_free(r->policies[i]);
	free(r->policies);
	qs_accounts_free(&r->accounts);
	qs_site_free(r->site);
	free(r);
}

enum {
	OPT_FORMAT = 0x3000,
	OPT_FROM,
	OPT_EVENTS,
	OPT_AUDIT,
	OPT_POLICY,
	OPT_ACCOUNTS,
	OPT_SLURM_CONF,
};

static const struct option options[] = {
	{ "start", required_argument, NULL, 'S' },
	{ "end", required_argument, NULL, 'E' },
	{ "share", required_argument, NULL, 's' },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "json", no_argument, NULL, QS_CLI_OPT_JSON },
	{ "output", required_argument, NULL, 'o' },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "events", required_argument, NULL, OPT_EVENTS },
	{ "audit", required_argument, NULL, OPT_AUDIT },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "accounts", required_argument, NULL, OPT_ACCOUNTS },
	{ "slurm-conf", required_argument, NULL, OPT_SLURM_CONF },
	{ "color", optional_argument, NULL, QS_CLI_OPT_COLOR },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_format(struct qs_report_wish *wish, const char *word)
{
	static const char *const words[] = { [QS_REPORT_TABLE] = "table",
					     [QS_REPORT_JSON] = "json",
					     [QS_REPORT_CSV] = "csv",
					     [QS_REPORT_HTML] = "html" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(words[i], word)) {
			wish->format = (enum qs_report_format)i;
			return 0;
		}
	}
	return qs_cli_usage(
		NAME, "--format=%s: expected table, json, csv or html", word);
}

static int take_time(const char *option, int64_t *when, bool *has)
{
	*has = true;
	if (!qs_events_when(optarg, (int64_t)time(NULL), when))
		return 0;
	return qs_cli_usage(NAME,
			    "--%s=%s: expected a time, as 2026-11-29, "
			    "2026-11-29T10:00, now-2days or @1764448952",
			    option, optarg);
}

static int take_path(struct qs_report_wish *wish, int opt)
{
	const char **paths[] = { [OPT_EVENTS - OPT_EVENTS] = &wish->events,
				 [OPT_AUDIT - OPT_EVENTS] = &wish->audit,
				 [OPT_POLICY - OPT_EVENTS] = &wish->policy,
				 [OPT_ACCOUNTS - OPT_EVENTS] = &wish->accounts,
				 [OPT_SLURM_CONF - OPT_EVENTS] =
					 &wish->slurm_conf };

	*paths[opt - OPT_EVENTS] = optarg;
	return 0;
}

/* Returns 0, or an exit code with the reason said. */
static int take(struct qs_report_wish *wish, int opt, char **argv)
{
	switch (opt) {
	case 'S':
		return take_time("start", &wish->begin, &wish->has_begin);
	case 'E':
		return take_time("end", &wish->end, &wish->has_end);
	case 's':
		wish->share = optarg;
		return 0;
	case 'o':
		wish->output = optarg;
		return 0;
	case OPT_FORMAT:
		return take_format(wish, optarg);
	case OPT_FROM:
		if (wish->nfrom == QS_REPORT_FILES)
			return qs_cli_usage(NAME, "at most %d files",
					    QS_REPORT_FILES);
		wish->from[wish->nfrom++] = optarg;
		return 0;
	case OPT_EVENTS:
	case OPT_AUDIT:
	case OPT_POLICY:
	case OPT_ACCOUNTS:
	case OPT_SLURM_CONF:
		return take_path(wish, opt);
	default:
		return qs_cli_bad_option(NAME, opt, argv);
	}
}

int qs_cli_report(int argc, char **argv)
{
	struct qs_report *r = calloc(1, sizeof(*r));
	struct qs_cli_output out = QS_CLI_OUTPUT_INIT;
	int opt, code = 0;

	if (!r)
		return qs_cli_error(NAME, "out of memory");
	while (!code && (opt = getopt_long(argc, argv, ":S:E:s:o:h", options,
					   NULL)) != -1) {
		if (opt == 'h') {
			free(r);
			help();
			return qs_cli_flush(NAME, QS_EXIT_OK);
		}
		if (qs_cli_output_option(&out, opt)) {
			if (out.format == QS_TABLE_JSON)
				r->wish.format = QS_REPORT_JSON;
			continue;
		}
		code = take(&r->wish, opt, argv);
	}
	if (!code && optind < argc)
		code = qs_cli_usage(NAME,
				    "'%s' is no option; files are named with "
				    "--from",
				    argv[optind]);
	r->wish.color = out.color && !r->wish.output;
	if (!code)
		code = report(r);
	clear(r);
	return qs_cli_flush(NAME, code);
}
