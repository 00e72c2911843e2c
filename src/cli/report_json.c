/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_json.c - the report for programs: JSON and CSV
 *
 * The names of the measures are those of report_fields.c in both. All numbers
 * are whole seconds and GPU-seconds, so that they add up.
 */
#include "cli/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/report_fields.h"
#include "cli/table.h"

static void add(struct json_object *to, const char *key,
		struct json_object *value)
{
	json_object_object_add(to, key, value);
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	add(to, key, json_object_new_string(text));
}

static void add_number(struct json_object *to, const char *key, int64_t value)
{
	add(to, key, json_object_new_int64(value));
}

static void add_fields(struct json_object *to, const struct qs_field *fields,
		       const void *object)
{
	for (; fields->name; fields++) {
		const struct qs_spread *spread =
			qs_field_spread(fields, object);
		struct json_object *parts;

		if (!spread) {
			add_number(to, fields->name,
				   qs_field_value(fields, object));
			continue;
		}
		parts = json_object_new_object();
		for (int i = 0; i < QS_SPREAD_PARTS; i++) {
			if (i && !spread->n)
				add(parts, qs_spread_parts[i], NULL);
			else
				add_number(parts, qs_spread_parts[i],
					   qs_spread_part(spread, i));
		}
		add(to, fields->name, parts);
	}
}

static struct json_object *use_json(const struct qs_report *r)
{
	struct json_object *list = json_object_new_array();

	for (int32_t s = 0; s <= r->m.nshares; s++) {
		for (int32_t t = 0; t < r->m.ntypes; t++) {
			struct json_object *row;

			if (!qs_report_shows(r, s, t))
				continue;
			row = json_object_new_object();
			add_text(row, "share", qs_report_share(r, s));
			add_text(row, "type", r->history.types[t]);
			add_fields(row, qs_use_fields,
				   qs_measures_use(&r->m, s, t));
			json_object_array_add(list, row);
		}
	}
	return list;
}

static struct json_object *types_json(const struct qs_report *r)
{
	struct json_object *list = json_object_new_array();

	for (int32_t t = 0; t < r->m.ntypes; t++) {
		struct json_object *row = json_object_new_object();
		struct qs_use sum = qs_report_sum(r, t);

		add_text(row, "type", r->history.types[t]);
		add_fields(row, qs_use_fields, &sum);
		add_number(row, "unowned_gpu_sec", r->m.unowned[t]);
		add_number(row, "out_of_service_gpu_sec",
			   r->m.out_of_service[t]);
		json_object_array_add(list, row);
	}
	return list;
}

static struct json_object *shares_json(const struct qs_report *r)
{
	struct json_object *list = json_object_new_array();

	for (int32_t s = 0; s <= r->m.nshares; s++) {
		struct json_object *row;

		if (!qs_report_shows_share(r, s))
			continue;
		row = json_object_new_object();
		add_text(row, "share", qs_report_share(r, s));
		add_fields(row, qs_outcome_fields, &r->m.outcome[s]);
		json_object_array_add(list, row);
	}
	return list;
}

/* A lender behind the last share: GPUs that nobody owns. */
static const char *lender_name(const struct qs_report *r, int32_t share)
{
	return share < r->m.nshares ? r->history.shares[share] : "(unowned)";
}

static struct json_object *loans_json(const struct qs_report *r)
{
	struct json_object *list = json_object_new_array();
	int32_t width = r->m.nshares + 1;

	for (int32_t o = 0; o < width; o++) {
		for (int32_t b = 0; b < width; b++) {
			double gpu_sec = r->m.matrix[o * width + b];
			struct json_object *row;

			if (gpu_sec <= 0 ||
			    (r->only >= 0 && o != r->only && b != r->only))
				continue;
			row = json_object_new_object();
			add_text(row, "lender", lender_name(r, o));
			add_text(row, "borrower", qs_report_share(r, b));
			add(row, "gpu_sec", json_object_new_double(gpu_sec));
			json_object_array_add(list, row);
		}
	}
	return list;
}

static struct json_object *preemptions_json(const struct qs_report *r)
{
	struct json_object *list = json_object_new_array();
	int32_t width = r->m.nshares + 1;

	for (int32_t by = 0; by < width; by++) {
		for (int32_t of = 0; of < width; of++) {
			uint32_t count = r->m.preemptions[by * width + of];
			struct json_object *row;

			if (!count ||
			    (r->only >= 0 && by != r->only && of != r->only))
				continue;
			row = json_object_new_object();
			if (by < r->m.nshares)
				add_text(row, "for", r->history.shares[by]);
			else
				add(row, "for", NULL);
			add_text(row, "of", qs_report_share(r, of));
			add_number(row, "count", count);
			json_object_array_add(list, row);
		}
	}
	return list;
}

static struct json_object *exceptions_json(const struct qs_report *r)
{
	struct json_object *json = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct qs_use sum = qs_report_sum(r, -1);

