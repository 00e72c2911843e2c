/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite.h - the end of every suite's main(), and the case files
 */
#ifndef QS_TEST_SUITE_H
#define QS_TEST_SUITE_H

#include <check.h>

/* Run it, as verbose as $CK_VERBOSITY says, and free it. Returns main()'s exit
 * status. */
int suite_run(Suite *suite);

/* The files of tests/cases, in the order of their names. */
int cases_find(void); /* how many there are */
const char *cases_folder(void);
const char *cases_name(int i);
const char *cases_path(int i); /* good until the next call */
void cases_free(void);

#endif
