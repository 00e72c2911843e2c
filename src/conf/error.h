/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - what is wrong in a file, and where; warnings
 *
 * Fixed sizes: a message about a hostile file stays bounded (law 14), and no
 * error path allocates. Long values are cut with "...", control characters
 * are shown as '?'. Always NUL-terminated.
 */
#ifndef QS_ERROR_H
#define QS_ERROR_H

#include <stdbool.h>
#include <stddef.h>

struct qs_error {
	char text[1024]; /* the whole, in one line, without prefix */
	char file[256];  /* "" where there is none */
	unsigned line;   /* 0 where there is none */
	char key[128];   /* in a scenario: the JSON path */
	char value[128];
	char expected[512];
};

/* Where an error is: parts may be NULL or 0. */
struct qs_place {
	const char *file;
	unsigned line;
	const char *key, *value;
};

/*
 * Fill *err: the place, what is the matter (problem, or NULL when "expected"
 * says it all), what was meant (near, or NULL) and what was expected.
 * "FILE:LINE: KEY=VALUE: PROBLEM; expected EXPECTED; did you mean NEAR?"
 * Sets errno to EINVAL. Returns -1.
 */
int qs_error_set(struct qs_error *err, const struct qs_place *at,
		 const char *problem, const char *near, const char *expected,
		 ...) __attribute__((format(printf, 5, 6)));
/* Out of memory. Sets errno to ENOMEM. Returns -1. */
int qs_error_memory(struct qs_error *err);

/* Copies with "..." where it does not fit, and without control characters. */
void qs_error_copy(char *to, size_t size, const char *from);

#define QS_WARNINGS_MAX 32

struct qs_warning {
	char text[512]; /* with the place, without prefix */
};

struct qs_warnings {
	struct qs_warning items[QS_WARNINGS_MAX];
	size_t n;
	size_t dropped; /* that did not fit any more */
};

/* file "" or NULL: no place. warnings may be NULL. */
void qs_warnings_add(struct qs_warnings *warnings, const char *file,
		     unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
