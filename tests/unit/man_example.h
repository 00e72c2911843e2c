/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * man_example.h - files of the source, and the examples in manual pages
 *
 * Examples stand between '.\" BEGIN name' and '.\" END name' in the pages'
 * source. The running test fails where there is none; what is returned is the
 * caller's (free).
 */
#ifndef QS_TEST_MAN_EXAMPLE_H
#define QS_TEST_MAN_EXAMPLE_H

/* name: from the top of the source */
char *source_file(const char *name);

/* As a reader sees it: roff's escapes undone. */
char *man_example(const char *page, const char *name);

#endif
