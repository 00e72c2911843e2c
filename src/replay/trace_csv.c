/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_csv.c - a trace from text of lines with commas
 *
 * Called by `qshare replay` with the whole file. Pure. Numbers may have
 * decimals, which are cut; a cell may stand in double quotes.
 */
#include "replay/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Beyond this a time is a mistake (or milliseconds), and sums stay exact. */
#define TIME_MAX INT64_C(1000000000000)
#define GPUS_MAX 1000000

enum column {
	COLUMN_ID,
	COLUMN_SHARE,
	COLUMN_TYPE,
	COLUMN_GPUS,
	COLUMN_SUBMIT,
	COLUMN_START,
	COLUMN_END,
	COLUMN_STATE,
	COLUMN_PRIORITY,
	COLUMN_DURATION,
	COLUMNS,
};

static const char *const names[COLUMNS] = {
	[COLUMN_ID] = "job_id",         [COLUMN_SHARE] = "share",
	[COLUMN_TYPE] = "gpu_type",     [COLUMN_GPUS] = "gpus",
	[COLUMN_SUBMIT] = "submit_s",   [COLUMN_START] = "start_s",
	[COLUMN_END] = "end_s",         [COLUMN_STATE] = "state",
	[COLUMN_PRIORITY] = "priority", [COLUMN_DURATION] = "duration_s",
};

struct cell {
	const char *text;
	size_t n;
};

struct reader {
	const char *at, *end;
	uint32_t line;
	int place[COLUMNS]; /* of the column in a row, -1: has none */
	int last;           /* the last place that is of use */
	struct cell cells[COLUMNS];
	struct qs_trace *trace;
};

static struct cell trim(const char *text, size_t n)
{
	while (n && (*text == ' ' || *text == '\t')) {
		text++;
		n--;
	}
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' ||
		     text[n - 1] == '\r'))
		n--;
	if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
		text++;
		n -= 2;
	}
	return (struct cell){ text, n };
}

/* The next line without its end. False: there is none. */
static bool next_line(struct reader *r, struct cell *line)
{
	const char *end;

	if (r->at >= r->end)
		return false;
	end = memchr(r->at, '\n', (size_t)(r->end - r->at));
	if (!end)
		end = r->end;
	*line = (struct cell){ r->at, (size_t)(end - r->at) };
	r->at = end < r->end ? end + 1 : end;
	r->line++;
	return true;
}

/* A line of which cells are taken one by one. */
struct row {
	const char *at, *end;
	bool more; /* there is a cell at at, maybe an empty one */
};

static struct row row_of(const struct cell *line)
{
	return (struct row){ line->text, line->text + line->n, true };
}

/* The next cell; a comma in quotes is part of it. False: there is none. */
static bool next_cell(struct row *row, struct cell *cell)
{
	const char *p = row->at;
	bool quoted = false;

	if (!row->more)
		return false;
	for (; p < row->end && (quoted || *p != ','); p++)
		quoted ^= *p == '"';
	*cell = trim(row->at, (size_t)(p - row->at));
	row->more = p < row->end;
	row->at = p + row->more;
	return true;
}

static bool is(const struct cell *cell, const char *word)
{
	return cell->n == strlen(word) &&
	       !strncasecmp(cell->text, word, cell->n);
}

static int read_head(struct reader *r, const char *name, struct qs_error *err)
{
	struct qs_place at = { .file = name, .line = 1 };
	struct cell line, cell;
	struct row row;

	for (int c = 0; c < COLUMNS; c++)
		r->place[c] = -1;
	if (!next_line(r, &line))
		return qs_error_set(err, &at, "the file is empty", NULL,
				    "a first line with the names of columns");
	/* Some editors write a mark in front. */
	if (line.n >= 3 && !memcmp(line.text, "\xef\xbb\xbf", 3)) {
		line.text += 3;
		line.n -= 3;
	}
	row = row_of(&line);
	for (int place = 0; next_cell(&row, &cell); place++) {
		for (int c = 0; c < COLUMNS; c++) {
			if (!is(&cell, names[c]))
				continue;
			r->place[c] = place;
			r->last = place;
		}
	}
	if (r->place[COLUMN_SUBMIT] < 0 || r->place[COLUMN_GPUS] < 0)
		return qs_error_set(err, &at,
				    r->place[COLUMN_GPUS] < 0 ?
					    "there is no column gpus" :
					    "there is no column submit_s",
				    NULL,
				    "the columns submit_s, gpus, and "
				    "duration_s or start_s with end_s");
	if (r->place[COLUMN_DURATION] < 0 &&
	    (r->place[COLUMN_START] < 0 || r->place[COLUMN_END] < 0))
		return qs_error_set(err, &at, "no column tells the run time",
				    NULL,
				    "a column duration_s, or start_s and "
				    "end_s");
	return 0;
}

/* A number of at most max, decimals cut. 1: it is one, 0: empty, -1: none. */
static int number(const struct cell *cell, int64_t max, int64_t *out)
{
	const char *p = cell->text, *end = p + cell->n;
	bool minus = p < end && *p == '-';
	int64_t value = 0;

	if (p == end)
		return 0;
	p += minus;
	if (p == end || *p < '0' || *p > '9')
		return -1;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (*p - '0');
		if (value > max)
			return -1;
	}
	if (p < end && *p == '.') {
		for (p++; p < end && *p >= '0' && *p <= '9'; p++)
			;
	}
	if (p != end)
		return -1;
	*out = minus ? -value : value;
	return 1;
}

