/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * style.h - colour and bars, on a terminal only
 *
 * Whoever pipes or parses gets plain text: colour is on when the output is a
 * terminal that can show it and NO_COLOR is not set, or when it was asked for.
 */
#ifndef QS_STYLE_H
#define QS_STYLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum qs_style {
	QS_STYLE_PLAIN,
	QS_STYLE_HEAD, /* names of columns */
	QS_STYLE_DIM,
	QS_STYLE_OWN,      /* also: good */
	QS_STYLE_BORROWED, /* also: with care */
	QS_STYLE_LENT,
	QS_STYLE_BAD, /* also: over limit */
};

/* The parts of a bar, in its order. */
enum qs_bar_part {
	QS_BAR_OWN,
	QS_BAR_BORROWED,
	QS_BAR_OVER,
	QS_BAR_LENT,
	QS_BAR_IDLE,
	QS_BAR_PARTS,
};

/* Columns of a bar. */
#define QS_BAR_WIDTH 20

struct qs_bar {
	uint8_t parts[QS_BAR_PARTS]; /* characters; QS_BAR_WIDTH at most */
};

/* --color=WHEN: "auto", "always", "never", NULL is always. Returns 0 with
 * *color, or -1: no such word. */
int qs_style_when(const char *when, FILE *file, bool *color);
/* The default: a terminal, unless NO_COLOR or TERM=dumb. */
bool qs_style_auto(FILE *file);
/* May characters outside ASCII be printed? Asks the locale. */
bool qs_style_unicode(void);

/* Columns of the terminal that the file is, else of $COLUMNS; 0: not known. */
size_t qs_style_columns(FILE *file);

/* Switch a style on; QS_STYLE_PLAIN switches back. Nothing without color. */
void qs_style_set(FILE *file, enum qs_style style, bool color);

/* Scale GPUs, [QS_BAR_PARTS], so that whole GPUs fill the bar. A part that is
 * not 0 gets a character where there is room. */
void qs_bar_scale(const int64_t *gpus, int64_t whole, struct qs_bar *bar);
void qs_bar_put(const struct qs_bar *bar, FILE *file, bool color);
/* What the parts are, for below a table; with an end of line. */
void qs_bar_legend(FILE *file, bool color);

#endif
