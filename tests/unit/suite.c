/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite.c - see suite.h
 */
#include "suite.h"

#include <stdlib.h>

int suite_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
