/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cases.h - the scenario files of tests/cases, for a suite that tries each
 */
#ifndef QS_TEST_CASES_H
#define QS_TEST_CASES_H

#include <check.h>

/*
 * How many there are, for a loop test. Adds a test that they were found. The
 * others are for tests in this loop; files are in the order of their names, and
 * a path is good until the next call.
 */
int cases_find(TCase *tests);
const char *cases_folder(void);
const char *cases_name(int i);
const char *cases_path(int i);

#endif
