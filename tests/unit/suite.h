/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite.h - the end of every suite's main()
 */
#ifndef QS_TEST_SUITE_H
#define QS_TEST_SUITE_H

#include <check.h>

/* Run it, as verbose as $CK_VERBOSITY says, and free it. Returns main()'s exit
 * status. */
int suite_run(Suite *suite);

#endif
