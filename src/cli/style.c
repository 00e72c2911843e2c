/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * style.c - colour and bars, on a terminal only
 *
 * Called by everything of qshare that prints for people. Never blocks. Its
 * surprise: a bar shows every part that is not 0, be it ever so small, at the
 * cost of the largest one.
 */
#include "cli/style.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const codes[] = {
	[QS_STYLE_PLAIN] = "\033[0m",     [QS_STYLE_HEAD] = "\033[1m",
	[QS_STYLE_DIM] = "\033[2m",       [QS_STYLE_OWN] = "\033[32m",
	[QS_STYLE_BORROWED] = "\033[33m", [QS_STYLE_LENT] = "\033[36m",
	[QS_STYLE_BAD] = "\033[31m",
};

static const struct {
	enum qs_style style;
	const char *ascii, *unicode, *name;
} parts[] = {
	[QS_BAR_OWN] = { QS_STYLE_OWN, "#", "\u2588", "own" },
	[QS_BAR_BORROWED] = { QS_STYLE_BORROWED, "+", "\u2593", "borrowed" },
	[QS_BAR_OVER] = { QS_STYLE_BAD, "!", "\u2592", "over limit" },
	[QS_BAR_LENT] = { QS_STYLE_LENT, "-", "\u25a4", "lent" },
	[QS_BAR_IDLE] = { QS_STYLE_DIM, ".", "\u2591", "idle" },
};

bool qs_style_auto(FILE *file)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(file)) && !(no && *no) && term && *term &&
	       strcmp(term, "dumb");
}

int qs_style_when(const char *when, FILE *file, bool *color)
{
	if (!when || !strcmp(when, "always"))
		*color = true;
	else if (!strcmp(when, "never"))
		*color = false;
	else if (!strcmp(when, "auto"))
		*color = qs_style_auto(file);
	else
		return -1;
	return 0;
}

bool qs_style_unicode(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

size_t qs_style_columns(FILE *file)
{
	const char *set = getenv("COLUMNS");
	struct winsize size = { 0 };
	long columns;

	if (!ioctl(fileno(file), TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	columns = set ? strtol(set, NULL, 10) : 0;
	return columns > 0 ? (size_t)columns : 0;
}

void qs_style_set(FILE *file, enum qs_style style, bool color)
{
	if (color)
		fputs(codes[style], file);
}

/* Characters that are too many go where most are. */
static void shrink(struct qs_bar *bar, int sum)
{
	while (sum > QS_BAR_WIDTH) {
		int most = 0;

		for (int i = 1; i < QS_BAR_PARTS; i++)
			if (bar->parts[i] > bar->parts[most])
				most = i;
		bar->parts[most]--;
		sum--;
	}
}

void qs_bar_scale(const int64_t *gpus, int64_t whole, struct qs_bar *bar)
{
	int sum = 0;

	memset(bar, 0, sizeof(*bar));
	for (int i = 0; whole > 0 && i < QS_BAR_PARTS; i++) {
		int64_t n = (gpus[i] * QS_BAR_WIDTH + whole / 2) / whole;

		if (gpus[i] <= 0)
			n = 0;
		else if (n < 1)
			n = 1;
		else if (n > QS_BAR_WIDTH)
			n = QS_BAR_WIDTH;
		bar->parts[i] = (uint8_t)n;
		sum += (int)n;
	}
	shrink(bar, sum);
}

void qs_bar_put(const struct qs_bar *bar, FILE *file, bool color)
{
	bool unicode = qs_style_unicode();

	for (int i = 0; i < QS_BAR_PARTS; i++) {
		if (!bar->parts[i])
			continue;
		qs_style_set(file, parts[i].style, color);
		for (int k = 0; k < bar->parts[i]; k++)
			fputs(unicode ? parts[i].unicode : parts[i].ascii,
			      file);
		qs_style_set(file, QS_STYLE_PLAIN, color);
	}
}

void qs_bar_legend(FILE *file, bool color)
{
	bool unicode = qs_style_unicode();

	for (int i = 0; i < QS_BAR_PARTS; i++) {
		fputs(i ? "  " : "", file);
		qs_style_set(file, parts[i].style, color);
		fputs(unicode ? parts[i].unicode : parts[i].ascii, file);
		qs_style_set(file, QS_STYLE_PLAIN, color);
		fprintf(file, " %s", parts[i].name);
	}
	putc('\n', file);
}
