/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - run the real qshare and keep what it said
 */
#ifndef QS_TEST_RUN_H
#define QS_TEST_RUN_H

struct run {
	int code; /* exit code, -1: did not exit by itself */
	char *out, *err;
};

/*
 * Run qshare ($QSHARE, else the one in the build folder) with the given
 * arguments, NULL at the end; input may be NULL. Fails the test if it cannot
 * be run. The caller gives *run to run_clear().
 */
void run_qshare(struct run *run, const char *input, ...)
	__attribute__((sentinel));
void run_clear(struct run *run);

#endif
