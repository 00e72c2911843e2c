/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.h - a folder of files, anew for each test
 *
 * The running test fails where the folder or a file cannot be made, read or
 * removed.
 */
#ifndef QS_TEST_FOLDER_H
#define QS_TEST_FOLDER_H

/* A checked fixture's two halves: in $TMPDIR, else in /tmp; with all that is in
 * it. */
void folder_make(void);
void folder_remove(void);

/* A name in it, "." for the folder. Good until the fourth call after it. */
char *path_of(const char *name);
void write_file(const char *name, const char *text);

/* All of any file; the caller's (free). */
char *read_file(const char *path);

#endif
