/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - what survives a kill -9, as JSON; state.c has the file
 *
 * Both under qs_rt.lock.
 */
#ifndef QS_RUNTIME_STATE_H
#define QS_RUNTIME_STATE_H

#include <json-c/json.h>

#include "runtime/inner.h"

/* All of it; the caller's (json_object_put). */
struct json_object *qs_state_out(void);
/* Adds it to what is there: to be called once, before there is anything. */
void qs_state_in(struct json_object *all);

#endif
