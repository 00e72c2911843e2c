/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * problems.h - what was wrong with the input: counted and named
 *
 * A report never drops anything silently. What it cannot use as it stands is
 * noted here: one entry for each kind, how often, and the first case of it.
 */
#ifndef QS_PROBLEMS_H
#define QS_PROBLEMS_H

#include <stdint.h>

#define QS_PROBLEMS_MAX     32
#define QS_PROBLEM_CASE_MAX 160

struct qs_problem {
	const char *what; /* a whole clause, a string that is not freed */
	uint64_t count;
	char first[QS_PROBLEM_CASE_MAX]; /* which, or "" */
};

struct qs_problems {
	struct qs_problem items[QS_PROBLEMS_MAX];
	uint32_t n;
	uint64_t others; /* of kinds for which there was no room */
};

/* what: the same text for the same kind. The case is for people: which job,
 * which line; it is cut, and without control characters. */
void qs_problems_note(struct qs_problems *problems, const char *what,
		      const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
