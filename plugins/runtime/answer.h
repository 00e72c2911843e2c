/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.h - JSON for the RPC; between status.c, explain.c and answer_*.c
 */
#ifndef QS_RUNTIME_ANSWER_H
#define QS_RUNTIME_ANSWER_H

#include <stdint.h>

struct json_object;
struct qs_view;

void qs_answer_number(struct json_object *to, const char *key, int64_t value);
/* text NULL: null */
void qs_answer_text(struct json_object *to, const char *key, const char *text);
struct json_object *qs_answer_list(struct json_object *to, const char *key);
/* One line, xmalloc'ed; frees the answer. */
char *qs_answer_print(struct json_object *answer);

/* GPUs of a type on nodes that may be used or are. */
int64_t qs_answer_in_service(const struct qs_view *view, int queue, int type);

/* answer_health.c: "status", "healthy" and "problems" of a queue. */
void qs_answer_health(struct json_object *to, const struct qs_view *view,
		      int queue);
/* A plugin of ours came (+1) or went (-1); qs_rt.lock held. */
void qs_health_plugin(const char *type, int up);

#endif
