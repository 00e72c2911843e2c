/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - qshare report: what is reported, and how it was made
 */
#ifndef QS_CLI_REPORT_H
#define QS_CLI_REPORT_H

#include <json-c/json.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/site.h"
#include "report/measures.h"
#include "report/problems.h"
#include "sacct/attempts.h"

#define QS_REPORT_NAME  "report"
#define QS_NOTES_MAX    24
#define QS_CHANGES_MAX  64
#define QS_REPORT_FILES 64

enum qs_report_format {
	QS_REPORT_TABLE,
	QS_REPORT_JSON,
	QS_REPORT_CSV,
	QS_REPORT_HTML,
};

/* What was asked for. Texts are of argv. */
struct qs_report_wish {
	enum qs_report_format format;
	bool color;
	bool has_begin, has_end;
	int64_t begin, end;
	const char *share;                 /* NULL: all */
	const char *from[QS_REPORT_FILES]; /* none: sacct itself is asked */
	int nfrom;
	const char *policy, *events, *audit, *accounts, *slurm_conf, *output;
};

/* Another policy came into force, or was refused. */
struct qs_report_change {
	int64_t when;
	bool refused;
	char text[300]; /* what differs first, or the error */
};

struct qs_report {
	struct qs_report_wish wish;
	int64_t begin, end; /* window */
	int64_t now;        /* what is known ends here */
	struct qs_policy **policies;
	size_t npolicies;
	struct qs_quota_history history;
	struct qs_accounts accounts;
	struct qs_site *site; /* or NULL */
	struct qs_runs runs;
	struct qs_attempts_facts facts;
	struct qs_measures m;
	struct qs_problems problems;
	/* What the event log told: counts of lines in the window. */
	bool has_events;
	int64_t events_first, events_last;
	uint64_t events, events_lost, restarts, priority_changes;
	struct qs_report_change changes[QS_CHANGES_MAX];
	size_t nchanges; /* in the list: the last ones */
	uint64_t policies_changed, policies_refused;
	/* How it was made, in sentences. */
	char notes[QS_NOTES_MAX][300];
	size_t nnotes;
	int32_t only; /* the share that is asked for, -1: all */
};

/* A sentence on how the report was made. */
void qs_report_note(struct qs_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Each returns 0, or an exit code with the reason on stderr. */
/* report_policies.c: the policies in force, from audit log and policy file. */
int qs_report_policies(struct qs_report *report);
/* Once the window is known: forgets changes that are not in it. */
void qs_report_changes(struct qs_report *report);
/* report_sources.c: what sacct says, made into runs. */
int qs_report_runs(struct qs_report *report);
/* report_events.c: what the event log knows about the runs. */
int qs_report_events(struct qs_report *report);

/* The path of a log: given, else the policy's, else in StateSaveLocation of
 * slurm.conf; the caller's (free). NULL: not known. */
char *qs_report_log_path(const struct qs_report *report, bool audit);

/* A share's or type's name; behind the last one is "(no share)". */
const char *qs_report_share(const struct qs_report *report, int32_t share);
/* Is there something to show in this row? */
bool qs_report_shows(const struct qs_report *report, int32_t share,
		     int32_t type);
bool qs_report_shows_share(const struct qs_report *report, int32_t share);
/* Unit of GPU time that suits the size of the numbers. */
struct qs_report_unit {
	const char *name; /* "GPU-hours" */
	double seconds;
};
struct qs_report_unit qs_report_unit(const struct qs_report *report);
/* The rows of a type added up; of all types: type -1. */
struct qs_use qs_report_sum(const struct qs_report *report, int32_t type);
/* Local time, to the second where it matters. 32 bytes are enough. */
void qs_report_time(int64_t when, char *text, size_t size);

/* The report. Each returns 0, or -1 with errno. */
int qs_report_print(const struct qs_report *report, FILE *file);
int qs_report_print_json(const struct qs_report *report, FILE *file);
int qs_report_print_csv(const struct qs_report *report, FILE *file);
int qs_report_print_html(const struct qs_report *report, FILE *file);

#endif
