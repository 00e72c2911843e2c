/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite.h - what every suite here and in tests/laws needs
 */
#ifndef QS_TEST_SUITE_H
#define QS_TEST_SUITE_H

#include <check.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The end of main(): run it, as verbose as $CK_VERBOSITY says, and free it.
 * Returns the exit status. */
int suite_run(Suite *suite);

#endif
