/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.c - what an export or import could not take over, in words
 *
 * Called by export and import. Never blocks.
 */
#include "aws/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/error.h"

/* Longest sentence; a longer one is cut. */
#define TEXT_MAX 640

static char *copy(const char *text, struct qs_notes *notes)
{
	char *new = text ? strdup(text) : NULL;

	if (text && !new)
		notes->failed = true;
	return new;
}

void qs_notes_add(struct qs_notes *notes, enum qs_note_kind kind,
		  const char *queue, const char *share, const char *key,
		  const char *fmt, ...)
{
	char text[TEXT_MAX * 2], clean[TEXT_MAX];
	struct qs_note *items;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	qs_error_copy(clean, sizeof(clean), text);
	items = realloc(notes->items, (notes->n + 1) * sizeof(*items));
	if (!items) {
		notes->failed = true;
		return;
	}
	notes->items = items;
	items[notes->n++] = (struct qs_note){
		.kind = kind,
		.queue = copy(queue, notes),
		.share = copy(share, notes),
		.key = copy(key, notes),
		.text = copy(clean, notes),
	};
}

void qs_notes_clear(struct qs_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		free(notes->items[i].queue);
		free(notes->items[i].share);
		free(notes->items[i].key);
		free(notes->items[i].text);
	}
	free(notes->items);
	*notes = (struct qs_notes){ 0 };
}

const char *qs_note_kind_name(enum qs_note_kind kind)
{
	switch (kind) {
	case QS_NOTE_LOST:
		return "LOST";
	case QS_NOTE_TAGGED:
		return "TAGGED";
	case QS_NOTE_ROUNDED:
		return "ROUNDED";
	case QS_NOTE_REMARK:
		break;
	}
	return "REMARK";
}

char *qs_note_line(const struct qs_note *note)
{
	const char *what = note->share ? "share " : note->queue ? "queue " : "";
	const char *who = note->share ? note->share :
			  note->queue ? note->queue :
					"";
	const char *key = note->key ? note->key : "";
	const char *text = note->text ? note->text : "";
	size_t n = strlen(what) + strlen(who) + strlen(key) + strlen(text) + 8;
	char *line = malloc(n);

	if (line)
		snprintf(line, n, "%s%s%s%s%s%s", what, who, *who ? ": " : "",
			 key, *key ? ": " : "", text);
	return line;
}

static void put(struct json_object *to, const char *key, const char *text)
{
	if (text)
		json_object_object_add(to, key, json_object_new_string(text));
}

struct json_object *qs_notes_json(const struct qs_notes *notes)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < notes->n; i++) {
		struct json_object *one = json_object_new_object();

		put(one, "kind", qs_note_kind_name(notes->items[i].kind));
		put(one, "queue", notes->items[i].queue);
		put(one, "share", notes->items[i].share);
		put(one, "key", notes->items[i].key);
		put(one, "text", notes->items[i].text);
		json_object_array_add(list, one);
	}
	return list;
}
