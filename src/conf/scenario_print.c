/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_print.c - what the planner decided, as JSON
 *
 * Called by qshare plan and by tests. One decision a line and one share row a
 * line; keys in a fixed order; lists in the planner's order, which does not
 * depend on the input's (law 4). json-c does the quoting.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/scenario.h"
#include "engine/explain.h"

#define LONG_MAX_BYTES 2048

struct out {
	const struct qs_snapshot *snap;
	const struct qs_plan *plan;
	bool failed; /* for lack of memory */
};

static void add(struct out *out, struct json_object *to, const char *key,
		struct json_object *value)
{
	if (value && !json_object_object_add(to, key, value))
		return;
	json_object_put(value);
	out->failed = true;
}

static void add_text(struct out *out, struct json_object *to, const char *key,
		     const char *text)
{
	add(out, to, key, json_object_new_string(text));
}

static void add_number(struct out *out, struct json_object *to, const char *key,
		       int64_t number)
{
	add(out, to, key, json_object_new_int64(number));
}

static const char *type_name(const struct out *out, uint16_t type)
{
	return out->snap->policy->types[type].name;
}

static struct json_object *victims(struct out *out,
				   const struct qs_decision *decision)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; list && i < decision->nvictims; i++) {
		uint32_t id = out->plan->victims[decision->victims + i].id;

		if (json_object_array_add(list, json_object_new_int64(id)))
			out->failed = true;
	}
	return list;
}

static struct json_object *split(struct out *out,
				 const struct qs_decision *decision, bool own)
{
	struct json_object *object = json_object_new_object();

	for (uint32_t i = 0; object && i < decision->nsplits; i++) {
		const struct qs_split *s =
			&out->plan->splits[decision->splits + i];
		uint32_t gpus = own ? s->own : s->borrowed;

		if (gpus)
			add_number(out, object, type_name(out, s->type), gpus);
	}
	return object;
}

static struct json_object *place(struct out *out,
				 const struct qs_decision *decision)
{
	struct json_object *object = json_object_new_object();

	for (uint32_t i = 0; object && i < decision->nplaces; i++) {
		const struct qs_placed *placed =
			&out->plan->places[decision->places + i];
		const char *name = out->snap->nodes[placed->node].name;
		struct json_object *node;

		if (!json_object_object_get_ex(object, name, &node)) {
			node = json_object_new_object();
			if (!node) {
				out->failed = true;
				break;
			}
			add(out, object, name, node);
		}
		if (out->failed)
			break;
		add_number(out, node, type_name(out, placed->type),
			   placed->gpus);
	}
	return object;
}

static struct json_object *decision_json(struct out *out,
					 const struct qs_decision *decision)
{
	struct json_object *object = json_object_new_object();
	char text[LONG_MAX_BYTES];

	if (!object)
		return NULL;
	add_number(out, object, "job", decision->id);
	if (decision->copies > 1)
		add_number(out, object, "tasks", decision->copies);
	add_text(out, object, "verdict",
		 qs_verdict_name((enum qs_verdict)decision->verdict));
	if (decision->verdict == QS_VERDICT_START)
		add_text(out, object, "how",
			 qs_how_name((enum qs_how)decision->how));
	add(out, object, "victims", victims(out, decision));
	add(out, object, "own", split(out, decision, true));
	add(out, object, "borrowed", split(out, decision, false));
	if (out->snap->has_nodes)
		add(out, object, "place", place(out, decision));
	add_text(out, object, "code",
		 qs_code_name((enum qs_code)decision->code));
	qs_explain_long(out->snap->policy, out->plan, decision, text,
			sizeof(text));
	add_text(out, object, "text", text);
	return object;
}

static struct json_object *row_json(struct out *out, const struct qs_row *row)
{
	struct json_object *object = json_object_new_object();

	if (!object)
		return NULL;
	add_text(out, object, "share",
		 out->snap->policy->shares[row->share].name);
	add_text(out, object, "type", type_name(out, row->type));
	add_number(out, object, "capacity", row->capacity);
	if (row->unlimited)
		json_object_object_add(object, "limit", NULL);
	else
		add_number(out, object, "limit", row->limit);
	add_number(out, object, "used", row->used);
	add_number(out, object, "own", row->own);
	add_number(out, object, "borrowed", row->borrowed);
	add_number(out, object, "lent", row->lent);
	add_number(out, object, "idle", row->idle);
	add_number(out, object, "over_limit", row->over_limit);
	return object;
}

/* One object as one line of a list. */
static void put_line(struct out *out, FILE *file, bool first,
		     struct json_object *object)
{
	const char *text = NULL;

	if (object)
		text = json_object_to_json_string_ext(
			object, JSON_C_TO_STRING_SPACED |
					JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(file, "%s\n    %s", first ? "" : ",", text);
	else
		out->failed = true;
	json_object_put(object);
}

char *qs_scenario_print(const struct qs_snapshot *snap,
			const struct qs_plan *plan)
{
	struct out out = { .snap = snap, .plan = plan };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fputs("{\n  \"decisions\": [", file);
	for (uint32_t i = 0; i < plan->ndecisions && !out.failed; i++)
		put_line(&out, file, i == 0,
			 decision_json(&out, &plan->decisions[i]));
	fprintf(file, "%s],\n  \"shares\": [", plan->ndecisions ? "\n  " : "");
	for (uint32_t i = 0; i < plan->nrows && !out.failed; i++)
		put_line(&out, file, i == 0, row_json(&out, &plan->rows[i]));
	fprintf(file, "%s]\n}\n", plan->nrows ? "\n  " : "");
	if (ferror(file))
		out.failed = true;
	if (fclose(file) || out.failed) {
		free(text);
		errno = ENOMEM;
		return NULL;
	}
	return text;
}
