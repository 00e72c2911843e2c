/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop.h - between stop.c (who, and how far) and stop_act.c (the deeds)
 */
#ifndef QS_RUNTIME_STOP_H
#define QS_RUNTIME_STOP_H

#include "runtime/inner.h"

/* All under qs_rt.lock. */

/* Is there something to do for it now, under the write locks? */
bool qs_stop_wants(const struct qs_stop *stop);
/* It was stopped: counted, remembered, its nodes are at work. */
void qs_stop_done(struct qs_stop *stop, bool requeued);

#endif