	for (size_t i = 0; i < r->nchanges; i++) {
		struct json_object *row = json_object_new_object();

		add_number(row, "time", r->changes[i].when);
		add(row, "refused",
		    json_object_new_boolean(r->changes[i].refused));
		add_text(row, "text", r->changes[i].text);
		json_object_array_add(list, row);
	}
	add_number(json, "policies_changed", (int64_t)r->policies_changed);
	add(json, "policy_changes", list);
	add_number(json, "policies_refused", (int64_t)r->policies_refused);
	add_number(json, "priorities_changed", (int64_t)r->priority_changes);
	add_number(json, "slurmctld_starts", (int64_t)r->restarts);
	add_number(json, "over_limit_gpu_sec", sum.over_limit);
	return json;
}

static struct json_object *problems_json(const struct qs_report *r)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < r->problems.n; i++) {
		const struct qs_problem *p = &r->problems.items[i];
		struct json_object *row = json_object_new_object();

		add_text(row, "what", p->what);
		add_number(row, "count", (int64_t)p->count);
		add_text(row, "first", p->first);
		json_object_array_add(list, row);
	}
	return list;
}

static struct json_object *notes_json(const struct qs_report *r)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < r->nnotes; i++)
		json_object_array_add(list,
				      json_object_new_string(r->notes[i]));
	return list;
}

int qs_report_print_json(const struct qs_report *r, FILE *file)
{
	struct json_object *json = json_object_new_object();
	struct json_object *all = json_object_new_object();

	add_number(json, "begin", r->begin);
	add_number(json, "end", r->end);
	add_number(json, "known_until", r->now < r->end ? r->now : r->end);
	add(json, "event_log", json_object_new_boolean(r->has_events));
	add(json, "use", use_json(r));
	add(json, "types", types_json(r));
	add(json, "shares", shares_json(r));
	if (r->only < 0) {
		add_fields(all, qs_outcome_fields,
			   &r->m.outcome[r->m.nshares + 1]);
		add(json, "all_shares", all);
	} else {
		json_object_put(all);
	}
	add(json, "loans", loans_json(r));
	add(json, "preemptions", preemptions_json(r));
	add(json, "exceptions", exceptions_json(r));
	add(json, "problems", problems_json(r));
	add(json, "made", notes_json(r));
	return qs_json_print(json, file);
}

/* RFC 4180; and what a spreadsheet might take for a formula is kept text. */
static void csv_text(FILE *file, const char *text)
{
	bool quote = text[strcspn(text, ",\"\r\n")] || strchr("=+-@", *text);

	if (!*text)
		return;
	if (!quote) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	if (strchr("=+-@", *text))
		putc('\'', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void csv_row(FILE *file, const char *share, const char *type,
		    const char *measure, const char *part, int64_t value,
		    const char *unit)
{
	csv_text(file, share);
	putc(',', file);
	csv_text(file, type);
	fprintf(file, ",%s%s%s,%lld,%s\r\n", measure, *part ? "_" : "", part,
		(long long)value, unit);
}

static void csv_fields(FILE *file, const char *share, const char *type,
		       const struct qs_field *fields, const void *object)
{
	for (; fields->name; fields++) {
		const struct qs_spread *spread =
			qs_field_spread(fields, object);

		if (!spread)
			csv_row(file, share, type, fields->name, "",
				qs_field_value(fields, object), fields->unit);
		for (int i = 0; spread && i < QS_SPREAD_PARTS; i++)
			if (!i || spread->n)
				csv_row(file, share, type, fields->name,
					qs_spread_parts[i],
					qs_spread_part(spread, i),
					i ? fields->unit : "count");
	}
}

static void csv_loans(const struct qs_report *r, FILE *file)
{
	int32_t width = r->m.nshares + 1;

	for (int32_t b = 0; b < width; b++) {
		for (int32_t o = 0; o < width; o++) {
			double gpu_sec = r->m.matrix[o * width + b];

			if (gpu_sec <= 0 || !qs_report_shows_share(r, b))
				continue;
			csv_text(file, qs_report_share(r, b));
			fputs(",,\"borrowed from ", file);
			/* inside quotes already */
			for (const char *c = lender_name(r, o); *c; c++) {
				if (*c == '"')
					putc('"', file);
				putc(*c, file);
			}
			fprintf(file, "\",%.0f,GPU-seconds\r\n",
				round(gpu_sec));
		}
	}
}

int qs_report_print_csv(const struct qs_report *r, FILE *file)
{
	fputs("share,type,measure,value,unit\r\n", file);
	for (int32_t s = 0; s <= r->m.nshares; s++)
		for (int32_t t = 0; t < r->m.ntypes; t++)
			if (qs_report_shows(r, s, t))
				csv_fields(file, qs_report_share(r, s),
					   r->history.types[t], qs_use_fields,
					   qs_measures_use(&r->m, s, t));
	for (int32_t s = 0; s <= r->m.nshares; s++)
		if (qs_report_shows_share(r, s))
			csv_fields(file, qs_report_share(r, s), "",
				   qs_outcome_fields, &r->m.outcome[s]);
	csv_loans(r, file);
	for (uint32_t i = 0; i < r->problems.n; i++) {
		fputs(",,", file);
		csv_text(file, r->problems.items[i].what);
		fprintf(file, ",%llu,problem\r\n",
			(unsigned long long)r->problems.items[i].count);
	}
	return ferror(file) ? -1 : 0;
}
