/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * laws.h - the laws of one evaluation, as properties of random worlds
 *
 * Where the oracle says what a plan must be, these say what no plan may be.
 */
#ifndef LAW_LAWS_H
#define LAW_LAWS_H

#include "hunt.h"
#include "planned.h"

/* How often a law had something to say. */
extern uint64_t law_met;

/* Says what went wrong; always false. */
bool law_no(char *why, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What becomes of the only waiting job of a world. */
void law_ask(const struct law_world *world, struct qs_decision *out);
/* GPUs of a type that the jobs of a share hold. */
int64_t law_used(const struct law_world *world, int share, int t);

law_property law_1, law_2, law_3, law_4, law_5, law_8, law_9, law_11, law_12,
	law_14, law_15, law_16, law_17, never_is_never, turns_are_true;

#endif
