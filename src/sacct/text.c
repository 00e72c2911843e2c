/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.c - what sacct --parsable and --parsable2 write
 *
 * The first line names the columns, in any order. sacct escapes nothing: a '|'
 * in a free text (a name, a comment, a command line) shifts what is behind it,
 * a line break splits the record. So a line that does not begin with a job id
 * goes on with the one before, and what is too much is given to the free text
 * with which the rest makes sense.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "sacct/record.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define COLUMNS_MAX 128
/* Of a record in several lines no more is kept. */
#define RECORD_MAX (1u << 20)

enum field {
	JOB_ID,
	JOB_ID_RAW,
	DB_INDEX,
	USER,
	ACCOUNT,
	PARTITION,
	STATE,
	SUBMIT,
	ELIGIBLE,
	START,
	END,
	NODES,
	ALLOC_TRES,
	REQ_TRES,
	ADMIN_COMMENT,
	PRIORITY,
	FIELDS,
};

static const char *const field_names[FIELDS] = {
	[JOB_ID] = "JobID",
	[JOB_ID_RAW] = "JobIDRaw",
	[DB_INDEX] = "DBIndex",
	[USER] = "User",
	[ACCOUNT] = "Account",
	[PARTITION] = "Partition",
	[STATE] = "State",
	[SUBMIT] = "Submit",
	[ELIGIBLE] = "Eligible",
	[START] = "Start",
	[END] = "End",
	[NODES] = "NodeList",
	[ALLOC_TRES] = "AllocTRES",
	[REQ_TRES] = "ReqTRES",
	[ADMIN_COMMENT] = "AdminComment",
	[PRIORITY] = "Priority",
};

/* Columns in which people write what they like. */
static const char *const free_texts[] = {
	"AdminComment", "Comment", "Container",   "Extra",  "JobName",
	"SubmitLine",   "StdErr",  "StdIn",       "StdOut", "SystemComment",
	"WCKey",        "WorkDir", "Constraints",
};

struct reader {
	FILE *file;
	const char *name;
	int column_of[FIELDS]; /* -1: not there */
	bool free[COLUMNS_MAX];
	int ncolumns;
	char *line, *next;
	size_t line_max, next_max;
	bool has_next;
	bool glue;              /* a line may go on with the one before */
	unsigned lines, lineno; /* read so far; where the record began */
	char *cut[COLUMNS_MAX * 2];
	char where[300];
	struct qs_problems *problems;
};

static void trim(char *line)
{
	size_t n = strlen(line);

	while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
		line[--n] = '\0';
}

static bool is_free(const char *name)
{
	for (size_t i = 0; i < sizeof(free_texts) / sizeof(*free_texts); i++)
		if (!strcasecmp(name, free_texts[i]))
			return true;
	return false;
}

static int take_head(struct reader *r, char *line, struct qs_error *err)
{
	struct qs_place at = { .file = r->name, .line = 1 };
	char *save = NULL;

	for (int f = 0; f < FIELDS; f++)
		r->column_of[f] = -1;
	for (char *name = strtok_r(line, "|", &save); name;
	     name = strtok_r(NULL, "|", &save)) {
		if (r->ncolumns == COLUMNS_MAX)
			break;
		for (int f = 0; f < FIELDS; f++)
			if (!strcasecmp(name, field_names[f]))
				r->column_of[f] = r->ncolumns;
		r->free[r->ncolumns++] = is_free(name);
	}
	if (r->column_of[JOB_ID_RAW] < 0)
		r->column_of[JOB_ID_RAW] = r->column_of[JOB_ID];
	r->glue = !r->column_of[JOB_ID_RAW] || !r->column_of[JOB_ID];
	for (int f = 0; f < FIELDS; f++) {
		if (r->column_of[f] >= 0 ||
		    (f != JOB_ID_RAW && f != STATE && f != SUBMIT &&
		     f != START && f != END && f != ALLOC_TRES))
			continue;
		at.key = field_names[f];
		return qs_error_set(
			err, &at, "there is no such column", NULL,
			"the output of sacct --json, or of sacct -a -D -X "
			"--parsable2 -o %s",
			qs_sacct_fields);
	}
	return 0;
}

/* "12", "12_3", "12_[4-6]", "24+1", then the end of the field. */
static bool begins_record(const char *line)
{
	if (!isdigit((unsigned char)*line))
		return false;
	line += strspn(line, "0123456789");
	return *line && strchr("|_+.", *line);
}

/* The line that was read ahead goes on with the one before. */
static void append(struct reader *r)
{
	size_t n, need;
	char *line;

	trim(r->line);
	n = strlen(r->line);
	need = n + strlen(r->next) + 2;
	if (need > RECORD_MAX)
		return;
	if (need > r->line_max) {
		line = realloc(r->line, need * 2);
		if (!line)
			return;
		r->line = line;
		r->line_max = need * 2;
	}
	r->line[n] = ' ';
	strcpy(r->line + n + 1, r->next);
}

static bool read_ahead(struct reader *r)
{
	if (getline(&r->next, &r->next_max, r->file) < 0)
		return false;
	r->lines++;
	return true;
}

/* The line with the names of the columns. */
static bool next_head(struct reader *r)
{
	if (getline(&r->line, &r->line_max, r->file) < 0)
		return false;
	r->lines++;
	trim(r->line);
	return true;
}

