/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_files.h - a folder of files for `qshare report`, anew for each test
 *
 * The test fails where the folder or a file cannot be made.
 */
#ifndef QS_TEST_REPORT_FILES_H
#define QS_TEST_REPORT_FILES_H

/* A checked fixture's two halves. The first also sets TZ to UTC, and has nothing
 * of this machine's Slurm be found. The second removes the files that suites
 * write: policy, events, audit, jobs, tree, out. */
void report_files_begin(void);
void report_files_end(void);

/* Good until the fourth call after it. */
const char *path_of(const char *name);
void write_file(const char *name, const char *text);

#endif
