/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_print.c - what came of each policy, side by side
 *
 * Called once. Blocks where stdout does. A row per share and policy, all shares
 * together first; the policies of one share stand under each other. csv and
 * JSON have the same rows with all columns, in seconds and GPU-seconds.
 */
#include "cli/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/duration.h"
#include "cli/table.h"

/* One row: a share under a policy. */
struct row {
	const struct qs_replay_result *result;
	const char *share;
	const struct qs_outcome *outcome;
	const struct qs_spread *wait;
	struct qs_use use; /* of all types */
	uint32_t preempted, refused;
};

static void fill_row(struct row *row, const struct qs_replay_result *result,
		     int32_t share)
{
	const struct qs_measures *m = &result->replay.m;
	int32_t from = share, to = share + 1;

	memset(row, 0, sizeof(*row));
	row->result = result;
	row->share = share < m->nshares ? result->replay.history.shares[share] :
		     share == m->nshares ? "(no share)" :
					   "(all)";
	row->outcome = &m->outcome[share];
	row->wait = &result->replay.wait[share];
	if (share > m->nshares) {
		from = 0;
		to = m->nshares + 1;
	}
	for (int32_t s = from; s < to; s++) {
		row->refused += result->replay.refused[s];
		for (int32_t t = 0; t < m->ntypes; t++)
			qs_use_add(&row->use, qs_measures_use(m, s, t));
	}
	row->preempted = row->outcome->ended[QS_RUN_PREEMPTED];
}

static bool is_empty(const struct row *row)
{
	return !row->use.used && !row->use.lent && !row->refused &&
	       !row->outcome->submitted && !row->outcome->waiting;
}

/* The row of a share by name: each policy has shares of its own. */
static bool find_row(struct row *row, const struct qs_replay_result *result,
		     const char *share)
{
	for (int32_t s = 0; s < result->replay.history.nshares + 2; s++) {
		fill_row(row, result, s);
		if (!strcmp(row->share, share))
			return true;
	}
	return false;
}

typedef void row_fn(void *arg, const struct row *row);

/* A share of one policy, under all: if it has something to show under any. */
static void each_policy(const struct qs_replay_result *results, uint32_t n,
			const char *share, row_fn *fn, void *arg)
{
	bool empty = true;
	struct row row;

	for (uint32_t i = 0; i < n && empty; i++)
		empty = !find_row(&row, &results[i], share) || is_empty(&row);
	for (uint32_t i = 0; i < n && !empty; i++) {
		if (find_row(&row, &results[i], share))
			fn(arg, &row);
	}
}

static bool seen_before(const struct qs_replay_result *results, uint32_t n,
			const char *share)
{
	struct row row;

	for (uint32_t i = 0; i < n; i++) {
		if (find_row(&row, &results[i], share))
			return true;
	}
	return false;
}

/* All shares together, then each share in the order of the policies. */
static void each_row(const struct qs_replay_result *results, uint32_t n,
		     row_fn *fn, void *arg)
{
	each_policy(results, n, "(all)", fn, arg);
	for (uint32_t i = 0; i < n; i++) {
		for (int32_t s = 0; s <= results[i].replay.history.nshares;
		     s++) {
			struct row row;

			fill_row(&row, &results[i], s);
			if (!seen_before(results, i, row.share))
				each_policy(results, n, row.share, fn, arg);
		}
	}
}

struct field {
	const char *key;
	int64_t value;
	bool none; /* there is nothing that it would be of */
};

#define FIELDS_MAX 64

static void put(struct field *fields, size_t *n, const char *key, int64_t value,
		bool none)
{
	fields[(*n)++] = (struct field){ key, value, none };
}

/* Names of a spread's columns. */
struct spread_keys {
	const char *n, *mean, *median, *p90, *max;
};

static void put_spread(struct field *fields, size_t *n,
		       const struct spread_keys *keys,
		       const struct qs_spread *spread)
{
	bool none = !spread->n;

	put(fields, n, keys->n, spread->n, false);
	put(fields, n, keys->mean, none ? 0 : spread->sum / spread->n, none);
	put(fields, n, keys->median, spread->median, none);
	put(fields, n, keys->p90, spread->p90, none);
	put(fields, n, keys->max, spread->max, none);
}

#define SPREAD_KEYS(word)                                        \
	{                                                        \
		word "_n", word "_mean_sec", word "_median_sec", \
			word "_p90_sec", word "_max_sec"         \
	}

