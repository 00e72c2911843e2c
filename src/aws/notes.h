/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - what an export or import could not take over, in words
 *
 * Nothing is lost that nobody told of: whoever leaves something out, rounds
 * it, or knows that the other side means something else by it, adds a note.
 */
#ifndef QS_NOTES_H
#define QS_NOTES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

enum qs_note_kind {
	QS_NOTE_LOST,    /* it is not on the other side */
	QS_NOTE_TAGGED,  /* it is there as a tag, which has no effect in AWS */
	QS_NOTE_ROUNDED, /* --force made it less, or left it out */
	QS_NOTE_REMARK,  /* it is there, and means something else */
};

struct qs_note {
	enum qs_note_kind kind;
	char *queue, *share; /* NULL: of no one */
	char *key;           /* of quota_share.conf, or a JSON path */
	char *text;          /* a sentence, or the end of one, in one line */
};

struct qs_notes {
	struct qs_note *items;
	size_t n;
	bool failed; /* out of memory: what is here is not all */
};

/* queue and share may be NULL. */
void qs_notes_add(struct qs_notes *notes, enum qs_note_kind kind,
		  const char *queue, const char *share, const char *key,
		  const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void qs_notes_clear(struct qs_notes *notes);

/* LOST, TAGGED, ROUNDED, REMARK; what a person reads: "lost", … */
const char *qs_note_kind_name(enum qs_note_kind kind);
/* "share A: LendLimit: text", the caller's (free). NULL: no memory. */
char *qs_note_line(const struct qs_note *note);
/* [{"kind": …, "queue": …, "share": …, "key": …, "text": …}], the caller's. */
struct json_object *qs_notes_json(const struct qs_notes *notes);

#endif