/* A record: a line and those that go on with it. */
static bool next_record(struct reader *r)
{
	char *line = r->line;
	size_t max = r->line_max;

	if (!r->has_next && !read_ahead(r))
		return false;
	r->line = r->next;
	r->line_max = r->next_max;
	r->next = line;
	r->next_max = max;
	r->lineno = r->lines;
	r->has_next = false;
	while (read_ahead(r)) {
		if (!r->glue || begins_record(r->next)) {
			r->has_next = true;
			break;
		}
		append(r);
	}
	trim(r->line);
	return true;
}

static bool parse_time(const char *text, int64_t *when)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *end;

	*when = QS_TIME_NONE;
	if (!*text || !strcmp(text, "Unknown") || !strcmp(text, "None"))
		return true;
	if (text[strspn(text, "0123456789")] == '\0') {
		*when = strtoll(text, NULL, 10);
		return true;
	}
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!end || *end)
		return false;
	*when = mktime(&tm);
	return true;
}

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end;
}

static char *field(struct reader *r, char **cells, enum field f)
{
	static char nothing[1];

	return r->column_of[f] >= 0 ? cells[r->column_of[f]] : nothing;
}

static bool fill(struct reader *r, char **cells, struct qs_sacct_record *rec)
{
	uint64_t number;

	memset(rec, 0, sizeof(*rec));
	if (!parse_number(field(r, cells, JOB_ID_RAW), &rec->job) ||
	    !parse_time(field(r, cells, SUBMIT), &rec->submit) ||
	    !parse_time(field(r, cells, ELIGIBLE), &rec->eligible) ||
	    !parse_time(field(r, cells, START), &rec->start) ||
	    !parse_time(field(r, cells, END), &rec->end) ||
	    !isupper((unsigned char)*field(r, cells, STATE)))
		return false;
	if (!parse_number(field(r, cells, DB_INDEX), &rec->db_index))
		rec->db_index = 0;
	rec->priority = parse_number(field(r, cells, PRIORITY), &number) ?
				(int64_t)number :
				-1;
	rec->id = field(r, cells, JOB_ID);
	rec->user = field(r, cells, USER);
	rec->account = field(r, cells, ACCOUNT);
	rec->partition = field(r, cells, PARTITION);
	rec->nodes = field(r, cells, NODES);
	rec->admin_comment = field(r, cells, ADMIN_COMMENT);
	qs_sacct_state(field(r, cells, STATE));
	rec->state = field(r, cells, STATE);
	rec->alloc_tres = field(r, cells, ALLOC_TRES);
	rec->req_tres = field(r, cells, REQ_TRES);
	rec->has_account = r->column_of[ACCOUNT] >= 0;
	rec->has_req_tres = r->column_of[REQ_TRES] >= 0;
	rec->where = r->where;
	return true;
}

/* Give what is too much to one column: of those in which people write, the
 * last one with which the other fields are what they should be. */
static bool fill_shifted(struct reader *r, int n, struct qs_sacct_record *rec)
{
	int more = n - r->ncolumns;
	char *cells[COLUMNS_MAX];

	for (int c = r->ncolumns - 1; c >= 0; c--) {
		if (!r->free[c])
			continue;
		for (int i = 0; i < r->ncolumns; i++)
			cells[i] = r->cut[i > c ? i + more : i];
		if (fill(r, cells, rec))
			return true;
	}
	return false;
}

/* Cuts at each '|'. A last empty field is the end of --parsable. */
static int cut(struct reader *r)
{
	char *at = r->line;
	int n = 0;

	while (n < COLUMNS_MAX * 2) {
		char *end = strchr(at, '|');

		r->cut[n++] = at;
		if (!end)
			break;
		*end = '\0';
		at = end + 1;
	}
	if (n == r->ncolumns + 1 && !*r->cut[n - 1])
		n--;
	return n;
}

/* False: left out. */
static bool parse(struct reader *r, struct qs_sacct_record *rec)
{
	int n;
	bool good;

	snprintf(r->where, sizeof(r->where), "%s:%u", r->name, r->lineno);
	if (!*r->line)
		return false;
	n = cut(r);
	if (n < r->ncolumns) {
		qs_problems_note(
			r->problems,
			"records with fewer fields than the first line "
			"names, left out",
			"%s: %d of %d", r->where, n, r->ncolumns);
		return false;
	}
	/* "12.batch" */
	if (r->column_of[JOB_ID_RAW] < n &&
	    strchr(r->cut[r->column_of[JOB_ID_RAW]], '.'))
		return false;
	good = n == r->ncolumns ? fill(r, r->cut, rec) :
				  fill_shifted(r, n, rec);
	if (!good) {
		qs_problems_note(r->problems,
				 "records whose job id, state or times cannot "
				 "be read, left out",
				 "%s", r->where);
		return 0;
	}
	return true;
}

int qs_sacct_read_text(FILE *file, const char *name, qs_sacct_fn fn, void *arg,
		       struct qs_problems *problems, struct qs_error *err)
{
	struct reader r = { .file = file, .name = name, .problems = problems };
	struct qs_sacct_record rec;
	int rc = 0;

	if (!next_head(&r))
		return 0;
	rc = take_head(&r, r.line, err);
	while (!rc && next_record(&r))
		if (parse(&r, &rec))
			rc = fn(&rec, arg);
	free(r.line);
	free(r.next);
	return rc;
}
