/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_html.h - pieces of the page; private to report_html*.c, report_svg*.c
 */
#ifndef QS_CLI_REPORT_HTML_H
#define QS_CLI_REPORT_HTML_H

#include "cli/report.h"

/* Text with what HTML and SVG would take for markup, and control characters,
 * made harmless; good in attributes with double quotes, too. */
void qs_html(FILE *file, const char *text);
/* The same after formatting, cut at some hundred bytes. */
void qs_htmlf(FILE *file, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "1h 02m", "3d 4h", "12s" */
void qs_html_duration(int64_t seconds, char *text, size_t size);

/* report_svg.c: each plot twice, for wide and for narrow screens. */
void qs_svg_timeline(const struct qs_report *report, int32_t type, FILE *file);
void qs_svg_waits(const struct qs_report *report, FILE *file);
void qs_svg_interruptions(const struct qs_report *report, FILE *file);
/* The hatchings that the plots and their legends use. */
void qs_svg_patterns(FILE *file);

/* report_html_tables.c */
void qs_html_use(const struct qs_report *report, FILE *file);
void qs_html_matrix(const struct qs_report *report, FILE *file);
void qs_html_waits(const struct qs_report *report, FILE *file);
void qs_html_jobs(const struct qs_report *report, FILE *file);

/* The kinds of interruptions, in the order of the plot. */
#define QS_INTERRUPTIONS 6
extern const char *const qs_interruption_names[QS_INTERRUPTIONS];
extern const char *const qs_interruption_classes[QS_INTERRUPTIONS];
uint32_t qs_interruption(const struct qs_outcome *outcome, int kind);

#endif