static size_t fields_of(const struct row *row, struct field *fields)
{
	static const struct spread_keys keys[] = {
		SPREAD_KEYS("wait"),           SPREAD_KEYS("wait_own"),
		SPREAD_KEYS("wait_borrowing"), SPREAD_KEYS("wait_again"),
		SPREAD_KEYS("reclaim"),        SPREAD_KEYS("turnaround"),
	};
	const struct qs_outcome *o = row->outcome;
	const struct qs_spread *spreads[] = {
		row->wait,      &o->wait_own, &o->wait_borrowing,
		&o->wait_again, &o->reclaim,  &o->turnaround,
	};
	size_t n = 0;

	put(fields, &n, "submitted", o->submitted, false);
	put(fields, &n, "refused", row->refused, false);
	put(fields, &n, "completed", o->ended[QS_RUN_COMPLETED], false);
	put(fields, &n, "waiting", o->waiting, false);
	put(fields, &n, "capacity_gpu_sec", row->use.capacity, false);
	put(fields, &n, "used_gpu_sec", row->use.used, false);
	put(fields, &n, "own_gpu_sec", row->use.own, false);
	put(fields, &n, "borrowed_gpu_sec", row->use.borrowed, false);
	put(fields, &n, "over_limit_gpu_sec", row->use.over_limit, false);
	put(fields, &n, "lent_gpu_sec", row->use.lent, false);
	put(fields, &n, "idle_gpu_sec", row->use.idle, false);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		put_spread(fields, &n, &keys[i], spreads[i]);
	put(fields, &n, "preempted", row->preempted, false);
	put(fields, &n, "preempted_quota", o->preempted[QS_CAUSE_QUOTA], false);
	put(fields, &n, "preempted_placement", o->preempted[QS_CAUSE_PLACEMENT],
	    false);
	put(fields, &n, "preempted_priority", o->preempted[QS_CAUSE_PRIORITY],
	    false);
	put(fields, &n, "retry_limit", o->retry_limit, false);
	put(fields, &n, "repeated_gpu_sec", o->repeated, false);
	put(fields, &n, "completed_gpu_sec", o->completed_gpu_sec, false);
	return n;
}

static void json_row(void *arg, const struct row *row)
{
	struct json_object *out = json_object_new_object();
	struct field fields[FIELDS_MAX];
	size_t n = fields_of(row, fields);

	json_object_object_add(out, "share",
			       json_object_new_string(row->share));
	json_object_object_add(out, "policy",
			       json_object_new_string(row->result->name));
	for (size_t i = 0; i < n; i++)
		json_object_object_add(
			out, fields[i].key,
			fields[i].none ?
				NULL :
				json_object_new_int64(fields[i].value));
	json_object_array_add(arg, out);
}

struct csv {
	bool head;
};

void qs_replay_csv(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void csv_row(void *arg, const struct row *row)
{
	struct csv *csv = arg;
	struct field fields[FIELDS_MAX];
	size_t n = fields_of(row, fields);

	if (!csv->head) {
		fputs("share,policy", stdout);
		for (size_t i = 0; i < n; i++)
			printf(",%s", fields[i].key);
		putchar('\n');
		csv->head = true;
	}
	qs_replay_csv(stdout, row->share);
	putchar(',');
	qs_replay_csv(stdout, row->result->name);
	for (size_t i = 0; i < n; i++) {
		putchar(',');
		if (!fields[i].none)
			printf("%" PRId64, fields[i].value);
	}
	putchar('\n');
}

static void cell_time(struct qs_table *table, int64_t seconds, bool none)
{
	char text[32];

	if (none) {
		qs_table_none(table, "-");
		return;
	}
	qs_duration_text(seconds, text, sizeof(text));
	qs_table_text(table, text);
}

static void table_row(void *arg, const struct row *row)
{
	struct qs_table *table = arg;
	const struct qs_outcome *o = row->outcome;
	const struct qs_spread *turn = &o->turnaround;

	qs_table_row(table);
	qs_table_text(table, row->share);
	qs_table_text(table, row->result->name);
	qs_table_number(table, o->ended[QS_RUN_COMPLETED]);
	cell_time(table, row->wait->median, !row->wait->n);
	cell_time(table, row->wait->p90, !row->wait->n);
	cell_time(table, turn->n ? turn->sum / turn->n : 0, !turn->n);
	cell_time(table, turn->p90, !turn->n);
	qs_table_number(table, (row->use.own + 1800) / 3600);
	qs_table_number(table, (row->use.borrowed + 1800) / 3600);
	qs_table_style(table, QS_STYLE_BORROWED);
	qs_table_number(table, (row->use.lent + 1800) / 3600);
	qs_table_number(table, row->preempted);
	qs_table_number(table, (o->repeated + 1800) / 3600);
	cell_time(table, o->reclaim.p90, !o->reclaim.n);
	qs_table_number(table, row->refused);
	qs_table_number(table, o->waiting);
}

static int print_table(const struct qs_replay_args *args,
		       const struct qs_replay_result *results, uint32_t n)
{
	static const char *const columns[] = {
		"share",         "policy",    "done",      "wait_p50",
		"wait_p90",      "turn_mean", "turn_p90",  "own_gpuh",
		"borrowed_gpuh", "lent_gpuh", "preempted", "repeated_gpuh",
		"reclaim_p90",   "refused",   "left",
	};
	struct qs_table *table = qs_table_new();
	int rc;

	if (!table)
		return -1;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		qs_table_column(table, columns[i]);
	each_row(results, n, table_row, table);
	rc = qs_table_show(table, stdout, QS_TABLE_ALIGNED, true, args->color);
	qs_table_free(table);
	return rc;
}

static const char *const refusals[QS_REFUSALS] = {
	[QS_REFUSED_NO_SHARE] = "no share of the policy is theirs",
	[QS_REFUSED_NO_TYPE] = "no GPU type of the policy is theirs",
	[QS_REFUSED_NEVER] = "they can never start",
	[QS_REFUSED_DISABLED] = "their share is disabled",
};

/* What was not replayed, and why: never silently. */
static void tell(const struct qs_trace *trace,
		 const struct qs_replay_result *results, uint32_t n)
{
	if (trace->left_out)
		fprintf(stderr,
			"qshare replay: %" PRIu32 " of %" PRIu32
			" rows left out:\n",
			trace->left_out, trace->rows);
	for (uint32_t i = 0; i < trace->problems.n; i++) {
		const struct qs_problem *p = &trace->problems.items[i];

		fprintf(stderr, "  %" PRIu64 ": %s%s%s\n", p->count, p->what,
			*p->first ? "; the first: " : "", p->first);
	}
	for (uint32_t i = 0; i < n; i++) {
		for (int why = 0; why < QS_REFUSALS; why++) {
			const struct qs_replay *r = &results[i].replay;

			if (!r->refused_by[why])
				continue;
			fprintf(stderr,
				"qshare replay: %s: %" PRIu32
				" jobs refused: %s; the first: line %" PRIu32
				"\n",
				results[i].name, r->refused_by[why],
				refusals[why], r->first_refused[why]);
		}
	}
}

static struct json_object *json_problems(const struct qs_trace *trace)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < trace->problems.n; i++) {
		const struct qs_problem *p = &trace->problems.items[i];
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "what",
				       json_object_new_string(p->what));
		json_object_object_add(
			one, "count", json_object_new_int64((int64_t)p->count));
		json_object_object_add(one, "first",
				       json_object_new_string(p->first));
		json_object_array_add(list, one);
	}
	return list;
}

