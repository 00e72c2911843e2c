/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.h - JSON for the RPC; between status.c and explain.c
 */
#ifndef QS_RUNTIME_ANSWER_H
#define QS_RUNTIME_ANSWER_H

#include <stdint.h>

struct json_object;

void qs_answer_number(struct json_object *to, const char *key, int64_t value);
/* text NULL: null */
void qs_answer_text(struct json_object *to, const char *key, const char *text);
struct json_object *qs_answer_list(struct json_object *to, const char *key);
/* One line, xmalloc'ed; frees the answer. */
char *qs_answer_print(struct json_object *answer);

#endif
