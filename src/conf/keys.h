/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.h - the keys of the policy file, and what a value of each may be
 *
 * What can be said of a token alone is said here: known key, once in its
 * line, well-formed value, in range. reader.c then only sees good tokens and
 * judges what they mean together. Private to src/conf.
 */
#ifndef QS_KEYS_H
#define QS_KEYS_H

#include "conf/document.h"
#include "conf/values.h"

/* What a line speaks of: its first key says so. */
enum qs_kind {
	QS_KIND_FILE,
	QS_KIND_TYPE,
	QS_KIND_QUEUE,
	QS_KIND_SHARE,
};

enum qs_form {
	QS_FORM_COUNTS, /* TYPE:COUNT,... */
	QS_FORM_LIST,   /* words */
	QS_FORM_NAME,   /* of a queue or share */
	QS_FORM_NOTE,
	QS_FORM_NUMBER,
	QS_FORM_ORDER, /* VictimOrder */
	QS_FORM_PATH,
	QS_FORM_WORD,   /* a type */
	QS_FORM_CHOICE, /* one of words[] */
};

struct qs_key {
	const char *name;
	enum qs_form form;
	bool required;
	int64_t min, max;         /* NUMBER */
	const char *const *words; /* CHOICE */
	const char *expected;     /* in words; NULL: made from the above */
};

/* The words of CHOICE keys; the index is the enum of engine/policy.h where
 * there is one. In the YES/NO lists the first half means yes. */
extern const char *const qs_words_mode[];
extern const char *const qs_words_strategy[];
extern const char *const qs_words_order[];
extern const char *const qs_words_assign[];
extern const char *const qs_words_state[];      /* ENABLED, DISABLED */
extern const char *const qs_words_preemption[]; /* 2 yes, 2 no */
extern const char *const qs_words_yes[];        /* YES, NO */
extern const char *const qs_words_never[];      /* REJECT, WAIT */
extern const char *const qs_words_victim[];

/* The keys of a kind of line; the last one has no name. */
const struct qs_key *qs_keys_of(enum qs_kind kind);

/* Judge every token of the document and set the kinds of its records.
 * Returns 0, or -1 with *err. */
int qs_keys_check(struct qs_document *doc, struct qs_error *err);

/* A VictimOrder value. Returns 0, or -1 if it is no permutation. */
int qs_keys_victim_order(const char *text, enum qs_victim_step *order);

#endif
