/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_files.h - where the tests of `qshare report` write their files
 */
#ifndef QS_TEST_REPORT_FILES_H
#define QS_TEST_REPORT_FILES_H

/* As folder_make(); also sets TZ to UTC, and has nothing of this machine's Slurm
 * be found. */
void report_files_begin(void);

#endif
