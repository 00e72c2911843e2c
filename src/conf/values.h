/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - the values of the policy file: numbers, names, lists, counts
 *
 * Pure parsers of one value, without place and message. Private to src/conf.
 */
#ifndef QS_VALUES_H
#define QS_VALUES_H

#include "engine/policy.h"

/* Longest partition, account or type name. */
#define QS_WORD_MAX 255
/* Longest Owner or Note. */
#define QS_NOTE_MAX 1024
/* A year: longest time in a policy. */
#define QS_SECONDS_MAX 31536000

/* A whole decimal number, nothing else; 0, or -1 if it is none or does not
 * fit into 64 bits. */
int qs_value_number(const char *text, int64_t *number);
/* Index of a word in a NULL-terminated list, in any case; -1. */
int qs_value_word(const char *text, const char *const *words);
/* A queue's or share's name: letters, digits, - and _, 1..QS_NAME_MAX. */
bool qs_value_is_name(const char *text);
/* A type, partition or account: 1..QS_WORD_MAX visible characters, none of
 * which means something in a list. n bytes of text. */
bool qs_value_is_word(const char *text, size_t n);
/* The value is kept: visible text of at most QS_NOTE_MAX bytes. */
bool qs_value_is_note(const char *text);

/*
 * The next element of a comma list: *at moves behind it. Returns its length,
 * which may be 0, or -1 behind the last one.
 */
int64_t qs_value_next(const char **at, const char **element);
/*
 * The next TYPE:COUNT of a list. Returns 1; 0 behind the last one; -1 if the
 * element is malformed or the count is not 0..QS_GPUS_MAX (*type is then the
 * whole element). The type is not NUL-terminated.
 */
int qs_value_next_count(const char **at, const char **type, size_t *n,
			uint32_t *count);

/* Add a copy of n bytes; 0, or -1 with errno ENOMEM. */
int qs_names_add(struct qs_names *names, const char *name, size_t n);
void qs_names_clear(struct qs_names *names);
/* Index, or -1. */
int qs_names_find(const struct qs_names *names, const char *name);
int qs_names_find_nocase(const struct qs_names *names, const char *name);

#endif