static struct json_object *json_policy(const struct qs_replay_result *result)
{
	static const char *const kinds[] = { "given", "rigid", "pool_fifo",
					     "pool_greedy" };
	static const char *const words[QS_REFUSALS] = { "no_share", "no_type",
							"never", "disabled" };
	const struct qs_replay *r = &result->replay;
	struct json_object *out = json_object_new_object();
	struct json_object *refused = json_object_new_object();

	json_object_object_add(out, "policy",
			       json_object_new_string(result->name));
	json_object_object_add(out, "kind",
			       json_object_new_string(kinds[result->kind]));
	json_object_object_add(out, "begin", json_object_new_int64(r->m.begin));
	json_object_object_add(out, "end", json_object_new_int64(r->m.end));
	json_object_object_add(out, "last_end",
			       r->last_end == QS_TIME_NONE ?
				       NULL :
				       json_object_new_int64(r->last_end));
	json_object_object_add(out, "restart_gpu_sec",
			       json_object_new_int64(r->restart_gpu_sec));
	json_object_object_add(out, "runs", json_object_new_int64(r->runs));
	json_object_object_add(out, "events",
			       json_object_new_int64((int64_t)r->events));
	json_object_object_add(out, "plans",
			       json_object_new_int64((int64_t)r->plans));
	for (int why = 0; why < QS_REFUSALS; why++)
		json_object_object_add(
			refused, words[why],
			json_object_new_int64(r->refused_by[why]));
	json_object_object_add(out, "refused", refused);
	return out;
}

static void print_json(const struct qs_trace *trace,
		       const struct qs_replay_result *results, uint32_t n)
{
	struct json_object *out = json_object_new_object();
	struct json_object *rows = json_object_new_array();
	struct json_object *policies = json_object_new_array();

	json_object_object_add(out, "jobs",
			       json_object_new_int64(trace->njobs));
	json_object_object_add(out, "left_out",
			       json_object_new_int64(trace->left_out));
	json_object_object_add(out, "problems", json_problems(trace));
	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(policies, json_policy(&results[i]));
	json_object_object_add(out, "policies", policies);
	each_row(results, n, json_row, rows);
	json_object_object_add(out, "rows", rows);
	puts(json_object_to_json_string_ext(
		out, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(out);
}

int qs_replay_print(const struct qs_replay_args *args,
		    const struct qs_trace *trace,
		    const struct qs_replay_result *results, uint32_t n)
{
	struct csv csv = { false };

	tell(trace, results, n);
	if (args->format == QS_REPLAY_JSON) {
		print_json(trace, results, n);
		return 0;
	}
	if (args->format == QS_REPLAY_CSV) {
		each_row(results, n, csv_row, &csv);
		return 0;
	}
	return print_table(args, results, n);
}