static enum qs_run_end end_of(const struct cell *state)
{
	static const struct {
		const char *word;
		enum qs_run_end end;
	} words[] = {
		{ "failed", QS_RUN_FAILED },
		{ "cancelled", QS_RUN_CANCELLED },
		{ "canceled", QS_RUN_CANCELLED },
		{ "killed", QS_RUN_CANCELLED },
		{ "timeout", QS_RUN_TIMEOUT },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (is(state, words[i].word))
			return words[i].end;
	}
	return QS_RUN_COMPLETED;
}

static void leave_out(struct reader *r, const char *what, int column)
{
	qs_trace_leave_out(r->trace, r->line, what,
			   column < 0 ? NULL : r->cells[column].text,
			   column < 0 ? 0 : r->cells[column].n);
}

/* The columns that are numbers. False: the row is left out. */
static bool read_numbers(struct reader *r, int64_t *value, bool *known)
{
	for (int c = 0; c < COLUMNS; c++) {
		int64_t max = c == COLUMN_GPUS     ? GPUS_MAX :
			      c == COLUMN_PRIORITY ? UINT32_MAX :
						     TIME_MAX;
		int got;

		known[c] = false;
		if (c == COLUMN_SHARE || c == COLUMN_TYPE ||
		    c == COLUMN_STATE || r->place[c] < 0)
			continue;
		got = number(&r->cells[c],
			     c == COLUMN_ID ? INT64_MAX / 20 : max, &value[c]);
		/* An id may be any text. */
		if (got < 0 && c != COLUMN_ID) {
			leave_out(r, "not a number", c);
			return false;
		}
		known[c] = got > 0;
	}
	return true;
}

static bool run_time(struct reader *r, const int64_t *value, const bool *known,
		     int64_t *run_sec)
{
	if (known[COLUMN_DURATION])
		*run_sec = value[COLUMN_DURATION];
	else if (known[COLUMN_START] && known[COLUMN_END])
		*run_sec = value[COLUMN_END] - value[COLUMN_START];
	else {
		leave_out(r, "no run time known", COLUMN_STATE);
		return false;
	}
	if (*run_sec < 0) {
		leave_out(r, "it ends before it starts", -1);
		return false;
	}
	return true;
}

/* Returns 0, or -1: memory is short. */
static int read_row(struct reader *r)
{
	const struct cell *share = &r->cells[COLUMN_SHARE];
	const struct cell *type = &r->cells[COLUMN_TYPE];
	int64_t value[COLUMNS] = { 0 };
	bool known[COLUMNS];
	struct qs_trace_job job = { .line = r->line };

	if (!read_numbers(r, value, known))
		return 0;
	if (!known[COLUMN_SUBMIT]) {
		leave_out(r, "no time of submission", COLUMN_ID);
		return 0;
	}
	if (value[COLUMN_GPUS] <= 0) {
		leave_out(r, "no GPUs asked for: no share is charged",
			  COLUMN_GPUS);
		return 0;
	}
	if (!run_time(r, value, known, &job.run_sec))
		return 0;
	job.submit = value[COLUMN_SUBMIT];
	job.id = known[COLUMN_ID] && value[COLUMN_ID] > 0 ?
			 (uint64_t)value[COLUMN_ID] :
			 0;
	job.gpus = (uint32_t)value[COLUMN_GPUS];
	if (known[COLUMN_PRIORITY] && value[COLUMN_PRIORITY] > 0)
		job.priority = value[COLUMN_PRIORITY] > QS_PRIORITY_MAX ?
				       QS_PRIORITY_MAX :
				       (uint32_t)value[COLUMN_PRIORITY];
	job.ended = (uint8_t)end_of(&r->cells[COLUMN_STATE]);
	if (!qs_trace_add(r->trace, &job, share->text, share->n, type->text,
			  type->n))
		return 0;
	if (errno != E2BIG)
		return -1;
	leave_out(r, "too many names of shares or types", COLUMN_SHARE);
	return 0;
}

/* Cells of a row by column. False: the row is left out. */
static bool split(struct reader *r, const struct cell *line)
{
	struct row row = row_of(line);
	struct cell cell;
	int place = 0;

	memset(r->cells, 0, sizeof(r->cells));
	for (; place <= r->last && next_cell(&row, &cell); place++) {
		for (int c = 0; c < COLUMNS; c++) {
			if (r->place[c] == place)
				r->cells[c] = cell;
		}
	}
	if (place > r->last)
		return true;
	qs_trace_leave_out(r->trace, r->line, "fewer cells than the first line",
			   line->text, line->n);
	return false;
}

struct qs_trace *qs_trace_read(const char *name, const char *text, size_t n,
			       struct qs_error *err)
{
	struct reader r = { .at = text, .end = text + n };
	struct cell line;

	r.trace = qs_trace_new();
	if (!r.trace) {
		qs_error_memory(err);
		return NULL;
	}
	if (read_head(&r, name, err))
		goto fail;
	while (next_line(&r, &line)) {
		if (!trim(line.text, line.n).n)
			continue;
		r.trace->rows++;
		if (split(&r, &line) && read_row(&r))
			goto memory;
	}
	if (!qs_trace_seal(r.trace))
		return r.trace;
memory:
	qs_error_memory(err);
fail:
	qs_trace_free(r.trace);
	return NULL;
}
